/* Costs of pairs of atoms, or of all pairs of a shell, if small quartets are left out: curves of the costs of their shell pairs. */
#ifndef HF_WORK_COST_CURVE_H
#define HF_WORK_COST_CURVE_H

#include "hf/grain.h"
#include "integrals/shell_pair.h"

/** Steps in which the bounds of the shell pairs of a pair of atoms fall, by a factor of four each. */
enum { HF_COST_STEPS = 12 };

/** Costs of some shell pairs, those of a pair of atoms or of a shell. above[i]: of those whose bound is above the largest bound over
 *  4^(i+1); the last step has all. */
struct hf_cost_curve {
    double bound; /**< largest */
    float above[HF_COST_STEPS];
};

/** Costs of a pair of atoms. */
void hf_cost_curve_make(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *atoms,
                        struct hf_cost_curve *curve);

/** The same of the pairs [n] of a shell. */
void hf_cost_curve_of_shell(const struct hf_shell_pairs *pairs, int64_t n, const int64_t pair[],
                            struct hf_cost_curve *curve);

/** How often four goes into a number, 0 to HF_COST_STEPS - 1. */
int hf_cost_step(double factor);

/** Approximate cost of the quartets of two pairs of atoms whose product of bounds is not below `least`; 0 only
 *  if there are none. */
double hf_cost_curve_quartets(const struct hf_cost_curve *bra, const struct hf_cost_curve *ket,
                              double least);

/** Share of the cost of quartets above the accuracy of the pairs, among all quartets. From a sample, the same on
 *  every rank. It is small in large molecules: tasks, which are a share of all work, must then be smaller. */
double hf_share_that_matters(const struct hf_shell_pairs *pairs, enum hf_grain grain);

#endif
