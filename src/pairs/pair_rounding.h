/* What single precision does to the integrals of a pair of shells; docs/numerics.md. */
#ifndef HF_PAIR_ROUNDING_H
#define HF_PAIR_ROUNDING_H

#include "hf/basis.h"

/** Scale of the rounding errors of a pair's recurrences, hartree^(1/2): the sum of the terms of
 *  (ab|ab)^(1/2), without the signs. Two shells whose product is small beside its
 *  terms (contracted with both signs, or a tight one far from the other, whose functions come from
 *  powers of the distance that cancel) have a much larger one than their Schwarz bound.
 *
 *  Of a primitive pair with monomials of l_a about A and l_b about B, computed from monomials about A:
 *     |c_a c_b| (ss|ss)^(1/2) (|P-A| + w)^l_a (|P-A| + |A-B| + w)^l_b,   w = ((l_a+l_b+2)/(6 zeta))^(1/2)
 *
 *  and of n primitives, where n is more than a few, (n/8)^(1/2) times that: every term rounds the sum so
 *  far. Infinite where numbers on the way could leave the range of single precision.
 *
 *  `a` is the shell that stands first in the pair, whose angular momentum the recurrence raises. */
double hf_pair_rounding(const struct hf_shell *a, const struct hf_shell *b);

#endif
