/* Orbitals of a determinant and what is computed from them: methods, densities and Fock matrices in the
 * orthonormal basis, the orthogonaliser.
 *
 * Shapes used throughout: n basis functions, m <= n orbitals (m < n when linear dependence was
 * removed), o occupied orbitals with g electrons each. Everything between the Fock build and the
 * next density happens in the orthonormal basis X of order m:
 *
 *     F' = X^T F X      F' C' = C' e      D' = g C'_occ C'_occ^T      D = X D' X^T
 *
 * Densities and Fock matrices come in lists: a method (struct hf_method_ops) says how many. */
#ifndef HF_ORBITALS_H
#define HF_ORBITALS_H

#include "hf/linalg.h"
#include "hf/wavefunction.h"

enum { HF_MAX_DENSITY = 2 };

/** Destroys several matrices: HF_DESTROY_MATRICES(&a, &b). NULLs are accepted. Not collective. */
#define HF_DESTROY_MATRICES(...)                                                                   \
    hf_destroy_matrices(sizeof((struct hf_matrix **[]){__VA_ARGS__}) /                             \
                            sizeof(struct hf_matrix **),                                           \
                        (struct hf_matrix * *[]){__VA_ARGS__})
void hf_destroy_matrices(size_t n, struct hf_matrix **const matrix[]);

/** Electrons of alpha and of beta spin: orbitals that each of them fills. */
struct hf_spin_count {
    int alpha, beta; /**< alpha >= beta */
};

/** One kind of wave function: how many densities, Fock matrices and sets of orbitals it has, and
 *  how they belong together. Driver, DIIS and two-electron matrices know no more of a method than
 *  this. One constant instance per method, in hf_method_list.
 *
 *      densities     the total one, D = D_alpha + D_beta; of open shells the spin density, too,
 *                    M = D_alpha - D_beta
 *      Fock matrices F_alpha and F_beta, or one for both
 *      sets          of orbitals: alpha's and beta's, or one that both share
 *
 *  Total and spin density instead of those of each spin: J is needed of D alone, and M is small
 *  nearly everywhere, so that most of its exchange is screened away.
 *
 *  A set of occupied orbitals is a matrix W [m][o] in the orthonormal basis, NULL where o = 0:
 *  orbitals times the square root of their occupation by one spin, so that D'_s = W W^T. A set that
 *  spins share begins with the orbitals of beta. Functions that return a status are collective and
 *  give the same one on every rank: HF_NO_RESOURCE. */
struct hf_method_ops {
    const char *name, *about, *cite;
    const char *convention; /**< of its orbital energies; NULL: they are those of F */
    int n_density;          /**< 1, or 2: D and M */
    int n_fock;             /**< 1, or 2: alpha and beta */
    int n_set;              /**< 1, or 2: alpha and beta */

    /** Whether the molecule is one for this method; NULL: any is. Not collective. HF_BAD_INPUT: it
     *  is not. */
    hf_status (*check)(const struct hf_molecule *molecule, struct hf_spin_count n_electron,
                       struct hf_error *error);
    /** commutator [n_fock] of fock [n_fock] with the densities of the orbitals occupied [n_set]:
     *  the gradient of the energy, zero at its stationary points. */
    hf_status (*commutators)(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                             struct hf_matrix *const fock[], struct hf_matrix *const occupied[],
                             struct hf_matrix *const commutator[], struct hf_error *error);
    /** effective [n_set] whose lowest orbitals are the next ones, from fock [n_fock] and the
     *  orbitals occupied [n_set] now (NULLs: there are none yet); `canonical`: whose eigenvalues
     *  are what is called the orbitals' energies. NULL: those of fock themselves. */
    hf_status (*effective)(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                           struct hf_matrix *const fock[], struct hf_matrix *const occupied[],
                           bool canonical, struct hf_matrix *const effective[],
                           struct hf_error *error);
};

extern const struct hf_method_ops hf_method_rhf, hf_method_uhf, hf_method_rohf;

/** *place of `name` in a list whose entry i is called name_of(i), NULL behind the last. Not
 *  collective. HF_BAD_INPUT with the names of that `kind`: it is none of them. */
hf_status hf_find_named(const char *kind, const char *name, const char *(*name_of)(int i),
                        int *place, struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT with the names there are when `name` is none of them. Not collective. */
hf_status hf_method_find(const char *name, const struct hf_method_ops **method,
                         struct hf_error *error) HF_MUST_CHECK;

/** Electrons of each spin from charge and multiplicity. Not collective. HF_BAD_INPUT: they do not
 *  fit together. */
hf_status hf_spin_count_of(const struct hf_molecule *molecule, struct hf_spin_count *n_electron,
                           struct hf_error *error) HF_MUST_CHECK;

/** Orbitals of a set that have electrons. Not collective. */
int hf_set_size(struct hf_spin_count n_electron, int set);

/** Electrons in each of the n_orbital orbitals of a set, occupation [n_orbital]. Not collective. */
void hf_set_occupations(const struct hf_method_ops *method, struct hf_spin_count n_electron,
                        int set, int n_orbital, double occupation[]);

/** New matrix *orbitals [m][o] of the orbitals of a spin (0 alpha, 1 beta) in the sets occupied
 *  [n_set]; NULL when it has none. Collective. HF_NO_RESOURCE. */
hf_status hf_spin_orbitals(struct hf_linalg *linalg, struct hf_spin_count n_electron, int n_set,
                           struct hf_matrix *const occupied[], int spin,
                           struct hf_matrix **orbitals, struct hf_error *error) HF_MUST_CHECK;

/** The orthonormal basis of a set in the list x [HF_MAX_SPIN], whose second is NULL if both sets have the same
 *  one. Not collective. */
const struct hf_matrix *hf_basis_of_set(const struct hf_matrix *const x[], int set);

/** density [n_density] [n][n] of the orbitals occupied [n_set] in the bases x. Collective. HF_NO_RESOURCE. */
hf_status hf_method_densities(const struct hf_method_ops *method, struct hf_linalg *linalg,
                              struct hf_spin_count n_electron, const struct hf_matrix *const x[],
                              struct hf_matrix *const occupied[], struct hf_matrix *const density[],
                              struct hf_error *error) HF_MUST_CHECK;

/** weighted [n][n] = sum_s X W_s n^-1/2 (W_s^T F_s W_s) n^-1/2 W_s^T X^T of fock [n_fock] and the orbitals
 *  occupied [n_set] in the bases x, n their occupations: at a stationary point the sum of the orbitals' energies times their
 *  densities, and what the derivatives of the overlap are multiplied by in a gradient. For shared orbitals
 *  F_alpha and F_beta are those of the spins, so that it does not depend on their canonical form.
 *  Collective. HF_NO_RESOURCE.
 *  Source   Pulay, Mol. Phys. 17, 197 (1969). */
hf_status hf_method_weighted_density(struct hf_context *context, const struct hf_method_ops *method,
                                     struct hf_linalg *linalg, struct hf_spin_count n_electron,
                                     const struct hf_matrix *const x[],
                                     struct hf_matrix *const fock[],
                                     struct hf_matrix *const occupied[], struct hf_matrix *weighted,
                                     struct hf_error *error) HF_MUST_CHECK;

/** *trace = sum_s tr F_s D_s of fock [n_fock] and the densities of the orbitals occupied [n_set],
 *  over both spins; antisymmetric parts of fock have no share in it. Collective. HF_NO_RESOURCE. */
hf_status hf_trace_of_orbitals(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                               int n_fock, struct hf_matrix *const fock[], int n_set,
                               struct hf_matrix *const occupied[], double *trace,
                               struct hf_error *error) HF_MUST_CHECK;

/** Energies of electrons of some densities in the field of others (or the same), hartree. */
struct hf_interaction {
    double coulomb, exchange;
};

/** tr D J / 2 - tr D K[D] / 4 - tr M K[M] / 4 of density [n_density] in the J and K of densities:
 *  with their own, the two-electron energy. A bilinear form. This rank's part, for hf_linalg_reduce; not
 *  collective. */
struct hf_interaction hf_interaction_here(int n_density, struct hf_matrix *const density[],
                                          const struct hf_matrix *coulomb,
                                          struct hf_matrix *const exchange[]);

/** fock [n_fock] [m][m] in the orthonormal bases x, of alpha H + J - (K[D] + K[M]) / 2, of beta
 *  H + J - (K[D] - K[M]) / 2, without a spin density the same. Collective. HF_NO_RESOURCE. */
hf_status hf_method_fock(const struct hf_method_ops *method, struct hf_linalg *linalg,
                         const struct hf_matrix *const x[], const struct hf_matrix *core,
                         const struct hf_matrix *coulomb, struct hf_matrix *const exchange[],
                         struct hf_matrix *const fock[], struct hf_error *error) HF_MUST_CHECK;

/** Eigenvalues of the overlap matrix, as far as anyone asks. */
struct hf_overlap_spectrum {
    double smallest;
    int n_removed; /**< eigenvalues below the threshold */
};

/** Eigenvectors of the overlap matrix that are left out of the orthonormal basis, and their eigenvalues. */
struct hf_removed {
    struct hf_matrix *vector; /**< [n][r], orthonormal; NULL: r = 0 */
    double *eigenvalue;       /**< [r]; NULL: r = 0 */
};

/** Frees what there is. Not collective. */
void hf_removed_done(struct hf_context *context, struct hf_removed *removed);

/** Canonical orthogonaliser X = U s^-1/2, [n][m], from the eigenvalues s of the overlap matrix that
 *  are not below `threshold`: X^T S X = 1. `removed` gets the other ones; NULL: they are not needed.
 *  `overlap` is destroyed. Collective.
 *  Errors   HF_BAD_INPUT: no eigenvalue is above the threshold; HF_NO_RESOURCE.
 *  Source   book Fig. 8.1 (second step). */
hf_status hf_orthogonaliser_create(struct hf_context *context, struct hf_linalg *linalg,
                                   struct hf_matrix *overlap, double threshold,
                                   struct hf_matrix **x, struct hf_overlap_spectrum *spectrum,
                                   struct hf_removed *removed,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Adds to weighted [n][n] what the derivatives of the overlap are multiplied by because the kept and the removed
 *  eigenvectors k, r of S turn into each other (first order: u_k += u_r (u_r^T S^(1) u_k) / (s_k - s_r)):
 *
 *      W -= sum_kr (u_k u_r^T + u_r u_k^T) (u_k^T P u_r) / (s_k - s_r)     P = sum_s D_s F_s
 *
 *  x [n][m] is the canonical orthogonaliser, of which `removed` is the rest; core, coulomb, exchange [n_density] of the
 *  densities density [n_density] as for hf_method_fock. Nothing if r = 0. Collective. HF_NO_RESOURCE. */
hf_status hf_method_weigh_removed(struct hf_context *context, const struct hf_method_ops *method,
                                  struct hf_linalg *linalg, const struct hf_matrix *x,
                                  const struct hf_removed *removed, const struct hf_matrix *core,
                                  const struct hf_matrix *coulomb,
                                  struct hf_matrix *const exchange[],
                                  struct hf_matrix *const density[], struct hf_matrix *weighted,
                                  struct hf_error *error) HF_MUST_CHECK;

/** fock_orthonormal [m][m] = X^T fock X. Collective. */
hf_status hf_to_orthonormal(struct hf_linalg *linalg, const struct hf_matrix *x,
                            const struct hf_matrix *fock, struct hf_matrix *fock_orthonormal,
                            struct hf_error *error) HF_MUST_CHECK;

/** commutator [m][m] = F' D' - D' F' = X^T (F D S - S D F) X, exactly antisymmetric. Collective. */
hf_status hf_commutator(struct hf_linalg *linalg, const struct hf_matrix *fock_orthonormal,
                        const struct hf_matrix *density_orthonormal, struct hf_matrix *commutator,
                        struct hf_error *error) HF_MUST_CHECK;

/** The same for D' = g C' C'^T of the orbitals `occupied` [m][o] with g = `electrons` each: F' C'
 *  comes first, which takes 4 m^2 o operations instead of 2 m^3 and those for D'. Zero when
 *  `occupied` is NULL. Collective. */
hf_status hf_commutator_of_orbitals(struct hf_linalg *linalg, double electrons,
                                    const struct hf_matrix *fock_orthonormal,
                                    const struct hf_matrix *occupied, struct hf_matrix *commutator,
                                    struct hf_error *error) HF_MUST_CHECK;

/** density [n][n] = g (X C'_occ) (X C'_occ)^T, g = `electrons`; zero when `occupied` is NULL.
 *  Collective. */
hf_status hf_density_of_orbitals(struct hf_linalg *linalg, double electrons,
                                 const struct hf_matrix *x, const struct hf_matrix *occupied,
                                 struct hf_matrix *density, struct hf_error *error) HF_MUST_CHECK;

/** Eigenvalues [m] of F', which is destroyed, and its lowest orbitals in `occupied` [m][o] (may be
 *  NULL). Collective. */
hf_status hf_lowest_orbitals(struct hf_context *context, struct hf_matrix *fock_orthonormal,
                             double orbital_energy[], struct hf_matrix *occupied,
                             struct hf_error *error) HF_MUST_CHECK;

/** The occupied orbitals of a Fock matrix F' [m][m] that is nearly diagonal, the first o functions of its basis
 *  being nearly the occupied orbitals, from orthonormal orbitals occupied [m][o] of a matrix like it, 0 < o < m
 *  (rotate.c). *found: `occupied` are now such that no element of F' between them and the virtual orbitals is
 *  above the tolerance (hartree). Otherwise `occupied` stays as it was: the rotation is large, levels are close,
 *  or too many sweeps would be needed. diagonal [m] is that of F'. Collective. HF_NO_RESOURCE. */
hf_status hf_rotate_orbitals(struct hf_context *context, struct hf_linalg *linalg,
                             const struct hf_matrix *fock_orthonormal, double tolerance,
                             double diagonal[], struct hf_matrix *occupied, bool *found,
                             int *n_sweep, struct hf_error *error) HF_MUST_CHECK;

#endif
