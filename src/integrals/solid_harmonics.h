/* Real solid harmonics as sums of Cartesian monomials. */
#ifndef HF_SOLID_HARMONICS_H
#define HF_SOLID_HARMONICS_H

#include "hf/units.h"

enum { HF_MAX_SPHERICAL = 2 * HF_MAX_L + 1, HF_MAX_TERMS = 12 };

/** The harmonics of one l: function m = -l ... l (row m + l) is
 *  sum_k coefficient[row][k] x^i y^j z^(l-i-j), monomial column[row][k] in Cartesian order
 * (hf_shell), k < n_term[row]. Norm 1 when <x^l | x^l> = 1. */
struct hf_solid_harmonics {
    int n_term[HF_MAX_SPHERICAL];
    int column[HF_MAX_SPHERICAL][HF_MAX_TERMS];
    double coefficient[HF_MAX_SPHERICAL][HF_MAX_TERMS];
};

/** Harmonics of 0 <= l <= HF_MAX_L. Not collective.
 *  Source: Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, Eqs. 6.4.47-6.4.50.
 */
void hf_solid_harmonics_init(int l, struct hf_solid_harmonics *harmonics);

/** out [2l+1][right] from in [(l+1)(l+2)/2][right]: the slowest index becomes spherical. in and out
 *  must not overlap. Not collective. */
void hf_solid_harmonics_apply(const struct hf_solid_harmonics *harmonics, int l, int right,
                              const double *in, double *out);

/** Coefficients of monomials [(l+1)(l+2)/2] from those of functions [2l+1], for example of an orbital. Not collective. */
void hf_solid_harmonics_to_monomials(const struct hf_solid_harmonics *harmonics, int l,
                                     const double function[], double monomial[]);

#endif
