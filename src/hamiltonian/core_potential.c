/* Effective core potentials: what the innermost electrons of heavy atoms do to the others, relativity
 * included. The charge of a core is taken off that of its nucleus, wherever nuclei act. */
#include "base/arena.h"
#include "base/threads.h"
#include "hamiltonian_private.h"
#include "hf/interruption.h"
#include "one_electron/core_integrals.h"

static bool present(const struct hf_molecule *molecule)
{
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].core_potential) return true;
    return false;
}

static double cost(const struct hf_molecule *molecule)
{
    double sum = 1.0;
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].core_potential) sum += 50.0; /* of a charge */
    return sum;
}

/** Adds one potential to this rank's blocks of atoms that it reaches, `atom` [n_atom] with room for their
 *  list; of a thread those of each n_thread-th atom. */
static hf_status add_potential(const struct hf_term_blocks *blocks, int which, int thread,
                               int n_thread, int atom[], struct hf_error *error)
{
    const struct hf_core_potential *potential = &blocks->basis->core_potential[which];
    struct hf_core_integrals *integrals = NULL;
    hf_status status;
    int n = 0;
    HF_TRY(hf_core_integrals_create(blocks->basis, which,
                                    blocks->molecule->atom[potential->atom].position_bohr,
                                    &integrals, error));
    for (int i = 0; i < blocks->basis->n_atom; i++)
        if (hf_core_integrals_reach(integrals, i)) atom[n++] = i;
    for (int k = 0; k < n; k++) {
        if (atom[k] % n_thread != thread) continue;
        const int reason = hf_interruption_look(blocks->interruption, n_thread == 1);
        if (reason != 0) HF_TRY(hf_interrupted(error, reason));
        for (int m = 0; m <= k; m++) {
            const struct hf_block_place place =
                hf_block_layout_find(blocks->layout, atom[k], atom[m]);
            if (place.rank == blocks->rank)
                HF_TRY(hf_core_integrals_add(integrals, atom[k], atom[m],
                                             blocks->block + place.offset, error));
        }
    }
cleanup:
    hf_core_integrals_destroy(&integrals);
    return status;
}

/** All potentials, in the blocks of a thread. */
static hf_status add_potentials(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_term_blocks *blocks = data;
    struct hf_arena arena = {.label = "core potentials"};
    int *atom = HF_TAKE_UNSET(&arena, atom, (size_t)blocks->basis->n_atom);
    hf_status status = hf_arena_check(&arena, error);
    for (int k = 0; k < blocks->basis->n_core_potential && status == HF_OK; k++)
        status = add_potential(blocks, k, thread, n_thread, atom, error);
    hf_arena_done(&arena);
    return status;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    struct hf_term_blocks own = *blocks;
    return hf_threads_run(blocks->n_thread, add_potentials, &own, error);
}

const struct hf_term_ops hf_term_core_potential = {
    .name = "core potential",
    .about = "sum_A U_A, nuclei seen through their cores",
    .cite = "Flores-Moreno et al., J. Comput. Chem. 27, 1009 (2006)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .add_gradient = hf_add_core_gradient,
};
