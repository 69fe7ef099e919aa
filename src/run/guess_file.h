/* First densities from a checkpoint: --guess FILE. */
#ifndef HF_GUESS_FILE_H
#define HF_GUESS_FILE_H

#include "hf/calculation.h"

/** Opens the checkpoint when the guess is none of the list but a file, and sets the settings'
 *  orbitals. Collective. HF_BAD_INPUT: no such file, or not a checkpoint; HF_NO_RESOURCE. */
hf_status hf_guess_file_open(struct hf_calculation *calculation, const struct hf_options *options,
                             struct hf_error *error) HF_MUST_CHECK;

/** Accepts NULL; leaves NULL. Not collective. */
void hf_guess_file_close(struct hf_guess_file **file);

#endif
