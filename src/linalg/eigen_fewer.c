/* Diagonalisation that uses fewer ranks than the matrix is spread over for a part of the work. The reduction to
 * tridiagonal form treats n columns one after another, each with messages along rows and columns of the grid that no
 * work can hide. On many ranks these messages take most of the time, so fewer ranks are faster. Then all ranks
 * compute the vectors (eigen_solve.c). */
#include "linalg_private.h"

int hf_eigen_fewer(int n, int n_row, int n_col)
{
    int best = 0;
    double least = hf_reduction_seconds(n, n_row, n_col);
    for (int side = 2; side * side < n_row * n_col && side <= n_row; side++) {
        const double found = hf_reduction_seconds(n, side, side);
        if (found >= least) continue;
        least = found;
        best = side;
    }
    return best;
}

/** The ranks of grid->fewer do the whole diagonalisation. */
static hf_status solve_on_fewer(const struct hf_matrix *a, double eigenvalue[],
                                struct hf_matrix *vector, struct hf_error *error)
{
    const struct hf_linalg *all = a->linalg;
    const char *label = "diagonalisation";
    const int n = a->n_row;
    struct hf_matrix *moved = NULL, *found = NULL;
    hf_status status;
    HF_TRY(hf_matrix_create(all->fewer, label, n, n, &moved, error));
    if (vector != NULL)
        HF_TRY(hf_matrix_create(all->fewer, label, n, vector->n_col, &found, error));
    hf_move_matrix(all, a, moved);
    status = hf_eigen_solve_here(moved, eigenvalue, found, error);
    if (vector != NULL) /* also after a failure, because other ranks may not know of it */
        hf_move_matrix(all, found, vector);
cleanup:
    hf_matrix_destroy(&found);
    hf_matrix_destroy(&moved);
    return status;
}

hf_status hf_eigen_solve(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                         struct hf_error *error)
{
    const struct hf_linalg *fewer = a->linalg->fewer;
    const int n_vector = vector != NULL ? vector->n_col : 0;
    if (fewer != NULL &&
        hf_eigensolver_choose(fewer, a->n_row, n_vector) != &hf_eigensolver_scalapack)
        return solve_on_fewer(a, eigenvalue, vector, error);
    return hf_eigen_solve_here(a, eigenvalue, vector, error);
}
