/* Point charges outside the molecule, as of a surrounding that is not computed. What they do to
 * each other is no energy of the molecule and not counted. */
#include "hamiltonian_private.h"

#include <math.h>

static bool present(const struct hf_molecule *molecule)
{
    return molecule->environment.n_charge > 0;
}

static double cost(const struct hf_molecule *molecule)
{
    return 1.0 + molecule->environment.n_charge;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    const struct hf_environment *environment = &blocks->molecule->environment;
    return hf_add_point_charges(blocks, environment->n_charge, environment->charge, error);
}

static double nuclear_energy(const struct hf_molecule *molecule, int i)
{
    const struct hf_environment *environment = &molecule->environment;
    const double nuclear_charge = hf_molecule_nuclear_charge(molecule, i);
    const double *a = molecule->atom[i].position_bohr;
    double sum = 0.0;
    if (nuclear_charge == 0.0) return 0.0; /* charges may sit on ghosts */
    for (int c = 0; c < environment->n_charge; c++) {
        const double *b = environment->charge[c].position_bohr;
        const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        if (environment->charge[c].charge != 0.0)
            sum += environment->charge[c].charge / sqrt(x * x + y * y + z * z);
    }
    return nuclear_charge * sum;
}

const struct hf_term_ops hf_term_point_charges = {
    .name = "point charges",
    .about = "-sum_C q_C / |r - R_C|; sum_AC Z_A q_C / R_AC",
    .cite = "Field, Bash, Karplus, J. Comput. Chem. 11, 700 (1990)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .nuclear_energy = nuclear_energy,
};
