/* Attraction by the nuclei, and their repulsion. */
#include "hamiltonian_private.h"

#include <stdlib.h>

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

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    const struct hf_molecule *molecule = blocks->molecule;
    struct hf_spread_charge *nucleus = calloc((size_t)molecule->n_atom, sizeof *nucleus);
    if (nucleus == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d nuclei", molecule->n_atom);
    for (int i = 0; i < molecule->n_atom; i++)
        nucleus[i] =
            hf_charge_at(hf_molecule_nuclear_charge(molecule, i), molecule->atom[i].position_bohr);
    const hf_status status = hf_add_charges(blocks, molecule->n_atom, nucleus, error);
    free(nucleus);
    return status;
}

const struct hf_term_ops hf_term_nuclei = {
    .name = "nuclei",
    .about = "-sum_A Z_A / |r - R_A|; sum_{A<B} Z_A Z_B / R_AB",
    .cite = "McMurchie, Davidson, J. Comput. Phys. 26, 218 (1978)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .nuclear_energy = hf_molecule_repulsion_of_nucleus,
};
