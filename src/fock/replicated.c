/* Fock builder with replicated data: every rank holds the densities and its own J and K, computes
 * the tasks it is given, and one sum over the ranks ends the build (book Fig. 8.2). */
#include "coulomb_exchange.h"
#include "fock_private.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct replicated {
    const struct hf_basis *basis; /**< borrowed */
    pthread_mutex_t *lock;        /**< [n_atom] of the rows of each atom in J and K */
    int n_lock;
    double *shell_density; /**< [n_shell][n_shell] largest |D| of a block, over all densities */
    /* while a build runs */
    int n_job;
    const struct hf_fock_job *job; /**< [n_job] */
    double **storage;              /**< [n_job] D, J and K one after the other */
};

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data == NULL) return;
    hf_memory_release(self->context->memory, data->shell_density);
    for (int i = 0; i < data->n_lock; i++) pthread_mutex_destroy(&data->lock[i]);
    free(data->lock);
    free(data);
    self->data = NULL;
}

/** hf_fock_ops.order: as many kets as fill the batches well, and fewer where that would leave a rank
 *  too few tasks to even out the load. */
static struct hf_task_order order(enum hf_grain grain)
{
    const bool atoms = grain == HF_GRAIN_ATOM_QUARTET;
    return (struct hf_task_order){.grain = grain,
                                  .largest_row = atoms ? HF_MOST_PART_KETS : 1,
                                  .most_slices = HF_MOST_SLICES};
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
    data->basis = self->pairs->basis;
    data->lock = calloc((size_t)data->basis->n_atom + 1, sizeof *data->lock);
    if (data->lock == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the locks of the threads");
    for (; data->n_lock < data->basis->n_atom; data->n_lock++)
        pthread_mutex_init(&data->lock[data->n_lock], NULL);
    return HF_OK;
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

/** hf_sums_target.show: every pair of atoms finds the whole density. */
static void show_density(void *of_thread, int k, struct hf_quartet_blocks *blocks,
                         struct hf_job_blocks job[])
{
    const struct replicated *data = of_thread;
    (void)k;
    blocks->coulomb = blocks->exchange = true;
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->density.columns[x] = data->basis->n_function;
        blocks->n_shell[x] = data->basis->n_shell;
        for (int y = 0; y < HF_N_ATOM; y++) {
            blocks->largest[x][y] = data->shell_density;
            for (int i = 0; i < data->n_job; i++) job[i].density[x][y] = data->storage[i];
        }
    }
}

/** hf_sums_target.add */
static void add_sums(void *of_thread, bool exchange, int row, int column, const double *value,
                     size_t stride)
{
    const struct replicated *data = of_thread;
    const size_t n = (size_t)data->basis->n_function;
    const int n_row = hf_atom_n_function(data->basis, row);
    const int n_column = hf_atom_n_function(data->basis, column);
    const size_t first = (size_t)hf_atom_first_function(data->basis, row) * n +
                         (size_t)hf_atom_first_function(data->basis, column);
    pthread_mutex_lock(&data->lock[row]);
    for (int i = 0; i < data->n_job; i++) {
        if ((exchange ? data->job[i].exchange : data->job[i].coulomb) == NULL) continue;
        const double *from = value + (size_t)i * stride;
        double *to = data->storage[i] + (exchange ? 2 : 1) * n * n + first;
        for (int r = 0; r < n_row; r++, from += n_column, to += n)
            for (int c = 0; c < n_column; c++) to[c] += from[c];
    }
    pthread_mutex_unlock(&data->lock[row]);
}

/** hf_round.run */
static hf_status run(void *builder, struct hf_worker *worker, struct hf_error *error)
{
    struct hf_fock_builder *self = builder;
    struct replicated *data = self->data;
    const struct hf_sums_target target = {.data = data, .show = show_density, .add = add_sums};
    struct hf_coulomb_exchange consumer;
    hf_status status =
        hf_coulomb_exchange_init(&consumer, self->context, self->pairs, self->screening.threshold,
                                 data->n_job, data->job, &target, error);
    if (status == HF_OK)
        status = hf_work_do_all(worker, &hf_coulomb_exchange_consumer, &consumer, error);
    hf_coulomb_exchange_done(&consumer);
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
static void reduce_results(struct hf_fock_builder *self, const struct hf_fock_job job[])
{
    struct replicated *data = self->data;
    const size_t n = (size_t)self->pairs->basis->n_function;
    for (int i = 0; i < data->n_job; i++) {
        double *buffer = data->storage[i], *coulomb = buffer + n * n, *exchange = coulomb + n * n;
        if (job[i].coulomb != NULL) {
            reduce_symmetric(self->context->comm, n, 0.25, coulomb, buffer);
            hf_mix_matrix(data->basis, true, coulomb);
            hf_matrix_set_full(job[i].coulomb, coulomb);
        }
        if (job[i].exchange != NULL) {
            reduce_symmetric(self->context->comm, n, 0.125, exchange, buffer);
            hf_mix_matrix(data->basis, true, exchange);
            hf_matrix_set_full(job[i].exchange, exchange);
        }
    }
}

static void release_jobs(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data->storage != NULL)
        for (int i = 0; i < data->n_job; i++)
            hf_memory_release(self->context->memory, data->storage[i]);
    free(data->storage);
    data->storage = NULL;
    data->n_job = 0;
}

static hf_status allocate_jobs(struct hf_fock_builder *self, int n_job,
                               const struct hf_fock_job job[], struct hf_error *error)
{
    struct replicated *data = self->data;
    const size_t n = (size_t)self->pairs->basis->n_function;
    data->storage = calloc((size_t)n_job, sizeof *data->storage);
    if (data->storage == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock matrices");
    data->n_job = n_job;
    data->job = job;
    for (int i = 0; i < n_job; i++) {
        data->storage[i] = hf_memory_allocate_matrix(self->context->memory, "replicated D, J and K",
                                                     3 * n * n, sizeof(double));
        if (data->storage[i] == NULL)
            return hf_fail(error, HF_NO_RESOURCE,
                           "out of memory for the replicated density, Coulomb and exchange "
                           "matrices (%zu functions)",
                           n);
    }
    return HF_OK;
}

/** The density of a job over the functions of the merged basis. Collective. */
static void gather_density(struct replicated *data, int i)
{
    hf_matrix_gather_full(data->job[i].density, data->storage[i]);
    hf_mix_matrix(data->basis, false, data->storage[i]);
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    hf_status status = allocate_jobs(self, n_job, job, error);
    HF_TRY(hf_agree(self->context->comm, status, error));

    hf_timer_start(timers, &hf_phase_fock_reduce);
    for (int i = 0; i < n_job; i++) gather_density(data, i);
    hf_timer_stop(timers, &hf_phase_fock_reduce);
    find_density_bounds(self);
    HF_TRY(hf_work_run(self->work,
                       &(struct hf_round){.threshold = self->screening.threshold,
                                          .largest = self->screening.max_density,
                                          .run = run,
                                          .data = self},
                       error));

    hf_timer_start(timers, &hf_phase_fock_reduce);
    reduce_results(self, job);
    hf_timer_stop(timers, &hf_phase_fock_reduce);
cleanup:
    release_jobs(self);
    return status;
}

const struct hf_fock_ops hf_fock_replicated = {
    .name = "replicated",
    .about = "every rank holds density, Coulomb and exchange matrix; one sum at the end",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 8.2",
    .order = order,
    .create = create,
    .build = build,
    .destroy = destroy,
};
