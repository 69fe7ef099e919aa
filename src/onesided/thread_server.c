/* Serving requests for the windows of a rank, and the communication thread that does so. */
#include "thread_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/** Naps between looks, in nanoseconds. Each look takes the compute thread's core for some microseconds. So naps
 *  are longer while the compute thread serves, and grow while no requests come. */
enum { SHORTEST_NAP = 20000, LONGEST_NAP = 160000, NAP_WHILE_VISITED = 2000000 };

void *hf_thread_allocate(const struct hf_thread_transport *self, size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory != NULL) return memory;
    fprintf(stderr, "hf: out of memory for a message of %zu bytes\n", bytes);
    MPI_Abort(self->requests, HF_NO_RESOURCE);
    abort();
}

void hf_thread_finish_replies(struct hf_thread_transport *self)
{
    for (int k = 0; k < self->n_reply; k++) MPI_Wait(&self->reply[k], MPI_STATUS_IGNORE);
    self->n_reply = 0;
}

/** Room for one more reply. */
static MPI_Request *new_reply(struct hf_thread_transport *self)
{
    int done, n_left = 0;
    if (self->n_reply == HF_MOST_REPLIES) {
        MPI_Waitany(self->n_reply, self->reply, &done, MPI_STATUS_IGNORE);
        for (int k = 0; k < self->n_reply; k++) {
            if (self->reply[k] != MPI_REQUEST_NULL)
                MPI_Test(&self->reply[k], &done, MPI_STATUS_IGNORE);
            if (self->reply[k] != MPI_REQUEST_NULL) self->reply[n_left++] = self->reply[k];
        }
        self->n_reply = n_left;
    }
    return &self->reply[self->n_reply++];
}

static void send_range(struct hf_thread_transport *self, const struct hf_thread_header *header,
                       int to)
{
    const struct hf_window *window = self->window[header->slot];
    MPI_Isend(window->local + header->offset, (int)header->size, MPI_DOUBLE, to,
              (int)header->reply_tag, self->replies, new_reply(self));
}

/** Gives the lock of a window to the first rank that waits for it. */
static void grant_lock(struct hf_thread_transport *self, struct hf_thread_window *window)
{
    struct hf_lock_waiter *waiter = window->first_waiter;
    if (window->locked || waiter == NULL) return;
    window->locked = true;
    window->first_waiter = waiter->next;
    if (waiter->next == NULL) window->last_waiter = NULL;
    send_range(self, &waiter->header, waiter->rank);
    free(waiter);
}

static void wait_for_lock(struct hf_thread_transport *self, struct hf_thread_window *window,
                          const struct hf_thread_header *header, int rank)
{
    struct hf_lock_waiter *waiter = hf_thread_allocate(self, sizeof *waiter);
    *waiter = (struct hf_lock_waiter){.header = *header, .rank = rank};
    if (window->last_waiter != NULL)
        window->last_waiter->next = waiter;
    else
        window->first_waiter = waiter;
    window->last_waiter = waiter;
    grant_lock(self, window);
}

static void serve_request(struct hf_thread_transport *self, const char *message, int tag, int rank)
{
    struct hf_thread_header header;
    memcpy(&header, message, sizeof header);
    const double *value = (const double *)(const void *)(message + sizeof header);
    struct hf_window *window = self->window[header.slot];
    struct hf_thread_window *data = window->data;
    double *target = window->local + header.offset;
    switch ((enum hf_thread_tag)tag) {
    case HF_TAG_GET: send_range(self, &header, rank); break;
    case HF_TAG_ADD: hf_add_elements(target, value, (size_t)header.size); break;
    case HF_TAG_LOCK_GET: wait_for_lock(self, data, &header, rank); break;
    case HF_TAG_PUT_UNLOCK:
        memcpy(target, value, (size_t)header.size * sizeof *target);
        data->locked = false;
        grant_lock(self, data);
        pthread_cond_broadcast(&self->changed);
        break;
    }
}

bool hf_thread_serve_one(struct hf_thread_transport *self, struct hf_thread_inbox *inbox)
{
    MPI_Message message;
    MPI_Status from;
    int there, bytes;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->requests, &there, &message, &from);
    if (!there) return false;
    MPI_Get_count(&from, MPI_BYTE, &bytes);
    if ((size_t)bytes > inbox->size) {
        free(inbox->buffer);
        inbox->size = 2 * (size_t)bytes;
        inbox->buffer = hf_thread_allocate(self, inbox->size);
    }
    pthread_mutex_lock(&self->mutex); /* before the sender can know that it has arrived */
    MPI_Mrecv(inbox->buffer, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    serve_request(self, inbox->buffer, from.MPI_TAG, from.MPI_SOURCE);
    pthread_mutex_unlock(&self->mutex);
    return true;
}

/** Sleeps while there is no window, or none in use, so that no request can come. True: the thread must end. */
static bool park(struct hf_thread_transport *self)
{
    pthread_mutex_lock(&self->mutex);
    while ((self->n_window == 0 || self->resting) && !self->stop)
        pthread_cond_wait(&self->changed, &self->mutex);
    const bool stop = self->stop;
    pthread_mutex_unlock(&self->mutex);
    return stop;
}

static void sleep_for(long nanoseconds)
{
    const struct timespec nap = {.tv_nsec = nanoseconds};
    nanosleep(&nap, NULL);
}

void *hf_thread_serve(void *argument)
{
    struct hf_thread_transport *self = argument;
    struct hf_thread_inbox inbox = {0};
    long nap = SHORTEST_NAP;
    prctl(PR_SET_TIMERSLACK, 1000UL); /* for this thread: naps take the time asked for */
    while (!park(self)) {
        if (atomic_exchange(&self->visited, false)) {
            nap = SHORTEST_NAP;
            sleep_for(NAP_WHILE_VISITED);
        } else if (hf_thread_serve_one(self, &inbox)) {
            nap = SHORTEST_NAP;
        } else {
            sleep_for(nap);
            if (nap < LONGEST_NAP) nap += nap / 4;
        }
    }
    free(inbox.buffer);
    return NULL;
}
