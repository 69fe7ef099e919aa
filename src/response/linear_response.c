/* Linear response: solves the equations of all perturbations in one subspace, which is extended by the residuals. */
#include "response/subspace.h"

#include <math.h>

/** Eigenvalues closer to zero belong to rotations that do not change the energy. */
static const double ZERO = 1e-5;
enum { MAX_PASS = 60 };

struct search {
    struct hf_subspace subspace;
    struct hf_subspace_spectrum spectrum;
    int n;
    const struct hf_rotation *perturbation; /**< [n] */
    /** components of the perturbations along the vectors */
    double part[HF_MOST_PERTURBATIONS][HF_SUBSPACE_MOST];
    /** coefficients of the solutions */
    double coefficient[HF_MOST_PERTURBATIONS][HF_SUBSPACE_MOST];
    double norm[HF_MOST_PERTURBATIONS];
};

/** Adds the n_new candidates; *n_new becomes the number of new vectors. */
static hf_status extend(struct search *self, int *n_new, struct hf_rotation candidate[],
                        struct hf_error *error)
{
    const int before = self->subspace.n;
    const hf_status status = hf_subspace_add(&self->subspace, n_new, candidate, error);
    for (int i = 0; i < self->n; i++)
        for (int k = before; k < self->subspace.n; k++)
            self->part[i][k] = hf_rotation_dot(&self->subspace.vector[k], &self->perturbation[i]);
    return status;
}

/** Solves the equations in the present subspace. */
static hf_status solve(struct search *self, struct hf_error *error)
{
    const int n = self->subspace.n;
    const hf_status status = hf_subspace_solve(&self->subspace, &self->spectrum, error);
    for (int i = 0; status == HF_OK && i < self->n; i++) {
        for (int k = 0; k < n; k++) self->coefficient[i][k] = 0.0;
        for (int m = 0; m < n; m++) {
            const double *mode = self->spectrum.vector + m * n, value = self->spectrum.value[m];
            double along = 0.0;
            if (fabs(value) < ZERO) continue;
            for (int k = 0; k < n; k++) along += mode[k] * self->part[i][k];
            for (int k = 0; k < n; k++) self->coefficient[i][k] += along / value * mode[k];
        }
    }
    return status;
}

/** Computes the residuals H y - g that are too large, preconditioned: new rotations rest [*n_rest]. */
static hf_status find_rests(const struct search *self, double accuracy, struct hf_rotation rest[],
                            int *n_rest, struct hf_error *error)
{
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    *n_rest = 0;
    for (int i = 0; i < self->n; i++) {
        struct hf_rotation *next = &rest[*n_rest];
        HF_CHECK(hf_rotation_create(space, next, error));
        hf_subspace_combine(&self->subspace, self->subspace.product, self->coefficient[i], next);
        hf_rotation_add(-1.0, &self->perturbation[i], 1.0, next);
        if (sqrt(hf_rotation_dot(next, next)) > accuracy * self->norm[i]) {
            hf_rotation_precondition(space, 0.0, next);
            ++*n_rest;
        } else {
            hf_rotation_destroy(next);
        }
    }
    return HF_OK;
}

/** Reduces the subspace to the solutions, to make room. */
static hf_status restart(struct search *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_rotation solution[HF_MOST_PERTURBATIONS] = {{{NULL}}};
    struct hf_orbital_hessian *hessian = self->subspace.hessian;
    int n = self->n;
    for (int i = 0; i < n; i++) {
        HF_TRY(hf_rotation_create(&hessian->space, &solution[i], error));
        hf_subspace_combine(&self->subspace, self->subspace.vector, self->coefficient[i],
                            &solution[i]);
    }
    hf_subspace_done(&self->subspace);
    hf_subspace_init(&self->subspace, hessian, HF_ROTATION_INTERNAL);
    HF_TRY(extend(self, &n, solution, error));
    HF_TRY(solve(self, error));
cleanup:
    for (int i = 0; i < self->n; i++) hf_rotation_destroy(&solution[i]);
    return status;
}

/** First vectors: the responses of orbitals that do not interact. */
static hf_status begin(struct search *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    struct hf_rotation first[HF_MOST_PERTURBATIONS] = {{{NULL}}};
    int n = self->n;
    for (int i = 0; i < n; i++) {
        const struct hf_rotation *right = &self->perturbation[i];
        self->norm[i] = sqrt(hf_rotation_dot(right, right));
        HF_TRY(hf_rotation_create(space, &first[i], error));
        hf_rotation_add(1.0, right, 0.0, &first[i]);
        hf_rotation_precondition(space, 0.0, &first[i]);
    }
    HF_TRY(extend(self, &n, first, error));
cleanup:
    for (int i = 0; i < self->n; i++) hf_rotation_destroy(&first[i]);
    return status;
}

hf_status hf_respond(struct hf_orbital_hessian *hessian, int n,
                     const struct hf_rotation perturbation[], double accuracy,
                     struct hf_linear_response *response, struct hf_rotation solution[],
                     struct hf_error *error)
{
    hf_status status;
    struct search search = {.n = n, .perturbation = perturbation};
    struct hf_rotation rest[HF_MOST_PERTURBATIONS] = {{{NULL}}};
    *response = (struct hf_linear_response){.converged = false};
    hf_subspace_init(&search.subspace, hessian, HF_ROTATION_INTERNAL);
    HF_TRY(begin(&search, error));
    for (int pass = 0, n_new = n; search.subspace.n > 0; pass++) {
        HF_TRY(solve(&search, error));
        HF_TRY(find_rests(&search, accuracy, rest, &n_new, error));
        response->converged = n_new == 0;
        if (n_new == 0 || pass == MAX_PASS) break;
        if (search.subspace.n + n_new > HF_SUBSPACE_MOST) HF_TRY(restart(&search, error));
        HF_TRY(extend(&search, &n_new, rest, error));
        if (n_new == 0) break;
    }
    response->converged = response->converged || search.subspace.n == 0;
    response->lowest = search.subspace.n > 0 ? search.spectrum.value[0] : 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < search.subspace.n; k++)
                response->product[i][j] += search.part[i][k] * search.coefficient[j][k];
    for (int i = 0; solution != NULL && i < n; i++)
        hf_subspace_combine(&search.subspace, search.subspace.vector, search.coefficient[i],
                            &solution[i]);
cleanup:
    for (int i = 0; i < HF_MOST_PERTURBATIONS; i++) hf_rotation_destroy(&rest[i]);
    hf_subspace_done(&search.subspace);
    return status;
}
