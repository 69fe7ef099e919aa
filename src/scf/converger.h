/* How the orbitals of the next densities are computed from the last ones: by a converger of the list. */
#ifndef HF_CONVERGER_H
#define HF_CONVERGER_H

#include "scf_state.h"

/** One kind of step; one constant instance each, in hf_converger_list. The functions are collective
 *  and give the same status on every rank. */
struct hf_converger_ops {
    const char *name, *about, *cite;
    bool keeps_orbitals; /**< the history of DIIS has the orbitals of its densities, too */
    /** Makes its data, *data, with hf_scf_take_data; NULL: it needs none. After a failure
     *  destroy frees it. HF_NO_RESOURCE. */
    hf_status (*create)(struct hf_scf *scf, void **data, struct hf_error *error);
    /** Destroys matrices that the data has. Not collective; *data may be NULL; leaves NULL. */
    void (*destroy)(void **data);
    /** Makes scf->occupied the next orbitals, from scf->fock and scf->commutator of the densities
     *  that scf->occupied made (which all may be changed), the energy in scf->result and what was
     *  remembered. *label becomes a short constant word for the table, such as "DIIS". Called with
     *  scf->has_orbitals only. */
    hf_status (*step)(struct hf_scf *scf, void *data, const char **label, struct hf_error *error);
    /** Called when the last iteration has converged and is not the last one allowed: *converged becomes false if
     *  scf->occupied were made those of a lower energy. Then step is next. NULL: accepts every solution. */
    hf_status (*confirm)(struct hf_scf *scf, void *data, bool *converged, struct hf_error *error);
};

extern const struct hf_converger_ops hf_converger_auto, hf_converger_diis, hf_converger_adiis,
    hf_converger_damping, hf_converger_newton;

/** What "auto" is with fractional occupations; not in the list. */
extern const struct hf_converger_ops hf_converger_smearing;

/** *data = so many zeros, which live as long as the calculation. `label` completes "out of memory for". Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_take_data(struct hf_scf *scf, const char *label, size_t bytes, void **data,
                           struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT with the names there are when `name` is none of them. Not collective. */
hf_status hf_converger_find(const char *name, const struct hf_converger_ops **converger,
                            struct hf_error *error) HF_MUST_CHECK;

/** Takes scf->fock, scf->commutator, which is destroyed, and scf->occupied into the history.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_remember(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Prepares for hf_scf_diagonalise the combination of the history whose commutator is shortest (DIIS).
 *  May change scf->fock. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_extrapolate(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** The steps of the convergers "diis" and "adiis"; `data` is not used. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_step_diis(struct hf_scf *scf, void *data, const char **label,
                           struct hf_error *error) HF_MUST_CHECK;
hf_status hf_scf_step_adiis(struct hf_scf *scf, void *data, const char **label,
                            struct hf_error *error) HF_MUST_CHECK;

/** scf->occupied = the lowest orbitals (with fractional occupations, all that have some) of
 *  scf->effective or, where that is empty, of what the method makes
 *  of scf->fock; both are destroyed; with their energies in scf->orbital_energy. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_diagonalise(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** *fit = whether scf->occupation are the occupations of the last Fock matrices: to first order,
 *  occupying their orbitals anew would change energy and free energy by less than the tolerance.
 *  With whole occupations always. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_occupations_fit(const struct hf_scf *scf, bool *fit,
                                 struct hf_error *error) HF_MUST_CHECK;

/** scf->occupation = the Fermi-Dirac occupations of the orbitals vector [n_set] [m][m] with the
 *  energies scf->orbital_energy, and scf->occupied = these orbitals times their square roots.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_occupy(struct hf_scf *scf, struct hf_matrix *const vector[],
                        struct hf_error *error) HF_MUST_CHECK;

/** scf->occupied = the lowest orbitals of scf->fock of the guess, those next to the gap mixed with
 *  virtual ones: alpha's and beta's differ. For methods with two sets. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_mix_guess(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** scf->orbital_energy of the last Fock matrices, which are destroyed. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_scf_orbital_energies(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** New vector [n_set] [m][m]: all canonical orbitals of fock [n_fock] and scf->occupied, with their
 *  energies in scf->orbital_energy. The occupied ones come first, closed shells before open ones.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_all_orbitals(struct hf_scf *scf, struct hf_matrix *const fock[],
                              struct hf_matrix *vector[], struct hf_error *error) HF_MUST_CHECK;

/** scf->occupied[k] (may be NULL) = the lowest orbitals of the matrix of set k, which is destroyed, by rotation from
 *  the ones before where that is possible; energy [m], of rotated orbitals the diagonal of the matrix, in
 *  ascending order of occupied and of virtual ones. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_lowest_of_set(struct hf_scf *scf, int k, struct hf_matrix *fock, double energy[],
                               struct hf_error *error) HF_MUST_CHECK;

/** New vector [n_set] [m][m]: all orbitals of what hf_scf_diagonalise takes, of which it takes the
 *  lowest. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_next_orbitals(struct hf_scf *scf, struct hf_matrix *vector[],
                               struct hf_error *error) HF_MUST_CHECK;

/** Keeps scf->occupied as what later orbitals are compared with, unless there is something already.
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_scf_set_reference(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** scf->occupied = those of the orbitals vector [n_set] [m][m] that overlap most with the first
 *  ones. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_occupy_by_overlap(struct hf_scf *scf, struct hf_matrix *const vector[],
                                   struct hf_error *error) HF_MUST_CHECK;

/** If the Hessian of the last densities has an eigenvalue that clearly leads down, scf->occupied become
 *  orbitals of lower energy along its eigenvector and *has_left is true. Costs a few trial densities.
 *  Collective. HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_scf_leave_saddle(struct hf_scf *scf, bool *has_left,
                              struct hf_error *error) HF_MUST_CHECK;

/** From here on second-order steps, which do not return to what was left. Collective. HF_NO_RESOURCE. */
hf_status hf_scf_use_newton(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Whether these settings may search for the lowest solution twice. Not collective. */
bool hf_scf_may_search_twice(const struct hf_scf_settings *settings,
                             const struct hf_method_ops *method);

/** Analyses the last densities as scf->settings->stability says and fills scf->result->stability.
 *  When they are to be left, *again becomes true, scf->occupied the orbitals to go on with, and
 *  scf->converger one that goes down from there. Collective. HF_NO_RESOURCE; HF_INTERRUPTED:
 *  orbitals are as they were. */
hf_status hf_scf_settle(struct hf_scf *scf, bool *again, struct hf_error *error) HF_MUST_CHECK;

#endif
