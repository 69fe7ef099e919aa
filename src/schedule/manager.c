/* Managers and workers: the first rank of each group only hands out chunks of tasks, the most expensive first
 * (book Figs. 6.6, 7.3; chunks.h). There is one group unless there are many ranks.
 *
 *     worker                        manager
 *       | -- request ----------------> |
 *       | <--- round, worker --------- |  the chunk it names; round -1: no more here
 *       | -- request ----------------> |  when that chunk is done
 *       | <--- round, worker --------- |
 *
 * A worker takes its first chunk without asking. It does not ask for the next chunk in advance: during an
 * expensive task it would keep that chunk from free workers. If its own manager has no more chunks, it asks the
 * managers of the next groups (groups.h), until each has answered that there are no more. A worker that
 * abandons sends `resign` to the managers that have not answered so yet, and gets no answer. With one rank
 * there is no manager: the rank goes through the list. */
#include "chunks.h"
#include "groups.h"
#include "hf/timer.h"
#include "schedule_private.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_REQUEST = 1, TAG_REPLY = 2 };
enum { REQUEST = 0, RESIGN = 1 };

enum {
    /** Number of workers that one manager serves, at a microsecond or two for each chunk: many, since managers
     *  compute nothing. */
    ALONE = 128,
    LEAST_GROUP = 64,
    /** Checks without a message before a manager begins to sleep: a worker may need its core. With 4 ranks on 2
     *  cores and tasks of 0.5 ms a round took 1.0 s with sleep and 1.9 s without under MPICH, no difference
     *  under Open MPI. Sleeping at once gained nothing there and made a round of tasks of 5 microseconds three
     *  to five times as long. */
    LOOKS_BEFORE_SLEEP = 2000,
};

struct reply {
    int64_t round, worker;
};

struct manager {
    struct hf_chunk_plan plan;
    struct hf_rank_group own;
    /* of a worker */
    struct hf_chunk chunk;      /**< remaining tasks of the current chunk */
    struct hf_rank_group group; /**< group whose manager is asked */
    bool begun;                 /**< the first chunk is taken */
    bool finished;              /**< no manager that it asks has more chunks */
    /* of a manager */
    int64_t value; /**< chunks handed out, first ones included */
    /** Of `value` and the next two: other threads of this rank also take chunks. */
    pthread_mutex_t lock;
    struct hf_chunk beside; /**< remaining tasks of their current chunk */
    int n_working;          /**< workers that do not know yet that there are no more */
};

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    struct manager *data = self->data = calloc(1, sizeof *data);
    if (data == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the scheduler");
    int n_group = hf_schedule_n_group(self, ALONE, LEAST_GROUP);
    if (n_group > 1 && self->n_rank / n_group < 2)
        n_group = self->n_rank / 2; /* each has a worker */
    pthread_mutex_init(&data->lock, NULL);
    data->own = hf_group_of_rank(self->n_rank, n_group > 1 ? n_group : 1, self->rank);
    return HF_OK;
}

/** Number of workers that ask the manager of a group: workers of the group and of some groups before it. */
static int n_asking(const struct hf_rank_group *own)
{
    const int n_group = own->n_group;
    int n = 0;
    for (int before = 0; before < hf_n_group_asked(n_group); before++) {
        const int group = (own->group - before + n_group) % n_group;
        n += hf_rank_group(own->n_rank, n_group, group).size - 1;
    }
    return n;
}

/** Number of a worker among all workers: managers are not counted. */
static int worker_of(const struct hf_rank_group *group, int rank)
{
    return rank - group->group - 1;
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct manager *data = self->data;
    const bool alone = self->n_rank == 1;
    const int n_worker = self->n_rank - data->own.n_group;
    hf_chunk_plan_make(&self->levels, alone ? 1 : n_worker, &data->plan);
    data->chunk = (struct hf_chunk){0, alone ? self->n_task : 0};
    data->group = data->own;
    data->begun = data->finished = false;
    data->value = data->own.size - 1;
    data->beside = (struct hf_chunk){0, 0};
    data->n_working = n_asking(&data->own);
    return HF_OK;
}

/* ---- The manager ---- */

/** Waits for a worker's message, without keeping a core busy that a worker may need. After an interruption no
 *  more chunks are handed out. */
static void wait_for_message(struct hf_scheduler *self, MPI_Status *found)
{
    struct manager *data = self->data;
    const struct timespec pause = {.tv_nsec = 20000};
    for (int looks = 0;; looks++) {
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, self->comm, &there, found);
        if (hf_schedule_is_interrupted(self)) {
            pthread_mutex_lock(&data->lock);
            data->value = INT64_MAX;
            pthread_mutex_unlock(&data->lock);
        }
        if (there) return;
        if (looks > LOOKS_BEFORE_SLEEP) nanosleep(&pause, NULL);
    }
}

static bool is_empty(const struct hf_chunk *chunk)
{
    return chunk->begin == chunk->end;
}

/** The next chunk of the group that has tasks. The lock is held. */
static struct reply next_chunk(struct manager *data)
{
    const int64_t n = data->own.size - 1;
    while (data->value / n < hf_chunks_of_worker(&data->plan)) {
        const int first = worker_of(&data->own, data->own.first + 1);
        const struct reply reply = {data->value / n, first + data->value % n};
        const struct hf_chunk chunk = hf_chunk_of(&data->plan, reply.round, (int)reply.worker);
        data->value++;
        if (!is_empty(&chunk)) return reply;
    }
    return (struct reply){-1, 0};
}

/** A task for a thread beside the managing thread; -1: there are no more. `last`: only from a chunk that was
 *  already taken. */
static int64_t next_beside_manager(struct manager *data, bool last)
{
    int64_t position = -1;
    pthread_mutex_lock(&data->lock);
    if (is_empty(&data->beside) && !last) {
        const struct reply reply = next_chunk(data);
        if (reply.round >= 0)
            data->beside = hf_chunk_of(&data->plan, reply.round, (int)reply.worker);
    }
    if (!is_empty(&data->beside)) position = data->beside.begin++;
    pthread_mutex_unlock(&data->lock);
    return position;
}

/** hf_scheduler_ops.next_beside */
static int64_t next_beside(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (self->rank != data->own.first || self->n_rank == 1) return HF_TASK_BY_TURNS;
    return next_beside_manager(data, false);
}

/** Serves requests until every worker knows that there are no more chunks, or has resigned. */
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
        pthread_mutex_lock(&data->lock);
        const struct reply reply = next_chunk(data);
        pthread_mutex_unlock(&data->lock);
        if (reply.round < 0) data->n_working--;
        MPI_Send(&reply, 2, MPI_INT64_T, from.MPI_SOURCE, TAG_REPLY, self->comm);
    }
}

/* ---- The worker ---- */

/** Takes the first chunk, or asks a manager for a chunk. */
static void take_chunk(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const int message = REQUEST, manager = data->group.first;
    struct reply reply;
    if (!data->begun) {
        data->begun = true;
        data->chunk = hf_chunk_of(&data->plan, 0, worker_of(&data->own, self->rank));
        return;
    }
    MPI_Sendrecv(&message, 1, MPI_INT, manager, TAG_REQUEST, &reply, 2, MPI_INT64_T, manager,
                 TAG_REPLY, self->comm, MPI_STATUS_IGNORE);
    if (reply.round < 0)
        data->finished = !hf_next_group(&data->own, &data->group);
    else
        data->chunk = hf_chunk_of(&data->plan, reply.round, (int)reply.worker);
}

static void find_work(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const double start = hf_wall_seconds();
    if (self->rank == data->own.first) {
        manage(self);
        data->finished = true;
    }
    while (is_empty(&data->chunk) && !data->finished) take_chunk(self);
    self->account.wait_seconds += hf_wall_seconds() - start;
}

static int64_t next(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (is_empty(&data->chunk) && self->n_rank > 1 && !data->finished) find_work(self);
    if (is_empty(&data->chunk) && self->rank == data->own.first)
        return next_beside_manager(data, true);
    if (is_empty(&data->chunk)) return -1;
    return data->chunk.begin++;
}

/** A worker resigns; a manager goes on managing in finish. */
static void abandon(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const int message = RESIGN;
    data->chunk.begin = data->chunk.end;
    if (self->rank == data->own.first) return;
    while (!data->finished) {
        MPI_Send(&message, 1, MPI_INT, data->group.first, TAG_REQUEST, self->comm);
        data->finished = !hf_next_group(&data->own, &data->group);
    }
}

static void destroy(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (data != NULL) pthread_mutex_destroy(&data->lock);
}

static void finish(struct hf_scheduler *self)
{
    const struct manager *data = self->data;
    if (self->rank == data->own.first && self->n_rank > 1) manage(self);
}

const struct hf_scheduler_ops hf_schedule_manager = {
    .name = "manager",
    .about = "rank 0 (many ranks: one of each group) gives chunks to ranks that ask, largest first",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 6.6 and 7.3; S. F. Hummel, E. Schonberg, L. E. Flynn, Commun. ACM 35 (8), 90 "
            "(1992)",
    .create = create,
    .start = start,
    .next = next,
    .next_beside = next_beside,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
