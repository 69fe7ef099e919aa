/* Layout of matrices over a basis: a part is the functions of one atom. */
#include "hf/layout.h"

#include <stdlib.h>

/** By either way to make a layout. Collective. */
static hf_status create(struct hf_context *context, const struct hf_basis *basis,
                        hf_status (*make)(struct hf_context *context, int n_part, const int first[],
                                          struct hf_block_layout **layout, struct hf_error *error),
                        struct hf_block_layout **layout, struct hf_error *error)
{
    hf_status status = HF_OK;
    int *first = malloc(((size_t)basis->n_atom + 1) * sizeof *first);
    if (first == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a block layout");
    HF_TRY(hf_agree(context->comm, status, error));
    for (int a = 0; a <= basis->n_atom; a++) {
        const int shell = basis->first_shell_of_atom[a];
        first[a] = shell < basis->n_shell ? basis->shell[shell].first_function : basis->n_function;
    }
    HF_TRY(make(context, basis->n_atom, first, layout, error));
cleanup:
    free(first);
    return status;
}

hf_status hf_atom_layout_create(struct hf_context *context, const struct hf_basis *basis,
                                struct hf_block_layout **layout, struct hf_error *error)
{
    return create(context, basis, hf_block_layout_create, layout, error);
}

hf_status hf_atom_layout_create_for_sums(struct hf_context *context, const struct hf_basis *basis,
                                         struct hf_block_layout **layout, struct hf_error *error)
{
    return create(context, basis, hf_block_layout_create_for_sums, layout, error);
}
