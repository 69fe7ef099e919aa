/* Shared counter: time of a read while the other ranks compute (counter paper, appendix A).
 *
 *   Case 1   all ranks read the counter and compute
 *   Case 2   the same, but rank 0, which holds the counter, waits inside MPI
 *   Case 3   case 1, and on every rank a thread that waits inside MPI
 *
 * Each rank reads, computes when the number it got is below the number of tasks, and reads again.
 * All reads are timed. The last one of a rank finds no task; the paper leaves it out, but a rank
 * that never got a task, because rank 0 was served first each time, has no other. */
#include "bench.h"

#include "hf/counter.h"
#include "hf/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_PER_RANK = 10, N_CASE = 3, N_METHOD = 2 };

/** Seconds that the compute loop lasts on a rank that has a core to itself. */
static const double compute_seconds = 0.1, compute_seconds_quick = 0.005;

static const struct {
    enum hf_counter_method method;
    const char *name, *title;
} methods[N_METHOD] = {{HF_COUNTER_ARRAY, "array", "MPI-2 array"},
                       {HF_COUNTER_FETCH_AND_OP, "fetch-and-op", "MPI-3 fetch-and-op"}};

/** What one rank did in one repetition; all doubles, so that they travel as such. */
struct record {
    double n_task, n_get, sum_of_numbers; /**< numbers below the number of tasks */
    double get_seconds, compute_seconds, wait_seconds, total_seconds;
};
enum { N_NUMBER = sizeof(struct record) / sizeof(double) };
_Static_assert(sizeof(struct record) == N_NUMBER * sizeof(double), "sent as an array of doubles");

/** Results of a case. */
struct outcome {
    char problem[200];                   /**< why it was not measured; "" when it was */
    double get_seconds, compute_seconds; /**< medians, of the rank the paper shows */
};

/** The paper's compute loop in one dimension. What it returns must be used, or it is optimised
 *  away. */
static double compute(int64_t n_step)
{
    double sum = 0.0;
    for (int64_t i = 1; i <= n_step; i++) sum += 23.7 * (double)i + (double)(i % 600) / 2.8;
    return sum;
}

/** Steps that last `seconds`, found on rank 0 while the others sleep. Collective. */
static int64_t calibrate(const struct hf_bench *bench, double seconds)
{
    int64_t n_step = 100000;
    volatile double sink = 0.0;
    if (bench->context->rank == 0) {
        for (;; n_step *= 2) {
            const double begin = hf_wall_seconds();
            sink = sink + compute(n_step);
            const double took = hf_wall_seconds() - begin;
            if (took < 0.25 * seconds) continue;
            n_step = (int64_t)((double)n_step * seconds / took) + 1;
            break;
        }
    }
    hf_bench_wait(bench->context->comm, false);
    MPI_Bcast(&n_step, 1, MPI_INT64_T, 0, bench->context->comm);
    return n_step;
}

/** One pass through all tasks. Collective. */
static struct record take_and_compute(const struct hf_bench *bench, struct hf_counter *counter,
                                      bool takes_part, int64_t n_task, int64_t n_step)
{
    struct record record = {0};
    volatile double sink = 0.0;
    MPI_Barrier(bench->context->comm);
    const double begin = hf_wall_seconds();
    while (takes_part) {
        const double before = hf_wall_seconds();
        const int64_t number = hf_counter_take(counter, 1);
        const double between = hf_wall_seconds();
        record.get_seconds += between - before;
        record.n_get += 1.0;
        if (number >= n_task) break;
        sink = sink + compute(n_step);
        record.compute_seconds += hf_wall_seconds() - between;
        record.n_task += 1.0;
        record.sum_of_numbers += (double)number;
    }
    const double done = hf_wall_seconds();
    hf_bench_wait(bench->context->comm, true);
    const double end = hf_wall_seconds();
    record.wait_seconds = end - done;
    record.total_seconds = end - begin;
    return record;
}

/** One repetition as an object of the file; rank 0. */
static bool write_records(cJSON *repetitions, int n_rank, const struct record record[])
{
    cJSON *object = hf_json_append_object(repetitions);
    cJSON *ranks = cJSON_AddArrayToObject(object, "ranks");
    bool built = ranks != NULL;
    for (int i = 0; built && i < n_rank; i++) {
        cJSON *rank = hf_json_append_object(ranks);
        built = rank != NULL && hf_json_add_double(rank, "rank", i) &&
                hf_json_add_double(rank, "n_task", record[i].n_task) &&
                hf_json_add_double(rank, "n_get", record[i].n_get) &&
                hf_json_add_double(rank, "get_seconds", record[i].get_seconds) &&
                hf_json_add_double(rank, "compute_seconds", record[i].compute_seconds) &&
                hf_json_add_double(rank, "wait_seconds", record[i].wait_seconds) &&
                hf_json_add_double(rank, "total_seconds", record[i].total_seconds);
    }
    return built;
}

/** Every number must have been given once. A problem is the same on every rank, since all have all
 *  records. */
static bool is_complete(int n_rank, const struct record record[], int64_t n_task)
{
    double n = 0.0, sum = 0.0;
    for (int i = 0; i < n_rank; i++) n += record[i].n_task, sum += record[i].sum_of_numbers;
    return n == (double)n_task && sum == 0.5 * (double)n_task * (double)(n_task - 1);
}

/** Work space of a case. */
struct scratch {
    struct record *record; /**< [n_rank] */
    double *get, *compute; /**< [n_repeat] */
};

/** All repetitions of a case. Collective; *built becomes false on rank 0 without memory. */
static void repeat_case(const struct hf_bench *bench, struct hf_counter *counter, int number,
                        int64_t n_step, struct scratch *scratch, cJSON *repetitions,
                        struct outcome *outcome, bool *built)
{
    const int n_rank = bench->context->n_rank;
    const int64_t n_task = (int64_t)TASKS_PER_RANK * n_rank;
    const int shown = n_rank > 1 ? 1 : 0; /* the paper's times are of rank 1 */
    const bool takes_part = number != 2 || bench->context->rank != 0;
    int n_compute = 0;
    for (int i = 0; i < bench->n_repeat && outcome->problem[0] == '\0'; i++) {
        const struct record mine = take_and_compute(bench, counter, takes_part, n_task, n_step);
        MPI_Allgather(&mine, N_NUMBER, MPI_DOUBLE, scratch->record, N_NUMBER, MPI_DOUBLE,
                      bench->context->comm);
        if (!is_complete(n_rank, scratch->record, n_task))
            snprintf(outcome->problem, sizeof outcome->problem,
                     "the counter gave a number twice or never");
        if (bench->context->rank == 0)
            *built = write_records(repetitions, n_rank, scratch->record) && *built;
        const struct record *record = &scratch->record[shown];
        double work = 0.0, n_work = 0.0; /* of all ranks: the shown one may have got no task */
        for (int k = 0; k < n_rank; k++) {
            work += scratch->record[k].compute_seconds;
            n_work += scratch->record[k].n_task;
        }
        scratch->get[i] = record->get_seconds / record->n_get;
        scratch->compute[i] = n_work > 0.0 ? work / n_work : 0.0;
        n_compute++;
        hf_counter_reset(counter);
    }
    outcome->get_seconds = hf_bench_median(n_compute, scratch->get);
    outcome->compute_seconds = hf_bench_median(n_compute, scratch->compute);
}

/** A case with what it needs around it. Collective; the same status on every rank. */
static hf_status run_case(struct hf_bench *bench, struct hf_counter *counter, int number,
                          int64_t n_step, struct scratch *scratch, cJSON *cases,
                          struct outcome *outcome, struct hf_error *error)
{
    struct hf_progress_thread *thread = NULL;
    struct hf_error refused;
    bool built = true;
    cJSON *object = NULL, *repetitions = NULL;
    *outcome = (struct outcome){.problem = ""};
    if (number == 2 && bench->context->n_rank == 1)
        snprintf(outcome->problem, sizeof outcome->problem, "needs 2 ranks");
    if (number == 3 && hf_progress_thread_start(bench->context->comm, &thread, &refused) != HF_OK)
        snprintf(outcome->problem, sizeof outcome->problem, "%.199s", refused.message);
    if (bench->context->rank == 0) {
        object = hf_json_append_object(cases);
        repetitions = cJSON_AddArrayToObject(object, "repetitions");
        built = repetitions != NULL && hf_json_add_double(object, "case", number);
    }
    if (outcome->problem[0] == '\0')
        repeat_case(bench, counter, number, n_step, scratch, repetitions, outcome, &built);
    hf_progress_thread_stop(&thread);
    const bool measured = outcome->problem[0] == '\0';
    if (object != NULL)
        built =
            hf_json_add_text(object, "problem", measured ? NULL : outcome->problem) &&
            hf_json_add_double(object, "seconds_per_get", measured ? outcome->get_seconds : NAN) &&
            hf_json_add_double(object, "seconds_per_compute",
                               measured ? outcome->compute_seconds : NAN) &&
            built;
    return hf_agree(bench->context->comm, hf_bench_json_outcome(built, error), error);
}

/** One line, as in Table 1 of the paper, of which column 0 is the compute loop of case 1. */
static void print_row(const struct hf_bench *bench, const char *title,
                      const struct outcome outcome[N_CASE])
{
    hf_bench_print(bench, "  %-20s  %11.6f", title, outcome[0].compute_seconds);
    for (int i = 0; i < N_CASE; i++) {
        if (outcome[i].problem[0] == '\0')
            hf_bench_print(bench, "  %11.6f", outcome[i].get_seconds);
        else
            hf_bench_print(bench, "  %11s", "N/A");
    }
    hf_bench_print(bench, "\n");
    for (int i = 0; i < N_CASE; i++)
        if (outcome[i].problem[0] != '\0')
            hf_bench_print(bench, "    case %d: %s\n", i + 1, outcome[i].problem);
}

/** Figure 1 of the paper: how many reads fit into a compute loop. */
static void print_ratios(const struct hf_bench *bench, struct outcome outcome[][N_CASE])
{
    hf_bench_print(bench, "\n  Compute loop / read   %11s  %11s  %11s  %11s\n", "", "case 1",
                   "case 2", "case 3");
    for (int m = 0; m < N_METHOD; m++) {
        hf_bench_print(bench, "  %-20s  %11s", methods[m].title, "");
        for (int i = 0; i < N_CASE; i++) {
            const struct outcome *it = &outcome[m][i];
            if (it->problem[0] == '\0')
                hf_bench_print(bench, "  %11.4g", it->compute_seconds / it->get_seconds);
            else
                hf_bench_print(bench, "  %11s", "N/A");
        }
        hf_bench_print(bench, "\n");
    }
}

/** All cases with one method. Collective. */
static hf_status run_method(struct hf_bench *bench, int m, int64_t n_step, struct scratch *scratch,
                            cJSON *list, struct outcome outcome[N_CASE], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_counter *counter = NULL;
    cJSON *cases = NULL;
    HF_TRY(hf_counter_create(bench->context->comm, methods[m].method, &counter, error));
    if (bench->context->rank == 0) {
        cJSON *object = hf_json_append_object(list);
        cases = cJSON_AddArrayToObject(object, "cases");
        const bool built = cases != NULL && hf_json_add_text(object, "method", methods[m].name);
        status = hf_bench_json_outcome(built, error);
    }
    HF_TRY(hf_agree(bench->context->comm, status, error));
    for (int i = 0; i < N_CASE; i++)
        HF_TRY(run_case(bench, counter, i + 1, n_step, scratch, cases, &outcome[i], error));
    print_row(bench, methods[m].title, outcome);
cleanup:
    hf_counter_destroy(&counter);
    return status;
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    hf_status status = HF_OK;
    const size_t n_repeat = (size_t)bench->n_repeat;
    struct outcome outcome[N_METHOD][N_CASE];
    struct scratch scratch = {.record =
                                  calloc((size_t)bench->context->n_rank, sizeof *scratch.record),
                              .get = calloc(n_repeat, sizeof *scratch.get),
                              .compute = calloc(n_repeat, sizeof *scratch.compute)};
    cJSON *list = NULL;
    bool built = scratch.record != NULL && scratch.get != NULL && scratch.compute != NULL;
    HF_TRY(hf_agree(bench->context->comm, hf_bench_json_outcome(built, error), error));

    const int64_t n_step = calibrate(bench, bench->quick ? compute_seconds_quick : compute_seconds);
    if (bench->context->rank == 0) {
        list = cJSON_AddArrayToObject(bench->results, "methods");
        built = list != NULL &&
                hf_json_add_double(bench->results, "tasks_per_rank", TASKS_PER_RANK) &&
                hf_json_add_double(bench->results, "compute_steps", (double)n_step);
    }
    HF_TRY(hf_agree(bench->context->comm, hf_bench_json_outcome(built, error), error));
    hf_bench_print(bench,
                   "  Seconds of a compute loop, and per read of the counter on rank %d\n"
                   "    case 1: all ranks read and compute\n"
                   "    case 2: rank 0, which holds the counter, waits inside MPI\n"
                   "    case 3: case 1 with a thread on every rank that waits inside MPI\n\n"
                   "  %-20s  %11s  %11s  %11s  %11s\n",
                   bench->context->n_rank > 1 ? 1 : 0, "Counter", "compute/s", "case 1/s",
                   "case 2/s", "case 3/s");
    for (int m = 0; m < N_METHOD; m++)
        HF_TRY(run_method(bench, m, n_step, &scratch, list, outcome[m], error));
    print_ratios(bench, outcome);
cleanup:
    free(scratch.compute);
    free(scratch.get);
    free(scratch.record);
    return status;
}

const struct hf_bench_kernel hf_bench_counter = {
    .name = "counter",
    .about = "reads of a shared counter while ranks compute, with and without progress thread",
    .cite = "counter paper, Table 1 and appendix A",
    .least_ranks = 1,
    .n_repeat = 3,
    .n_repeat_quick = 1,
    .run = run,
};
