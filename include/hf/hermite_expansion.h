/* Coefficients of the product of two primitives in Hermite Gaussians, one direction at a time. Inside hf
 * only. */
#ifndef HF_HERMITE_EXPANSION_H
#define HF_HERMITE_EXPANSION_H

#include "hf/cartesian.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HF_MOST_RAISED_L =
        HF_MAX_L + 2, /**< of the second function: the kinetic energy raises it twice */
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

#ifdef __cplusplus
}
#endif
#endif
