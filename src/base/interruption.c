/* Checks for requests to stop (time limit, callback) and passes them to all ranks. */
#include "hf/interruption.h"

#include "base/threads.h"
#include "hf/timer.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** Tag of messages in the communicator of the context; no other message there uses it. */
enum { TAG = 32001 };

struct hf_interruption {
    MPI_Comm comm; /**< borrowed; MPI_COMM_NULL: one rank only */
    int rank, n_rank;
    bool any_thread;    /**< MPI_THREAD_MULTIPLE */
    _Atomic int reason; /**< 0: go on */
    _Atomic double next_look;
    _Atomic double fraction;
    pthread_mutex_t lock; /**< protects the members below */
    int (*asked)(void *data, double fraction);
    void *data;
    void (*stopped)(void);
    double deadline, reserved;
    bool told;      /**< this rank has sent its message */
    int message;    /**< the message; must not change until it has arrived */
    int n_received; /**< messages from others */
    struct hf_count count;
    int first_counted; /**< number of the first piece */
    /** wall seconds: start of the count; last change of `number` */
    double count_started, last_step;
};

hf_status hf_interruption_create(struct hf_interruption **interruption, struct hf_error *error)
{
    struct hf_interruption *made = *interruption = calloc(1, sizeof *made);
    if (made == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory at start-up");
    made->deadline = INFINITY;
    made->comm = MPI_COMM_NULL;
    pthread_mutex_init(&made->lock, NULL);
    return HF_OK;
}

void hf_interruption_connect(struct hf_interruption *interruption, MPI_Comm comm)
{
    MPI_Comm_rank(comm, &interruption->rank);
    MPI_Comm_size(comm, &interruption->n_rank);
    interruption->any_thread = hf_mpi_takes_threads();
    if (interruption->n_rank > 1) interruption->comm = comm;
}

void hf_interruption_watch(struct hf_interruption *interruption,
                           int (*asked)(void *data, double fraction), void *data)
{
    interruption->asked = asked;
    interruption->data = data;
}

void hf_interruption_set_stopped(struct hf_interruption *interruption, void (*stopped)(void))
{
    interruption->stopped = stopped;
}

void hf_interruption_set_deadline(struct hf_interruption *interruption, double wall_seconds)
{
    interruption->deadline = wall_seconds;
}

void hf_interruption_reserve(struct hf_interruption *interruption, double seconds)
{
    interruption->reserved = seconds;
}

void hf_interruption_begin(struct hf_interruption *interruption)
{
    atomic_store_explicit(&interruption->next_look, 0.0, memory_order_relaxed);
    hf_interruption_set_fraction(interruption, 0.0);
}

void hf_interruption_set_fraction(struct hf_interruption *interruption, double fraction)
{
    atomic_store_explicit(&interruption->fraction, fraction, memory_order_relaxed);
}

void hf_interruption_count(struct hf_interruption *self, const char *unit, int number, int n)
{
    const double now = hf_wall_seconds();
    if (self->count.unit == NULL || unit == NULL || strcmp(unit, self->count.unit) != 0) {
        self->first_counted = number;
        self->count_started = now;
    }
    self->last_step = now;
    self->count = (struct hf_count){.unit = unit, .number = number, .n = n};
}

struct hf_count hf_interruption_counted(const struct hf_interruption *self)
{
    struct hf_count count = self->count;
    const int n_done = count.number - self->first_counted;
    const double since = hf_wall_seconds() - self->last_step;
    count.seconds_left = -1.0;
    if (n_done > 0 && count.n > 0)
        count.seconds_left = fmax(0.0, (self->last_step - self->count_started) / n_done *
                                               (count.n - count.number + 1) -
                                           since);
    return count;
}

/** Rank 0 sends to all ranks, other ranks send to rank 0. Does not wait, because a receiver may be outside MPI for
 *  long. */
static void tell(struct hf_interruption *self, int reason)
{
    const int begin = self->rank == 0 ? 1 : 0, end = self->rank == 0 ? self->n_rank : 1;
    self->told = true;
    self->message = reason;
    for (int r = begin; r < end; r++) {
        MPI_Request request;
        MPI_Isend(&self->message, 1, MPI_INT, r, TAG, self->comm, &request);
        MPI_Request_free(&request);
    }
}

static int receive(struct hf_interruption *self, int source)
{
    int reason;
    MPI_Recv(&reason, 1, MPI_INT, source, TAG, self->comm, MPI_STATUS_IGNORE);
    self->n_received++;
    return reason;
}

/** The reason that another rank has sent; 0: no message. */
static int hear(struct hf_interruption *self)
{
    MPI_Status from;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, self->comm, &there, &from);
    return there ? receive(self, from.MPI_SOURCE) : 0;
}

/** Calls the callback, then checks the clock and the messages of other ranks. The lock is held. */
static int ask(struct hf_interruption *self, bool alone, double now)
{
    const bool communicates = self->comm != MPI_COMM_NULL && (alone || self->any_thread);
    int reason = atomic_load(&self->reason);
    if (reason == 0 && self->asked != NULL)
        reason = self->asked(self->data, atomic_load(&self->fraction));
    if (reason == 0 && now >= self->deadline - self->reserved) reason = HF_TIME_IS_UP;
    if (reason == 0 && communicates) reason = hear(self);
    if (reason != 0 && communicates && !self->told) tell(self, reason);
    atomic_store(&self->reason, reason);
    return reason;
}

int hf_interruption_look(struct hf_interruption *self, bool alone)
{
    if (self == NULL) return 0;
    int reason = atomic_load_explicit(&self->reason, memory_order_relaxed);
    const double now = hf_wall_seconds();
    if (now < atomic_load_explicit(&self->next_look, memory_order_relaxed)) return reason;
    if (pthread_mutex_trylock(&self->lock) != 0) return reason; /* another thread is asking */
    atomic_store_explicit(&self->next_look, now + HF_LOOK_SECONDS, memory_order_relaxed);
    reason = ask(self, alone, now);
    pthread_mutex_unlock(&self->lock);
    return reason;
}

void hf_interruption_settle(struct hf_interruption *self)
{
    const int n_expected = self->rank == 0 ? self->n_rank - 1 : 1;
    if (self->stopped != NULL) self->stopped();
    if (self->comm != MPI_COMM_NULL) {
        if (!self->told) tell(self, atomic_load(&self->reason));
        while (self->n_received < n_expected) receive(self, MPI_ANY_SOURCE);
        MPI_Barrier(self->comm); /* all messages have arrived, and no rank sends new ones */
    }
    self->n_received = 0;
    self->told = false;
    atomic_store(&self->reason, 0);
}

int hf_interruption_ask(struct hf_interruption *self)
{
    pthread_mutex_lock(&self->lock);
    const int reason = ask(self, true, hf_wall_seconds());
    pthread_mutex_unlock(&self->lock);
    return reason;
}

void hf_interruption_destroy(struct hf_interruption **interruption)
{
    struct hf_interruption *old = interruption != NULL ? *interruption : NULL;
    if (old == NULL) return;
    if (old->comm != MPI_COMM_NULL) {
        int unsettled = old->told || old->n_received > 0;
        MPI_Allreduce(MPI_IN_PLACE, &unsettled, 1, MPI_INT, MPI_MAX, old->comm);
        if (unsettled) hf_interruption_settle(old);
    }
    pthread_mutex_destroy(&old->lock);
    free(old);
    *interruption = NULL;
}
