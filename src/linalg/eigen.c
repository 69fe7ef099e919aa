/* Eigenvalues and eigenvectors of symmetric matrices, with fixed signs and a check of the result. eigen_solve.c has
 * the steps of the solution. */
#include "linalg_private.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/** Relative tolerance of a check, times the order: far above rounding errors, far below errors that matter. */
static const double EIGEN_TOLERANCE = 1e-11;

enum { MOST_COLUMNS = 1 << 10 };

/** Columns first .. first+n-1, and the components that decide their signs. */
struct column_signs {
    int first, n;
    double largest[MOST_COLUMNS]; /**< largest modulus in the column */
    int decides
        /** 2 times the row of the deciding component, plus 1 if the component is negative */
        [MOST_COLUMNS];
};

/** Number of local column j among the columns of `signs`; -1: it is not one of them. */
static int place_of(const struct hf_matrix *z, const struct column_signs *signs, int j)
{
    const int place = hf_global_col(z, j) - signs->first;
    return place >= 0 && place < signs->n ? place : -1;
}

/** Finds the component that decides each column's sign. Collective over the grid. */
static void find_signs(const struct hf_matrix *z, struct column_signs *signs)
{
    const struct hf_linalg *grid = z->linalg;
    const size_t n_row = (size_t)z->local_row;
    for (int k = 0; k < signs->n; k++) {
        signs->largest[k] = 0.0;
        signs->decides[k] = INT_MAX;
    }
    for (int j = 0; j < z->local_col; j++) {
        const int k = place_of(z, signs, j);
        for (size_t i = 0; k >= 0 && i < n_row; i++) {
            const double value = fabs(z->data[(size_t)j * n_row + i]);
            if (value > signs->largest[k]) signs->largest[k] = value;
        }
    }
    if (grid->parallel)
        MPI_Allreduce(MPI_IN_PLACE, signs->largest, signs->n, MPI_DOUBLE, MPI_MAX, grid->members);
    for (int j = 0; j < z->local_col; j++) {
        const int k = place_of(z, signs, j);
        const double *column = z->data + (size_t)j * n_row;
        int i = 0;
        if (k < 0) continue;
        while (i < z->local_row && fabs(column[i]) < (1.0 - 1e-6) * signs->largest[k]) i++;
        if (i < z->local_row) signs->decides[k] = 2 * hf_global_row(z, i) + (column[i] < 0.0);
    }
    if (grid->parallel)
        MPI_Allreduce(MPI_IN_PLACE, signs->decides, signs->n, MPI_INT, MPI_MIN, grid->members);
}

/** Makes the component of largest modulus of every column positive. If several are nearly equal, the first one
 *  counts, so that rounding does not decide. */
static void fix_signs(struct hf_matrix *z)
{
    struct column_signs signs;
    if (!z->linalg->inside) return;
    for (signs.first = 0; signs.first < z->n_col; signs.first += MOST_COLUMNS) {
        const int left = z->n_col - signs.first;
        signs.n = left < MOST_COLUMNS ? left : MOST_COLUMNS;
        find_signs(z, &signs);
        for (int j = 0; j < z->local_col; j++) {
            const int k = place_of(z, &signs, j);
            double *column = z->data + (size_t)j * (size_t)z->local_row;
            if (k < 0 || signs.decides[k] % 2 == 0) continue;
            for (int i = 0; i < z->local_row; i++) column[i] = -column[i];
        }
    }
}

/** Data for a check of the results, computed before the matrix A is destroyed: random vectors x, A x, the trace and
 *  the sum of squares of A. Eigenvectors are right if Z^T Z y = y and Z^T A x = e Z^T x. Eigenvalues are complete if
 *  their sum and the sum of their squares agree with the trace and the squares of A. This costs order n^2 operations
 *  and no copy of the matrix. */
struct probe {
    struct hf_matrix *x, *a_x; /**< n x N_PROBE */
    double trace, squares;
};
enum { N_PROBE = 2 };

/** A number in [-1, 1) computed from i alone (the finaliser of splitmix64). */
static double scattered(uint64_t i)
{
    uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((bits ^ (bits >> 31)) >> 11) / 4503599627370496.0 - 1.0;
}

/** Trace and sum of squares of a matrix given by its lower triangle. Collective. */
static void probe_sums(const struct hf_matrix *a, struct probe *probe)
{
    double sum[2] = {0.0, 0.0};
    for (int j = 0; j < a->local_col; j++) {
        const double *column = a->data + (size_t)j * (size_t)a->local_row;
        const int global = hf_global_col(a, j);
        for (int i = 0; i < a->local_row; i++) {
            const int row = hf_global_row(a, i);
            if (row < global) continue;
            sum[1] += (row == global ? 1.0 : 2.0) * column[i] * column[i];
            if (row == global) sum[0] += column[i];
        }
    }
    hf_linalg_reduce(a->linalg, 2, 0, sum);
    probe->trace = sum[0];
    probe->squares = sum[1];
}

/** Prepares the check. Fails if the lower triangle is not finite, because then its sum of squares is not finite.
 *  Collective. */
static hf_status probe_take(const struct hf_matrix *a, struct probe *probe, struct hf_error *error)
{
    struct hf_linalg *grid = a->linalg;
    const char *label = "eigenvector check";
    const int n = a->n_row;
    hf_status status;
    const struct hf_new_matrix list[] = {{&probe->x, n, N_PROBE}, {&probe->a_x, n, N_PROBE}};
    HF_TRY(hf_matrix_create_several(grid, label, 2, list, error));
    for (int j = 0; j < probe->x->local_col; j++)
        for (int i = 0; i < probe->x->local_row; i++)
            probe->x->data[(size_t)j * (size_t)probe->x->local_row + (size_t)i] =
                scattered((uint64_t)hf_global_col(probe->x, j) * (uint64_t)n +
                          (uint64_t)hf_global_row(probe->x, i));
    hf_matrix_multiply_symmetric(a, probe->x, probe->a_x);
    probe_sums(a, probe);
    if (!isfinite(probe->squares))
        status = hf_fail(error, HF_NO_RESOURCE,
                         "a matrix to be diagonalised has elements that are not finite");
cleanup:
    return status;
}

/** error_of[0] = max |Z^T Z y - y| and error_of[1] = max |Z^T A x - e y| for y = Z^T x. Collective. */
static hf_status probe_vectors(const struct probe *probe, const double eigenvalue[],
                               const struct hf_matrix *z, double error_of[2],
                               struct hf_error *error)
{
    const char *label = "eigenvector check";
    struct hf_linalg *grid = z->linalg;
    struct hf_matrix *y = NULL, *z_y = NULL, *difference = NULL;
    hf_status status;
    const struct hf_new_matrix list[] = {
        {&y, z->n_col, N_PROBE}, {&difference, z->n_col, N_PROBE}, {&z_y, z->n_row, N_PROBE}};
    HF_TRY(hf_matrix_create_several(grid, label, 3, list, error));
    hf_matrix_multiply(1.0, true, z, false, probe->x, 0.0, y);
    hf_matrix_multiply(1.0, false, z, false, y, 0.0, z_y);
    hf_matrix_copy(y, difference);
    hf_matrix_multiply(1.0, true, z, false, z_y, -1.0, difference);
    for (int j = 0; j < y->local_col; j++)
        for (int i = 0; i < y->local_row; i++)
            y->data[(size_t)j * (size_t)y->local_row + (size_t)i] *=
                eigenvalue[hf_global_row(y, i)];
    hf_matrix_multiply(1.0, true, z, false, probe->a_x, -1.0, y);
    error_of[0] = hf_matrix_max_abs_here(difference);
    error_of[1] = hf_matrix_max_abs_here(y);
    hf_linalg_reduce(grid, 0, 2, error_of);
cleanup:
    hf_matrix_destroy(&difference);
    hf_matrix_destroy(&z_y);
    hf_matrix_destroy(&y);
    return status;
}

/** Fails if the sums of the eigenvalues do not agree with those of the matrix. The same on every rank. */
static hf_status probe_values(const struct probe *probe, int n, const double eigenvalue[],
                              double scale, struct hf_error *error)
{
    double trace = -probe->trace, squares = -probe->squares;
    for (int k = 0; k < n; k++) {
        trace += eigenvalue[k];
        squares += eigenvalue[k] * eigenvalue[k];
    }
    const double tolerance = EIGEN_TOLERANCE * (10.0 + n);
    const double off = fmax(fabs(trace), fabs(squares) / scale) / scale;
    if (off < tolerance && isfinite(trace)) return HF_OK; /* false for NaN */
    return hf_fail(error, HF_NO_RESOURCE,
                   "the eigenvalues of a matrix of order %d are wrong: sums off by %.1e", n, off);
}

/** Fails if eigenvalues and eigenvectors do not pass the check. Collective. */
static hf_status probe_check(const struct probe *probe, int n, const double eigenvalue[],
                             const struct hf_matrix *z, struct hf_error *error)
{
    const double tolerance = EIGEN_TOLERANCE * (10.0 + n);
    double error_of[2], scale = sqrt(probe->squares / n);
    hf_status status;
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(eigenvalue[k]));
    if (!(scale > 0.0)) scale = 1.0;
    HF_TRY(probe_values(probe, n, eigenvalue, scale, error));
    if (z == NULL) return HF_OK;
    HF_TRY(probe_vectors(probe, eigenvalue, z, error_of, error));
    const double orthogonality = error_of[0], residual = error_of[1] / scale;
    if (!(residual < tolerance && orthogonality < tolerance)) /* also true for NaN */
        status = hf_fail(error, HF_NO_RESOURCE,
                         "the eigenvectors of a matrix of order %d are wrong: residual %.1e, "
                         "orthogonality %.1e (%s)",
                         n, residual, orthogonality, hf_linalg_description(z->linalg));
cleanup:
    return status;
}

hf_status hf_matrix_eigen(struct hf_matrix *symmetric, double eigenvalue[],
                          struct hf_matrix *vector, struct hf_error *error)
{
    struct hf_linalg *grid = symmetric->linalg;
    const MPI_Comm comm = grid->context->comm;
    const int n = symmetric->n_row;
    struct probe probe = {0};
    hf_status status = HF_OK;
    assert(n == symmetric->n_col);
    if (vector != NULL && vector->n_col == 0) vector = NULL;
    assert(vector == NULL || (vector->linalg == grid && vector->n_row == n && vector->n_col <= n));
    if (n == 0) return HF_OK;
    HF_TRY(probe_take(symmetric, &probe, error));
    status = hf_eigen_solve(symmetric, eigenvalue, vector, error);
    if (status != HF_OK) eigenvalue[0] = NAN; /* a NaN tells the other ranks of the failure */
    MPI_Bcast(eigenvalue, n, MPI_DOUBLE, 0, comm);
    if (isnan(eigenvalue[0])) HF_TRY(hf_agree(comm, status, error));
    HF_TRY(probe_check(&probe, n, eigenvalue, vector, error));
    if (vector != NULL) fix_signs(vector);
cleanup:
    hf_matrix_destroy(&probe.x);
    hf_matrix_destroy(&probe.a_x);
    return status;
}

hf_status hf_solve_symmetric(int n, double *a, double *b, struct hf_error *error)
{
    int info = 0;
    const int one = 1, n_work = 64 * n;
    struct hf_arena arena = {.label = "a linear system"};
    int *pivot = HF_TAKE(&arena, pivot, (size_t)n);
    double *work = HF_TAKE(&arena, work, (size_t)n_work);
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) dsysv_("L", &n, &one, a, &n, pivot, b, &n, work, &n_work, &info);
    if (info != 0)
        status = hf_fail(error, HF_NO_RESOURCE, "a linear system of order %d is singular", n);
    hf_arena_done(&arena);
    return status;
}
