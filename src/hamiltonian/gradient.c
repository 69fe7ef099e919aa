/* Derivatives of the energy of nuclei and of a density in all terms, over all ranks. */
#include "base/arena.h"
#include "hamiltonian_private.h"
#include "linalg/matrix_blocks.h"

/** Local: this rank's share of all terms, nuclei dealt one by one. */
static hf_status add_terms(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    const struct hf_molecule *molecule = gradient->molecule;
    for (int k = 0; hf_term_list[k] != NULL; k++) {
        const struct hf_term_ops *term = hf_term_list[k];
        if (!term->present(molecule)) continue;
        HF_CHECK(term->add_gradient(gradient, error));
        for (int i = gradient->rank; term->add_nuclear_gradient != NULL && i < molecule->n_atom;
             i += gradient->n_rank)
            term->add_nuclear_gradient(molecule, i, gradient->atom, gradient->charge);
    }
    return HF_OK;
}

static void add_all(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++) to[i] += from[i];
}

hf_status hf_hamiltonian_gradient(struct hf_context *context, const struct hf_basis *basis,
                                  const struct hf_molecule *molecule,
                                  const struct hf_matrix *density, const struct hf_matrix *weighted,
                                  double (*atom)[3], double (*charge)[3], struct hf_error *error)
{
    const int n_atom = molecule->n_atom, n_charge = molecule->environment.n_charge;
    hf_status status;
    struct hf_block_layout *layout = NULL;
    struct hf_arena arena = {.memory = context->memory, .label = "sums of derivatives"};
    HF_TRY(hf_atom_layout_create_for_sums(context, basis, &layout, error));
    /* of the weighted density, then of the density */
    double *block = hf_arena_take_class(&arena, HF_MEMORY_MATRIX, "the density in blocks",
                                        hf_block_layout_local_size(layout), sizeof *block);
    double *slope = HF_TAKE(&arena, slope, 3 * ((size_t)n_atom + (size_t)n_charge));
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    const struct hf_term_gradient gradient = {
        .molecule = molecule,
        .basis = basis,
        .layout = layout,
        .density = block,
        .interruption = context->interruption,
        .rank = context->rank,
        .n_rank = context->n_rank,
        .n_thread = context->reproducible ? 1 : context->n_thread,
        .atom = (double(*)[3])slope,
        .charge = (double(*)[3])(slope + 3 * (size_t)n_atom),
    };
    HF_TRY(hf_matrix_get_blocks(weighted, layout, block, error));
    HF_TRY(
        hf_agree(context->comm, hf_add_operator_slopes(&gradient, HF_OVERLAP, -1.0, error), error));
    HF_TRY(hf_matrix_get_blocks(density, layout, block, error));
    HF_TRY(hf_agree(context->comm, add_terms(&gradient, error), error));
    MPI_Allreduce(MPI_IN_PLACE, slope, 3 * (n_atom + n_charge), MPI_DOUBLE, MPI_SUM, context->comm);
    add_all(3 * n_atom, gradient.atom[0], atom[0]);
    if (n_charge > 0) add_all(3 * n_charge, gradient.charge[0], charge[0]);
cleanup:
    hf_arena_done(&arena);
    hf_block_layout_destroy(&layout);
    return status;
}
