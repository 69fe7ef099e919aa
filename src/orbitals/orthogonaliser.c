/* Canonical orthogonalisation of the basis; removes linear dependence. */
#include "orbitals/orbitals.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

/** Index of the first eigenvalue that is kept; replaces kept eigenvalues s by s^-1/2. */
static int first_kept(int n, double eigenvalue[], double threshold)
{
    int first = 0;
    while (first < n && eigenvalue[first] < threshold) first++;
    for (int i = first; i < n; i++) eigenvalue[i] = 1.0 / sqrt(eigenvalue[i]);
    return first;
}

void hf_removed_done(struct hf_context *context, struct hf_removed *removed)
{
    hf_matrix_destroy(&removed->vector);
    hf_memory_release(context->memory, removed->eigenvalue);
    removed->eigenvalue = NULL;
}

/** Copies the first r of the eigenvectors [n][n], and their eigenvalues. */
static hf_status keep_removed(struct hf_context *context, int r, const double eigenvalue[],
                              const struct hf_matrix *vector, struct hf_removed *removed,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    *removed = (struct hf_removed){0};
    if (r == 0) return HF_OK;
    removed->eigenvalue =
        hf_memory_allocate(context->memory, "overlap eigenvalues", (size_t)r, sizeof *eigenvalue);
    if (removed->eigenvalue == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d overlap eigenvalues", r);
    HF_TRY(hf_agree(context->comm, status, error));
    memcpy(removed->eigenvalue, eigenvalue, (size_t)r * sizeof *eigenvalue);
    HF_TRY(
        hf_matrix_create_columns("removed functions", vector, 0, r, NULL, &removed->vector, error));
    return HF_OK;
cleanup:
    hf_removed_done(context, removed);
    return status;
}
hf_status hf_orthogonaliser_create(struct hf_context *context, struct hf_matrix *overlap,
                                   double threshold, struct hf_matrix **x,
                                   struct hf_overlap_spectrum *spectrum, struct hf_removed *removed,
                                   struct hf_error *error)
{
    hf_status status;
    const int n = hf_matrix_n_row(overlap);
    struct hf_matrix *vector = NULL, *made = NULL;
    struct hf_arena arena = {.memory = context->memory, .label = "overlap eigenvalues"};
    double *eigenvalue = HF_TAKE(&arena, eigenvalue, (size_t)n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_matrix_create_like("overlap eigenvectors", overlap, &vector, error));
    HF_TRY(hf_lowest_orbitals(context, overlap, eigenvalue, vector, error));
    spectrum->smallest = eigenvalue[0];
    spectrum->n_removed = first_kept(n, eigenvalue, threshold);
    const int r = spectrum->n_removed;
    if (r == n)
        HF_TRY(hf_fail(error, HF_BAD_INPUT,
                       "all %d overlap eigenvalues are below the linear dependence threshold %g", n,
                       threshold));
    HF_TRY(
        hf_matrix_create_columns("orthogonaliser", vector, r, n - r, eigenvalue + r, &made, error));
    if (removed != NULL) HF_TRY(keep_removed(context, r, eigenvalue, vector, removed, error));
    *x = made;
    made = NULL;
cleanup:
    HF_DESTROY_MATRICES(&made, &vector);
    hf_arena_done(&arena);
    return status;
}
