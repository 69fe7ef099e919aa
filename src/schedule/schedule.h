/* Handing out tasks: who does what, statically or on demand. Knows nothing of chemistry.
 *
 *     hf_scheduler_start(s, levels)               collective
 *     while ((i = hf_scheduler_next(s)) >= 0)     every rank by itself
 *         do task i;
 *     hf_scheduler_finish(s)                      collective
 *
 * Tasks are numbered in falling cost. A scheduler only knows the number of tasks of each level. Between start
 * and finish every task 0 .. n_task-1 is given to exactly one rank. A rank that cannot go on calls
 * hf_scheduler_abandon instead of next, then finish: other ranks get the remaining tasks, and finish never
 * hangs. */
#ifndef HF_SCHEDULE_H
#define HF_SCHEDULE_H

#include "hf/schedule_settings.h"
#include "hf/status.h"
#include "schedule/counter.h"
#include "schedule/task_levels.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_scheduler;

/** Tasks and times of the last round on this rank. */
struct hf_schedule_account {
    int64_t n_task;        /**< tasks this rank was given */
    double wait_seconds;   /**< time inside next: waiting for tasks, or serving others there */
    double finish_seconds; /**< time inside finish: waiting for the last rank, or serving others */
};

/** hf_scheduler_next_beside returns it if threads must take turns. */
enum { HF_TASK_BY_TURNS = -2 };

/** Something to do while a rank waits for the last one: called repeatedly by the waiting thread, the only
 *  thread at that time. It may communicate with other ranks, but must not wait for them. */
struct hf_idle_work {
    void (*work)(void *data); /**< NULL: nothing */
    void *data;
};

/** One way of handing out tasks: one constant instance per scheduler; the list is
 *  hf_scheduler_list. The front (schedule.c) measures waiting and agrees on what start returned. */
struct hf_scheduler_ops {
    const char *name, *about, *cite; /**< --schedule NAME; help text; where it is published */
    /** Replacement if `create` finds that the MPI library lacks what this scheduler needs; NULL: none. */
    const struct hf_scheduler_ops *instead;
    size_t data_bytes; /**< size of self->data, which the front allocates */
    /** Initialises self->data, which is zero. Collective; each rank returns its own outcome. NULL: nothing to do.
     *  HF_NO_RESOURCE. */
    hf_status (*create)(struct hf_scheduler *self, struct hf_error *error);
    /** Opens a round, whose tasks the front has put into self. Collective; each rank returns its own
     *  outcome. HF_NO_RESOURCE. */
    hf_status (*start)(struct hf_scheduler *self, struct hf_error *error);
    /** The next task of this rank; -1: there are no more. Not collective. */
    int64_t (*next)(struct hf_scheduler *self);
    /** The same for a thread while another thread is in `next` and serves other ranks there. HF_TASK_BY_TURNS:
     *  call `next` in turn. Any thread. NULL: threads take turns. */
    int64_t (*next_beside)(struct hf_scheduler *self);
    /** This rank takes no more tasks, but others must not wait for it for ever. Not collective. */
    void (*abandon)(struct hf_scheduler *self);
    /** Closes the round after every rank has got -1 or abandoned. Collective. NULL: nothing to do. */
    void (*finish)(struct hf_scheduler *self);
    /** Releases what self->data refers to outside self->arena; self->data may be incomplete. Collective. NULL:
     *  nothing to do. */
    void (*destroy)(struct hf_scheduler *self);
};

/** NULL-terminated list of the schedulers there are. */
extern const struct hf_scheduler_ops *const hf_scheduler_list[];

/** Scheduler over a duplicate of `comm`; the settings are copied, the name in them is borrowed. If the MPI
 *  library makes no windows, or does not grant the MPI_THREAD_MULTIPLE that a progress thread needs, another
 *  scheduler is used, and hf_scheduler_note says why. Collective. HF_BAD_INPUT: no such scheduler.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_scheduler_create(MPI_Comm comm, const struct hf_scheduler_settings *settings,
                              struct hf_scheduler **scheduler,
                              struct hf_error *error) HF_MUST_CHECK;

/** Name of the scheduler in use. Not collective. */
const char *hf_scheduler_name(const struct hf_scheduler *scheduler);

/** One line: why it is not the scheduler asked for; "" if it is. Equal on every rank. Not collective. */
const char *hf_scheduler_note(const struct hf_scheduler *scheduler);

/** Collective; leaves NULL. */
void hf_scheduler_destroy(struct hf_scheduler **scheduler);

/** Opens a round of tasks, numbered in falling cost; `levels` equal on all ranks, copied. Collective.
 *
 *  Expensive tasks are handed out first, and every rank gets its tasks in falling order of cost; but a rank
 *  that steals may get more expensive ones than it had. With "static" and "steal" rank r begins with the r-th
 *  task, and does each part (its share, then tasks it took over) in falling order. */
hf_status hf_scheduler_start(struct hf_scheduler *scheduler, const struct hf_task_levels *levels,
                             struct hf_error *error) HF_MUST_CHECK;

/** The same with tasks in any order, of cost[n_task] in any unit, equal on all ranks: next gives indices
 *  into it. Tasks that cost nothing are not handed out. Collective. HF_NO_RESOURCE. */
hf_status hf_scheduler_start_by_cost(struct hf_scheduler *scheduler, int64_t n_task,
                                     const double cost[], struct hf_error *error) HF_MUST_CHECK;

/** Another round of the tasks that hf_scheduler_start_by_cost was given last. Collective. HF_NO_RESOURCE: that
 *  call failed. */
hf_status hf_scheduler_start_again(struct hf_scheduler *scheduler,
                                   struct hf_error *error) HF_MUST_CHECK;

/** In the rounds that follow, only ranks 0 .. n_ready-1 begin at once. The others have other work first: they have no
 *  tasks until they call next, with "static" none at all, unless all are late (0). Not collective, equal on all ranks. */
void hf_scheduler_set_ready(struct hf_scheduler *scheduler, int n_ready);

/** Next task of this rank, or -1 when there are no more. Not collective, but ranks serve each other
 *  here ("steal"; first ranks of groups with "manager", and with "counter" unless a thread does): a rank that
 *  does not call it for long keeps others waiting. */
int64_t hf_scheduler_next(struct hf_scheduler *scheduler);

/** A task, or -1, for a thread while another thread serves other ranks in hf_scheduler_next ("manager");
 *  HF_TASK_BY_TURNS if threads must take turns. Does not count in the account. Any thread. */
int64_t hf_scheduler_next_beside(struct hf_scheduler *scheduler);

/** This rank takes no more tasks: next would now return -1. Its remaining tasks are lost: of its share
 *  (static), of its share or of tasks it took over (steal), or of its chunk (counter, manager). So the round is
 *  incomplete, and the caller reports the failure after finish. Not collective. */
void hf_scheduler_abandon(struct hf_scheduler *scheduler);

/** Sets the work that finish does while it waits; copied. Not collective. */
void hf_scheduler_set_idle(struct hf_scheduler *scheduler, const struct hf_idle_work *idle);

/** Closes the round after every rank has got -1 or abandoned. Collective. */
void hf_scheduler_finish(struct hf_scheduler *scheduler);

/** Account of the round just finished (or running) on this rank. Not collective. */
struct hf_schedule_account hf_scheduler_account(const struct hf_scheduler *scheduler);

#endif
