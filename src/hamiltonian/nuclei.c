/* Attraction by the nuclei, and their repulsion. */
#include "hamiltonian_private.h"

static bool present(const struct hf_molecule *molecule)
{
    for (int i = 0; i < molecule->n_atom; i++)
        if (hf_molecule_nuclear_charge(molecule, i) != 0.0) return true;
    return false;
}

static double cost(const struct hf_molecule *molecule)
{
    return 1.0 + molecule->n_atom;
}

/** hf_charge_of */
static struct hf_spread_charge nucleus(const void *data, int i)
{
    const struct hf_molecule *molecule = data;
    return hf_charge_at(hf_molecule_nuclear_charge(molecule, i), molecule->atom[i].position_bohr);
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    return hf_add_charges(blocks, blocks->molecule->n_atom, nucleus, blocks->molecule, error);
}

static hf_status add_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    return hf_add_charges_slopes(gradient, gradient->molecule->n_atom, nucleus, gradient->atom,
                                 error);
}

static void add_nuclear_gradient(const struct hf_molecule *molecule, int i, double (*atom)[3],
                                 double (*charge)[3])
{
    const double *a = molecule->atom[i].position_bohr;
    (void)charge;
    for (int j = 0; j < i; j++) {
        const double *b = molecule->atom[j].position_bohr;
        const double product =
            hf_molecule_nuclear_charge(molecule, i) * hf_molecule_nuclear_charge(molecule, j);
        if (product != 0.0) hf_add_repulsion_slope(product, a, b, atom[i], atom[j]); /* no ghosts */
    }
}

const struct hf_term_ops hf_term_nuclei = {
    .name = "nuclei",
    .about = "-sum_A Z_A / |r - R_A|; sum_{A<B} Z_A Z_B / R_AB",
    .cite = "McMurchie, Davidson, J. Comput. Phys. 26, 218 (1978)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .add_gradient = add_gradient,
    .nuclear_energy = hf_molecule_repulsion_of_nucleus,
    .add_nuclear_gradient = add_nuclear_gradient,
};
