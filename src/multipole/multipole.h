/* Expansions of the Coulomb potential in solid harmonics: moments of Hermite Gaussians, local
 * expansions, and bounds on their errors. Complex harmonics, scaled so that translations have no
 * coefficients (Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, section 9.13):
 *
 *     1/|r - s| = sum_lm R_lm^*(s) I_lm(r),   |s| < |r|
 *
 * docs/numerics.md derives the bounds. Inside hf only. */
#ifndef HF_MULTIPOLE_H
#define HF_MULTIPOLE_H

#include "integrals/cartesian.h"

#include <stdbool.h>

enum {
    HF_MAX_EXPANSION = 24, /**< highest order of an expansion */
    HF_MAX_EXPANSION_SIZE = (HF_MAX_EXPANSION + 1) * (HF_MAX_EXPANSION + 1),
    HF_MAX_POINT_SIZE = (HF_MAX_RAISED_PAIR_L + 1) * (HF_MAX_RAISED_PAIR_L + 1),
};

/** Numbers of an expansion: those of m and -m are conjugate but for a sign, so that l has
 *  Re(l,0..l) at l^2 and Im(l,1..l) from l^2 + l + 1 on. */
static inline int hf_multipole_size(int order)
{
    return (order + 1) * (order + 1);
}

/** Derivatives of R_jk of degree j = t + u + v, which are constants. */
struct hf_hermite_harmonics {
    double value[HF_MAX_POINT_SIZE][HF_N_RAISED_HERMITE - HF_N_HERMITE];
};

void hf_hermite_harmonics_init(struct hf_hermite_harmonics *harmonics);

/** Outside of its extent sum_tuv H_tuv d^tuv/dP^tuv of a Gaussian of unit charge has the field of
 *  point multipoles at P. Their moments about P, [hf_multipole_size(order)], from H_tuv,
 *  [hf_n_hermite(order)], in the order of hf_hermite_index; numbers of `from` and `to` are `from_step` and `to_step` apart. */
void hf_hermite_to_moments(const struct hf_hermite_harmonics *harmonics, int order,
                           const double from[], int from_step, double to[], int to_step);

/** Derivatives d^tuv of the potential that has the local expansion `from` about the place. */
void hf_local_to_hermite(const struct hf_hermite_harmonics *harmonics, int order,
                         const double from[], int from_step, double to[], int to_step);

/** The Hermite Gaussians of an expansion, as bounds need them: within a sphere about its centre. */
struct hf_expanded {
    double radius;   /**< from the centre of the expansion to the farthest P, bohr */
    double exponent; /**< lowest; infinite: points */
    int order;       /**< highest t + u + v */
    /** Of moments: sum over them of sum_(t+u+v=k) |q_tuv|, where q_tuv is the charge times d^tuv; of a
     *  local expansion: the largest of them of such a sum, of what is multiplied with d^tuv of the
     *  potential. Units of charge times bohr^k. */
    double strength[HF_MAX_RAISED_PAIR_L + 1];
};

/** Largest sum of |coefficients| of a function of a shell in monomials. */
double hf_widest_function(int l, bool spherical);

/** e[k], k <= l_a + l_b: sums of |E_tuv| over t+u+v = k of Cartesian functions of l_a and l_b, at most,
 *  where half = 1/(2p), and pa and pb are the distances of the product from both; e has one number more. The
 *  recurrence of one direction (Helgaker, Jorgensen, Olsen, Eq. 9.5.6) with the whole distances; for every
 *  step of one direction is a step of this one, with no larger factors. */
void hf_bound_expansion(double half, double pa, double pb, int l_a, int l_b, double e[]);

/** Bound on the error, summed over the charges, of treating Gaussians as points; infinite for spheres that
 *  touch. `distance` is that of the centres. Symmetric. */
double hf_overlap_error(const struct hf_expanded *near, const struct hf_expanded *far,
                        double distance);

/** Whether the error of expansions up to order `highest` is certainly within `tolerance`. */
bool hf_well_separated(const struct hf_expanded *local, const struct hf_expanded *moments,
                       double distance, int highest, double tolerance);

/** Orders that the expansions need, if hf_well_separated is true for `highest`. Returns the order of the moments;
 *  to_order[j] is the order of the local expansion that moments of order j contribute to, -1: to none. */
int hf_expansion_orders(const struct hf_expanded *local, const struct hf_expanded *moments,
                        double distance, int highest, double tolerance,
                        int to_order[HF_MAX_EXPANSION + 1]);

#endif
