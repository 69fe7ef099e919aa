/* Eigenvalues of a small matrix on one rank. */
#include "linalg_private.h"

#include <math.h>

/** Components that differ by less than this relative to the largest count as equal; the first of them decides the
 *  sign. */
static const double SAME = 1e-6;

static void fix_sign(int n, double vector[])
{
    double most = 0.0;
    int at = 0;
    for (int m = 0; m < n; m++) most = fmax(most, fabs(vector[m]));
    while (at < n - 1 && fabs(vector[at]) < (1.0 - SAME) * most) at++;
    if (vector[at] >= 0.0) return;
    for (int m = 0; m < n; m++) vector[m] = -vector[m];
}

hf_status hf_eigen_small(int n, double *a, double eigenvalue[], struct hf_error *error)
{
    int info = 0, n_integer = -1, best_integer = 0, n_work = -1;
    double best_work = 0.0;
    if (n == 0) return HF_OK;
    dsyevd_("V", "L", &n, a, &n, eigenvalue, &best_work, &n_work, &best_integer, &n_integer, &info);
    n_work = (int)best_work;
    n_integer = best_integer;
    struct hf_arena arena = {.label = "diagonalisation"};
    double *work = HF_TAKE(&arena, work, (size_t)n_work);
    int *integer = HF_TAKE(&arena, integer, (size_t)n_integer);
    hf_status status = hf_arena_check(&arena, error);
    if (info == 0 && status == HF_OK)
        dsyevd_("V", "L", &n, a, &n, eigenvalue, work, &n_work, integer, &n_integer, &info);
    if (info != 0 && status == HF_OK)
        status =
            hf_fail(error, HF_NO_RESOURCE,
                    "LAPACK could not diagonalise a matrix of order %d (dsyevd info %d)", n, info);
    for (int k = 0; status == HF_OK && k < n; k++) fix_sign(n, a + (size_t)k * (size_t)n);
    hf_arena_done(&arena);
    return status;
}
