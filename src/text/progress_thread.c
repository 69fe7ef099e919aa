/* A thread that keeps MPI's progress going while its rank computes. */
#include "text/progress.h"

#include "base/arena.h"
#include "base/threads.h"
#include "hf/context.h"
#include "hf/timer.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>

/** The thread naps, then looks for so long that a rank that waits can send the next message of its
 * exchange: a counter read through an array takes four. It does not wait in a blocking call: under
 * MPICH that answers in 6 microseconds (median) but takes half of the core from the computing
 * thread, and with yielding in between the answer takes milliseconds. A waking costs some 13
 * microseconds on a virtual machine, so that naps of 50 take up to a fifth of a core and shorter
 * ones more. */
static const long NAP_NS = 50000;
static const double LOOK_SECONDS = 4e-6;

struct hf_progress_thread {
    struct hf_arena arena;
    MPI_Comm comm; /**< a duplicate, owned */
    pthread_t thread;
    pthread_mutex_t mutex; /**< guards what follows */
    pthread_cond_t changed;
    bool resting, stop;
    bool has_thread;
};

/** Sleeps while the thread is to rest. True: the end. */
static bool park(struct hf_progress_thread *self)
{
    pthread_mutex_lock(&self->mutex);
    while (self->resting && !self->stop) pthread_cond_wait(&self->changed, &self->mutex);
    const bool stop = self->stop;
    pthread_mutex_unlock(&self->mutex);
    return stop;
}

/** Tests repeatedly for a message that is sent at the end only. A test of a receive that
 * is not complete makes progress everywhere; MPICH's probe does not when the communicator has one
 *  rank. */
static void *serve(void *argument)
{
    struct hf_progress_thread *self = argument;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    int rank, arrived;
    MPI_Request receive;
    MPI_Comm_rank(self->comm, &rank);
    MPI_Irecv(NULL, 0, MPI_BYTE, rank, 0, self->comm, &receive);
    prctl(PR_SET_TIMERSLACK, 1000UL); /* of this thread: naps as long as they are meant to be */
    while (!park(self)) {
        const double start = hf_wall_seconds();
        do {
            MPI_Test(&receive, &arrived, MPI_STATUS_IGNORE);
        } while (hf_wall_seconds() - start < LOOK_SECONDS);
        nanosleep(&nap, NULL);
    }
    MPI_Send(NULL, 0, MPI_BYTE, rank, 0, self->comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    return NULL;
}

/** Ends the thread if there is one and frees everything; also after a failed start. */
static void destroy(struct hf_progress_thread *self)
{
    if (self->has_thread) {
        pthread_mutex_lock(&self->mutex);
        self->stop = true;
        pthread_cond_signal(&self->changed);
        pthread_mutex_unlock(&self->mutex);
        pthread_join(self->thread, NULL);
    }
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    if (self->comm != MPI_COMM_NULL) MPI_Comm_free(&self->comm);
    hf_arena_free(&self);
}

hf_status hf_progress_thread_start(MPI_Comm comm, struct hf_progress_thread **thread,
                                   struct hf_error *error)
{
    hf_status status;
    struct hf_progress_thread *made;
    if (HF_NEW(made, NULL, "a progress thread") != NULL) {
        made->comm = MPI_COMM_NULL;
        pthread_mutex_init(&made->mutex, NULL);
        pthread_cond_init(&made->changed, NULL);
    }
    if (!hf_mpi_takes_threads())
        status = hf_fail(error, HF_NO_RESOURCE,
                         "a progress thread needs MPI_THREAD_MULTIPLE, which MPI does not grant");
    else
        status = hf_arena_check_new(made, error);
    HF_TRY(hf_agree(comm, status, error));
    MPI_Comm_dup(comm, &made->comm);
    made->has_thread = pthread_create(&made->thread, NULL, serve, made) == 0;
    if (!made->has_thread)
        status = hf_fail(error, HF_NO_RESOURCE, "cannot start a progress thread");
    HF_TRY(hf_agree(comm, status, error));
    *thread = made;
    return HF_OK;
cleanup:
    if (made != NULL) destroy(made);
    return status;
}

void hf_progress_thread_stop(struct hf_progress_thread **thread)
{
    if (*thread != NULL) destroy(*thread);
    *thread = NULL;
}

void hf_progress_thread_rest(struct hf_progress_thread *thread, bool resting)
{
    if (thread == NULL) return;
    pthread_mutex_lock(&thread->mutex);
    thread->resting = resting;
    pthread_cond_signal(&thread->changed);
    pthread_mutex_unlock(&thread->mutex);
}
