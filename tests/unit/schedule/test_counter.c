/* The shared counter by itself: argv[1] is the way it is read, "fetch-and-op" or "array"; argv[2]
 * is "thread" when rank 0 has a progress thread; argv[3] "light" for few reads. */
#include "../mpi_test.h"

#include "hf/timer.h"
#include "schedule/counter.h"
#include "schedule/schedule.h"
#include "text/progress.h"

#include <stdatomic.h>

static enum hf_counter_method method;
static bool with_thread, light;

/** MPI that grants less than was asked for. */
static bool no_threads;

int MPI_Query_thread(int *level)
{
    if (!no_threads) return PMPI_Query_thread(level);
    *level = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

static struct hf_counter *new_counter(void)
{
    struct hf_counter *counter = NULL;
    assert_ok(hf_counter_create(MPI_COMM_WORLD, method, 1, &counter, &error));
    return counter;
}

/** A thread on rank 0, if there are to be any; NULL elsewhere. */
static struct hf_progress_thread *new_thread(void)
{
    struct hf_progress_thread *thread = NULL;
    if (with_thread && rank_here() == 0)
        assert_ok(hf_progress_thread_start(MPI_COMM_SELF, &thread, &error));
    return thread;
}

/** Every rank takes `n_take` times; that the numbers taken are 0 .. sum-1, each by one rank, is
 *  checked on all ranks. `increment` is this rank's. */
static void take_and_check(struct hf_counter *counter, int n_take, int increment)
{
    int sum = n_take * increment;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int *times = calloc((size_t)sum + 1, sizeof *times);
    int64_t last = -1;
    for (int k = 0; k < n_take; k++) {
        const int64_t value = hf_counter_take(counter, 0, increment);
        assert_true(value > last && value <= sum - increment);
        for (int i = 0; i < increment; i++) times[value + i]++;
        last = value;
    }
    MPI_Allreduce(MPI_IN_PLACE, times, sum + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < sum; i++) assert_int_equal(times[i], 1);
    assert_int_equal(hf_counter_take(counter, 0, 0), sum);
    free(times);
    MPI_Barrier(MPI_COMM_WORLD); /* all have seen the sum */
}

TEST(every_value_is_given_exactly_once)
{
    struct hf_progress_thread *thread = new_thread();
    struct hf_counter *counter = new_counter();
    take_and_check(counter, (light ? 200 : 20000) / rank_count(), 1);
    hf_counter_destroy(&counter);
    assert_null(counter);
    hf_counter_destroy(&counter);
    hf_progress_thread_stop(&thread);
    assert_null(thread);
    hf_progress_thread_stop(&thread);
}

TEST(ranks_may_add_different_increments)
{
    struct hf_progress_thread *thread = new_thread();
    struct hf_counter *counter = new_counter();
    take_and_check(counter, (light ? 100 : 10000) / rank_count(), 1 + rank_here() % 5);
    hf_counter_destroy(&counter);
    hf_progress_thread_stop(&thread);
}

TEST(a_reset_counter_begins_again)
{
    struct hf_progress_thread *thread = new_thread();
    struct hf_counter *counter = new_counter();
    assert_int_equal(hf_counter_take(counter, 0, 0), 0);
    hf_counter_reset(counter); /* a fresh one */
    for (int round = 0; round < 5; round++) {
        take_and_check(counter, 3 + round % 3, 1 + round % 2);
        hf_counter_reset(counter);
        if (round % 4 == 0) hf_counter_reset(counter);
    }
    if (rank_here() == rank_count() - 1) hf_counter_take(counter, 0, 5); /* one rank alone */
    hf_counter_reset(counter);
    assert_int_equal(hf_counter_take(counter, 0, 0), 0);
    hf_counter_destroy(&counter);
    hf_progress_thread_stop(&thread);
}

TEST(two_counters_count_by_themselves)
{
    struct hf_progress_thread *thread = new_thread();
    struct hf_counter *one = new_counter(), *other = new_counter();
    take_and_check(one, 5, 1);
    take_and_check(other, 10, 2);
    hf_counter_reset(one);
    assert_int_equal(hf_counter_take(other, 0, 0), 20 * rank_count());
    assert_int_equal(hf_counter_take(one, 0, 0), 0);
    hf_counter_destroy(&one);
    hf_counter_destroy(&other);
    hf_progress_thread_stop(&thread);
}

/** Rank 0 computes, outside of MPI, until all other ranks have read the counter: shared memory tells it. */
static void read_while_rank_0_computes(struct hf_counter *counter)
{
    enum { N = 3, MOST_SECONDS = 100 };
    atomic_int *n_done = NULL;
    MPI_Win window;
    MPI_Aint n_byte = rank_here() == 0 ? (MPI_Aint)sizeof *n_done : 0;
    MPI_Win_allocate_shared(n_byte, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &n_done, &window);
    MPI_Win_shared_query(window, 0, &n_byte, &(int){0}, &n_done);
    if (rank_here() == 0) atomic_init(n_done, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = hf_wall_seconds();
    for (int k = 0; rank_here() != 0 && k < N; k++) hf_counter_take(counter, 0, 1);
    if (rank_here() != 0) atomic_fetch_add(n_done, 1);
    while (rank_here() == 0 && atomic_load(n_done) < rank_count() - 1)
        assert_true(hf_wall_seconds() - start < MOST_SECONDS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

TEST(the_thread_serves_while_its_rank_computes)
{
    if (!with_thread || rank_count() == 1) return;
    struct hf_progress_thread *thread = new_thread();
    struct hf_counter *counter = new_counter();
    read_while_rank_0_computes(counter);
    hf_progress_thread_rest(thread, true);
    hf_progress_thread_rest(thread, true);
    hf_counter_reset(counter);
    take_and_check(counter, 3, 1);
    hf_progress_thread_rest(thread, false);
    read_while_rank_0_computes(counter);
    hf_progress_thread_rest(thread, true);
    hf_progress_thread_stop(&thread); /* out of its sleep */
    hf_counter_destroy(&counter);
}

static void check_same_message(const struct hf_error *failure)
{
    struct hf_error first = *failure;
    MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(failure->message, first.message);
    assert_non_null(strstr(failure->message, "MPI_THREAD_MULTIPLE"));
}

TEST(without_thread_support_all_ranks_hear_of_it)
{
    struct hf_progress_thread *thread = NULL;
    no_threads = rank_here() == 0;
    assert_int_equal(hf_progress_thread_start(MPI_COMM_WORLD, &thread, &error), HF_NO_RESOURCE);
    assert_null(thread);
    check_same_message(&error);
    no_threads = false;
}

TEST(a_thread_on_every_rank_does_no_harm)
{
    struct hf_progress_thread *thread = NULL;
    assert_ok(hf_progress_thread_start(MPI_COMM_WORLD, &thread, &error));
    struct hf_counter *counter = new_counter();
    take_and_check(counter, 20, 1);
    hf_counter_destroy(&counter);
    hf_progress_thread_stop(&thread);
}

int main(int argc, char **argv)
{
    method = strcmp(argv[1], "array") == 0 ? HF_COUNTER_ARRAY : HF_COUNTER_FETCH_AND_OP;
    with_thread = argc > 2 && strcmp(argv[2], "thread") == 0;
    light = argc > 3;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
