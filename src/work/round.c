/* A round: the scheduler for all threads, times, checks of the clock and of signals. */
#include "work_private.h"

#include "base/threads.h"

#include <math.h>

/** Ends the round for all threads of the rank; some thread failed. */
static void give_up(struct hf_work *work)
{
    if (!work->round.ended) hf_scheduler_abandon(work->scheduler);
    work->round.ended = true;
}

void hf_work_give_up(struct hf_worker *worker)
{
    pthread_mutex_lock(&worker->work->round.lock);
    give_up(worker->work);
    pthread_mutex_unlock(&worker->work->round.lock);
}

/** A round and its handle. */
struct run {
    struct hf_work *work;
    const struct hf_round *round;
};

/** hf_thread_work: a thread's share of the round. */
static hf_status run_thread(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct run *run = data;
    struct hf_worker *worker = &run->work->worker[thread];
    const double start = hf_wall_seconds();
    worker->traced_thread = hf_thread_seconds();
    const hf_status status = run->round->run(run->round->data, worker, error);
    (void)n_thread;
    worker->computed = hf_wall_seconds() - start - worker->waited;
    if (status != HF_OK) hf_work_give_up(worker);
    return status;
}

/** Resets the states of the round and the workers. */
static void begin_round(struct hf_work *work)
{
    const double threshold = hf_work_primitive_threshold(work, work->store_use);
    work->round.n_task = 0;
    work->round.ended = false;
    hf_interruption_begin(work->context->interruption);
    for (int i = 0; i < work->n_worker; i++) {
        struct hf_worker *worker = &work->worker[i];
        hf_engine_set_threshold(worker->engine, threshold);
        worker->n_computed = worker->n_read = worker->n_single = 0;
        worker->since_look = 0;
        worker->waited = worker->computed = 0.0;
        worker->interrupted = false;
        worker->traced = hf_wall_seconds();
    }
}

/** Adds the times of a round whose threads ran for `seconds` to the timers. When threads did not compute they
 *  waited: for the scheduler, for their turn with it, or for each other at the end. */
static void book(struct hf_work *work, double seconds)
{
    struct hf_timers *timers = &work->context->timers;
    const struct hf_work_phases *phases = &work->settings.phases;
    double computed = 0.0;
    for (int i = 0; i < work->n_worker; i++) computed += work->worker[i].computed;
    computed /= work->n_worker;
    hf_timer_add(timers, phases->compute, computed);
    hf_timer_add(timers, phases->wait_task, fmax(0.0, seconds - computed));
    hf_timer_add(timers, phases->wait_ranks, hf_scheduler_account(work->scheduler).finish_seconds);
}

/** Finds the tasks of the round, and the number of tasks of each level. Collective. */
static void find_tasks(struct hf_work *work, struct hf_task_levels *levels)
{
    const double least = work->threshold / work->largest;
    const bool needed = hf_work_needs_tasks(work);
    work->measures = false;
    work->n_listed = needed ? work->tasks->n_task : 0;
    *levels = hf_equal_tasks(0);
    if (work->costs == NULL && needed) hf_task_list_levels(work->tasks, levels);
    if (work->costs != NULL && needed) {
        if (work->store_use != work->costs_use) hf_task_costs_forget(work->costs);
        work->costs_use = work->store_use;
        hf_task_costs_find(work->costs,
                           work->store_use == HF_STORE_FILL ? work->least_bound : least, levels);
        work->measures = hf_task_costs_wanted(work->costs);
    }
    work->n_task = 0;
    for (int level = 1; level < HF_N_TASK_LEVEL; level++) work->n_task += levels->count[level];
}

hf_status hf_work_run(struct hf_work *work, const struct hf_round *round, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_task_levels levels;
    work->threshold = round->threshold;
    work->largest = round->largest;
    work->factor = round->factor;
    work->factor_data = round->data;
    HF_TRY(hf_work_prepare_store(work, round, error));
    find_tasks(work, &levels);
    HF_TRY(hf_scheduler_start(work->scheduler, &levels, error));
    begin_round(work);
    const double start = hf_wall_seconds();
    status = hf_threads_run(work->n_worker, run_thread, &(struct run){work, round}, error);
    const double end = hf_wall_seconds();
    hf_scheduler_set_idle(work->scheduler, &(struct hf_idle_work){round->idle, round->data});
    hf_scheduler_finish(work->scheduler);
    hf_trace_add_phase(work->context->trace, 0, work->settings.phases.wait_ranks, end,
                       hf_wall_seconds() - end);
    book(work, end - start);
    hf_interruption_set_fraction(work->context->interruption, 0.0);
    status = hf_agree_to_go_on(work->context, status, error);
    if (status == HF_OK && work->measures) hf_task_costs_correct(work->costs);
    if (status == HF_OK && work->prices_wanted) hf_work_learn_prices(work);
    if (status == HF_OK && work->store_use == HF_STORE_FILL) hf_work_keep_store(work);
cleanup:
    if (status != HF_OK && work->store_use == HF_STORE_FILL) hf_work_drop_store(work);
    return status;
}

/** Checks for an interruption; if there is one, abandons the scheduler: HF_INTERRUPTED. The thread holds the
 *  lock: no other thread is in MPI. */
static hf_status look_around(struct hf_work *work, struct hf_error *error)
{
    struct hf_interruption *interruption = work->context->interruption;
    const double share = (double)work->n_task / (double)work->context->n_rank + 1.0;
    hf_interruption_set_fraction(interruption, fmin(1.0, (double)work->round.n_task / share));
    const int reason = hf_interruption_look(interruption, true);
    if (reason == 0) return HF_OK;
    give_up(work);
    return hf_interrupted(error, reason);
}

/** Place of the next task in the list; -1: there are no more. The lock is held. */
static int64_t next_in_turn(struct hf_work *work, hf_status *status, struct hf_error *error)
{
    struct hf_round_state *round = &work->round;
    int64_t place = -1;
    if (!round->ended) *status = look_around(work, error);
    if (!round->ended) place = hf_scheduler_next(work->scheduler);
    if (place < 0)
        round->ended = true;
    else
        round->n_task++;
    return place;
}

hf_status hf_work_next_task(struct hf_worker *worker, int64_t *index, struct hf_error *error)
{
    struct hf_work *work = worker->work;
    struct hf_round_state *round = &work->round;
    const double start = hf_wall_seconds();
    hf_status status = HF_OK;
    *index = HF_TASK_BY_TURNS;
    bool locked = pthread_mutex_trylock(&round->lock) == 0;
    if (!locked) *index = hf_scheduler_next_beside(work->scheduler);
    if (*index == HF_TASK_BY_TURNS) {
        if (!locked) pthread_mutex_lock(&round->lock);
        locked = true;
        *index = next_in_turn(work, &status, error);
    }
    if (*index >= 0 && work->costs != NULL) *index = hf_task_costs_task(work->costs, *index);
    if (locked) pthread_mutex_unlock(&round->lock);
    worker->waited += hf_wall_seconds() - start;
    hf_work_trace_wait(worker, work->settings.phases.wait_task, start);
    return status;
}

hf_status hf_work_do_part(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                          void *self, const struct hf_part *part, struct hf_error *error)
{
    const struct hf_work *work = worker->work;
    const bool stores = work->store_use == HF_STORE_FILL && !part->stored;
    hf_status status = HF_OK;
    if (stores) hf_work_look_at_store(worker);
    if (stores) status = hf_integral_store_begin(worker->store, part->task, part->index, error);
    if (status == HF_OK && consumer->lend != NULL) status = consumer->lend(self, part, error);
    if (status != HF_OK) return status;
    const bool measures = work->measures && !part->stored;
    const double start = measures ? hf_thread_seconds() : 0.0;
    worker->consumer = consumer;
    worker->self = self;
    (part->stored ? hf_worker_read : hf_worker_compute)(worker, part);
    if (consumer->finish != NULL) status = consumer->finish(self, part, error);
    if (measures)
        hf_task_costs_note(work->costs, worker->number, part->task, hf_thread_seconds() - start);
    if (status == HF_OK && worker->store_failed)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the list of stored integrals");
    const int reason =
        worker->interrupted ? hf_interruption_look(work->context->interruption, false) : 0;
    return reason != 0 && status == HF_OK ? hf_interrupted(error, reason) : status;
}

/** Does all parts of a task, one after another in `part`. */
static hf_status do_task(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                         void *self, int64_t task, struct hf_part *part, struct hf_error *error)
{
    hf_status status = HF_OK;
    part->task = task;
    part->stored = false;
    for (int32_t i = 0; status == HF_OK && hf_work_find_part(worker, task, i, part); i++)
        if (part->n_ket > 0) status = hf_work_do_part(worker, consumer, self, part, error);
    hf_work_trace_part(worker, part);
    return status;
}

hf_status hf_work_do_all(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                         void *self, struct hf_error *error)
{
    struct hf_part part = {0};
    hf_status status = HF_OK;
    int64_t task = 0;
    while (status == HF_OK && hf_work_next_stored(worker, &part)) {
        status = hf_work_do_part(worker, consumer, self, &part, error);
        hf_work_trace_part(worker, &part);
    }
    while (status == HF_OK && task >= 0) {
        status = hf_work_next_task(worker, &task, error);
        if (status == HF_OK && task >= 0)
            status = do_task(worker, consumer, self, task, &part, error);
    }
    return status;
}

/** Begins the thread's next record of the trace. */
static void begin_record(struct hf_worker *worker, double now)
{
    worker->traced = now;
    worker->traced_thread = hf_thread_seconds();
}

/** Shorter waits are not recorded. */
static const double NOTICED_SECONDS = 5e-6;

void hf_work_trace_part(struct hf_worker *worker, const struct hf_part *part)
{
    hf_work_trace_step(worker, part->stored ? HF_TRACE_STORED_TASK : HF_TRACE_TASK, part->task);
}

void hf_work_trace_step(struct hf_worker *worker, int kind, int64_t task)
{
    struct hf_trace *trace = worker->work->context->trace;
    if (trace == NULL) return;
    hf_trace_add(trace, worker->number, kind, task, worker->traced,
                 hf_thread_seconds() - worker->traced_thread);
    begin_record(worker, hf_wall_seconds());
}

void hf_work_trace_wait(struct hf_worker *worker, const struct hf_phase *phase, double start)
{
    struct hf_trace *trace = worker->work->context->trace;
    if (trace == NULL) return;
    const double now = hf_wall_seconds();
    if (now - start < NOTICED_SECONDS) return;
    hf_trace_add_phase(trace, worker->number, phase, start, now - start);
    begin_record(worker, now);
}

void hf_work_trace_block(struct hf_worker *worker, int kind, int64_t task, int i, int j,
                         double bytes)
{
    hf_trace_add_block(worker->work->context->trace, worker->number, kind, task, i, j, bytes);
}
