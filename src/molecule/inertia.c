/* A molecule as a rigid body. */
#include "hf/molecule.h"

#include <string.h>

static void find_centre(const struct hf_molecule *molecule, double *mass, double centre[3])
{
    *mass = 0.0;
    memset(centre, 0, 3 * sizeof *centre);
    for (int i = 0; i < molecule->n_atom; i++) {
        const double own = hf_atom_mass(&molecule->atom[i]);
        *mass += own;
        for (int d = 0; d < 3; d++) centre[d] += own * molecule->atom[i].position_bohr[d];
    }
    for (int d = 0; d < 3 && *mass > 0.0; d++) centre[d] /= *mass;
}

void hf_molecule_inertia(const struct hf_molecule *molecule, double *mass, double centre[3],
                         double tensor[3][3])
{
    find_centre(molecule, mass, centre);
    memset(tensor, 0, 3 * sizeof *tensor);
    for (int i = 0; i < molecule->n_atom; i++) {
        const double own = hf_atom_mass(&molecule->atom[i]);
        double r[3], square = 0.0;
        for (int d = 0; d < 3; d++) {
            r[d] = molecule->atom[i].position_bohr[d] - centre[d];
            square += r[d] * r[d];
        }
        for (int d = 0; d < 3; d++) {
            tensor[d][d] += own * square;
            for (int e = 0; e < 3; e++) tensor[d][e] -= own * r[d] * r[e];
        }
    }
}
