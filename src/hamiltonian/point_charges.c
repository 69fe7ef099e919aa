/* Point charges outside the molecule, as of a surrounding that is not computed. What they do to
 * each other is no energy of the molecule and not counted. */
#include "hamiltonian_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdio.h>

static bool present(const struct hf_molecule *molecule)
{
    return molecule->environment.n_charge > 0;
}

static double cost(const struct hf_molecule *molecule)
{
    return 1.0 + molecule->environment.n_charge;
}

/** hf_charge_of */
static struct hf_spread_charge point(const void *data, int i)
{
    const struct hf_molecule *molecule = data;
    const struct hf_point_charge *charge = &molecule->environment.charge[i];
    return hf_charge_at(charge->charge, charge->position_bohr);
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    return hf_add_charges(blocks, blocks->molecule->environment.n_charge, point, blocks->molecule,
                          error);
}

static hf_status add_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    return hf_add_charges_slopes(gradient, gradient->molecule->environment.n_charge, point,
                                 gradient->charge, error);
}

static void add_nuclear_gradient(const struct hf_molecule *molecule, int i, double (*atom)[3],
                                 double (*charge)[3])
{
    const struct hf_environment *environment = &molecule->environment;
    const double nuclear_charge = hf_molecule_nuclear_charge(molecule, i);
    const double *a = molecule->atom[i].position_bohr;
    if (nuclear_charge == 0.0) return; /* charges may sit on ghosts */
    for (int c = 0; c < environment->n_charge; c++) {
        const struct hf_point_charge *of = &environment->charge[c];
        if (of->charge != 0.0)
            hf_add_repulsion_slope(nuclear_charge * of->charge, a, of->position_bohr, atom[i],
                                   charge[c]);
    }
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
        if (environment->charge[c].charge != 0.0)
            sum += environment->charge[c].charge / sqrt(hf_distance_squared(a, b));
    }
    return nuclear_charge * sum;
}

static void describe(const struct hf_molecule *molecule, size_t size, char text[])
{
    const struct hf_environment *environment = &molecule->environment;
    double sum = 0.0;
    for (int c = 0; c < environment->n_charge; c++) sum += environment->charge[c].charge;
    snprintf(text, size, "%d, in all %+.6f e", environment->n_charge, sum);
}

const struct hf_term_ops hf_term_point_charges = {
    .name = "point charges",
    .about = "-sum_C q_C / |r - R_C|; sum_AC Z_A q_C / R_AC",
    .cite = "Field, Bash, Karplus, J. Comput. Chem. 11, 700 (1990)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .add_gradient = add_gradient,
    .nuclear_energy = nuclear_energy,
    .add_nuclear_gradient = add_nuclear_gradient,
    .describe = describe,
};
