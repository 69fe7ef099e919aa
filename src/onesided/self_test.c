/* Start-up test of a transport: one-sided calls of some MPI libraries gave wrong sums or hung. A long run must
 * find that out at once. */
#include "onesided_private.h"

#include "base/threads.h"
#include "hf/context.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/** Block sizes, in numbers of 8 bytes, and rounds. Libraries send short messages at once, longer ones after a
 *  handshake, long ones in pieces (MPICH: 256 KiB); errors were seen in one of these kinds only. More rounds
 *  would delay short runs. */
static const struct block {
    int size, n_round;
} blocks[] = {{1, 8}, {9, 8}, {512, 4}, {8192, 1}, {49152, 1}};

/** Number of ranks that every rank adds to: itself, the next one, mostly on its node, and one half way round,
 *  mostly on another node. */
enum { N_BLOCK = sizeof blocks / sizeof *blocks, N_PARTNER = 3, LARGEST = 49152 };

/** A test under way. It outlives the call if it hangs. */
struct self_test {
    struct hf_arena arena;
    struct hf_context *context; /**< owned, with its own communicator */
    const struct hf_transport_ops *transport;
    enum hf_accumulate accumulate;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool done;
    hf_status status;
    struct hf_error error;
};

/** How far from a rank its partner k is. */
static int distance(int k, int n_rank)
{
    return (k == 0 ? 0 : k == 1 ? 1 : n_rank / 2) % n_rank;
}

/** Ranges of one block overlap: that of partner k begins a quarter of the block after that of k - 1. */
static size_t shift(int b, int k)
{
    return (size_t)(k * blocks[b].size / 4);
}

/** Where the part of the window for block b begins; b = N_BLOCK: the end. */
static size_t place(int b)
{
    size_t at = 0;
    for (int before = 0; before < b; before++)
        at += (size_t)blocks[before].size + shift(before, N_PARTNER - 1);
    return at;
}

/** What a rank adds to number e of a block each time: small whole numbers, so that sums are exact in
 *  any order. */
static double addend(int rank, int e)
{
    return 1.0 + rank % 13 + (e & 7);
}

static struct hf_window_range range_of(int b, int k, int rank, int n_rank)
{
    return (struct hf_window_range){.rank = (rank + distance(k, n_rank)) % n_rank,
                                    .offset = place(b) + shift(b, k),
                                    .n = (size_t)blocks[b].size};
}

/** Adds all blocks to all partners; the ranges of one block take turns. `value` [LARGEST]. */
static void add_to_partners(struct hf_window *window, int rank, int n_rank, double value[])
{
    for (int e = 0; e < LARGEST; e++) value[e] = addend(rank, e);
    for (int b = 0; b < N_BLOCK; b++)
        for (int round = 0; round < blocks[b].n_round; round++)
            for (int k = 0; k < N_PARTNER; k++)
                hf_window_accumulate(window, range_of(b, k, rank, n_rank), value);
}

/** Subtracts what each rank added to a range of block b of partner k from the numbers there: the results must
 *  be zero. */
static hf_status check_range(int b, int k, struct hf_window_range range, int n_rank, double value[],
                             struct hf_error *error)
{
    const int size = blocks[b].size, n_round = blocks[b].n_round;
    for (int other = 0; other < N_PARTNER; other++) {
        const int from = (range.rank - distance(other, n_rank) + n_rank) % n_rank;
        const int ahead = (int)shift(b, other) - (int)shift(b, k); /* of its range */
        const int begin = ahead > 0 ? ahead : 0, end = ahead < 0 ? size + ahead : size;
        for (int e = begin; e < end; e++) value[e] -= n_round * addend(from, e - ahead);
    }
    for (int e = 0; e < size; e++)
        if (value[e] != 0.0)
            return hf_fail(error, HF_NO_RESOURCE,
                           "its self-test got a wrong sum, by %g in a block of %zu bytes", value[e],
                           range.n * sizeof *value);
    return HF_OK;
}

/** Gets and checks the ranges that this rank added to, those of all partners at a time. `value` [N_PARTNER *
 *  LARGEST]. */
static hf_status check_partners(struct hf_window *window, int rank, int n_rank, double value[],
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int b = 0; b < N_BLOCK; b++) {
        struct hf_window_request request[N_PARTNER];
        for (int k = 0; k < N_PARTNER; k++)
            hf_window_begin_get(window, range_of(b, k, rank, n_rank), value + (size_t)k * LARGEST,
                                &request[k]);
        for (int k = 0; k < N_PARTNER; k++) {
            hf_window_end_get(window, &request[k]);
            if (status == HF_OK)
                status = check_range(b, k, range_of(b, k, rank, n_rank), n_rank,
                                     value + (size_t)k * LARGEST, error);
        }
    }
    return status;
}

static hf_status test_transport(struct self_test *test, struct hf_error *error)
{
    struct hf_context *context = test->context;
    const int rank = context->rank, n_rank = context->n_rank;
    struct hf_onesided *onesided = NULL;
    struct hf_window *window = NULL;
    double *value = HF_TAKE(&test->arena, value, (size_t)N_PARTNER * LARGEST);
    hf_status status;
    HF_TRY(hf_agree(context->comm, hf_arena_check(&test->arena, error), error));
    HF_TRY(hf_transport_open(context, test->transport, test->accumulate, &onesided, error));
    HF_TRY(hf_window_create(onesided, place(N_BLOCK), "self-test", &window, error));
    hf_window_fence(window);
    add_to_partners(window, rank, n_rank, value);
    hf_window_fence(window);
    status = check_partners(window, rank, n_rank, value, error);
    status = hf_agree(context->comm, status, error);
cleanup:
    if (window != NULL) hf_window_destroy(&window);
    if (onesided != NULL) hf_onesided_destroy(&onesided);
    return status;
}

static void *run_test(void *argument)
{
    struct self_test *test = argument;
    struct hf_error error = {0};
    const hf_status status = test_transport(test, &error);
    pthread_mutex_lock(&test->mutex);
    test->status = status;
    test->error = error;
    test->done = true;
    pthread_cond_signal(&test->ended);
    pthread_mutex_unlock(&test->mutex);
    return NULL;
}

/** Waits at most `seconds` for the end of the test; returns whether it ended. */
static bool wait_for_end(struct self_test *test, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&test->mutex);
    int waited = 0;
    while (!test->done && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&test->ended, &test->mutex, &until);
    const bool done = test->done;
    pthread_mutex_unlock(&test->mutex);
    return done;
}

/** Runs the test in a new thread, which is left behind if it hangs: other threads may still use MPI. Needs
 *  MPI_THREAD_MULTIPLE. */
static hf_status run_aside(struct self_test *test, double seconds, bool *hangs,
                           struct hf_error *error)
{
    pthread_t thread;
    *hangs = false;
    if (pthread_create(&thread, NULL, run_test, test) != 0) {
        run_test(test); /* other ranks wait for this one */
        return test->status;
    }
    if (wait_for_end(test, seconds)) {
        pthread_join(thread, NULL);
        if (error != NULL) *error = test->error;
        return test->status;
    }
    *hangs = true;
    pthread_detach(thread);
    return hf_fail(error, HF_NO_RESOURCE, "its self-test did not end within %g seconds", seconds);
}

/** Watches a test in the main thread; ends the process, and with it the job, if the test hangs. Must not call
 *  MPI. */
struct watchdog {
    struct self_test *test;
    double seconds;
};

static void *watch(void *argument)
{
    const struct watchdog *dog = argument;
    if (!wait_for_end(dog->test, dog->seconds)) {
        fprintf(stderr,
                "hf: one-sided communication '%s' hangs in this MPI library; choose the other "
                "transport, or 'fock replicated'\n",
                dog->test->transport->name);
        fflush(NULL);
        _exit(HF_NO_RESOURCE);
    }
    return NULL;
}

/** Runs the test in the main thread: without MPI_THREAD_MULTIPLE no other thread could use MPI while it hangs. */
static hf_status run_watched(struct self_test *test, double seconds, struct hf_error *error)
{
    struct watchdog dog = {test, seconds};
    pthread_t thread;
    const bool watched = pthread_create(&thread, NULL, watch, &dog) == 0;
    run_test(test);
    if (watched) pthread_join(thread, NULL);
    if (error != NULL) *error = test->error;
    return test->status;
}

static hf_status create_test(struct hf_context *context, const struct hf_transport_ops *transport,
                             enum hf_accumulate accumulate, struct self_test **test,
                             struct hf_error *error)
{
    hf_status status;
    struct self_test *made = HF_NEW(made, NULL, "a self-test");
    if (made != NULL) {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_mutex_init(&made->mutex, NULL);
        pthread_cond_init(&made->ended, &monotonic);
        pthread_condattr_destroy(&monotonic);
        made->transport = transport;
        made->accumulate = accumulate;
    }
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    HF_TRY(hf_context_create(context->comm, &made->context, error));
    *test = made;
    return HF_OK;
cleanup:
    hf_arena_free(&made);
    return status;
}

hf_status hf_transport_self_test(struct hf_context *context,
                                 const struct hf_transport_ops *transport,
                                 enum hf_accumulate accumulate, double seconds,
                                 struct hf_error *error)
{
    struct self_test *test;
    hf_status status;
    bool hangs = false;
    int any_hangs;
    HF_TRY(create_test(context, transport, accumulate, &test, error));
    status = hf_mpi_takes_threads() ? run_aside(test, seconds, &hangs, error)
                                    : run_watched(test, seconds, error);
    status = hf_agree(context->comm, status, error);
    any_hangs = hangs;
    MPI_Allreduce(MPI_IN_PLACE, &any_hangs, 1, MPI_INT, MPI_MAX, context->comm);
    context->stuck_in_mpi = context->stuck_in_mpi || any_hangs;
    if (any_hangs) return status; /* the thread of the test may still use its memory */
    hf_context_destroy(&test->context);
    pthread_mutex_destroy(&test->mutex);
    pthread_cond_destroy(&test->ended);
    hf_arena_free(&test);
cleanup:
    return status;
}
