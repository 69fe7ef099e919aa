/* A molecule as a rigid body: mass, centre, moments of inertia. */
#include "vibrations_private.h"

#include "hf/linalg.h"

/** A moment of inertia that is less than this part of the largest is zero. */
static const double NO_MOMENT = 1e-6;

hf_status hf_body_find(const struct hf_molecule *molecule, struct hf_body *body,
                       struct hf_error *error)
{
    *body = (struct hf_body){0};
    for (int i = 0; i < molecule->n_atom; i++) {
        const double mass = hf_atom_mass(&molecule->atom[i]);
        body->mass += mass;
        for (int k = 0; k < 3; k++) body->centre[k] += mass * molecule->atom[i].position_bohr[k];
    }
    for (int k = 0; k < 3; k++) body->centre[k] /= body->mass;
    for (int i = 0; i < molecule->n_atom; i++) {
        const double mass = hf_atom_mass(&molecule->atom[i]);
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = molecule->atom[i].position_bohr[k] - body->centre[k];
        const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                body->axis[k][l] += mass * ((k == l ? square : 0.0) - r[k] * r[l]);
    }
    return hf_eigen_small(3, body->axis[0], body->inertia, error);
}

int hf_body_n_rotation(const struct hf_body *body)
{
    if (body->inertia[2] < NO_MOMENT) return 0;
    return body->inertia[0] < NO_MOMENT * body->inertia[2] ? 2 : 3;
}
