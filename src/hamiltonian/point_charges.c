/* Point charges outside the molecule, as of a surrounding that is not computed. What they do to
 * each other is no energy of the molecule and not counted. */
#include "hamiltonian_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const int n = environment->n_charge;
    struct hf_spread_charge *charge = calloc((size_t)n + 1, sizeof *charge);
    if (charge == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d point charges", n);
    for (int i = 0; i < n; i++) {
        charge[i] = (struct hf_spread_charge){.charge = environment->charge[i].charge,
                                              .exponent = INFINITY};
        memcpy(charge[i].position_bohr, environment->charge[i].position_bohr,
               sizeof charge[i].position_bohr);
    }
    const hf_status status = hf_add_charges(blocks, n, charge, error);
    free(charge);
    return status;
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
