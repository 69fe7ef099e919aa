/* Orthonormal rotations and their products. */
#include "response/subspace.h"

#include <math.h>
#include <string.h>

/** If the new part of a vector of norm 1 has a smaller norm, the vector is not new. */
static const double NOTHING_NEW = 1e-5;

void hf_subspace_init(struct hf_subspace *self, struct hf_orbital_hessian *hessian,
                      enum hf_rotation_kind kind)
{
    memset(self, 0, sizeof *self);
    self->hessian = hessian;
    self->kind = kind;
    self->most = HF_SUBSPACE_MOST;
    self->arena.label = "a subspace";
}

void hf_subspace_done(struct hf_subspace *self)
{
    for (int i = 0; i < self->most && self->vector != NULL; i++) {
        hf_rotation_destroy(&self->vector[i]);
        hf_rotation_destroy(&self->product[i]);
        hf_rotation_destroy(&self->imaginary[i]);
    }
    hf_arena_done(&self->arena);
    self->vector = NULL;
    self->n = 0;
}

/** Allocates the arrays, unless they exist. Collective. */
static hf_status make_room(struct hf_subspace *self, struct hf_error *error)
{
    const size_t most = (size_t)self->most;
    if (self->vector != NULL) return HF_OK;
    HF_TAKE(&self->arena, self->vector, most);
    HF_TAKE(&self->arena, self->product, most);
    HF_TAKE(&self->arena, self->imaginary, most);
    HF_TAKE(&self->arena, self->matrix, most * most);
    HF_TAKE(&self->arena, self->imaginary_matrix, most * most);
    const hf_status status = hf_arena_check(&self->arena, error);
    if (status != HF_OK) self->vector = NULL;
    return hf_agree(self->hessian->context->comm, status, error);
}

/** Orthogonalises the candidate to the first n vectors and normalises it; false: it is not new. */
static bool orthonormalise(const struct hf_rotation vector[], int n, struct hf_rotation *candidate)
{
    double norm = sqrt(hf_rotation_dot(candidate, candidate));
    if (!(norm > 0.0)) return false;
    hf_rotation_add(0.0, candidate, 1.0 / norm, candidate);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            hf_rotation_add(-hf_rotation_dot(&vector[i], candidate), &vector[i], 1.0, candidate);
        norm = sqrt(hf_rotation_dot(candidate, candidate));
        if (!(norm > NOTHING_NEW)) return false;
        hf_rotation_add(0.0, candidate, 1.0 / norm, candidate);
    }
    return true;
}

/** Computes the elements of a matrix with the products from `before` on. */
static void fill_matrix(const struct hf_subspace *self, int before, int after,
                        const struct hf_rotation product[], double matrix[])
{
    for (int i = 0; i < after; i++)
        for (int j = before; j < after; j++) {
            const double value = hf_rotation_dot(&self->vector[i], &product[j]);
            matrix[i * self->most + j] = matrix[j * self->most + i] = value;
        }
}

hf_status hf_subspace_add(struct hf_subspace *self, int *n, struct hf_rotation candidate[],
                          struct hf_error *error)
{
    hf_status status;
    const int before = self->n, n_candidate = *n;
    int after = before;
    HF_TRY(make_room(self, error));
    for (int i = 0; i < n_candidate && after < self->most; i++) {
        if (!orthonormalise(self->vector, after, &candidate[i])) continue;
        self->vector[after++] = candidate[i];
        candidate[i] = (struct hf_rotation){{NULL}};
    }
    *n = after - before;
    for (int i = before; i < after; i++) {
        HF_TRY(hf_rotation_create(&self->hessian->space, &self->product[i], error));
        if (self->both)
            HF_TRY(hf_rotation_create(&self->hessian->space, &self->imaginary[i], error));
    }
    const struct hf_hessian_products products = {self->product + before,
                                                 self->both ? self->imaginary + before : NULL};
    if (after > before)
        HF_TRY(hf_hessian_multiply(self->hessian, self->kind, after - before, self->vector + before,
                                   products, error));
    fill_matrix(self, before, after, self->product, self->matrix);
    if (self->both) fill_matrix(self, before, after, self->imaginary, self->imaginary_matrix);
    self->n = after;
cleanup:
    for (int i = 0; i < n_candidate; i++) hf_rotation_destroy(&candidate[i]);
    return status;
}

hf_status hf_subspace_solve(const struct hf_subspace *self, struct hf_subspace_spectrum *spectrum,
                            struct hf_error *error)
{
    hf_status status;
    const int n = self->n;
    double full[HF_SUBSPACE_MOST * HF_SUBSPACE_MOST];
    struct hf_matrix *matrix = NULL, *vector = NULL;
    HF_TRY(HF_CREATE_MATRICES(self->hessian->space.linalg, "Hessian of a subspace", error,
                              {&matrix, n, n}, {&vector, n, n}));
    for (int i = 0; i < n; i++)
        memcpy(full + i * n, self->matrix + i * self->most, (size_t)n * sizeof *full);
    hf_matrix_set_full(matrix, full);
    HF_TRY(hf_matrix_eigen(matrix, spectrum->value, vector, error));
    hf_matrix_gather_full(vector, spectrum->vector);
cleanup:
    HF_DESTROY_MATRICES(&vector, &matrix);
    return status;
}

void hf_subspace_combine(const struct hf_subspace *self, const struct hf_rotation basis[],
                         const double coefficient[], struct hf_rotation *sum)
{
    for (int i = 0; i < self->n; i++)
        hf_rotation_add(coefficient[i], &basis[i], i == 0 ? 0.0 : 1.0, sum);
}

/** Replaces basis [n] by its first k combinations. */
static hf_status combine_all(struct hf_subspace *self, const struct hf_subspace_spectrum *spectrum,
                             int k, struct hf_rotation basis[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_rotation sum[HF_SUBSPACE_MOST] = {{{NULL}}};
    for (int i = 0; i < k; i++) {
        HF_TRY(hf_rotation_create(&self->hessian->space, &sum[i], error));
        hf_subspace_combine(self, basis, spectrum->vector + i * self->n, &sum[i]);
    }
    for (int i = 0; i < self->n; i++) {
        hf_rotation_destroy(&basis[i]);
        basis[i] = sum[i];
        sum[i] = (struct hf_rotation){{NULL}};
    }
cleanup:
    for (int i = 0; i < k; i++) hf_rotation_destroy(&sum[i]);
    return status;
}

hf_status hf_subspace_keep(struct hf_subspace *self, const struct hf_subspace_spectrum *spectrum,
                           int k, struct hf_error *error)
{
    if (k > self->n) k = self->n;
    HF_CHECK(combine_all(self, spectrum, k, self->vector, error));
    HF_CHECK(combine_all(self, spectrum, k, self->product, error));
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            self->matrix[i * self->most + j] = i == j ? spectrum->value[i] : 0.0;
    self->n = k;
    return HF_OK;
}
