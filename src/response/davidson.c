/* Davidson's method for the lowest eigenvalues of a Hessian. */
#include "response/subspace.h"

#include <math.h>

enum { MOST_ROOTS = 4, MAX_PASS = 60 };

const struct hf_eigenvalue_search hf_sharp_eigenvalues = {.norm = 1e-4, .value = -INFINITY};

/** A search. */
struct davidson {
    struct hf_subspace subspace;
    struct hf_subspace_spectrum spectrum;
    const struct hf_eigenvalue_search *search;
    int n_root;
};

/** First vectors: the simplest rotations, and vectors without symmetry. The search only adds corrections to the
 *  lowest vectors, which usually have symmetries, so it finds a mode of another symmetry only if the first vectors
 *  contain enough of it. Therefore a search for all eigenvalues has one more vector, which emphasises simple
 *  rotations. Without it the lowest mode of FeO towards UHF was missed in 27 of 60 runs, with it in none of 20. */
static hf_status begin(struct davidson *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_rotation first[MOST_ROOTS + 2] = {{{NULL}}};
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    const bool for_all = !isfinite(self->search->value);
    const int n_first = for_all ? self->n_root + 2 : 1;
    int n = for_all ? self->n_root : 0;
    for (int i = 0; i < n_first; i++) HF_TRY(hf_rotation_create(space, &first[i], error));
    hf_rotation_scatter(space, 2, &first[0]);
    if (for_all) {
        hf_rotation_scatter(space, 3, &first[1]);
        hf_rotation_precondition(space, 0.0, &first[1]);
        hf_rotation_smallest(space, &n, first + 2);
        n++;
    }
    n++;
    HF_TRY(hf_subspace_add(&self->subspace, &n, first, error));
cleanup:
    for (int i = 0; i < n_first; i++) hf_rotation_destroy(&first[i]);
    return status;
}

/** Finds the correction of an eigenvector: the norm of H y - e y, `step` (new) = H y - e y preconditioned, and
 *  `fall`, by how much it lowers the eigenvalue to second order. */
static hf_status find_step(const struct davidson *self, int root, struct hf_rotation *step,
                           double *norm, double *fall, struct hf_error *error)
{
    hf_status status;
    struct hf_rotation rest = {{NULL}};
    const struct hf_subspace *subspace = &self->subspace;
    const struct hf_rotation_space *space = &subspace->hessian->space;
    const double *coefficient = self->spectrum.vector + root * subspace->n;
    const double value = self->spectrum.value[root];
    HF_TRY(hf_rotation_create(space, step, error));
    HF_TRY(hf_rotation_create(space, &rest, error));
    hf_subspace_combine(subspace, subspace->product, coefficient, &rest);
    hf_subspace_combine(subspace, subspace->vector, coefficient, step);
    hf_rotation_add(-value, step, 1.0, &rest);
    hf_rotation_add(1.0, &rest, 0.0, step);
    hf_rotation_precondition(space, value, step);
    *norm = sqrt(hf_rotation_dot(&rest, &rest));
    *fall = hf_rotation_dot(&rest, step);
cleanup:
    hf_rotation_destroy(&rest);
    return status;
}

/** Guesses whether the lowest eigenvalue is positive in the end, if the next vector lowers the estimate by `fall`. A
 *  small estimate may hide a lower mode of another symmetry: near LARGE the fall must be tiny, up to NOT_SOFT: no. */
static bool stays_positive(double value, double fall)
{
    static const double LARGE = 0.1, SAFETY = 4.0, NOT_SOFT = 0.05, SMALL_FALL = 1.0 / 40.0;
    return value - SAFETY * fall > LARGE || (value > NOT_SOFT && fall < SMALL_FALL * value);
}

/** Adds corrections for those of the lowest n_root eigenvectors that the search must still improve. *n_new becomes
 *  the number of new vectors; *converged is true if none needs improvement. */
static hf_status improve(struct davidson *self, int *n_new, bool *converged, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_rotation step[MOST_ROOTS] = {{{NULL}}};
    int n = 0;
    for (int i = 0; i < self->n_root && i < self->subspace.n; i++) {
        double norm, fall;
        HF_TRY(find_step(self, i, &step[n], &norm, &fall, error));
        if (norm < self->search->norm ||
            (self->search->only_sign && stays_positive(self->spectrum.value[i], fall)))
            hf_rotation_destroy(&step[n]);
        else
            n++;
    }
    *converged = n == 0;
    if (n > 0) HF_TRY(hf_subspace_add(&self->subspace, &n, step, error));
    *n_new = n;
cleanup:
    for (int i = 0; i < MOST_ROOTS; i++) hf_rotation_destroy(&step[i]);
    return status;
}

hf_status hf_lowest_eigenvalues(struct hf_orbital_hessian *hessian, enum hf_rotation_kind kind,
                                const struct hf_eigenvalue_search *search, int *n,
                                double eigenvalue[], bool *converged, struct hf_rotation vector[],
                                struct hf_error *error)
{
    hf_status status;
    struct davidson self = {.search = search, .n_root = *n < MOST_ROOTS ? *n : MOST_ROOTS};
    struct hf_subspace *subspace = &self.subspace;
    const double *found = self.spectrum.value;
    int n_new = 1;
    hf_subspace_init(subspace, hessian, kind);
    HF_TRY(begin(&self, error));
    *converged = false;
    for (int pass = 0; subspace->n > 0; pass++) {
        HF_TRY(hf_subspace_solve(subspace, &self.spectrum, error));
        if (*converged || n_new == 0 || pass == MAX_PASS || found[0] < search->value) break;
        if (subspace->n + self.n_root > HF_SUBSPACE_MOST) {
            HF_TRY(hf_subspace_keep(subspace, &self.spectrum, 2 * self.n_root, error));
            continue;
        }
        HF_TRY(improve(&self, &n_new, converged, error));
    }
    *n = self.n_root < subspace->n ? self.n_root : subspace->n;
    for (int i = 0; i < *n; i++) eigenvalue[i] = found[i];
    /* if there is no new vector, the subspace is complete */
    *converged = *converged || n_new == 0 || subspace->n == 0;
    for (int i = 0; i < *n && vector != NULL; i++) {
        HF_TRY(hf_rotation_create(&hessian->space, &vector[i], error));
        hf_subspace_combine(subspace, subspace->vector, self.spectrum.vector + i * subspace->n,
                            &vector[i]);
    }
cleanup:
    hf_subspace_done(subspace);
    return status;
}
