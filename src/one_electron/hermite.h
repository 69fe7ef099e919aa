/* Charge distributions of two shells as Hermite Gaussians,
 *
 *     sum_ab D_ab a(r) b(r) = sum_k sum_tuv H_k,tuv (d/dP_x)^t (d/dP_y)^u (d/dP_z)^v
 *                                             exp(-p_k |r - P_k|^2)
 *
 * one k per pair of primitives: whatever is asked of a density that is linear in it (multipole moments, the
 * potential it makes, its values in space) needs neither a matrix of the operator nor its integrals. */
#ifndef HF_HERMITE_H
#define HF_HERMITE_H

#include "hf/basis.h"
#include "hf/status.h"
#include "integrals/cartesian.h"
#include "integrals/solid_harmonics.h"

#include <stddef.h>

enum {
    HF_MOST_RAISED_L =
        HF_MAX_L +
        3, /**< of the second function: the kinetic energy raises it twice, a derivative once */
    HF_MOST_EXPANSION_T = HF_MAX_L + HF_MOST_RAISED_L
};

/** E_t^ij: x_A^i x_B^j times two Gaussians is the sum over t of E_t^ij times the t-th derivative, with respect
 *  to P, of a Gaussian about P. */
struct hf_hermite_expansion {
    double e[HF_MAX_L + 1][HF_MOST_RAISED_L + 1][HF_MOST_EXPANSION_T + 2];
};

/** E_t^ij for i <= l_a, j <= l_b, t <= i + j, and a zero at t = i + j + 1. `half` is 1/(2p), `pa` and `pb` are
 *  P_x - A_x and P_x - B_x, and E_0^00 is `first`. Not collective.
 *  Source: Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, Eqs. 9.5.6 and 9.5.7. */
void hf_expand_in_hermite(double half, double pa, double pb, double first, int l_a, int l_b,
                          struct hf_hermite_expansion *out);

/** block[a][b] over Cartesian functions = factor T_a^T D T_b, T from Cartesian to the shells' own
 *  functions, D_ij = density[i * stride + j]; `scratch` is as large as `block`. Returns the largest modulus of
 *  the block. Not collective. */
double hf_density_to_cartesian(const struct hf_solid_harmonics harmonics[],
                               const struct hf_shell *a, const struct hf_shell *b, double factor,
                               const double *density, size_t stride, double scratch[],
                               double block[]);

/** One pair of primitives. */
struct hf_hermite_gaussian {
    double exponent;           /**< p, 1/bohr^2 */
    double centre[3];          /**< P, bohr */
    int order;                 /**< highest t + u + v */
    const double *coefficient; /**< [hf_hermite_index(0, 0, order) + 1], H by hf_hermite_index */
};

/** What a pair of shells is expanded in, with tables and scratch: for one thread at a time. */
struct hf_hermite_products;

/** For shells of `basis`, which must outlive it. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_hermite_products_create(const struct hf_basis *basis,
                                     struct hf_hermite_products **products,
                                     struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_hermite_products_destroy(struct hf_hermite_products **products);

/** Expands factor sum_ij D_ij a_i b_j, D_ij = density[i * stride + j] over the functions of shells a
 *  and b of the basis (not merged). Pairs of primitives that add less than `smallest` (the largest
 *  |D| times coefficients and prefactor) are left out.
 *
 *  Returns  how many there are; gaussian (*list)[] lives until the next call.
 *  Call     not collective.
 *  Source   McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978); Helgaker, Jorgensen, Olsen,
 *           Molecular Electronic-Structure Theory, section 9.5. */
int hf_hermite_expand(struct hf_hermite_products *products, const struct hf_shell *a,
                      const struct hf_shell *b, double factor, const double density[],
                      size_t stride, double smallest, const struct hf_hermite_gaussian *list[]);

enum { HF_N_MOMENT = 10 };

/** moment[HF_N_MOMENT] += integrals of the distribution times 1, x, y, z, xx, xy, xz, yy, yz, zz,
 *  coordinates from `origin`. Not collective. */
void hf_hermite_add_moments(int n, const struct hf_hermite_gaussian gaussian[],
                            const double origin[3], double moment[]);

/** Points at which potentials are asked for, with tables and scratch: for one thread at a time. */
struct hf_hermite_points;

/** The points x[n], y[n], z[n], which are copied, for distributions of the shells of `basis`. Not
 *  collective. HF_NO_RESOURCE: memory. */
hf_status hf_hermite_points_create(const struct hf_basis *basis, int n, const double x[],
                                   const double y[], const double z[],
                                   struct hf_hermite_points **points,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_hermite_points_destroy(struct hf_hermite_points **points);

/** potential[i] += integral of the distribution, Gaussians of one order, over |r - point_i|. The time grows with Gaussians times
 *  points. Not collective. */
void hf_hermite_add_potential(struct hf_hermite_points *points, int n,
                              const struct hf_hermite_gaussian gaussian[], double potential[]);

/** Charges [n] of the points, for hf_hermite_add_charges. Forgets the slopes so far. Not collective. */
void hf_hermite_points_set_charges(struct hf_hermite_points *points, const double charge[]);

/** Of one Gaussian and the charges: potential[hf_n_hermite(order + 1)] is what the charges make at Hermite
 *  Gaussians of its exponent and centre, each with the coefficient 1; together[3] the derivative of the
 *  Gaussian's potential energy by its centre. Its slope at the points is added to those so far. Not
 *  collective. */
void hf_hermite_add_charges(struct hf_hermite_points *points,
                            const struct hf_hermite_gaussian *gaussian, double potential[],
                            double together[3]);

/** slope[i][3] += -charge_i times the derivative by point i of the potential that all Gaussians so far make
 *  there: of an energy of electrons with positive charges. Not collective. */
void hf_hermite_add_slopes(const struct hf_hermite_points *points, const double charge[],
                           double (*slope)[3]);

#endif
