/* Tasks of quartet work, numbered in falling order of cost. */
#ifndef HF_WORK_TASKS_H
#define HF_WORK_TASKS_H

#include "hf/context.h"
#include "hf/shell_pair.h"
#include "hf/task.h"
#include "hf/task_levels.h"

/** Tasks are tiles of pairs of units, rows of them, smaller ones of dear pairs, or one unit with
 * all up to it; units are atom pairs or shell pairs. Tasks are numbered in falling order of cost
 * without a list of them ever being made: the units are put into groups of similar cost, and the
 * groups' products are what is sorted.
 *
 *      units, dearest first:  | group 0 | group 1 |  group 2  | ...
 *      blocks, dearest first: 0x0 (triangle), 0x1 (rectangle), 1x1 (triangle), 0x2, ...
 *
 *  Within a group units stand in the order of the atoms, so that a tile meets few atoms. */
struct hf_task_list;

/** Not collective; every rank makes the same list. HF_NO_RESOURCE. */
hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error) HF_MUST_CHECK;
void hf_task_list_destroy(struct hf_task_list **list);

int64_t hf_task_list_size(const struct hf_task_list *list);
enum hf_grain hf_task_list_grain(const struct hf_task_list *list);

/** What a task costs at most by the estimates, in units of the pairs' costs. */
double hf_task_list_dearest(const struct hf_task_list *list);

/** What is known of costs without looking at the tasks: their blocks', an octave apart; falling with the
 *  numbers of the tasks. The same on every rank. */
void hf_task_list_levels(const struct hf_task_list *list, struct hf_task_levels *levels);

struct hf_task hf_task_list_get(const struct hf_task_list *list, int64_t index);

/** Index of the atom pair or shell pair at a position. */
int64_t hf_task_list_unit(const struct hf_task_list *list, int64_t position);

/** Atom pair that a shell pair belongs to. */
int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair);

#endif
