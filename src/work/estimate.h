/* Estimated costs of tasks from the bounds and costs of the pairs of shells in them. */
#ifndef HF_WORK_ESTIMATE_H
#define HF_WORK_ESTIMATE_H

#include "cost_curve.h"
#include "integrals/shell_pair.h"

struct hf_task;
struct hf_task_list;

/** Approximate cost of the quartets of a task whose product of bounds is not below `least`; 0 only if there are
 *  none. `curve` [i] is made by hf_task_make_curve, for all i. */
double hf_task_estimate(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        const struct hf_cost_curve curve[], const struct hf_task *task,
                        double least);

/** Number of curves that an estimate needs: one for each pair of atoms, or for each shell if shells are the
 *  units. */
int64_t hf_task_n_curve(const struct hf_task_list *list, const struct hf_shell_pairs *pairs);
void hf_task_make_curve(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        int64_t i, struct hf_cost_curve *curve);

#endif
