/* A uniform electric field F. The energy of a dipole moment mu in it is -mu.F, so that dE/dF = -mu;
 * an electron has the moment -r, a nucleus Z R. The origin is that of the coordinates: only the
 * energy of an ion depends on it. */
#include "hamiltonian_private.h"

#include <stdio.h>

static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};

static bool present(const struct hf_molecule *molecule)
{
    const double *field = molecule->environment.field;
    return field[0] != 0.0 || field[1] != 0.0 || field[2] != 0.0;
}

static double cost(const struct hf_molecule *molecule)
{
    (void)molecule;
    return 3.0;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    const double *field = blocks->molecule->environment.field;
    hf_status status = HF_OK;
    for (int x = 0; x < 3 && status == HF_OK; x++)
        if (field[x] != 0.0) status = hf_add_operator(blocks, along[x], field[x], error);
    return status;
}

static hf_status add_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    const double *field = gradient->molecule->environment.field;
    hf_status status = HF_OK;
    for (int x = 0; x < 3 && status == HF_OK; x++)
        if (field[x] != 0.0) status = hf_add_operator_slopes(gradient, along[x], field[x], error);
    return status;
}

static double nuclear_energy(const struct hf_molecule *molecule, int i)
{
    const double *field = molecule->environment.field;
    double sum = 0.0;
    for (int x = 0; x < 3; x++)
        sum -=
            hf_molecule_nuclear_charge(molecule, i) * field[x] * molecule->atom[i].position_bohr[x];
    return sum;
}

static void add_nuclear_gradient(const struct hf_molecule *molecule, int i, double (*atom)[3],
                                 double (*charge)[3])
{
    (void)charge;
    for (int x = 0; x < 3; x++)
        atom[i][x] -= hf_molecule_nuclear_charge(molecule, i) * molecule->environment.field[x];
}

static void describe(const struct hf_molecule *molecule, size_t size, char text[])
{
    const double *field = molecule->environment.field;
    snprintf(text, size, "%g %g %g hartree/(e bohr)", field[0], field[1], field[2]);
}

const struct hf_term_ops hf_term_field = {
    .name = "field",
    .about = "F.r; -sum_A Z_A F.R_A",
    .cite = "Cohen, Roothaan, J. Chem. Phys. 43, S34 (1965)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .add_gradient = add_gradient,
    .nuclear_energy = nuclear_energy,
    .add_nuclear_gradient = add_nuclear_gradient,
    .describe = describe,
};
