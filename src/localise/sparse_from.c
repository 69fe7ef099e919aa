/* Matrices in blocks from dense ones, and over merged functions. */
#include "localise/sparse_matrix.h"

#include <string.h>

/** Matrix without blocks: rows in parts of atoms, of which some may have none. Local; NULL: no memory. */
static struct hf_sparse_matrix *create(struct hf_memory *memory, const char *label,
                                       const struct hf_basis *basis, int n_column, bool orbitals)
{
    struct hf_sparse_matrix *sparse = NULL;
    struct hf_arena arena = {.memory = memory, .label = label};
    int *first = HF_TAKE(&arena, first, (size_t)basis->n_atom + 1);
    for (int a = 0; first != NULL && a <= basis->n_atom; a++) {
        const int shell = basis->first_shell_of_atom[a];
        first[a] = shell < basis->n_shell ? basis->shell[shell].first_function : basis->n_function;
    }
    if (first != NULL)
        sparse = hf_sparse_create(memory, label, basis->n_atom, first,
                                  orbitals ? n_column : basis->n_atom, orbitals ? NULL : first);
    hf_arena_done(&arena);
    return sparse;
}

/** Adds the blocks of some rows [n_row][n_column]. Local. */
static void add_rows(struct hf_sparse_matrix *sparse, const struct hf_sparse_choice *choice,
                     int part, double rows[])
{
    const int first = sparse->row_first[part], n_row = sparse->row_first[part + 1] - first;
    const int n_column = sparse->column_first[sparse->n_column_part];
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++) {
            double *value = &rows[(size_t)r * (size_t)n_column + (size_t)c];
            if (choice->row_factor != NULL) *value *= choice->row_factor[first + r];
            if (choice->column_factor != NULL) *value *= choice->column_factor[c];
        }
    for (int c = 0; c < sparse->n_column_part; c++)
        hf_sparse_add(sparse, part, c, choice->threshold, rows + sparse->column_first[c],
                      (size_t)n_column);
}

hf_status hf_sparse_from_matrix(struct hf_context *context, const struct hf_basis *basis,
                                const struct hf_matrix *matrix, bool orbitals,
                                const struct hf_sparse_choice *choice,
                                struct hf_sparse_matrix **sparse, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_column = hf_matrix_n_col(matrix);
    const size_t most = (size_t)hf_most_functions_of_atom(basis) * (size_t)n_column;
    double *rows = hf_memory_allocate(context->memory, "rows of a matrix", most, sizeof *rows);
    *sparse = create(context->memory, choice->label, basis, n_column, orbitals);
    if (rows == NULL || *sparse == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for a %s", choice->label);
    HF_TRY(hf_agree(context->comm, status, error));
    for (int a = 0; a < basis->n_atom; a++) {
        const int first = (*sparse)->row_first[a], n_row = (*sparse)->row_first[a + 1] - first;
        if (n_row == 0 || n_column == 0) continue;
        hf_matrix_gather_rows(matrix, first, n_row, rows);
        hf_broadcast_bytes(context->comm, 0, (size_t)n_row * (size_t)n_column * sizeof *rows, rows);
        add_rows(*sparse, choice, a, rows);
    }
    HF_TRY(hf_agree(context->comm, hf_sparse_finish(*sparse, error), error));
cleanup:
    hf_memory_release(context->memory, rows);
    if (status != HF_OK) hf_sparse_destroy(sparse);
    return status;
}

/** Applies mixings of the functions of a part to a block whose first row is function `first`. */
static void mix_rows(int n_mixing, const struct hf_mixing mixing[], int first, size_t n_column,
                     double block[])
{
    for (int m = 0; m < n_mixing; m++) {
        const double *source = block + (size_t)(mixing[m].function - first) * n_column;
        double *target = block + (size_t)(mixing[m].other - first) * n_column;
        for (size_t x = 0; x < n_column; x++) target[x] += mixing[m].factor * source[x];
    }
}

/** Mixings of functions before `function`; they are in order of atoms. */
static int mixings_before(const struct hf_basis *merged, int function)
{
    int low = 0, high = merged->n_mixing;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (merged->mixing[middle].function < function)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hf_status hf_sparse_mix(const struct hf_basis *merged, const struct hf_sparse_matrix *from,
                        struct hf_sparse_matrix **to, struct hf_error *error)
{
    struct hf_sparse_matrix *mixed = *to =
        hf_sparse_create(from->arena.memory, "mixed functions", from->n_row_part, from->row_first,
                         from->n_column_part, from->column_first);
    for (int k = 0; k < from->n_block; k++) {
        const int c = from->column[k];
        hf_sparse_add(mixed, from->row[k], c, 0.0, from->value + from->offset[k],
                      (size_t)(from->column_first[c + 1] - from->column_first[c]));
    }
    const hf_status status = hf_sparse_finish(mixed, error);
    if (status != HF_OK) {
        hf_sparse_destroy(to);
        return status;
    }
    for (int k = 0; k < mixed->n_block; k++) {
        const int first = mixed->row_first[mixed->row[k]], c = mixed->column[k];
        const int begin = mixings_before(merged, first);
        const int end = mixings_before(merged, mixed->row_first[mixed->row[k] + 1]);
        mix_rows(end - begin, merged->mixing + begin, first,
                 (size_t)(mixed->column_first[c + 1] - mixed->column_first[c]),
                 mixed->value + mixed->offset[k]);
    }
    return HF_OK;
}
