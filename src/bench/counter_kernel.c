/* Shared counter: time of a read while the other ranks compute (counter paper, appendix A).
 *
 *   Case 1   all ranks read the counter and compute
 *   Case 2   the same, but rank 0, which holds the counter, waits inside MPI
 *   Case 3   case 1, and on every rank a thread that keeps MPI going
 *
 * Each rank reads, computes when the number it got is below the number of tasks, and reads again.
 * All reads are timed. The last read of a rank finds no task. The paper leaves it out, but it is the only read
 * of a rank that never got a task because rank 0 was served first each time. The paper shows the mean of the
 * reads; the median is shown too, since a rank that loses its core to another process in one read of ten has a
 * mean of milliseconds. */
#include "bench.h"

#include "base/arena.h"
#include "schedule/counter.h"
#include "text/progress.h"

#include <math.h>
#include <string.h>

enum { TASKS_PER_RANK = 10, N_CASE = 3, N_METHOD = 2 };

/** The paper's times are of rank 1. */
static int shown_rank(const struct hf_bench *bench)
{
    return bench->context->n_rank > 1 ? 1 : 0;
}

/** Seconds that the compute loop lasts on a rank that has a core to itself. */
static const double compute_seconds = 0.1, compute_seconds_quick = 0.005;

static const struct {
    enum hf_counter_method method;
    const char *title;
} methods[N_METHOD] = {{HF_COUNTER_ARRAY, "MPI-2 array"},
                       {HF_COUNTER_FETCH_AND_OP, "MPI-3 fetch-and-op"}};

/** What one rank did in one repetition; all doubles, so that they can be sent as an array. */
struct record {
    double n_task, n_get, sum_of_numbers;   /**< numbers below the number of tasks */
    double get_seconds, median_get_seconds; /**< sum of all reads; median of one */
    double compute_seconds, wait_seconds, total_seconds;
};
enum { N_NUMBER = sizeof(struct record) / sizeof(double) };
_Static_assert(sizeof(struct record) == N_NUMBER * sizeof(double), "sent as an array of doubles");

/** Results of a case. */
struct outcome {
    char problem[200];         /**< why it was not measured; "" if it was */
    double get_seconds;        /**< mean of the reads of the rank the paper shows */
    double median_get_seconds; /**< median of the same reads */
    double compute_seconds;    /**< mean of all ranks; all three: median of repetitions */
};

/** The paper's compute loop in one dimension. Its result must be used, or the compiler removes the loop. */
static double compute(int64_t n_step)
{
    double sum = 0.0;
    for (int64_t i = 1; i <= n_step; i++) sum += 23.7 * (double)i + (double)(i % 600) / 2.8;
    return sum;
}

/** Number of steps that takes `seconds`, measured on rank 0 while other ranks sleep. Collective. */
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

/** One pass through all tasks; get[n_task + 1] is work space. A rank stops if its number is not higher than the
 *  one before; otherwise it might go on for ever. Collective. */
static struct record take_and_compute(const struct hf_bench *bench, struct hf_counter *counter,
                                      bool takes_part, int64_t n_task, int64_t n_step, double get[])
{
    struct record record = {0};
    volatile double sink = 0.0;
    int64_t number = -1, previous = -2;
    int n_get = 0;
    MPI_Barrier(bench->context->comm);
    const double begin = hf_wall_seconds();
    while (takes_part && number > previous && number < n_task) {
        const double before = hf_wall_seconds();
        previous = number;
        number = hf_counter_take(counter, 0, 1);
        const double between = hf_wall_seconds();
        record.get_seconds += get[n_get++] = between - before;
        if (number <= previous || number >= n_task) continue;
        sink = sink + compute(n_step);
        record.compute_seconds += hf_wall_seconds() - between;
        record.n_task += 1.0;
        record.sum_of_numbers += (double)number;
    }
    const double done = hf_wall_seconds();
    hf_bench_wait(bench->context->comm, true);
    const double end = hf_wall_seconds();
    record.n_get = n_get;
    if (n_get > 0) record.median_get_seconds = hf_bench_median(n_get, get);
    record.wait_seconds = end - done;
    record.total_seconds = end - begin;
    return record;
}

/** One repetition as an object of the file. */
static void write_records(struct hf_json repetitions, int n_rank, const struct record record[])
{
    const struct hf_json ranks = hf_json_array(hf_json_row(repetitions), "ranks", NULL, "");
    for (int i = 0; i < n_rank; i++) {
        const struct hf_json rank = hf_json_row(ranks);
        HF_ADD(rank, "rank", i);
        HF_ADD(rank, "n_task", record[i].n_task);
        HF_ADD(rank, "n_get", record[i].n_get);
        HF_ADD(rank, "get_seconds", record[i].get_seconds);
        HF_ADD(rank, "median_get_seconds", record[i].median_get_seconds);
        HF_ADD(rank, "compute_seconds", record[i].compute_seconds);
        HF_ADD(rank, "wait_seconds", record[i].wait_seconds);
        HF_ADD(rank, "total_seconds", record[i].total_seconds);
    }
}

/** Whether every number was given once; the same on every rank, since each has all records. */
static bool is_complete(int n_rank, const struct record record[], int64_t n_task)
{
    double n = 0.0, sum = 0.0;
    for (int i = 0; i < n_rank; i++) n += record[i].n_task, sum += record[i].sum_of_numbers;
    return n == (double)n_task && sum == 0.5 * (double)n_task * (double)(n_task - 1);
}

/** Work space of a case. */
struct scratch {
    struct record *record;                   /**< [n_rank] */
    double *get;                             /**< [TASKS_PER_RANK * n_rank + 1] */
    double *mean_get, *median_get, *compute; /**< [n_repeat] */
    struct hf_arena arena;
};

/** Seconds of a compute loop, the mean of all ranks: the shown rank may have got no task. */
static double mean_compute(int n_rank, const struct record record[])
{
    double seconds = 0.0, n = 0.0;
    for (int i = 0; i < n_rank; i++) seconds += record[i].compute_seconds, n += record[i].n_task;
    return seconds / n;
}

/** Does all repetitions of a case, or stops at one with a problem. Collective. */
static void repeat_case(struct hf_bench *bench, struct hf_counter *counter, int number,
                        int64_t n_step, struct scratch *scratch, struct hf_json repetitions,
                        struct outcome *outcome)
{
    const int n_rank = bench->context->n_rank, n_repeat = bench->n_repeat;
    const int64_t n_task = (int64_t)TASKS_PER_RANK * n_rank;
    const bool takes_part = number != 2 || bench->context->rank != 0;
    const struct record *shown = &scratch->record[shown_rank(bench)];
    for (int i = 0; i < n_repeat; i++) {
        const struct record mine =
            take_and_compute(bench, counter, takes_part, n_task, n_step, scratch->get);
        MPI_Allgather(&mine, N_NUMBER, MPI_DOUBLE, scratch->record, N_NUMBER, MPI_DOUBLE,
                      bench->context->comm);
        write_records(repetitions, n_rank, scratch->record);
        hf_counter_reset(counter);
        if (!is_complete(n_rank, scratch->record, n_task)) {
            snprintf(outcome->problem, sizeof outcome->problem,
                     "WRONG: the counter gave a number twice or never");
            bench->found_wrong = true;
            return;
        }
        scratch->mean_get[i] = shown->get_seconds / shown->n_get;
        scratch->median_get[i] = shown->median_get_seconds;
        scratch->compute[i] = mean_compute(n_rank, scratch->record);
    }
    outcome->get_seconds = hf_bench_median(n_repeat, scratch->mean_get);
    outcome->median_get_seconds = hf_bench_median(n_repeat, scratch->median_get);
    outcome->compute_seconds = hf_bench_median(n_repeat, scratch->compute);
}

/** Prepares, runs and reports a case. Collective; the same status on every rank. */
static void run_case(struct hf_bench *bench, struct hf_counter *counter, int number, int64_t n_step,
                     struct scratch *scratch, struct hf_json cases, struct outcome *outcome)
{
    struct hf_progress_thread *thread = NULL;
    struct hf_error refused;
    const struct hf_json to = hf_json_row(cases);
    const struct hf_json repetitions = hf_json_array(to, "repetitions", NULL, "");
    *outcome = (struct outcome){.problem = ""};
    if (number == 2 && bench->context->n_rank == 1)
        snprintf(outcome->problem, sizeof outcome->problem, "needs 2 ranks");
    if (number == 3 && hf_progress_thread_start(bench->context->comm, &thread, &refused) != HF_OK)
        snprintf(outcome->problem, sizeof outcome->problem, "%.199s", refused.message);
    HF_ADD(to, "case", number);
    if (outcome->problem[0] == '\0')
        repeat_case(bench, counter, number, n_step, scratch, repetitions, outcome);
    hf_progress_thread_stop(&thread);
    const bool measured = outcome->problem[0] == '\0';
    HF_ADD(to, "problem", measured ? NULL : outcome->problem);
    HF_ADD(to, "seconds_per_get", measured ? outcome->get_seconds : NAN);
    HF_ADD(to, "median_seconds_per_get", measured ? outcome->median_get_seconds : NAN);
    HF_ADD(to, "seconds_per_compute", measured ? outcome->compute_seconds : NAN);
}

/** The rows of a method: Table 1 of the paper with the compute loop of every case, since a progress
 *  thread may cost it time, and the medians. */
enum row { ROW_WORK, ROW_READ, ROW_MEDIAN, N_ROW };

static void print_rows(struct hf_bench *bench, const char *title,
                       const struct outcome outcome[N_CASE])
{
    static const char *const name[N_ROW] = {"work", "read", "read, median"};
    for (int row = 0; row < N_ROW; row++) {
        hf_bench_print(bench, "  %-20s  %-12s", row == 0 ? title : "", name[row]);
        for (int i = 0; i < N_CASE; i++) {
            const double seconds[N_ROW] = {outcome[i].compute_seconds, outcome[i].get_seconds,
                                           outcome[i].median_get_seconds};
            if (outcome[i].problem[0] == '\0')
                hf_bench_print(bench, "  %13.3f", 1e6 * seconds[row]);
            else
                hf_bench_print(bench, "  %13s", "N/A");
        }
        hf_bench_print(bench, "\n");
    }
    for (int i = 0; i < N_CASE; i++)
        if (outcome[i].problem[0] != '\0')
            hf_bench_print(bench, "    case %d: %s\n", i + 1, outcome[i].problem);
}

/** All cases with one method. Collective. */
static hf_status run_method(struct hf_bench *bench, int m, int64_t n_step, struct scratch *scratch,
                            struct hf_json list, struct outcome outcome[N_CASE],
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_counter *counter = NULL;
    HF_TRY(hf_counter_create(bench->context->comm, methods[m].method, 1, &counter, error));
    const struct hf_json to = hf_json_row(list);
    const struct hf_json cases = hf_json_array(to, "cases", NULL, "");
    HF_ADD(to, "method", hf_counter_method_name(methods[m].method));
    for (int i = 0; i < N_CASE; i++)
        run_case(bench, counter, i + 1, n_step, scratch, cases, &outcome[i]);
    print_rows(bench, methods[m].title, outcome);
cleanup:
    hf_counter_destroy(&counter);
    return status;
}

static void print_head(struct hf_bench *bench)
{
    hf_bench_print(
        bench,
        "  Microseconds of a compute loop (work), and of a read of the counter by rank %d\n"
        "    case 1: all ranks read and compute\n"
        "    case 2: rank 0, which holds the counter, waits inside MPI\n"
        "    case 3: case 1 with a thread on every rank that keeps MPI going\n\n"
        "  %-20s  %-12s  %13s  %13s  %13s\n",
        shown_rank(bench), "Counter", "", "case 1/us", "case 2/us", "case 3/us");
}

static void create_scratch(const struct hf_bench *bench, struct scratch *scratch)
{
    const size_t n_rank = (size_t)bench->context->n_rank, n_repeat = (size_t)bench->n_repeat;
    *scratch = (struct scratch){.arena = {.label = "times of repetitions"}};
    HF_TAKE(&scratch->arena, scratch->record, n_rank);
    HF_TAKE(&scratch->arena, scratch->get, TASKS_PER_RANK * n_rank + 1);
    HF_TAKE(&scratch->arena, scratch->mean_get, n_repeat);
    HF_TAKE(&scratch->arena, scratch->median_get, n_repeat);
    HF_TAKE(&scratch->arena, scratch->compute, n_repeat);
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct outcome outcome[N_CASE];
    struct scratch scratch;
    create_scratch(bench, &scratch);
    HF_TRY(hf_agree(bench->context->comm, hf_arena_check(&scratch.arena, error), error));

    const int64_t n_step = calibrate(bench, bench->quick ? compute_seconds_quick : compute_seconds);
    const struct hf_json list = hf_json_array(bench->results, "methods", NULL, "");
    HF_ADD(bench->results, "tasks_per_rank", TASKS_PER_RANK);
    HF_ADD(bench->results, "compute_steps", n_step);
    print_head(bench);
    for (int m = 0; m < N_METHOD; m++)
        HF_TRY(run_method(bench, m, n_step, &scratch, list, outcome, error));
    hf_bench_print(bench, "\n");
cleanup:
    hf_arena_done(&scratch.arena);
    return status;
}

const struct hf_bench_kernel hf_bench_counter = {
    .name = "counter",
    .about = "reads of a shared counter while ranks compute, with and without progress thread",
    .cite = "\"Performance of MPI-2 passive target one-sided communications\", Table 1, appendix A",
    .least_ranks = 1,
    .n_repeat = 3,
    .n_repeat_quick = 1,
    .run = run,
};
