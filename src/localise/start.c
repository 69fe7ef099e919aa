/* Orbitals to begin with. */
#include "localise_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/** Pivots that differ by less than this part of them are equal: the first function counts, on any number of ranks. */
static const double SAME_PIVOT = 1e-6;

/** Rows of the coefficients that this rank has. */
struct rows {
    struct hf_context *context;
    struct hf_arena arena;   /**< of all arrays */
    int n_orbital, first, n; /**< functions first .. first+n-1 */
    double *coefficient;     /**< [n][n_orbital] */
    double *left;            /**< [n] diagonal of the density that is not yet decomposed */
};

static int first_of_rank(int n, int rank, int n_rank)
{
    return (int)((int64_t)n * rank / n_rank);
}

/** This rank's rows. Collective. */
static hf_status get_rows(struct rows *rows, const struct hf_matrix *coefficient,
                          struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = rows->context;
    const int n = hf_matrix_n_row(coefficient), o = rows->n_orbital;
    const int most = n / context->n_rank + 1;
    double *strip = HF_TAKE(&rows->arena, strip, (size_t)most * (size_t)o);
    rows->first = first_of_rank(n, context->rank, context->n_rank);
    rows->n = first_of_rank(n, context->rank + 1, context->n_rank) - rows->first;
    HF_TAKE(&rows->arena, rows->coefficient, (size_t)rows->n * (size_t)o);
    HF_TAKE(&rows->arena, rows->left, (size_t)rows->n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&rows->arena, error), error));
    for (int rank = 0; rank < context->n_rank; rank++) {
        const int first = first_of_rank(n, rank, context->n_rank);
        const int n_row = first_of_rank(n, rank + 1, context->n_rank) - first;
        if (n_row == 0) continue;
        hf_matrix_gather_rows(coefficient, first, n_row, strip);
        hf_broadcast_bytes(context->comm, 0, (size_t)n_row * (size_t)o * sizeof *strip, strip);
        if (rank == context->rank)
            memcpy(rows->coefficient, strip, (size_t)n_row * (size_t)o * sizeof *strip);
    }
    for (int m = 0; m < rows->n; m++) {
        const double *row = rows->coefficient + (size_t)m * (size_t)o;
        rows->left[m] = hf_dot((size_t)o, row, row);
    }
cleanup:
    hf_arena_release(&rows->arena, strip);
    return status;
}

/** The function with the most density left, and its row, on every rank. Collective. */
static void find_pivot(const struct rows *rows, double row[])
{
    struct hf_context *context = rows->context;
    double most = 0.0;
    int best[2] = {INT32_MAX, INT32_MAX}; /* function, rank */
    for (int m = 0; m < rows->n; m++) most = fmax(most, rows->left[m]);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, context->comm);
    for (int m = rows->n - 1; m >= 0; m--)
        if (rows->left[m] >= (1.0 - SAME_PIVOT) * most) {
            best[0] = rows->first + m;
            best[1] = context->rank;
        }
    MPI_Allreduce(MPI_IN_PLACE, best, 1, MPI_2INT, MPI_MINLOC, context->comm);
    if (best[1] == context->rank)
        memcpy(row, rows->coefficient + (size_t)(best[0] - rows->first) * (size_t)rows->n_orbital,
               (size_t)rows->n_orbital * sizeof *row);
    MPI_Bcast(row, rows->n_orbital, MPI_DOUBLE, best[1], context->comm);
}

/** Removes the first k orbitals from a vector, twice for round-off, and normalises it. */
static void orthonormalise(int n, int k, const double u[], double vector[])
{
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < k; l++) {
            const double *other = u + (size_t)l * (size_t)n;
            const double overlap = hf_dot((size_t)n, other, vector);
            for (int c = 0; c < n; c++) vector[c] -= overlap * other[c];
        }
        const double norm = sqrt(hf_dot((size_t)n, vector, vector));
        for (int c = 0; c < n; c++) vector[c] /= norm;
    }
}

hf_status hf_localise_start(struct hf_context *context, const struct hf_matrix *coefficient,
                            double u[], struct hf_error *error)
{
    hf_status status;
    const int o = hf_matrix_n_col(coefficient);
    struct rows rows = {
        .context = context,
        .arena = {.memory = context->memory, .kind = HF_MEMORY_MATRIX, .label = "rows of orbitals"},
        .n_orbital = o};
    HF_TRY(get_rows(&rows, coefficient, error));
    for (int k = 0; k < o; k++) {
        double *orbital = u + (size_t)k * (size_t)o;
        find_pivot(&rows, orbital);
        orthonormalise(o, k, u, orbital);
        for (int m = 0; m < rows.n; m++) {
            const double part =
                hf_dot((size_t)o, rows.coefficient + (size_t)m * (size_t)o, orbital);
            rows.left[m] -= part * part;
        }
    }
cleanup:
    hf_arena_done(&rows.arena);
    return status;
}
