/* Transport by communication threads, the compute thread's side; see thread_private.h. */
#include "thread_private.h"

#include "base/growing.h"
#include "base/threads.h"
#include "hf/context.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/** Most bytes of sums on their way; a send that would exceed it waits until others have arrived. */
static const size_t MOST_BYTES_SENT = (size_t)16 << 20;

static hf_status start_thread(struct hf_thread_transport *data, struct hf_error *error)
{
    pthread_mutex_init(&data->mutex, NULL);
    pthread_cond_init(&data->changed, NULL);
    data->has_thread = pthread_create(&data->thread, NULL, hf_thread_serve, data) == 0;
    if (data->has_thread) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "cannot start a communication thread");
}

static hf_status open_thread(struct hf_onesided *self, struct hf_error *error)
{
    struct hf_thread_transport *data = self->data;
    int *tag_limit, found;
    hf_status status = HF_OK;
    if (!hf_mpi_takes_threads())
        status =
            hf_fail(error, HF_NO_RESOURCE, "the MPI library does not grant MPI_THREAD_MULTIPLE");
    HF_CHECK(hf_agree(self->context->comm, status, error)); /* what follows is collective */
    data->onesided = self;
    MPI_Comm_dup(self->context->comm, &data->requests);
    MPI_Comm_dup(self->context->comm, &data->replies);
    MPI_Comm_get_attr(data->replies, MPI_TAG_UB, &tag_limit, &found);
    data->last_tag = found ? *tag_limit : 32767;
    for (int k = 0; k < HF_MOST_SENDS; k++) data->send[k].request = MPI_REQUEST_NULL;
    return start_thread(data, error);
}

static void close_thread(struct hf_onesided *self)
{
    struct hf_thread_transport *data = self->data;
    if (data->onesided == NULL) return; /* not opened */
    if (data->has_thread) {
        pthread_mutex_lock(&data->mutex);
        data->stop = true;
        pthread_cond_broadcast(&data->changed);
        pthread_mutex_unlock(&data->mutex);
        pthread_join(data->thread, NULL);
    }
    pthread_cond_destroy(&data->changed);
    pthread_mutex_destroy(&data->mutex);
    MPI_Comm_free(&data->requests);
    MPI_Comm_free(&data->replies);
    free(data->inbox.buffer);
    free(data->window);
}

/** Serves waiting requests. False: there were none, or another thread is serving. */
static bool visit(struct hf_thread_transport *self)
{
    bool served = false;
    atomic_store(&self->visited, true);
    if (atomic_exchange(&self->visiting, true)) return false;
    while (hf_thread_serve_one(self, &self->inbox)) served = true;
    atomic_store(&self->visiting, false);
    return served;
}

static void poke(struct hf_onesided *self)
{
    visit(self->data);
}

/** MPI_Wait by a thread that serves others meanwhile. */
static void wait_for(struct hf_thread_transport *self, MPI_Request *request)
{
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        if (!visit(self)) sched_yield();
    }
}

/** MPI_Barrier by threads that serve others meanwhile. */
static void wait_for_all(struct hf_thread_transport *self)
{
    MPI_Request request;
    MPI_Ibarrier(self->replies, &request);
    wait_for(self, &request);
}

/** Lowest free slot: the same on every rank, since windows are created and destroyed collectively. -1: no
 *  memory. The mutex is held. */
static int find_slot(struct hf_thread_transport *data)
{
    for (int s = 0; s < data->n_slot; s++)
        if (data->window[s] == NULL) return s;
    if (!hf_grow(&data->window, data->n_slot + 1, &data->room, sizeof(void *))) return -1;
    return data->n_slot++;
}

/** Where the part of a rank of `memory` begins. */
static double *local_part(const struct hf_node_memory *memory, int rank)
{
    return (double *)(void *)((char *)memory->data + memory->first[rank]);
}

static hf_status window_create(struct hf_window *window, struct hf_error *error)
{
    const struct hf_onesided *self = window->onesided;
    struct hf_thread_transport *transport = self->data;
    struct hf_thread_window *data = window->data;
    HF_CHECK(hf_node_memory_create_parts(self->context, HF_MEMORY_MATRIX, window->label,
                                         window->size * sizeof *window->local, &data->memory,
                                         error));
    window->local = local_part(data->memory, data->memory->rank);
    pthread_mutex_lock(&transport->mutex);
    data->slot = find_slot(transport);
    if (data->slot >= 0) {
        transport->window[data->slot] = window;
        transport->n_window++;
        transport->resting = false;
        pthread_cond_broadcast(&transport->changed);
    }
    pthread_mutex_unlock(&transport->mutex);
    if (data->slot >= 0) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", window->label);
}

/** No requests will come: the communication thread sleeps until wake. */
static void rest(struct hf_onesided *self)
{
    struct hf_thread_transport *transport = self->data;
    pthread_mutex_lock(&transport->mutex);
    transport->resting = true;
    pthread_mutex_unlock(&transport->mutex);
}

/** Wakes the communication thread: other ranks may send requests after this rank has joined a fence. */
static void wake(struct hf_thread_transport *transport)
{
    pthread_mutex_lock(&transport->mutex);
    if (transport->resting) pthread_cond_broadcast(&transport->changed);
    transport->resting = false;
    pthread_mutex_unlock(&transport->mutex);
}

/** Waits for all ranks first: no request may come after the memory is freed. */
static void window_destroy(struct hf_window *window)
{
    struct hf_onesided *self = window->onesided;
    struct hf_thread_transport *transport = self->data;
    struct hf_thread_window *data = window->data;
    wait_for_all(transport);
    if (data->memory == NULL) return;
    pthread_mutex_lock(&transport->mutex);
    hf_thread_finish_replies(transport);
    if (data->slot >= 0) {
        transport->window[data->slot] = NULL;
        transport->n_window--;
    }
    pthread_mutex_unlock(&transport->mutex);
    hf_node_memory_destroy(&data->memory);
}

/* ---- Getting ---- */

static struct hf_thread_header new_header(struct hf_thread_transport *transport,
                                          const struct hf_window *window,
                                          struct hf_window_range range)
{
    const struct hf_thread_window *data = window->data;
    const unsigned number = atomic_fetch_add(&transport->n_header, 1U);
    return (struct hf_thread_header){.slot = data->slot,
                                     .offset = (int64_t)range.offset,
                                     .size = (int64_t)range.n,
                                     .reply_tag = number % ((unsigned)transport->last_tag + 1U)};
}

/** Asks for a range to be sent to `request->to`; the receive is posted before the request is sent. */
static void ask_for(struct hf_window *window, struct hf_window_range range, enum hf_thread_tag tag,
                    struct hf_window_request *request)
{
    struct hf_thread_transport *transport = window->onesided->data;
    const struct hf_thread_header header = new_header(transport, window, range);
    MPI_Irecv(request->to, (int)range.n, MPI_DOUBLE, range.rank, (int)header.reply_tag,
              transport->replies, &request->request);
    MPI_Send(&header, sizeof header, MPI_BYTE, range.rank, tag, transport->requests);
}

static int compare_ranks(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/** The part of a rank of the same node, if the node shares memory; NULL otherwise. */
static const double *part_of_neighbour(const struct hf_window *window, int rank)
{
    const struct hf_context *context = window->onesided->context;
    const struct hf_thread_window *data = window->data;
    const int n = data->memory->n_rank;
    if (n == 1) return NULL;
    const int *found = bsearch(&rank, context->neighbour, (size_t)n, sizeof *found, compare_ranks);
    return found != NULL ? local_part(data->memory, (int)(found - context->neighbour)) : NULL;
}

static void begin_get(struct hf_window *window, struct hf_window_range range,
                      struct hf_window_request *request)
{
    const double *near = part_of_neighbour(window, range.rank);
    if (near != NULL)
        memcpy(request->to, near + range.offset, range.n * sizeof *near);
    else
        ask_for(window, range, HF_TAG_GET, request);
}

static void end_get(struct hf_window *window, struct hf_window_request *request)
{
    wait_for(window->onesided->data, &request->request);
}

/* ---- Adding ---- */

static void forget_send(struct hf_thread_transport *self, struct hf_thread_send *send)
{
    self->bytes_sent -= send->bytes;
    free(send->buffer);
    *send = (struct hf_thread_send){.request = MPI_REQUEST_NULL};
}

/** Waits until there is room for one more message of `bytes`; returns its place. */
static struct hf_thread_send *find_send(struct hf_thread_transport *self, size_t bytes)
{
    struct hf_thread_send *free_place = NULL;
    for (int k = 0; k < HF_MOST_SENDS; k++) {
        struct hf_thread_send *send = &self->send[k];
        int done = 0;
        if (send->buffer != NULL) MPI_Test(&send->request, &done, MPI_STATUS_IGNORE);
        if (done) forget_send(self, send);
        if (send->buffer == NULL) free_place = send;
    }
    for (int k = 0; k < HF_MOST_SENDS; k++) {
        struct hf_thread_send *send = &self->send[k];
        if (free_place != NULL && self->bytes_sent + bytes <= MOST_BYTES_SENT) break;
        if (send->buffer == NULL) continue;
        wait_for(self, &send->request);
        forget_send(self, send);
        free_place = send;
    }
    return free_place;
}

static void wait_for_sends(struct hf_thread_transport *self)
{
    for (int k = 0; k < HF_MOST_SENDS; k++) {
        if (self->send[k].buffer == NULL) continue;
        wait_for(self, &self->send[k].request);
        forget_send(self, &self->send[k]);
    }
}

/** Sends a header with elements after it to the owner. */
static void send_elements(struct hf_window *window, struct hf_window_range range,
                          enum hf_thread_tag tag, const double *from)
{
    struct hf_thread_transport *transport = window->onesided->data;
    const struct hf_thread_header header = new_header(transport, window, range);
    const size_t bytes = sizeof header + range.n * sizeof *from;
    struct hf_thread_send *send = find_send(transport, bytes);
    send->buffer = hf_thread_allocate(transport, bytes);
    send->bytes = bytes;
    transport->bytes_sent += bytes;
    memcpy(send->buffer, &header, sizeof header);
    memcpy((char *)send->buffer + sizeof header, from, range.n * sizeof *from);
    MPI_Issend(send->buffer, (int)bytes, MPI_BYTE, range.rank, tag, transport->requests,
               &send->request);
}

/** Adds to an own range: no message, but the mutex and the lock of the window are needed. */
static void accumulate_own(struct hf_window *window, struct hf_window_range range,
                           const double *from)
{
    struct hf_thread_transport *transport = window->onesided->data;
    const struct hf_thread_window *data = window->data;
    pthread_mutex_lock(&transport->mutex);
    while (data->locked) pthread_cond_wait(&transport->changed, &transport->mutex);
    hf_add_elements(window->local + range.offset, from, range.n);
    pthread_mutex_unlock(&transport->mutex);
}

static void accumulate_as_caller(struct hf_window *window, struct hf_window_range range,
                                 const double *from)
{
    struct hf_thread_transport *transport = window->onesided->data;
    struct hf_window_request request = {.to =
                                            hf_thread_allocate(transport, range.n * sizeof *from)};
    ask_for(window, range, HF_TAG_LOCK_GET, &request);
    wait_for(transport, &request.request);
    hf_add_elements(request.to, from, range.n);
    send_elements(window, range, HF_TAG_PUT_UNLOCK, request.to);
    free(request.to);
}

static void accumulate(struct hf_window *window, struct hf_window_range range, const double *from)
{
    const struct hf_onesided *self = window->onesided;
    if (range.rank == self->context->rank)
        accumulate_own(window, range, from);
    else if (self->accumulate == HF_ACCUMULATE_CALLER)
        accumulate_as_caller(window, range, from);
    else
        send_elements(window, range, HF_TAG_ADD, from);
}

static void fence(struct hf_window *window)
{
    struct hf_thread_transport *transport = window->onesided->data;
    const struct hf_thread_window *data = window->data;
    wake(transport);
    wait_for_sends(transport);
    wait_for_all(transport);
    pthread_mutex_lock(&transport->mutex); /* the last message has begun to arrive: let it end */
    pthread_mutex_unlock(&transport->mutex);
    hf_node_memory_sync(data->memory);
}

const struct hf_transport_ops hf_transport_thread = {
    .name = "thread",
    .about = "a communication thread on every rank answers requests; ranks of a node read from "
             "shared memory",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "section 4.4 and Fig. 8.5",
    .data_bytes = sizeof(struct hf_thread_transport),
    .open = open_thread,
    .close = close_thread,
    .poke = poke,
    .rest = rest,
    .window_bytes = sizeof(struct hf_thread_window),
    .window_create = window_create,
    .window_destroy = window_destroy,
    .begin_get = begin_get,
    .end_get = end_get,
    .accumulate = accumulate,
    .fence = fence,
};
