/* What every Fock build goes through: a round of the scheduler over all threads, its times, looks
 * at the clock and at signals. */
#include "../fock/fock_private.h"

#include <math.h>

/** Runs `compute` on every thread; the worst status, with its message. */
static hf_status run_threads(struct hf_fock_builder *self,
                             hf_status (*compute)(struct hf_fock_builder *self,
                                                  struct hf_fock_worker *worker,
                                                  struct hf_error *error),
                             struct hf_error *error)
{
    hf_status worst = HF_OK;
#pragma omp parallel for num_threads(self->n_worker) schedule(static, 1)
    for (int i = 0; i < self->n_worker; i++) {
        struct hf_error own = {0};
        const hf_status status = compute(self, &self->worker[i], &own);
        pthread_mutex_lock(&self->round.lock);
        if (status > worst) {
            worst = status;
            if (error != NULL) *error = own;
        }
        pthread_mutex_unlock(&self->round.lock);
    }
    return worst;
}

/** Brings round and workers into their first state. */
static void begin(struct hf_fock_builder *self)
{
    self->round.n_task = 0;
    self->round.ended = false;
    self->round.reader = 0;
    self->round.segment = 0;
    for (int i = 0; i < self->n_worker; i++) {
        struct hf_quartet_work *work = &self->worker[i].work;
        /* Many primitive quartets make one quartet: together they may drop about what screening
         * may. */
        hf_engine_set_threshold(work->engine, 0.1 * self->screening.threshold);
        work->n_computed = work->n_read = 0;
        self->worker[i].traced = hf_wall_seconds();
    }
}

/** Books what the threads did. */
static void end(struct hf_fock_builder *self, hf_status status)
{
    if (self->store_use != HF_STORE_RECORD) return;
    self->stored = status == HF_OK;
    if (status != HF_OK) hf_fock_drop_store(self);
}

hf_status hf_fock_run_round(struct hf_fock_builder *self,
                            hf_status (*compute)(struct hf_fock_builder *self,
                                                 struct hf_fock_worker *worker,
                                                 struct hf_error *error),
                            struct hf_error *error)
{
    struct hf_timers *timers = &self->context->timers;
    const int64_t n_task = hf_fock_needs_tasks(self) ? hf_task_list_size(self->tasks) : 0;
    hf_status status = HF_OK;
    HF_TRY(hf_scheduler_start(self->scheduler, n_task, NULL, error));
    begin(self);
    const double waited_before = hf_timer_seconds(timers, &hf_phase_fock_wait_blocks);
    const double start = hf_wall_seconds();
    status = run_threads(self, compute, error);
    const double seconds = hf_wall_seconds() - start;
    const double blocks = hf_timer_seconds(timers, &hf_phase_fock_wait_blocks) - waited_before;
    const double at_end = hf_wall_seconds();
    hf_scheduler_finish(self->scheduler);
    hf_trace_add_phase(self->context->trace, 0, &hf_phase_fock_wait_ranks, at_end,
                       hf_wall_seconds() - at_end);
    const struct hf_schedule_account account = hf_scheduler_account(self->scheduler);
    const double waited = account.wait_seconds / self->n_worker;
    hf_timer_add(timers, &hf_phase_fock_compute, seconds - waited - blocks);
    hf_timer_add(timers, &hf_phase_fock_wait_task, waited);
    hf_timer_add(timers, &hf_phase_fock_wait_ranks, account.finish_seconds);
    self->account.n_task = n_task;
    status = hf_agree(self->context->comm, status, error);
    end(self, status);
cleanup:
    return status;
}

/** Shows progress now and then; HF_INTERRUPTED, the scheduler abandoned, when that says so. */
static hf_status look_around(struct hf_fock_builder *self, struct hf_error *error)
{
    enum { TASKS_PER_LOOK = 16 };
    const int64_t n_done = self->round.n_task;
    if (n_done % TASKS_PER_LOOK != 0 || self->settings.progress == NULL) return HF_OK;
    const double share =
        (double)hf_task_list_size(self->tasks) / (double)self->context->n_rank + 1.0;
    const double fraction = fmin(1.0, (double)n_done / share);
    const int signal_number = self->settings.progress(self->settings.progress_data, fraction);
    if (signal_number == 0) return HF_OK;
    hf_scheduler_abandon(self->scheduler);
    return hf_interrupted(error, signal_number);
}

/** Waits shorter than this are not worth a record of their own. */
static const double NOTICED_SECONDS = 5e-6;

void hf_fock_trace_task(const struct hf_fock_builder *self, struct hf_fock_worker *worker,
                        enum hf_trace_kind kind, int64_t task)
{
    struct hf_trace *trace = self->context->trace;
    if (trace == NULL) return;
    const double now = hf_wall_seconds();
    hf_trace_add(trace, worker->number, (int)kind, task, worker->traced, now - worker->traced);
    worker->traced = now;
}

void hf_fock_trace_wait(const struct hf_fock_builder *self, struct hf_fock_worker *worker,
                        const struct hf_phase *phase, double start)
{
    struct hf_trace *trace = self->context->trace;
    if (trace == NULL) return;
    const double now = hf_wall_seconds();
    if (now - start < NOTICED_SECONDS) return;
    hf_trace_add_phase(trace, worker->number, phase, start, now - start);
    worker->traced = now;
}

bool hf_fock_next_task(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                       hf_status *status, int64_t *index, struct hf_error *error)
{
    struct hf_fock_round *round = &self->round;
    const bool traced = self->context->trace != NULL;
    const double start = traced ? hf_wall_seconds() : 0.0;
    *index = -1;
    pthread_mutex_lock(&round->lock);
    if (!round->ended && *status != HF_OK) hf_scheduler_abandon(self->scheduler);
    if (!round->ended && *status == HF_OK && round->n_task > 0) *status = look_around(self, error);
    if (!round->ended && *status == HF_OK) *index = hf_scheduler_next(self->scheduler);
    if (*index < 0)
        round->ended = true;
    else
        round->n_task++;
    pthread_mutex_unlock(&round->lock);
    if (traced) hf_fock_trace_wait(self, worker, &hf_phase_fock_wait_task, start);
    return *index >= 0;
}
