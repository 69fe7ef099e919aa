/* A few rotations and their products with a Hessian: what eigenvectors and steps are sought in. */
#ifndef HF_SUBSPACE_H
#define HF_SUBSPACE_H

#include "hf/hessian.h"

enum { HF_SUBSPACE_MOST = 32 };

/** Orthonormal vectors and the Hessian between them. Initialise with hf_subspace_init. */
struct hf_subspace {
    struct hf_orbital_hessian *hessian; /**< borrowed; asked for products only */
    enum hf_rotation_kind kind;
    int n;
    struct hf_rotation vector[HF_SUBSPACE_MOST], product[HF_SUBSPACE_MOST]; /**< [n] */
    double matrix[HF_SUBSPACE_MOST * HF_SUBSPACE_MOST]; /**< [n] rows of HF_SUBSPACE_MOST */
};

/** Eigenvalues [n] and eigenvectors [n][n] (one after the other) of the Hessian in the subspace. */
struct hf_subspace_spectrum {
    double value[HF_SUBSPACE_MOST];
    double vector[HF_SUBSPACE_MOST * HF_SUBSPACE_MOST];
};

void hf_subspace_init(struct hf_subspace *self, struct hf_orbital_hessian *hessian,
                      enum hf_rotation_kind kind);
/** Not collective. */
void hf_subspace_done(struct hf_subspace *self);

/** Takes what is new in the *n candidates [n], which are destroyed, as long as there is room; *n
 *  becomes how many vectors came of them. One pass over the integrals for four of them. Collective.
 *  HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_subspace_add(struct hf_subspace *self, int *n, struct hf_rotation candidate[],
                          struct hf_error *error) HF_MUST_CHECK;

/** Collective. HF_NO_RESOURCE. */
hf_status hf_subspace_solve(const struct hf_subspace *self, struct hf_subspace_spectrum *spectrum,
                            struct hf_error *error) HF_MUST_CHECK;

/** sum = sum_i coefficient_i vector_i, or the same of products. Collective. */
void hf_subspace_combine(const struct hf_subspace *self, const struct hf_rotation basis[],
                         const double coefficient[], struct hf_rotation *sum);

/** Keeps the span of the first k eigenvectors alone. Collective. HF_NO_RESOURCE. */
hf_status hf_subspace_keep(struct hf_subspace *self, const struct hf_subspace_spectrum *spectrum,
                           int k, struct hf_error *error) HF_MUST_CHECK;

#endif
