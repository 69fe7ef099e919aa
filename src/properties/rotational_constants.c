/* Mass, moments of inertia and rotational constants of the nuclei. */
#include "properties_private.h"

#include "hf/linalg.h"

#include <math.h>

/** Moments of inertia below this part of the largest are those of a line of atoms, or of one. */
static const double NO_INERTIA = 1e-10;

hf_status hf_add_rotation(const struct hf_molecule *molecule, struct hf_properties *properties,
                          struct hf_error *error)
{
    double tensor[3][3];
    hf_molecule_inertia(molecule, &properties->mass, properties->centre_of_mass, tensor);
    HF_CHECK(hf_eigen_small(3, tensor[0], properties->inertia, error));
    for (int d = 0; d < 3; d++) {
        const double inertia = properties->inertia[d];
        const bool none = !(inertia > NO_INERTIA * properties->inertia[2]);
        if (none) properties->inertia[d] = 0.0;
        properties->rotational_ghz[d] =
            none ? INFINITY : HF_HARTREE_IN_GHZ / (2.0 * inertia * HF_MASS_UNIT_IN_ELECTRON_MASSES);
    }
    return HF_OK;
}
