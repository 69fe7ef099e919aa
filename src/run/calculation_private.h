/* Inside the run room: the parts of a calculation. */
#ifndef HF_CALCULATION_PRIVATE_H
#define HF_CALCULATION_PRIVATE_H

#include "checkpoint/checkpoint.h"
#include "run/calculation.h"

/** Checkpoints that the guess is computed from: one, or one for each fragment. */
struct hf_guess_file {
    const char *where; /**< it was given; in the options */
    int n_source;
    struct hf_guess_source {
        char *path;
        struct hf_checkpoint checkpoint;
        struct hf_scf_orbitals orbitals; /**< of it */
    } * source;                          /**< [n_source] */
    struct hf_scf_fragments *fragments;  /**< of several; owned */
};

/** Checks that the files can be written, and that all of them and the files that are read are different.
 *  Writes nothing. Collective. HF_BAD_INPUT. */
hf_status hf_calculation_try_files(struct hf_calculation *calculation,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Writes all files, also after a failure; returns the first failure. Collective. HF_NO_RESOURCE. */
hf_status hf_calculation_write_files(struct hf_calculation *calculation,
                                     struct hf_error *error) HF_MUST_CHECK;

/** Shell pairs that the SCF and the planned quantities share. Collective. HF_NO_RESOURCE. */
hf_status hf_calculation_make_pairs(struct hf_calculation *calculation,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Molecule and basis of the calculation to other places [n_atom], bohr; there are no shell pairs then. Collective.
 *  HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_calculation_move(struct hf_calculation *calculation, const double (*x)[3],
                              struct hf_error *error) HF_MUST_CHECK;

/** Looks for the structure of the task, if it is one of an optimisation and the SCF has converged. The calculation is
 *  then where that structure is, and so are result and wave function. If none is found, structure_found is false, and
 *  they are those of the last step. Collective. HF_NO_RESOURCE, HF_INTERRUPTED; HF_NOT_CONVERGED: a gradient for second
 *  derivatives; HF_BAD_INPUT: constraints that cannot be. */
hf_status hf_calculation_optimise(struct hf_calculation *calculation, struct hf_scf_result *result,
                                  struct hf_wavefunction *wavefunction,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Sets calculation->guess_file, closed, when the guess is none of the list but files, "A.h5" or
 *  "A.h5,B.h5". Not collective; the same on every rank. HF_BAD_INPUT: a name is empty;
 *  HF_NO_RESOURCE. */
hf_status hf_guess_file_name(struct hf_calculation *calculation,
                             struct hf_error *error) HF_MUST_CHECK;

/** Opens them, if there are any, and sets the settings' orbitals: those of one file, or of several
 *  that are the fragments of the molecule. Collective. HF_BAD_INPUT: no such file, not a checkpoint, or
 *  not of this molecule's fragments; HF_NO_RESOURCE. */
hf_status hf_guess_file_open(struct hf_calculation *calculation,
                             struct hf_error *error) HF_MUST_CHECK;

/** Accepts NULL; leaves NULL. Not collective. */
void hf_guess_file_close(struct hf_guess_file **file);

/** Values of the option "orbitals". */
enum { HF_ORBITALS_GAP, HF_ORBITALS_ALL };

/** The set of an input that names none. */
extern const char *const hf_default_basis;

/** Fills calculation->choice and calculation->basis_requested from the options, which include those of
 *  the input. A set for all atoms on the command line replaces all sets of the file; other sets are added
 *  to them. A set for the same atoms twice is an error in a file; on the command
 *  line the last one counts, and a warning of the input says so. Not collective; the same on every
 *  rank. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_choose_basis(struct hf_calculation *calculation, struct hf_error *error) HF_MUST_CHECK;

/** "water.density.cube" of "inputs/water.mol" and that ending, "hf.density.cube" of standard input, in
 *  the folder of the JSON file if there is one. NULL: no memory. Local. */
char *hf_calculation_file_name(struct hf_calculation *calculation, const char *ending);

/** The method that makes the wave function, and the one that was asked for: "rhf" and "mp2". Local. */
const char *hf_run_reference(const struct hf_options *options, const struct hf_molecule *molecule);
const char *hf_run_method(const struct hf_options *options, const struct hf_molecule *molecule);
/** Whether the energy is computed from the orbitals of that wave function. Local. */
bool hf_run_is_correlated(const struct hf_options *options);

/** Why hf lacks the method of that name: it has no density functionals; NULL: it is no functional. Local. */
const char *hf_run_method_missing(struct hf_word name);

/** Sets the members that rows of the table name. Local. */
void hf_options_fill_settings(const struct hf_options *options, struct hf_scf_settings *settings);

/** Fills calculation->task and plans all quantities that the task or the options ask for. Sets what they
 *  need of the wave function: settings.wavefunction. Local. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_quantities_plan(struct hf_calculation *calculation,
                             struct hf_error *error) HF_MUST_CHECK;
/** The best accuracy of shell pairs that those from number `first` on need; INFINITY: none uses any. Local. */
double hf_quantities_pair_accuracy(const struct hf_calculation *calculation, int first);
/** Frees their matrices on the grid of the wave function. Collective. */
void hf_quantities_release(struct hf_calculation *calculation);
/** Frees them; accepts none. */
void hf_quantities_done(struct hf_calculation *calculation);

/** Computes and reports them, one after the other, from calculation->source. Collective. Errors: those of
 *  the first that fails. */
hf_status hf_quantities_compute(struct hf_calculation *calculation,
                                struct hf_error *error) HF_MUST_CHECK;

/** Writer of checkpoints of one calculation. */
struct hf_checkpointer;

/** Decides where checkpoints of the prepared calculation go by the options;
 *  calculation->checkpointer stays NULL when nowhere.
 *  Collective. HF_BAD_INPUT: a file that is not to be written over; HF_NO_RESOURCE: memory. */
hf_status hf_checkpointer_create(struct hf_calculation *calculation,
                                 struct hf_error *error) HF_MUST_CHECK;

/** For hf_scf_settings.keeper; failures go to `report` (borrowed). */
const struct hf_scf_keeper *hf_checkpointer_keeper(struct hf_checkpointer *checkpointer,
                                                   struct hf_report *report);

/** What was written, as a line of the report, and what went wrong into the record's note. */
void hf_checkpointer_tell(const struct hf_checkpointer *checkpointer, struct hf_report *report);

/** Whether a restart takes the basis of the checkpoint, because none is named. */
bool hf_restart_has_basis(const struct hf_calculation *calculation);
/** Makes it. Not collective. HF_BAD_INPUT: the options ask for functions of another kind;
 *  HF_NO_RESOURCE: memory. */
hf_status hf_restart_make_basis(struct hf_calculation *calculation,
                                struct hf_error *error) HF_MUST_CHECK;
/** HF_BAD_INPUT when the input is not that of the checkpoint. Not collective. */
hf_status hf_restart_check(const struct hf_calculation *calculation,
                           struct hf_error *error) HF_MUST_CHECK;
/** calculation->settings.restart = the state of the checkpoint, if there is one; settings that differ
 *  from those of the checkpoint decide how much of it is used. Adds warnings. Not collective.
 *  HF_BAD_INPUT: a setting that a restart cannot change; HF_NO_RESOURCE. */
hf_status hf_restart_settle(struct hf_calculation *calculation,
                            struct hf_error *error) HF_MUST_CHECK;

#endif
