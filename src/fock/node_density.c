/* Densities from matrices to the memory of nodes; see node_density.h. */
#include "node_density.h"

#include "fock_private.h"
#include "linalg/matrix_blocks.h"

#include <math.h>
#include <string.h>

/** Doubles for the bounds of all pairs of n shells or atoms, rounded up to cache lines. */
static size_t n_bound(int n)
{
    return ((size_t)n * (size_t)n * HF_N_BOUND + 7) / 8 * 8;
}

void hf_node_density_init(struct hf_node_density *density, struct hf_context *context,
                          const struct hf_basis *merged, const struct hf_block_layout *layout)
{
    *density = (struct hf_node_density){.context = context, .basis = merged, .layout = layout};
    hf_block_traffic_create(context, &density->traffic);
}

hf_status hf_node_density_reserve(struct hf_node_density *density, int n_job,
                                  struct hf_error *error)
{
    const size_t n = (size_t)density->basis->n_function;
    const size_t of_shells = n_bound(density->basis->n_shell);
    const size_t before = of_shells + n_bound(density->basis->n_atom);
    struct hf_context *context = density->context;
    if (n_job <= density->n_room) return HF_OK;
    hf_node_memory_destroy(&density->shared);
    hf_arena_free(&density->blocks);
    density->n_room = 0;
    HF_CHECK(hf_node_memory_create_unset(
        context, HF_MEMORY_MATRIX, "densities of the replicated builder",
        (before + (size_t)n_job * n * n + HF_STRIP_SLACK) * sizeof(double), &density->shared,
        error));
    HF_CHECK(hf_node_blocks_create(context, density->basis, density->layout, density->shared,
                                   &density->blocks, error));
    density->n_room = n_job;
    density->bound = density->shared->data;
    density->atom_bound = density->bound + of_shells;
    density->value = density->bound + before;
    memset(density->value + (size_t)n_job * n * n, 0, HF_STRIP_SLACK * sizeof(double));
    return HF_OK;
}

void hf_node_density_done(struct hf_node_density *density)
{
    hf_node_memory_destroy(&density->shared);
    hf_arena_free(&density->blocks);
    hf_block_traffic_destroy(&density->traffic);
}

/** Raises the bounds of a block's pairs of shells to the elements of job `k`, which were written before. */
static void raise_bounds(const struct hf_node_density *self, int i, int j, int k)
{
    const struct hf_basis *basis = self->basis;
    const int *first = basis->first_shell_of_atom;
    const size_t n = (size_t)basis->n_function, n_shell = (size_t)basis->n_shell;
    const size_t kind = (size_t)hf_group_of_job(&self->jobs, k);
    for (int a = first[i]; a < first[i + 1]; a++) {
        for (int b = first[j]; b < first[j + 1]; b++) {
            const struct hf_shell *shell_a = &basis->shell[a], *shell_b = &basis->shell[b];
            const size_t forth = ((size_t)a * n_shell + (size_t)b) * HF_N_BOUND + kind;
            const size_t back = ((size_t)b * n_shell + (size_t)a) * HF_N_BOUND + kind;
            double largest = self->bound[forth];
            for (int r = 0; r < shell_a->n_function; r++) {
                const double *row = self->value +
                                    ((size_t)k * n + (size_t)(shell_a->first_function + r)) * n +
                                    (size_t)shell_b->first_function;
                for (int c = 0; c < shell_b->n_function; c++) largest = fmax(largest, fabs(row[c]));
            }
            self->bound[forth] = self->bound[back] = largest;
        }
    }
}

/** Zeroes the bounds of a block. */
static void clear_bounds(const struct hf_node_density *self, int i, int j)
{
    const int *first = self->basis->first_shell_of_atom;
    const size_t n_shell = (size_t)self->basis->n_shell;
    for (int a = first[i]; a < first[i + 1]; a++)
        memset(self->bound + ((size_t)a * n_shell + (size_t)first[j]) * HF_N_BOUND, 0,
               (size_t)(first[j + 1] - first[j]) * HF_N_BOUND * sizeof *self->bound);
}

/** Bounds of two atoms from those of their shells. */
static void join_bounds(const struct hf_node_density *self, int i, int j)
{
    const int *first = self->basis->first_shell_of_atom;
    const size_t n_shell = (size_t)self->basis->n_shell, n_atom = (size_t)self->basis->n_atom;
    double *forth = self->atom_bound + ((size_t)i * n_atom + (size_t)j) * HF_N_BOUND;
    double *back = self->atom_bound + ((size_t)j * n_atom + (size_t)i) * HF_N_BOUND;
    double largest[HF_N_BOUND] = {0.0};
    for (int a = first[i]; a < first[i + 1]; a++) {
        const double *row = self->bound + (size_t)a * n_shell * HF_N_BOUND;
        for (int b = first[j]; b < first[j + 1]; b++)
            for (int kind = 0; kind < HF_N_BOUND; kind++)
                largest[kind] = fmax(largest[kind], row[b * HF_N_BOUND + kind]);
    }
    for (int kind = 0; kind < HF_N_BOUND; kind++) forth[kind] = back[kind] = largest[kind];
}

/** Writes block (i,j) of job `k`, and its mirror image; NULL: zeros. */
static void write_block(const struct hf_node_density *self, int i, int j, int k, const double *from)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)basis->n_function;
    const size_t n_row = (size_t)hf_atom_n_function(basis, i);
    const size_t n_column = (size_t)hf_atom_n_function(basis, j);
    const double factor = hf_mirror_factor(self->jobs.n_antisymmetric, k);
    double *to = self->value + (size_t)k * n * n;
    double *at = to + (size_t)hf_atom_first_function(basis, i) * n +
                 (size_t)hf_atom_first_function(basis, j);
    double *mirror = to + (size_t)hf_atom_first_function(basis, j) * n +
                     (size_t)hf_atom_first_function(basis, i);
    for (size_t r = 0; r < n_row; r++)
        for (size_t c = 0; c < n_column; c++) {
            at[r * n + c] = from != NULL ? from[r * n_column + c] : 0.0;
            mirror[c * n + r] = factor * at[r * n + c];
        }
}

/** Transforms an own block of one job to merged functions, and prepares it for exact sums. */
static void prepare_block(const struct hf_node_density *self, int k, const struct hf_own_block *own,
                          double *block)
{
    hf_mix_block(self->basis, false, own->i, own->j, block);
    if (self->exact != NULL)
        hf_exact_sums_meet(self->exact, k, own->i, own->j,
                           hf_mirror_factor(self->jobs.n_antisymmetric, k), block);
}

/** Writes a block of all jobs, planes `stride` apart, with its bounds. */
static void take_block(const struct hf_node_density *self, const struct hf_own_block *block,
                       size_t stride, const double *from)
{
    clear_bounds(self, block->i, block->j);
    if (block->i != block->j) clear_bounds(self, block->j, block->i);
    for (int k = 0; k < self->jobs.n; k++) {
        write_block(self, block->i, block->j, k, from != NULL ? from + (size_t)k * stride : NULL);
        if (from != NULL) raise_bounds(self, block->i, block->j, k);
    }
    join_bounds(self, block->i, block->j);
}

/** Distance from job to job in self->own [doubles]. */
static size_t own_stride(const struct hf_node_density *self)
{
    return hf_portion_size(self->blocks, self->context->rank);
}

/** Reads block (i,j) of all jobs; of the first `n_mirrored` block (j,i) transposed, which is block (i,j) of a
 *  column-major matrix. The two halves of a matrix may differ in the last bits. */
static void read_block(const struct hf_node_density *self, int i, int j, int n_mirrored, double *to)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)basis->n_function;
    const size_t n_row = (size_t)hf_atom_n_function(basis, i);
    const size_t n_column = (size_t)hf_atom_n_function(basis, j);
    const size_t row = (size_t)hf_atom_first_function(basis, i);
    const size_t column = (size_t)hf_atom_first_function(basis, j);
    for (int k = 0; k < self->jobs.n; k++) {
        const double *from = self->value + (size_t)k * n * n;
        for (size_t r = row; r < row + n_row; r++)
            for (size_t c = column; c < column + n_column; c++)
                *to++ = k < n_mirrored ? from[c * n + r] : from[r * n + c];
    }
}

/** Copies a block of all jobs: an own block from self->own, one that this rank forwards from shared memory. */
static void copy_block(const struct hf_node_density *self, size_t b, double *to)
{
    const struct hf_own_block *block = &self->blocks->block[b];
    if (b >= self->blocks->n_own) {
        read_block(self, block->i, block->j, 0, to);
        return;
    }
    for (int k = 0; k < self->jobs.n; k++)
        memcpy(to + (size_t)k * block->size,
               self->own + block->offset + (size_t)k * own_stride(self), block->size * sizeof *to);
}

/** hf_block_traffic_ops.pack: a flag for each block (1: not zero), then the blocks that are not zero. */
static size_t pack(void *data, const struct hf_piece *piece, double *buffer)
{
    const struct hf_node_density *self = data;
    double *to = buffer + (piece->end - piece->begin);
    for (size_t b = piece->begin; b < piece->end; b++) {
        const size_t n = (size_t)self->jobs.n * self->blocks->block[b].size;
        bool any = false;
        copy_block(self, b, to);
        for (size_t x = 0; x < n && !any; x++) any = to[x] != 0.0;
        buffer[b - piece->begin] = any;
        if (any) to += n;
    }
    return (size_t)(to - buffer);
}

/** hf_block_traffic_ops.unpack */
static void unpack(void *data, const struct hf_piece *piece, const double *buffer)
{
    const struct hf_node_density *self = data;
    const double *from = buffer + (piece->end - piece->begin);
    for (size_t b = piece->begin; b < piece->end; b++) {
        const struct hf_own_block *block = &self->blocks->block[b];
        const bool any = buffer[b - piece->begin] != 0.0;
        take_block(self, block, block->size, any ? from : NULL);
        if (any) from += (size_t)self->jobs.n * block->size;
    }
}

static const struct hf_block_traffic_ops traffic_ops = {.pack = pack, .unpack = unpack};

/** Gets the own blocks of all jobs from the matrices of the caller. Collective. */
static hf_status get_own(struct hf_node_density *self, const struct hf_fock_job job[],
                         struct hf_error *error)
{
    const struct hf_node_blocks *blocks = self->blocks;
    const size_t stride = own_stride(self);
    for (int k = 0; k < self->jobs.n; k++) {
        double *own = self->own + (size_t)k * stride;
        HF_CHECK(hf_matrix_get_blocks(job[k].density, self->layout, own, error));
        for (size_t b = 0; b < blocks->n_own; b++) {
            const struct hf_own_block *block = &blocks->block[b];
            prepare_block(self, k, block, own + block->offset);
        }
    }
    return HF_OK;
}

/** Sends own blocks to the memory of all nodes. Collective. */
static hf_status spread(struct hf_node_density *self, const struct hf_fock_job job[],
                        struct hf_error *error)
{
    const struct hf_node_blocks *blocks = self->blocks;
    const size_t stride = own_stride(self);
    struct hf_arena arena = {.memory = self->context->memory,
                             .kind = HF_MEMORY_MATRIX,
                             .label = "own blocks of densities"};
    HF_TAKE(&arena, self->own, (size_t)self->jobs.n * stride);
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK)
        status = hf_block_traffic_begin(&self->traffic, blocks, true, self->jobs.n, &traffic_ops,
                                        self, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    HF_TRY(get_own(self, job, error));
    (void)hf_block_traffic_progress(&self->traffic);
    for (size_t b = 0; b < blocks->n_own; b++)
        take_block(self, &blocks->block[b], stride, self->own + blocks->block[b].offset);
    hf_block_traffic_wait(&self->traffic);
cleanup:
    hf_block_traffic_end(&self->traffic);
    hf_arena_done(&arena);
    self->own = NULL;
    return status;
}

/** On a single node: every rank copies its elements to shared memory, then prepares its own blocks.
 *  Collective. */
static hf_status share(struct hf_node_density *self, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    const size_t n = (size_t)self->basis->n_function;
    const size_t most = (size_t)hf_most_functions_of_atom(self->basis);
    const bool lower = self->lower || self->exact != NULL;
    struct hf_arena arena = {.label = "a block of densities"};
    double *block = HF_TAKE(&arena, block, (size_t)self->jobs.n * most * most);
    hf_status status;
    HF_TRY(hf_agree(self->context->comm, hf_arena_check(&arena, error), error));
    for (int k = 0; k < self->jobs.n; k++)
        hf_matrix_copy_local(job[k].density, self->value + (size_t)k * n * n);
    hf_node_memory_sync(self->shared);
    for (size_t b = 0; b < self->blocks->n_own; b++) {
        const struct hf_own_block *own = &self->blocks->block[b];
        read_block(self, own->i, own->j, lower ? self->jobs.n : self->jobs.n_antisymmetric, block);
        for (int k = 0; k < self->jobs.n; k++)
            prepare_block(self, k, own, block + (size_t)k * own->size);
        take_block(self, own, own->size, block);
    }
cleanup:
    hf_arena_done(&arena);
    return status;
}

/** The largest of the bounds of own blocks, over all ranks. Collective. */
static double find_largest(const struct hf_node_density *self)
{
    const size_t n_atom = (size_t)self->basis->n_atom;
    double largest = 0.0;
    for (size_t b = 0; b < self->blocks->n_own; b++) {
        const struct hf_own_block *block = &self->blocks->block[b];
        const double *own =
            self->atom_bound + ((size_t)block->i * n_atom + (size_t)block->j) * HF_N_BOUND;
        for (int kind = 0; kind < HF_N_BOUND; kind++) largest = fmax(largest, own[kind]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, self->context->comm);
    return largest;
}

double hf_node_density_factor(const struct hf_node_density *density, const struct hf_atom_pair *bra,
                              const struct hf_atom_pair *ket)
{
    const size_t row = (size_t)density->basis->n_atom * HF_N_BOUND;
    const double *of_a = density->atom_bound + (size_t)bra->atom_a * row;
    const double *of_b = density->atom_bound + (size_t)bra->atom_b * row;
    const double *of_c = density->atom_bound + (size_t)ket->atom_a * row;
    const size_t b = (size_t)bra->atom_b * HF_N_BOUND;
    const size_t c = (size_t)ket->atom_a * HF_N_BOUND, d = (size_t)ket->atom_b * HF_N_BOUND;
    double largest = 0.0;
    if (hf_n_coulomb(&density->jobs) > 0)
        largest = fmax(of_a[b + HF_WITH_COULOMB], of_c[d + HF_WITH_COULOMB]);
    for (size_t kind = 0; kind < HF_N_BOUND && density->jobs.n_exchange > 0; kind++)
        largest = fmax(largest, fmax(fmax(of_a[c + kind], of_a[d + kind]),
                                     fmax(of_b[c + kind], of_b[d + kind])));
    return largest;
}

hf_status hf_node_density_gather(struct hf_node_density *density, const struct hf_job_shape *jobs,
                                 const struct hf_fock_job job[], double *largest,
                                 struct hf_error *error)
{
    hf_status status = HF_OK;
    density->jobs = *jobs;
    if (density->exact != NULL)
        HF_TRY(hf_agree(density->context->comm, hf_exact_sums_begin(density->exact, jobs->n, error),
                        error));
    if (density->blocks->n_group == 1)
        HF_TRY(share(density, job, error));
    else
        HF_TRY(spread(density, job, error));
    *largest = find_largest(density);
    if (density->exact != NULL) status = hf_exact_sums_find_unit(density->exact, error);
    hf_node_memory_sync(density->shared);
cleanup:
    return status;
}

double hf_node_density_bytes(double n_function, double n_shell, double n_atom, int n_density)
{
    const double n_bound_of_pairs = HF_N_BOUND * (n_shell * n_shell + n_atom * n_atom);
    return (n_density * n_function * n_function + n_bound_of_pairs) * sizeof(double);
}
