/* Checks the positions of atoms, whether they come from files, libraries or drivers. */
#ifndef HF_PLACES_H
#define HF_PLACES_H

#include "hf/molecule.h"
#include "hf/status.h"

/** Largest coordinate that is accepted, bohr. */
#define HF_FARTHEST_BOHR 1e4

/** An atom at an impossible position. */
struct hf_misplaced {
    int atom; /**< -1: there is none */
    /** earlier atom at the same position; -1: `atom` is too far from the origin, or its position is not a number */
    int other;
};

/** Finds the first misplaced atom. Time is proportional to the number of atoms. Not collective. HF_NO_RESOURCE:
 *  memory. */
hf_status hf_find_misplaced(const struct hf_molecule *molecule, struct hf_misplaced *found,
                            struct hf_error *error) HF_MUST_CHECK;

/** Fails if an atom is misplaced; the message names the atoms, counted from 1. Not collective. HF_BAD_INPUT;
 *  HF_NO_RESOURCE: memory. */
hf_status hf_check_places(const struct hf_molecule *molecule, struct hf_error *error) HF_MUST_CHECK;

#endif
