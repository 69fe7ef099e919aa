/* Checks the positions of atoms, whether they come from files, libraries or drivers. */
#ifndef HF_PLACES_H
#define HF_PLACES_H

#include "hf/molecule.h"
#include "hf/status.h"

/** Largest coordinate that is accepted, bohr. */
#define HF_FARTHEST_BOHR 1e4

/** Fails if an atom is too far from the origin, at no number, or where an earlier one is; the message names the atoms,
 *  counted from 1. Time is proportional to their number. Not collective. HF_BAD_INPUT; HF_NO_RESOURCE: memory. */
hf_status hf_check_places(const struct hf_molecule *molecule, struct hf_error *error) HF_MUST_CHECK;

#endif
