/* Bond orders: sums over the block of two atoms, each on the rank that owns the block. */
#include "properties_private.h"

#include "base/gather.h"
#include "linalg/matrix_blocks.h"

#include <math.h>
#include <stdlib.h>

struct hf_bonds {
    struct hf_context *context;
    struct hf_block_layout *layout;
    int n_own;           /**< blocks of this rank */
    struct hf_bond *sum; /**< [n_own] in the order of the blocks, those of one atom included */
    double *block[2];    /**< this rank's part of two matrices */
};

/** Local: room for what this rank owns. */
static hf_status make_room(struct hf_bonds *self, struct hf_error *error)
{
    struct hf_memory *memory = self->context->memory;
    const size_t size = hf_block_layout_local_size(self->layout);
    struct hf_own_blocks own = hf_own_blocks_begin(self->layout);
    struct hf_own_block here;
    while (hf_own_blocks_next(&own, &here)) self->n_own++;
    self->sum = hf_memory_allocate(memory, "bond orders", (size_t)self->n_own, sizeof *self->sum);
    for (int k = 0; k < 2; k++)
        self->block[k] =
            hf_memory_allocate_matrix(memory, "bond orders", size, sizeof *self->block[k]);
    if (self->sum == NULL || self->block[0] == NULL || self->block[1] == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for bond orders");
    own = hf_own_blocks_begin(self->layout);
    for (int k = 0; hf_own_blocks_next(&own, &here); k++)
        self->sum[k] = (struct hf_bond){.atom = here.i, .other = here.j};
    return HF_OK;
}

hf_status hf_bonds_create(struct hf_context *context, const struct hf_basis *basis,
                          struct hf_bonds **bonds, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_bonds *self = *bonds = calloc(1, sizeof *self);
    if (self == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for bond orders");
    HF_TRY(hf_agree(context->comm, status, error));
    self->context = context;
    HF_TRY(hf_atom_layout_create(context, basis, &self->layout, error));
    HF_TRY(hf_agree(context->comm, make_room(self, error), error));
cleanup:
    if (status != HF_OK) hf_bonds_destroy(bonds);
    return status;
}

void hf_bonds_destroy(struct hf_bonds **bonds)
{
    struct hf_bonds *self = *bonds;
    if (self == NULL) return;
    for (int k = 0; k < 2; k++) hf_memory_release(self->context->memory, self->block[k]);
    hf_memory_release(self->context->memory, self->sum);
    hf_block_layout_destroy(&self->layout);
    free(self);
    *bonds = NULL;
}

hf_status hf_bonds_add(struct hf_bonds *bonds, bool wiberg, const struct hf_matrix *matrix,
                       const struct hf_matrix *transposed, struct hf_error *error)
{
    const double *p = bonds->block[0], *q = bonds->block[1];
    HF_CHECK(hf_matrix_get_blocks(matrix, bonds->layout, bonds->block[0], error));
    HF_CHECK(hf_matrix_get_blocks(transposed, bonds->layout, bonds->block[1], error));
    struct hf_own_blocks own = hf_own_blocks_begin(bonds->layout);
    struct hf_own_block here;
    for (struct hf_bond *bond = bonds->sum; hf_own_blocks_next(&own, &here); bond++) {
        double sum = 0.0;
        for (size_t k = here.offset; k < here.offset + here.size; k++) sum += p[k] * q[k];
        *(wiberg ? &bond->wiberg : &bond->mayer) += sum;
    }
    return HF_OK;
}

static bool is_large(const struct hf_bond *bond)
{
    return bond->atom != bond->other &&
           (fabs(bond->mayer) >= HF_LEAST_BOND_ORDER || fabs(bond->wiberg) >= HF_LEAST_BOND_ORDER);
}

static int compare(const void *a, const void *b)
{
    const struct hf_bond *one = a, *two = b;
    if (one->atom != two->atom) return one->atom < two->atom ? -1 : 1;
    return (one->other > two->other) - (one->other < two->other);
}

/** Those of this rank to the front. */
static int keep_large(struct hf_bonds *self)
{
    int n = 0;
    for (int k = 0; k < self->n_own; k++)
        if (is_large(&self->sum[k])) self->sum[n++] = self->sum[k];
    return n;
}

hf_status hf_bonds_collect(struct hf_bonds *bonds, struct hf_properties *properties,
                           struct hf_error *error)
{
    HF_CHECK(hf_gather_lists(bonds->context->comm, keep_large(bonds), bonds->sum,
                             sizeof *bonds->sum, "bond orders", &properties->n_bond,
                             &properties->bond, HF_OK, error));
    qsort(properties->bond, (size_t)properties->n_bond, sizeof *properties->bond, compare);
    return HF_OK;
}
