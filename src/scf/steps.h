/* Inside the scf room: methods, orthogonaliser, DIIS, guesses, atoms and the two-electron matrices.
 *
 * Shapes used throughout: n basis functions, m <= n orbitals (m < n when linear dependence was
 * removed), o occupied orbitals with g electrons each. Everything between the Fock build and the
 * next density happens in the orthonormal basis X of order m:
 *
 *     F' = X^T F X      F' C' = C' e      D' = g C'_occ C'_occ^T      D = X D' X^T
 *
 * Densities and Fock matrices come in lists: a method (struct hf_method_ops) says how many. */
#ifndef HF_SCF_STEPS_H
#define HF_SCF_STEPS_H

#include "hf/fock.h"
#include "hf/hamiltonian.h"
#include "hf/linalg.h"
#include "hf/scf.h"

/** What a calculation is timed by beside hf_phase_setup, the phases of the Fock builds and those in hf/scf.h:
 *  overlap, kinetic energy, nuclear attraction, dipole; first density. */
extern const struct hf_phase hf_phase_one_electron, hf_phase_guess;

enum { HF_MAX_DENSITY = 2, HF_MAX_DIIS = 100 };

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

/** Looks at all that can be seen before anything is computed: settings, method, and whether the
 *  method can do the molecule. Not collective. HF_BAD_INPUT. */
hf_status hf_scf_check(const struct hf_molecule *molecule, const struct hf_scf_settings *settings,
                       const struct hf_method_ops **method, struct hf_spin_count *n_electron,
                       struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT on every rank when molecule, basis, settings or whether a wave function is asked for
 *  differ from rank to rank. Collective. */
hf_status hf_scf_check_same(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_basis *basis, const struct hf_scf_settings *settings,
                            bool wavefunction, struct hf_error *error) HF_MUST_CHECK;

/** Electrons of each spin from charge and multiplicity. Not collective. HF_BAD_INPUT: they do not
 *  fit together. */
hf_status hf_spin_count_of(const struct hf_molecule *molecule, struct hf_spin_count *n_electron,
                           struct hf_error *error) HF_MUST_CHECK;

/** Orbitals of a set that have electrons. Not collective. */
int hf_set_size(struct hf_spin_count n_electron, int set);

/** Electrons in each of the n_orbital orbitals of a set, occupation [n_orbital]. Not collective. */
void hf_set_occupations(const struct hf_method_ops *method, struct hf_spin_count n_electron,
                        int set, int n_orbital, double occupation[]);

/** Electrons of one spin in each of n orbitals at a temperature kT > 0 (hartree), occupation [n],
 *  from their energies [n] in hartree, ascending; they add up to n_electron <= n. Less than 1e-14
 *  is nothing. Not collective. */
void hf_fermi_occupations(int n, const double energy[], int n_electron, double temperature,
                          double occupation[]);

/** -T S of the electrons of one spin with those occupations [n] at kT, hartree: at most zero. Not
 *  collective. */
double hf_entropy_term(int n, const double occupation[], double temperature);

/** New matrix *orbitals [m][o] of the orbitals of a spin (0 alpha, 1 beta) in the sets occupied
 *  [n_set]; NULL when it has none. Collective. HF_NO_RESOURCE. */
hf_status hf_spin_orbitals(struct hf_linalg *linalg, struct hf_spin_count n_electron, int n_set,
                           struct hf_matrix *const occupied[], int spin,
                           struct hf_matrix **orbitals, struct hf_error *error) HF_MUST_CHECK;

/** density [n_density] [n][n] of the orbitals occupied [n_set]. Collective. HF_NO_RESOURCE. */
hf_status hf_method_densities(const struct hf_method_ops *method, struct hf_linalg *linalg,
                              struct hf_spin_count n_electron, const struct hf_matrix *x,
                              struct hf_matrix *const occupied[], struct hf_matrix *const density[],
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
 *  with their own, the two-electron energy. A bilinear form. Collective. */
struct hf_interaction hf_interaction_energy(int n_density, struct hf_matrix *const density[],
                                            const struct hf_matrix *coulomb,
                                            struct hf_matrix *const exchange[]);

/** fock [n_fock] [m][m] in the orthonormal basis, of alpha H + J - (K[D] + K[M]) / 2, of beta
 *  H + J - (K[D] - K[M]) / 2, without a spin density the same. Collective. HF_NO_RESOURCE. */
hf_status hf_method_fock(const struct hf_method_ops *method, struct hf_linalg *linalg,
                         const struct hf_matrix *x, const struct hf_matrix *core,
                         const struct hf_matrix *coulomb, struct hf_matrix *const exchange[],
                         struct hf_matrix *const fock[], struct hf_error *error) HF_MUST_CHECK;

/** Eigenvalues of the overlap matrix, as far as anyone asks. */
struct hf_overlap_spectrum {
    double smallest;
    int n_removed; /**< eigenvalues below the threshold */
};

/** Canonical orthogonaliser X = U s^-1/2, [n][m], from the eigenvalues s of the overlap matrix that
 *  are not below `threshold`: X^T S X = 1. `overlap` is destroyed. Collective.
 *  Errors   HF_BAD_INPUT: no eigenvalue is above the threshold; HF_NO_RESOURCE.
 *  Source   book Fig. 8.1 (second step). */
hf_status hf_orthogonaliser_create(struct hf_context *context, struct hf_linalg *linalg,
                                   struct hf_matrix *overlap, double threshold,
                                   struct hf_matrix **x, struct hf_overlap_spectrum *spectrum,
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

/** Empties the history and frees its matrices. Not collective, but it must happen on every rank. */
void hf_diis_forget(struct hf_diis *self);

/** Pairs now in the history. */
int hf_diis_n_stored(const struct hf_diis *diis);

/** [pairs][n_fock] The matrices A_i, the oldest pair first; the list is the history's and good
 *  until the next pair comes. Not collective. */
const struct hf_matrix *const *hf_diis_in_order(struct hf_diis *diis);

/** Coulomb and exchange matrices of the current densities of a method: built from whole densities,
 *  or by adding those of their changes, whose quartets are screened away far more often. One pass
 *  over the integrals makes those of all densities.
 *
 *  J and K of the changes add up to no better than the screening thresholds of all builds since the
 *  last whole one, so that a sharper threshold than the last always builds anew. */
struct hf_two_electron {
    struct hf_linalg *linalg;
    struct hf_fock_builder *builder;            /**< borrowed */
    const struct hf_method_ops *method;         /**< has n_density of each of these: */
    struct hf_matrix *density[HF_MAX_DENSITY];  /**< [n][n], whose J and K these are */
    struct hf_matrix *coulomb;                  /**< [n][n] of the total density */
    struct hf_matrix *exchange[HF_MAX_DENSITY]; /**< [n][n] */
    double threshold;                           /**< of the whole build and the changes since;
                                                 *   INFINITY before */
    double energy_change;                       /**< hartree, see hf_two_electron_update */
    int n_change;                               /**< changes at this threshold */
    bool built;                                 /**< false before the first build */
};

/** Matrices [n][n] of zeros. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, const struct hf_method_ops *method,
                               int n, struct hf_error *error) HF_MUST_CHECK;
void hf_two_electron_done(struct hf_two_electron *self);

/** Moves on from the densities D to D' = density [n_density], which are destroyed. The two-electron
 *  energy is a quadratic form E(D, D) (hf_interaction_energy), so that it changes by exactly
 *
 *      E(D' - D, D) + E(D' - D, D')     closed shells: tr (D' - D) (G + G') / 2, G = J - K/2
 *
 *  `energy_change` is made that way, because an error of J and K then meets the small D' - D only:
 *  it can be trusted far below the thresholds and does not notice a move from one threshold to
 *  another. Collective. */
hf_status hf_two_electron_update(struct hf_two_electron *self, struct hf_matrix *const density[],
                                 double threshold, struct hf_error *error) HF_MUST_CHECK;

/** Screening threshold of the build of iteration result->n_iteration, from the commutator of the
 *  one before. `last` is that one's threshold, INFINITY before the first: it never gets looser
 *  again. Not collective; equal on every rank. */
double hf_next_threshold(const struct hf_scf_settings *settings, const struct hf_scf_result *result,
                         double last);

/** What a guess may use. */
struct hf_guess_input {
    struct hf_context *context;
    struct hf_linalg *linalg;
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_scf_settings *settings;
    const struct hf_method_ops *method;
    struct hf_spin_count n_electron;
    const struct hf_matrix *core_hamiltonian; /**< [n][n] */
    const struct hf_matrix *x;                /**< [n][m] */
};

/** One way to make the first densities. */
struct hf_guess_ops {
    const char *name, *about, *cite;
    /** Fills density [n_density] of the method, [n][n] each. occupied [n_set] ([m][o] each, NULL
     *  where o = 0) receive the orbitals they are made of, and *has_orbitals becomes true, when
     *  they come from orbitals. Collective. */
    hf_status (*densities)(const struct hf_guess_input *input, struct hf_matrix *const density[],
                           struct hf_matrix *const occupied[], bool *has_orbitals,
                           struct hf_error *error);
};

/** Fills density [n_density] and occupied [n_set] with the orbitals of another calculation,
 *  projected on this one's basis and orthonormal. Collective.
 *  Errors   HF_BAD_INPUT: too few orbitals, or nothing is left of one; HF_NO_RESOURCE; what reading
 *           them gives. */
hf_status hf_scf_project_orbitals(const struct hf_guess_input *input,
                                  const struct hf_scf_orbitals *from,
                                  struct hf_matrix *const density[],
                                  struct hf_matrix *const occupied[],
                                  struct hf_error *error) HF_MUST_CHECK;

extern const struct hf_guess_ops hf_guess_sad, hf_guess_sap, hf_guess_huckel, hf_guess_core;

/** Fills density [n_density] and occupied [n_fock] with the lowest orbitals of `matrix` [m][m], in
 *  the orthonormal basis, which is destroyed: the same for all spins. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_guess_from_matrix(const struct hf_guess_input *input, struct hf_matrix *matrix,
                               struct hf_matrix *const density[],
                               struct hf_matrix *const occupied[],
                               struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT with the names there are when `name` is none of them. Not collective. */
hf_status hf_guess_find(const char *name, const struct hf_guess_ops **guess,
                        struct hf_error *error) HF_MUST_CHECK;

enum { HF_ATOM_N_L = 4 }; /* s p d f: no ground state occupies more */

/** Electrons per angular momentum in the ground state of a neutral atom, 1 <= Z <= 118. */
void hf_atom_configuration(int atomic_number, int n_electron[HF_ATOM_N_L]);

/** The same less the `n_core` electrons of an effective core potential. Not collective. */
void hf_atom_valence_configuration(int atomic_number, int n_core, int n_electron[HF_ATOM_N_L]);

/** Orbitals of subshells that hold electrons in a free atom, as far as the basis has shells for
 *  them. Not collective. */
int hf_atom_n_orbital(const struct hf_basis *basis, int atom, int atomic_number);

/** Those orbitals, of the atom whose density is hf_atom_density, and their energies.
 *
 *  Shapes   energy [hf_atom_n_orbital], hartree; coefficient [hf_atom_n_orbital][k], k the
 *           functions of that atom: orthonormal, but zero where linear dependence took an orbital
 *           away.
 *  Call     not collective.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_orbitals(const struct hf_basis *basis, int atom, int atomic_number,
                           const struct hf_scf_settings *settings, double energy[],
                           double coefficient[], struct hf_error *error) HF_MUST_CHECK;

/** Density of a free atom in the functions of `atom` in `basis`, spherically averaged.
 *
 *  Shapes   density [k][k], k the functions of that atom, column-major.
 *  Call     not collective: every rank may do another atom.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_density(const struct hf_basis *basis, int atom, int atomic_number,
                          const struct hf_scf_settings *settings, double density[],
                          struct hf_error *error) HF_MUST_CHECK;

#endif
