/* Whether a converged solution is a minimum, and the way down when it is not. */
#ifndef HF_STABILITY_H
#define HF_STABILITY_H

#include "scf_state.h"

/** If the Hessian of the last densities has an eigenvalue that clearly leads down, scf->occupied become
 *  orbitals of lower energy along its eigenvector and *has_left is true. Costs a few trial densities.
 *  Collective. HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_scf_leave_saddle(struct hf_scf *scf, bool *has_left,
                              struct hf_error *error) HF_MUST_CHECK;

/** Analyses the last densities as scf->settings->stability says and fills scf->result->stability.
 *  When they are to be left, *again becomes true, scf->occupied the orbitals to go on with, and
 *  scf->converger one that goes down from there. Collective. HF_NO_RESOURCE; HF_INTERRUPTED:
 *  orbitals are as they were. */
hf_status hf_scf_settle(struct hf_scf *scf, bool *again, struct hf_error *error) HF_MUST_CHECK;

#endif
