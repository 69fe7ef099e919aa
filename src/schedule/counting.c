/* Shared counter: a rank that needs work adds one to a counter that ranks share. The value before is the
 * number of its chunk of the list (counter paper, section 2; chunks.h). The first chunk of each rank needs no
 * counter. All ranks compute: none is a manager.
 *
 * Many ranks have several counters, one for each group of neighbours, which counts the chunks of the group. If
 * its own group has no more chunks, a rank asks the next groups, and stops after some (groups.h). */
#include "chunks.h"
#include "schedule_private.h"

#include "hf/context.h"
#include "hf/timer.h"
#include "text/progress.h"

enum {
    /** Ranks that one counter serves: a thousand operations take about a millisecond. */
    ALONE = 256,
    LEAST_GROUP = 16,
};

struct counting {
    struct hf_counter *counter;
    struct hf_progress_thread *thread; /**< NULL: not asked for, or no counter here */
    struct hf_chunk_taker taker;
    struct hf_looks looks; /**< of a rank that holds a counter */
};

static bool is_home(const struct hf_scheduler *self)
{
    const struct counting *data = self->data;
    return data->taker.own.first == self->rank;
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
    const bool several = self->settings.counter == HF_COUNTER_FETCH_AND_OP;
    const int n_group = several ? hf_schedule_n_group(self, ALONE, LEAST_GROUP) : 1;
    struct counting *data = self->data;
    data->taker.own = hf_group_of_rank(self->n_rank, n_group, self->rank);
    HF_CHECK(hf_agree(self->comm, start_thread(self, error), error));
    return hf_counter_create(self->comm, self->settings.counter, n_group, &data->counter, error);
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    (void)error;
    struct counting *data = self->data;
    hf_chunk_taker_start(&data->taker, &self->levels, self->n_rank, hf_schedule_all_ready(self));
    hf_progress_thread_rest(data->thread, false);
    return HF_OK;
}

/** The next chunk of the group that is asked. The counter begins after the chunks that ranks have without asking. */
static struct hf_chunk_number ask_counter(void *scheduler)
{
    const struct hf_scheduler *self = scheduler;
    const struct counting *data = self->data;
    const struct hf_rank_group *group = &data->taker.asked;
    const int64_t first = hf_schedule_all_ready(self) ? group->size : 0;
    const int64_t value = first + hf_counter_take(data->counter, group->group, 1);
    const int64_t round = value / group->size;
    if (round >= hf_chunks_of_worker(&data->taker.plan)) return (struct hf_chunk_number){-1, 0};
    return (struct hf_chunk_number){round, group->first + value % group->size};
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
    struct hf_chunk *chunk = &data->taker.chunk;
    if (hf_chunk_is_empty(chunk) && !data->taker.finished) {
        const double start = hf_wall_seconds();
        hf_chunk_taker_fill(&data->taker, self->rank, ask_counter, self);
        self->account.wait_seconds += hf_wall_seconds() - start;
    }
    if (hf_chunk_is_empty(chunk)) return -1;
    if (is_home(self) && self->n_rank > 1 && data->thread == NULL) serve_now_and_then(self);
    return chunk->begin++;
}

static void abandon(struct hf_scheduler *self)
{
    struct counting *data = self->data;
    hf_chunk_taker_drop(&data->taker);
    data->taker.finished = true;
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
    .data_bytes = sizeof(struct counting),
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
