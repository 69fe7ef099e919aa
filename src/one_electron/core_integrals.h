/* Integrals of effective core potentials between the functions of two atoms. */
#ifndef HF_CORE_INTEGRALS_H
#define HF_CORE_INTEGRALS_H

#include "hf/basis.h"
#include "hf/status.h"

/** What the integrals of one potential need, for one thread at a time. */
struct hf_core_integrals;

/** For the potential `which` of the basis (not a merged one, borrowed), at `centre`, bohr.
 *
 *  The local part is a sum of overlaps of three Gaussians, in closed form (powers of r other than 0
 *  and 2: as an integral over Gaussians, Gauss-Legendre). Of the rest, functions are projected on
 *  the solid harmonics about the centre, Gauss-Legendre over angles, and the product of two
 *  projections is summed over points equidistant in log r. That rule converges exponentially; the
 *  distance of the points is what the sharpest product of functions and potential that matters
 *  needs for 1e-13 hartree.
 *
 *  Not collective. HF_NO_RESOURCE: memory, or functions so sharp that the points would be too many.
 *  Source: Flores-Moreno et al., J. Comput. Chem. 27, 1009 (2006), for the separation. */
hf_status hf_core_integrals_create(const struct hf_basis *basis, int which, const double centre[3],
                                   struct hf_core_integrals **integrals,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_core_integrals_destroy(struct hf_core_integrals **integrals);

/** Whether functions of the atom reach the potential: an integral with one that does not is below
 *  1e-16 hartree. Not collective. */
bool hf_core_integrals_reach(const struct hf_core_integrals *self, int atom);

/** Adds the integrals of the functions of atoms i and j, hartree, to block [functions of i]
 *  [functions of j]. What is known of an atom is kept for its next block. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_core_integrals_add(struct hf_core_integrals *self, int i, int j, double block[],
                                struct hf_error *error) HF_MUST_CHECK;

#endif
