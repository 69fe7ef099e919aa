/* Primitives of one pair of shells: which matter, and what is kept of them. */
#ifndef HF_PRIMITIVE_PAIRS_H
#define HF_PRIMITIVE_PAIRS_H

#include "integrals/shell_pair.h"

/** Exponents of exp(-alpha beta/(alpha + beta) |A-B|^2) from which on a primitive pair is
 *  negligible beside `smallest` whatever its other factors: those stay below e^60 for any sensible
 *  basis and molecule. */
double hf_farthest_exponent(double smallest);

/** The primitive pairs of shells a and b whose bound reaches `smallest`, by falling bound, to `out`
 *  [a->n_primitive * b->n_primitive]; their number. `farthest` is hf_farthest_exponent(smallest). */
int hf_collect_primitives(const struct hf_shell *a, const struct hf_shell *b, double smallest,
                          double farthest, struct hf_primitive_pair out[]);

/** Coefficients per primitive in a list of pairs of these classes: hf_shell_pairs.n_coefficient. */
int hf_most_coefficients(int n_class, const struct hf_pair_class class_of[]);

/** Fills in `single` and `single_coefficient` of a pair of the list, from its primitives. */
void hf_round_primitives(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair);

#endif
