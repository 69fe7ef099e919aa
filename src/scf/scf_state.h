/* One calculation while it runs, and its steps: set-up (set_up.c), first densities
 * and evaluation of densities (evaluate.c), the orbitals of the next ones (converger.h), the state
 * that is kept (keep.c) and gone on from (take_restart.c), the analysis of a solution
 * (stability.c), the results (results.c). The driver that puts the steps in order is driver.c. Shapes and words are
 * those of orbitals/orbitals.h. */
#ifndef HF_SCF_STATE_H
#define HF_SCF_STATE_H

#include "base/arena.h"
#include "fock/fock.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"
#include "hf/scf.h"
#include "orbitals/diis.h"
#include "orbitals/orbitals.h"

/** Phases of a calculation, besides hf_phase_setup, those of Fock builds and those in hf/linalg.h: one-electron
 *  integrals (overlap, kinetic energy, nuclear attraction, dipole), and the first density. */
extern const struct hf_phase hf_phase_one_electron, hf_phase_guess;

/** Coulomb and exchange matrices J, K of the current densities. They are built from the whole densities, or updated
 *  with J and K of the changes of the densities, for which far more quartets are screened out. One pass over the
 *  integrals serves all densities.
 *
 *  The error of an update is that of all builds since the last whole one. Therefore a sharper threshold always causes
 *  a whole build. */
struct hf_two_electron {
    struct hf_fock_builder *builder; /**< borrowed */
    int n_density;
    struct hf_fields fields; /**< [n][n] current densities, their J and K */
    double threshold;        /**< of the whole build and the changes since; INFINITY before */
    double change_here;      /**< hartree, see hf_two_electron_update */
    int n_change;            /**< changes at this threshold */
    bool built;              /**< false before the first build */
};

/** Matrices [n][n] of zeros. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, int n_density, int n,
                               struct hf_error *error) HF_MUST_CHECK;

/** Replaces the densities D by D' = density [n_density], whose contents are lost. The two-electron
 *  energy is a quadratic form E(D, D) (hf_interaction_here). It changes by exactly
 *
 *      E(D' - D, D) + E(D' - D, D')     closed shells: tr (D' - D) (G + G') / 2, G = J - K/2
 *
 *  `change_here` is this rank's part of that. Errors of J and K are multiplied by the small D' - D only. So the change
 *  is accurate far below the thresholds, also if the threshold changes. Collective. */
hf_status hf_two_electron_update(struct hf_two_electron *self, struct hf_matrix *const density[],
                                 double threshold, struct hf_error *error) HF_MUST_CHECK;

enum { HF_DESCENT = 7 };

/** Energies and gradients of the last iterations of one convergence, the newest first. */
struct hf_descent {
    int n;
    struct hf_descent_point {
        double energy;          /* from the first iteration on, hartree */
        double gradient_square; /* hartree^2, see convergence.c */
    } point[HF_DESCENT];
};

/** State of two searches for the lowest solution (driver.c). */
struct hf_second_search {
    enum {
        HF_SEARCH_ONE,
        HF_SEARCH_FIRST,
        HF_SEARCH_SECOND,
        HF_SEARCH_BACK
    } stage;      /* ONE: there is no second search; BACK: the next iteration evaluates the
                     solution of the first search again */
    bool strayed; /* the first one needed second-order steps */
    bool has_first, has_found;
    struct hf_matrix *first[HF_MAX_SPIN]; /* [n_set] [n][o] first orbitals */
    struct hf_matrix *found[HF_MAX_SPIN]; /* [n_set] [n][o] of the solution of the first search */
    double energy, error;                 /* hartree, of that; its estimated error */
    int n_iteration;                      /* of the first search */
};

/** Data of one calculation. */
struct hf_scf {
    struct hf_context *context;
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_scf_settings *settings;
    const struct hf_scf_observer *observer;
    const struct hf_method_ops *method;
    struct hf_spin_count n_electron;
    const struct hf_converger_ops *converger;
    void *converger_data;
    struct hf_scf_result *result;
    struct hf_linalg *linalg;
    struct hf_hamiltonian *hamiltonian;
    struct hf_common_pairs *own_pairs; /* NULL: the settings lend some */
    struct hf_fock_builder *builder;
    struct hf_two_electron two_electron;
    struct hf_diis *diis;
    struct hf_matrix *core; /* [n][n] all terms of one electron */
    /* [n][m] orthonormal bases of the sets; second NULL: both have the first */
    struct hf_matrix *x[HF_MAX_SPIN];
    /* [n][m] V s^-1/2 for the wave function and the weighted density, if x[0] is another one; else NULL */
    struct hf_matrix *canonical;
    struct hf_removed removed;     /* for the weighted density */
    bool is_orbitals[HF_MAX_SPIN]; /* [n_set] x are orbitals of a Fock matrix (orbital_basis.c) */
    int n_not_found;               /* rotations in succession that failed */
    /* [n_set] [m][o] orbitals of the densities; NULL: o = 0 */
    struct hf_matrix *occupied[HF_MAX_SPIN];
    /* [n_set] [m][o] first orbitals, for maximum overlap; else NULL */
    struct hf_matrix *reference[HF_MAX_SPIN];
    bool has_orbitals;       /* the densities are those of `occupied` */
    struct hf_matrix *guess; /* [m][m] D' of a guess without orbitals, until used */
    /* [n_fock] [m][m] F' of the last densities, until the next ones are made */
    struct hf_matrix *fock[HF_MAX_SPIN];
    /* [n_set] [m][m] matrices to diagonalise instead of those that the method makes of fock; or NULLs */
    struct hf_matrix *effective[HF_MAX_SPIN];
    struct hf_matrix *commutator[HF_MAX_SPIN]; /* [n_fock] [m][m] of fock and occupied */
    /* [n][n] for the wave function; NULL: not needed, or not made yet */
    struct hf_matrix *weighted_density;
    /* [n_set][m] electrons of one spin in the orbitals of the densities, those above zero first; NULL: whole ones */
    double *occupation;
    double *orbital_energy; /* [n_set][m] */
    struct hf_arena arena;  /* has these two, and data of convergers */
    bool has_energies;      /* those are the canonical ones of the last Fock matrices */
    bool soft;              /* a saddle point was left: modes may be much softer than the gap */
    /* hartree; gap of the orbitals of the densities, or the lowest eigenvalue of the Hessian there; 0: not known */
    double gap;
    struct hf_descent descent;
    struct hf_second_search search;
    const char *step; /* the step to the last densities, as the converger calls it, or "" */
    double busy_max, busy_mean; /* sums over the builds */
    double iteration_started;
    int n_before;         /* iterations before this convergence; others may have led elsewhere */
    int n_done;           /* reported iterations, including those before a restart */
    double energy_before; /* of the last iteration before a restart, else 0 */
};

/** Checks settings and method before anything is computed, and whether the method can do the molecule. Not
 *  collective. HF_BAD_INPUT. */
hf_status hf_scf_check(const struct hf_molecule *molecule, const struct hf_scf_settings *settings,
                       const struct hf_method_ops **method, struct hf_spin_count *n_electron,
                       struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT on every rank if molecule, basis, settings or the presence of a wave function differ from
 *  rank to rank. Collective. */
hf_status hf_scf_check_same(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_basis *basis, const struct hf_scf_settings *settings,
                            bool wavefunction, struct hf_error *error) HF_MUST_CHECK;

/** Creates grid, orthogonaliser, core Hamiltonian, Fock builder, DIIS, data of the converger, and memory
 *  for the densities. Collective. HF_BAD_INPUT: the basis is too small or linearly dependent
 *  altogether; HF_NO_RESOURCE. */
hf_status hf_scf_set_up(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;
/** Frees everything; accepts a calculation whose set-up failed. Collective. */
void hf_scf_tear_down(struct hf_scf *scf);

/** scf->occupied of set k = the orbitals vector [m][any] times the square roots of scf->occupation,
 *  as far as these are above zero. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_weigh(struct hf_scf *scf, int k, const struct hf_matrix *vector,
                       struct hf_error *error) HF_MUST_CHECK;

/** The inverse of hf_scf_weigh: new orthonormal *orbitals [m][o] from scf->occupied of set k, which is not NULL.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_unweighed(const struct hf_scf *scf, int k, struct hf_matrix **orbitals,
                           struct hf_error *error) HF_MUST_CHECK;

/** Electrons of one spin in each of n orbitals at a temperature kT > 0 (hartree), occupation [n],
 *  from their energies [n] in hartree, ascending; they add up to n_electron <= n. Occupations
 *  below 1e-14 become 0. Not collective. */
void hf_fermi_occupations(int n, const double energy[], int n_electron, double temperature,
                          double occupation[]);

/** -T S of the electrons of one spin with those occupations [n] at kT, hartree: at most zero. Not
 *  collective. */
double hf_entropy_term(int n, const double occupation[], double temperature);

/** Electrons of both spins in the orbitals of set k, occupation [m]. Not collective. */
void hf_scf_occupations(const struct hf_scf *scf, int k, double occupation[]);

/** New matrices list [n_matrix]: [n][n] `of_functions`, else [m][m]. Reports of memory call them `label`.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_create_list(const struct hf_scf *scf, const char *label, int n_matrix,
                             bool of_functions, struct hf_matrix *list[],
                             struct hf_error *error) HF_MUST_CHECK;
/** New density [n_density] of scf->occupied. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_make_densities(const struct hf_scf *scf, const char *label,
                                struct hf_matrix *density[], struct hf_error *error) HF_MUST_CHECK;

/** Numbers and new occupations [m] of set k; neither energies nor coefficients. Not collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_describe_orbitals(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                                   struct hf_error *error) HF_MUST_CHECK;
/** New *coefficient [n][any] = X C' of orthonormal orbitals C' [m][any] of set k. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_coefficients(const struct hf_scf *scf, int k, const struct hf_matrix *orthonormal,
                              struct hf_matrix **coefficient, struct hf_error *error) HF_MUST_CHECK;

/** -T S of the densities, hartree; zero without fractional occupations. Not collective. */
double hf_scf_entropy_term(const struct hf_scf *scf);

/** The overlap matrix [n][n]. Collective. */
hf_status hf_scf_overlap(struct hf_scf *scf, struct hf_matrix *overlap,
                         struct hf_error *error) HF_MUST_CHECK;

/** New dual [n][m] = S X, which takes coefficients to the orthonormal basis: C' = (S X)^T C.
 *  Collective. HF_NO_RESOURCE: memory. */
hf_status hf_scf_dual(struct hf_scf *scf, struct hf_matrix **dual,
                      struct hf_error *error) HF_MUST_CHECK;

/** First densities [n_density] [n][n], with their orbitals or their D'.
 *  Collective. */
hf_status hf_scf_guess(struct hf_scf *scf, struct hf_matrix *const density[],
                       struct hf_error *error) HF_MUST_CHECK;

/** New scf->guess = X^T S D S X of a first density without orbitals, while X is as it was set up. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_project_guess(struct hf_scf *scf, const struct hf_matrix *density,
                               struct hf_error *error) HF_MUST_CHECK;

/** First densities, orbitals, DIIS history and numbers from settings->restart. Collective.
 *  HF_BAD_INPUT: it is not of this calculation, or damaged; HF_NO_RESOURCE. */
hf_status hf_scf_take_restart(struct hf_scf *scf, struct hf_matrix *const density[],
                              struct hf_error *error) HF_MUST_CHECK;

/** Offers the state to settings->keeper, if any: the orbitals of the next densities and what DIIS
 *  remembers. `fock` must be there when the calculation is finished, and `commutator` when it is
 *  not converged then; DIIS must not be used any more afterwards. Collective. */
hf_status hf_scf_keep(struct hf_scf *scf, enum hf_keep_reason reason,
                      struct hf_error *error) HF_MUST_CHECK;

/** Whether the first orbitals are those of the same molecule at a structure near by. */
static inline bool hf_scf_starts_near(const struct hf_scf_settings *settings)
{
    return settings->orbitals != NULL && settings->orbitals->coefficient[0] != NULL;
}

/** Screening threshold of the build of iteration result->n_iteration, from the commutator of the previous iteration.
 *  `last` is the threshold of that iteration, INFINITY before the first. Thresholds never increase. Not collective;
 *  equal on every rank. */
double hf_next_threshold(const struct hf_scf_settings *settings, const struct hf_scf_result *result,
                         double last);

/** Smallest difference of energies between occupied and empty orbitals in scf->orbital_energy,
 *  without the level shift; INFINITY: nothing can rotate. Not collective. */
double hf_scf_gap(const struct hf_scf *scf);

/** The determinant of scf->occupied. Not collective. */
static inline struct hf_determinant hf_scf_determinant(const struct hf_scf *scf)
{
    return (struct hf_determinant){.method = scf->method,
                                   .n_electron = scf->n_electron,
                                   .x = {scf->x[0], scf->x[1]},
                                   .occupied = {scf->occupied[0], scf->occupied[1]}};
}

/** Whether the settings and the size let the o occupied orbitals of m be found by rotation (orbital_basis.c). Not
 *  collective; equal on every rank. */
bool hf_scf_rotates(const struct hf_scf_settings *settings, const struct hf_method_ops *method,
                    int m, int o, int n_rank);

/** Both sets have the first one's basis from now on. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_share_basis(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Finds the largest element of the commutators, and adds the last iteration to scf->descent. Collective. */
void hf_scf_note_descent(struct hf_scf *scf);

/** By how much the energy of the last densities is above the converged one, hartree, an estimate
 *  that is too large rather than too small; INFINITY: not known. Not collective. */
double hf_scf_estimate_error(const struct hf_scf *scf);

/** Whether the last iteration, whose result->energy_error is known, is to be the last one. Not
 *  collective. */
bool hf_scf_is_converged(const struct hf_scf *scf);

/** Energy, Fock matrices and commutators of the next densities, which are destroyed: one iteration
 *  up to the report to the observer. Collective. */
hf_status hf_scf_evaluate(struct hf_scf *scf, struct hf_matrix *density[],
                          struct hf_error *error) HF_MUST_CHECK;

/** Total energy of orbitals [n_set] at the last screening threshold; nothing else changes.
 *  Collective. HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_scf_energy_of(struct hf_scf *scf, struct hf_matrix *const occupied[], double *energy,
                           struct hf_error *error) HF_MUST_CHECK;

/** Calls `respond` of the quantities settings->responding, for a converged solution. Collective. Errors: theirs. */
hf_status hf_scf_respond(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Makes scf->weighted_density of the last Fock matrices and the orbitals of the last densities. Collective. */
hf_status hf_scf_weigh_density(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Computes results that are needed of the last densities only: parts of the energy, dipole, spin. Collective. */
hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Orbitals of the last Fock matrices, and, when all parts are wanted, the last densities and the
 *  overlap. The grid goes over to the wave function then: what still lives on it must not be used
 *  but destroyed. Leaves a cleared wave function when it fails. Collective. */
hf_status hf_scf_give_wavefunction(struct hf_scf *scf, struct hf_wavefunction *wavefunction,
                                   struct hf_error *error) HF_MUST_CHECK;

struct hf_orbital_hessian;

/** The Hessian at the last density, of scf->fock and scf->occupied, which it borrows; to be freed
 *  with hf_hessian_done. Its products are right to five digits, or to fewer by a factor `looseness`
 *  >= 1. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_make_hessian(struct hf_scf *scf, double looseness,
                              struct hf_orbital_hessian *hessian,
                              struct hf_error *error) HF_MUST_CHECK;

/** Adds number and time of its products since the last call to the result. Not collective. */
void hf_scf_count_products(struct hf_scf *scf, struct hf_orbital_hessian *hessian);

/** Destroys all matrices of a list of HF_MAX_SPIN; NULLs are accepted. Not collective. */
void hf_scf_destroy_list(struct hf_matrix *list[]);

/** New copy [n_set] of scf->occupied, NULL as it is. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_copy_occupied(const struct hf_scf *scf, const char *label,
                               struct hf_matrix *copy[], struct hf_error *error) HF_MUST_CHECK;

#endif
