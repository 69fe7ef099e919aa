/* Whether a separate pass for J is worthwhile. */
#ifndef HF_COULOMB_CHOICE_H
#define HF_COULOMB_CHOICE_H

#include "integrals/shell_pair.h"

/** Estimated cost of the quartets that exchange needs, divided by that of all quartets above the threshold:
 *  near 1 in compact molecules, small in long ones. It uses a sample of the list and is equal on all ranks that
 *  have the same list. The time is proportional to the number of pairs of atoms. Not collective. */
double hf_exchange_share(const struct hf_shell_pairs *pairs, double threshold);

/** hf_exchange_share without a list: bounds are guessed from the overlaps of the most diffuse functions of two atoms.
 *  0 for large molecules, or without memory. Not collective. */
double hf_guess_exchange_share(const struct hf_basis *basis, double threshold);

/** A separate pass for J is worthwhile up to this share. With the pass C40H82/6-31G (share 0.61) takes half of
 *  the CPU time and 64 water molecules (0.71) two thirds. 16 and 32 water molecules (0.96, 0.87) take the same
 *  time, and more if integrals are stored (docs/measurements/performance.md). */
#define HF_PAYING_EXCHANGE_SHARE 0.8

#endif
