/* Handing out tasks: who does what, statically or on demand. Knows nothing of chemistry.
 *
 *     hf_scheduler_start(s, levels)               collective
 *     while ((i = hf_scheduler_next(s)) >= 0)     every rank by itself
 *         do task i;
 *     hf_scheduler_finish(s)                      collective
 *
 * Tasks are numbered in falling cost, of which a scheduler knows how many there are of each level. Between
 * start and finish every task 0 .. n_task-1 is given to exactly one rank. A rank that
 * cannot go on calls hf_scheduler_abandon instead of next and then finish: the others get what is
 * left, and finish never hangs. */
#ifndef HF_SCHEDULE_H
#define HF_SCHEDULE_H

#include "hf/schedule_settings.h"
#include "hf/status.h"
#include "schedule/counter.h"
#include "schedule/task_levels.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct hf_scheduler;

/** What the last round cost this rank. */
struct hf_schedule_account {
    int64_t n_task;        /**< tasks this rank was given */
    double wait_seconds;   /**< time inside next: waiting for tasks, or serving others there */
    double finish_seconds; /**< time inside finish: waiting for the last rank (a rank that serves
                                others and has abandoned goes on serving here) */
};

/** What hf_scheduler_next_beside has for threads that are to take turns. */
enum { HF_TASK_BY_TURNS = -2 };

/** Something to do while a rank waits for the last one: called again and again by the thread that waits,
 *  which is the only one then. It may talk to other ranks, but must not wait for them. */
struct hf_idle_work {
    void (*work)(void *data); /**< NULL: nothing */
    void *data;
};

/** One way of handing out tasks: one constant instance per scheduler; the list is
 *  hf_scheduler_list. The front (schedule.c) measures waiting and agrees on what start returned. */
struct hf_scheduler_ops {
    const char *name, *about, *cite; /**< --schedule NAME; help text; where it is published */
    /** Taken where `create` finds that the MPI library lacks what this one needs; NULL: none. */
    const struct hf_scheduler_ops *instead;
    /** Sets self->data. Collective; each rank returns its own outcome. HF_NO_RESOURCE. */
    hf_status (*create)(struct hf_scheduler *self, struct hf_error *error);
    /** Opens a round, whose tasks the front has put into self. Collective; each rank returns its own
     *  outcome. HF_NO_RESOURCE. */
    hf_status (*start)(struct hf_scheduler *self, struct hf_error *error);
    /** The next task of this rank; -1: there are no more. Not collective. */
    int64_t (*next)(struct hf_scheduler *self);
    /** The same for a thread while another one is in `next`, where that takes long: the latter serves
     *  others. HF_TASK_BY_TURNS: wait for your turn. Any thread. NULL: threads take turns. */
    int64_t (*next_beside)(struct hf_scheduler *self);
    /** This rank takes no more tasks, but others must not wait for it for ever. Not collective. */
    void (*abandon)(struct hf_scheduler *self);
    /** Closes the round when every rank has had its -1 or abandoned. Collective. */
    void (*finish)(struct hf_scheduler *self);
    /** Frees what self->data holds, which may be NULL or incomplete; self->data itself is freed
     *  after it. Collective. NULL: nothing to do. */
    void (*destroy)(struct hf_scheduler *self);
};

/** NULL-terminated list of the schedulers there are. */
extern const struct hf_scheduler_ops *const hf_scheduler_list[];

/** Scheduler over a duplicate of `comm`; the settings are copied, the name in them is borrowed. Where
 *  the MPI library makes no windows, or grants no MPI_THREAD_MULTIPLE to the progress thread that was
 *  asked for, another scheduler is taken, and hf_scheduler_note says why.
 *  Collective. HF_BAD_INPUT: no such scheduler. HF_NO_RESOURCE: memory. */
hf_status hf_scheduler_create(MPI_Comm comm, const struct hf_scheduler_settings *settings,
                              struct hf_scheduler **scheduler,
                              struct hf_error *error) HF_MUST_CHECK;

/** Name of the scheduler in use. Not collective. */
const char *hf_scheduler_name(const struct hf_scheduler *scheduler);

/** One line on why it is not the one asked for; "" when it is. Equal on every rank. Not collective. */
const char *hf_scheduler_note(const struct hf_scheduler *scheduler);

/** Collective; leaves NULL. */
void hf_scheduler_destroy(struct hf_scheduler **scheduler);

/** Opens a round of tasks, numbered in falling cost; `levels` equal on all ranks, copied. Collective.
 *
 *  Expensive tasks are handed out first, and every rank gets its tasks in falling order of cost; but a
 *  thief may get more expensive ones than it had. With "static" and "steal" rank r begins with the r-th task,
 *  and each part a rank has at one time (its share, then what it takes over) goes in falling order. */
hf_status hf_scheduler_start(struct hf_scheduler *scheduler, const struct hf_task_levels *levels,
                             struct hf_error *error) HF_MUST_CHECK;

/** The same with tasks in any order, of cost[n_task] in any unit, equal on all ranks: next gives indices
 *  into it. Tasks that cost nothing are not handed out. Collective. HF_NO_RESOURCE. */
hf_status hf_scheduler_start_by_cost(struct hf_scheduler *scheduler, int64_t n_task,
                                     const double cost[], struct hf_error *error) HF_MUST_CHECK;

/** Another round of the tasks that hf_scheduler_start_by_cost was given last. Collective. HF_NO_RESOURCE: it failed. */
hf_status hf_scheduler_start_again(struct hf_scheduler *scheduler,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Next task of this rank, or -1 when there are no more. Not collective, but ranks serve each other
 *  here ("steal"; first ranks of groups with "manager", and with "counter" unless a thread does): one that stays
 *  away long keeps others waiting. */
int64_t hf_scheduler_next(struct hf_scheduler *scheduler);

/** A task, or -1, for a thread while another one is in hf_scheduler_next, which serves other ranks there
 *  ("manager"); HF_TASK_BY_TURNS where threads have to take turns. Does not count in the account. Any thread. */
int64_t hf_scheduler_next_beside(struct hf_scheduler *scheduler);

/** This rank takes no more tasks: next would now return -1. What was set aside for it is lost, that
 *  is its whole share (static), what it has left of its share or of what it took over (steal), or the
 *  rest of its chunk and one that it may have asked for ahead (counter, manager); so the round is
 *  incomplete and the caller reports the failure after finish. Not collective. */
void hf_scheduler_abandon(struct hf_scheduler *scheduler);

/** What finish does from now on while it waits; copied. Not collective. */
void hf_scheduler_set_idle(struct hf_scheduler *scheduler, const struct hf_idle_work *idle);

/** Closes the round when every rank has had its -1 or abandoned. Collective. */
void hf_scheduler_finish(struct hf_scheduler *scheduler);

/** Account of the round just finished (or running) on this rank. Not collective. */
struct hf_schedule_account hf_scheduler_account(const struct hf_scheduler *scheduler);

#endif
