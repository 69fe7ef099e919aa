/* Arithmetic of the two-electron recurrences, counted from their formulas. */
#ifndef HF_FLOPS_H
#define HF_FLOPS_H

#include "quartet.h"

/** Additions and multiplications (a fused one is two; a division and a square root are one each) for
 *  quartets of two classes. */
struct hf_flops {
    double
        per_primitive; /**< set-up, Boys function, vertical recurrence of a quartet of primitives */
    double per_term;   /**< contraction, for a term and a level of a part of the bra */
    double per_ket_primitive; /**< contraction, for a primitive of the ket */
    double per_quartet;       /**< horizontal recurrence and solid harmonics */
};

/** The counts for classes that the recurrences take; zeros where a pair has a g shell or a higher one, which
 *  no vertical recurrence is written for. The vertical ones are those of the straight-line
 *  code, also where plain loops, which do more, are in its place; so are the horizontal ones. */
struct hf_flops hf_flops_of(const struct hf_pair_class *bra, const struct hf_pair_class *ket);

/** The same of derivatives (gradient.h) with one density: per_quartet from the densities of functions to those of
 *  levels and back from contracted levels, without what `moved` takes. Zeros also where no straight-line code is
 *  written. */
struct hf_flops hf_gradient_flops_of(const struct hf_pair_class *bra,
                                     const struct hf_pair_class *ket);

/** Levels that the terms of all parts of an expanded pair of a class add to, for each level of the other
 *  side; 0 where the class has one part. */
double hf_flops_n_term(const struct hf_expanded_pair *pair, const struct hf_pair_class *kind);

#endif
