/* Costs of tasks: a level of one byte each (schedule/task_levels.h), estimated from the bounds and costs of pairs and
 * corrected by the times measured in a round before. Tasks that are empty after screening are found here and
 * never handed out.
 *
 *     estimate    sum over the quartets of a task that matter in the round, from the costs of pairs
 *     correction  measured seconds over the estimate of that round, in levels, relative to all tasks
 *     order       tasks that are not empty, in falling level; the scheduler's numbers refer to it
 *
 * Every rank estimates its share of the tasks. One reduction of a byte for each task makes levels known; the
 * ranks of a node share the arrays. */
#ifndef HF_WORK_COSTS_H
#define HF_WORK_COSTS_H

#include "hf/context.h"
#include "integrals/shell_pair.h"
#include "schedule/task_levels.h"

struct hf_task_list;
struct hf_task_costs;

/** Room for costs of the tasks of a list (both borrowed). *costs is NULL, and the order of the list is used, if
 *  there is one rank (unless `as_for_many`) or if the costs would need too much memory. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_task_costs_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                               const struct hf_task_list *list, int n_thread, bool as_for_many,
                               struct hf_task_costs **costs, struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a pointer to NULL; leaves NULL. */
void hf_task_costs_destroy(struct hf_task_costs **costs);

/** Bytes on a node for so many tasks and curves (pairs of atoms, or shells if these are the units). */
double hf_task_costs_bytes(double n_task, double n_curve);

/** Finds the order for a round in which products of bounds below `least` do not matter, and the number of tasks
 *  of each level. Collective; the same on every rank. */
void hf_task_costs_find(struct hf_task_costs *costs, double least, struct hf_task_levels *levels);

/** The task at a position of the order. */
int64_t hf_task_costs_task(const struct hf_task_costs *costs, int64_t position);

/** Whether tasks of the round must be measured: there are no corrections yet. */
bool hf_task_costs_wanted(const struct hf_task_costs *costs);

/** Notes the time of a task, or of a part of it. Lack of memory only reduces the accuracy. Not collective; each
 *  thread of a rank has its own number. */
void hf_task_costs_note(struct hf_task_costs *costs, int thread, int64_t task, double seconds);

/** Corrects the estimates of later rounds with the notes. Collective, outside rounds. */
void hf_task_costs_correct(struct hf_task_costs *costs);

/** Drops the corrections, since other quartets will be computed. Collective. */
void hf_task_costs_forget(struct hf_task_costs *costs);

#endif
