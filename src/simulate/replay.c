/* Ranks that do rounds of tasks, as work/round.c does: threads take tasks by turns, and each task takes the time that
 * was recorded. */
#include "replay.h"

#include "blocks.h"

#include "hf/context.h"
#include "hf/timer.h"
#include "schedule/schedule.h"

#include <math.h>
#include <stdlib.h>

struct replay {
    const struct hf_sim_rounds *rounds;
    const struct hf_sim_settings *settings;
    struct hf_sim_outcome *outcome;
    struct hf_sim_block_plan *plan; /**< NULL: no blocks */
    int *owner; /**< [tasks of the largest round] rank that did a task when integrals were stored */
    double *begin; /**< [n_rank] seconds of reading before the first task */
    double start;  /**< of the round */
    struct hf_sim_failure failure;
};

/** A rank and its round. */
struct rank {
    struct replay *replay;
    struct hf_context *context;
    struct hf_scheduler *scheduler;
    struct hf_sim_blocks *blocks; /**< NULL: none */
    const struct hf_sim_round *round;
    struct hf_sim_outcome *outcome;
    pthread_mutex_t lock;
    bool ended;
    double work, wait, blocked;
};

/** A task for a thread of the rank; -1: there are no more. */
static int64_t next_task(struct rank *self)
{
    const double start = hf_wall_seconds();
    int64_t place = HF_TASK_BY_TURNS;
    const bool at_once = pthread_mutex_trylock(&self->lock) == 0;
    if (!at_once) place = hf_scheduler_next_beside(self->scheduler);
    if (place == HF_TASK_BY_TURNS) {
        if (!at_once) pthread_mutex_lock(&self->lock);
        place = self->ended ? -1 : hf_scheduler_next(self->scheduler);
        self->ended = place < 0;
        pthread_mutex_unlock(&self->lock);
    } else if (at_once) {
        pthread_mutex_unlock(&self->lock);
    }
    self->wait += hf_wall_seconds() - start;
    return place < 0 ? -1 : self->round->order[place];
}

/** Parts of a task, of which each is computed in one go (work/parts.c). */
static double n_part(const struct rank *self, int64_t task)
{
    enum { MOST_PARTS = 64 };
    static const double PART_SECONDS = 50e-6;
    return fmax(1.0, fmin(MOST_PARTS, ceil(self->round->seconds[task] / PART_SECONDS)));
}

/** Computes a task. With blocks, a rank serves others between two parts. */
static void compute(struct rank *self, int64_t task)
{
    const double seconds = self->round->seconds[task];
    const double n = self->blocks != NULL ? n_part(self, task) : 1.0;
    for (int part = 0; part < n; part++) {
        hf_sim_compute(seconds / n);
        if (self->blocks != NULL) hf_sim_blocks_serve(self->blocks);
    }
    self->work += seconds;
    self->outcome->n_done++;
    self->outcome->tasks_over = fmax(self->outcome->tasks_over, hf_sim_now());
    if (self->round->stored == NULL) self->replay->owner[task] = self->context->rank;
}

/** Tasks that a thread has taken, with their blocks on their way: so many parts as the ring of steps of
 *  fock/step_ring.c has at most. Without blocks, one task. */
enum { MOST_AHEAD = 16 };
struct ahead {
    int64_t task[MOST_AHEAD];
    struct hf_sim_fetch *fetch[MOST_AHEAD];
    int first, n;
    double parts;
    bool ended;
};

/** Takes tasks until there are enough. */
static void take_tasks(struct rank *self, struct ahead *ahead)
{
    const double enough = self->blocks != NULL ? MOST_AHEAD : 0.0;
    while (!ahead->ended && ahead->n < MOST_AHEAD && (ahead->n == 0 || ahead->parts < enough)) {
        const int64_t task = next_task(self);
        const int place = (ahead->first + ahead->n) % MOST_AHEAD;
        ahead->ended = task < 0;
        if (ahead->ended) return;
        ahead->task[place] = task;
        ahead->fetch[place] =
            self->blocks != NULL ? hf_sim_blocks_begin(self->blocks, self->round, task) : NULL;
        ahead->parts += n_part(self, task);
        ahead->n++;
    }
}

/** Waits for the blocks of the first task, and computes it. */
static void do_first(struct rank *self, struct ahead *ahead)
{
    const int place = ahead->first;
    const double start = hf_sim_now();
    ahead->first = (place + 1) % MOST_AHEAD;
    ahead->n--;
    ahead->parts -= n_part(self, ahead->task[place]);
    if (self->blocks != NULL) hf_sim_blocks_end(self->blocks, ahead->fetch[place]);
    self->blocked += hf_sim_now() - start;
    compute(self, ahead->task[place]);
}

/** A thread's work. */
static void *do_tasks(void *data)
{
    struct rank *self = data;
    struct ahead ahead = {.n = 0};
    const double reading =
        self->round->stored != NULL ? self->replay->begin[self->context->rank] : 0.0;
    hf_sim_compute(reading);
    self->work += reading;
    for (take_tasks(self, &ahead); ahead.n > 0; take_tasks(self, &ahead)) do_first(self, &ahead);
    return NULL;
}

/** Adds what a rank has done to the outcome. */
static void book(struct rank *self)
{
    struct hf_sim_outcome *outcome = self->outcome;
    outcome->work += self->work;
    outcome->blocked += self->blocked;
    if (self->context->rank == 0) outcome->first_wait = self->wait;
}

/** hf_idle_work of a rank with blocks, as fock/distributed.c has it. */
static void serve_others(void *blocks)
{
    hf_sim_blocks_serve(blocks);
}

static hf_status do_round(struct rank *self, struct hf_error *error)
{
    struct replay *replay = self->replay;
    const int n_thread = replay->settings->n_thread;
    self->ended = false;
    self->work = self->wait = self->blocked = 0.0;
    HF_CHECK(hf_scheduler_start(self->scheduler, &self->round->levels, error));
    pthread_t *thread = hf_sim_memory((size_t)n_thread, sizeof *thread);
    replay->start = hf_sim_now(); /* the same on all ranks */
    for (int t = 1; t < n_thread; t++) pthread_create(&thread[t], NULL, do_tasks, self);
    do_tasks(self);
    for (int t = 1; t < n_thread; t++) pthread_join(thread[t], NULL);
    free(thread);
    hf_scheduler_set_idle(
        self->scheduler,
        &(struct hf_idle_work){self->blocks != NULL ? serve_others : NULL, self->blocks});
    hf_scheduler_finish(self->scheduler);
    if (self->blocks != NULL) hf_sim_blocks_collect(self->blocks);
    self->outcome->seconds = fmax(self->outcome->seconds, hf_sim_now() - replay->start);
    book(self);
    MPI_Barrier(self->context->comm);
    if (self->context->rank == 0)
        self->outcome->tasks_over = fmax(0.0, self->outcome->tasks_over - replay->start);
    return HF_OK;
}

/** Seconds that each thread of a rank reads stored integrals for. Rank 0 does it for all. */
static void find_reading(struct replay *replay, const struct hf_sim_round *round)
{
    for (int r = 0; r < replay->settings->n_rank; r++) replay->begin[r] = 0.0;
    for (int64_t t = 0; round->stored != NULL && t < round->n_task; t++)
        replay->begin[replay->owner[t]] += round->stored[t] / replay->settings->n_thread;
}

static hf_status do_rounds(struct rank *self, struct hf_error *error)
{
    struct replay *replay = self->replay;
    for (int i = 0; i < replay->rounds->n_round; i++) {
        self->round = &replay->rounds->round[i];
        self->outcome = &replay->outcome[i];
        if (self->context->rank == 0) find_reading(replay, self->round);
        MPI_Barrier(self->context->comm);
        HF_CHECK(do_round(self, error));
    }
    return HF_OK;
}

static void be_rank(void *data)
{
    struct replay *replay = data;
    const struct hf_sim_settings *settings = replay->settings;
    struct rank self = {.replay = replay};
    struct hf_error error = {0};
    hf_status status = HF_OK;
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &self.context, &error));
    self.context->n_thread = settings->n_thread;
    const struct hf_scheduler_settings scheduler = {.name = settings->scheduler,
                                                    .group = settings->group,
                                                    .context = self.context,
                                                    .interruption = self.context->interruption};
    HF_TRY(hf_scheduler_create(self.context->comm, &scheduler, &self.scheduler, &error));
    pthread_mutex_init(&self.lock, NULL);
    if (replay->plan != NULL)
        HF_TRY(hf_sim_blocks_create(self.context, settings->transport, replay->plan, &self.blocks,
                                    &error));
    HF_TRY(do_rounds(&self, &error));
cleanup:
    if (status != HF_OK) replay->failure = (struct hf_sim_failure){status, error};
    hf_sim_blocks_destroy(&self.blocks);
    hf_scheduler_destroy(&self.scheduler);
    hf_context_destroy(&self.context);
}

/** Memory of a replay. */
static hf_status prepare(struct replay *replay, struct hf_error *error)
{
    const struct hf_sim_rounds *rounds = replay->rounds;
    int64_t most = 0;
    for (int i = 0; i < rounds->n_round; i++)
        if (rounds->round[i].n_task > most) most = rounds->round[i].n_task;
    replay->owner = calloc((size_t)most + 1, sizeof *replay->owner);
    replay->begin = calloc((size_t)replay->settings->n_rank, sizeof *replay->begin);
    if (replay->owner == NULL || replay->begin == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d ranks",
                       replay->settings->n_rank);
    if (rounds->n_number == 0 || replay->settings->n_rank == 1) return HF_OK;
    return hf_sim_block_plan_make(rounds, replay->settings->n_rank, &replay->plan, error);
}

hf_status hf_sim_run_ranks(const struct hf_sim_machine *machine, int n_rank,
                           void (*run)(void *data), void *data,
                           const struct hf_sim_failure *failure, struct hf_error *error)
{
    if (!hf_sim_create(machine, n_rank)) {
        hf_sim_destroy();
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d ranks", n_rank);
    }
    for (int r = 0; r < n_rank; r++) hf_sim_start(r, run, data);
    const int n_left = hf_sim_run();
    hf_sim_destroy();
    if (failure->status != HF_OK && error != NULL) *error = failure->error;
    if (failure->status == HF_OK && n_left > 0)
        return hf_fail(error, HF_NO_RESOURCE, "%d threads of the simulated ranks wait for ever",
                       n_left);
    return failure->status;
}

hf_status hf_sim_replay(const struct hf_sim_rounds *rounds, const struct hf_sim_machine *machine,
                        const struct hf_sim_settings *settings, struct hf_sim_outcome outcome[],
                        struct hf_error *error)
{
    struct replay replay = {.rounds = rounds, .settings = settings, .outcome = outcome};
    hf_status status;
    HF_TRY(prepare(&replay, error));
    for (int i = 0; i < rounds->n_round; i++) outcome[i] = (struct hf_sim_outcome){0};
    status = hf_sim_run_ranks(machine, settings->n_rank, be_rank, &replay, &replay.failure, error);
cleanup:
    hf_sim_block_plan_free(&replay.plan);
    free(replay.owner);
    free(replay.begin);
    return status;
}
