/* Estimated costs of tasks from the bounds and costs of the pairs of shells in them. */
#ifndef HF_WORK_ESTIMATE_H
#define HF_WORK_ESTIMATE_H

#include "hf/grain.h"
#include "hf/shell_pair.h"

struct hf_task;
struct hf_task_list;

/** Steps in which the bounds of the shell pairs of a pair of atoms fall, by a factor of four each. */
enum { HF_COST_STEPS = 12 };

/** Costs of the shell pairs of a pair of atoms: of those whose bound is above that of the dearest over 4^(i+1);
 *  the last step has all. */
struct hf_cost_curve {
    double bound; /**< largest */
    float above[HF_COST_STEPS];
};

/** Costs of a pair of atoms. */
void hf_cost_curve_make(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *atoms,
                        struct hf_cost_curve *curve);

/** Cost of the quartets of a task whose product of bounds is not below `least`, about; 0 only if there are
 *  none. `curve` [n_atom_pair] is of all pairs of atoms. */
double hf_task_estimate(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        const struct hf_cost_curve curve[], const struct hf_task *task,
                        double least);

/** Share of the cost of all quartets that is above the accuracy of the pairs: from a sample, the same on every
 *  rank. In large molecules it is small, and tasks that are to be a part of all work have to be small, too. */
double hf_share_that_matters(const struct hf_shell_pairs *pairs, enum hf_grain grain);

#endif
