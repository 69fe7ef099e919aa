/* Rotations of orbitals: what takes one determinant to any other of the same numbers of electrons.
 *
 * A set of orbitals C = (closed, open, virtual) [m][m] becomes exp(kappa) C, kappa antisymmetric.
 * Two orbitals that are occupied alike may be mixed as one likes, nothing changes. What counts is
 *
 *               closed  open            left   (closed, open)   the occupied orbitals of the set
 *      open   |   *      0              right  (open, virtual)
 *      virtual|   *      *              kappa = R Y L^T - L Y^T R^T
 *
 * with Y [right][left]. Without open shells the two are the occupied and the virtual orbitals. All
 * in the orthonormal basis; nothing here has m x m elements but the orbitals themselves.
 *
 * A rotation as it is handled here is the blocks Y of all sets, each element multiplied by the
 * square root of the number of spins that it rotates: 2 where both share the orbital and one
 * occupies neither or both do not, so that its norm is that of what happens to all electrons. */
#ifndef HF_ROTATION_H
#define HF_ROTATION_H

#include "orbitals/orbitals.h"

/** One set of orbitals that rotate. */
struct hf_rotation_set {
    struct hf_matrix *left, *right; /**< [m][n_left], [m][n_right]; both NULL: none rotates */
    int n_left, n_right;
    int n_closed;                /**< orbitals of both spins, or of the only one there is */
    int n_occupied[HF_MAX_SPIN]; /**< [n_spin] orbitals that each spin of the set fills */
    int n_spin;                  /**< spins that share it */
    double *energy;              /**< [n_spin][m] diagonal of their Fock matrices */
};

/** The sets there are, of a determinant. */
struct hf_rotation_space {
    struct hf_linalg *linalg;
    int n_set, m;
    struct hf_rotation_set set[HF_MAX_SPIN];
};

/** A vector: [n_right][n_left] for each set, NULL where none rotates. */
struct hf_rotation {
    struct hf_matrix *block[HF_MAX_SPIN];
};

/** Orbitals from Fock matrices fock [n_fock] and the occupied ones [n_set]: diagonal within closed,
 *  open and virtual ones. Occupied orbitals are copied; those of fractional occupation cannot be
 *  rotated. Collective. HF_NO_RESOURCE. After a failure call hf_rotation_space_done. */
hf_status hf_rotation_space_init(struct hf_rotation_space *self, struct hf_context *context,
                                 struct hf_linalg *linalg, const struct hf_method_ops *method,
                                 struct hf_spin_count n_electron, struct hf_matrix *const fock[],
                                 struct hf_matrix *const occupied[],
                                 struct hf_error *error) HF_MUST_CHECK;
void hf_rotation_space_done(struct hf_rotation_space *self);

/** Rotations that are independent of each other. Not collective. */
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

/** Zero between orbitals that are occupied alike; everything else divided by the root of its number
 *  of spins: from Y to what is multiplied, and from the sum over spins of a gradient to that with
 *  respect to what is handled here. Collective. */
void hf_rotation_weigh(const struct hf_rotation_space *space, struct hf_rotation *rotation);

/** Every element divided by the difference of orbital energies less `shift`, the sign of it kept
 *  away from zero: the inverse of the diagonal of the Hessian, without its two-electron part.
 *  Collective. */
void hf_rotation_precondition(const struct hf_rotation_space *space, double shift,
                              struct hf_rotation *rotation);

/** The n rotations of one element of smallest difference of orbital energies, all orthogonal, in
 *  vector [n]; *n becomes less when there are not so many. Collective. */
void hf_rotation_smallest(const struct hf_rotation_space *space, int *n,
                          const struct hf_rotation vector[]);

/** Numbers without any symmetry, the same whatever the grid, larger where the difference of orbital
 *  energies is small; another `seed`, other numbers. Collective. */
void hf_rotation_scatter(const struct hf_rotation_space *space, unsigned seed,
                         struct hf_rotation *rotation);

/** matrix [n_set] = R Y L^T of the rotation, new [m][m] matrices, NULL where none rotates: a
 *  direction that does not refer to the orbitals of the space. Collective. HF_NO_RESOURCE. What is
 *  half made is left to the caller. */
hf_status hf_rotation_expand(const struct hf_rotation_space *space,
                             const struct hf_rotation *rotation, struct hf_matrix *matrix[],
                             struct hf_error *error) HF_MUST_CHECK;

/** New rotation Y = R^T matrix L of another space, without what mixes orbitals that are occupied
 *  alike: about the same direction if the orbitals are close to those that it was expanded with. A first
 *  vector, no more: with open shells that share a set with closed ones its elements are weighed
 *  otherwise. Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_project(const struct hf_rotation_space *space,
                              struct hf_matrix *const matrix[], struct hf_rotation *rotation,
                              struct hf_error *error) HF_MUST_CHECK;

/** product [m][k] = kappa orbitals, of a set and its weighed block [n_right][n_left]. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_rotation_apply(const struct hf_rotation_space *space, int set,
                            const struct hf_matrix *block, const struct hf_matrix *orbitals,
                            struct hf_matrix *product, struct hf_error *error) HF_MUST_CHECK;

/** occupied [n_set] = exp(kappa) times the occupied orbitals of the space, orthonormal. Sets
 *  without rotations stay as they are. Collective. HF_NO_RESOURCE. */
hf_status hf_rotation_turn(const struct hf_rotation_space *space,
                           const struct hf_rotation *rotation, struct hf_matrix *const occupied[],
                           struct hf_error *error) HF_MUST_CHECK;

#endif
