/* Subspaces of rotations and their products with a Hessian, for finding eigenvectors and steps; lowest eigenvalues
 * of a Hessian (davidson.c); responses to perturbations (linear_response.c); excited states and responses to
 * perturbations of a frequency (paired.c). */
#ifndef HF_SUBSPACE_H
#define HF_SUBSPACE_H

#include "response/hessian.h"

/** Most vectors of a subspace: usually, and with frequencies; most perturbations and excited states. */
enum {
    HF_SUBSPACE_MOST = 32,
    HF_RESPONSE_MOST = 128,
    HF_MOST_PERTURBATIONS = 3,
    HF_MOST_EXCITED_STATES = 100
};

/** Orthonormal vectors and the Hessian between them. Initialise with hf_subspace_init; `most` and `both` may be changed
 *  before the first vectors. */
struct hf_subspace {
    struct hf_orbital_hessian *hessian; /**< borrowed; used for products only */
    enum hf_rotation_kind kind;
    int n, most; /**< vectors; room, HF_SUBSPACE_MOST at first */
    bool both;   /**< also products with the Hessian of imaginary rotations */
    struct hf_rotation *vector, *product, *imaginary; /**< [n] */
    double *matrix, *imaginary_matrix;                /**< [n] rows of `most` */
    struct hf_arena arena;                            /**< has these arrays */
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

/** Orthonormalises the candidates [*n], as long as there is room, and adds those that are new. Destroys the
 *  candidates. *n becomes the number of new vectors. Up to four vectors take one pass over the integrals. Collective.
 *  HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_subspace_add(struct hf_subspace *self, int *n, struct hf_rotation candidate[],
                          struct hf_error *error) HF_MUST_CHECK;

/** Collective. HF_NO_RESOURCE. */
hf_status hf_subspace_solve(const struct hf_subspace *self, struct hf_subspace_spectrum *spectrum,
                            struct hf_error *error) HF_MUST_CHECK;

/** sum = sum_i coefficient_i basis_i, of the vectors or of the products. Collective. */
void hf_subspace_combine(const struct hf_subspace *self, const struct hf_rotation basis[],
                         const double coefficient[], struct hf_rotation *sum);

/** Keeps only the span of the first k eigenvectors. Collective. HF_NO_RESOURCE. */
hf_status hf_subspace_keep(struct hf_subspace *self, const struct hf_subspace_spectrum *spectrum,
                           int k, struct hf_error *error) HF_MUST_CHECK;

/** Conditions that end a search for eigenvalues. */
struct hf_eigenvalue_search {
    double norm;    /**< all norms of H y - e y are below this */
    double value;   /**< or the lowest eigenvalue is below this; -INFINITY: never */
    bool only_sign; /**< or all are estimated to be positive (an estimate, not a bound) */
};

/** A search for eigenvalues to about 1e-6. */
extern const struct hf_eigenvalue_search hf_sharp_eigenvalues;

/** Finds the *n <= 4 lowest eigenvalues (fewer if there are fewer rotations) and their eigenvectors in vector [n]
 *  (new; NULL: not needed). Block Davidson: first vectors have no symmetry, so that modes of any symmetry can be
 *  found. A search without a limit `value` also begins with the rotations of smallest orbital energy differences.
 *  Later vectors are preconditioned residuals of the eigenvectors.
 *
 *  *n becomes the number found; *converged tells whether the norms of H y - e y are below search->norm. Eigenvalues
 *  are upper bounds in any case: a negative one is certain. Collective. HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Davidson, J. Comput. Phys. 17, 87 (1975). */
hf_status hf_lowest_eigenvalues(struct hf_orbital_hessian *hessian, enum hf_rotation_kind kind,
                                const struct hf_eigenvalue_search *search, int *n,
                                double eigenvalue[], bool *converged, struct hf_rotation vector[],
                                struct hf_error *error) HF_MUST_CHECK;

/** Results of linear response. */
struct hf_linear_response {
    double product[HF_MOST_PERTURBATIONS][HF_MOST_PERTURBATIONS]; /**< g_i H^-1 g_j */
    double lowest;  /**< upper bound of the lowest eigenvalue of H */
    bool converged; /**< the residuals of all equations are small enough */
};

/** Solves H y_i = g_i for n <= HF_MOST_PERTURBATIONS perturbations together: the coupled-perturbed Hartree-Fock
 *  equations. With E(y) = E + 2 l g y + y H y, the second derivative of the energy by l is -2 g H^-1 g. Rotations
 *  that do not change the energy (eigenvalues below 1e-5) do not respond. `solution` [n] (NULL: not needed) becomes
 *  the y_i.
 *
 *  `accuracy` is the limit of the norm of H y - g relative to that of g. The relative error of the products is about
 *  its square. Memory: at most 2 HF_SUBSPACE_MOST rotations. Collective. HF_NO_RESOURCE; HF_INTERRUPTED.
 *  Source   Gerratt, Mills, J. Chem. Phys. 49, 1719 (1968); Pople, Krishnan, Schlegel, Binkley, Int. J. Quantum
 *           Chem. Symp. 13, 225 (1979): one subspace for all perturbations. */
hf_status hf_respond(struct hf_orbital_hessian *hessian, int n,
                     const struct hf_rotation perturbation[], double accuracy,
                     struct hf_linear_response *response, struct hf_rotation solution[],
                     struct hf_error *error) HF_MUST_CHECK;

/** Excited states of a determinant: rotations that oscillate. With p = X + Y and q = X - Y of the literature
 *
 *     (A + B) p = omega q    (A - B) q = omega p    p q = 1      time-dependent Hartree-Fock
 *     A p = omega p          q = p                  p p = 1      configuration interaction of singles
 *
 *  so that g p is the transition moment of a perturbation with gradient g (hf_hessian_perturbation). */
struct hf_excited_states {
    enum hf_rotation_kind kind;
    bool singles;    /**< CIS instead of TDHF */
    int n_requested; /**< lowest states to find */
    int n; /**< states found: more if the last requested one is degenerate, fewer if there are no more */
    bool cut;       /**< even more are degenerate with the last one */
    double *energy; /**< [n] ascending; of TDHF -w: omega = i w, the solution is not a minimum */
    struct hf_rotation *p, *q; /**< [n] */
    bool converged;            /**< the residuals of all n are below 1e-5 */
    bool indefinite;       /**< TDHF: neither A + B nor A - B is positive, and no state was found */
    struct hf_arena arena; /**< has the arrays */
};

/** Fills in the states; the first three members are input, the others zero. First vectors: rotations with the smallest
 *  differences of orbital energies, and one without symmetry. A few states more than requested are followed, which finds
 *  degenerate ones. Not for rohf. Collective. HF_NO_RESOURCE: then call hf_excited_states_done; HF_INTERRUPTED.
 *  Source   Stratmann, Scuseria, Frisch, J. Chem. Phys. 109, 8218 (1998); Olsen, Jensen, Jorgensen, J. Comput. Phys.
 *           74, 265 (1988): preconditioned residuals of X and of Y. */
hf_status hf_excited_states_find(struct hf_orbital_hessian *hessian,
                                 struct hf_excited_states *states,
                                 struct hf_error *error) HF_MUST_CHECK;
/** Most vectors that the search for so many states keeps, with two products each. Not collective. */
int hf_excited_states_room(int n_requested);
void hf_excited_states_done(struct hf_excited_states *states);

/** A frequency of a perturbation, and the response: products 2 g_i p_j, the polarisability of a field. */
struct hf_frequency {
    double omega; /**< hartree */
    bool imaginary;
    double product[HF_MOST_PERTURBATIONS * HF_MOST_PERTURBATIONS]; /**< [n][n] */
    bool
        converged; /**< false also if an excitation is too close: p or q is 100 times as large as g */
};

/** Solves (A + B) p - omega q = g, (A - B) q = omega p, or (A + B) p + omega q = g for an imaginary frequency, for n <=
 *  HF_MOST_PERTURBATIONS perturbations and each of n_frequency frequencies, all in one subspace. `accuracy` as in
 *  hf_respond. Not for rohf. Collective. HF_NO_RESOURCE; HF_INTERRUPTED. */
hf_status hf_respond_at(struct hf_orbital_hessian *hessian, int n,
                        const struct hf_rotation perturbation[], double accuracy, int n_frequency,
                        struct hf_frequency frequency[], struct hf_error *error) HF_MUST_CHECK;

#endif
