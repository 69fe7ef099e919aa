/* Point charges outside the molecule, as of a surrounding that is not computed. What they do to
 * each other is no energy of the molecule and not counted. */
#include "hamiltonian_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool present(const struct hf_molecule *molecule)
{
    return molecule->environment.n_charge > 0;
}

static double cost(const struct hf_molecule *molecule)
{
    return 1.0 + molecule->environment.n_charge;
}

/** The charges as integrals take them, the caller's to free; NULL: no memory. */
static struct hf_spread_charge *make_charges(const struct hf_environment *environment,
                                             struct hf_error *error)
{
    const int n = environment->n_charge;
    struct hf_spread_charge *point = calloc((size_t)n, sizeof *point);
    if (point == NULL) (void)hf_fail(error, HF_NO_RESOURCE, "out of memory for %d charges", n);
    for (int i = 0; point != NULL && i < n; i++)
        point[i] =
            hf_charge_at(environment->charge[i].charge, environment->charge[i].position_bohr);
    return point;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    const struct hf_environment *environment = &blocks->molecule->environment;
    struct hf_spread_charge *point = make_charges(environment, error);
    if (point == NULL) return HF_NO_RESOURCE;
    const hf_status status = hf_add_charges(blocks, environment->n_charge, point, error);
    free(point);
    return status;
}

static hf_status add_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    const struct hf_environment *environment = &gradient->molecule->environment;
    struct hf_spread_charge *point = make_charges(environment, error);
    if (point == NULL) return HF_NO_RESOURCE;
    const hf_status status =
        hf_add_charges_slopes(gradient, environment->n_charge, point, gradient->charge, error);
    free(point);
    return status;
}

static void add_nuclear_gradient(const struct hf_molecule *molecule, int i, double (*atom)[3],
                                 double (*charge)[3])
{
    const struct hf_environment *environment = &molecule->environment;
    const double nuclear_charge = hf_molecule_nuclear_charge(molecule, i);
    const double *a = molecule->atom[i].position_bohr;
    if (nuclear_charge == 0.0) return; /* charges may sit on ghosts */
    for (int c = 0; c < environment->n_charge; c++) {
        const struct hf_point_charge *point = &environment->charge[c];
        if (point->charge != 0.0)
            hf_add_repulsion_slope(nuclear_charge * point->charge, a, point->position_bohr, atom[i],
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
