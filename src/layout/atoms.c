/* Layout of matrices over a basis: a part is the functions of one atom. */
#include "layout/layout.h"

#include <stdlib.h>

/** Layout with blocks on the first `n_owner` ranks. Collective. */
static hf_status create(struct hf_context *context, int n_owner, const struct hf_basis *basis,
                        struct hf_block_layout **layout, struct hf_error *error)
{
    int *first = malloc(((size_t)basis->n_atom + 1) * sizeof *first);
    for (int a = 0; first != NULL && a <= basis->n_atom; a++) {
        const int shell = basis->first_shell_of_atom[a];
        first[a] = shell < basis->n_shell ? basis->shell[shell].first_function : basis->n_function;
    }
    const hf_status status =
        hf_block_layout_create(context, n_owner, basis->n_atom, first, layout, error);
    free(first);
    return status;
}

hf_status hf_atom_layout_create(struct hf_context *context, const struct hf_basis *basis,
                                struct hf_block_layout **layout, struct hf_error *error)
{
    return create(context, context->n_rank, basis, layout, error);
}

hf_status hf_atom_layout_create_for_sums(struct hf_context *context, const struct hf_basis *basis,
                                         struct hf_block_layout **layout, struct hf_error *error)
{
    return create(context, context->reproducible ? 1 : context->n_rank, basis, layout, error);
}

void hf_mix_own_blocks(const struct hf_basis *merged, bool sums,
                       const struct hf_block_layout *layout, double blocks[])
{
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    if (merged->n_mixing == 0) return;
    while (hf_own_blocks_next(&own, &block))
        hf_mix_block(merged, sums, block.i, block.j, blocks + block.offset);
}
