/* Diagonalisation by fewer ranks than a matrix is spread over. The reduction to tridiagonal form takes n columns one
 * after the other, each of them with messages along rows and columns of the grid that nothing hides: on many
 * ranks these take most of the time, and a part of the ranks is faster than all. */
#include "linalg_private.h"

int hf_eigen_fewer(int n, int n_row, int n_col, int block)
{
    int best = 0;
    double least = hf_eigen_seconds(n, n_row, n_col, block);
    for (int side = 2; side * side < n_row * n_col && side <= n_row; side++) {
        const double found = hf_eigen_seconds(n, side, side, block);
        if (found >= least) continue;
        least = found;
        best = side;
    }
    return best;
}

/** Elements to a matrix of the same shape on another grid; one of both grids is part of `all`. Collective over it. */
static void move(const struct hf_linalg *all, const struct hf_matrix *from, struct hf_matrix *to)
{
    const int one = 1;
    if (all->inside)
        pdgemr2d_(&from->n_row, &from->n_col, from->data, &one, &one, from->descriptor, to->data,
                  &one, &one, to->descriptor, &all->blacs);
}

/** By the ranks of grid->fewer. */
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
    move(all, a, moved);
    status = hf_eigen_solve_here(moved, eigenvalue, found, error);
    if (vector != NULL) move(all, found, vector); /* also after a failure: others may not know */
cleanup:
    hf_matrix_destroy(&found);
    hf_matrix_destroy(&moved);
    return status;
}

hf_status hf_eigen_solve(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                         struct hf_error *error)
{
    if (a->linalg->fewer != NULL) return solve_on_fewer(a, eigenvalue, vector, error);
    return hf_eigen_solve_here(a, eigenvalue, vector, error);
}
