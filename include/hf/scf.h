/* The self-consistent field: methods, guesses, orthogonalisation, DIIS, driver (book Fig. 8.1). */
#ifndef HF_SCF_H
#define HF_SCF_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/energy_term.h"
#include "hf/fock_settings.h"
#include "hf/guess.h"
#include "hf/molecule.h"
#include "hf/restart.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** A converger computes the next density. All are in hf_converger_list, which ends with NULL ("auto", "diis",
 *  "adiis", "damping", "newton"). */
struct hf_converger_ops;
extern const struct hf_converger_ops *const hf_converger_list[];
const char *hf_converger_name(const struct hf_converger_ops *converger);
const char *hf_converger_about(const struct hf_converger_ops *converger);

/** Stability analysis of a converged solution. */
enum hf_stability {
    HF_STABILITY_NONE,
    HF_STABILITY_CHECK, /**< check whether it is a minimum */
    /** if it is no minimum, follow the lowest mode and converge again, until it is */
    HF_STABILITY_FOLLOW
};

enum { HF_MAX_ROOT = 3, HF_MAX_FOLLOW = 10 };

/** Lowest eigenvalues of the Hessian for one kind of rotation, hartree. Orbitals are real. */
struct hf_stability_roots {
    bool analysed;  /**< false: not requested, the rest is zero */
    bool stable;    /**< no eigenvalue is negative */
    bool converged; /**< false: eigenvalues are upper bounds, `stable` is not certain */
    int n;          /**< number of eigenvalues; fewer than HF_MAX_ROOT if there are few orbitals */
    int n_zero;     /**< of n: rotations that do not change the energy */
    /** [n] ascending; for closed shells eigenvalues of A + B: the matrix (e_a - e_i) + 4 (ai|bj) -
     *  (ab|ij) - (aj|ib), or the corresponding one for other rotations */
    double eigenvalue[HF_MAX_ROOT];
};

/** Results of the stability analysis. */
struct hf_stability_result {
    /** within the method, of the last solution; not analysed if the search below an unstable
     *  solution did not converge */
    struct hf_stability_roots internal;
    struct hf_stability_roots external; /**< closed shells: towards UHF */
    double zero;                        /**< eigenvalues closer to zero than this count as zero */
    int n_follow;                       /**< number of unstable solutions that were left */
    /** hartree; [n_follow] energies of these, then the energy of the last solution if it was analysed */
    double energy[HF_MAX_FOLLOW + 1];
};

/** How an iteration finds the occupied orbitals of the next density. */
enum hf_orbital_search {
    HF_ORBITALS_AUTO,       /**< by rotation if that takes less time */
    HF_ORBITALS_ROTATE,     /**< by rotation of the previous orbitals whenever possible */
    HF_ORBITALS_DIAGONALISE /**< always by diagonalisation */
};

struct hf_common_pairs;
struct hf_quantity;

/** Settings of a calculation; hf_scf_defaults returns the defaults. scf/same_arguments.c compares them over the
 *  ranks. */
struct hf_scf_settings {
    const char *method;                    /**< name in hf_method_list, default "rhf" */
    const char *guess;                     /**< name in hf_guess_list */
    const char *converger;                 /**< name in hf_converger_list, default "auto" */
    enum hf_stability stability;           /**< default none */
    enum hf_orbital_search orbital_search; /**< default HF_ORBITALS_AUTO */
    bool guess_mix; /**< method uhf: start with different orbitals for both spins, default false */
    int max_iteration;           /**< for each solution; default 100 */
    double energy_tolerance;     /**< limit of energy_error, hartree, default 1e-8 */
    double commutator_tolerance; /**< max |X^T(FDS-SDF)X|, default 1e-5 */
    /** smaller eigenvalues of the overlap are removed, default 1e-6 */
    double linear_dependence_threshold;
    /** hartree, of the last builds, default 1e-12; earlier builds use looser ones */
    double screening_threshold;
    int diis_size; /**< number of Fock matrices kept, default 8, at most 100; 0 turns DIIS off */
    double level_shift; /**< hartree, of virtual orbitals; default 0 */
    /** occupy the orbitals most similar to the first ones instead of the lowest; default false */
    bool max_overlap;
    double smearing; /**< kT of Fermi-Dirac occupations, hartree; default 0: whole occupations */
    enum hf_wavefunction_parts wavefunction; /**< parts that hf_scf_run computes, default all */
    /** compute it for the wave function (gradients need it); default false */
    bool weighted_density;
    struct hf_fock_settings fock;
    /** quantities computed from the converged solution (scf/quantity.h); default NULL */
    struct hf_quantity *responding;
    const struct hf_scf_keeper *keeper;   /**< receives the state at intervals; NULL: none */
    const struct hf_scf_restart *restart; /**< state to continue from; NULL: start with the guess */
    /** used instead of the guess, whose name then only appears in reports; NULL: the guess is used */
    const struct hf_scf_orbitals *orbitals;
    /** shell pairs of the basis (pairs/common_pairs.h), lent, so that the next user finds them;
     *  NULL: they are made for this calculation alone */
    struct hf_common_pairs *pairs;
};

/** One line of the iteration table. */
struct hf_scf_iteration {
    int number; /**< from 1 (energy_change is then the energy); a restart continues the count */
    /** what computed the density, such as "DIIS"; "" for the first; a constant */
    const char *step;
    double energy; /**< hartree; total energy with nuclear repulsion */
    /** hartree; caused by the change of the density, at the same screening */
    double energy_change;
    double commutator; /**< max norm */
    double seconds;
    double threshold;             /**< screening of this build */
    double percent_computed;      /**< of all unique shell quartets */
    struct hf_fock_account build; /**< counts of its Fock build */
};

/** Facts known when the iterations begin. */
struct hf_scf_start {
    int n_function, n_orbital;
    const char *linalg;    /**< hf_linalg_description */
    const char *transport; /**< one-sided transport in use; NULL with replicated data */
    const char *note;      /**< differences from the settings, or "" */
};

/** Callbacks, called on every rank as events happen. Unused ones may be NULL. */
struct hf_scf_observer {
    void (*started)(void *data, const struct hf_scf_start *start);
    void (*iteration)(void *data, const struct hf_scf_iteration *iteration);
    void *data;
};

/** Numerical results, equal on every rank. Nothing to free. */
struct hf_scf_result {
    bool converged;
    int n_iteration;       /**< includes iterations before a restart */
    int n_earlier;         /**< of n_iteration: before the restart */
    int n_hessian_product; /**< trial densities of second-order steps and stability analysis */
    int n_trial_build;     /**< Fock builds only for energies, on the way from unstable solutions */
    /** sets of orbitals that were found by rotation, and for which rotation failed */
    int n_rotation, n_given_up;
    int n_sweep;               /**< sweeps of all rotations */
    int n_function, n_orbital; /**< basis functions; orbitals after linear dependence was removed */
    int n_removed;
    struct hf_stability_result stability; /**< if it was requested */
    double smallest_overlap_eigenvalue;
    int n_occupied[2]; /**< orbitals with an electron of alpha and of beta spin */
    /** S_z (S_z + 1) + N_beta - |Wa^T Wb|^2, which is <S^2> of a determinant; and S(S+1) */
    double spin_squared, ideal_spin_squared;
    double energy, one_electron, two_electron; /**< hartree */
    double coulomb, exchange;                  /**< parts of two_electron, hartree */
    /** -T S, hartree; energy includes it and is then the free energy */
    double smearing_entropy_term;
    double nuclear;           /**< energy of the nuclei in all terms; energy includes it */
    double nuclear_repulsion; /**< repulsion between the nuclei alone */
    int n_term;
    struct hf_energy_term term[HF_MAX_TERM]; /**< [n_term] parts of one_electron and of nuclear */
    double energy_change, commutator;        /**< of the last iteration */
    /** estimate of the energy minus the converged energy, hartree; INFINITY: no estimate */
    double energy_error;
    double dipole[3];    /**< e bohr, nuclei and electrons, about the origin */
    double guess_energy; /**< energy of the first iteration */
    double fock_seconds; /**< wall time in all Fock builds of this rank */
    double imbalance;    /**< slowest rank's computing time of the Fock builds over the mean */
    struct hf_fock_account last_build;
};

/** The defaults of the program, except that no integrals are stored (fock.memory_bytes 0). */
struct hf_scf_settings hf_scf_defaults(void);

/** Checks that smearing, max_overlap, level_shift and guess_mix are allowed with the other settings. Not collective.
 *  HF_BAD_INPUT: *member is the name of one that is not, and the message says why. */
hf_status hf_scf_settings_check(const struct hf_scf_settings *settings, const char **member,
                                struct hf_error *error) HF_MUST_CHECK;

/** Accuracy of the list of shell pairs. For any density, pairs left out have a smaller effect than screening: density
 *  elements are at most 2 largest_inverse. largest_inverse is the largest diagonal element of the inverse of the
 *  overlap matrix; 1 if it is not known. */
static inline double hf_scf_pair_accuracy(const struct hf_scf_settings *settings,
                                          double largest_inverse)
{
    const double ordinary = 10.0;
    const double excess = largest_inverse > ordinary ? largest_inverse / ordinary : 1.0;
    return 1e-2 * settings->screening_threshold / excess;
}

/** Declares the phases of a calculation and its Fock builds, in the order of reports. hf_scf_run also does it; phases
 *  declared before come first. Not collective. */
void hf_scf_declare_phases(struct hf_timers *timers);

/** Hartree-Fock energy and wave function of a molecule.
 *
 *  Call     collective; every rank passes the same arguments and gets the same result.
 *  Memory   result is filled. The caller frees *wavefunction (may be NULL) with hf_wavefunction_done; it keeps
 *           pointers to basis, molecule and context. Settings, observer and everything they point to are borrowed for
 *           the call.
 *  Errors   HF_BAD_INPUT: a name that is in no list, a setting out of range, a molecule that the method cannot do
 *           (rhf: unpaired electrons) or that has other cores than the basis, more electrons than orbitals, a restart
 *           state that is damaged or belongs to another calculation; HF_NO_RESOURCE; HF_INTERRUPTED. Result and wave
 *           function are then cleared. Not converging is not an error: check result->converged.
 *  Source   book Fig. 8.1; Pulay, J. Comput. Chem. 3, 556 (1982). */
hf_status hf_scf_run(struct hf_context *context, const struct hf_molecule *molecule,
                     const struct hf_basis *basis, const struct hf_scf_settings *settings,
                     const struct hf_scf_observer *observer, struct hf_scf_result *result,
                     struct hf_wavefunction *wavefunction, struct hf_error *error) HF_MUST_CHECK;

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
