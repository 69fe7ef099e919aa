/* A molecule as a rigid body: mass, centre, moments of inertia. */
#include "vibrations_private.h"

#include "hf/linalg.h"

/** A moment of inertia that is less than this part of the largest is zero. */
static const double NO_MOMENT = 1e-6;

hf_status hf_body_find(const struct hf_molecule *molecule, struct hf_body *body,
                       struct hf_error *error)
{
    hf_molecule_inertia(molecule, &body->mass, body->centre, body->axis);
    return hf_eigen_small(3, body->axis[0], body->inertia, error);
}

int hf_body_n_rotation(const struct hf_body *body)
{
    if (body->inertia[2] < NO_MOMENT) return 0;
    return body->inertia[0] < NO_MOMENT * body->inertia[2] ? 2 : 3;
}
