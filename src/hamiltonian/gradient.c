/* Derivatives of the energy of nuclei and of a density in all terms, over all ranks. */
#include "base/arena.h"
#include "base/slope_sums.h"
#include "hamiltonian_private.h"
#include "linalg/matrix_blocks.h"

#include <string.h>

/** The energy of nucleus i in a term; `slope` [n_atom + n_charge] is scratch. */
static void add_nucleus(const struct hf_term_gradient *gradient, const struct hf_term_ops *term,
                        int i, double (*slope)[3])
{
    const int n_atom = gradient->molecule->n_atom;
    const int n_charge = gradient->molecule->environment.n_charge;
    memset(slope, 0, ((size_t)n_atom + (size_t)n_charge) * sizeof *slope);
    term->add_nuclear_gradient(gradient->molecule, i, slope, slope + n_atom);
    for (int k = 0; k < n_atom; k++) hf_slope_add(slope[k], gradient->atom[k]);
    for (int k = 0; k < n_charge; k++) hf_slope_add(slope[n_atom + k], gradient->charge[k]);
}

/** Local: this rank's share of all terms, nuclei dealt one by one. */
static hf_status add_terms(const struct hf_term_gradient *gradient, double (*slope)[3],
                           struct hf_error *error)
{
    const struct hf_molecule *molecule = gradient->molecule;
    for (int k = 0; hf_term_list[k] != NULL; k++) {
        const struct hf_term_ops *term = hf_term_list[k];
        if (!term->present(molecule)) continue;
        HF_CHECK(term->add_gradient(gradient, error));
        for (int i = gradient->rank; term->add_nuclear_gradient != NULL && i < molecule->n_atom;
             i += gradient->n_rank)
            add_nucleus(gradient, term, i, slope);
    }
    return HF_OK;
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
    const size_t n = (size_t)n_atom + (size_t)n_charge;
    double(*slope)[3] = HF_TAKE(&arena, slope, n);
    int64_t(*steps)[3] = HF_TAKE(&arena, steps, n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    const struct hf_term_gradient gradient = {
        .molecule = molecule,
        .basis = basis,
        .layout = layout,
        .density = block,
        .interruption = context->interruption,
        .rank = context->rank,
        .n_rank = context->n_rank,
        .n_thread = context->n_thread,
        .atom = steps,
        .charge = steps + n_atom,
    };
    HF_TRY(hf_matrix_get_blocks(weighted, layout, block, error));
    HF_TRY(
        hf_agree(context->comm, hf_add_operator_slopes(&gradient, HF_OVERLAP, -1.0, error), error));
    HF_TRY(hf_matrix_get_blocks(density, layout, block, error));
    HF_TRY(hf_agree(context->comm, add_terms(&gradient, slope, error), error));
    hf_slope_sums_add(context->comm, n_atom, gradient.atom, atom);
    if (n_charge > 0) hf_slope_sums_add(context->comm, n_charge, gradient.charge, charge);
cleanup:
    hf_arena_done(&arena);
    hf_block_layout_destroy(&layout);
    return status;
}
