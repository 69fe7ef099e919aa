/* What every Fock build goes through: a round of the scheduler, its times, looks at the clock and
 * at signals. */
#include "fock_private.h"

#include <math.h>

hf_status hf_fock_run_round(struct hf_fock_builder *self,
                            hf_status (*compute)(struct hf_fock_builder *self,
                                                 struct hf_error *error),
                            struct hf_error *error)
{
    struct hf_timers *timers = &self->context->timers;
    const int64_t n_task = hf_task_list_size(self->tasks);
    hf_status status = HF_OK;
    HF_TRY(hf_scheduler_start(self->scheduler, n_task, NULL, error));
    /* Many primitive quartets make one quartet: together they may drop about what screening may. */
    hf_engine_set_threshold(self->work.engine, 0.1 * self->work.threshold);
    const double waited_before = timers->seconds[HF_PHASE_FOCK_WAIT_BLOCKS];
    const double start = hf_wall_seconds();
    status = compute(self, error);
    const double seconds = hf_wall_seconds() - start;
    const double blocks = timers->seconds[HF_PHASE_FOCK_WAIT_BLOCKS] - waited_before;
    hf_scheduler_finish(self->scheduler);
    const struct hf_schedule_account account = hf_scheduler_account(self->scheduler);
    hf_timer_add(timers, HF_PHASE_FOCK_COMPUTE, seconds - account.wait_seconds - blocks);
    hf_timer_add(timers, HF_PHASE_FOCK_WAIT_TASK, account.wait_seconds);
    hf_timer_add(timers, HF_PHASE_FOCK_WAIT_RANKS, account.finish_seconds);
    self->account.n_task = n_task;
    status = hf_agree(self->context->comm, status, error);
cleanup:
    return status;
}

hf_status hf_fock_look_around(struct hf_fock_builder *self, int64_t n_done, struct hf_error *error)
{
    enum { TASKS_PER_LOOK = 64 };
    if (n_done % TASKS_PER_LOOK != 0 || self->settings.progress == NULL) return HF_OK;
    const double share =
        (double)hf_task_list_size(self->tasks) / (double)self->context->n_rank + 1.0;
    const double fraction = fmin(1.0, (double)n_done / share);
    const int signal_number = self->settings.progress(self->settings.progress_data, fraction);
    if (signal_number == 0) return HF_OK;
    hf_scheduler_abandon(self->scheduler);
    return hf_interrupted(error, signal_number);
}
