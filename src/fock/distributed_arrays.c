/* The arrays of blocks of a distributed build, filled from and copied to the matrices of the caller. */
#include "distributed_state.h"
#include "linalg/matrix_blocks.h"

/** Prepares the blocks of this rank for exact sums. */
static void prepare_blocks(struct hf_exact_sums *exact, int density, double mirror,
                           const struct hf_block_layout *layout, struct hf_window *array)
{
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    while (hf_own_blocks_next(&own, &block))
        hf_exact_sums_meet(exact, density, block.i, block.j, mirror,
                           hf_window_local(array) + block.offset);
}

/** Makes the lists long enough for the jobs of this build. Local. */
static hf_status make_lists(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_window ***list[] = {&data->D, &data->J, &data->K};
    const int n = data->jobs.n;
    if (n <= data->n_array) return HF_OK;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct hf_window **longer = HF_TAKE(&self->arena, longer, (size_t)n);
        if (longer == NULL) return hf_arena_check(&self->arena, error);
        for (int i = 0; i < data->n_array; i++) longer[i] = (*list[k])[i];
        hf_arena_release(&self->arena, *list[k]);
        *list[k] = longer;
    }
    data->n_array = n;
    return HF_OK;
}

/** Creates an array when it is needed for the first time. Collective. */
static hf_status provide(const struct hf_distributed *data, bool needed, const char *label,
                         struct hf_window **array, struct hf_error *error)
{
    if (!needed || *array != NULL) return HF_OK;
    return hf_window_create(data->onesided, hf_block_layout_local_size(data->layout), label, array,
                            error);
}

/** Copies the density of the caller to its array, and zeroes the sums. Collective. */
static hf_status fill(struct hf_fock_builder *self, int i, const struct hf_fock_job *job,
                      struct hf_error *error)
{
    const struct hf_distributed *data = self->data;
    if (job->coulomb != NULL) hf_window_clear(data->J[i]);
    if (job->exchange != NULL) hf_window_clear(data->K[i]);
    HF_CHECK(hf_matrix_get_blocks(job->density, data->layout, hf_window_local(data->D[i]), error));
    hf_mix_own_blocks(self->pairs->basis, false, data->layout, hf_window_local(data->D[i]));
    if (self->exact != NULL)
        prepare_blocks(self->exact, i, hf_mirror_factor(data->jobs.n_antisymmetric, i),
                       data->layout, data->D[i]);
    hf_window_fence(data->D[i]);
    return HF_OK;
}

hf_status hf_distributed_open_arrays(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                     struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    hf_status status = HF_OK;
    if (self->exact != NULL) status = hf_exact_sums_begin(self->exact, data->jobs.n, error);
    if (status == HF_OK) status = make_lists(self, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    for (int i = 0; i < data->jobs.n; i++) {
        HF_TRY(provide(data, true, "density blocks", &data->D[i], error));
        HF_TRY(provide(data, job[i].coulomb != NULL, "Coulomb blocks", &data->J[i], error));
        HF_TRY(provide(data, job[i].exchange != NULL, "exchange blocks", &data->K[i], error));
        HF_TRY(fill(self, i, &job[i], error));
    }
    if (self->exact != NULL) status = hf_exact_sums_find_unit(self->exact, error);
cleanup:
    return status;
}

/** Copies the sums of one job to the matrix of the caller; NULL: nothing to do. Collective. */
static hf_status collect(struct hf_fock_builder *self, struct hf_window *sums, double mirror,
                         struct hf_matrix *matrix, struct hf_error *error)
{
    const struct hf_distributed *data = self->data;
    if (matrix == NULL) return HF_OK;
    hf_window_fence(sums);
    hf_mix_own_blocks(self->pairs->basis, true, data->layout, hf_window_local(sums));
    return hf_matrix_set_blocks(matrix, data->layout, hf_window_local(sums), mirror, HF_OK, error);
}

hf_status hf_distributed_collect(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                 struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    for (int i = 0; i < data->jobs.n; i++) {
        HF_CHECK(collect(self, data->J[i], 1.0, job[i].coulomb, error));
        HF_CHECK(collect(self, data->K[i], hf_mirror_factor(data->jobs.n_antisymmetric, i),
                         job[i].exchange, error));
    }
    return HF_OK;
}

void hf_distributed_destroy_arrays(struct hf_distributed *data)
{
    for (int i = 0; i < data->n_array; i++) {
        hf_window_destroy(&data->D[i]);
        hf_window_destroy(&data->J[i]);
        hf_window_destroy(&data->K[i]);
    }
}

void hf_distributed_close_arrays(struct hf_distributed *data, int n_rank, bool failed)
{
    for (int i = 0; failed && i < data->n_array; i++) {
        if (data->J[i] != NULL) hf_window_fence(data->J[i]);
        if (data->K[i] != NULL) hf_window_fence(data->K[i]);
    }
    if (n_rank == 1) hf_distributed_destroy_arrays(data);
    hf_onesided_rest(data->onesided);
}
