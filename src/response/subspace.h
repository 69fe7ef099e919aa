/* Subspaces of rotations and their products with a Hessian, in which eigenvectors and steps are sought; the
 * lowest eigenvalues of a Hessian (davidson.c); responses to perturbations (linear_response.c). */
#ifndef HF_SUBSPACE_H
#define HF_SUBSPACE_H

#include "response/hessian.h"

enum { HF_SUBSPACE_MOST = 32, HF_MOST_PERTURBATIONS = 3 };

/** Orthonormal vectors and the Hessian between them. Initialise with hf_subspace_init. */
struct hf_subspace {
    struct hf_orbital_hessian *hessian; /**< borrowed; used for products only */
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

/** When a search for eigenvalues ends. */
struct hf_eigenvalue_search {
    double norm;    /**< when the norms of all H y - e y are below this */
    double value;   /**< or when the lowest eigenvalue is below this; -INFINITY: never */
    bool only_sign; /**< or when all are estimated to be positive (an estimate, not a bound) */
};

/** The search for eigenvalues that are right to 1e-6 or so. */
extern const struct hf_eigenvalue_search hf_sharp_eigenvalues;

/** The *n <= 4 lowest eigenvalues, fewer when there are not so many rotations, and their eigenvectors in
 *  vector [n] (new; NULL: not needed).
 *  Block Davidson: first vectors have no symmetry, so that no eigenvector is missed because all others are of
 *  other symmetries; a search that does not end at a value also has the rotations of smallest orbital energy
 *  difference. Later vectors are what is wrong with each eigenvector, preconditioned.
 *
 *  Returns in *n how many there are, in *converged whether the norms of H y - e y came below
 *  search->norm. Eigenvalues are upper bounds in any case: a negative one is certain.
 *  Collective. HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Davidson, J. Comput. Phys. 17, 87 (1975). */
hf_status hf_lowest_eigenvalues(struct hf_orbital_hessian *hessian, enum hf_rotation_kind kind,
                                const struct hf_eigenvalue_search *search, int *n,
                                double eigenvalue[], bool *converged, struct hf_rotation vector[],
                                struct hf_error *error) HF_MUST_CHECK;

/** What linear response makes of perturbations. */
struct hf_linear_response {
    double product[HF_MOST_PERTURBATIONS][HF_MOST_PERTURBATIONS]; /**< g_i H^-1 g_j */
    double
        lowest; /**< an upper bound of the lowest eigenvalue of H between the rotations that were looked at */
    bool converged; /**< the rests of all equations are small enough */
};

/** Solves H y_i = g_i for n <= HF_MOST_PERTURBATIONS perturbations together: the coupled-perturbed Hartree-Fock
 *  equations. With E(y) = E + 2 l g y + y H y, the second derivative of the energy by l is -2 g H^-1 g.
 *  Rotations that do not change the energy (eigenvalues of 1e-5 and less) do not respond.
 *
 *  The products err by the square of `accuracy`, the norm of H y - g as a part of that of g, times g H^-1 g
 *  or so. Vectors whose rotations are all kept: 2 HF_SUBSPACE_MOST.
 *  Collective. HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Gerratt, Mills, J. Chem. Phys. 49, 1719 (1968); Pople, Krishnan, Schlegel, Binkley, Int. J. Quantum
 *           Chem. Symp. 13, 225 (1979): one subspace for all perturbations. */
hf_status hf_respond(struct hf_orbital_hessian *hessian, int n,
                     const struct hf_rotation perturbation[], double accuracy,
                     struct hf_linear_response *response, struct hf_error *error) HF_MUST_CHECK;

#endif
