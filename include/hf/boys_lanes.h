/* The Boys function of HF_WIDTH arguments side by side. For files that are compiled as those of
 * hf/lanes.h. */
#ifndef HF_BOYS_LANES_H
#define HF_BOYS_LANES_H

#include "hf/lane_math.h"

#ifdef HF_SINGLE
#include "hf/boys_lanes_single.h"
#else
/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const double ROUND = 6755399441055744.0; /* 1.5 * 2^52 */

/** exp(-d), |d| <= 1/16, to 1e-16: Taylor series to d^8, whose last term is spread over lower ones
 *  as the Chebyshev polynomial of that order is (economised). */
static inline __attribute__((always_inline)) lanes short_exponential(lanes d)
{
    static const double c[] = {1.0,
                               -1.0,
                               1.0 / 2 + 1.0 / 4 / 40320 / 16777216,
                               -1.0 / 6,
                               1.0 / 24 - 5.0 / 4 / 40320 / 65536,
                               -1.0 / 120,
                               1.0 / 720 + 2.0 / 40320 / 256,
                               -1.0 / 5040};
    lanes value = broadcast(c[7]);
    for (int k = 6; k >= 0; k--) value = value * d + c[k];
    return value;
}

/** F_order(T) and, for order > 0, exp(-T) from the tables, T below their limit. */
static inline __attribute__((always_inline)) lanes
boys_series_lanes(const struct hf_boys *boys, int order, lanes T, lanes *exp_T)
{
    const lanes shifted = T * HF_BOYS_PER_UNIT + ROUND;
    const lanes d = T - (shifted - ROUND) * (1.0 / HF_BOYS_PER_UNIT);
    lane_masks place = ((lane_masks)shifted & 0xffffff) * HF_BOYS_ROW;
    __asm__ volatile("" : "+m"(place)); /* by memory: taking a vector apart is slower */
    const double *row[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) row[l] = boys->series[order] + place[l];
    lanes c[HF_BOYS_ROW];
    transpose_8(row, c);
    lanes value = c[HF_BOYS_TERMS - 1];
    for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) value = value * d + c[k];
    if (order > 0) *exp_T = c[HF_BOYS_TERMS] * short_exponential(d);
    return value;
}

/** F_order(T) for large T. */
static inline __attribute__((always_inline)) lanes boys_asymptotic_lanes(const struct hf_boys *boys,
                                                                         int order, lanes T)
{
    const lanes root = inverse_square_root(T), inverse = root * root;
    lanes value = boys->asymptotic[order] * root;
    for (int k = 0; k < order; k++) value *= inverse;
    return value;
}

/** factor F_0(T) ... factor F_order(T) of all lanes; see hf/boys.h. Lanes beyond the tables take the
 *  asymptote, for which the downward recursion with exp(-T) = 0 is exact. Groups with lanes on both
 *  sides are as many as others: where one is inside both are made, without asking further. */
static inline __attribute__((always_inline)) void boys_lanes(const struct hf_boys *boys, int order,
                                                             struct boys_argument at, lanes f[])
{
    const lanes T = at.T;
    const lane_masks beyond = T >= boys->limit[order];
    lanes exp_T = broadcast(0.0), top = boys_asymptotic_lanes(boys, order, T);
    if (count_set(beyond) < HF_WIDTH) {
        top = choose(beyond, top,
                     boys_series_lanes(boys, order, choose(beyond, broadcast(0.0), T), &exp_T));
        exp_T = choose(beyond, broadcast(0.0), exp_T);
    }
    f[order] = top * at.factor;
    exp_T *= at.factor;
    const lanes twice = T + T;
    for (int m = order - 1; m >= 0; m--) {
        const real inverse = (real)1 / (2 * m + 1);
        f[m] =
            (twice * f[m + 1] + exp_T) * inverse; /* one product in the sum: one way to round it */
    }
}

#endif

#endif
