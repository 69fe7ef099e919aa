/* Reads and writes matrices row by row on rank 0. */
#include "hf/linalg.h"

#include "linalg_private.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum { STRIP_ELEMENTS = 1 << 16 };

void hf_matrix_gather_rows(const struct hf_matrix *matrix, int first, int n, double *rows)
{
    const struct hf_linalg *grid = matrix->linalg;
    const size_t n_col = (size_t)matrix->n_col, count = (size_t)n * n_col;
    assert(first >= 0 && n >= 0 && first + n <= matrix->n_row && count <= INT_MAX);
    if (grid->parallel) memset(rows, 0, count * sizeof *rows);
    for (int i = 0; i < matrix->local_row; i++) {
        const int row = hf_global_row(matrix, i) - first;
        if (row < 0 || row >= n) continue;
        for (int j = 0; j < matrix->local_col; j++)
            rows[(size_t)row * n_col + (size_t)hf_global_col(matrix, j)] =
                matrix->data[(size_t)j * (size_t)matrix->local_row + (size_t)i];
    }
    if (grid->parallel) /* exact, because each element is on one rank */
        MPI_Reduce(grid->context->rank == 0 ? MPI_IN_PLACE : rows, rows, (int)count, MPI_DOUBLE,
                   MPI_SUM, 0, grid->context->comm);
}

/** Copies rank 0's rows [n][n_col] to rows first .. first+n-1 of the matrix. Collective. */
static void scatter_rows(struct hf_matrix *matrix, int first, int n, double rows[])
{
    const struct hf_linalg *grid = matrix->linalg;
    const size_t n_col = (size_t)matrix->n_col;
    if (grid->parallel)
        hf_broadcast_bytes(grid->context->comm, 0, (size_t)n * n_col * sizeof *rows, rows);
    for (int i = 0; i < matrix->local_row; i++) {
        const int row = hf_global_row(matrix, i) - first;
        if (row < 0 || row >= n) continue;
        for (int j = 0; j < matrix->local_col; j++)
            matrix->data[(size_t)j * (size_t)matrix->local_row + (size_t)i] =
                rows[(size_t)row * n_col + (size_t)hf_global_col(matrix, j)];
    }
}

/** Rows per strip. A matrix on one rank is passed at once if it is small enough. */
static int strip_rows(const struct hf_matrix *matrix)
{
    const struct hf_linalg *grid = matrix->linalg;
    int n = matrix->n_col > 0 ? STRIP_ELEMENTS / matrix->n_col : matrix->n_row;
    const int share = matrix->n_row / grid->context->n_rank;
    if (grid->parallel && n > share) n = share;
    return n > 0 ? n : 1;
}

/** Passes all rows, to or from `call`. */
static hf_status pass_rows(struct hf_matrix *matrix, bool sending, hf_matrix_rows_function call,
                           void *data, struct hf_error *error)
{
    const struct hf_context *context = matrix->linalg->context;
    const int length = strip_rows(matrix);
    struct hf_arena arena = {
        .memory = context->memory, .kind = HF_MEMORY_MATRIX, .label = "rows of a matrix"};
    double *rows = HF_TAKE(&arena, rows, (size_t)length * (size_t)matrix->n_col);
    hf_status status;
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    for (int first = 0; first < matrix->n_row; first += length) {
        const int rest = matrix->n_row - first, n = rest < length ? rest : length;
        if (sending) hf_matrix_gather_rows(matrix, first, n, rows);
        if (context->rank == 0 && status == HF_OK) status = call(data, first, n, rows, error);
        if (!sending) scatter_rows(matrix, first, n, rows);
    }
    status = hf_agree(context->comm, status, error);
cleanup:
    hf_arena_done(&arena);
    return status;
}

hf_status hf_matrix_send_rows(const struct hf_matrix *matrix, hf_matrix_rows_function take,
                              void *data, struct hf_error *error)
{
    return pass_rows((struct hf_matrix *)matrix, true, take, data, error);
}

hf_status hf_matrix_receive_rows(struct hf_matrix *matrix, hf_matrix_rows_function give, void *data,
                                 struct hf_error *error)
{
    return pass_rows(matrix, false, give, data, error);
}
