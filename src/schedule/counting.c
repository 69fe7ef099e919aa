/* Shared counter: a rank that needs work adds one to a counter that ranks share. The value before is the
 * number of its chunk of the list (counter paper, section 2; chunks.h). The first chunk of each rank needs no
 * counter. All ranks compute: none is a manager.
 *
 * Many ranks have several counters, one for each group of neighbours, which counts the chunks of the group. If
 * its own group has no more chunks, a rank asks the next groups, and stops after some (groups.h). */
#include "chunks.h"
#include "groups.h"
#include "schedule_private.h"

#include "hf/context.h"
#include "hf/timer.h"
#include "text/progress.h"

#include <stdlib.h>

enum {
    /** Ranks that one counter serves: a thousand operations take about a millisecond. */
    ALONE = 256,
    LEAST_GROUP = 16,
};

struct counting {
    struct hf_counter *counter;
    struct hf_progress_thread *thread; /**< NULL: not asked for, or no counter here */
    struct hf_chunk_plan plan;
    struct hf_chunk chunk;      /**< remaining tasks of the current chunk */
    struct hf_rank_group own;   /**< group of this rank */
    struct hf_rank_group group; /**< group whose counter is asked */
    bool begun;                 /**< the first chunk is taken */
    bool finished;              /**< no group that it asks has more chunks */
    struct hf_looks looks;      /**< of a rank that holds a counter */
};

static bool is_home(const struct hf_scheduler *self)
{
    const struct counting *data = self->data;
    return data->own.first == self->rank;
}

/** Starts a progress thread on a rank that holds a counter: other ranks have nothing to serve. */
static hf_status start_thread(struct hf_scheduler *self, struct hf_error *error)
{
    struct counting *data = self->data;
    if (!self->settings.progress_thread || !is_home(self)) return HF_OK;
    const hf_status status = hf_progress_thread_start(MPI_COMM_SELF, &data->thread, error);
    hf_progress_thread_rest(data->thread, true);
    return status;
}

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const bool several = self->settings.counter == HF_COUNTER_FETCH_AND_OP;
    const int n_group = several ? hf_schedule_n_group(self, ALONE, LEAST_GROUP) : 1;
    struct counting *data = self->data = calloc(1, sizeof *data);
    if (data == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the scheduler");
    if (data != NULL) data->own = hf_group_of_rank(self->n_rank, n_group, self->rank);
    if (status == HF_OK) status = start_thread(self, error);
    HF_TRY(hf_agree(self->comm, status, error)); /* what follows is collective */
    status = hf_counter_create(self->comm, self->settings.counter, n_group, &data->counter, error);
cleanup:
    return status;
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct counting *data = self->data;
    hf_chunk_plan_make(&self->levels, self->n_rank, &data->plan);
    data->chunk = (struct hf_chunk){0, 0};
    data->group = data->own;
    data->begun = data->finished = false;
    hf_progress_thread_rest(data->thread, false);
    return HF_OK;
}

/** Takes the first chunk, or the next chunk of some group, which may be empty. */
static void take_chunk(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    const struct hf_rank_group *group = &data->group;
    if (!data->begun) {
        data->begun = true;
        data->chunk = hf_chunk_of(&data->plan, 0, self->rank);
        return;
    }
    const int64_t value = group->size + hf_counter_take(data->counter, group->group, 1);
    const int64_t round = value / group->size;
    if (round < hf_chunks_of_worker(&data->plan)) {
        data->chunk = hf_chunk_of(&data->plan, round, group->first + (int)(value % group->size));
        return;
    }
    data->finished = !hf_next_group(&data->own, &data->group);
}

/** Lets the library serve the window: some libraries do that in MPI calls only, and other ranks would wait for
 *  the end of this rank's chunk. */
static void serve_now_and_then(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    const double start = hf_wall_seconds();
    int there;
    if (start < data->looks.next) return;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm, &there, MPI_STATUS_IGNORE);
    hf_look_done(self, &data->looks, start);
}

static int64_t next(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    struct hf_chunk *chunk = &data->chunk;
    if (chunk->begin == chunk->end && !data->finished) {
        const double start = hf_wall_seconds();
        while (chunk->begin == chunk->end && !data->finished) take_chunk(self);
        self->account.wait_seconds += hf_wall_seconds() - start;
    }
    if (chunk->begin == chunk->end) return -1;
    if (is_home(self) && self->n_rank > 1 && data->thread == NULL) serve_now_and_then(self);
    return chunk->begin++;
}

static void abandon(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    data->chunk.begin = data->chunk.end;
    data->finished = true;
}

/** The rank now waits inside MPI and serves others without the thread. The counters are reset here and not in
 *  start, which is not called if one rank fails before. */
static void finish(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    hf_progress_thread_rest(data->thread, true);
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
    .about =
        "ranks take chunks from a shared counter (many ranks: one for each group), largest first",
    .cite = "Performance of MPI-2 passive target one-sided communications, section 2; "
            "MPI: A Message-Passing Interface Standard, version 3.1, section 11.3.4; "
            "S. F. Hummel, E. Schonberg, L. E. Flynn, Commun. ACM 35 (8), 90 (1992)",
    .instead = &hf_schedule_steal, /* also hands out on demand, without windows */
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
