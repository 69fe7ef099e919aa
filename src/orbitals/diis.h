/* The history of Fock matrices and their combinations: DIIS and ADIIS. */
#ifndef HF_DIIS_H
#define HF_DIIS_H

#include "orbitals/orbitals.h"

enum { HF_MAX_DIIS = 100 };

/** Direct inversion in the iterative subspace: the last Fock matrices F'_i and their commutators
 *  e_i, combined so that the combined commutator is as short as possible. Where a method has
 *  several Fock matrices, one set of coefficients combines all, and <e_k|e_i> is the sum over them:
 *  their commutators count as one long vector.
 *
 *  F'_i is symmetric and e_i antisymmetric, so both are kept in one matrix A_i = F'_i + e_i, and
 *  <e_k|e_i> = <e_k|A_i>. That halves the memory of the history.
 *  Source   Pulay, J. Comput. Chem. 3, 556 (1982). */
struct hf_diis;

/** History of up to `size` lists of `n_fock` matrices [m][m]; 0 or 1: hf_diis_extrapolate changes
 *  nothing. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_diis_create(struct hf_context *context, struct hf_linalg *linalg, int m, int n_fock,
                         int size, struct hf_diis **diis, struct hf_error *error) HF_MUST_CHECK;
void hf_diis_destroy(struct hf_diis **diis);

/** Takes F' [n_fock] and their commutators [n_fock] into the history (the oldest leave a full one)
 *  and replaces F' by the combination. While the equations are ill-conditioned, the oldest are
 *  dropped. Collective. */
hf_status hf_diis_extrapolate(struct hf_diis *self, struct hf_matrix *const fock_orthonormal[],
                              struct hf_matrix *const commutator[],
                              struct hf_error *error) HF_MUST_CHECK;

/** Puts a pair into the history, as hf_diis_extrapolate does, with the orbitals occupied [n_set] of
 *  the densities (NULL: they are not known), and combines nothing. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_remember(struct hf_diis *self, struct hf_matrix *const fock_orthonormal[],
                           struct hf_matrix *const commutator[], struct hf_matrix *const occupied[],
                           struct hf_error *error) HF_MUST_CHECK;

/** Coefficients [pairs] of the combination of the history whose commutator is shortest, the oldest
 *  first; NULL: there is nothing to combine. Good until the next call. Collective. */
const double *hf_diis_solve(struct hf_diis *self);

/** *coefficient likewise of the combination whose energy is lowest, with none negative (adiis.c),
 *  of the youngest densities as far back as their orbitals are known. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_diis_interpolate(struct hf_diis *self, struct hf_spin_count n_electron, int n_set,
                              const double **coefficient, struct hf_error *error) HF_MUST_CHECK;

/** fock [n_fock] = F' of the i-th oldest pair, and its orbitals as they were remembered (NULLs:
 *  they are not known), which stay the history's. Collective. */
void hf_diis_recall(const struct hf_diis *self, int i, struct hf_matrix *const fock[],
                    struct hf_matrix *const **occupied);

/** fock [n_fock] = the sum of the history with coefficient [pairs]. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_combine(const struct hf_diis *self, const double coefficient[],
                          struct hf_matrix *const fock[], struct hf_error *error) HF_MUST_CHECK;

/** Everything of Fock matrix and set k = A becomes U^T A U, orbitals U^T C: to another orthonormal basis U [m][m].
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_diis_turn(struct hf_diis *self, int k, const struct hf_matrix *turn,
                       struct hf_error *error) HF_MUST_CHECK;

/** Empties the history and frees its matrices. Not collective, but it must happen on every rank. */
void hf_diis_forget(struct hf_diis *self);

/** Pairs now in the history. */
int hf_diis_n_stored(const struct hf_diis *diis);

/** The equations alone: coefficients [n] of the least sum_ij c_i B_ij c_j with sum_i c_i = 1, from B [n][n], the newest last;
 *  `work` [HF_DIIS_WORK(n)]. False: they cannot be trusted, since a B_ii is zero or they would cancel digits that are needed.
 *  Local. */
bool hf_diis_find(int n, const double product[], double work[], double coefficient[]);
#define HF_DIIS_WORK(n) (((n) + 1) * ((n) + 1) + 2 * (n) + 1)

/** [pairs][n_fock] The matrices A_i, the oldest pair first; the list is the history's and good
 *  until the next pair comes. Not collective. */
const struct hf_matrix *const *hf_diis_in_order(struct hf_diis *diis);

#endif
