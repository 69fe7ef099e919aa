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
#include "hf/timer.h"
#include "schedule_private.h"

#include <pthread.h>
#include <stdbool.h>
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

struct manager {
    struct hf_chunk_taker taker; /**< of a worker; own group and plan also of a manager */
    /* of a manager */
    int64_t value; /**< chunks handed out, also without asking */
    /** Of `value` and the next two: other threads of this rank also take chunks. */
    pthread_mutex_t lock;
    struct hf_chunk beside; /**< remaining tasks of their current chunk */
    int n_working;          /**< workers that do not know yet that there are no more */
};

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct manager *data = self->data;
    int n_group = hf_schedule_n_group(self, ALONE, LEAST_GROUP);
    if (n_group > 1 && self->n_rank / n_group < 2)
        n_group = self->n_rank / 2; /* each has a worker */
    pthread_mutex_init(&data->lock, NULL);
    data->taker.own = hf_group_of_rank(self->n_rank, n_group > 1 ? n_group : 1, self->rank);
    return HF_OK;
}

static bool is_manager(const struct hf_scheduler *self)
{
    const struct manager *data = self->data;
    return self->rank == data->taker.own.first;
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
    const struct hf_rank_group *own = &data->taker.own;
    const bool own_first = hf_schedule_all_ready(self);
    hf_chunk_taker_start(&data->taker, &self->levels, alone ? 1 : self->n_rank - own->n_group,
                         own_first);
    if (alone) data->taker.chunk.end = self->n_task;
    data->value = own_first ? own->size - 1 : 0;
    data->beside = (struct hf_chunk){0, 0};
    data->n_working = n_asking(own);
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

/** The next chunk of the group that has tasks. The lock is held. */
static struct hf_chunk_number next_chunk(struct manager *data)
{
    const struct hf_chunk_plan *plan = &data->taker.plan;
    const struct hf_rank_group *own = &data->taker.own;
    const int64_t n = own->size - 1;
    while (data->value / n < hf_chunks_of_worker(plan)) {
        const int first = worker_of(own, own->first + 1);
        const struct hf_chunk_number number = {data->value / n, first + data->value % n};
        const struct hf_chunk chunk = hf_chunk_of(plan, number.round, (int)number.worker);
        data->value++;
        if (!hf_chunk_is_empty(&chunk)) return number;
    }
    return (struct hf_chunk_number){-1, 0};
}

/** A task for a thread beside the managing thread; -1: there are no more. `last`: only from a chunk that was
 *  already taken. */
static int64_t next_beside_manager(struct manager *data, bool last)
{
    int64_t position = -1;
    pthread_mutex_lock(&data->lock);
    if (hf_chunk_is_empty(&data->beside) && !last) {
        const struct hf_chunk_number number = next_chunk(data);
        if (number.round >= 0)
            data->beside = hf_chunk_of(&data->taker.plan, number.round, (int)number.worker);
    }
    if (!hf_chunk_is_empty(&data->beside)) position = data->beside.begin++;
    pthread_mutex_unlock(&data->lock);
    return position;
}

/** hf_scheduler_ops.next_beside */
static int64_t next_beside(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    if (!is_manager(self) || self->n_rank == 1) return HF_TASK_BY_TURNS;
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
        const struct hf_chunk_number reply = next_chunk(data);
        pthread_mutex_unlock(&data->lock);
        if (reply.round < 0) data->n_working--;
        MPI_Send(&reply, 2, MPI_INT64_T, from.MPI_SOURCE, TAG_REPLY, self->comm);
    }
}

/* ---- The worker ---- */

static struct hf_chunk_number ask_manager(void *scheduler)
{
    const struct hf_scheduler *self = scheduler;
    const struct manager *data = self->data;
    const int message = REQUEST, manager = data->taker.asked.first;
    struct hf_chunk_number reply;
    MPI_Sendrecv(&message, 1, MPI_INT, manager, TAG_REQUEST, &reply, 2, MPI_INT64_T, manager,
                 TAG_REPLY, self->comm, MPI_STATUS_IGNORE);
    return reply;
}

static void find_work(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const double start = hf_wall_seconds();
    if (is_manager(self)) {
        manage(self);
        data->taker.finished = true;
    }
    hf_chunk_taker_fill(&data->taker, worker_of(&data->taker.own, self->rank), ask_manager, self);
    self->account.wait_seconds += hf_wall_seconds() - start;
}

static int64_t next(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    struct hf_chunk *chunk = &data->taker.chunk;
    if (hf_chunk_is_empty(chunk) && self->n_rank > 1 && !data->taker.finished) find_work(self);
    if (hf_chunk_is_empty(chunk) && is_manager(self)) return next_beside_manager(data, true);
    return hf_chunk_is_empty(chunk) ? -1 : chunk->begin++;
}

/** A worker resigns; a manager goes on managing in finish. */
static void abandon(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    const int message = RESIGN;
    struct hf_chunk_taker *taker = &data->taker;
    hf_chunk_taker_drop(taker);
    if (is_manager(self)) return;
    while (!taker->finished) {
        MPI_Send(&message, 1, MPI_INT, taker->asked.first, TAG_REQUEST, self->comm);
        taker->finished = !hf_next_group(&taker->own, &taker->asked);
    }
}

static void destroy(struct hf_scheduler *self)
{
    struct manager *data = self->data;
    pthread_mutex_destroy(&data->lock);
}

static void finish(struct hf_scheduler *self)
{
    if (is_manager(self) && self->n_rank > 1) manage(self);
}

const struct hf_scheduler_ops hf_schedule_manager = {
    .name = "manager",
    .about = "rank 0 (many ranks: one of each group) gives chunks to ranks that ask, largest first",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 6.6 and 7.3; S. F. Hummel, E. Schonberg, L. E. Flynn, Commun. ACM 35 (8), 90 "
            "(1992)",
    .data_bytes = sizeof(struct manager),
    .create = create,
    .start = start,
    .next = next,
    .next_beside = next_beside,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
