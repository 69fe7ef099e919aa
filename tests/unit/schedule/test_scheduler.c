/* Schedulers: argv[1] is the scheduler's name; "counter" may be followed by "-array" (how it is
 * read) and "-progress" (a thread serves it), and both "counter" and "manager" by "-groups" (of two ranks). */
#include "../mpi_test.h"

#include "hf/timer.h"
#include "schedule/schedule.h"

#include <stdio.h>
#include <time.h>

static struct hf_scheduler_settings settings;
static bool light;

/** A scheduler that frees its communicator has left no message in it. */
int MPI_Comm_free(MPI_Comm *comm)
{
    int there;
    PMPI_Barrier(*comm);
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &there, MPI_STATUS_IGNORE);
    assert_false(there);
    return PMPI_Comm_free(comm);
}

/** Shaken MPI: messages are late, and a look misses some that are there. */
static struct {
    bool on;
    uint32_t state;
} shaken;

static uint32_t shaken_below(uint32_t n)
{
    shaken.state = shaken.state * 1664525u + 1013904223u;
    return (shaken.state >> 8) % n;
}

static void shake(void)
{
    const struct timespec delay = {.tv_nsec = (long)shaken_below(500000)};
    if (shaken.on && shaken_below(50) == 0) nanosleep(&delay, NULL);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    shake();
    *there = 0;
    if (shaken.on && shaken_below(3) == 0) return MPI_SUCCESS;
    return PMPI_Iprobe(from, tag, comm, there, status);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    shake();
    *done = 0;
    if (shaken.on && shaken_below(3) == 0) return MPI_SUCCESS;
    return PMPI_Test(request, done, status);
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    shake();
    return PMPI_Send(data, n, type, to, tag, comm);
}

static bool scheduler_is(const char *name)
{
    return strcmp(settings.name, name) == 0;
}

static struct hf_scheduler *new_scheduler(void)
{
    struct hf_scheduler *scheduler = NULL;
    assert_ok(hf_scheduler_create(MPI_COMM_WORLD, &settings, &scheduler, &error));
    return scheduler;
}

/** Levels of `n` tasks, equal on all ranks: a linear congruential sequence. */
static struct hf_task_levels random_levels(int64_t n)
{
    struct hf_task_levels levels = {{0}};
    uint32_t state = 7;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        levels.count[1 + (state >> 8) % (HF_N_TASK_LEVEL - 1)]++;
    }
    return levels;
}

static void open_round(struct hf_scheduler *scheduler, const struct hf_task_levels *levels)
{
    assert_ok(hf_scheduler_start(scheduler, levels, &error));
}

/** With `n` tasks of equal cost. */
static void open_equal_round(struct hf_scheduler *scheduler, int64_t n)
{
    const struct hf_task_levels levels = hf_equal_tasks(n);
    open_round(scheduler, &levels);
}

/** One round of `n` tasks; how often each was given to any rank is summed into `times`. */
static void run_round_of(struct hf_scheduler *scheduler, const struct hf_task_levels *levels,
                         int64_t n, bool delays, int *times)
{
    const int rank = rank_here();
    memset(times, 0, (size_t)(n + 1) * sizeof *times);
    open_round(scheduler, levels);
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

static void run_round(struct hf_scheduler *scheduler, int64_t n, bool delays, int *times)
{
    const struct hf_task_levels levels = hf_equal_tasks(n);
    run_round_of(scheduler, &levels, n, delays, times);
}

TEST(every_task_is_given_exactly_once)
{
    const int64_t counts[] = {0, 1, 2, 3, 7, 1000, 100000};
    struct hf_scheduler *scheduler = new_scheduler();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int64_t n = light && counts[i] > 100 ? 100 : counts[i];
        int *times = malloc((size_t)(n + 1) * sizeof *times);
        for (int round = 0; round < 3; round++) {
            const struct hf_task_levels levels = round == 1 ? random_levels(n) : hf_equal_tasks(n);
            run_round_of(scheduler, &levels, n, round == 2 && n <= 1000, times);
            for (int64_t k = 0; k < n; k++) assert_int_equal(times[k], 1);
        }
        free(times);
    }
    hf_scheduler_destroy(&scheduler);
    assert_null(scheduler);
}

TEST(tasks_of_known_cost_are_given_again)
{
    enum { N = 40 };
    struct hf_scheduler *scheduler = new_scheduler();
    double cost[N];
    for (int i = 0; i < N; i++) cost[i] = (double)(i % 5); /* every fifth costs nothing */
    for (int round = 0; round < 3; round++) {
        int times[N] = {0};
        assert_ok(round == 0 ? hf_scheduler_start_by_cost(scheduler, N, cost, &error)
                             : hf_scheduler_start_again(scheduler, &error));
        for (int64_t task; (task = hf_scheduler_next(scheduler)) >= 0;) times[task]++;
        hf_scheduler_finish(scheduler);
        MPI_Allreduce(MPI_IN_PLACE, times, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++) assert_int_equal(times[i], i % 5 != 0);
    }
    hf_scheduler_destroy(&scheduler);
}

TEST(a_rank_that_comes_late_keeps_no_tasks)
{
    enum { N = 30, TAG = 77 };
    const int last = rank_count() - 1;
    if (last < 2) return; /* a manager and a worker are to do all */
    struct hf_scheduler *scheduler = new_scheduler();
    const struct hf_task_levels levels = hf_equal_tasks(N);
    const double start = hf_wall_seconds(), most_seconds = 60.0;
    int n_done = 0, there;
    int64_t task;
    hf_scheduler_set_ready(scheduler, last);
    open_round(scheduler, &levels);
    while (rank_here() == last && n_done < N && hf_wall_seconds() < start + most_seconds) {
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there) continue;
        MPI_Recv(&task, 1, MPI_INT64_T, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        n_done++;
    }
    assert_int_equal(n_done, rank_here() == last ? N : 0); /* the others have done them all */
    while ((task = hf_scheduler_next(scheduler)) >= 0) {
        assert_int_not_equal(rank_here(), last);
        PMPI_Send(&task, 1, MPI_INT64_T, last, TAG, MPI_COMM_WORLD);
    }
    hf_scheduler_finish(scheduler);
    hf_scheduler_destroy(&scheduler);
}

/** Does one round; true if what this rank did came in the order of the list. `first`: the first task it
 *  was given, -1 if there was none. */
static bool order_is_kept(struct hf_scheduler *scheduler, int64_t n, int64_t *first)
{
    const struct hf_task_levels levels = random_levels(n);
    int64_t last = -1;
    bool kept = true;
    *first = -1;
    open_round(scheduler, &levels);
    for (int64_t task; (task = hf_scheduler_next(scheduler)) >= 0; last = task) {
        if (last < 0) *first = task;
        if (task < last) kept = false;
    }
    hf_scheduler_finish(scheduler);
    return kept;
}

TEST(every_rank_gets_its_tasks_dearest_first)
{
    struct hf_scheduler *scheduler = new_scheduler();
    int64_t first;
    const bool kept = order_is_kept(scheduler, light ? 50 : 500, &first);
    const bool others = scheduler_is("steal") || settings.group > 0; /* whose tasks were dearer */
    if (!others || rank_count() == 1) assert_true(kept);
    hf_scheduler_destroy(&scheduler);
}

/** Stolen tasks may be dearer than those a thief did before, but every rank begins with the dearest
 *  of its share: rank r with the r-th of the list. */
TEST(the_dearest_tasks_go_one_to_each_rank)
{
    if (!scheduler_is("steal") && !scheduler_is("static")) return;
    struct hf_scheduler *scheduler = new_scheduler();
    int64_t first;
    order_is_kept(scheduler, 500, &first);
    assert_int_equal(first, rank_here());
    hf_scheduler_destroy(&scheduler);
}

/** One round that `deserter` leaves after `after` tasks; how often each task was given goes to
 *  `times`. */
static void run_round_deserted(struct hf_scheduler *scheduler, int64_t n, int deserter, int after,
                               int *times)
{
    const int rank = rank_here();
    memset(times, 0, (size_t)(n + 1) * sizeof *times);
    open_equal_round(scheduler, n);
    for (int k = 0;; k++) {
        if (rank == deserter && k == after) {
            hf_scheduler_abandon(scheduler);
            assert_int_equal(hf_scheduler_next(scheduler), -1);
            break;
        }
        const int64_t task = hf_scheduler_next(scheduler);
        if (task < 0) break;
        times[task]++;
    }
    hf_scheduler_finish(scheduler);
    MPI_Allreduce(MPI_IN_PLACE, times, (int)n + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/** The most of `n` tasks of equal cost a rank can take with it: its share, or the first chunk, which is
 *  half of one where there are tasks for many chunks. */
static int64_t most_lost(int64_t n, int deserter)
{
    const int64_t n_rank = rank_count(), share = (n + n_rank - 1) / n_rank;
    if (n_rank == 1) return n;
    if (scheduler_is("manager")) {
        if (deserter == 0) return 0; /* it has none of its own and goes on serving */
        if (n_rank <= 3 || settings.group > 0) return n; /* few workers */
        return n / (n_rank - 1) + 1;
    }
    return scheduler_is("counter") && n >= 16 * n_rank ? share / 2 + 1 : share;
}

TEST(a_rank_that_abandons_hangs_nobody_and_loses_only_its_own)
{
    const int n_rank = rank_count();
    const int n = light ? 40 : 300, most_after = light ? 1 : 3;
    struct hf_scheduler *scheduler = new_scheduler();
    int *times = malloc((size_t)(n + 1) * sizeof *times);
    for (int deserter = 0; deserter < n_rank; deserter += light ? n_rank - 1 : 1) {
        for (int after = 0; after <= most_after; after++) {
            run_round_deserted(scheduler, n, deserter, after, times);
            int n_lost = 0;
            for (int k = 0; k < n; k++) {
                assert_in_range(times[k], 0, 1);
                n_lost += times[k] == 0;
            }
            assert_in_range(n_lost, 0, most_lost(n, deserter));
            if (n_rank == 1) assert_int_equal(n_lost, n - after);
            run_round(scheduler, n, false, times); /* the next round is whole again */
            for (int k = 0; k < n; k++) assert_int_equal(times[k], 1);
        }
    }
    free(times);
    hf_scheduler_destroy(&scheduler);
}

/** Rounds of few tasks, one after the other, some with a rank that leaves. */
TEST(late_messages_change_nothing)
{
    enum { N_ROUND = 60, MOST = 200 };
    const int n_rank = rank_count(), n_round = light ? 6 : N_ROUND;
    int times[MOST + 1];
    struct hf_scheduler *scheduler = new_scheduler();
    shaken.state = (uint32_t)rank_here() + 1;
    shaken.on = !settings.progress_thread; /* whose calls are not the rank's */
    for (int round = 0; round < n_round; round++) {
        const int n = round % 3 == 0 ? round % (2 * n_rank + 1) : round * 3;
        if (round % 5 == 4) {
            run_round_deserted(scheduler, n, round % n_rank, round % 3, times);
        } else {
            run_round(scheduler, n, round % 2 == 0, times);
            for (int k = 0; k < n; k++) assert_int_equal(times[k], 1);
        }
    }
    shaken.on = false;
    hf_scheduler_destroy(&scheduler);
}

TEST(the_round_ends_when_all_ranks_abandon)
{
    struct hf_scheduler *scheduler = new_scheduler();
    open_equal_round(scheduler, 300);
    hf_scheduler_abandon(scheduler);
    hf_scheduler_finish(scheduler);
    assert_int_equal(hf_scheduler_account(scheduler).n_task, 0);
    hf_scheduler_destroy(&scheduler);
}

/** One round in which every task takes 20 ms on the rank `slow` and next to nothing on the others.
 *  Returns the number of tasks that rank did. */
static int64_t run_round_with_slow_rank(struct hf_scheduler *scheduler, int64_t n, int slow)
{
    const struct timespec task_time = {.tv_nsec = 20000000};
    open_equal_round(scheduler, n);
    while (hf_scheduler_next(scheduler) >= 0)
        if (rank_here() == slow) nanosleep(&task_time, NULL);
    hf_scheduler_finish(scheduler);
    int64_t n_slow = hf_scheduler_account(scheduler).n_task;
    MPI_Bcast(&n_slow, 1, MPI_INT64_T, slow, MPI_COMM_WORLD);
    return n_slow;
}

/** The least number of tasks that the slow rank did in a few rounds: in one round the others may have had no core. */
static int64_t least_of_slow_rank(struct hf_scheduler *scheduler, int64_t n, int slow,
                                  int64_t enough)
{
    int64_t least = INT64_MAX;
    for (int k = 0; k < 5 && least > enough; k++) {
        const int64_t n_slow = run_round_with_slow_rank(scheduler, n, slow);
        if (n_slow < least) least = n_slow;
    }
    return least;
}

/** A manager has no tasks, and with two ranks all are the other's. A counter on a rank that is slow
 * to come back to MPI needs the thread. */
TEST(the_others_do_the_work_of_a_slow_rank)
{
    const int n_rank = rank_count();
    const int64_t n = (int64_t)n_rank * 40;
    if (scheduler_is("static") || n_rank == 1 || light) return;
    if (scheduler_is("manager") && n_rank == 2) return;
    struct hf_scheduler *scheduler = new_scheduler();
    const int64_t most = scheduler_is("manager") ? 41 : 21; /* half a share, of fewer workers */
    assert_in_range(least_of_slow_rank(scheduler, n, n_rank - 1, most), 0, most);
    if (scheduler_is("steal") || settings.progress_thread)
        assert_in_range(least_of_slow_rank(scheduler, n, 0, most), 0, most);
    hf_scheduler_destroy(&scheduler);
}

/** The account splits the time of a round into computing, waiting for tasks, waiting for ranks. */
TEST(the_account_adds_up_to_the_time_of_the_round)
{
    enum { N = 60 };
    const struct timespec task_time = {.tv_nsec = 1000000};
    struct hf_scheduler *scheduler = new_scheduler();
    double busy = 0.0;
    open_equal_round(scheduler, N);
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

TEST(an_unknown_name_is_the_same_error_on_all_ranks)
{
    struct hf_scheduler *scheduler = NULL;
    struct hf_error first;
    const struct hf_scheduler_settings wrong = {.name = "manger"};
    assert_int_equal(hf_scheduler_create(MPI_COMM_WORLD, &wrong, &scheduler, &error), HF_BAD_INPUT);
    assert_null(scheduler);
    assert_non_null(strstr(error.message, "'manager'"));
    first = error;
    MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(error.message, first.message);
}

int main(int argc, char **argv)
{
    const bool counter = strncmp(argv[1], "counter", strlen("counter")) == 0;
    const bool manager = strncmp(argv[1], "manager", strlen("manager")) == 0;
    light = argc > 2 && strcmp(argv[2], "light") == 0;
    settings = (struct hf_scheduler_settings){
        .name = counter   ? "counter"
                : manager ? "manager"
                          : argv[1],
        .counter = strstr(argv[1], "-array") != NULL ? HF_COUNTER_ARRAY : HF_COUNTER_FETCH_AND_OP,
        .progress_thread = strstr(argv[1], "-progress") != NULL,
        .group = strstr(argv[1], "-groups") != NULL ? 2 : 0,
    };
    HF_RUN_MPI_TESTS(argc, argv, false);
}
