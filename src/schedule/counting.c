/* Shared counter: a rank that wants work adds one to a counter that all ranks share, and the value
 * before tells it which chunk of the list is its own (counter paper, section 2). No rank is lost
 * to managing.
 *
 *     value       0 ......... n-1   n ........ 2n-1  2n ....          n = n_rank * CHUNKS_PER_LEVEL
 *     positions  [ n chunks of a ][ n chunks of b  ][ ... ][ 1 1 1 1 1 1 1 ]       a > b > ... > 1
 *
 * Every level hands out about half of what is left, so chunks are a fixed fraction of a rank's even
 * share of it, and the last tasks go one by one. */
#include "schedule_private.h"

#include "hf/context.h"
#include "hf/progress.h"
#include "hf/timer.h"

#include <stdlib.h>

enum {
    CHUNKS_PER_LEVEL = 100, /* and rank */
    CHUNKS_PER_SHARE = 2 * CHUNKS_PER_LEVEL,
    MOST_LEVELS = 64, /* 2^63 tasks have 57 */
};

/** Between its tasks the counter's rank makes MPI serve the others so often, if no thread does. */
static const double LOOK_SECONDS = 20e-6;

/** Chunks of one size. The last level has no end: positions behind the list mean no more tasks. */
struct level {
    int64_t first_value, first_position, chunk;
};

struct counting {
    struct hf_counter *counter;
    struct hf_progress_thread *thread; /**< NULL: not wanted, or not the counter's rank */
    int64_t position, end;             /**< what is left of the chunk in hand */
    bool finished;                     /**< the list is at its end */
    double last_look;
    int n_level, at_level; /**< values only grow, and so does the level */
    struct level level[MOST_LEVELS];
};

/** A thread for the rank that holds the counter: the others have nothing to serve. */
static hf_status start_thread(struct hf_scheduler *self, struct hf_error *error)
{
    struct counting *data = self->data;
    if (!self->settings.progress_thread || self->rank != 0) return HF_OK;
    const hf_status status = hf_progress_thread_start(MPI_COMM_SELF, &data->thread, error);
    hf_progress_thread_rest(data->thread);
    return status;
}

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct counting *data = self->data = calloc(1, sizeof *data);
    if (data == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the scheduler");
    if (status == HF_OK) status = start_thread(self, error);
    HF_TRY(hf_agree(self->comm, status, error)); /* what follows is collective */
    status = hf_counter_create(self->comm, self->settings.counter, &data->counter, error);
cleanup:
    return status;
}

/** Makes the table of levels, the same on every rank. */
static void plan(struct counting *data, int64_t n_task, int n_rank)
{
    const int64_t n_chunk = (int64_t)n_rank * CHUNKS_PER_LEVEL;
    struct level next = {.chunk = 2};
    for (data->n_level = 0; next.chunk > 1; data->n_level++) {
        next.chunk = (n_task - next.first_position) / ((int64_t)n_rank * CHUNKS_PER_SHARE);
        if (next.chunk < 1 || data->n_level == MOST_LEVELS - 1) next.chunk = 1;
        data->level[data->n_level] = next;
        next.first_value += n_chunk;
        next.first_position += n_chunk * next.chunk;
    }
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct counting *data = self->data;
    plan(data, self->n_task, self->n_rank);
    data->position = data->end = 0;
    data->finished = false;
    data->at_level = 0;
    hf_progress_thread_wake(data->thread);
    return HF_OK;
}

static void take_chunk(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    const int64_t value = hf_counter_take(data->counter, 1);
    while (data->at_level + 1 < data->n_level &&
           value >= data->level[data->at_level + 1].first_value)
        data->at_level++;
    const struct level *level = &data->level[data->at_level];
    data->position = level->first_position + (value - level->first_value) * level->chunk;
    data->end = data->position + level->chunk;
    data->finished = data->position >= self->n_task;
    if (data->finished) data->end = data->position;
}

/** Without it the others would wait for the end of this rank's chunk where the library serves
 *  windows in MPI calls only. */
static void serve_now_and_then(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    const double start = hf_wall_seconds();
    int there;
    if (start - data->last_look < LOOK_SECONDS) return;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm, &there, MPI_STATUS_IGNORE);
    data->last_look = hf_wall_seconds();
    self->account.wait_seconds += data->last_look - start;
}

static int64_t next(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    if (data->position == data->end && !data->finished) {
        const double start = hf_wall_seconds();
        take_chunk(self);
        self->account.wait_seconds += hf_wall_seconds() - start;
    }
    if (data->position == data->end) return -1;
    if (self->rank == 0 && self->n_rank > 1 && data->thread == NULL) serve_now_and_then(self);
    return hf_schedule_task(self, data->position++);
}

static void abandon(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    data->position = data->end;
    data->finished = true;
}

/** From here on the rank waits inside MPI and serves without the thread. The counter is made ready
 *  for the next round here, since start may fail on one rank before it gets to its scheduler. */
static void finish(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    hf_progress_thread_rest(data->thread);
    hf_schedule_barrier(self);
    hf_counter_reset(data->counter);
}

static void destroy(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    if (data == NULL) return;
    hf_counter_destroy(&data->counter);
    hf_progress_thread_stop(&data->thread);
}

const struct hf_scheduler_ops hf_schedule_counter = {
    .name = "counter",
    .about = "all ranks take chunks from a shared counter, largest first",
    .cite = "Performance of MPI-2 passive target one-sided communications, section 2; "
            "MPI: A Message-Passing Interface Standard, version 3.1, section 11.3.4",
    .instead = &hf_schedule_steal, /* hands out on demand, too, by messages alone */
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
