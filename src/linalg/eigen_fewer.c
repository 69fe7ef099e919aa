/* Diagonalisation of which fewer ranks than a matrix is spread over do a part. The reduction to tridiagonal form takes n
 * columns one after the other, each of them with messages along rows and columns of the grid that nothing hides: on
 * many ranks these take most of the time, and a part of the ranks is faster than all. Vectors then are found by all
 * (eigen_solve.c). */
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

/** All of it by the ranks of grid->fewer. */
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
    if (vector != NULL)
        hf_move_matrix(all, found, vector); /* also after a failure: others may not know */
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
