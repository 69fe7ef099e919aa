/* Between the matrices of the caller and the blocks of a distributed build. */
#include "distributed.h"

/** Brings the blocks of this rank from published to merged functions or, of sums, back. */
static void mix_blocks(const struct hf_distributed *data, const struct hf_basis *merged, bool sums,
                       struct hf_block_array *array)
{
    if (merged->n_mixing == 0) return;
    struct hf_own_blocks own = hf_own_blocks_begin(data->layout);
    struct hf_own_block block;
    while (hf_own_blocks_next(&own, &block))
        hf_mix_block(merged, sums, block.i, block.j, hf_block_array_local(array) + block.offset);
}

hf_status hf_distributed_create_arrays(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                       struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    hf_status status = HF_OK;
    for (int i = 0; i < data->n_job; i++) {
        HF_TRY(hf_block_array_create(data->onesided, data->layout, "density blocks", &data->D[i],
                                     error));
        if (job[i].coulomb != NULL)
            HF_TRY(hf_block_array_create(data->onesided, data->layout, "Coulomb blocks",
                                         &data->J[i], error));
        if (job[i].exchange != NULL)
            HF_TRY(hf_block_array_create(data->onesided, data->layout, "exchange blocks",
                                         &data->K[i], error));
        HF_TRY(hf_matrix_get_blocks(job[i].density, data->layout, hf_block_array_local(data->D[i]),
                                    error));
        mix_blocks(data, self->pairs->basis, false, data->D[i]);
        hf_block_array_fence(data->D[i]);
    }
cleanup:
    return status;
}

/** Sums of one job to the matrix of the caller; nothing when they are not wanted. Collective. */
static hf_status collect(struct hf_fock_builder *self, struct hf_block_array **sums,
                         struct hf_matrix *matrix, struct hf_error *error)
{
    const struct hf_distributed *data = self->data;
    if (*sums == NULL) return HF_OK;
    hf_block_array_fence(*sums);
    mix_blocks(data, self->pairs->basis, true, *sums);
    const hf_status status =
        hf_matrix_set_blocks(matrix, data->layout, hf_block_array_local(*sums), error);
    if (status == HF_OK) hf_block_array_destroy(sums);
    return status;
}

hf_status hf_distributed_collect(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                 struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    hf_status status = HF_OK;
    for (int i = 0; i < data->n_job; i++) {
        HF_TRY(collect(self, &data->J[i], job[i].coulomb, error));
        HF_TRY(collect(self, &data->K[i], job[i].exchange, error));
    }
cleanup:
    return status;
}
