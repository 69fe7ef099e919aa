/* The Coulomb part of the two-electron gradient by the Coulomb pass. */
#ifndef HF_COULOMB_GRADIENT_H
#define HF_COULOMB_GRADIENT_H

#include "coulomb/coulomb.h"
#include "hf/linalg.h"

/** Adds to gradient [n_atom] the derivatives of 1/2 sum D_mn D_rs (mn|rs) at fixed D by the places of the atoms, which
 *  shells refer to.
 *
 *  Settings of the pass, of which phase, owner and derivatives are set here; threshold as of hf_coulomb_build.
 *  Shapes   density n x n, symmetric, in the published functions of the basis of `pairs`.
 *  Units    hartree/bohr.
 *  Call     collective over the context of `pairs`; arguments and result equal on all ranks.
 *  Memory   of the pass, and a rank's share of D.
 *  Bits     the same for any number of ranks and threads.
 *  Errors   HF_NO_RESOURCE, HF_INTERRUPTED. Same status on every rank; gradient is then unchanged. */
hf_status hf_coulomb_gradient(const struct hf_shell_pairs *pairs,
                              const struct hf_coulomb_settings *settings, double threshold,
                              const struct hf_matrix *density, int n_atom, double (*gradient)[3],
                              struct hf_error *error) HF_MUST_CHECK;

#endif
