/* Fock builder with replicated data: every rank holds the densities and its own J and K, computes
 * the tasks it is given, and one sum over the ranks ends the build (book Fig. 8.2). */
#include "fock_private.h"
#include "quartets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TILE = 16 };

struct replicated {
    double **storage;          /**< [n_job] D, J and K one after the other, while a build runs */
    struct hf_job_blocks *job; /**< [n_job] all atom pairs see the whole of them */
    int n_job;
    double *shell_density; /**< [n_shell][n_shell] largest |D| of a block, over all densities */
};

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data == NULL) return;
    hf_memory_release(self->context->memory, data->shell_density);
    free(data);
    self->data = NULL;
}

/** Kets of a task: as many as fill the batches well, and fewer where that would leave a rank too
 * few tasks to even out the load. */
static int tile_size(const struct hf_fock_builder *self)
{
    enum { TASKS_PER_RANK = 100 };
    if (self->settings.grain != HF_GRAIN_ATOM_QUARTET) return 1;
    const double n_unit = self->pairs->n_atom_pair;
    const double tile = 0.5 * n_unit * n_unit / ((double)TASKS_PER_RANK * self->context->n_rank);
    return tile < 1.0 ? 1 : tile > LARGEST_TILE ? LARGEST_TILE : (int)tile;
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    const size_t n_shell = (size_t)self->pairs->basis->n_shell;
    struct replicated *data = calloc(1, sizeof *data);
    if (data == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock builder");
    self->data = data;
    data->shell_density = hf_memory_allocate_matrix(self->context->memory, "density bounds",
                                                    n_shell * n_shell, sizeof *data->shell_density);
    if (data->shell_density == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the density bounds");
    const struct hf_task_order order = {
        .grain = self->settings.grain, .tile = tile_size(self), .rows = true};
    return hf_task_list_create(self->context, self->pairs, &order, &self->tasks, error);
}

/** Largest |D| over the block of two shells. */
static double block_density(const struct replicated *data, const struct hf_basis *basis, int m,
                            int l)
{
    const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
    const size_t n = (size_t)basis->n_function;
    double largest = 0.0;
    for (int k = 0; k < data->n_job; k++)
        for (int i = 0; i < a->n_function; i++)
            for (int j = 0; j < b->n_function; j++)
                largest = fmax(largest, fabs(data->storage[k][(size_t)(a->first_function + i) * n +
                                                              (size_t)(b->first_function + j)]));
    return largest;
}

static void find_density_bounds(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    const struct hf_basis *basis = self->pairs->basis;
    self->work.max_density = 0.0;
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l <= m; l++) {
            const double largest = block_density(data, basis, m, l);
            data->shell_density[(size_t)m * basis->n_shell + l] = largest;
            data->shell_density[(size_t)l * basis->n_shell + m] = largest;
            self->work.max_density = fmax(self->work.max_density, largest);
        }
    }
}

/** Every pair of atoms finds the whole matrices. */
static struct hf_quartet_blocks whole_matrices(const struct hf_fock_builder *self)
{
    const struct replicated *data = self->data;
    struct hf_quartet_blocks blocks = {
        .n_job = data->n_job, .job = data->job, .coulomb = true, .exchange = true};
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks.n_function[x] = self->pairs->basis->n_function;
        blocks.n_shell[x] = self->pairs->basis->n_shell;
        for (int y = 0; y < HF_N_ATOM; y++) blocks.largest[x][y] = data->shell_density;
    }
    return blocks;
}

/** One atom pair with atom pairs, the dearest task there is. */
static void compute_atom_pairs(struct hf_fock_builder *self, const struct hf_quartet_blocks *blocks,
                               int64_t bra, int64_t ket_begin, int64_t ket_end)
{
    const struct hf_atom_pair *list = self->pairs->atom_pair, *ab = &list[bra];
    const double bound = ab->bound * self->work.max_density;
    struct hf_ket_range kets[LARGEST_TILE];
    int n = 0;
    for (int64_t k = ket_begin; k < ket_end; k++) {
        const struct hf_atom_pair *cd = &list[hf_task_list_unit(self->tasks, k)];
        if (bound * cd->bound >= self->work.threshold)
            kets[n++] = hf_atom_pair_kets(ab, cd, blocks);
    }
    hf_quartets_compute(&self->work, ab->first_pair, ab->first_pair + ab->n_pair, n, kets);
}

/** A task's one bra: an atom pair with atom pairs, a shell pair with a shell pair, or with all. */
static void compute_task(struct hf_fock_builder *self, const struct hf_quartet_blocks *blocks,
                         const struct hf_task *task)
{
    const int64_t bra = hf_task_list_unit(self->tasks, task->bra_begin);
    struct hf_ket_range kets = {.end = bra + 1, .bound = self->pairs->bound, .blocks = blocks};
    if (!task->all_kets) {
        const int64_t ket_end = task->triangle ? task->bra_begin + 1 : task->ket_end;
        if (self->settings.grain == HF_GRAIN_ATOM_QUARTET) {
            compute_atom_pairs(self, blocks, bra, task->ket_begin, ket_end);
            return;
        }
        kets.begin = hf_task_list_unit(self->tasks, task->ket_begin);
        kets.end = kets.begin + 1;
    }
    hf_quartets_compute(&self->work, bra, bra + 1, 1, &kets);
}

static hf_status compute_tasks(struct hf_fock_builder *self, struct hf_error *error)
{
    const struct hf_quartet_blocks blocks = whole_matrices(self);
    hf_status status = HF_OK;
    int64_t index;
    for (int64_t n_done = 1; status == HF_OK && (index = hf_scheduler_next(self->scheduler)) >= 0;
         n_done++) {
        const struct hf_task task = hf_task_list_get(self->tasks, index);
        compute_task(self, &blocks, &task);
        status = hf_fock_look_around(self, n_done, error);
    }
    return status;
}

/** One sum over the ranks of a matrix that is symmetric once its transpose is added: packed, so
 * half of it travels. `packed` is [n(n+1)/2]. Collective. */
static void reduce_symmetric(MPI_Comm comm, size_t n, double factor, double *matrix, double *packed)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            packed[k++] = factor * (matrix[i * n + j] + matrix[j * n + i]);
    hf_sum_over_ranks(comm, k, packed);
    k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = packed[k++];
}

/** Sums J and K over the ranks and hands them to the callers' matrices. Collective. The densities
 * are not needed any more: their memory is the buffer. */
static hf_status reduce_results(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                struct hf_error *error)
{
    struct replicated *data = self->data;
    const size_t n = (size_t)self->pairs->basis->n_function;
    hf_status status = HF_OK;
    for (int i = 0; i < data->n_job; i++) {
        double *buffer = data->storage[i], *coulomb = buffer + n * n, *exchange = coulomb + n * n;
        if (job[i].coulomb != NULL) {
            reduce_symmetric(self->context->comm, n, 0.25, coulomb, buffer);
            HF_TRY(hf_matrix_set_full(job[i].coulomb, coulomb, error));
        }
        if (job[i].exchange != NULL) {
            reduce_symmetric(self->context->comm, n, 0.125, exchange, buffer);
            HF_TRY(hf_matrix_set_full(job[i].exchange, exchange, error));
        }
    }
cleanup:
    return status;
}

static void release_jobs(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data->storage != NULL)
        for (int i = 0; i < data->n_job; i++)
            hf_memory_release(self->context->memory, data->storage[i]);
    free(data->storage);
    free(data->job);
    data->storage = NULL;
    data->job = NULL;
    data->n_job = 0;
}

static hf_status allocate_jobs(struct hf_fock_builder *self, int n_job,
                               const struct hf_fock_job job[], struct hf_error *error)
{
    struct replicated *data = self->data;
    const size_t n = (size_t)self->pairs->basis->n_function;
    data->job = calloc((size_t)n_job, sizeof *data->job);
    data->storage = calloc((size_t)n_job, sizeof *data->storage);
    if (data->job == NULL || data->storage == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock matrices");
    data->n_job = n_job;
    for (int i = 0; i < n_job; i++) {
        double *block = hf_memory_allocate_matrix(self->context->memory, "replicated D, J and K",
                                                  3 * n * n, sizeof *block);
        if (block == NULL)
            return hf_fail(error, HF_NO_RESOURCE,
                           "out of memory for the replicated density, Coulomb and exchange "
                           "matrices (%zu functions)",
                           n);
        data->storage[i] = block;
        for (int x = 0; x < HF_N_ATOM; x++) {
            for (int y = 0; y < HF_N_ATOM; y++) {
                data->job[i].density[x][y] = block;
                if (job[i].coulomb != NULL) data->job[i].coulomb[x][y] = block + n * n;
                if (job[i].exchange != NULL) data->job[i].exchange[x][y] = block + 2 * n * n;
            }
        }
    }
    return HF_OK;
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    hf_status status = allocate_jobs(self, n_job, job, error);
    HF_TRY(hf_agree(self->context->comm, status, error));

    hf_timer_start(timers, HF_PHASE_FOCK_REDUCE);
    for (int i = 0; i < n_job && status == HF_OK; i++)
        status = hf_matrix_gather_full(job[i].density, data->storage[i], error);
    hf_timer_stop(timers, HF_PHASE_FOCK_REDUCE);
    if (status != HF_OK) goto cleanup;
    find_density_bounds(self);
    HF_TRY(hf_fock_run_round(self, compute_tasks, error));

    hf_timer_start(timers, HF_PHASE_FOCK_REDUCE);
    status = reduce_results(self, job, error);
    hf_timer_stop(timers, HF_PHASE_FOCK_REDUCE);
cleanup:
    release_jobs(self);
    return status;
}

const struct hf_fock_ops hf_fock_replicated = {
    .name = "replicated",
    .about = "every rank holds density, Coulomb and exchange matrix; one sum at the end",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 8.2",
    .create = create,
    .build = build,
    .destroy = destroy,
};
