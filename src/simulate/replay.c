/* Ranks that do the recorded rounds of tasks (work/round.c), each of which takes the time that was recorded, and what
 * follows them. */
#include "replay.h"

#include "blocks.h"
#include "sums.h"

#include "hf/context.h"
#include "hf/timer.h"
#include "work/work_private.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct replay {
    const struct hf_sim_rounds *rounds;
    const struct hf_sim_settings *settings;
    struct hf_sim_outcome *outcome;
    struct hf_sim_step *step;
    struct hf_arena arena;         /**< of the arrays */
    struct hf_common_pairs *pairs; /**< NULL: no method after the SCF */
    int *owner; /**< [tasks of the largest round] rank that did a task when integrals were stored */
    double *begin;                  /**< [n_rank] seconds of reading before the first task */
    double start, over, collecting; /**< of the round: first start, last end of tasks; after that */
    struct hf_sim_failure failure;
};

/** A rank and its round. */
struct rank {
    struct replay *replay;
    struct hf_context *context;
    struct hf_trace trace;
    struct hf_work *work;
    struct hf_sim_blocks *blocks; /**< NULL: none */
    struct hf_sim_sums *sums;     /**< NULL: no matrices move */
    const struct hf_sim_round *round;
    struct hf_sim_outcome *outcome;
};

static double seconds_of(const struct rank *self, int64_t task)
{
    return hf_sim_seconds(self->round, HF_TRACE_TASK, task);
}

static bool reads(const struct hf_sim_round *round)
{
    return round->of[HF_TRACE_STORED_TASK].n > 0;
}

/** Parts of a task, of which each is computed in one go (work/parts.c). */
static double n_part(const struct rank *self, int64_t task)
{
    enum { MOST_PARTS = 64 };
    static const double PART_SECONDS = 50e-6;
    return fmax(1.0, fmin(MOST_PARTS, ceil(seconds_of(self, task) / PART_SECONDS)));
}

/** Computes a task. With blocks, a rank serves others between two parts. */
static void compute(struct rank *self, int64_t task)
{
    const double seconds = seconds_of(self, task);
    const double n = self->blocks != NULL ? n_part(self, task) : 1.0;
    for (int part = 0; part < n; part++) {
        hf_sim_compute(seconds / n);
        if (self->blocks != NULL) hf_sim_blocks_serve(self->blocks);
    }
    self->outcome->work += seconds;
    self->outcome->n_done++;
    self->outcome->tasks_over = fmax(self->outcome->tasks_over, hf_sim_now());
    if (!reads(self->round)) self->replay->owner[task] = self->context->rank;
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
static hf_status take_tasks(struct rank *self, struct hf_worker *worker, struct ahead *ahead,
                            struct hf_error *error)
{
    const double enough = self->blocks != NULL ? MOST_AHEAD : 0.0;
    while (!ahead->ended && ahead->n < MOST_AHEAD && (ahead->n == 0 || ahead->parts < enough)) {
        int64_t task = -1;
        HF_CHECK(hf_work_next_task(worker, &task, error));
        const int place = (ahead->first + ahead->n) % MOST_AHEAD;
        ahead->ended = task < 0;
        if (ahead->ended) return HF_OK;
        ahead->task[place] = task;
        ahead->fetch[place] =
            self->blocks != NULL ? hf_sim_blocks_begin(self->blocks, self->round, task) : NULL;
        ahead->parts += n_part(self, task);
        ahead->n++;
    }
    return HF_OK;
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
    self->outcome->blocked += hf_sim_now() - start;
    compute(self, ahead->task[place]);
}

/** hf_round.run */
static hf_status do_tasks(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct rank *self = data;
    struct ahead ahead = {.n = 0};
    const double reading = self->replay->begin[self->context->rank];
    self->replay->start = fmin(self->replay->start, hf_sim_now());
    hf_sim_compute(reading);
    self->outcome->work += reading;
    do {
        HF_CHECK(take_tasks(self, worker, &ahead, error));
        if (ahead.n > 0) do_first(self, &ahead);
    } while (ahead.n > 0 || !ahead.ended);
    return HF_OK;
}

/** hf_round.idle of a rank with blocks, as fock/distributed.c has it. */
static void serve_others(void *data)
{
    const struct rank *self = data;
    hf_sim_blocks_serve(self->blocks);
}

/** Seconds that each thread of a rank reads stored integrals for. Rank 0 does it for all. */
static void begin_round(struct replay *replay, const struct hf_sim_round *round)
{
    const struct hf_sim_tasks *stored = &round->of[HF_TRACE_STORED_TASK];
    replay->start = INFINITY;
    replay->over = replay->collecting = 0.0;
    for (int r = 0; r < replay->settings->n_rank; r++) replay->begin[r] = 0.0;
    for (int64_t t = 0; t < stored->n; t++)
        replay->begin[replay->owner[t]] += stored->seconds[t] / replay->settings->n_thread;
}

static hf_status do_round(struct rank *self, struct hf_error *error)
{
    struct replay *replay = self->replay;
    struct hf_sim_outcome *outcome = self->outcome;
    hf_trace_begin_build(&self->trace);
    if (self->context->rank == 0) begin_round(replay, self->round);
    MPI_Barrier(self->context->comm);
    const double begun = hf_sim_now();
    if (self->sums != NULL) HF_CHECK(hf_sim_sums_begin(self->sums, self->round, error));
    const double spreading = hf_sim_now() - begun;
    const struct hf_round round = {
        .run = do_tasks, .data = self, .idle = self->blocks != NULL ? serve_others : NULL};
    HF_CHECK(hf_work_run(self->work, &round, error));
    const double agreed = hf_sim_now(); /* on the status, which is no part of the round */
    replay->over = fmax(replay->over, self->trace.ended);
    if (self->blocks != NULL) hf_sim_blocks_collect(self->blocks);
    if (self->sums != NULL) HF_CHECK(hf_sim_sums_finish(self->sums, error));
    replay->collecting = fmax(replay->collecting, hf_sim_now() - agreed);
    MPI_Barrier(self->context->comm);
    if (self->context->rank != 0) return HF_OK;
    outcome->seconds = spreading + replay->over - replay->start + replay->collecting;
    outcome->tasks_over = fmax(0.0, outcome->tasks_over - replay->start);
    return HF_OK;
}

static hf_status do_rounds(struct rank *self, struct hf_error *error)
{
    struct replay *replay = self->replay;
    const struct hf_sim_settings *settings = replay->settings;
    const struct hf_work_settings work = {
        .schedule = {.name = settings->scheduler, .group = settings->group},
        .n_thread = settings->n_thread};
    HF_CHECK(hf_work_create(self->context, NULL, &work, &self->work, error));
    if (replay->rounds->n_number > 0 && settings->n_rank > 1)
        HF_CHECK(hf_sim_blocks_create(self->context, settings->transport, replay->rounds,
                                      &self->blocks, error));
    if (replay->rounds->n_site > 0 && replay->rounds->n_round > 0 && settings->n_rank > 1)
        HF_CHECK(hf_sim_sums_create(self->context, replay->rounds, &self->sums, error));
    for (int i = 0; i < replay->rounds->n_round; i++) {
        self->round = &replay->rounds->round[i];
        self->outcome = &replay->outcome[i];
        HF_CHECK(do_round(self, error));
    }
    return HF_OK;
}

/** MP2 or local MP2, if the trace has it. */
static hf_status do_method(struct rank *self, struct hf_error *error)
{
    struct replay *replay = self->replay;
    if (replay->pairs == NULL) return HF_OK;
    if (hf_sim_method(replay->rounds, "mp2") != NULL)
        return hf_sim_mp2(self->context, replay->rounds, replay->settings, replay->pairs,
                          replay->step, error);
    return hf_sim_local_mp2(self->context, replay->rounds, replay->settings, replay->pairs,
                            replay->step, error);
}

static void be_rank(void *data)
{
    struct replay *replay = data;
    struct rank self = {.replay = replay};
    struct hf_error error = {0};
    hf_status status = HF_OK;
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &self.context, &error));
    self.context->n_thread = replay->settings->n_thread;
    hf_sim_trace_init(&self.trace, replay->rounds, self.context);
    HF_TRY(do_rounds(&self, &error));
    HF_TRY(do_method(&self, &error));
cleanup:
    hf_sim_sums_destroy(&self.sums);
    if (status != HF_OK) replay->failure = (struct hf_sim_failure){status, error};
    hf_sim_blocks_destroy(&self.blocks);
    hf_work_destroy(&self.work);
    if (self.context != NULL) self.context->trace = NULL;
    hf_context_destroy(&self.context);
}

/** Memory of a replay. */
static hf_status prepare(struct replay *replay, struct hf_error *error)
{
    const struct hf_sim_rounds *rounds = replay->rounds;
    const cJSON *mp2 = hf_sim_method(rounds, "mp2"), *local = hf_sim_method(rounds, "local_mp2");
    int64_t most = 0;
    for (int i = 0; i < rounds->n_round; i++)
        for (int kind = HF_TRACE_TASK; kind <= HF_TRACE_STORED_TASK; kind++)
            if (rounds->round[i].of[kind].n > most) most = rounds->round[i].of[kind].n;
    HF_TAKE(&replay->arena, replay->owner, (size_t)most);
    HF_TAKE(&replay->arena, replay->begin, (size_t)replay->settings->n_rank);
    HF_CHECK(hf_arena_check(&replay->arena, error));
    if (rounds->n_batch > 0 && mp2 != NULL) replay->pairs = hf_sim_mp2_pairs(rounds);
    if (rounds->n_batch > 0 && local != NULL) replay->pairs = hf_sim_pairs_make(1, 1, 1);
    return HF_OK;
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
                        struct hf_sim_step step[], struct hf_error *error)
{
    struct replay replay = {.rounds = rounds,
                            .settings = settings,
                            .outcome = outcome,
                            .step = step,
                            .arena = {.label = "simulated ranks"}};
    hf_status status;
    HF_TRY(prepare(&replay, error));
    for (int i = 0; i < rounds->n_round; i++) outcome[i] = (struct hf_sim_outcome){0};
    for (int i = 0; i < HF_SIM_MOST_STEPS; i++) step[i] = (struct hf_sim_step){0};
    status = hf_sim_run_ranks(machine, settings->n_rank, be_rank, &replay, &replay.failure, error);
cleanup:
    hf_sim_pairs_free(&replay.pairs);
    hf_arena_done(&replay.arena);
    return status;
}
