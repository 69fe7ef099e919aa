/* What the files of the output room share: the report's state and the numbers both writers need. */
#ifndef HF_OUTPUT_PRIVATE_H
#define HF_OUTPUT_PRIVATE_H

#include "hf/output.h"
#include "hf/units.h"

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

/** Hands on what was printed so far, and notes when that fails. */
void hf_report_flush(struct hf_report *report);

/** Takes the progress line off the terminal. */
void hf_report_erase_progress(struct hf_report *report);

/** <S^2> and what it is of a pure spin state, where electrons are unpaired or may be. */
void hf_report_spin(FILE *out, const struct hf_scf_result *result,
                    const struct hf_wavefunction *wavefunction);

/** What second-order steps cost, and the stability analysis, where there was one. */
void hf_report_stability(FILE *out, const struct hf_run_description *run,
                         const struct hf_scf_result *result,
                         const struct hf_wavefunction *wavefunction);

/** "stability" of the extras, if there was an analysis. Local; false: no memory. */
bool hf_json_add_stability(cJSON *extras, const struct hf_stability_result *stability);

/** Orbital energies of each set: all, with occupations, or those beside the gap. */
void hf_report_orbitals(FILE *out, const struct hf_scf_result *result,
                        const struct hf_wavefunction *wavefunction, bool all);

/** " (9 alpha, 7 beta)" where these are not as many. */
void hf_print_electrons(FILE *stream, const struct hf_molecule *molecule);

/** Shells of one run counted by angular momentum, and how d and higher functions are made. */
struct hf_basis_summary {
    int n_shell_of_l[HF_MAX_L + 1];
    const char *convention; /**< "spherical", "Cartesian", "mixed" or "none above p" */
};

struct hf_basis_summary hf_basis_summarise(const struct hf_basis *basis);

/** -V/T, 2 at a stationary point of an exact or complete-basis calculation; not a number without
 *  electrons, and where charges or a field act from outside: forces hold the nuclei then. */
double hf_output_virial_ratio(const struct hf_scf_result *result);

#endif
