/* Fock builder with replicated data: every rank holds the densities and its own J and K, computes
 * the tasks it is given, and one sum over the ranks ends the build (book Fig. 8.2). */
#include "fock_private.h"
#include "local_sums.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct replicated {
    struct hf_row_locks *locks;
    double *shell_density; /**< [n_shell][n_shell] largest |D| of a block, over all densities */
    double **storage;      /**< [n_job] D, J and K one after the other, while a build runs */
    struct hf_whole_matrices matrices; /**< of the build that runs */
};

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data == NULL) return;
    hf_memory_release(self->context->memory, data->shell_density);
    hf_row_locks_destroy(&data->locks);
    free(data);
    self->data = NULL;
}

/** Kets of a task: as many as fill the batches well, and fewer where that would leave a rank too
 * few tasks to even out the load. */
static int tile_size(const struct hf_fock_builder *self)
{
    enum { TASKS_PER_THREAD = 100 };
    if (self->settings.grain != HF_GRAIN_ATOM_QUARTET) return 1;
    const double n_unit = self->pairs->n_atom_pair;
    const double n_thread = (double)self->context->n_rank * self->n_worker;
    const double tile = 0.5 * n_unit * n_unit / (TASKS_PER_THREAD * n_thread);
    return tile < 1.0 ? 1 : tile > HF_MAX_KET_ATOM_PAIRS ? HF_MAX_KET_ATOM_PAIRS : (int)tile;
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
    if (self->n_worker > 1) {
        data->locks = hf_row_locks_create(self->pairs->basis->n_atom);
        if (data->locks == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for the locks of the threads");
    }
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
    for (int k = 0; k < data->matrices.n_job; k++)
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
    self->screening.max_density = 0.0;
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l <= m; l++) {
            const double largest = block_density(data, basis, m, l);
            data->shell_density[(size_t)m * basis->n_shell + l] = largest;
            data->shell_density[(size_t)l * basis->n_shell + m] = largest;
            self->screening.max_density = fmax(self->screening.max_density, largest);
        }
    }
}

/** What a task, or part of one, computes: shell pairs of one pair of atoms with those of others. */
struct task_part {
    const struct hf_atom_pair *bra;
    int64_t bra_begin, bra_end;
    int n;
    const struct hf_atom_pair *ket[HF_MAX_KET_ATOM_PAIRS];
    struct hf_ket_range range[HF_MAX_KET_ATOM_PAIRS]; /**< without their blocks */
};

/** Adds the shell pairs begin .. end-1 of a pair of atoms unless all together are negligible. */
static void add_kets(const struct hf_fock_builder *self, const struct hf_atom_pair *ket,
                     int64_t begin, int64_t end, struct task_part *part)
{
    if (part->bra->bound * ket->bound < hf_fock_least_bound(self)) return;
    struct hf_ket_range *range = &part->range[part->n];
    *range = hf_atom_pair_kets(part->bra, ket, NULL);
    if (begin > range->begin) range->begin = begin;
    if (end < range->end) range->end = end;
    part->ket[part->n++] = ket;
}

/** Part `index` of a task, which has several where its bra meets all pairs of atoms; false: the
 * task has no such part. The parts do not change from build to build while there is a store. */
static bool find_part(const struct hf_fock_builder *self, const struct hf_task *task, int32_t index,
                      struct task_part *part)
{
    const struct hf_atom_pair *list = self->pairs->atom_pair;
    const int64_t bra = hf_task_list_unit(self->tasks, task->bra_begin);
    const bool atoms = self->settings.grain == HF_GRAIN_ATOM_QUARTET;
    const int bra_atoms = atoms ? (int)bra : hf_atom_pair_of(self->pairs, bra);
    *part = (struct task_part){.bra = &list[bra_atoms], .bra_begin = bra, .bra_end = bra + 1};
    if (task->all_kets) {
        const int begin = index * HF_MAX_KET_ATOM_PAIRS;
        if (begin > bra_atoms) return false;
        for (int k = begin; k <= bra_atoms && k < begin + HF_MAX_KET_ATOM_PAIRS; k++)
            add_kets(self, &list[k], 0, bra + 1, part);
        return true;
    }
    if (index > 0) return false;
    const int64_t ket_end = task->triangle ? task->bra_begin + 1 : task->ket_end;
    if (!atoms) {
        const int64_t ket = hf_task_list_unit(self->tasks, task->ket_begin);
        add_kets(self, &list[hf_atom_pair_of(self->pairs, ket)], ket, ket + 1, part);
        part->range[0].triangle = false;
        return true;
    }
    part->bra_begin = part->bra->first_pair;
    part->bra_end = part->bra_begin + part->bra->n_pair;
    for (int64_t k = task->ket_begin; k < ket_end; k++)
        add_kets(self, &list[hf_task_list_unit(self->tasks, k)], 0, INT64_MAX, part);
    return true;
}

/** Begins the sums of a part and lets its kets know where they are. */
static void begin_part(struct hf_local_sums *sums, struct task_part *part)
{
    const struct hf_quartet_blocks *blocks =
        hf_local_sums_begin(sums, part->bra, part->n, part->ket);
    for (int k = 0; k < part->n; k++) part->range[k].blocks = &blocks[k];
}

static hf_status compute_task(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                              struct hf_local_sums *sums, int64_t index, struct hf_error *error)
{
    const struct hf_task task = hf_task_list_get(self->tasks, index);
    struct task_part part;
    for (int32_t i = 0; find_part(self, &task, i, &part); i++) {
        if (part.n == 0) continue;
        const hf_status status = hf_fock_begin_segment(worker, index, i, error);
        if (status != HF_OK) return status;
        begin_part(sums, &part);
        hf_quartets_compute(&worker->work, part.bra_begin, part.bra_end, part.n, part.range);
        hf_local_sums_end(sums);
    }
    return hf_fock_check_store(worker, error);
}

/** The quartets that this rank has stored; any thread may read what another one stored. */
static void read_segments(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                          struct hf_local_sums *sums)
{
    struct hf_store_segment segment;
    const struct hf_integral_store *store;
    while ((store = hf_fock_next_segment(self, &segment)) != NULL) {
        const struct hf_task task = hf_task_list_get(self->tasks, segment.task);
        struct task_part part;
        find_part(self, &task, segment.part, &part);
        begin_part(sums, &part);
        hf_quartets_read(&worker->work, store, &segment, part.range);
        hf_local_sums_end(sums);
    }
}

/** What one thread does in a build. */
static hf_status compute_tasks(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                               struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_local_sums *sums = NULL;
    hf_status status = hf_local_sums_create(self->context, &data->matrices, &sums, error);
    if (status == HF_OK) read_segments(self, worker, sums);
    int64_t index;
    while (hf_fock_next_task(self, &status, &index, error) && status == HF_OK)
        status = compute_task(self, worker, sums, index, error);
    hf_local_sums_destroy(&sums);
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
    for (int i = 0; i < data->matrices.n_job; i++) {
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
        for (int i = 0; i < data->matrices.n_job; i++)
            hf_memory_release(self->context->memory, data->storage[i]);
    free(data->storage);
    free(data->matrices.density);
    data->storage = NULL;
    data->matrices = (struct hf_whole_matrices){0};
}

static hf_status allocate_jobs(struct hf_fock_builder *self, int n_job,
                               const struct hf_fock_job job[], struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_whole_matrices *matrices = &data->matrices;
    const size_t n = (size_t)self->pairs->basis->n_function;
    *matrices = (struct hf_whole_matrices){
        .basis = self->pairs->basis, .shell_density = data->shell_density, .locks = data->locks};
    data->storage = calloc((size_t)n_job, sizeof *data->storage);
    matrices->density = calloc(3 * (size_t)n_job, sizeof *matrices->density);
    if (data->storage == NULL || matrices->density == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock matrices");
    matrices->n_job = n_job;
    matrices->coulomb = matrices->density + n_job;
    matrices->exchange = matrices->coulomb + n_job;
    for (int i = 0; i < n_job; i++) {
        double *block = hf_memory_allocate_matrix(self->context->memory, "replicated D, J and K",
                                                  3 * n * n, sizeof *block);
        if (block == NULL)
            return hf_fail(error, HF_NO_RESOURCE,
                           "out of memory for the replicated density, Coulomb and exchange "
                           "matrices (%zu functions)",
                           n);
        data->storage[i] = matrices->density[i] = block;
        if (job[i].coulomb != NULL) matrices->coulomb[i] = block + n * n;
        if (job[i].exchange != NULL) matrices->exchange[i] = block + 2 * n * n;
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
    HF_TRY(hf_agree(self->context->comm, hf_fock_prepare_store(self, error), error));
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
