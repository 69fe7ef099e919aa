/* Costs of the quartets above a bound, from curves of the costs of shell pairs. */
#ifndef HF_WORK_COST_CURVE_H
#define HF_WORK_COST_CURVE_H

#include "hf/grain.h"
#include "integrals/shell_pair.h"

/** Steps of a curve: bounds of shell pairs fall by a factor of four from one step to the next. */
enum { HF_COST_STEPS = 12 };

/** Costs of the shell pairs of two atoms or of a shell. above[i]: cost of the pairs whose bound is above the
 *  largest bound / 4^(i+1); the last step includes all pairs. */
struct hf_cost_curve {
    double bound; /**< largest */
    float above[HF_COST_STEPS];
};

/** Costs of a pair of atoms. */
void hf_cost_curve_make(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *atoms,
                        struct hf_cost_curve *curve);

/** The same for the pairs [n] of a shell. */
void hf_cost_curve_of_shell(const struct hf_shell_pairs *pairs, int64_t n, const int64_t pair[],
                            struct hf_cost_curve *curve);

/** Integer part of the logarithm to base 4, limited to 0 .. HF_COST_STEPS - 1. */
int hf_cost_step(double factor);

/** Approximate cost of the quartets of two pairs of atoms whose product of bounds is not below `least`; 0 only
 *  if there are none. */
double hf_cost_curve_quartets(const struct hf_cost_curve *bra, const struct hf_cost_curve *ket,
                              double least);

/** Cost of the quartets above the accuracy of the pairs, divided by the cost of all, from a sample; the same on
 *  every rank. Small in large molecules: tasks, which are a share of all work, must then be smaller. */
double hf_share_that_matters(const struct hf_shell_pairs *pairs, enum hf_grain grain);

#endif
