/* Errors of integrals computed in single precision, for random shells. */
#ifndef HF_PRECISION_STUDY_H
#define HF_PRECISION_STUDY_H

#include "random_shells.h"

#include "hf/context.h"

/** Highest angular momentum of a shell, and classes of pairs (l_a >= l_b) up to it. */
enum { HF_STUDY_MOST_L = 3, HF_STUDY_N_PAIR = (HF_STUDY_MOST_L + 1) * (HF_STUDY_MOST_L + 2) / 2 };

/** Lengths of contractions, 1, 2 to 3, 4 to 7 and so on primitive quartets. */
enum { HF_STUDY_N_LENGTH = 12 };

/** Errors are counted by their size, too: up to 2^-8, 2^-7 and so on, more than 2^7. */
enum { HF_STUDY_N_SIZE = 17, HF_STUDY_LEAST_SIZE = -8 };

/** Quartets of one kind. A quartet counts with the largest error of its integrals, in units of 2^-24
 *  times the product of its pairs' `rounding`; one that is not a number as infinite. */
struct hf_precision_errors {
    double n;
    double largest, sum, sum_of_squares;
    double largest_of_bounds; /**< in units of 2^-24 times the product of the Schwarz bounds */
    double n_of_size[HF_STUDY_N_SIZE];
};

/** Errors of all quartets that single precision may be used for. */
struct hf_precision_study {
    /** by class of bra and ket, hf_study_pair of the pair with the higher angular momenta first */
    struct hf_precision_errors of_class[HF_STUDY_N_PAIR][HF_STUDY_N_PAIR];
    struct hf_precision_errors of_length[HF_STUDY_N_LENGTH];
    double n_refused; /**< quartets of pairs whose `rounding` is infinite */
};

/** Index of a class of pairs. */
static inline int hf_study_pair(int l_a, int l_b)
{
    return l_a * (l_a + 1) / 2 + l_b;
}

/** Adds the quartets of `n_sample` sets of shells, up to l = `highest`, of one situation. Collective; the
 *  same sums on every rank. HF_NO_RESOURCE: memory. */
hf_status hf_precision_study_add(struct hf_context *context,
                                 const struct hf_shell_situation *situation, int highest,
                                 int n_sample, struct hf_precision_study *study,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Adds one to another. */
void hf_precision_errors_join(const struct hf_precision_errors *from,
                              struct hf_precision_errors *to);
void hf_precision_study_join(const struct hf_precision_study *from, struct hf_precision_study *to);

/** Those of all classes together. */
struct hf_precision_errors hf_precision_study_sum(const struct hf_precision_study *study);

#endif
