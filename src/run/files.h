/* Inside the run room: the files that a calculation writes. */
#ifndef HF_RUN_FILES_H
#define HF_RUN_FILES_H

#include "hf/calculation.h"

/** Takes the names of the files to write from the options, and finds out whether they can be
 *  written and are neither one another nor anything that is read. Nothing is written yet.
 *  Collective. HF_BAD_INPUT. */
hf_status hf_calculation_try_files(struct hf_calculation *calculation,
                                   const struct hf_options *options,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Writes them. One that fails keeps none of the others from being written; the first failure is
 *  returned. Collective. HF_NO_RESOURCE. */
hf_status hf_calculation_write_files(struct hf_calculation *calculation,
                                     const struct hf_scf_result *result,
                                     const struct hf_wavefunction *wavefunction,
                                     struct hf_error *error) HF_MUST_CHECK;

#endif
