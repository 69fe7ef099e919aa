/* Core orbitals, which are neither correlated nor localised. */
#ifndef HF_FROZEN_CORE_H
#define HF_FROZEN_CORE_H

#include "hf/molecule.h"
#include "hf/status.h"
#include "text/option.h"

/** Orbitals that are frozen by default: for each atom those of the noble gas before it. Sodium, magnesium
 *  and the alkali and earth alkali metals below keep the shell under the valence shell correlated.
 *  Ghosts freeze nothing; electrons in an effective core potential count as frozen. Not collective. */
int hf_default_core(const struct hf_molecule *molecule);

/** Reads the option "frozen_core": none, default, or a number below n_occupied. Not collective. HF_BAD_INPUT. */
hf_status hf_frozen_core_read(const struct hf_options *options, const struct hf_molecule *molecule,
                              int n_occupied, int *n_frozen, struct hf_error *error) HF_MUST_CHECK;

#endif
