/* Where atoms may be: one check of what files, libraries and drivers say. */
#ifndef HF_PLACES_H
#define HF_PLACES_H

#include "hf/molecule.h"
#include "hf/status.h"

/** Farther from the origin there is nothing sensible, bohr. */
#define HF_FARTHEST_BOHR 1e4

/** An atom that cannot be where it is. */
struct hf_misplaced {
    int atom; /**< -1: all can */
    int other; /**< the earlier one that it is on top of; -1: `atom` is too far from the origin, or nowhere */
};

/** Looks for the first one. Work grows with the number of atoms alone. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_find_misplaced(const struct hf_molecule *molecule, struct hf_misplaced *found,
                            struct hf_error *error) HF_MUST_CHECK;

/** Refuses a molecule with a misplaced atom; the message names the atoms, counted from 1. Not collective.
 *  HF_BAD_INPUT; HF_NO_RESOURCE: memory. */
hf_status hf_check_places(const struct hf_molecule *molecule, struct hf_error *error) HF_MUST_CHECK;

#endif
