/* Inside the run room: the parts of a calculation that stand in files of their own. */
#ifndef HF_CALCULATION_PRIVATE_H
#define HF_CALCULATION_PRIVATE_H

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

/** The set of an input that names none. */
extern const char *const hf_default_basis;

/** Fills calculation->choice and calculation->basis_requested from the options, which hold those of
 *  the input. When the command line has a set for all atoms, it replaces everything that the file
 *  says; else it adds to it. A set for the same atoms twice is an error in a file; on the command
 *  line the last one counts, and a warning of the input says so. Not collective; the same on every
 *  rank. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_choose_basis(struct hf_calculation *calculation, const struct hf_options *options,
                          struct hf_error *error) HF_MUST_CHECK;

#endif
