/* Matrices: exchange with full arrays, sums, products, scalars. */
#include "linalg_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const struct hf_phase hf_phase_diagonalise = {.name = "Diagonalisation"};
const struct hf_phase hf_phase_linear_algebra = {.name = "Other linear algebra"};

static const int one = 1;

int hf_matrix_n_row(const struct hf_matrix *matrix)
{
    return matrix->n_row;
}

int hf_matrix_n_col(const struct hf_matrix *matrix)
{
    return matrix->n_col;
}

void hf_matrix_set_full(struct hf_matrix *matrix, const double *full)
{
    if (!matrix->linalg->parallel) {
        if (matrix->linalg->inside)
            memcpy(matrix->data, full, hf_local_size(matrix) * sizeof *full);
        return;
    }
    for (int j = 0; j < matrix->local_col; j++) {
        const double *from = full + (size_t)hf_global_col(matrix, j) * (size_t)matrix->n_row;
        double *to = matrix->data + (size_t)j * (size_t)matrix->local_row;
        for (int i = 0; i < matrix->local_row; i++) to[i] = from[hf_global_row(matrix, i)];
    }
}

void hf_matrix_copy_local(const struct hf_matrix *matrix, double *full)
{
    for (int j = 0; j < matrix->local_col; j++) {
        double *to = full + (size_t)hf_global_col(matrix, j) * (size_t)matrix->n_row;
        const double *from = matrix->data + (size_t)j * (size_t)matrix->local_row;
        for (int i = 0; i < matrix->local_row; i++) to[hf_global_row(matrix, i)] = from[i];
    }
}

void hf_matrix_gather_full(const struct hf_matrix *matrix, double *full)
{
    const struct hf_linalg *grid = matrix->linalg;
    const size_t n = (size_t)matrix->n_row * (size_t)matrix->n_col;
    if (!grid->parallel) {
        if (grid->inside) memcpy(full, matrix->data, n * sizeof *full);
        hf_broadcast_bytes(grid->context->comm, 0, n * sizeof *full, full);
        return;
    }
    memset(full, 0, n * sizeof *full);
    hf_matrix_copy_local(matrix, full);
    /* exact, because each element is on one rank */
    hf_sum_over_ranks(grid->context->comm, n, full);
}

void hf_move_matrix(const struct hf_linalg *all, const struct hf_matrix *from, struct hf_matrix *to)
{
    if (all->inside)
        pdgemr2d_(&from->n_row, &from->n_col, from->data, &one, &one, from->descriptor, to->data,
                  &one, &one, to->descriptor, &all->blacs);
}

void hf_matrix_multiply(double alpha, bool transpose_a, const struct hf_matrix *a, bool transpose_b,
                        const struct hf_matrix *b, double beta, struct hf_matrix *c)
{
    const int k = transpose_a ? a->n_row : a->n_col;
    const char *op_a = transpose_a ? "T" : "N", *op_b = transpose_b ? "T" : "N";
    assert(c != a && c != b && c->linalg == a->linalg && c->linalg == b->linalg);
    assert(c->n_row == (transpose_a ? a->n_col : a->n_row) &&
           c->n_col == (transpose_b ? b->n_row : b->n_col) &&
           k == (transpose_b ? b->n_col : b->n_row));
    if (!c->linalg->inside || c->n_row == 0 || c->n_col == 0) return;
    if (c->linalg->parallel) {
        pdgemm_(op_a, op_b, &c->n_row, &c->n_col, &k, &alpha, a->data, &one, &one, a->descriptor,
                b->data, &one, &one, b->descriptor, &beta, c->data, &one, &one, c->descriptor);
        return;
    }
    const int lda = a->n_row > 1 ? a->n_row : 1, ldb = b->n_row > 1 ? b->n_row : 1;
    dgemm_(op_a, op_b, &c->n_row, &c->n_col, &k, &alpha, a->data, &lda, b->data, &ldb, &beta,
           c->data, &c->n_row);
}

void hf_matrix_multiply_unit(const struct hf_matrix *a, const struct hf_matrix *b, int n,
                             struct hf_matrix *c)
{
    const struct hf_linalg *grid = c->linalg;
    const int unit = grid->parallel ? n / grid->block * grid->block : n; /* whole blocks */
    const int from = unit + 1, rest = a->n_col - unit, lda = a->n_row > 1 ? a->n_row : 1;
    const double alpha = 1.0;
    assert(c != a && c != b && n >= 0 && n <= b->n_col && a->n_col == b->n_row);
    assert(c->n_row == a->n_row && c->n_col == b->n_col);
    if (!grid->inside || c->n_row == 0 || c->n_col == 0) return;
    /* local rows and blocks of `a` and `c` are the same */
    for (int j = 0; j < c->local_col; j++) {
        const size_t column = (size_t)j * (size_t)c->local_row, n_row = (size_t)c->local_row;
        if (hf_global_col(c, j) < unit)
            memcpy(c->data + column, a->data + column, n_row * sizeof *c->data);
        else
            memset(c->data + column, 0, n_row * sizeof *c->data);
    }
    if (grid->parallel)
        pdgemm_("N", "N", &c->n_row, &c->n_col, &rest, &alpha, a->data, &one, &from, a->descriptor,
                b->data, &from, &one, b->descriptor, &alpha, c->data, &one, &one, c->descriptor);
    else
        dgemm_("N", "N", &c->n_row, &c->n_col, &rest, &alpha,
               a->data + (size_t)unit * (size_t)a->n_row, &lda, b->data + unit, &b->n_row, &alpha,
               c->data, &c->n_row);
}

/** Computes the product in columns first .. first+width-1, from row `first` on. */
static void multiply_strip(double alpha, bool transpose_a, const struct hf_matrix *a,
                           bool transpose_b, const struct hf_matrix *b, int first, int width,
                           struct hf_matrix *c)
{
    const int n_row = c->n_row - first, k = transpose_a ? a->n_row : a->n_col, at = first + 1;
    const char *op_a = transpose_a ? "T" : "N", *op_b = transpose_b ? "T" : "N";
    const double keep = 0.0;
    if (c->linalg->parallel) {
        pdgemm_(op_a, op_b, &n_row, &width, &k, &alpha, a->data, transpose_a ? &one : &at,
                transpose_a ? &at : &one, a->descriptor, b->data, transpose_b ? &at : &one,
                transpose_b ? &one : &at, b->descriptor, &keep, c->data, &at, &at, c->descriptor);
        return;
    }
    const size_t row = (size_t)first, lda = (size_t)a->n_row, ldb = (size_t)b->n_row;
    dgemm_(op_a, op_b, &n_row, &width, &k, &alpha, a->data + (transpose_a ? row * lda : row),
           &a->n_row, b->data + (transpose_b ? row : row * ldb), &b->n_row, &keep,
           c->data + row * (size_t)c->n_row + row, &c->n_row);
}

/** Copies the elements below a strip to their mirror places right of it. */
static void mirror_strip(struct hf_matrix *c, int first, int width)
{
    const int next = first + width, n_rest = c->n_row - next;
    if (n_rest == 0) return;
    if (c->linalg->parallel) {
        const double keep = 0.0, unit = 1.0;
        const int row = first + 1, col = next + 1;
        pdgeadd_("T", &width, &n_rest, &unit, c->data, &col, &row, c->descriptor, &keep, c->data,
                 &row, &col, c->descriptor);
        return;
    }
    const size_t n = (size_t)c->n_row;
    for (size_t j = (size_t)next; j < n; j++)
        for (size_t i = (size_t)first; i < (size_t)next; i++)
            c->data[j * n + i] = c->data[i * n + j];
}

void hf_matrix_multiply_to_symmetric(double alpha, bool transpose_a, const struct hf_matrix *a,
                                     bool transpose_b, const struct hf_matrix *b,
                                     struct hf_matrix *c)
{
    enum { N_STRIP = 12, N_STRIP_PARALLEL = 6, SMALLEST_STRIP = 64 };
    const struct hf_linalg *grid = c->linalg;
    const int n = c->n_row, inner = transpose_a ? a->n_row : a->n_col;
    const int unit = grid->parallel ? grid->block * grid->n_grid_col : SMALLEST_STRIP;
    const int width = (n / (grid->parallel ? N_STRIP_PARALLEL : N_STRIP) / unit + 1) * unit;
    assert(c->n_col == n && (transpose_a ? a->n_col : a->n_row) == n);
    if (inner == 0 || width >= n) {
        hf_matrix_multiply(alpha, transpose_a, a, transpose_b, b, 0.0, c);
        return;
    }
    if (!grid->inside) return;
    for (int first = 0; first < n; first += width) {
        const int this_width = width < n - first ? width : n - first;
        multiply_strip(alpha, transpose_a, a, transpose_b, b, first, this_width, c);
        mirror_strip(c, first, this_width);
    }
}

void hf_matrix_multiply_symmetric(const struct hf_matrix *a, const struct hf_matrix *from,
                                  struct hf_matrix *to)
{
    const double keep = 0.0, unit = 1.0;
    assert(hf_same_shape(from, to) && a->n_row == a->n_col && a->n_col == from->n_row);
    if (!to->linalg->inside || to->n_row == 0 || to->n_col == 0) return;
    if (to->linalg->parallel)
        pdsymm_("L", "L", &to->n_row, &to->n_col, &unit, a->data, &one, &one, a->descriptor,
                from->data, &one, &one, from->descriptor, &keep, to->data, &one, &one,
                to->descriptor);
    else
        dsymm_("L", "L", &to->n_row, &to->n_col, &unit, a->data, &a->n_row, from->data,
               &from->n_row, &keep, to->data, &to->n_row);
}

void hf_matrix_copy_columns(const struct hf_matrix *from, int from_first, int n,
                            const double *factor, struct hf_matrix *to, int to_first)
{
    const size_t n_row = (size_t)to->n_row;
    assert(to != from && to->linalg == from->linalg && to->n_row == from->n_row);
    assert(from_first >= 0 && n >= 0 && from_first + n <= from->n_col);
    assert(to_first >= 0 && to_first + n <= to->n_col);
    if (!to->linalg->inside || n_row == 0 || n == 0) return;
    if (to->linalg->parallel) {
        const double keep = 0.0, unit = 1.0;
        const int from_column = from_first + 1, to_column = to_first + 1;
        pdgeadd_("N", &to->n_row, &n, &unit, from->data, &one, &from_column, from->descriptor,
                 &keep, to->data, &one, &to_column, to->descriptor);
    } else {
        memcpy(to->data + (size_t)to_first * n_row, from->data + (size_t)from_first * n_row,
               (size_t)n * n_row * sizeof *to->data);
    }
    if (factor == NULL) return;
    for (int j = 0; j < to->local_col; j++) {
        const int column = hf_global_col(to, j) - to_first;
        if (column < 0 || column >= n) continue;
        double *data = to->data + (size_t)j * (size_t)to->local_row;
        for (int i = 0; i < to->local_row; i++) data[i] *= factor[column];
    }
}

void hf_matrix_copy_first_rows(const struct hf_matrix *from, struct hf_matrix *to)
{
    assert(to != from && to->linalg == from->linalg && to->n_col == from->n_col);
    assert(to->n_row <= from->n_row);
    /* blocks of both begin on the same rank, so its rows of `to` are its first rows of `from` */
    for (int j = 0; j < to->local_col; j++)
        memcpy(to->data + (size_t)j * (size_t)to->local_row,
               from->data + (size_t)j * (size_t)from->local_row,
               (size_t)to->local_row * sizeof *to->data);
}

void hf_matrix_diagonal(const struct hf_matrix *matrix, double diagonal[])
{
    const struct hf_linalg *grid = matrix->linalg;
    assert(matrix->n_row == matrix->n_col);
    memset(diagonal, 0, (size_t)matrix->n_row * sizeof *diagonal);
    for (int j = 0, i = 0; j < matrix->local_col; j++) {
        const int column = hf_global_col(matrix, j);
        while (i < matrix->local_row && hf_global_row(matrix, i) < column) i++;
        if (i < matrix->local_row && hf_global_row(matrix, i) == column)
            diagonal[column] = matrix->data[(size_t)j * (size_t)matrix->local_row + (size_t)i];
    }
    /* exact, because each element is on one rank */
    MPI_Allreduce(MPI_IN_PLACE, diagonal, matrix->n_row, MPI_DOUBLE, MPI_SUM, grid->context->comm);
}

/** Sums of the squares of the elements of each row, or of each column. */
static void sum_squares(const struct hf_matrix *matrix, bool of_columns, double sum[])
{
    const size_t n = (size_t)(of_columns ? matrix->n_col : matrix->n_row);
    memset(sum, 0, n * sizeof *sum);
    for (int j = 0; j < matrix->local_col; j++) {
        const double *column = matrix->data + (size_t)j * (size_t)matrix->local_row;
        for (int i = 0; i < matrix->local_row; i++)
            sum[of_columns ? hf_global_col(matrix, j) : hf_global_row(matrix, i)] +=
                column[i] * column[i];
    }
    hf_sum_over_ranks(matrix->linalg->context->comm, n, sum);
}

void hf_matrix_row_squares(const struct hf_matrix *matrix, double sum[])
{
    sum_squares(matrix, false, sum);
}

void hf_matrix_column_squares(const struct hf_matrix *matrix, double sum[])
{
    sum_squares(matrix, true, sum);
}
