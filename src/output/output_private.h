/* What the files of the output room share: the report's state and the numbers both writers need. */
#ifndef HF_OUTPUT_PRIVATE_H
#define HF_OUTPUT_PRIVATE_H

#include "hf/units.h"
#include "output/output.h"

#include <stdbool.h>
#include <stdio.h>

struct hf_report {
    struct hf_context *context; /**< borrowed */
    FILE *stream;               /**< borrowed; NULL on every rank but 0 */
    bool terminal;              /**< progress lines may be shown */
    int n_core;                 /**< of the run description; 0 unknown */

    double build_started;    /**< hf_wall_seconds of the first progress call of a build, 0: none */
    double progress_printed; /**< when the progress line was last drawn */
    char progress_of[64];    /**< what is on its way; "": a Fock build */
    int progress_width;      /**< columns it takes on the terminal, 0: none to erase */
    int lost;                /**< errno of the first write that failed, or 0 */
};

/** A copy of a wave function whose orbitals are the natural ones of its density, by falling occupation, with energies 0. It borrows all
 *  else, and is freed by hf_localised_show_done. All parts are needed. Collective. HF_NO_RESOURCE. */
hf_status hf_natural_show(struct hf_context *context, const struct hf_wavefunction *of,
                          struct hf_wavefunction *shown, struct hf_error *error) HF_MUST_CHECK;

/** Hands on what was printed so far, and notes when that fails. */
void hf_report_flush(struct hf_report *report);

/** Takes the progress line off the terminal. */
void hf_report_erase_progress(struct hf_report *report);

/** "success" and {"error_type": ..., "error_message": ...} under "error", of a FailedOperation. */
void hf_json_put_error(struct hf_json root, const char *error_type, const char *message);
/** The options in an object of that name, which is returned. */
struct hf_json hf_json_put_settings(struct hf_json in, const char *name,
                                    const struct hf_run_description *run);

/** The header of a trace of so many records. */
void hf_trace_put_header(struct hf_json root, const struct hf_run_description *run,
                         const struct hf_record *record, const struct hf_scf_result *result,
                         int64_t n_record);

/** " (9 alpha, 7 beta)" where these are not as many. */
void hf_print_electrons(FILE *stream, const struct hf_molecule *molecule);

/** A line for each term of the Hamiltonian that acts from outside, names in so many columns. */
void hf_print_environment(FILE *stream, const char *indent, int width,
                          const struct hf_molecule *molecule);

/** Shells counted by angular momentum. */
void hf_count_shells(const struct hf_basis *basis, double n_shell_of_l[HF_MAX_L + 1]);

/** -V/T, 2 at a stationary point of an exact or complete-basis calculation; not a number without
 *  electrons, and where charges or a field act from outside: forces hold the nuclei then. */
double hf_output_virial_ratio(const struct hf_scf_result *result);

#endif
