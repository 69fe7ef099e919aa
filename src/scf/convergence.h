/* When a calculation is converged, and how far its energy is from there. */
#ifndef HF_CONVERGENCE_H
#define HF_CONVERGENCE_H

#include "scf_state.h"

/** Square of the norm of the gradient with respect to orbital rotations (hessian.h), hartree^2,
 *  from scf->commutator; with open shells of restricted orbitals at most twice that. Collective. */
double hf_scf_gradient_square(const struct hf_scf *scf);

/** Smallest difference of energies between occupied and empty orbitals in scf->orbital_energy,
 *  without the level shift; INFINITY: nothing can rotate. Not collective. */
double hf_scf_gap(const struct hf_scf *scf);

/** Adds the last iteration to scf->descent. Collective. */
void hf_scf_note_descent(struct hf_scf *scf);

/** An estimate of the error of the energy, hartree, from how the energy and the gradient fell in the
 *  last iterations. Whole occupations only. Not collective. */
double hf_scf_descent_error(const struct hf_scf *scf);

/** By how much the energy of the last densities is above the converged one, hartree, an estimate
 *  that is too large rather than too small; INFINITY: it cannot be told. Not collective. */
double hf_scf_estimate_error(const struct hf_scf *scf);

/** Whether the last iteration, whose result->energy_error is known, is to be the last one. Not
 *  collective. */
bool hf_scf_is_converged(const struct hf_scf *scf);

#endif
