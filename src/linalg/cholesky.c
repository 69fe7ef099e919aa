/* Cholesky factors, and division by them. */
#include "linalg_private.h"

#include <assert.h>

static const int one = 1;

bool hf_matrix_cholesky(struct hf_matrix *symmetric)
{
    const struct hf_linalg *grid = symmetric->linalg;
    const int n = symmetric->n_row;
    int info = 0;
    assert(n == symmetric->n_col);
    if (n > 0 && grid->inside) {
        if (grid->parallel)
            pdpotrf_("L", &n, symmetric->data, &one, &one, symmetric->descriptor, &info);
        else
            dpotrf_("L", &n, symmetric->data, &n, &info);
    }
    MPI_Bcast(&info, 1, MPI_INT, 0, grid->context->comm);
    return info == 0;
}

void hf_matrix_divide(const struct hf_matrix *factor, bool transposed, struct hf_matrix *matrix)
{
    const char *op = transposed ? "T" : "N";
    const double unit = 1.0;
    assert(matrix->linalg == factor->linalg && matrix->n_col == factor->n_col);
    if (!matrix->linalg->inside || matrix->n_row == 0 || matrix->n_col == 0) return;
    if (matrix->linalg->parallel)
        pdtrsm_("R", "L", op, "N", &matrix->n_row, &matrix->n_col, &unit, factor->data, &one, &one,
                factor->descriptor, matrix->data, &one, &one, matrix->descriptor);
    else
        dtrsm_("R", "L", op, "N", &matrix->n_row, &matrix->n_col, &unit, factor->data,
               &factor->n_row, matrix->data, &matrix->n_row);
}
