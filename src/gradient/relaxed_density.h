/* The relaxed density of MP2: the derivative of its energy by one-electron operators.
 *
 *     P of the amplitudes, between frozen and correlated orbitals, and between occupied and virtual ones (z)
 *     (e_a - e_i) z_ai + G(z)_ai = - (Y_ai - Y_ia) / 2 - G(P)_ai       G(P) = J[P] - K[P_s] of spin s
 *     P_kI = Y_kI / (2 (e_I - e_k))      k frozen, I correlated; the same for virtual orbitals
 *     W_pq = (Y_pq / 2 + e_p P_pq + G(P)_pq) symmetrised, with G between occupied orbitals alone
 *
 * Source: Frisch, Head-Gordon, Pople, Chem. Phys. Lett. 166, 275 (1990); the equations are those of the Lagrangian
 * E + sum P_pq F_pq - sum W_pq (S_pq - 1), which is stationary with respect to all orbitals. */
#ifndef HF_RELAXED_DENSITY_H
#define HF_RELAXED_DENSITY_H

#include "correlation/mp2_derivatives.h"
#include "hf/scf.h"
#include "pairs/common_pairs.h"

/** What messages call the equation for z. */
#define HF_Z_VECTOR "the Z-vector equation of MP2"

/** Initialise with = {0}. Owns its matrices [n][n], on the grid of the wave function. */
struct hf_relaxed_density {
    /** what correlation adds to the density of all electrons, to that of alpha - beta (NULL for closed shells), and to
     *  the energy-weighted density */
    struct hf_matrix *total, *spin, *weighted;
    /** the wave function with the sums of these and its own, which are owned; all else is borrowed */
    struct hf_wavefunction wavefunction;
    int n_product;  /**< products with the Hessian for z */
    bool converged; /**< z is */
};

/** Phase: the equation for z. */
extern const struct hf_phase hf_phase_relaxation;

/** Computes them for a wave function of method rhf or uhf, with all parts, and the derivatives of its MP2 energy. The
 *  `pairs` are of its basis. Collective. HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_relax_density(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                           const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                           const struct hf_mp2_derivatives *derivatives,
                           struct hf_relaxed_density *relaxed,
                           struct hf_error *error) HF_MUST_CHECK;

/** Accepts a cleared one. Collective. */
void hf_relaxed_density_done(struct hf_relaxed_density *relaxed);

#endif
