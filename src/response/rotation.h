/* Rotations of orbitals, which turn a determinant into any other with the same numbers of electrons.
 *
 * A set of orbitals C = (closed, open, virtual) [m][m] becomes exp(kappa) C, kappa antisymmetric. Mixing orbitals
 * that are occupied alike changes nothing. The relevant elements are
 *
 *               closed  open            left   (closed, open)   the occupied orbitals of the set
 *      open   |   *      0              right  (open, virtual)
 *      virtual|   *      *              kappa = R Y L^T - L Y^T R^T
 *
 * with Y [right][left]. Without open shells, left are the occupied and right the virtual orbitals. Everything is in
 * the orthonormal basis. Only the orbitals themselves have m x m elements.
 *
 * A struct hf_rotation holds the blocks Y of all sets. Each element is multiplied by the square root of the number
 * of spins that it rotates (2 if both spins share the orbitals and both occupy only one of the two). So its norm
 * measures the rotation of all electrons. */
#ifndef HF_ROTATION_H
#define HF_ROTATION_H

#include "base/arena.h"
#include "orbitals/orbitals.h"

/** A set of orbitals that rotate. */
struct hf_rotation_set {
    struct hf_matrix *left, *right; /**< [m][n_left], [m][n_right]; both NULL: no rotation */
    int n_left, n_right;
    int n_closed; /**< orbitals occupied by both spins, or by the only spin of the set */
    int n_occupied[HF_MAX_SPIN]; /**< [n_spin] orbitals occupied by each spin of the set */
    int n_spin;                  /**< number of spins that share the set */
    double *energy; /**< [n_spin][m] diagonals of the Fock matrices in these orbitals */
};

/** The sets of a determinant. */
struct hf_rotation_space {
    struct hf_linalg *linalg;
    int n_set, m;
    struct hf_rotation_set set[HF_MAX_SPIN];
    struct hf_arena arena; /**< has the energies */
};

/** A vector: [n_right][n_left] for each set; NULL: no rotation in the set. */
struct hf_rotation {
    struct hf_matrix *block[HF_MAX_SPIN];
};

/** Computes all orbitals of a determinant and Fock matrices fock [n_fock]; the
 *  Fock matrices become diagonal within closed, open and virtual orbitals. Copies the occupied orbitals; they must
 *  not have fractional occupations. Collective. HF_NO_RESOURCE. After a failure call hf_rotation_space_done. */
hf_status hf_rotation_space_init(struct hf_rotation_space *self, struct hf_context *context,
                                 const struct hf_determinant *of, struct hf_matrix *const fock[],
                                 struct hf_error *error) HF_MUST_CHECK;
void hf_rotation_space_done(struct hf_rotation_space *self);

/** Number of independent rotations. Not collective. */
double hf_rotation_count(const struct hf_rotation_space *space);

/** New rotation of zeros. Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_create(const struct hf_rotation_space *space, struct hf_rotation *rotation,
                             struct hf_error *error) HF_MUST_CHECK;
void hf_rotation_destroy(struct hf_rotation *rotation);

/** to = alpha from + beta to. Collective. */
void hf_rotation_add(double alpha, const struct hf_rotation *from, double beta,
                     struct hf_rotation *to);
/** Sum of the products of all elements. Collective. */
double hf_rotation_dot(const struct hf_rotation *a, const struct hf_rotation *b);

/** Sets elements between orbitals that are occupied alike to zero and divides the others by the square root of their
 *  number of spins. This converts the weighted form to Y, and a gradient with respect to Y, summed over spins, to one
 *  with respect to the weighted form. Collective. */
void hf_rotation_weigh(const struct hf_rotation_space *space, struct hf_rotation *rotation);

/** Divides every element by the difference of orbital energies minus `shift`, but at least by a small positive
 *  number: the inverse of the diagonal of the Hessian, without its two-electron part. Collective. */
void hf_rotation_precondition(const struct hf_rotation_space *space, double shift,
                              struct hf_rotation *rotation);

/** The *n <= 256 rotations of one element that have the smallest differences of orbital energies, in vector [n]; they are
 *  orthogonal. *n is reduced if there are fewer. Collective. */
void hf_rotation_smallest(const struct hf_rotation_space *space, int *n,
                          const struct hf_rotation vector[]);

/** Pseudo-random numbers without symmetry, larger for small differences of orbital energies. They depend on `seed`,
 *  not on the grid. Collective. */
void hf_rotation_scatter(const struct hf_rotation_space *space, unsigned seed,
                         struct hf_rotation *rotation);

/** matrix [n_set] = R Y L^T: new matrices [m][m], NULL if a set does not rotate. This direction does not refer to the
 *  orbitals of the space. Collective. HF_NO_RESOURCE; the caller then destroys the matrices already made. */
hf_status hf_rotation_expand(const struct hf_rotation_space *space,
                             const struct hf_rotation *rotation, struct hf_matrix *matrix[],
                             struct hf_error *error) HF_MUST_CHECK;

/** New rotation Y = R^T matrix L in another space, without elements between orbitals that are occupied alike. It is
 *  about the same direction if the orbitals are close to those of the expansion. For first vectors only: with open
 *  shells, its elements are weighted differently. Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_project(const struct hf_rotation_space *space,
                              struct hf_matrix *const matrix[], struct hf_rotation *rotation,
                              struct hf_error *error) HF_MUST_CHECK;

/** product [m][k] = kappa times orbitals, for a set and its block [n_right][n_left] (as after hf_rotation_weigh).
 *  Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_apply(const struct hf_rotation_space *space, int set,
                            const struct hf_matrix *block, const struct hf_matrix *orbitals,
                            struct hf_matrix *product, struct hf_error *error) HF_MUST_CHECK;

/** occupied [n_set] = exp(kappa) times the occupied orbitals of the space, orthonormal. Sets without rotations are
 *  not changed. Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_turn(const struct hf_rotation_space *space,
                           const struct hf_rotation *rotation, struct hf_matrix *const occupied[],
                           struct hf_error *error) HF_MUST_CHECK;

#endif
