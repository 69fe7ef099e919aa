/* Whether J made apart from K pays. */
#ifndef HF_COULOMB_CHOICE_H
#define HF_COULOMB_CHOICE_H

#include "hf/shell_pair.h"

/** Estimated share of the cost of all quartets that exchange wants, of those that reach the threshold at
 *  all: near 1 in compact molecules, small in long ones. From a sample of the list, equal on all ranks
 *  that have the same list; time as the number of its pairs of atoms. Not collective. */
double hf_exchange_share(const struct hf_shell_pairs *pairs, double threshold);

/** The same before there is a list, whose bounds are guessed from the overlaps of the most diffuse functions
 *  of two atoms; 0 of more atoms than are looked at, or without memory. Not collective. */
double hf_guess_exchange_share(const struct hf_basis *basis, double threshold);

/** Up to this share a pass for J of its own pays. C40H82/6-31G (share 0.61) takes half of the CPU time
 *  with it, 64 water molecules (0.71) two thirds; 16 and 32 (0.96, 0.87) as much as without, and where integrals
 *  are kept more (docs/measurements/performance.md). */
#define HF_PAYING_EXCHANGE_SHARE 0.8

#endif
