/* Eigenvalues and eigenvectors of symmetric matrices, with fixed signs and a check of the result.
 */
#include "linalg_private.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static hf_status no_memory(struct hf_error *error, int n)
{
    return hf_fail(error, HF_NO_RESOURCE, "out of memory to diagonalise a matrix of order %d", n);
}

/** LAPACK on rank 0; local. The vectors replace the matrix. */
static hf_status eigen_serial(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                              struct hf_error *error)
{
    const int n = a->n_row, query = -1;
    int info = 0, integer_size = 0;
    double size = 0.0;
    if (1.0 + 6.0 * n + 2.0 * n * n > INT32_MAX) /* dsyevd's work space, counted in int */
        return hf_fail(error, HF_NO_RESOURCE,
                       "LAPACK cannot diagonalise a matrix of order %d: use more ranks", n);
    struct hf_memory *memory = a->linalg->context->memory;
    dsyevd_("V", "L", &n, a->data, &n, eigenvalue, &size, &query, &integer_size, &query, &info);
    const int n_work = (int)size, n_integer = integer_size;
    double *work =
        hf_memory_allocate_matrix(memory, "diagonalisation", (size_t)n_work, sizeof *work);
    int *integer =
        hf_memory_allocate(memory, "diagonalisation", (size_t)n_integer, sizeof *integer);
    hf_status status = HF_OK;
    if (work == NULL || integer == NULL) {
        status = no_memory(error, n);
    } else {
        dsyevd_("V", "L", &n, a->data, &n, eigenvalue, work, &n_work, integer, &n_integer, &info);
        if (info != 0)
            status = hf_fail(error, HF_NO_RESOURCE,
                             "LAPACK could not diagonalise a matrix of order %d (dsyevd info %d)",
                             n, info);
        else
            memcpy(vector->data, a->data, hf_local_size(a) * sizeof *a->data);
    }
    hf_memory_release(memory, work);
    hf_memory_release(memory, integer);
    return status;
}

/** Work space for pdsyevd on this rank; local. */
static hf_status query_parallel(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                                int *n_work, int *n_integer, struct hf_error *error)
{
    const struct hf_linalg *grid = a->linalg;
    const int n = a->n_row, one = 1, query = -1, block = grid->block;
    int info = 0, integer_size = 0;
    double size[2] = {0.0, 0.0};
    if (!grid->inside) {
        *n_work = *n_integer = 0;
        return HF_OK;
    }
    pdsyevd_("V", "L", &n, a->data, &one, &one, a->descriptor, eigenvalue, vector->data, &one, &one,
             vector->descriptor, size, &query, &integer_size, &query, &info);
    /* The query is known to ask for too little (pdstedc); the bound is that routine's own need. */
    const double columns = (double)vector->local_col + block;
    const double rows = (double)vector->local_row + block;
    const double least = 6.0 * n + 2.0 * rows * columns + 3.0 * block * (n + block);
    const double wanted = 1.25 * fmax(size[0], least) + 1024.0;
    if (wanted > INT32_MAX) return no_memory(error, n);
    *n_work = (int)wanted;
    *n_integer = integer_size + 8 * n + 1024;
    return HF_OK;
}

/** ScaLAPACK on the ranks of the grid. Collective over all ranks; the status is this rank's. */
static hf_status eigen_parallel(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                                struct hf_error *error)
{
    const struct hf_linalg *grid = a->linalg;
    struct hf_memory *memory = grid->context->memory;
    const int n = a->n_row, one = 1;
    int info = 0, n_work = 0, n_integer = 0;
    double *work = NULL;
    int *integer = NULL;
    hf_status status = query_parallel(a, eigenvalue, vector, &n_work, &n_integer, error);
    if (status == HF_OK) {
        work = hf_memory_allocate_matrix(memory, "diagonalisation", (size_t)n_work, sizeof *work);
        integer = hf_memory_allocate(memory, "diagonalisation", (size_t)n_integer, sizeof *integer);
        if (work == NULL || integer == NULL) status = no_memory(error, n);
    }
    HF_TRY(hf_agree(grid->context->comm, status, error));
    if (!grid->inside) goto cleanup;
    pdsyevd_("V", "L", &n, a->data, &one, &one, a->descriptor, eigenvalue, vector->data, &one, &one,
             vector->descriptor, work, &n_work, integer, &n_integer, &info);
    if (info != 0)
        status = hf_fail(error, HF_NO_RESOURCE,
                         "ScaLAPACK could not diagonalise a matrix of order %d (pdsyevd info %d)",
                         n, info);
cleanup:
    hf_memory_release(memory, work);
    hf_memory_release(memory, integer);
    return status;
}

/** What decides the sign of one column. */
struct column_sign {
    double *largest;  /**< [n] largest modulus of the column */
    double *sign;     /**< [n] of the deciding component */
    int *row, *first; /**< [n] rows of the deciding component: here, of all ranks */
};

/** Finds the component that decides each column's sign. Collective. */
static void find_signs(const struct hf_matrix *z, const struct column_sign *found)
{
    const MPI_Comm comm = z->linalg->context->comm;
    const int n = z->n_col;
    for (int j = 0; j < n; j++) found->row[j] = z->n_row;
    for (int j = 0; j < z->local_col; j++) {
        const double *column = z->data + (size_t)j * (size_t)z->local_row;
        double *top = &found->largest[hf_global_col(z, j)];
        for (int i = 0; i < z->local_row; i++) *top = fmax(*top, fabs(column[i]));
    }
    MPI_Allreduce(MPI_IN_PLACE, found->largest, n, MPI_DOUBLE, MPI_MAX, comm);
    for (int j = 0; j < z->local_col; j++) {
        const double *column = z->data + (size_t)j * (size_t)z->local_row;
        const int global = hf_global_col(z, j);
        for (int i = z->local_row - 1; i >= 0; i--) {
            if (fabs(column[i]) < (1.0 - 1e-6) * found->largest[global]) continue;
            found->row[global] = hf_global_row(z, i);
            found->sign[global] = column[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    MPI_Allreduce(found->row, found->first, n, MPI_INT, MPI_MIN, comm);
    for (int j = 0; j < n; j++) /* another rank may have the deciding component */
        if (found->first[j] != found->row[j]) found->sign[j] = 0.0;
    MPI_Allreduce(MPI_IN_PLACE, found->sign, n, MPI_DOUBLE, MPI_SUM, comm);
}

/** Makes the component of largest modulus of every column positive; of nearly equal ones the first,
 *  so that rounding does not decide. */
static hf_status fix_signs(struct hf_matrix *z, struct hf_error *error)
{
    struct hf_memory *memory = z->linalg->context->memory;
    const char *label = "eigenvector signs";
    const size_t n = (size_t)z->n_col;
    const struct column_sign found = {
        .largest = hf_memory_allocate(memory, label, n, sizeof(double)),
        .sign = hf_memory_allocate(memory, label, n, sizeof(double)),
        .row = hf_memory_allocate(memory, label, n, sizeof(int)),
        .first = hf_memory_allocate(memory, label, n, sizeof(int)),
    };
    const bool complete =
        found.largest != NULL && found.sign != NULL && found.row != NULL && found.first != NULL;
    hf_status status = complete ? HF_OK : no_memory(error, z->n_row);
    HF_TRY(hf_agree(z->linalg->context->comm, status, error));
    find_signs(z, &found);
    for (int j = 0; j < z->local_col; j++) {
        double *column = z->data + (size_t)j * (size_t)z->local_row;
        if (found.sign[hf_global_col(z, j)] >= 0.0) continue;
        for (int i = 0; i < z->local_row; i++) column[i] = -column[i];
    }
cleanup:
    hf_memory_release(memory, found.largest);
    hf_memory_release(memory, found.sign);
    hf_memory_release(memory, found.row);
    hf_memory_release(memory, found.first);
    return status;
}

/** Random vectors x and what the matrix makes of them, taken before the matrix is destroyed. An
 *  eigensystem is right when Z Z^T x = x and Z e Z^T x = A x: that costs order n^2 operations and
 *  no copy of the matrix. */
struct probe {
    struct hf_matrix *x, *a_x, *z_x, *result; /**< n x N_PROBE */
};
enum { N_PROBE = 2 };

/** A number in [-1, 1) that depends on i alone (the finaliser of splitmix64). */
static double scattered(uint64_t i)
{
    uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((bits ^ (bits >> 31)) >> 11) / 4503599627370496.0 - 1.0;
}

static void probe_destroy(struct probe *probe)
{
    hf_matrix_destroy(&probe->x);
    hf_matrix_destroy(&probe->a_x);
    hf_matrix_destroy(&probe->z_x);
    hf_matrix_destroy(&probe->result);
}

/** Refuses a matrix whose lower triangle is not finite: that shows in A x. Collective. */
static hf_status probe_take(const struct hf_matrix *a, struct probe *probe, struct hf_error *error)
{
    struct hf_linalg *grid = a->linalg;
    const char *label = "eigenvector check";
    const int n = a->n_row;
    double largest;
    hf_status status;
    HF_TRY(hf_matrix_create(grid, label, n, N_PROBE, &probe->x, error));
    HF_TRY(hf_matrix_create(grid, label, n, N_PROBE, &probe->a_x, error));
    HF_TRY(hf_matrix_create(grid, label, n, N_PROBE, &probe->z_x, error));
    HF_TRY(hf_matrix_create(grid, label, n, N_PROBE, &probe->result, error));
    for (int j = 0; j < probe->x->local_col; j++)
        for (int i = 0; i < probe->x->local_row; i++)
            probe->x->data[(size_t)j * (size_t)probe->x->local_row + (size_t)i] =
                scattered((uint64_t)hf_global_col(probe->x, j) * (uint64_t)n +
                          (uint64_t)hf_global_row(probe->x, i));
    hf_matrix_multiply_symmetric(a, probe->x, probe->a_x);
    HF_TRY(hf_matrix_max_abs(probe->a_x, &largest, error));
    if (!isfinite(largest))
        status = hf_fail(error, HF_NO_RESOURCE,
                         "a matrix to be diagonalised has elements that are not finite");
cleanup:
    return status;
}

/** Refuses eigenvalues and eigenvectors that do not reproduce the probe. Collective. */
static hf_status probe_check(const struct probe *probe, const double eigenvalue[],
                             const struct hf_matrix *z, struct hf_error *error)
{
    const int n = z->n_row;
    const double tolerance = 1e-11 * (10.0 + n);
    double residual, orthogonality, scale = 0.0;
    struct hf_matrix *z_x = probe->z_x, *result = probe->result;
    hf_status status;
    HF_TRY(hf_matrix_multiply(1.0, true, z, false, probe->x, 0.0, z_x, error));
    HF_TRY(hf_matrix_copy(probe->x, result, error));
    HF_TRY(hf_matrix_multiply(1.0, false, z, false, z_x, -1.0, result, error));
    HF_TRY(hf_matrix_max_abs(result, &orthogonality, error));
    for (int j = 0; j < z_x->local_col; j++)
        for (int i = 0; i < z_x->local_row; i++)
            z_x->data[(size_t)j * (size_t)z_x->local_row + (size_t)i] *=
                eigenvalue[hf_global_row(z_x, i)];
    HF_TRY(hf_matrix_copy(probe->a_x, result, error));
    HF_TRY(hf_matrix_multiply(1.0, false, z, false, z_x, -1.0, result, error));
    HF_TRY(hf_matrix_max_abs(result, &residual, error));
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(eigenvalue[k]));
    if (scale > 0.0) residual /= scale;
    if (!(residual < tolerance && orthogonality < tolerance)) /* also when they are NaN */
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
    struct probe probe = {0};
    hf_status status = HF_OK;
    assert(symmetric->n_row == symmetric->n_col && vector->linalg == grid);
    assert(vector->n_row == symmetric->n_row && vector->n_col == symmetric->n_col);
    if (symmetric->n_row == 0) return HF_OK;
    HF_TRY(probe_take(symmetric, &probe, error));
    if (grid->parallel)
        status = eigen_parallel(symmetric, eigenvalue, vector, error);
    else if (grid->inside)
        status = eigen_serial(symmetric, eigenvalue, vector, error);
    HF_TRY(hf_agree(comm, status, error));
    MPI_Bcast(eigenvalue, symmetric->n_row, MPI_DOUBLE, 0, comm);
    HF_TRY(probe_check(&probe, eigenvalue, vector, error));
    status = fix_signs(vector, error);
cleanup:
    probe_destroy(&probe);
    return status;
}

hf_status hf_solve_symmetric(int n, double *a, double *b, struct hf_error *error)
{
    int info = 0;
    const int one = 1, n_work = 64 * n;
    int *pivot = malloc((size_t)n * sizeof *pivot);
    double *work = malloc((size_t)n_work * sizeof *work);
    hf_status status = HF_OK;
    if (pivot == NULL || work == NULL) {
        status = no_memory(error, n);
    } else {
        dsysv_("L", &n, &one, a, &n, pivot, b, &n, work, &n_work, &info);
        if (info != 0)
            status = hf_fail(error, HF_NO_RESOURCE, "a linear system of order %d is singular", n);
    }
    free(pivot);
    free(work);
    return status;
}
