/* Densities from matrices to the memory of nodes, with bounds. */
#include "two_electron_density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A block of two sites, as hf_mix_block takes it. */
struct site_block {
    size_t row, column; /**< first functions */
    size_t n_row, n_column;
};

static struct site_block block_of(const struct hf_basis *basis, int i, int j)
{
    return (struct site_block){.row = (size_t)hf_atom_first_function(basis, i),
                               .column = (size_t)hf_atom_first_function(basis, j),
                               .n_row = (size_t)hf_atom_n_function(basis, i),
                               .n_column = (size_t)hf_atom_n_function(basis, j)};
}

/** Brings this rank's share of the blocks from published to merged functions. */
static void mix_blocks(const struct hf_gradient_density *self, double *matrix, double *block)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)basis->n_function;
    int64_t number = 0;
    for (int i = 0; i < basis->n_atom; i++)
        for (int j = 0; j <= i; j++) {
            if (number++ % self->shared->n_rank != self->shared->rank) continue;
            const struct site_block at = block_of(basis, i, j);
            double *first = matrix + at.row * n + at.column;
            for (size_t r = 0; r < at.n_row; r++)
                memcpy(block + r * at.n_column, first + r * n, at.n_column * sizeof *block);
            hf_mix_block(basis, false, i, j, block);
            for (size_t r = 0; r < at.n_row; r++)
                for (size_t c = 0; c < at.n_column; c++)
                    matrix[(at.row + r) * n + at.column + c] =
                        matrix[(at.column + c) * n + at.row + r] = block[r * at.n_column + c];
        }
}

/** Largest elements of the blocks of one matrix between ranges of rows and of columns. */
static void find_bounds(const struct hf_node_memory *shared, size_t n_row, const double *matrix,
                        int n, const int first[], double *bound)
{
    for (int i = shared->rank; i < n; i += shared->n_rank)
        for (int j = 0; j < n; j++) {
            double largest = 0.0;
            for (int r = first[i]; r < first[i + 1]; r++)
                for (int c = first[j]; c < first[j + 1]; c++)
                    largest = fmax(largest, fabs(matrix[(size_t)r * n_row + (size_t)c]));
            bound[(size_t)i * (size_t)n + (size_t)j] = largest;
        }
}

/** Shares of all ranks of a node: mixed blocks, then bounds of shells, then of sites. */
static void prepare(struct hf_gradient_density *self, double *block, int *first)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)basis->n_function, n_shell = (size_t)basis->n_shell;
    const size_t n_atom = (size_t)basis->n_atom;
    for (int k = 0; k < self->n_density && basis->first_mixing_of_atom != NULL; k++)
        mix_blocks(self, self->value + (size_t)k * n * n, block);
    hf_node_memory_sync(self->shared);
    for (int s = 0; s < basis->n_shell; s++) first[s] = basis->shell[s].first_function;
    first[basis->n_shell] = basis->n_function;
    for (int k = 0; k < self->n_density; k++)
        find_bounds(self->shared, n, self->value + (size_t)k * n * n, basis->n_shell, first,
                    self->bound + (size_t)k * n_shell * n_shell);
    hf_node_memory_sync(self->shared);
    for (int k = 0; k < self->n_density; k++)
        find_bounds(self->shared, n_shell, self->bound + (size_t)k * n_shell * n_shell,
                    basis->n_atom, basis->first_shell_of_atom,
                    self->atom_bound + (size_t)k * n_atom * n_atom);
    hf_node_memory_sync(self->shared);
}

hf_status hf_gradient_density_init(struct hf_gradient_density *self, struct hf_context *context,
                                   const struct hf_basis *merged, int n_density,
                                   const struct hf_matrix *const density[], struct hf_error *error)
{
    const size_t n = (size_t)merged->n_function, n_shell = (size_t)merged->n_shell;
    const size_t n_atom = (size_t)merged->n_atom, planes = (size_t)n_density;
    const size_t most = (size_t)hf_most_functions_of_atom(merged);
    double *block = malloc(most * most * sizeof *block);
    int *first = malloc((n_shell + 1) * sizeof *first);
    hf_status status = HF_OK;
    *self = (struct hf_gradient_density){.basis = merged, .n_density = n_density};
    if (block == NULL || first == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the densities");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_node_memory_create(context, HF_MEMORY_MATRIX, "densities of the gradient",
                                 planes * (n * n + n_shell * n_shell + n_atom * n_atom) *
                                     sizeof(double),
                                 &self->shared, error));
    self->value = self->shared->data;
    self->bound = self->value + planes * n * n;
    self->atom_bound = self->bound + planes * n_shell * n_shell;
    for (int k = 0; k < n_density; k++)
        hf_matrix_copy_local(density[k], self->value + (size_t)k * n * n);
    hf_node_memory_sum(context, self->shared, planes * n * n, self->value);
    prepare(self, block, first);
cleanup:
    free(block);
    free(first);
    return status;
}

void hf_gradient_density_done(struct hf_gradient_density *self)
{
    hf_node_memory_destroy(&self->shared);
}
