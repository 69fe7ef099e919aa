/* The output of a run: the text report, the QCSchema file, the file of a trace. Writers over (description,
 * record, result); nothing is computed here. */
#ifndef HF_OUTPUT_H
#define HF_OUTPUT_H

#include "checkpoint/checkpoint.h"
#include "fock/fock.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/basis.h"
#include "hf/context.h"
#include "hf/molecule.h"
#include "hf/properties.h"
#include "hf/record.h"
#include "hf/status.h"
#include "hf/version.h"
#include "molecule/input.h"
#include "scf/quantity.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdio.h>

/** What writing takes. */
extern const struct hf_phase hf_phase_output;

struct hf_trace;

/** Writer of the text report. On rank 0 it writes to `stream`, elsewhere it writes nothing. */
struct hf_report;

/** Memory that a run is expected to take at most, bytes. The rank is the one with the most. */
struct hf_memory_need {
    double program;  /**< of a rank: the process with its libraries */
    double matrices; /**< of a rank, with its part of what the node shares */
    double pairs;    /**< of a rank: shell pairs */
    double threads;  /**< of a rank: integral engines, buffers of threads */
    double stored;   /**< of a rank: stored integrals */
    double after;    /**< of a rank, when those are gone: what is computed from the wave function */
    double rank, node; /**< at most at a time: of the rank, of all ranks of its node */
    double left; /**< node and control group have so much for all its ranks, with what they hold
                        *   already; INFINITY: unknown */
    int n_node_rank;
};

/** The settings of a run; everything is borrowed. */
struct hf_run_description {
    const char *input_path;
    const struct hf_request *request; /**< QCSchema input that is answered; NULL: none */
    const char *report; /**< the text report, for "stdout" of the schema; NULL: none */
    const char
        *input_format;  /**< "native", "MDL V2000", "MDL V3000", "XYZ", "QCSchema", "hf_run" */
    const char *method; /**< that was asked for: "rhf", "mp2" */
    const char *basis_requested;
    const struct hf_molecule *molecule;
    double nuclear_repulsion; /**< of the molecule, hartree */
    const struct hf_basis *basis;
    const struct hf_scf_settings *settings;
    const struct hf_options *options; /**< that the settings come from */
    int n_node;                       /**< hosts that the ranks are on; 0 when unknown */
    int n_core;                     /**< cores in the affinity masks of this node, 0 when unknown */
    int n_numa;                     /**< memory (NUMA) domains they belong to, 0 when unknown */
    const struct hf_run_task *task; /**< the one whose result is returned */
    const bool *structure_found;    /**< of a search, also after the run; NULL: there is none */
    const char *tasks;              /**< names with commas; NULL: none was given */
    int n_quantity;
    const struct hf_quantity *quantity; /**< [n_quantity] the requested ones */
    bool all_orbitals;  /**< report: energies of all orbitals, not only those beside the gap */
    bool json_orbitals; /**< JSON file: the protocol asks for the wave function */
    bool
        of_many; /**< JSON: one of many molecules, without launch, iterations, times and defaults */
    const struct hf_memory_need *need; /**< NULL: not estimated */
    int n_warning;
    const char *const *warning; /**< [n_warning], one line each, printed in the report */
    int n_note;
    const char *const *note; /**< [n_note] of usual assumptions, printed in front of warnings */
};

/** `stream` is borrowed; NULL: nothing is written. Not collective. */
hf_status hf_report_create(struct hf_context *context, FILE *stream, struct hf_report **report,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_report_destroy(struct hf_report **report);

/** Why something of the report could not be written (errno), or 0. The calculation does not end: the
 *  owner of the stream decides. Not collective; 0 on every rank that writes nothing. */
int hf_report_lost(const struct hf_report *report);

/** The lines on a molecule that --check and --show have in common: "Molecule ...", and what acts on it
 *  from outside. Not collective. */
void hf_print_molecule(FILE *stream, const struct hf_molecule *molecule);

/** What is in a checkpoint, for people. */
void hf_checkpoint_print(const struct hf_checkpoint *checkpoint, FILE *stream);

/** Program, libraries, ranks, molecule, basis, settings. */
void hf_report_header(struct hf_report *report, const struct hf_run_description *run,
                      const struct hf_record *record);

/** Observer that prints the iteration table, each line flushed as it happens. */
struct hf_scf_observer hf_report_observer(struct hf_report *report);

/** For hf_interruption_watch: a progress line on a terminal when a build is long, or what is counted
 *  (hf_interruption_count); nothing in a file. `data` is the report. Returns 0. */
int hf_report_progress(void *data, double fraction);

/** A line of warning among the iterations, as printf writes it. */
void hf_report_warning(struct hf_report *report, const char *format, ...) HF_PRINTF(2, 3);

/** Lines of progress of something that takes long, as printf writes them. */
void hf_report_text(struct hf_report *report, const char *format, ...) HF_PRINTF(2, 3);

/** Where checkpoints were written, how often, and what that took. */
void hf_report_checkpoint(struct hf_report *report, const char *path, int n_written,
                          double seconds);

/** Energies, virial ratio, orbital energies (around the gap or all) and dipole moment; also advice if the
 *  SCF did not converge. */
void hf_report_result(struct hf_report *report, const struct hf_run_description *run,
                      const struct hf_scf_result *result,
                      const struct hf_wavefunction *wavefunction);

/** From now on the progress line is that of `what`, at most 63 bytes of it. Not collective. */
void hf_report_begin(struct hf_report *report, const char *what);

/** The section of a quantity that was computed. */
void hf_report_quantity(struct hf_report *report, const struct hf_quantity *quantity);

/** Table of phases over the ranks, load imbalance, memory per rank, as last measured; the energy as
 *  the last line. */
void hf_report_timings(struct hf_report *report, const struct hf_run_description *run,
                       const struct hf_record *record, const struct hf_scf_result *result);

/** Energy of the method: of the SCF, or of the quantity that replaces it. Not collective. */
double hf_output_energy(const struct hf_run_description *run, const struct hf_scf_result *result);

/** QCSchema AtomicResult of a run that converged, with the parts of all
 *  quantities that were computed, version 1 unless the input has version 2. Collective; rank 0 writes to a temporary file beside `path` and renames
 *  it. Same status on every rank. A run that did not converge is a FailedOperation (convergence_error):
 *  what an AtomicResult has of the input stands in its "input_data", of the results under
 *  "extras.unconverged", the rest where it always does.
 *  Errors   HF_NO_RESOURCE: memory, or the file cannot be written. */
hf_status hf_json_write(const char *path, const struct hf_run_description *run,
                        const struct hf_record *record, const struct hf_scf_result *result,
                        const struct hf_wavefunction *wavefunction,
                        struct hf_error *error) HF_MUST_CHECK;

/** schema_name, schema_version and provenance of a calculation's input or of its results. */
void hf_json_put_identity(struct hf_json to, const char *schema_name);

/** What an AtomicInput has; the molecule with masses where one is not the one that readers assume. */
void hf_json_put_input(struct hf_json root, const struct hf_run_description *run);

/** Puts what hf_json_write writes into a document. Not collective. */
void hf_json_put_run(struct hf_json root, const struct hf_run_description *run,
                     const struct hf_record *record, const struct hf_scf_result *result,
                     const struct hf_wavefunction *wavefunction);

/** Writes tables of the keys of JSON files and trace headers, for docs/json.md. Of quantity [n], `made` is true and
 *  `self` all zeros. Not collective. */
void hf_json_describe(FILE *page, int n, struct hf_quantity quantity[]);

/** The trace of a run as a file: a line of JSON that says what ran and what each Fock build was,
 *  then struct hf_trace_record after record, rank after rank. Collective; rank 0 writes to a
 *  temporary file beside `path` and renames it. HF_NO_RESOURCE: cannot be written, or there was no
 *  memory for all records. */
hf_status hf_trace_write(const char *path, const struct hf_trace *trace,
                         const struct hf_run_description *run, const struct hf_record *record,
                         const struct hf_scf_result *result, struct hf_error *error) HF_MUST_CHECK;

/** Says at the end of the report why there is no result. Not collective. */
void hf_report_interrupted(struct hf_report *report, const char *message);

/** What is known of a calculation that failed; everything is borrowed. */
struct hf_json_failure {
    const char *type;    /**< "input_error", "resource_error", "convergence_error", "interrupted" or
                           "time_limit" */
    const char *message; /**< one line */
    const char *input_path;               /**< or NULL */
    const struct hf_request *request;     /**< QCSchema input that is answered; NULL: none */
    const struct hf_run_description *run; /**< NULL: the failure was before there was one */
    const struct hf_record *record;       /**< not NULL where there is a description */
    int n_warning;                        /**< those of the input, where there is no description */
    const char *const *warning;           /**< [n_warning], one line each */
};

/** Makes a document that was written as version 1 the answer to a QCSchema input, in its version and by its protocols.
 *  Local. */
void hf_json_answer(struct hf_json root, const struct hf_request *request);

/** Whether the protocols of a QCSchema input ask for the report; true for other inputs. */
bool hf_request_wants_report(const struct hf_request *request);

/** Puts what hf_json_write_failure writes into a document. Not collective. */
void hf_json_put_failure(struct hf_json root, const struct hf_json_failure *failure);

/** QCSchema FailedOperation: "error" with type and message, "input_data" (an AtomicInput where the
 *  calculation was described), and under extras.hf what was known by then, iterations included. Rank
 *  0 only, not collective. HF_NO_RESOURCE: memory, or the file cannot be written. */
hf_status hf_json_write_failure(const char *path, const struct hf_json_failure *failure,
                                struct hf_error *error) HF_MUST_CHECK;

#endif
