/* Eigenvalues and eigenvectors of symmetric matrices, with fixed signs and a check of the result.
 */
#include "linalg_private.h"

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
    struct hf_memory *memory = a->linalg->context->memory;
    dsyevd_("V", "L", &n, a->data, &n, eigenvalue, &size, &query, &integer_size, &query, &info);
    const int n_work = (int)size, n_integer = integer_size;
    double *work = hf_memory_allocate(memory, "diagonalisation", (size_t)n_work, sizeof *work);
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
        work = hf_memory_allocate(memory, "diagonalisation", (size_t)n_work, sizeof *work);
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

/** Makes the component of largest modulus of every column positive; of nearly equal ones the first,
 *  so that rounding does not decide. */
static hf_status fix_signs(struct hf_matrix *z, struct hf_error *error)
{
    const struct hf_linalg *grid = z->linalg;
    const MPI_Comm comm = grid->context->comm;
    const int n = z->n_col;
    hf_status status = HF_OK;
    double *largest = calloc((size_t)n, sizeof *largest), *sign = calloc((size_t)n, sizeof *sign);
    int *row = calloc((size_t)n, sizeof *row);
    if (largest == NULL || sign == NULL || row == NULL) status = no_memory(error, n);
    HF_TRY(hf_agree(comm, status, error));
    for (int j = 0; j < n; j++) row[j] = z->n_row;
    for (int j = 0; j < z->local_col; j++) {
        const double *column = z->data + (size_t)j * (size_t)z->local_row;
        double *top = &largest[grid->parallel ? hf_global_col(z, j) : j];
        for (int i = 0; i < z->local_row; i++) *top = fmax(*top, fabs(column[i]));
    }
    MPI_Allreduce(MPI_IN_PLACE, largest, n, MPI_DOUBLE, MPI_MAX, comm);
    for (int j = 0; j < z->local_col; j++) {
        const double *column = z->data + (size_t)j * (size_t)z->local_row;
        const int global = grid->parallel ? hf_global_col(z, j) : j;
        for (int i = z->local_row - 1; i >= 0; i--) {
            if (fabs(column[i]) < (1.0 - 1e-6) * largest[global]) continue;
            row[global] = grid->parallel ? hf_global_row(z, i) : i;
            sign[global] = column[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    int *first = calloc((size_t)n, sizeof *first);
    status = first == NULL ? no_memory(error, n) : HF_OK;
    status = hf_agree(comm, status, error);
    if (status == HF_OK) {
        MPI_Allreduce(row, first, n, MPI_INT, MPI_MIN, comm);
        for (int j = 0; j < n; j++)
            if (first[j] != row[j]) sign[j] = 0.0; /* another rank has the deciding component */
        MPI_Allreduce(MPI_IN_PLACE, sign, n, MPI_DOUBLE, MPI_SUM, comm);
        for (int j = 0; j < z->local_col; j++) {
            double *column = z->data + (size_t)j * (size_t)z->local_row;
            if (sign[grid->parallel ? hf_global_col(z, j) : j] >= 0.0) continue;
            for (int i = 0; i < z->local_row; i++) column[i] = -column[i];
        }
    }
    free(first);
cleanup:
    free(largest);
    free(sign);
    free(row);
    return status;
}

/** Numbers in (-1, 1) that are the same everywhere. */
static double pseudo_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*state / 9223372036854775808.0;
}

/** The two errors of a result on random combinations c of the vectors: A Z c - Z e c and Z^T Z c -
 * c, relative to the matrix and to 1. */
struct eigen_errors {
    double residual, orthogonality;
};

static hf_status measure_errors(const struct hf_matrix *a, const double eigenvalue[],
                                const struct hf_matrix *z, struct eigen_errors *errors,
                                struct hf_error *error)
{
    enum { N_VECTOR = 2 };
    const int n = z->n_row;
    const size_t size = (size_t)n * N_VECTOR;
    struct hf_linalg *grid = z->linalg;
    struct hf_matrix *c = NULL, *e_c = NULL, *z_c = NULL;
    double scale = 0.0;
    uint64_t state = 1;
    double *full = malloc(2 * size * sizeof *full);
    hf_status status = full == NULL ? no_memory(error, n) : HF_OK;
    HF_TRY(hf_agree(grid->context->comm, status, error));
    for (size_t k = 0; k < size; k++) {
        full[k] = pseudo_random(&state);
        full[size + k] = full[k] * eigenvalue[k % (size_t)n];
        scale = fmax(scale, fabs(eigenvalue[k % (size_t)n]));
    }
    HF_TRY(hf_matrix_create(grid, "eigenvector check", n, N_VECTOR, &c, error));
    HF_TRY(hf_matrix_create(grid, "eigenvector check", n, N_VECTOR, &e_c, error));
    HF_TRY(hf_matrix_create(grid, "eigenvector check", n, N_VECTOR, &z_c, error));
    HF_TRY(hf_matrix_set_full(c, full, error));
    HF_TRY(hf_matrix_set_full(e_c, full + size, error));
    HF_TRY(hf_matrix_multiply(1.0, false, z, false, c, 0.0, z_c, error));
    HF_TRY(hf_matrix_multiply(1.0, true, z, false, z_c, -1.0, c, error));
    HF_TRY(hf_matrix_max_abs(c, &errors->orthogonality, error));
    HF_TRY(hf_matrix_multiply(1.0, false, z, false, e_c, 0.0, c, error));
    HF_TRY(hf_matrix_multiply(1.0, false, a, false, z_c, -1.0, c, error));
    HF_TRY(hf_matrix_max_abs(c, &errors->residual, error));
    if (scale > 0.0) errors->residual /= scale;
cleanup:
    hf_matrix_destroy(&c);
    hf_matrix_destroy(&e_c);
    hf_matrix_destroy(&z_c);
    free(full);
    return status;
}

/** Makes a matrix of which the lower triangle is given symmetric, and keeps a copy. */
static hf_status keep_copy(const struct hf_matrix *symmetric, struct hf_matrix **copy,
                           struct hf_error *error)
{
    hf_status status;
    HF_TRY(hf_matrix_create(symmetric->linalg, "eigenvector check", symmetric->n_row,
                            symmetric->n_col, copy, error));
    for (int j = 0; j < symmetric->local_col; j++) {
        const size_t at = (size_t)j * (size_t)symmetric->local_row;
        const int column = symmetric->linalg->parallel ? hf_global_col(symmetric, j) : j;
        for (int i = 0; i < symmetric->local_row; i++) {
            const int row = symmetric->linalg->parallel ? hf_global_row(symmetric, i) : i;
            const double value = symmetric->data[at + (size_t)i];
            (*copy)->data[at + (size_t)i] = row > column    ? value
                                            : row == column ? 0.5 * value
                                                            : 0.0;
        }
    }
    struct hf_matrix *lower = NULL;
    HF_TRY(hf_matrix_create(symmetric->linalg, "eigenvector check", symmetric->n_row,
                            symmetric->n_col, &lower, error));
    HF_TRY(hf_matrix_copy(*copy, lower, error));
    status = hf_matrix_add_transposed(1.0, lower, 1.0, *copy, error);
    hf_matrix_destroy(&lower);
cleanup:
    return status;
}

hf_status hf_matrix_eigen(struct hf_matrix *symmetric, double eigenvalue[],
                          struct hf_matrix *vector, struct hf_error *error)
{
    struct hf_linalg *grid = symmetric->linalg;
    const MPI_Comm comm = grid->context->comm;
    struct hf_matrix *copy = NULL;
    struct eigen_errors errors;
    double largest;
    hf_status status;
    HF_TRY(hf_matrix_max_abs(symmetric, &largest, error));
    if (!isfinite(largest))
        return hf_fail(error, HF_NO_RESOURCE,
                       "a matrix to be diagonalised has elements that are not finite");
    HF_TRY(keep_copy(symmetric, &copy, error));

    if (grid->parallel)
        status = eigen_parallel(symmetric, eigenvalue, vector, error);
    else if (grid->inside)
        status = eigen_serial(symmetric, eigenvalue, vector, error);
    HF_TRY(hf_agree(comm, status, error));
    MPI_Bcast(eigenvalue, symmetric->n_row, MPI_DOUBLE, 0, comm);

    HF_TRY(measure_errors(copy, eigenvalue, vector, &errors, error));
    const double tolerance = 1e-11 * (10.0 + symmetric->n_row);
    if (!(errors.residual < tolerance && errors.orthogonality < tolerance)) {
        status = hf_fail(error, HF_NO_RESOURCE,
                         "the eigenvectors of a matrix of order %d are wrong: residual %.1e, "
                         "orthogonality %.1e (%s)",
                         symmetric->n_row, errors.residual, errors.orthogonality,
                         hf_linalg_description(grid));
        goto cleanup;
    }
    status = fix_signs(vector, error);
cleanup:
    hf_matrix_destroy(&copy);
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
