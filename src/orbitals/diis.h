/* The history of Fock matrices, and their combinations: DIIS and ADIIS. */
#ifndef HF_DIIS_H
#define HF_DIIS_H

#include "orbitals/orbitals.h"

enum { HF_MAX_DIIS = 100 };

/** Direct inversion in the iterative subspace: combines the last Fock matrices F'_i so that the same combination of
 *  their commutators e_i is as short as possible. If a method has several Fock matrices, they are combined with the
 *  same coefficients, and <e_k|e_i> is the sum over them.
 *
 *  F'_i is symmetric and e_i antisymmetric, so both are stored in one matrix A_i = F'_i + e_i, which halves the
 *  memory; <e_k|e_i> = <e_k|A_i>.
 *  Source   Pulay, J. Comput. Chem. 3, 556 (1982). */
struct hf_diis;

/** History of up to `size` lists of `n_fock` matrices [m][m]. With size 0 or 1 hf_diis_extrapolate changes nothing.
 *  Collective. HF_NO_RESOURCE: memory. */
hf_status hf_diis_create(struct hf_context *context, int n_fock, int size, struct hf_diis **diis,
                         struct hf_error *error) HF_MUST_CHECK;
void hf_diis_destroy(struct hf_diis **diis);

/** Adds F' [n_fock] and their commutators [n_fock] to the history (the oldest leave if it is full) and replaces F' by
 *  the combination. Drops the oldest while the equations are ill-conditioned. Collective. */
hf_status hf_diis_extrapolate(struct hf_diis *self, struct hf_matrix *const fock_orthonormal[],
                              struct hf_matrix *const commutator[],
                              struct hf_error *error) HF_MUST_CHECK;

/** Adds a pair to the history like hf_diis_extrapolate, with the orbitals occupied [n_set] of the densities (NULL:
 *  not known), but does not combine. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_remember(struct hf_diis *self, struct hf_matrix *const fock_orthonormal[],
                           struct hf_matrix *const commutator[], struct hf_matrix *const occupied[],
                           struct hf_error *error) HF_MUST_CHECK;

/** Coefficients [pairs] of the combination with the shortest commutator, the oldest pair first; NULL: there is
 *  nothing to combine. Valid until the next call. Collective. */
const double *hf_diis_solve(struct hf_diis *self);

/** Sets *coefficient in the same way to the combination with the lowest energy; no coefficient is negative (adiis.c).
 *  Uses the latest densities whose orbitals are known, without gaps. `of` is any determinant with the method and the
 *  electrons of the densities. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_interpolate(struct hf_diis *self, const struct hf_determinant *of,
                              const double **coefficient, struct hf_error *error) HF_MUST_CHECK;

/** fock [n_fock] = F' of the i-th oldest pair; *occupied = its orbitals as stored (NULLs: not known), owned by the
 *  history. Collective. */
void hf_diis_recall(const struct hf_diis *self, int i, struct hf_matrix *const fock[],
                    struct hf_matrix *const **occupied);

/** fock [n_fock] = sum of the history with the coefficients [pairs]. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_combine(const struct hf_diis *self, const double coefficient[],
                          struct hf_matrix *const fock[], struct hf_error *error) HF_MUST_CHECK;

/** Transforms matrix k of the history to another orthonormal basis U [m][m]: A becomes U^T A U, orbitals C of set k
 *  become U^T C. Collective. HF_NO_RESOURCE. */
hf_status hf_diis_turn(struct hf_diis *self, int k, const struct hf_matrix *turn,
                       struct hf_error *error) HF_MUST_CHECK;

/** Empties the history and frees its matrices. Not collective, but every rank must call it. */
void hf_diis_forget(struct hf_diis *self);

/** Number of pairs in the history. */
int hf_diis_n_stored(const struct hf_diis *diis);

/** Solves the equations of DIIS: coefficient [n] with the least sum_ij c_i B_ij c_j and sum_i c_i = 1, from product = B
 *  [n][n], the newest last; `work` has HF_DIIS_WORK(n) numbers. False: the coefficients are not reliable, since a B_ii is
 *  zero or a coefficient is so large that digits would cancel. Local. */
bool hf_diis_find(int n, const double product[], double work[], double coefficient[]);
#define HF_DIIS_WORK(n) (((n) + 1) * ((n) + 1) + 2 * (n) + 1)

/** [pairs][n_fock] The matrices A_i, the oldest pair first. The list is owned by the history and valid until the next
 *  pair is added. Not collective. */
const struct hf_matrix *const *hf_diis_in_order(struct hf_diis *diis);

#endif
