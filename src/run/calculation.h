/* One calculation from settings to results, step by step, for programs that say something between
 * the steps; hf/run.h does it in one call.
 *
 *     hf_calculation_begin(&calculation, context);                    the clock runs
 *     hf_input_read(context, path, &options, &calculation.input, ...)  or hf_input_from_atoms
 *     hf_calculation_prepare(&calculation, &options, ...)             basis, settings, description
 *     hf_calculation_run(&calculation, report, ...)                   computes and writes
 *     hf_calculation_done(&calculation)                                                          */
#ifndef HF_CALCULATION_H
#define HF_CALCULATION_H

#include "base/arena.h"
#include "checkpoint/checkpoint.h"
#include "hf/basis.h"
#include "hf/properties.h"
#include "hf/record.h"
#include "hf/scf.h"
#include "molecule/input.h"
#include "output/output.h"
#include "scf/quantity.h"
#include "text/option.h"
#include "text/trace.h"

#include <stdbool.h>

/** The table of all options. */
const struct hf_option *const *hf_option_table(void);

/** Task i as a choice of the option `task`; false after the last. */
bool hf_run_task_choice(int i, struct hf_option_choice *choice);

/** Tables of the keys of JSON files. False: no memory. */
bool hf_run_describe_json(FILE *page);

/** Method i as a choice of the option `method`; false after the last. */
bool hf_run_method_choice(int i, struct hf_option_choice *choice);

/** Bytes of a size as "500 MB", "2GiB", "0"; false: it is none. */
bool hf_parse_size(const char *text, double *bytes);

/** Seconds of a time as Slurm writes them: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS; false:
 *  it is none, or not more than 0. */
bool hf_parse_time_limit(const char *text, double *seconds);

struct hf_common_pairs;
struct hf_guess_file;

struct hf_gradient;

/** Initialise with = {0}. */
struct hf_calculation {
    struct hf_context *context; /**< borrowed */
    double began_seconds;       /**< hf_wall_seconds */
    const char *time_limit;     /**< as it was written; NULL: none; in the options */
    struct hf_input input;      /**< filled by the caller before hf_calculation_prepare; owned */
    const struct hf_options *options; /**< borrowed; NULL before hf_calculation_prepare */
    int n_choice;
    struct hf_basis_choice *choice; /**< [n_choice], names in the options */
    char *basis_requested;
    struct hf_basis *basis;        /**< owned */
    struct hf_common_pairs *pairs; /**< of it: lent to the SCF and to quantities; owned */
    struct hf_scf_settings settings;
    struct hf_guess_file *guess_file; /**< checkpoints that the first densities come from; owned */
    struct hf_record *record;         /**< owned */
    struct hf_memory_need need;
    struct hf_error refusal; /**< message: why it cannot fit, or "" */
    struct hf_run_description description;
    bool converged;                 /**< the SCF has; quantities are computed, files are written */
    const struct hf_run_task *task; /**< the last one, whose result is returned */
    const struct hf_quantity_ops *search; /**< of the tasks; NULL: none looks for a structure */
    bool structure_found;                 /**< at all points of a scan; true without a search */
    int n_quantity;
    struct hf_quantity *quantity;     /**< [n_quantity] the requested ones */
    enum hf_wavefunction_parts needs; /**< of those that are not computed by default */
    struct hf_quantity_source source; /**< what they are computed from */
    const char *computing;            /**< name of the one that is; NULL: none */
    const char *json_path;            /**< NULL: no JSON file; in the options */
    bool json_is_closed;    /**< it has the results, or cannot be written: no failure goes there */
    const char *trace_path; /**< NULL: no trace; in the options */
    struct hf_trace *trace; /**< owned; NULL without one */
    bool no_files;          /**< checkpoints are written when the options ask for them only */
    struct hf_checkpoint *restart;        /**< goes on from it; NULL: from the beginning; owned */
    struct hf_checkpointer *checkpointer; /**< NULL: no checkpoints */
    struct hf_arena arena;                /**< has all arrays, and structs that need no other end */
};

/** Estimates the memory of a calculation before it begins, and sets settings.fock.memory_bytes, equal on
 *  every rank, from --memory: a size, or with "auto" half of what node, control group and limits of the
 *  process leave, and no more than they leave beside the rest.
 *
 *  Sets     calculation->need, and calculation->refusal.message: one line on why it cannot fit and which
 *           options would help, by the same estimate; "" when it fits. Equal on every rank.
 *  Call     collective, after basis and settings were made.
 *  Errors   HF_BAD_INPUT: no size; HF_NO_RESOURCE: memory. That it cannot fit is no failure here. */
hf_status hf_memory_foresee(struct hf_calculation *calculation,
                            struct hf_error *error) HF_MUST_CHECK;

/** Adds a key of a caller to options, instead of those of a command line. Local. HF_BAD_INPUT. */
hf_status hf_run_add_key(struct hf_options *options, const char *key, const char *value,
                         struct hf_error *error) HF_MUST_CHECK;

/** Whether there is an MPI to compute with. Local. HF_BAD_INPUT. */
hf_status hf_run_check_mpi(MPI_Comm comm, struct hf_error *error) HF_MUST_CHECK;

/** Names the phases of a calculation and starts the timers of the whole and of its set-up. Not
 *  collective. */
void hf_calculation_begin(struct hf_calculation *calculation, struct hf_context *context);

/** Reads the checkpoint that the options name, if any, and adds its settings to them. An input that is
 *  empty yet is filled from it. To be called between the input and hf_calculation_prepare, which then
 *  asks for the same molecule and basis. Collective. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_calculation_take_restart(struct hf_calculation *calculation,
                                      struct hf_options *options,
                                      struct hf_error *error) HF_MUST_CHECK;

/** Why a checkpoint could not be written; NULL: all could. */
const char *hf_calculation_checkpoint_warning(const struct hf_calculation *calculation);

/** Everything that follows from the options, which hold those of the input: basis, settings,
 *  description, record; the names of files to write are tried. A trace begins unless this is a
 *  `rehearsal`. `options` must outlive the calculation. Collective; same outcome on every rank.
 *  HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_calculation_prepare(struct hf_calculation *calculation,
                                 const struct hf_options *options, bool rehearsal,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Sets the deadline of the context's interruption as the option says. Not collective. HF_BAD_INPUT: not
 *  a time. */
hf_status hf_calculation_limit_time(struct hf_calculation *calculation,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Of a calculation that was interrupted: the message says why, and how far it had come. Not
 *  collective; the same on every rank. */
void hf_calculation_explain_end(const struct hf_calculation *calculation, struct hf_error *error);

/** What the description has of the input's warnings, after some were added. Not collective. */
void hf_calculation_describe_warnings(struct hf_calculation *calculation);

/** Computes; reports to `report` and calculation->record, writes the requested files.
 *  `wavefunction` has the parts that the settings ask for, owned by the caller, borrowing the
 *  calculation's basis and molecule. Collective. HF_BAD_INPUT, HF_NO_RESOURCE, HF_INTERRUPTED. What
 *  was reported and written before stays. */
hf_status hf_calculation_run(struct hf_calculation *calculation, struct hf_report *report,
                             struct hf_scf_result *result, struct hf_wavefunction *wavefunction,
                             struct hf_error *error) HF_MUST_CHECK;

/** What the quantity of that name has made; NULL: it was not asked for, or not made. Not collective. */
const void *hf_calculation_made(const struct hf_calculation *calculation, const char *name);

/** "error_type" of a failure in QCSchema. Not collective. */
const char *hf_failure_type(hf_status status, const struct hf_error *failure);

/** Makes the basis alone, of an input and options, for estimates; hf_calculation_prepare must not follow. Collective.
 *  HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_calculation_make_basis(struct hf_calculation *calculation,
                                    const struct hf_options *options,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Writes a failure to the JSON file of the options, with what is known of the calculation: old results in
 *  the file would be taken for those of this run. Does nothing if there is no such option, if the file has
 *  the results of this run, is no JSON file, or is also an input. `input_path` may be NULL. For one rank,
 *  not collective. HF_NO_RESOURCE: it cannot be written; old results are removed in that case, too. */
hf_status hf_calculation_write_failure(const struct hf_calculation *calculation,
                                       const struct hf_options *options, const char *input_path,
                                       hf_status status, const struct hf_error *failure,
                                       struct hf_error *error) HF_MUST_CHECK;

/** Accepts a half-made calculation; leaves it empty. Not collective after hf_calculation_run, or if nobody has used
 *  calculation->pairs. */
void hf_calculation_done(struct hf_calculation *calculation);

#endif
