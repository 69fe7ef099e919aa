/* Manager and workers: rank 0 does nothing but hand tasks out, dearest first (book Figs. 6.6, 7.3).
 *
 *     worker                        manager
 *       | -- request ----------------> |
 *       | <--- first, count, ahead --- |  count tasks from position first; 0: no more
 *       | -- request, if ahead ------> |  answered while the worker computes
 *       | <--- first, count, ahead --- |
 *
 * `ahead` is set only while many tasks are left, so that nobody hoards the last ones. A worker that
 * abandons sends `resign` in the place of its next request and gets no answer. With one rank there
 * is no manager: the rank walks the list. */
#include "hf/timer.h"
#include "schedule_private.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_REQUEST = 1, TAG_REPLY = 2 };
enum { REQUEST = 0, RESIGN = 1 };

enum {
    /** A chunk is this fraction of a worker's even share of what is left, and at least one task:
     * long lists of small tasks cost few messages, and the last tasks still go one by one. */
    CHUNKS_PER_SHARE = 200,
    /** Requests ahead stop when fewer chunks than this per worker are left. */
    CHUNKS_FOR_PREFETCH = 8,
    /** Looks in vain before the manager begins to sleep: a worker may need its core. With 4 ranks
     * on 2 cores and tasks of 0.5 ms a round took 1.0 s with sleep and 1.9 s without under MPICH,
     * no difference under Open MPI. Sleeping at once gained nothing there and made a round of tasks
     *  of 5 microseconds three to five times as long. */
    LOOKS_BEFORE_SLEEP = 2000,
};

struct reply {
    int64_t first, count, request_ahead;
};

struct manager {
    int64_t position, end; /**< worker: what is left of the chunk in hand */
    int64_t next_task;     /**< manager */
    int n_working;         /**< manager: workers that have not been told to finish */
    bool asked, finished;  /**< worker: a request is on its way; the list is at its end */
    struct reply reply;
    MPI_Request receive;
};

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    self->data = calloc(1, sizeof(struct manager));
    if (self->data == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the scheduler");
    return HF_OK;
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct manager *data = self->data;
    const int n_worker = self->n_rank - 1;
    *data = (struct manager){.n_working = n_worker, .receive = MPI_REQUEST_NULL};
    data->end = self->n_rank == 1 ? self->n_task : 0;
    return HF_OK;
}

/** Waits for a worker's message without keeping a core busy that a worker may need. When the round is
 *  to end there are no more tasks. */
static void wait_for_message(struct hf_scheduler *self, MPI_Status *found)
{
    struct manager *data = self->data;
    const struct timespec pause = {.tv_nsec = 20000};
    for (int looks = 0;; looks++) {
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, self->comm, &there, found);
        if (hf_schedule_is_interrupted(self)) data->next_task = self->n_task;
        if (there) return;
        if (looks > LOOKS_BEFORE_SLEEP) nanosleep(&pause, NULL);
    }
}

/** The next chunk of the list, and whether the worker may ask for another while it computes. */
static struct reply next_chunk(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const int64_t n_worker = self->n_rank - 1, left = self->n_task - data->next_task;
    int64_t chunk = left / (n_worker * CHUNKS_PER_SHARE);
    if (chunk < 1) chunk = 1;
    const struct reply reply = {
        .first = data->next_task,
        .count = left < chunk ? left : chunk,
        .request_ahead = left - chunk > chunk * CHUNKS_FOR_PREFETCH * n_worker,
    };
    data->next_task += reply.count;
    return reply;
}

/** Serves requests until every worker has been told that there is no more, or has resigned. */
static void manage(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    while (data->n_working > 0) {
        MPI_Status from;
        int message;
        wait_for_message(self, &from);
        MPI_Recv(&message, 1, MPI_INT, from.MPI_SOURCE, TAG_REQUEST, self->comm, MPI_STATUS_IGNORE);
        if (message == RESIGN) {
            data->n_working--;
            continue;
        }
        const struct reply reply = next_chunk(self);
        if (reply.count == 0) data->n_working--;
        MPI_Send(&reply, 3, MPI_INT64_T, from.MPI_SOURCE, TAG_REPLY, self->comm);
    }
}

static void ask(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const int message = REQUEST;
    MPI_Irecv(&data->reply, 3, MPI_INT64_T, 0, TAG_REPLY, self->comm, &data->receive);
    MPI_Send(&message, 1, MPI_INT, 0, TAG_REQUEST, self->comm);
    data->asked = true;
}

/** Takes the answer to a request, asking first if that was not done ahead. */
static void take_chunk(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (!data->asked) ask(self);
    MPI_Wait(&data->receive, MPI_STATUS_IGNORE);
    data->asked = false;
    data->position = data->reply.first;
    data->end = data->reply.first + data->reply.count;
    data->finished = data->reply.count == 0;
    if (!data->finished && data->reply.request_ahead != 0) ask(self);
}

static int64_t next(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (data->position == data->end && self->n_rank > 1 && !data->finished) {
        const double start = hf_wall_seconds();
        if (self->rank == 0) {
            manage(self);
            data->finished = true;
        } else {
            take_chunk(self);
        }
        self->account.wait_seconds += hf_wall_seconds() - start;
    }
    if (data->position == data->end) return -1;
    return hf_schedule_task(self, data->position++);
}

/** A worker takes the answer that may be on its way, then resigns; the manager goes on managing in
 *  finish. */
static void abandon(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    data->position = data->end = 0;
    if (self->rank == 0 || data->finished) return;
    if (data->asked) {
        MPI_Wait(&data->receive, MPI_STATUS_IGNORE);
        data->asked = false;
        data->finished = data->reply.count == 0;
    }
    if (!data->finished) {
        const int message = RESIGN;
        MPI_Send(&message, 1, MPI_INT, 0, TAG_REQUEST, self->comm);
        data->finished = true;
    }
}

static void finish(struct hf_scheduler *self)
{
    if (self->rank == 0 && self->n_rank > 1) manage(self);
}

const struct hf_scheduler_ops hf_schedule_manager = {
    .name = "manager",
    .about = "rank 0 hands tasks to the others on request, largest first",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 6.6 and 7.3",
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
};
