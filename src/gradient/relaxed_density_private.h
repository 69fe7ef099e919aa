/* Relaxation of the density of MP2: what its files share. */
#ifndef HF_RELAXED_DENSITY_PRIVATE_H
#define HF_RELAXED_DENSITY_PRIVATE_H

#include "fock/fock.h"
#include "gradient/relaxed_density.h"
#include "orbitals/orbitals.h"

/** What is held while a density is relaxed. */
struct hf_relaxation {
    struct hf_context *context;
    const struct hf_wavefunction *wavefunction;
    const struct hf_scf_settings *settings;
    const struct hf_mp2_derivatives *from;
    struct hf_linalg *linalg;
    const struct hf_method_ops *method;
    struct hf_spin_count n_electron;
    int n, n_spin, n_removed; /**< n_removed: functions removed for linear dependence */
    struct hf_fock_builder *builder;
    struct hf_matrix *density[HF_MAX_SPIN];    /**< P */
    struct hf_matrix *lagrangian[HF_MAX_SPIN]; /**< Y */
    struct hf_matrix *operator[HF_MAX_SPIN];   /**< [n][n] J[P] - K[P_s] */
    struct hf_matrix *field[HF_MAX_SPIN];      /**< G(P) */
    struct hf_matrix *ao[HF_MAX_SPIN];         /**< [n][n] P of all electrons, and alpha - beta */
    struct hf_matrix *to_first[HF_MAX_SPIN];   /**< U: orbitals of the spin in those of the first */
    struct hf_matrix *fock[HF_MAX_SPIN], *occupied[HF_MAX_SPIN]; /**< in those of the first spin */
};

/** Adds to `weighted` [n][n] what comes from functions that were removed for linear dependence: kept and removed
 *  eigenvectors k, r of the overlap mix when atoms move (hf_method_weigh_removed). With the derivatives by coefficients
 *
 *      dE/dC = Y + 2 F C P + 2 G C_o     of each spin
 *      W -= sum_kr (u_k u_r^T + u_r u_k^T) (u_k^T R u_r) / (s_k - s_r)     R = sum_s C (dE/dC)^T / 2
 *
 *  Nothing to do if none were removed. Collective. HF_NO_RESOURCE. */
hf_status hf_weigh_removed_correlation(const struct hf_relaxation *self, struct hf_matrix *weighted,
                                       struct hf_error *error) HF_MUST_CHECK;

#endif
