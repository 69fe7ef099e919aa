/* Orbitals of a determinant and what is computed from them: methods, densities and Fock matrices in the
 * orthonormal basis, the orthogonaliser.
 *
 * Shapes used throughout: n basis functions, m <= n orbitals (m < n if linear dependence was removed), o occupied
 * orbitals with g electrons each. X [n][m] holds the orthonormal basis. From the Fock build to the next density,
 * matrices are [m][m] in that basis. For one set of orbitals:
 *
 *     F' = X^T F X      F' C' = C' e      D' = g C'_occ C'_occ^T      D = X D' X^T
 *
 * There may be several densities and Fock matrices: n_density and n_fock of struct hf_method_ops count them. */
#ifndef HF_ORBITALS_H
#define HF_ORBITALS_H

#include "hf/linalg.h"
#include "hf/wavefunction.h"
#include "linalg/new_matrix.h"

enum { HF_MAX_DENSITY = 2 };

/** Electrons of alpha and of beta spin, which are also the numbers of their occupied orbitals. */
struct hf_spin_count {
    int alpha, beta; /**< alpha >= beta */
};

struct hf_determinant;
struct hf_fock_job;
/** A kind of wave function: numbers of densities, Fock matrices and sets of orbitals, and relations between them.
 *  Driver, DIIS and Fock builders need to know nothing else about a method. Each is one constant; all are in
 *  hf_method_list.
 *
 *      densities     the total density D = D_alpha + D_beta; for open shells also the spin density M = D_alpha -
 *                    D_beta
 *      Fock matrices F_alpha and F_beta, or one for both
 *      sets          orbitals of alpha and of beta, or one set for both
 *
 *  Total and spin density are used instead of D_alpha and D_beta, because J only needs D, and M is small nearly
 *  everywhere, so that most of its exchange is screened out.
 *
 *  A set of occupied orbitals is a matrix W [m][o] in the orthonormal basis (NULL if o = 0): orbitals times the
 *  square root of their occupation by one spin, so D'_s = W W^T. A set shared by both spins begins with the orbitals
 *  of beta. Functions that return a status are collective and return the same status on every rank: HF_NO_RESOURCE. */
struct hf_method_ops {
    const char *name, *about, *cite;
    const char *convention; /**< definition of its orbital energies; NULL: eigenvalues of F */
    int n_density;          /**< 1, or 2: D and M */
    int n_fock;             /**< 1, or 2: alpha and beta */
    int n_set;              /**< 1, or 2: alpha and beta */

    /** Checks that the method can do the molecule; NULL: it can do any. Not collective. HF_BAD_INPUT: it cannot. */
    hf_status (*check)(const struct hf_molecule *molecule, struct hf_spin_count n_electron,
                       struct hf_error *error);
    /** Computes commutator [n_fock] of fock [n_fock] with the densities of a determinant. This is the gradient of the
     *  energy, zero at stationary points. */
    hf_status (*commutators)(const struct hf_determinant *of, struct hf_matrix *const fock[],
                             struct hf_matrix *const commutator[], struct hf_error *error);
    /** Computes effective [n_set], whose lowest orbitals are the next ones, from fock [n_fock] and the present
     *  determinant (without orbitals: none yet). `canonical`: its eigenvalues are the orbital energies. NULL: the
     *  effective matrices are those of fock. */
    hf_status (*effective)(const struct hf_determinant *of, struct hf_matrix *const fock[],
                           bool canonical, struct hf_matrix *const effective[],
                           struct hf_error *error);
};

/** The occupied orbitals of a determinant; everything is borrowed. */
struct hf_determinant {
    const struct hf_method_ops *method;
    struct hf_spin_count n_electron;
    const struct hf_matrix *x[HF_MAX_SPIN];  /**< bases; second NULL: both sets have the first */
    struct hf_matrix *occupied[HF_MAX_SPIN]; /**< [n_set]; NULLs: none yet, or o = 0 */
};

/** Densities and the two-electron matrices built from them, [n][n] each. */
struct hf_fields {
    struct hf_matrix *density[HF_MAX_DENSITY];  /**< [n_density] */
    struct hf_matrix *coulomb;                  /**< of the total density */
    struct hf_matrix *exchange[HF_MAX_DENSITY]; /**< [n_density] */
};

/** New matrices of zeros for n_density densities. Collective. HF_NO_RESOURCE. */
hf_status hf_fields_create(struct hf_linalg *linalg, const char *label, int n_density, int n,
                           struct hf_fields *fields, struct hf_error *error) HF_MUST_CHECK;
/** Accepts NULLs. Not collective. */
void hf_fields_destroy(struct hf_fields *fields);
/** job [n_density] = jobs that build J and K of the densities; returns n_density. Not collective. */
int hf_fields_jobs(const struct hf_fields *fields, struct hf_fock_job *job);

extern const struct hf_method_ops hf_method_rhf, hf_method_uhf, hf_method_rohf;

/** Finds `name` in a list: *place becomes its index. name_of(i) is the name of entry i, NULL after the last. Not
 *  collective. HF_BAD_INPUT: it is not in the list; the message has all names of that `kind`. */
hf_status hf_find_named(const char *kind, const char *name, const char *(*name_of)(int i),
                        int *place, struct hf_error *error) HF_MUST_CHECK;

/** Defines functions of hf_<kind>_list, whose entries are struct hf_<kind>_ops: hf_<kind>_name and _about of an entry,
 *  and hf_<kind>_find, a search by name. */
#define HF_DEFINE_NAMED_LIST(kind)                                                                 \
    const char *hf_##kind##_name(const struct hf_##kind##_ops *of)                                 \
    {                                                                                              \
        return of->name;                                                                           \
    }                                                                                              \
    const char *hf_##kind##_about(const struct hf_##kind##_ops *of)                                \
    {                                                                                              \
        return of->about;                                                                          \
    }                                                                                              \
    static const char *name_of_##kind(int i)                                                       \
    {                                                                                              \
        return hf_##kind##_list[i] != NULL ? hf_##kind##_list[i]->name : NULL;                     \
    }                                                                                              \
    hf_status hf_##kind##_find(const char *name, const struct hf_##kind##_ops **of,                \
                               struct hf_error *error)                                             \
    {                                                                                              \
        int place;                                                                                 \
        HF_CHECK(hf_find_named(#kind, name, name_of_##kind, &place, error));                       \
        *of = hf_##kind##_list[place];                                                             \
        return HF_OK;                                                                              \
    }

/** Finds a method by name. HF_BAD_INPUT: there is none; the message lists all names. Not collective. */
hf_status hf_method_find(const char *name, const struct hf_method_ops **method,
                         struct hf_error *error) HF_MUST_CHECK;

/** Computes the electrons of each spin from charge and multiplicity. Not collective. HF_BAD_INPUT: these do not fit
 *  together. */
hf_status hf_spin_count_of(const struct hf_molecule *molecule, struct hf_spin_count *n_electron,
                           struct hf_error *error) HF_MUST_CHECK;

/** Number of orbitals of a set that have electrons. Not collective. */
int hf_set_size(struct hf_spin_count n_electron, int set);

/** Fills occupation [n_orbital] with the electrons in each orbital of a set. Not collective. */
void hf_set_occupations(const struct hf_method_ops *method, struct hf_spin_count n_electron,
                        int set, int n_orbital, double occupation[]);

/** Makes a new matrix *orbitals [m][o] with the orbitals of a spin (0 alpha, 1 beta); NULL if the spin has none.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_spin_orbitals(const struct hf_determinant *of, int spin, struct hf_matrix **orbitals,
                           struct hf_error *error) HF_MUST_CHECK;

/** The orthonormal basis of a set. Not collective. */
const struct hf_matrix *hf_basis_of_set(const struct hf_determinant *of, int set);

/** Computes density [n_density], each [n][n]. Collective. HF_NO_RESOURCE. */
hf_status hf_method_densities(const struct hf_determinant *of, struct hf_matrix *const density[],
                              struct hf_error *error) HF_MUST_CHECK;

/** weighted [n][n] = sum_s X W_s n^-1/2 (W_s^T F_s W_s) n^-1/2 W_s^T X^T from fock [n_fock] and the occupied orbitals W;
 *  n are their occupations. At a stationary point this is the sum of orbital energies times
 *  orbital densities; in a gradient it multiplies the derivatives of the overlap. For shared orbitals F_alpha and
 *  F_beta of the spins are used, so the result does not depend on the canonical form. Collective. HF_NO_RESOURCE.
 *  Source   Pulay, Mol. Phys. 17, 197 (1969). */
hf_status hf_method_weighted_density(struct hf_context *context, const struct hf_determinant *of,
                                     struct hf_matrix *const fock[], struct hf_matrix *weighted,
                                     struct hf_error *error) HF_MUST_CHECK;

/** Computes *trace = sum_s tr F_s D_s over both spins, from fock [n_fock] and the densities of a determinant.
 *  Antisymmetric parts of fock do not contribute. Collective. HF_NO_RESOURCE. */
hf_status hf_trace_of_orbitals(const struct hf_determinant *of, struct hf_matrix *const fock[],
                               double *trace, struct hf_error *error) HF_MUST_CHECK;

/** Energies of the electrons of some densities in the field of the same or other densities, hartree. */
struct hf_interaction {
    double coulomb, exchange;
};

/** tr D J / 2 - tr D K[D] / 4 - tr M K[M] / 4, a bilinear form of density [n_density] and the densities of J and K.
 *  If both are the same, it is the two-electron energy. This rank's part, for hf_linalg_reduce; not collective. */
struct hf_interaction hf_interaction_here(struct hf_matrix *const density[],
                                          const struct hf_fields *fields);

/** Computes fock [n_fock], each [m][m], in the orthonormal bases of `of`: H + J - (K[D] + K[M]) / 2 for alpha, H + J -
 *  (K[D] - K[M]) / 2 for beta; without a spin density both are equal. H is `core`. Collective. HF_NO_RESOURCE. */
hf_status hf_method_fock(const struct hf_determinant *of, const struct hf_matrix *core,
                         const struct hf_fields *fields, struct hf_matrix *const fock[],
                         struct hf_error *error) HF_MUST_CHECK;

/** Data of the eigenvalues of the overlap matrix. */
struct hf_overlap_spectrum {
    double smallest;
    int n_removed; /**< number of eigenvalues below the threshold */
};

/** Eigenvectors of the overlap matrix that are left out of the orthonormal basis, and their eigenvalues. */
struct hf_removed {
    struct hf_matrix *vector; /**< [n][r], orthonormal; NULL: r = 0 */
    double *eigenvalue;       /**< [r]; NULL: r = 0 */
};

/** Frees everything. Not collective. */
void hf_removed_done(struct hf_context *context, struct hf_removed *removed);

/** Computes the canonical orthogonaliser X = U s^-1/2, [n][m], from the eigenvalues s of the overlap matrix that are
 *  not below `threshold`: X^T S X = 1. `removed` (may be NULL) gets the other eigenvectors. Destroys `overlap`.
 *  Collective.
 *  Errors   HF_BAD_INPUT: no eigenvalue is above the threshold; HF_NO_RESOURCE.
 *  Source   book Fig. 8.1 (second step). */
hf_status hf_orthogonaliser_create(struct hf_context *context, struct hf_matrix *overlap,
                                   double threshold, struct hf_matrix **x,
                                   struct hf_overlap_spectrum *spectrum, struct hf_removed *removed,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Adds a term to weighted [n][n], which multiplies the derivatives of the overlap. It is needed because kept and
 *  removed eigenvectors k, r of S mix when atoms move (first order: u_k += u_r (u_r^T S^(1) u_k) / (s_k - s_r)):
 *
 *      W -= sum_kr (u_k u_r^T + u_r u_k^T) (u_k^T P u_r) / (s_k - s_r)     P = sum_s D_s F_s
 *
 *  x [n][m] is the canonical orthogonaliser that left out `removed`; H is `core`. Does nothing if r = 0. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_method_weigh_removed(struct hf_context *context, const struct hf_matrix *x,
                                  const struct hf_removed *removed, const struct hf_matrix *core,
                                  const struct hf_fields *fields, struct hf_matrix *weighted,
                                  struct hf_error *error) HF_MUST_CHECK;

/** fock_orthonormal [m][m] = X^T fock X. Collective. */
hf_status hf_to_orthonormal(const struct hf_matrix *x, const struct hf_matrix *fock,
                            struct hf_matrix *fock_orthonormal,
                            struct hf_error *error) HF_MUST_CHECK;

/** commutator [m][m] = F' D' - D' F' = X^T (F D S - S D F) X, exactly antisymmetric. Collective. */
hf_status hf_commutator(const struct hf_matrix *fock_orthonormal,
                        const struct hf_matrix *density_orthonormal, struct hf_matrix *commutator,
                        struct hf_error *error) HF_MUST_CHECK;

/** The same for D' = g C' C'^T of the orbitals `occupied` [m][o] with g = `electrons` each. F' C' is computed first;
 *  this takes 4 m^2 o operations instead of 2 m^3 and those for D'. Zero if `occupied` is NULL. Collective. */
hf_status hf_commutator_of_orbitals(double electrons, const struct hf_matrix *fock_orthonormal,
                                    const struct hf_matrix *occupied, struct hf_matrix *commutator,
                                    struct hf_error *error) HF_MUST_CHECK;

/** density [n][n] = g (X C'_occ) (X C'_occ)^T, g = `electrons`; zero if `occupied` is NULL. Collective. */
hf_status hf_density_of_orbitals(double electrons, const struct hf_matrix *x,
                                 const struct hf_matrix *occupied, struct hf_matrix *density,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Computes the eigenvalues [m] of F' and its lowest orbitals, `occupied` [m][o] (may be NULL). Destroys F'.
 *  Collective. */
hf_status hf_lowest_orbitals(struct hf_context *context, struct hf_matrix *fock_orthonormal,
                             double orbital_energy[], struct hf_matrix *occupied,
                             struct hf_error *error) HF_MUST_CHECK;

/** Finds the occupied orbitals of a nearly diagonal Fock matrix F' [m][m] without diagonalising it (rotate.c). The
 *  first o basis functions must nearly be the occupied orbitals. `occupied` [m][o], 0 < o < m, starts with
 *  orthonormal orbitals of a similar matrix. *found: elements of F' between occupied and virtual orbitals are now at
 *  most the tolerance (hartree). Otherwise `occupied` is unchanged: the rotation is large, levels are close, or too
 *  many sweeps are needed. diagonal [m] becomes the diagonal of F'. Collective. HF_NO_RESOURCE. */
hf_status hf_rotate_orbitals(struct hf_context *context, const struct hf_matrix *fock_orthonormal,
                             double tolerance, double diagonal[], struct hf_matrix *occupied,
                             bool *found, int *n_sweep, struct hf_error *error) HF_MUST_CHECK;

#endif
