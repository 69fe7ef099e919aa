/* Bandwidth of atomic addition to the memory of another rank against the size of the block (accumulate paper,
 * Figs. 2 and 3): one rank adds, then all ranks but the target at once.
 *
 * A timing ends with a fence, which completes the additions at the target. There are so many additions that the
 * time of the fence matters little, except for the smallest sizes. */
#include "accumulate_target.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

enum {
    N_SIZE = 11, /* blocks of 1 x 1 to 1024 x 1024 doubles: 8 B to 8 MiB in powers of 4 */
    N_SIZE_QUICK = 8,
    MAX_WAY = 16,
    MAX_ADDITION = 4096,
};

/** Seconds that a measurement should last. */
static const double measure_seconds = 0.02, measure_seconds_quick = 0.001;

/** Which ranks add. */
enum pattern { PATTERN_ONE, PATTERN_ALL, N_PATTERN };
static const char *const pattern_name[N_PATTERN] = {"one-to-one", "all-to-one"};

/** One way in one pattern. */
struct series {
    struct hf_bench_way way;
    char problem[300];        /**< why measuring failed or ended early; "" if it did not */
    double megabytes[N_SIZE]; /**< per second, of all callers together; 0: not measured */
};

/** State of the measurements of one block. */
struct measurement {
    struct hf_bench *bench;
    struct hf_bench_target target;
    enum pattern pattern;
    int n_caller;
    bool is_caller;
    double *from;    /**< [largest block], small whole numbers: sums are exact */
    double *seconds; /**< [n_repeat] */
    struct hf_arena arena;
    double n_added; /**< additions to the present block so far, of all callers */
};

/** Seconds of the slowest rank for n additions by every caller. Collective. */
static double add(struct measurement *measurement, int n)
{
    MPI_Comm comm = measurement->bench->context->comm;
    hf_bench_wait(comm, true);
    const double begin = hf_wall_seconds();
    for (int i = 0; measurement->is_caller && i < n; i++)
        hf_bench_target_add(&measurement->target, measurement->from);
    hf_bench_target_fence(&measurement->target);
    double seconds = measurement->is_caller ? hf_wall_seconds() - begin : 0.0;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    measurement->n_added += (double)n * measurement->n_caller;
    return seconds;
}

/** Number of additions that takes long enough to time. The first call is a warm-up. The shorter of two timings
 *  counts; the longer one may include an interruption. */
static int choose_additions(struct measurement *measurement)
{
    const double wanted = measurement->bench->quick ? measure_seconds_quick : measure_seconds;
    int n = 1;
    add(measurement, 1);
    while (n < MAX_ADDITION && fmin(add(measurement, n), add(measurement, n)) < 0.5 * wanted)
        n *= 4;
    return n;
}

static void choose_callers(struct measurement *measurement)
{
    const int n_rank = measurement->bench->context->n_rank;
    const int rank = measurement->bench->context->rank, target = measurement->target.rank;
    const bool one = measurement->pattern == PATTERN_ONE;
    measurement->n_caller = one ? 1 : n_rank - 1;
    measurement->is_caller = one ? rank == (target + 1) % n_rank : rank != target;
    measurement->n_added = 0.0;
}

static void write_point(const struct measurement *measurement, struct hf_json points, int n_add,
                        double median, double megabytes)
{
    const double n_bytes = (double)measurement->target.n_double * sizeof(double);
    const struct hf_json to = hf_json_row(points);
    HF_ADD(to, "message_bytes", n_bytes);
    HF_ADD(to, "target_rank", measurement->target.rank);
    HF_ADD(to, "additions_per_caller", n_add);
    HF_ADD(to, "seconds", median);
    hf_json_put_reals(to, "seconds_of_repetitions", measurement->bench->n_repeat,
                      measurement->seconds);
    HF_ADD(to, "megabytes_per_second", megabytes);
}

/** Measures block number `size`. Collective; the same status on every rank. */
static hf_status measure_block(struct measurement *measurement, int size, struct series *series,
                               struct hf_json points, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_bench *bench = measurement->bench;
    struct hf_bench_target *target = &measurement->target;
    HF_TRY(hf_bench_target_create_block(target, 1 << size, error));
    choose_callers(measurement);
    const int n_add = choose_additions(measurement);
    for (int i = 0; i < bench->n_repeat; i++) measurement->seconds[i] = add(measurement, n_add);
    if (!hf_bench_target_is_multiple(target, measurement->n_added, measurement->from)) {
        char text[32];
        hf_bench_bytes_text((double)target->n_double * sizeof(double), sizeof text, text);
        snprintf(series->problem, sizeof series->problem,
                 "WRONG sums in blocks of %s: additions lost, made twice or misplaced", text);
        bench->found_wrong = true;
    } else {
        const double n_bytes = (double)target->n_double * sizeof(double);
        const double seconds = hf_bench_median(bench->n_repeat, measurement->seconds);
        series->megabytes[size] = 1e-6 * n_bytes * n_add * measurement->n_caller / seconds;
        write_point(measurement, points, n_add, seconds, series->megabytes[size]);
    }
cleanup:
    hf_bench_target_destroy_block(target);
    return status;
}

/** Measures all sizes in one pattern. Collective; the same status on every rank. */
static hf_status measure_series(struct measurement *measurement, struct series *series,
                                struct hf_json list, struct hf_error *error)
{
    const struct hf_bench *bench = measurement->bench;
    const int n_size = bench->quick ? N_SIZE_QUICK : N_SIZE;
    const enum pattern pattern = measurement->pattern;
    const struct hf_json to = hf_json_row(list);
    const struct hf_json points = hf_json_array(to, "points", NULL, "");
    HF_ADD(to, "method", series->way.method);
    HF_ADD(to, "transport", series->way.transport);
    HF_ADD(to, "pattern", pattern_name[pattern]);
    HF_ADD(to, "n_caller", pattern == PATTERN_ONE ? 1 : bench->context->n_rank - 1);
    for (int i = 0; i < n_size && series->problem[0] == '\0'; i++)
        HF_CHECK(measure_block(measurement, i, series, points, error));
    HF_ADD(to, "problem", series->problem[0] == '\0' ? NULL : series->problem);
    return HF_OK;
}

static void print_table(struct hf_bench *bench, enum pattern pattern, int n_way,
                        const struct series series[])
{
    const int n_size = bench->quick ? N_SIZE_QUICK : N_SIZE;
    if (pattern == PATTERN_ONE)
        hf_bench_print(bench, "  One rank adds to a block of another rank: MB/s\n\n");
    else
        hf_bench_print(bench, "  All %d other ranks add to one block: MB/s, all together\n\n",
                       bench->context->n_rank - 1);
    hf_bench_print(bench, "  %10s", "");
    for (int i = 0; i < n_way; i++) hf_bench_print(bench, "  %15s", series[i].way.method);
    hf_bench_print(bench, "\n  %10s", "block");
    for (int i = 0; i < n_way; i++) hf_bench_print(bench, "  %15s", series[i].way.transport);
    hf_bench_print(bench, "\n");
    for (int size = 0; size < n_size; size++) {
        char text[32];
        hf_bench_bytes_text((double)sizeof(double) * (1 << size) * (1 << size), sizeof text, text);
        hf_bench_print(bench, "  %10s", text);
        for (int i = 0; i < n_way; i++) {
            if (series[i].megabytes[size] > 0.0)
                hf_bench_print(bench, "  %15.5g", series[i].megabytes[size]);
            else
                hf_bench_print(bench, "  %15s", "N/A");
        }
        hf_bench_print(bench, "\n");
    }
    for (int i = 0; i < n_way; i++)
        if (series[i].problem[0] != '\0')
            hf_bench_print(bench, "  %s, %s: %s\n", series[i].way.method, series[i].way.transport,
                           series[i].problem);
    hf_bench_print(bench, "\n");
}

/** Measures one way after another, so that threads of other ways do not run; each in all patterns. With two
 *  ranks both patterns are the same. Collective. */
static hf_status measure_ways(struct measurement *measurement, int n_way,
                              struct series series[][MAX_WAY], struct hf_json list,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_bench *bench = measurement->bench;
    const int n_pattern = bench->context->n_rank > 2 ? N_PATTERN : 1;
    for (int i = 0; i < n_way; i++) {
        struct series *one = &series[PATTERN_ONE][i];
        hf_bench_target_open(&measurement->target, bench, &one->way, sizeof one->problem,
                             one->problem);
        memcpy(series[PATTERN_ALL][i].problem, one->problem, sizeof one->problem);
        for (int k = 0; k < n_pattern; k++) {
            measurement->pattern = (enum pattern)k;
            HF_TRY(measure_series(measurement, &series[k][i], list, error));
        }
        hf_bench_target_close(&measurement->target);
    }
cleanup:
    hf_bench_target_close(&measurement->target);
    return status;
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    hf_status status;
    const size_t largest = (size_t)1 << (2 * (N_SIZE - 1));
    struct series series[N_PATTERN][MAX_WAY] = {0};
    struct measurement measurement = {.bench = bench, .arena = {.label = "blocks"}};
    int n_way = 0;
    HF_TAKE(&measurement.arena, measurement.from, largest);
    HF_TAKE(&measurement.arena, measurement.seconds, (size_t)bench->n_repeat);
    status = hf_arena_check(&measurement.arena, error);
    HF_TRY(hf_agree(bench->context->comm, status, error));
    const struct hf_json list = hf_json_array(bench->results, "series", NULL, "");
    for (size_t i = 0; i < largest; i++) measurement.from[i] = (double)(i % 5 + 1);
    for (; n_way < MAX_WAY && hf_bench_way_get(n_way, &series[0][n_way].way); n_way++)
        series[1][n_way].way = series[0][n_way].way;
    HF_TRY(measure_ways(&measurement, n_way, series, list, error));
    for (int k = 0; k < (bench->context->n_rank > 2 ? N_PATTERN : 1); k++)
        print_table(bench, (enum pattern)k, n_way, series[k]);
cleanup:
    hf_arena_done(&measurement.arena);
    return status;
}

const struct hf_bench_kernel hf_bench_accumulate = {
    .name = "accumulate",
    .about = "bandwidth of atomic addition to the memory of another rank",
    .cite = "J. Nieplocha, V. Tipparaju, E. Apra, IPDPS 2005, doi:10.1109/IPDPS.2005.96, Fig. 2",
    .least_ranks = 2,
    .n_repeat = 5,
    .n_repeat_quick = 1,
    .run = run,
};
