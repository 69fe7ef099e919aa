/* Operations on matrix elements, divided over the threads of a rank: copies, sums, scalar products. */
#include "base/threads.h"
#include "linalg_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/** Local parts of the matrices of a loop, and its factors. */
struct operands {
    double alpha, beta;
    const double *from;
    double *to;
    const struct hf_matrix *shape; /**< `to` as a matrix, for loops that need rows and columns */
    double piece[HF_N_PIECE];      /**< results of the pieces */
};

/** Divides n local elements or columns of a matrix over the threads. Up to half a megabyte, one thread does it in the
 *  time needed to wake the others. */
static void each(const struct hf_matrix *matrix, size_t n,
                 void (*work)(void *, int, struct hf_elements), void *operands)
{
    enum { FEW = 1 << 16 };
    const int n_thread = matrix->linalg->context->n_thread;
    hf_threads_each(hf_local_size(matrix) < FEW ? 1 : n_thread, n, work, operands);
}

static void copy_piece(void *data, int piece, struct hf_elements at)
{
    const struct operands *self = data;
    (void)piece;
    if (at.end > at.begin)
        memmove(self->to + at.begin, self->from + at.begin, (at.end - at.begin) * sizeof *self->to);
}

void hf_matrix_copy(const struct hf_matrix *from, struct hf_matrix *to)
{
    assert(from->n_row == to->n_row && from->n_col == to->n_col &&
           from->local_row == to->local_row && from->local_col == to->local_col);
    struct operands operands = {.from = from->data, .to = to->data};
    each(to, hf_local_size(to), copy_piece, &operands);
}

static void add_piece(void *data, int piece, struct hf_elements at)
{
    const struct operands *self = data;
    (void)piece;
    if (self->beta == 0.0)
        for (size_t i = at.begin; i < at.end; i++) self->to[i] = self->alpha * self->from[i];
    else
        for (size_t i = at.begin; i < at.end; i++)
            self->to[i] = self->alpha * self->from[i] + self->beta * self->to[i];
}

void hf_matrix_add(double alpha, const struct hf_matrix *from, double beta, struct hf_matrix *to)
{
    assert(hf_same_shape(from, to));
    struct operands operands = {.alpha = alpha, .beta = beta, .from = from->data, .to = to->data};
    each(to, hf_local_size(to), add_piece, &operands);
}

/** Adds to some columns of `to`, in tiles, so that neither matrix is read across its whole width for each cache line. */
static void add_transposed_columns(void *data, int piece, struct hf_elements columns)
{
    enum { TILE = 32 };
    const struct operands *self = data;
    const size_t n_row = (size_t)self->shape->n_row, n_col = (size_t)self->shape->n_col;
    (void)piece;
    for (size_t j0 = columns.begin; j0 < columns.end; j0 += TILE) {
        const size_t j1 = columns.end - j0 < TILE ? columns.end : j0 + TILE;
        for (size_t i0 = 0; i0 < n_row; i0 += TILE) {
            const size_t i1 = n_row - i0 < TILE ? n_row : i0 + TILE;
            for (size_t j = j0; j < j1; j++) {
                for (size_t i = i0; i < i1; i++) {
                    double *element = &self->to[j * n_row + i];
                    const double kept = self->beta == 0.0 ? 0.0 : self->beta * *element;
                    *element = self->alpha * self->from[i * n_col + j] + kept;
                }
            }
        }
    }
}

void hf_matrix_add_transposed(double alpha, const struct hf_matrix *from, double beta,
                              struct hf_matrix *to)
{
    static const int one = 1;
    assert(to != from && to->linalg == from->linalg);
    assert(to->n_row == from->n_col && to->n_col == from->n_row);
    if (!to->linalg->inside) return;
    if (to->linalg->parallel) {
        pdgeadd_("T", &to->n_row, &to->n_col, &alpha, from->data, &one, &one, from->descriptor,
                 &beta, to->data, &one, &one, to->descriptor);
        return;
    }
    struct operands operands = {
        .alpha = alpha, .beta = beta, .from = from->data, .to = to->data, .shape = to};
    each(to, (size_t)to->n_col, add_transposed_columns, &operands);
}

void hf_matrix_map(struct hf_matrix *matrix,
                   double (*new_value)(void *data, int row, int column, double value), void *data)
{
    for (int j = 0; j < matrix->local_col; j++) {
        const int column = hf_global_col(matrix, j);
        double *element = matrix->data + (size_t)j * (size_t)matrix->local_row;
        for (int i = 0; i < matrix->local_row; i++)
            element[i] = new_value(data, hf_global_row(matrix, i), column, element[i]);
    }
}

/** Arguments of hf_matrix_divide_differences. */
struct differences {
    struct hf_matrix *matrix;
    int first;
    const double *diagonal;
};

static void divide_columns(void *data, int piece, struct hf_elements columns)
{
    const struct differences *self = data;
    const struct hf_matrix *matrix = self->matrix;
    (void)piece;
    for (size_t j = columns.begin; j < columns.end; j++) {
        const double of_column = self->diagonal[hf_global_col(matrix, (int)j)];
        double *element = matrix->data + j * (size_t)matrix->local_row;
        int i = 0;
        for (; i < matrix->local_row && hf_global_row(matrix, i) < self->first; i++)
            element[i] = 0.0;
        for (; i < matrix->local_row; i++)
            element[i] /= self->diagonal[hf_global_row(matrix, i)] - of_column;
    }
}

void hf_matrix_divide_differences(struct hf_matrix *matrix, int first, const double diagonal[])
{
    struct differences differences = {.matrix = matrix, .first = first, .diagonal = diagonal};
    each(matrix, (size_t)matrix->local_col, divide_columns, &differences);
}

static void to_first(const struct hf_linalg *grid, MPI_Op op, int n, double value[])
{
    if (grid->parallel && grid->inside && n > 0)
        MPI_Reduce(grid->context->rank == 0 ? MPI_IN_PLACE : value, value, n, MPI_DOUBLE, op, 0,
                   grid->members);
}

void hf_linalg_reduce(const struct hf_linalg *linalg, int n_sum, int n_max, double value[])
{
    to_first(linalg, MPI_SUM, n_sum, value);
    to_first(linalg, MPI_MAX, n_max, value + n_sum);
    MPI_Bcast(value, n_sum + n_max, MPI_DOUBLE, 0, linalg->context->comm);
}

/** a . b of a piece, in four independent sums, because a single sum waits for each addition. */
static double dot_one(const double *a, const double *b, struct hf_elements at)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t i = at.begin;
    for (; i + 4 <= at.end; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < at.end; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static void dot_piece(void *data, int piece, struct hf_elements at)
{
    struct operands *self = data;
    self->piece[piece] = dot_one(self->from, self->to, at);
}

double hf_matrix_dot_here(const struct hf_matrix *a, const struct hf_matrix *b)
{
    assert(hf_same_shape(a, b));
    double sum = 0.0;
    struct operands operands = {.from = a->data, .to = b->data};
    each(a, hf_local_size(a), dot_piece, &operands);
    for (int k = 0; k < HF_N_PIECE; k++) sum += operands.piece[k];
    return sum;
}

void hf_matrix_dot(const struct hf_matrix *a, const struct hf_matrix *b, double *result)
{
    *result = hf_matrix_dot_here(a, b);
    hf_linalg_reduce(a->linalg, 1, 0, result);
}

/** Operands of products or sums with several matrices. */
struct several {
    int n;
    const double *a, *const *b, *factor;
    double *to;
    double *piece; /**< [HF_N_PIECE][n] */
};

static void dots_piece(void *data, int piece, struct hf_elements at)
{
    const struct several *self = data;
    double *sum = self->piece + piece * self->n;
    for (int k = 0; k < self->n; k++) sum[k] = dot_one(self->a, self->b[k], at);
}

void hf_matrix_dots_here(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                         double result[])
{
    const double *list[HF_MOST_OPERANDS];
    double piece[HF_N_PIECE * HF_MOST_OPERANDS] = {0.0};
    assert(n <= HF_MOST_OPERANDS);
    for (int k = 0; k < n; k++) {
        assert(hf_same_shape(a, b[k]));
        list[k] = b[k]->data;
    }
    struct several several = {.n = n, .a = a->data, .b = list, .piece = piece};
    each(a, hf_local_size(a), dots_piece, &several);
    for (int k = 0; k < n; k++) {
        result[k] = 0.0;
        for (int i = 0; i < HF_N_PIECE; i++) result[k] += piece[i * n + k];
    }
}

void hf_matrix_dots(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                    double result[])
{
    hf_matrix_dots_here(a, n, b, result);
    hf_linalg_reduce(a->linalg, n, 0, result);
}

/** Works in strips that stay in the first-level cache. */
static void combine_piece(void *data, int piece, struct hf_elements at)
{
    enum { STRIP = 1 << 10 };
    const struct several *self = data;
    (void)piece;
    for (size_t begin = at.begin; begin < at.end; begin += STRIP) {
        const size_t n = at.end - begin < STRIP ? at.end - begin : STRIP;
        double *to = self->to + begin;
        for (size_t i = 0; i < n; i++) to[i] = 0.0;
        for (int k = 0; k < self->n; k++) {
            const double factor = self->factor[k], *from = self->b[k] + begin;
            for (size_t i = 0; i < n; i++) to[i] += factor * from[i];
        }
    }
}

void hf_matrix_combine(int n, const double factor[], const struct hf_matrix *const from[],
                       struct hf_matrix *to)
{
    const double *list[HF_MOST_OPERANDS];
    assert(n <= HF_MOST_OPERANDS);
    for (int k = 0; k < n; k++) {
        assert(from[k] != to && hf_same_shape(from[k], to));
        list[k] = from[k]->data;
    }
    struct several several = {.n = n, .b = list, .factor = factor, .to = to->data};
    each(to, hf_local_size(to), combine_piece, &several);
}

static void max_piece(void *data, int piece, struct hf_elements at)
{
    struct operands *self = data;
    double largest = 0.0;
    for (size_t i = at.begin; i < at.end; i++) {
        const double value = fabs(self->from[i]);
        if (isnan(value)) { /* MPI_MAX may lose a NaN, but not an infinity */
            largest = INFINITY;
            break;
        }
        if (value > largest) largest = value;
    }
    self->piece[piece] = largest;
}

double hf_matrix_max_abs_here(const struct hf_matrix *a)
{
    double largest = 0.0;
    struct operands operands = {.from = a->data};
    each(a, hf_local_size(a), max_piece, &operands);
    for (int k = 0; k < HF_N_PIECE; k++) largest = fmax(largest, operands.piece[k]);
    return largest;
}

void hf_matrix_max_abs(const struct hf_matrix *a, double *result)
{
    *result = hf_matrix_max_abs_here(a);
    hf_linalg_reduce(a->linalg, 0, 1, result);
}
