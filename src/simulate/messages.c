/* Messages between ranks. A message takes its way at once, whatever its receiver does; a receive finds it in the list of
 * messages that have arrived. The service of a machine (receiving and answering) is spent half in MPI_Recv and MPI_Mrecv,
 * half in MPI_Send. */
#include "network.h"

#include <stdlib.h>
#include <string.h>

struct hf_sim_message {
    MPI_Comm comm;
    int source, tag; /**< rank in comm */
    int to;          /**< rank of the world */
    size_t n_bytes;
    MPI_Request sender; /**< waits until the message is received; or NULL */
    struct hf_sim_message *next;
    char data[];
};

/** Half of a service, which takes a core. */
static void spend(void)
{
    hf_sim_compute(0.5 * hf_sim_the_machine()->manager_service_seconds);
}

/* ---- Sending ---- */

static void arrive(void *data)
{
    struct hf_sim_message *message = data;
    struct hf_sim_process *target = hf_sim_process(message->to);
    if (target->first == NULL)
        target->first = message;
    else
        target->last->next = message;
    target->last = message;
    hf_sim_wake(message->to);
}

static void send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request sender)
{
    const size_t n_bytes = (size_t)n * (size_t)(type % HF_SIM_KIND);
    struct hf_sim_message *message = malloc(sizeof *message + n_bytes);
    if (message == NULL) message = hf_sim_memory(SIZE_MAX - 1, 1);
    hf_sim_serve(hf_sim_rank());
    *message = (struct hf_sim_message){.comm = comm,
                                       .tag = tag,
                                       .to = hf_sim_in_world(comm, to),
                                       .n_bytes = n_bytes,
                                       .sender = sender};
    MPI_Comm_rank(comm, &message->source);
    if (n_bytes > 0) memcpy(message->data, data, n_bytes);
    const double scale = type == MPI_DOUBLE ? hf_sim_the_scale()->messages : 1.0;
    hf_sim_at(hf_sim_send(hf_sim_rank(), message->to, scale * (double)n_bytes), arrive, message);
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    spend();
    send(data, n, type, to, tag, comm, NULL);
    return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    *request = hf_sim_memory(1, sizeof **request);
    (*request)->done = true; /* the data are copied */
    send(data, n, type, to, tag, comm, NULL);
    return MPI_SUCCESS;
}

int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    *request = hf_sim_memory(1, sizeof **request);
    (*request)->from = hf_sim_rank();
    send(data, n, type, to, tag, comm, *request);
    return MPI_SUCCESS;
}

/** A synchronous message has been received, and its sender knows that. */
static void confirm(void *data)
{
    MPI_Request request = data;
    request->done = true;
    hf_sim_wake(request->from);
    if (request->released) free(request);
}

/* ---- Receiving ---- */

/** The first message of this rank that matches; it stays in the list if `takes` is false. NULL: none. */
static struct hf_sim_message *find(MPI_Comm comm, int from, int tag, bool takes)
{
    struct hf_sim_process *self = hf_sim_process(hf_sim_rank());
    struct hf_sim_message *before = NULL, *one = self->first;
    while (one != NULL && (one->comm != comm || (from != MPI_ANY_SOURCE && one->source != from) ||
                           (tag != MPI_ANY_TAG && one->tag != tag))) {
        before = one;
        one = one->next;
    }
    if (one == NULL || !takes) return one;
    if (before == NULL)
        self->first = one->next;
    else
        before->next = one->next;
    if (self->last == one) self->last = before;
    return one;
}

static void tell(const struct hf_sim_message *message, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){message->source, message->tag, (int)message->n_bytes};
}

/** Copies a message that was taken out of the list, and frees it. */
static void receive(struct hf_sim_message *message, void *to, MPI_Status *status)
{
    tell(message, status);
    if (message->n_bytes > 0) memcpy(to, message->data, message->n_bytes);
    if (message->sender != NULL)
        hf_sim_at(hf_sim_now() + hf_sim_latency(hf_sim_rank(),
                                                hf_sim_in_world(message->comm, message->source)),
                  confirm, message->sender);
    free(message);
}

int hf_sim_receive(void *data, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct hf_sim_message *message;
    hf_sim_serve(hf_sim_rank());
    while ((message = find(comm, from, tag, true)) == NULL) hf_sim_block_in_mpi();
    spend();
    receive(message, data, status);
    return MPI_SUCCESS;
}

int hf_sim_begin_receive(void *data, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = hf_sim_memory(1, sizeof **request);
    **request = (struct hf_sim_request){.to = data, .from = from, .tag = tag, .comm = comm};
    return MPI_SUCCESS;
}

/** A room copies together what it sends. */
int MPI_Sendrecv(const void *sent, int n_sent, MPI_Datatype type_sent, int to, int tag_sent,
                 void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (to != MPI_PROC_NULL) {
        hf_sim_compute(n_sent * (double)(type_sent % HF_SIM_KIND) * hf_sim_the_scale()->messages *
                       hf_sim_the_machine()->node_beta_seconds_per_byte);
        send(sent, n_sent, type_sent, to, tag_sent, comm, NULL);
    }
    if (from != MPI_PROC_NULL) hf_sim_begin_receive(data, from, tag, comm, &request);
    return MPI_Wait(&request, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    hf_sim_serve(hf_sim_rank());
    const struct hf_sim_message *found = find(comm, from, tag, false);
    hf_sim_look(found != NULL);
    *there = found != NULL;
    if (found != NULL) tell(found, status);
    return MPI_SUCCESS;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                MPI_Status *status)
{
    hf_sim_serve(hf_sim_rank());
    *message = find(comm, from, tag, true);
    hf_sim_look(*message != NULL);
    *there = *message != NULL;
    if (*there) tell(*message, status);
    return MPI_SUCCESS;
}

int hf_sim_take(void *data, MPI_Message *message, MPI_Status *status)
{
    spend();
    receive(*message, data, status);
    *message = NULL;
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n)
{
    *n = status->n_bytes / (type % HF_SIM_KIND);
    return MPI_SUCCESS;
}

/* ---- Requests ---- */

/** Whether a request is complete; then what it brings is in its place. */
static bool complete(MPI_Request request)
{
    if (request->collective != NULL)
        return hf_sim_collective_leave(request->collective, request->to);
    if (request->comm == MPI_COMM_NULL) return request->done;
    struct hf_sim_message *message = find(request->comm, request->from, request->tag, true);
    if (message == NULL) return false;
    receive(message, request->to, &request->status);
    return true;
}

static void end(MPI_Request *request, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) *status = (*request)->status;
    free(*request);
    *request = MPI_REQUEST_NULL;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    hf_sim_serve(hf_sim_rank());
    *done = *request == MPI_REQUEST_NULL || complete(*request);
    hf_sim_look(*done);
    if (*done && *request != MPI_REQUEST_NULL) end(request, status);
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
    hf_sim_serve(hf_sim_rank());
    while (!complete(*request)) hf_sim_block_in_mpi();
    end(request, status);
    return MPI_SUCCESS;
}

/** One request of them, of which there must be one. */
int MPI_Waitany(int n, MPI_Request request[], int *which, MPI_Status *status)
{
    hf_sim_serve(hf_sim_rank());
    for (;;) {
        for (int i = 0; i < n; i++) {
            if (request[i] == MPI_REQUEST_NULL || !complete(request[i])) continue;
            *which = i;
            end(&request[i], status);
            return MPI_SUCCESS;
        }
        hf_sim_block_in_mpi();
    }
}

int MPI_Request_free(MPI_Request *request)
{
    if ((*request)->done)
        free(*request);
    else
        (*request)->released = true;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
