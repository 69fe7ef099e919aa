/* Fock builder with replicated data: every rank holds the densities and its own J and K, computes
 * the tasks it is given, and one sum over the ranks ends the build (book Fig. 8.2). */
#include "digest.h"
#include "fock_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct replicated {
    struct hf_engine *engine;
    const struct hf_digest_kernels *digest;
    struct hf_task_list *tasks;
    struct hf_digest_matrices *job; /**< [n_job] while a build runs */
    double **storage;               /**< [n_job] D, J and K one after the other */
    int n_job;
    double *shell_density; /**< [n_shell][n_shell] largest |D| of a block, over all densities */
    double max_density;
};

const struct hf_digest_kernels *hf_digest_kernels_best(void)
{
#ifdef HF_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &hf_digest_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &hf_digest_avx2;
#endif
    return &hf_digest_portable;
}

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data == NULL) return;
    hf_engine_destroy(&data->engine);
    hf_task_list_destroy(&data->tasks);
    hf_memory_release(self->context->memory, data->shell_density);
    free(data);
    self->data = NULL;
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    const size_t n_shell = (size_t)self->pairs->basis->n_shell;
    struct replicated *data = calloc(1, sizeof *data);
    if (data == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock builder");
    self->data = data;
    data->digest = hf_digest_kernels_best();
    data->shell_density = hf_memory_allocate(self->context->memory, "density bounds",
                                             n_shell * n_shell, sizeof *data->shell_density);
    if (data->shell_density == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the density bounds");
    const hf_status status = hf_engine_create(self->pairs, &data->engine, error);
    if (status != HF_OK) return status;
    return hf_task_list_create(self->context, self->pairs, self->settings.grain, &data->tasks,
                               error);
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
                largest =
                    fmax(largest, fabs(data->job[k].density[(size_t)(a->first_function + i) * n +
                                                            b->first_function + j]));
    return largest;
}

static void find_density_bounds(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    const struct hf_basis *basis = self->pairs->basis;
    data->max_density = 0.0;
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l <= m; l++) {
            const double largest = block_density(data, basis, m, l);
            data->shell_density[(size_t)m * basis->n_shell + l] = largest;
            data->shell_density[(size_t)l * basis->n_shell + m] = largest;
            data->max_density = fmax(data->max_density, largest);
        }
    }
}

/** Largest density element a quartet would meet, for J and for K (book Fig. 8.2's six blocks). */
static double quartet_density(const struct hf_fock_builder *self, const struct hf_shell_pair *bra,
                              const struct hf_shell_pair *ket)
{
    const struct replicated *data = self->data;
    const size_t n = (size_t)self->pairs->basis->n_shell;
    const double *a = data->shell_density + (size_t)bra->a * n;
    const double *b = data->shell_density + (size_t)bra->b * n;
    const double coulomb = fmax(a[bra->b], data->shell_density[(size_t)ket->a * n + ket->b]);
    const double exchange = fmax(fmax(a[ket->a], a[ket->b]), fmax(b[ket->a], b[ket->b]));
    return fmax(coulomb, exchange);
}

static void digest_batch(struct hf_fock_builder *self, const struct hf_shell_pair *fixed, int n,
                         const struct hf_shell_pair *const other[])
{
    struct replicated *data = self->data;
    const struct hf_basis *basis = self->pairs->basis;
    const struct hf_integral_batch batch = hf_engine_two_electron(data->engine, fixed, n, other);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *row = batch.fixed_is_row ? fixed : other[i];
        const struct hf_shell_pair *column = batch.fixed_is_row ? other[i] : fixed;
        const int shell[4] = {row->a, row->b, column->a, column->b};
        struct hf_digest_quartet quartet = {.value = batch.value + (size_t)i * batch.stride};
        for (int k = 0; k < 4; k++) {
            quartet.first[k] = basis->shell[shell[k]].first_function;
            quartet.n[k] = basis->shell[shell[k]].n_function;
        }
        quartet.degeneracy = (row->a == row->b ? 1.0 : 2.0) * (column->a == column->b ? 1.0 : 2.0) *
                             (row == column ? 1.0 : 2.0);
        data->digest->digest(&quartet, basis->n_function, data->n_job, data->job);
    }
    self->n_computed += n;
}

/** One pair with the pairs first .. last-1, which are in runs of one class with falling bounds. */
static void compute_pairs(struct hf_fock_builder *self, const struct hf_shell_pair *bra,
                          int64_t first, int64_t last)
{
    const struct replicated *data = self->data;
    const struct hf_shell_pair *list = self->pairs->pair;
    const struct hf_shell_pair *batch[HF_MAX_BATCH];
    int n = 0;
    for (int64_t k = first; k < last; k++) {
        const struct hf_shell_pair *ket = &list[k];
        if (n == HF_MAX_BATCH || (n > 0 && ket->pair_class != batch[0]->pair_class)) {
            digest_batch(self, bra, n, batch);
            n = 0;
        }
        const double bound = bra->bound * ket->bound;
        if (bound * data->max_density < self->threshold) continue;
        if (bound * quartet_density(self, bra, ket) < self->threshold) continue;
        batch[n++] = ket;
    }
    if (n > 0) digest_batch(self, bra, n, batch);
}

/** All shell pairs of one atom pair with all of another, each unordered pair of pairs once. */
static void compute_atom_quartet(struct hf_fock_builder *self, int64_t i, int64_t j)
{
    const struct replicated *data = self->data;
    const struct hf_atom_pair *bra = &self->pairs->atom_pair[i], *ket = &self->pairs->atom_pair[j];
    if (bra->bound * ket->bound * data->max_density < self->threshold) return;
    for (int k = 0; k < bra->n_pair; k++) {
        const struct hf_shell_pair *pair = &self->pairs->pair[bra->first_pair + k];
        if (pair->bound * ket->bound * data->max_density < self->threshold) continue;
        compute_pairs(self, pair, ket->first_pair,
                      ket->first_pair + (i == j ? k + 1 : ket->n_pair));
    }
}

static void compute_task(struct hf_fock_builder *self, const struct hf_task *task)
{
    const struct hf_shell_pair *pair = self->pairs->pair;
    if (self->settings.grain == HF_GRAIN_ATOM_QUARTET)
        compute_atom_quartet(self, task->bra, task->ket);
    else if (task->all_kets)
        compute_pairs(self, &pair[task->bra], 0, task->bra + 1);
    else
        compute_pairs(self, &pair[task->bra], task->ket, task->ket + 1);
}

/** Takes and computes tasks until there are none; HF_INTERRUPTED when progress says so. */
static hf_status compute_tasks(struct hf_fock_builder *self, struct hf_error *error)
{
    enum { TASKS_PER_LOOK = 64 };
    struct replicated *data = self->data;
    const int64_t n_task = hf_task_list_size(data->tasks);
    const int64_t share = n_task / self->context->n_rank + 1;
    int64_t n_done = 0, index;
    while ((index = hf_scheduler_next(self->scheduler)) >= 0) {
        const struct hf_task task = hf_task_list_get(data->tasks, index);
        compute_task(self, &task);
        if (++n_done % TASKS_PER_LOOK != 0 || self->settings.progress == NULL) continue;
        const double fraction = fmin(1.0, (double)n_done / (double)share);
        const int signal_number = self->settings.progress(self->settings.progress_data, fraction);
        if (signal_number == 0) continue;
        hf_scheduler_abandon(self->scheduler);
        const hf_status status =
            hf_fail(error, HF_INTERRUPTED, "interrupted by signal %d", signal_number);
        if (error != NULL) error->signal_number = signal_number;
        return status;
    }
    return HF_OK;
}

/** Runs the scheduler's round and books its times. Collective. */
static hf_status run_round(struct hf_fock_builder *self, struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    hf_status status = HF_OK;
    HF_TRY(hf_scheduler_start(self->scheduler, hf_task_list_size(data->tasks), NULL, error));
    /* Many primitive quartets make one quartet: together they may drop about what screening may. */
    hf_engine_set_threshold(data->engine, 0.1 * self->threshold);
    const double start = hf_wall_seconds();
    status = compute_tasks(self, error);
    const double seconds = hf_wall_seconds() - start;
    hf_scheduler_finish(self->scheduler);
    const struct hf_schedule_account account = hf_scheduler_account(self->scheduler);
    hf_timer_add(timers, HF_PHASE_FOCK_COMPUTE, seconds - account.wait_seconds);
    hf_timer_add(timers, HF_PHASE_FOCK_WAIT_TASK, account.wait_seconds);
    hf_timer_add(timers, HF_PHASE_FOCK_WAIT_RANKS, account.finish_seconds);
    self->account.n_task = hf_task_list_size(data->tasks);
    status = hf_agree(self->context->comm, status, error);
cleanup:
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
        double *buffer = data->storage[i];
        if (job[i].coulomb != NULL) {
            reduce_symmetric(self->context->comm, n, 0.25, data->job[i].coulomb, buffer);
            HF_TRY(hf_matrix_set_full(job[i].coulomb, data->job[i].coulomb, error));
        }
        if (job[i].exchange != NULL) {
            reduce_symmetric(self->context->comm, n, 0.125, data->job[i].exchange, buffer);
            HF_TRY(hf_matrix_set_full(job[i].exchange, data->job[i].exchange, error));
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
        double *block = hf_memory_allocate(self->context->memory, "replicated D, J and K",
                                           3 * n * n, sizeof *block);
        if (block == NULL)
            return hf_fail(error, HF_NO_RESOURCE,
                           "out of memory for the replicated density, Coulomb and exchange "
                           "matrices (%zu functions)",
                           n);
        data->storage[i] = block;
        data->job[i] = (struct hf_digest_matrices){
            .density = block,
            .coulomb = job[i].coulomb != NULL ? block + n * n : NULL,
            .exchange = job[i].exchange != NULL ? block + 2 * n * n : NULL,
        };
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
    HF_TRY(run_round(self, error));

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
