/* The two-electron part of the gradient of the Hartree-Fock energy.
 *
 * No derivative of an integral is made: a consumer of quartet work fills the two-particle density of a batch of quartets.
 * The density is transformed back from functions to the levels of the vertical recurrence, and is multiplied there by
 * integrals and their derivatives (integrals/gradient.h). If the Coulomb pass is used, the two-particle density contains
 * only exchange, and so do the bounds for screening. Threads borrow densities for each part (fock/density_loan.h). */
#ifndef HF_TWO_ELECTRON_GRADIENT_H
#define HF_TWO_ELECTRON_GRADIENT_H

#include "hf/fock_settings.h"
#include "hf/linalg.h"
#include "pairs/shell_pairs.h"

/** Phases: the Coulomb pass; derivatives of quartets; waiting for blocks of densities of other ranks, for the scheduler,
 *  and for the last rank; bringing densities to where they are needed. */
extern const struct hf_phase hf_phase_gradient_coulomb, hf_phase_gradient_quartets,
    hf_phase_gradient_wait_blocks, hf_phase_gradient_wait_task, hf_phase_gradient_wait_ranks,
    hf_phase_gradient_reduce;

/** How derivatives of quartets are computed. */
struct hf_two_electron_gradient_settings {
    struct hf_scheduler_settings schedule;
    int tasks_for;    /**< number of ranks that tasks are made for; 0: the actual one */
    int n_thread;     /**< of each rank */
    bool distributed; /**< no rank or node holds a density: blocks come from their owners */
    /** How the first sum of E2 is differentiated: with the quartets of the others, or in a Coulomb pass. HF_COULOMB_AUTO:
     *  with multipoles if that is worthwhile, as is estimated from the densities. */
    enum hf_coulomb_choice coulomb;
    bool single; /**< the Coulomb pass may use single precision if it is accurate enough */
    /** Two densities, of all electrons both: E2 of the first minus E2 of the second, without spin densities. */
    bool difference;
    struct hf_onesided_settings onesided; /**< of distributed densities */
    /** hartree/bohr: quartets whose estimate is below it are left out, pairs of products below a share of it; 1e-10 */
    double threshold;
};

/** Adds to gradient [n_atom] the derivatives of the two-electron energy at fixed densities with respect to the places
 *  of the atoms,
 *
 *      E2 = 1/2 sum D_mn D_rs (mn|rs) - 1/4 sum D_mr D_ns (mn|rs) - 1/4 sum M_mr M_ns (mn|rs)
 *
 *  for RHF, UHF and ROHF, D the total and M the spin density.
 *
 *  Shapes   density [n_density] n x n, symmetric, in the published functions of the basis of `pairs`: D, or D and M.
 *           n_atom: atoms of the molecule, which shells refer to.
 *  Units    hartree/bohr.
 *  Call     collective over the context of `pairs`; arguments and result equal on all ranks.
 *  Memory   of hf_lent_densities_create, on every rank or node. The Coulomb pass before that (hf_coulomb_node_bytes).
 *           Nothing is kept.
 *  Bits     in a reproducible run (hf_context.reproducible) the same for any number of ranks and threads and any
 *           scheduler, wherever the densities are.
 *  Errors   HF_NO_RESOURCE: memory. HF_INTERRUPTED. Same status on every rank; gradient is then of no use. */
hf_status hf_two_electron_gradient(const struct hf_shell_pairs *pairs,
                                   const struct hf_two_electron_gradient_settings *settings,
                                   int n_density, const struct hf_matrix *const density[],
                                   int n_atom, double (*gradient)[3],
                                   struct hf_error *error) HF_MUST_CHECK;

#endif
