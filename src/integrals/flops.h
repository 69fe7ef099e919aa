/* Arithmetic of the two-electron recurrences, counted from their formulas. */
#ifndef HF_FLOPS_H
#define HF_FLOPS_H

#include "quartet.h"

/** Additions and multiplications (a fused one is two; a division and a square root are one each) for
 *  quartets of two classes. */
struct hf_flops {
    /** set-up, Boys function, vertical recurrence of a quartet of primitives. */
    double per_primitive;
    double per_term;          /**< contraction, for a term and a level of a part of the bra */
    double per_ket_primitive; /**< contraction, for a primitive of the ket */
    double per_quartet;       /**< horizontal recurrence and solid harmonics */
};

/** The counts for classes that the recurrences take; zeros if a pair has a g shell or a higher one, for which
 *  there is no vertical recurrence. Counts are those of the straight-line code, even if loops, which do more,
 *  replace it. */
struct hf_flops hf_flops_of(const struct hf_pair_class *bra, const struct hf_pair_class *ket);

/** The same for derivatives (gradient.h) with one density: per_quartet is for densities of levels from
 *  densities of functions and for scalar products with contracted levels, without making `moved`. Zeros also if
 *  there is no straight-line code. */
struct hf_flops hf_gradient_flops_of(const struct hf_pair_class *bra,
                                     const struct hf_pair_class *ket);

/** Number of levels that the terms of all parts of an expanded pair add to, for each level of the second pair;
 *  0 if the class has one part. */
double hf_flops_n_term(const struct hf_expanded_pair *pair, const struct hf_pair_class *kind);

#endif
