/* Lowest eigenvalues of a Hessian. */
#ifndef HF_DAVIDSON_H
#define HF_DAVIDSON_H

#include "hf/subspace.h"

/** When a search for eigenvalues ends. */
struct hf_eigenvalue_search {
    double norm;  /**< when the norms of all H y - e y are below this */
    double value; /**< or when the lowest eigenvalue is below this; -INFINITY: never */
};

/** The search for eigenvalues that are right to 1e-6 or so. */
extern const struct hf_eigenvalue_search hf_sharp_eigenvalues;

/** The *n <= 4 lowest eigenvalues, fewer when there are not so many rotations, and the eigenvector
 *  of the first of them in *lowest (new; NULL: not wanted; stays empty when nothing can rotate).
 *  Block Davidson: first vectors are the rotations of smallest orbital energy difference and one
 *  without symmetry, so that no eigenvector is missed because all others are of other symmetries;
 *  later ones what is wrong with each eigenvector, preconditioned.
 *
 *  Returns in *n how many there are, in *converged whether the norms of H y - e y came below
 *  search->norm. Eigenvalues are upper bounds in any case: a negative one is no mistake. Collective. HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Davidson, J. Comput. Phys. 17, 87 (1975). */
hf_status hf_lowest_eigenvalues(struct hf_orbital_hessian *hessian, enum hf_rotation_kind kind,
                                const struct hf_eigenvalue_search *search, int *n,
                                double eigenvalue[], bool *converged, struct hf_rotation *lowest,
                                struct hf_error *error) HF_MUST_CHECK;

#endif
