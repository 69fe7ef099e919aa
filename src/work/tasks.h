/* Tasks of quartet work, numbered in falling order of cost. */
#ifndef HF_WORK_TASKS_H
#define HF_WORK_TASKS_H

#include "hf/context.h"
#include "integrals/shell_pair.h"
#include "schedule/task_levels.h"
#include "shell_lists.h"
#include "work/task.h"

/** A task is a unit (task_units.h), or a tile or row of pairs of units, smaller if the pairs are expensive. Tasks are
 *  numbered in falling order of cost without a list of them: the products of groups of units ("blocks") are sorted,
 *  and a block's tasks follow from their number.
 *
 *      units in falling cost:  | group 0 | group 1 |  group 2  | ...
 *      blocks in falling cost: 0x0 (triangle), 0x1 (rectangle), 1x1 (triangle), 0x2, ... */
struct hf_task_list;

/** Not collective; every rank makes the same list. HF_NO_RESOURCE. */
hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error) HF_MUST_CHECK;
void hf_task_list_destroy(struct hf_task_list **list);

int64_t hf_task_list_size(const struct hf_task_list *list);
enum hf_grain hf_task_list_grain(const struct hf_task_list *list);

/** Estimated cost of the most expensive task, in units of the pairs' costs. */
double hf_task_list_highest(const struct hf_task_list *list);

/** Levels of tasks from the costs of their blocks, an octave apart, without looking at single tasks. Levels
 *  fall with the numbers of the tasks. The same on every rank. */
void hf_task_list_levels(const struct hf_task_list *list, struct hf_task_levels *levels);

/** The shell pairs of each shell, if the units are shells; otherwise NULL. */
const struct hf_shell_lists *hf_task_list_of_shells(const struct hf_task_list *list);

struct hf_task hf_task_list_get(const struct hf_task_list *list, int64_t index);

/** Index of the atom pair, shell pair (the first, if there are several) or shell at a position. */
int64_t hf_task_list_unit(const struct hf_task_list *list, int64_t position);

/** End of the shell pairs of the unit that begins with `first`, if tasks have all kets. */
int64_t hf_task_list_bra_end(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                             int64_t first);

#endif
