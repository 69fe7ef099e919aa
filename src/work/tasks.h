/* Tasks of quartet work, numbered in falling order of cost. */
#ifndef HF_WORK_TASKS_H
#define HF_WORK_TASKS_H

#include "hf/context.h"
#include "schedule/task_levels.h"
#include "task_units.h"
#include "work/task.h"

/** A task is a unit (task_units.h), or a tile or row of pairs of units, smaller if the pairs are expensive. Tasks are
 *  numbered in falling order of cost without a list of them: the products of groups of units ("blocks") are sorted,
 *  and a block's tasks follow from their number.
 *
 *      units in falling cost:  | group 0 | group 1 |  group 2  | ...
 *      blocks in falling cost: 0x0 (triangle), 0x1 (rectangle), 1x1 (triangle), 0x2, ... */
struct hf_task_list {
    struct hf_arena arena;
    struct hf_task_units units;
    struct hf_task_block *block; /**< [n_block] in falling cost; none if each unit is a task */
    int n_block;
    int64_t n_task;
    /** Estimated cost of the most expensive task if no quartet were negligible, in units of the pairs' costs */
    double highest;
};

/** Every rank makes the same list. Release it with hf_arena_free. Not collective. HF_NO_RESOURCE. */
hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error) HF_MUST_CHECK;

/** Levels of tasks from the costs of their blocks, an octave apart, without looking at single tasks. Levels
 *  fall with the numbers of the tasks. The same on every rank. */
void hf_task_list_levels(const struct hf_task_list *list, struct hf_task_levels *levels);

struct hf_task hf_task_list_get(const struct hf_task_list *list, int64_t index);

#endif
