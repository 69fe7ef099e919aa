/* Inside the run room: which basis set is meant for which atoms. */
#ifndef HF_BASIS_CHOICES_H
#define HF_BASIS_CHOICES_H

#include "hf/calculation.h"

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
