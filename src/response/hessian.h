/* Second derivatives of the energy with respect to rotations of orbitals, as products with vectors.
 *
 *     E(y) = E + 2 g y + y H y + ...        y: struct hf_rotation
 *
 * H is computed by Fock builds. The densities D_s (s = alpha, beta) become
 *
 *     exp(kappa) D_s exp(-kappa) = D_s + [kappa, D_s] + [kappa, [kappa, D_s]] / 2 + ...
 *     g = sum_s [F_s, D_s]
 *     H kappa = sum_s ([F_s, [kappa, D_s]] + [[F_s, kappa], D_s]) / 2 + [dF_s, D_s]
 *     dF_s = J[dD] - K[dD_s],   dD_s = [kappa, D_s]
 *
 * For closed shells H is A + B of the literature: (e_a - e_i) + 4 (ai|bj) - (ab|ij) - (aj|ib). So its eigenvalues
 * are those of the stability problem in other programs. Orbitals are real; complex orbitals of lower energy are not
 * searched for.
 *
 * Excitations and fields of a frequency also need the Hessian of imaginary rotations, A - B of the literature: (e_a -
 * e_i) + (aj|ib) - (ab|ij) for closed shells. With all kappa above replaced by S = R Y L^T + L Y^T R^T it has
 * antisymmetric densities S D_s - D_s S and no Coulomb part. */
#ifndef HF_HESSIAN_H
#define HF_HESSIAN_H

#include "fock/fock.h"
#include "response/rotation.h"

/** Kinds of rotations. */
enum hf_rotation_kind {
    HF_ROTATION_INTERNAL, /**< rotations within the method */
    /** closed shells only: opposite rotations of alpha and beta orbitals, which lead to UHF */
    HF_ROTATION_TRIPLET
};

/** A determinant and the data of its Hessian. */
struct hf_orbital_hessian {
    struct hf_rotation_space space;
    struct hf_context *context;
    struct hf_fock_builder *builder; /**< borrowed, like all members below unless marked as own */
    const struct hf_matrix *x;       /**< [n][m] */
    struct hf_matrix *fock[HF_MAX_SPIN];
    int n_spin;       /**< number of different spins */
    double threshold; /**< screening of trial densities, for rotations of norm 1 */
    struct hf_spin_of_hessian {
        int set;                    /**< set of orbitals of this spin */
        struct hf_matrix *occupied; /**< own: [m][o]; NULL: the spin has no electrons */
        struct hf_matrix *image;    /**< own: [m][o] = F occupied */
        struct hf_matrix *ao;       /**< own: [n][o] = X occupied */
    } spin[HF_MAX_SPIN];
    int n_product;        /**< number of vectors multiplied so far */
    double build_seconds; /**< wall time of their Fock builds */
};

/** Input of a Hessian; borrowed. `fock` and the determinant are those of the last Fock build. */
struct hf_hessian_input {
    struct hf_context *context;
    struct hf_fock_builder *builder;
    struct hf_determinant of;      /**< both sets with the same basis x */
    struct hf_matrix *const *fock; /**< [n_fock] [m][m] in the orthonormal basis */
    /** screening, hartree. Trial densities have norm 1, so the error of a product is some hundred
     *  times this: 1e-9 is enough for eigenvalues to 1e-6, whose error is of second order */
    double threshold;
};

/** Collective. HF_NO_RESOURCE: memory; then call hf_hessian_done. */
hf_status hf_hessian_init(struct hf_orbital_hessian *self, const struct hf_hessian_input *input,
                          struct hf_error *error) HF_MUST_CHECK;
void hf_hessian_done(struct hf_orbital_hessian *self);

/** Computes g of the formula above. Collective. HF_NO_RESOURCE. */
hf_status hf_hessian_gradient(struct hf_orbital_hessian *self, struct hf_rotation *gradient,
                              struct hf_error *error) HF_MUST_CHECK;

/** Computes the change of g if a one-electron operator, `matrix` [n][n] over the functions, is added to the Fock
 *  matrices. Collective. HF_NO_RESOURCE. */
hf_status hf_hessian_perturbation(struct hf_orbital_hessian *self, const struct hf_matrix *matrix,
                                  struct hf_rotation *gradient,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Products with both Hessians, [n] each. */
struct hf_hessian_products {
    const struct hf_rotation *real; /**< (A + B) vector */
    const struct hf_rotation
        *imaginary; /**< (A - B) vector; NULL: not computed. Not for orbitals that spins share,
                                          *   of which some are occupied by one spin */
};

/** Multiplies vector [n], several at once in one pass over the integrals. Collective.
 *  HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_hessian_multiply(struct hf_orbital_hessian *self, enum hf_rotation_kind kind, int n,
                              const struct hf_rotation vector[], struct hf_hessian_products product,
                              struct hf_error *error) HF_MUST_CHECK;

/** Third derivative of the energy by three perturbations, from their first-order rotations.
 *
 *     E_abc = sum over the six orders of a, b, c of sum_s tr t_a t_b^T F_c(vv) - tr t_a^T t_b F_c(oo)
 *
 *  with Y = t, F_c = h_c + dF[t_c] (the 2n + 1 rule). solution [3] are the y of hf_respond with the other sign, matrix
 *  [3] the operators [n][n]. third [27] has the sums for all a, b, c. Closed shells and uhf only. Collective.
 *  HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Karna, Dupuis, J. Comput. Chem. 12, 487 (1991). */
hf_status hf_hessian_third(struct hf_orbital_hessian *self, const struct hf_rotation solution[],
                           struct hf_matrix *const matrix[], double third[],
                           struct hf_error *error) HF_MUST_CHECK;

#endif
