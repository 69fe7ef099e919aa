/* Start-up test of a transport. One-sided calls of MPI libraries have given wrong sums and have
 * hung; a run that would take days had better know at once. */
#include "onesided_private.h"

#include "hf/context.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N_BLOCK = 136, BLOCK_SIZE = 9, N_ROUND = 4 };

/** A test under way. It outlives the call when it never comes back. */
struct self_test {
    struct hf_context *context; /**< its own, over a communicator of its own */
    const struct hf_transport_ops *transport;
    enum hf_accumulate accumulate;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool done;
    hf_status status;
    struct hf_error error;
};

/** Blocks go round the ranks. */
static struct hf_window_range block_of(int k, int n_rank)
{
    return (struct hf_window_range){
        .rank = k % n_rank, .offset = (size_t)(k / n_rank) * BLOCK_SIZE, .n = BLOCK_SIZE};
}

/** Every rank adds to the blocks rank and rank + 1 (modulo their number), several times: small
 * whole numbers, so that sums are exact in any order. */
static void add_to_blocks(struct hf_window *window, int rank, int n_rank)
{
    for (int round = 0; round < N_ROUND; round++) {
        for (int next = 0; next < 2; next++) {
            double value[BLOCK_SIZE];
            for (int e = 0; e < BLOCK_SIZE; e++) value[e] = 1.0 + e + next;
            hf_window_accumulate(window, block_of((rank + next) % N_BLOCK, n_rank), value);
        }
    }
}

/** What block k must hold then: element e. */
static double expected(int k, int n_rank, int e)
{
    double sum = 0.0;
    for (int next = 0; next < 2; next++) {
        const int first = (k - next + N_BLOCK) % N_BLOCK;
        const int n = first < n_rank ? (n_rank - first - 1) / N_BLOCK + 1 : 0;
        sum += (double)N_ROUND * n * (1.0 + e + next);
    }
    return sum;
}

/** Gets the blocks that this rank and the next ones added to, all at a time. */
static hf_status check_blocks(struct hf_window *window, int rank, int n_rank,
                              struct hf_error *error)
{
    enum { N_CHECK = 8 };
    double value[N_CHECK][BLOCK_SIZE];
    struct hf_window_request request[N_CHECK];
    hf_status status = HF_OK;
    for (int c = 0; c < N_CHECK; c++)
        hf_window_begin_get(window, block_of((rank + c) % N_BLOCK, n_rank), value[c], &request[c]);
    for (int c = 0; c < N_CHECK; c++) {
        hf_window_end_get(window, &request[c]);
        for (int e = 0; e < BLOCK_SIZE && status == HF_OK; e++)
            if (value[c][e] != expected((rank + c) % N_BLOCK, n_rank, e))
                status = hf_fail(error, HF_NO_RESOURCE,
                                 "its self-test got a wrong sum, %g instead of %g", value[c][e],
                                 expected((rank + c) % N_BLOCK, n_rank, e));
    }
    return status;
}

static hf_status test_transport(struct self_test *test, struct hf_error *error)
{
    struct hf_context *context = test->context;
    const int rank = context->rank, n_rank = context->n_rank;
    struct hf_onesided *onesided = NULL;
    struct hf_window *window = NULL;
    hf_status status;
    HF_TRY(hf_transport_open(context, test->transport, test->accumulate, &onesided, error));
    HF_TRY(hf_window_create(onesided, (N_BLOCK / (size_t)n_rank + 1) * BLOCK_SIZE, "self-test",
                            &window, error));
    hf_window_fence(window);
    add_to_blocks(window, rank, n_rank);
    hf_window_fence(window);
    status = check_blocks(window, rank, n_rank, error);
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

/** Waits for the end of the test until `seconds` have passed; whether it came. */
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

/** Runs the test in a thread of its own and leaves it there when it does not come back: other
 *  threads may go on using MPI. Needs MPI_THREAD_MULTIPLE. */
static hf_status run_aside(struct self_test *test, double seconds, bool *hangs,
                           struct hf_error *error)
{
    pthread_t thread;
    *hangs = false;
    if (pthread_create(&thread, NULL, run_test, test) != 0) {
        run_test(test); /* the others are at it and wait */
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

/** Watches over a test in the main thread; ends the process, and with it the job, when it hangs.
 *  Only plain calls: MPI may not be entered here. */
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

/** Without MPI_THREAD_MULTIPLE nobody could go on beside a test that hangs. */
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
    hf_status status = HF_OK;
    struct self_test *made = calloc(1, sizeof *made);
    if (made == NULL) {
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a self-test");
    } else {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_mutex_init(&made->mutex, NULL);
        pthread_cond_init(&made->ended, &monotonic);
        pthread_condattr_destroy(&monotonic);
        made->transport = transport;
        made->accumulate = accumulate;
    }
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_context_create(context->comm, &made->context, error));
    *test = made;
    return HF_OK;
cleanup:
    free(made);
    return status;
}

static void destroy_test(struct self_test *test)
{
    hf_context_destroy(&test->context);
    pthread_mutex_destroy(&test->mutex);
    pthread_cond_destroy(&test->ended);
    free(test);
}

hf_status hf_transport_self_test(struct hf_context *context,
                                 const struct hf_transport_ops *transport,
                                 enum hf_accumulate accumulate, double seconds,
                                 struct hf_error *error)
{
    struct self_test *test;
    hf_status status;
    bool hangs = false;
    int level, any_hangs;
    HF_TRY(create_test(context, transport, accumulate, &test, error));
    MPI_Query_thread(&level);
    status = level >= MPI_THREAD_MULTIPLE ? run_aside(test, seconds, &hangs, error)
                                          : run_watched(test, seconds, error);
    status = hf_agree(context->comm, status, error);
    any_hangs = hangs;
    MPI_Allreduce(MPI_IN_PLACE, &any_hangs, 1, MPI_INT, MPI_MAX, context->comm);
    if (any_hangs)
        context->stuck_in_mpi = true; /* what the test holds is lost: its thread may still use it */
    else
        destroy_test(test);
cleanup:
    return status;
}
