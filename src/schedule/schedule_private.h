/* What the schedulers share. */
#ifndef HF_SCHEDULE_PRIVATE_H
#define HF_SCHEDULE_PRIVATE_H

#include "base/arena.h"
#include "hf/interruption.h"
#include "hf/timer.h"
#include "schedule/schedule.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct hf_scheduler {
    struct hf_arena arena;
    const struct hf_scheduler_ops *ops;
    struct hf_scheduler_settings settings;
    MPI_Comm comm; /**< a duplicate, owned */
    int rank, n_rank;
    int n_ready; /**< ranks that begin at once; the others have no tasks at first */
    struct hf_task_levels levels; /**< of the tasks of the round */
    int64_t n_task;
    int64_t *order; /**< [n_task] of hf_scheduler_start_by_cost: tasks in falling cost; or NULL */
    struct hf_schedule_account account;
    struct hf_idle_work idle;
    char note[512]; /**< why this scheduler replaces the one asked for, or "" */
    void *data;     /**< of the implementation [ops->data_bytes] */
};

extern const struct hf_scheduler_ops hf_schedule_static, hf_schedule_manager, hf_schedule_counter,
    hf_schedule_steal;

/** Ranks among which even shares are dealt. */
static inline int hf_schedule_n_dealt(const struct hf_scheduler *self)
{
    return self->n_ready > 0 ? self->n_ready : self->n_rank;
}

/** Whether all ranks begin at once. */
static inline bool hf_schedule_all_ready(const struct hf_scheduler *self)
{
    return self->n_ready == self->n_rank;
}

/** Whether the round must end: then no more tasks are taken or handed out. To be called while waiting, so
 *  that a rank without work learns of an interruption and passes it on. The caller must be the only thread in
 *  MPI. */
static inline bool hf_schedule_is_interrupted(const struct hf_scheduler *self)
{
    return hf_interruption_look(self->settings.interruption, true) != 0;
}

/** When a computing rank calls MPI next, to serve others. */
struct hf_looks {
    double next; /**< wall clock */
};

/** Adds a look that began at `start` to the waiting time and sets the time of the next one: after 50 times the
 *  length of this look, so that looks take at most 2 % of the time even if the library yields the core in each;
 *  but after 100 microseconds at least and 10 ms at most. */
static inline void hf_look_done(struct hf_scheduler *self, struct hf_looks *looks, double start)
{
    const double end = hf_wall_seconds(), took = end - start;
    self->account.wait_seconds += took;
    looks->next = end + fmin(fmax(50.0 * took, 100e-6), 10e-3);
}

/** MPI_Barrier that checks for interruptions and does idle work while it waits. */
void hf_schedule_barrier(const struct hf_scheduler *self);

/** Number of groups, each served by one of its ranks: from the settings, or one for up to `alone` ranks; for
 *  more ranks, groups of about the square root of n_rank, but at least `least` ranks. */
int hf_schedule_n_group(const struct hf_scheduler *self, int alone, int least);

#endif
