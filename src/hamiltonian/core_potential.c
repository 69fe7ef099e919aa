/* Effective core potentials: what the innermost electrons of heavy atoms do to the others, relativity
 * included. The charge of a core is taken off that of its nucleus, wherever nuclei act. */
#include "hamiltonian_private.h"
#include "hf/core_integrals.h"
#include "hf/interruption.h"

static bool present(const struct hf_molecule *molecule)
{
    return hf_molecule_n_core(molecule) > 0;
}

static double cost(const struct hf_molecule *molecule)
{
    double sum = 1.0;
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].n_core > 0) sum += 50.0; /* of a charge */
    return sum;
}

/** One potential, over own blocks of atoms that it reaches. */
static hf_status add_potential(const struct hf_term_blocks *blocks, int which,
                               struct hf_error *error)
{
    const struct hf_core_potential *potential = &blocks->basis->core_potential[which];
    struct hf_core_integrals *integrals = NULL;
    hf_status status;
    HF_TRY(hf_core_integrals_create(blocks->basis, which,
                                    blocks->molecule->atom[potential->atom].position_bohr,
                                    &integrals, error));
    struct hf_own_blocks own = hf_own_blocks_begin(blocks->layout);
    struct hf_own_block here;
    while (hf_own_blocks_next(&own, &here)) {
        if (!hf_core_integrals_reach(integrals, here.i) ||
            !hf_core_integrals_reach(integrals, here.j))
            continue;
        const int reason = hf_interruption_look(blocks->interruption, true);
        if (reason != 0) HF_TRY(hf_interrupted(error, reason));
        HF_TRY(
            hf_core_integrals_add(integrals, here.i, here.j, blocks->block + here.offset, error));
    }
cleanup:
    hf_core_integrals_destroy(&integrals);
    return status;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int k = 0; k < blocks->basis->n_core_potential && status == HF_OK; k++)
        status = add_potential(blocks, k, error);
    return status;
}

const struct hf_term_ops hf_term_core_potential = {
    .name = "core potential",
    .about = "sum_A U_A, nuclei seen through their cores",
    .cite = "Flores-Moreno et al., J. Comput. Chem. 27, 1009 (2006)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
};
