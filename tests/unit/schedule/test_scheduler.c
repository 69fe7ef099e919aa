/* Schedulers: argv[1] is the scheduler's name. */
#include "../mpi_test.h"

#include "hf/schedule.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *scheduler_name;

static struct hf_scheduler *new_scheduler(void)
{
    struct hf_scheduler *scheduler = NULL;
    struct hf_error error;
    const struct hf_scheduler_settings settings = {.name = scheduler_name};
    assert_int_equal(hf_scheduler_create(MPI_COMM_WORLD, &settings, &scheduler, &error), HF_OK);
    return scheduler;
}

/** Costs equal on all ranks: a linear congruential sequence. */
static double *random_costs(int64_t n)
{
    double *cost = malloc((size_t)(n + 1) * sizeof *cost);
    uint32_t state = 7;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        cost[i] = (double)(state >> 8);
    }
    return cost;
}

/** One round; how often each task was given to any rank is summed into `times`. */
static void run_round(struct hf_scheduler *scheduler, int64_t n, const double *cost, bool delays,
                      int *times)
{
    struct hf_error error;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(times, 0, (size_t)(n + 1) * sizeof *times);
    assert_int_equal(hf_scheduler_start(scheduler, n, cost, &error), HF_OK);
    int64_t task, n_here = 0;
    while ((task = hf_scheduler_next(scheduler)) >= 0) {
        assert_true(task < n);
        times[task]++;
        n_here++;
        if (delays && (task * 7 + rank) % 5 == 0) {
            const struct timespec pause = {.tv_nsec = 100000 * ((task + rank) % 4)};
            nanosleep(&pause, NULL);
        }
    }
    assert_int_equal(hf_scheduler_next(scheduler), -1);
    hf_scheduler_finish(scheduler);
    assert_int_equal(hf_scheduler_account(scheduler).n_task, n_here);
    assert_true(hf_scheduler_account(scheduler).wait_seconds >= 0.0);
    MPI_Allreduce(MPI_IN_PLACE, times, (int)n + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void every_task_is_given_exactly_once(void **state)
{
    (void)state;
    const int64_t counts[] = {0, 1, 2, 3, 7, 1000, 100000};
    struct hf_scheduler *scheduler = new_scheduler();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int64_t n = counts[i];
        int *times = malloc((size_t)(n + 1) * sizeof *times);
        double *cost = random_costs(n);
        for (int round = 0; round < 3; round++) {
            run_round(scheduler, n, round == 1 ? cost : NULL, round == 2 && n <= 1000, times);
            for (int64_t k = 0; k < n; k++) assert_int_equal(times[k], 1);
        }
        free(times);
        free(cost);
    }
    hf_scheduler_destroy(&scheduler);
    assert_null(scheduler);
}

static void every_rank_gets_its_tasks_dearest_first(void **state)
{
    (void)state;
    enum { N = 500 };
    struct hf_scheduler *scheduler = new_scheduler();
    struct hf_error error;
    double *cost = random_costs(N), last = 1e300;
    assert_int_equal(hf_scheduler_start(scheduler, N, cost, &error), HF_OK);
    for (int64_t task; (task = hf_scheduler_next(scheduler)) >= 0; last = cost[task])
        assert_true(cost[task] <= last);
    hf_scheduler_finish(scheduler);
    hf_scheduler_destroy(&scheduler);
    free(cost);
}

/** One round that `deserter` leaves after `after` tasks; how often each task was given goes to
 *  `times`. */
static void run_round_deserted(struct hf_scheduler *scheduler, int64_t n, int deserter, int after,
                               int *times)
{
    struct hf_error error;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(times, 0, (size_t)(n + 1) * sizeof *times);
    assert_int_equal(hf_scheduler_start(scheduler, n, NULL, &error), HF_OK);
    for (int k = 0;; k++) {
        if (rank == deserter && k == after) {
            hf_scheduler_abandon(scheduler);
            break;
        }
        const int64_t task = hf_scheduler_next(scheduler);
        if (task < 0) break;
        times[task]++;
    }
    hf_scheduler_finish(scheduler);
    MPI_Allreduce(MPI_IN_PLACE, times, (int)n + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void a_rank_that_abandons_hangs_nobody_and_loses_only_its_own(void **state)
{
    (void)state;
    enum { N = 300 };
    int n_rank;
    MPI_Comm_size(MPI_COMM_WORLD, &n_rank);
    struct hf_scheduler *scheduler = new_scheduler();
    int *times = malloc((N + 1) * sizeof *times);
    const bool manager = strcmp(scheduler_name, "manager") == 0;
    for (int deserter = 0; deserter < n_rank; deserter++) {
        for (int after = 0; after < 4; after++) {
            run_round_deserted(scheduler, N, deserter, after, times);
            int n_lost = 0;
            for (int k = 0; k < N; k++) {
                assert_in_range(times[k], 0, 1);
                n_lost += times[k] == 0;
            }
            if (manager && n_rank > 1 && deserter == 0)
                assert_int_equal(n_lost, 0); /* it has none of its own and goes on serving */
            else if (manager && n_rank > 2)
                assert_in_range(n_lost, 0, 2);
            else if (!manager)
                assert_in_range(n_lost, 0, (N + n_rank - 1) / n_rank);
            run_round(scheduler, N, NULL, false, times); /* the next round is whole again */
            for (int k = 0; k < N; k++) assert_int_equal(times[k], 1);
        }
    }
    free(times);
    hf_scheduler_destroy(&scheduler);
}

static void the_round_ends_when_all_ranks_abandon(void **state)
{
    (void)state;
    struct hf_scheduler *scheduler = new_scheduler();
    struct hf_error error;
    assert_int_equal(hf_scheduler_start(scheduler, 300, NULL, &error), HF_OK);
    hf_scheduler_abandon(scheduler);
    hf_scheduler_finish(scheduler);
    assert_int_equal(hf_scheduler_account(scheduler).n_task, 0);
    hf_scheduler_destroy(&scheduler);
}

/** The account splits the time of a round into computing, waiting for tasks, waiting for ranks. */
static void the_account_adds_up_to_the_time_of_the_round(void **state)
{
    (void)state;
    enum { N = 60 };
    const struct timespec task_time = {.tv_nsec = 1000000};
    struct hf_scheduler *scheduler = new_scheduler();
    struct hf_error error;
    double busy = 0.0;
    assert_int_equal(hf_scheduler_start(scheduler, N, NULL, &error), HF_OK);
    const double start = MPI_Wtime();
    while (hf_scheduler_next(scheduler) >= 0) {
        const double began = MPI_Wtime();
        nanosleep(&task_time, NULL);
        busy += MPI_Wtime() - began;
    }
    const double worked = MPI_Wtime() - start;
    hf_scheduler_finish(scheduler);
    const double round = MPI_Wtime() - start;
    const struct hf_schedule_account account = hf_scheduler_account(scheduler);
    assert_true(account.wait_seconds <= worked - busy + 1e-3);
    assert_true(account.finish_seconds <= round - worked + 1e-3);
    assert_true(busy >= 1e-3 * (double)account.n_task);
    hf_scheduler_destroy(&scheduler);
}

static void an_unknown_name_is_the_same_error_on_all_ranks(void **state)
{
    (void)state;
    struct hf_scheduler *scheduler = NULL;
    struct hf_error error, first;
    const struct hf_scheduler_settings settings = {.name = "manger"};
    assert_int_equal(hf_scheduler_create(MPI_COMM_WORLD, &settings, &scheduler, &error),
                     HF_BAD_INPUT);
    assert_null(scheduler);
    assert_non_null(strstr(error.message, "'manager'"));
    first = error;
    MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(error.message, first.message);
}

int main(int argc, char **argv)
{
    scheduler_name = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_given_exactly_once),
        cmocka_unit_test(every_rank_gets_its_tasks_dearest_first),
        cmocka_unit_test(a_rank_that_abandons_hangs_nobody_and_loses_only_its_own),
        cmocka_unit_test(the_round_ends_when_all_ranks_abandon),
        cmocka_unit_test(the_account_adds_up_to_the_time_of_the_round),
        cmocka_unit_test(an_unknown_name_is_the_same_error_on_all_ranks),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
