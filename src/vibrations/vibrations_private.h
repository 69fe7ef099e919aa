/* What the files of this room share. */
#ifndef HF_VIBRATIONS_PRIVATE_H
#define HF_VIBRATIONS_PRIVATE_H

#include "vibrations/vibrations.h"

/** The molecule as a rigid body. */
struct hf_body {
    double mass, centre[3];        /**< unified mass units, bohr */
    double inertia[3], axis[3][3]; /**< principal moments, ascending, and their axes */
};

hf_status hf_body_find(const struct hf_molecule *molecule, struct hf_body *body,
                       struct hf_error *error) HF_MUST_CHECK;

/** Rotations of it: 0 of an atom, 2 if it is linear, else 3. */
int hf_body_n_rotation(const struct hf_body *body);

/** Rotations of the body that carry the molecule onto itself, isotopes told apart, to 0.01 bohr. Local. */
int hf_symmetry_number_find(const struct hf_molecule *molecule, const struct hf_body *body);

/** Thermochemistry from frequencies. Local. */
void hf_thermochemistry_find(const struct hf_molecule *molecule, const struct hf_body *body,
                             const struct hf_gas *gas, struct hf_vibrations *vibrations);

#endif
