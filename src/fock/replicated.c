/* Fock builder with replicated data: every node holds the densities and every rank its own J and K,
 * computes the tasks it is given, and one sum over the ranks ends the build (book Fig. 8.2). */
#include "coulomb_exchange.h"
#include "fock_private.h"
#include "hf/node_memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct replicated {
    const struct hf_basis *basis; /**< borrowed */
    pthread_mutex_t *lock;        /**< [n_atom] of the rows of each atom in J and K */
    int n_lock;
    struct hf_node_memory *shared; /**< shell_density, then densities */
    int n_density;                 /**< it has room for */
    double *shell_density;         /**< [n_shell][n_shell][HF_N_BOUND] largest |D| of a block */
    double *density;               /**< [n_job][n][n], the same for all ranks of a node */
    /* while a build runs */
    struct hf_job_shape jobs;
    const struct hf_fock_job *job; /**< [jobs.n] */
    double **coulomb,
        **exchange; /**< [jobs.n] sums over functions of the merged basis; NULL where not
                                        wanted */
};

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data == NULL) return;
    hf_node_memory_destroy(&data->shared);
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

/** Room for the densities of a build, kept for the next ones: windows are dear to make. Collective. */
static hf_status share_densities(struct hf_fock_builder *self, int n_job, struct hf_error *error)
{
    struct replicated *data = self->data;
    const size_t n = (size_t)data->basis->n_function, n_shell = (size_t)data->basis->n_shell;
    const size_t n_bound = (n_shell * n_shell * HF_N_BOUND + 7) / 8 * 8; /* whole cache lines */
    if (n_job <= data->n_density) return HF_OK;
    hf_node_memory_destroy(&data->shared);
    data->n_density = 0;
    const hf_status status = hf_node_memory_create(
        self->context, HF_MEMORY_MATRIX, "densities of the replicated builder",
        (n_bound + (size_t)n_job * n * n + HF_STRIP_SLACK) * sizeof(double), &data->shared, error);
    if (status != HF_OK) return status;
    data->n_density = n_job;
    if (data->shared->refused)
        self->note = "no memory shared by the ranks of a node: each holds the densities";
    data->shell_density = data->shared->data;
    data->density = data->shell_density + n_bound;
    return HF_OK;
}

/** Local. */
static hf_status make_locks(struct hf_fock_builder *self, struct hf_error *error)
{
    struct replicated *data = calloc(1, sizeof *data);
    if (data == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock builder");
    self->data = data;
    data->basis = self->pairs->basis;
    data->lock = calloc((size_t)data->basis->n_atom + 1, sizeof *data->lock);
    if (data->lock == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the locks of the threads");
    for (; data->n_lock < data->basis->n_atom; data->n_lock++)
        pthread_mutex_init(&data->lock[data->n_lock], NULL);
    return HF_OK;
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    hf_status status;
    HF_TRY(hf_agree(self->context->comm, make_locks(self, error), error));
    HF_TRY(share_densities(self, 1, error));
cleanup:
    return status;
}

/** Largest |D| over the block of two shells, of the densities with J and of those without. */
static void find_block_bounds(const struct replicated *data, const struct hf_basis *basis, int m,
                              int l, double largest[HF_N_BOUND])
{
    const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
    const size_t n = (size_t)basis->n_function;
    for (int kind = 0; kind < HF_N_BOUND; kind++) largest[kind] = 0.0;
    for (int k = 0; k < data->jobs.n; k++) {
        double *of = &largest[hf_group_of_job(&data->jobs, k)];
        for (int i = 0; i < a->n_function; i++) {
            const double *density = data->density +
                                    ((size_t)k * n + (size_t)(a->first_function + i)) * n +
                                    (size_t)b->first_function;
            for (int j = 0; j < b->n_function; j++) *of = fmax(*of, fabs(density[j]));
        }
    }
}

/** The ranks of a node find the bounds of its shells in turns. Collective. */
static void find_density_bounds(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    const struct hf_basis *basis = self->pairs->basis;
    const size_t n_shell = (size_t)basis->n_shell;
    double *bound = data->shell_density;
    self->screening.max_density = 0.0;
    for (int m = data->shared->rank; m < basis->n_shell; m += data->shared->n_rank) {
        for (int l = 0; l <= m; l++) {
            double largest[HF_N_BOUND];
            find_block_bounds(data, basis, m, l, largest);
            for (int kind = 0; kind < HF_N_BOUND; kind++) {
                bound[(m * n_shell + l) * HF_N_BOUND + (size_t)kind] = largest[kind];
                bound[(l * n_shell + m) * HF_N_BOUND + (size_t)kind] = largest[kind];
                self->screening.max_density = fmax(self->screening.max_density, largest[kind]);
            }
        }
    }
    /* over all ranks: nodes of different processors may differ in the last bit */
    MPI_Allreduce(MPI_IN_PLACE, &self->screening.max_density, 1, MPI_DOUBLE, MPI_MAX,
                  self->context->comm);
    hf_node_memory_sync(data->shared);
}

/** hf_sums_target.show: every pair of atoms finds its block in the whole density. */
static void show_density(void *of_thread, int k, struct hf_quartet_blocks *blocks)
{
    const struct replicated *data = of_thread;
    const struct hf_basis *basis = data->basis;
    const size_t n = (size_t)basis->n_function, n_shell = (size_t)basis->n_shell;
    size_t first[HF_N_ATOM], first_shell[HF_N_ATOM];
    (void)k;
    blocks->has_coulomb = blocks->has_exchange = true;
    for (int x = 0; x < HF_N_ATOM; x++) {
        first[x] = (size_t)hf_atom_first_function(basis, blocks->atom[x]);
        first_shell[x] = (size_t)basis->first_shell_of_atom[blocks->atom[x]];
        blocks->density_columns[x] = basis->n_function;
        blocks->largest_columns[x] = basis->n_shell;
    }
    for (int x = 0; x < HF_N_ATOM; x++) {
        for (int y = 0; y < HF_N_ATOM; y++) {
            blocks->largest[x][y] =
                data->shell_density + (first_shell[x] * n_shell + first_shell[y]) * HF_N_BOUND;
            blocks->density[x][y] = data->density + first[x] * n + first[y];
            blocks->density_plane[x][y] = n * n;
        }
    }
}

/** Adds a block. */
static void add_block(size_t n, int n_row, int n_column, const double *from, double *to)
{
    for (int r = 0; r < n_row; r++, to += n, from += n_column)
        for (int c = 0; c < n_column; c++) to[c] += from[c];
}

/** hf_sums_target.add */
static void add_sums(void *of_thread, bool exchange, int row, int column, const double *value)
{
    const struct replicated *data = of_thread;
    const size_t n = (size_t)data->basis->n_function;
    const int n_row = hf_atom_n_function(data->basis, row);
    const int n_column = hf_atom_n_function(data->basis, column);
    const size_t at = (size_t)hf_atom_first_function(data->basis, row) * n +
                      (size_t)hf_atom_first_function(data->basis, column);
    const int first = exchange ? 0 : data->jobs.first_coulomb;
    const int n_job = exchange ? data->jobs.n_exchange : hf_n_coulomb(&data->jobs);
    double *const *sum = (exchange ? data->exchange : data->coulomb) + first;
    pthread_mutex_lock(&data->lock[row]);
    for (int i = 0; i < n_job; i++)
        add_block(n, n_row, n_column, value + (size_t)i * (size_t)n_row * (size_t)n_column,
                  sum[i] + at);
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
                                 &data->jobs, &target, error);
    consumer.single = self->screening.single;
    if (status == HF_OK)
        status = hf_work_do_all(worker, &hf_coulomb_exchange_consumer, &consumer, error);
    hf_coulomb_exchange_done(&consumer);
    return status;
}

/** One sum over the ranks of a matrix that is symmetric once its transpose is added. Half of it
 * travels, packed into the front of its own memory: no element moves past one that is yet to be
 * read. Collective. */
static void reduce_symmetric(MPI_Comm comm, size_t n, double factor, double *matrix)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * n + j] = factor * (matrix[i * n + j] + matrix[j * n + i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) matrix[k++] = matrix[i * n + j];
    hf_sum_over_ranks(comm, k, matrix);
    for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j-- > 0;) matrix[i * n + j] = matrix[--k];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) matrix[j * n + i] = matrix[i * n + j];
}

/** One of J and K, whose transpose is to be added to it: summed over the ranks and handed to the caller's
 *  matrix. Collective. */
static void reduce_sum(struct hf_fock_builder *self, double factor, double *sum,
                       struct hf_matrix *matrix)
{
    const struct hf_basis *basis = self->pairs->basis;
    if (matrix == NULL) return;
    reduce_symmetric(self->context->comm, (size_t)basis->n_function, factor, sum);
    hf_mix_matrix(basis, true, sum);
    hf_matrix_set_full(matrix, sum);
}

/** Collective. */
static void reduce_results(struct hf_fock_builder *self, const struct hf_fock_job job[])
{
    struct replicated *data = self->data;
    for (int i = 0; i < data->jobs.n; i++) {
        reduce_sum(self, 0.25, data->coulomb[i], job[i].coulomb);
        reduce_sum(self, 0.125, data->exchange[i], job[i].exchange);
    }
}

static void release_jobs(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    for (int i = 0; data->coulomb != NULL && i < 2 * data->jobs.n; i++)
        hf_memory_release(self->context->memory, data->coulomb[i]);
    free(data->coulomb);
    data->coulomb = data->exchange = NULL;
    data->jobs.n = 0;
}

/** Room for the matrix of a job if it is wanted. False: no memory. */
static bool allocate_sum(struct hf_fock_builder *self, const struct hf_matrix *wanted, double **sum)
{
    const size_t n = (size_t)self->pairs->basis->n_function;
    if (wanted == NULL) return true;
    *sum =
        hf_memory_allocate_matrix(self->context->memory, "replicated J and K", n * n, sizeof **sum);
    return *sum != NULL;
}

static hf_status allocate_jobs(struct hf_fock_builder *self, int n_job,
                               const struct hf_fock_job job[], struct hf_error *error)
{
    struct replicated *data = self->data;
    data->coulomb = calloc(2 * (size_t)n_job + 1, sizeof *data->coulomb);
    if (data->coulomb == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock matrices");
    data->exchange = data->coulomb + n_job;
    data->jobs = hf_job_shape(n_job, job);
    data->job = job;
    for (int i = 0; i < n_job; i++)
        if (!allocate_sum(self, job[i].coulomb, &data->coulomb[i]) ||
            !allocate_sum(self, job[i].exchange, &data->exchange[i]))
            return hf_fail(error, HF_NO_RESOURCE,
                           "out of memory for the replicated Coulomb and exchange matrices (%d "
                           "functions)",
                           self->pairs->basis->n_function);
    return HF_OK;
}

/** The densities of all jobs. Each comes to every rank where its J or K will stand; the ranks of a node
 *  keep it in parts. Collective. */
static void gather_densities(struct replicated *data)
{
    const size_t n = (size_t)data->basis->n_function, n_job = (size_t)data->jobs.n;
    const size_t rank = (size_t)data->shared->rank, n_rank = (size_t)data->shared->n_rank;
    const size_t begin = n * rank / n_rank * n, end = n * (rank + 1) / n_rank * n;
    for (size_t i = 0; i < n_job; i++) {
        double *whole = data->exchange[i] != NULL ? data->exchange[i] : data->coulomb[i];
        hf_matrix_gather_full(data->job[i].density, whole);
        hf_mix_matrix(data->basis, false, whole);
        memcpy(data->density + i * n * n + begin, whole + begin, (end - begin) * sizeof *whole);
        memset(whole, 0, n * n * sizeof *whole);
    }
    hf_node_memory_sync(data->shared);
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    hf_status status = allocate_jobs(self, n_job, job, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    HF_TRY(share_densities(self, n_job, error));

    hf_timer_start(timers, &hf_phase_fock_reduce);
    gather_densities(data);
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

/** hf_fock_ops.memory: J and K of a rank; densities and their bounds by shells of a node. */
static struct hf_fock_memory memory(const struct hf_fock_size *size)
{
    const double n = size->n_function, n_shell = size->n_shell;
    const double n_sum = size->n_density + size->n_coulomb;
    return (struct hf_fock_memory){
        .of_rank = n_sum * n * n * sizeof(double),
        .of_node = (size->n_density * n * n + HF_N_BOUND * n_shell * n_shell) * sizeof(double)};
}

const struct hf_fock_ops hf_fock_replicated = {
    .name = "replicated",
    .about =
        "every rank holds Coulomb and exchange matrix, every node the density; one sum at the end",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 8.2",
    .memory = memory,
    .order = order,
    .create = create,
    .build = build,
    .destroy = destroy,
};
