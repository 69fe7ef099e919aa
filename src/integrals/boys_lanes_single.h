/* The Boys function in single precision; what boys_lanes.h has for double precision. Part of it. */
#ifndef HF_BOYS_LANES_SINGLE_H
#define HF_BOYS_LANES_SINGLE_H

#include "lane_quartet.h"

/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const float ROUND = 12582912.0F; /* 1.5 * 2^23 */

/** exp(-T), 0 <= T < 80: 2^k times a Taylor series of what is left. */
static inline lanes exponential(lanes T)
{
    static const float taylor[] = {1.0F,      1.0F,       1.0F / 2,   1.0F / 6,
                                   1.0F / 24, 1.0F / 120, 1.0F / 720, 1.0F / 5040};
    const float log2e = 1.44269504F, ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
    const lanes shifted = ROUND - T * log2e, k = shifted - ROUND;
    const lanes rest = (-T - k * ln2_high) - k * ln2_low;
    lanes series = broadcast(taylor[7]);
    for (int i = 6; i >= 0; i--) series = series * rest + taylor[i];
    const lane_masks power = ((lane_masks)shifted + 127) << 23; /* of 2^k, as the bits of a float */
    return series * (lanes)power;
}

/** F_order(T) from the tables, T below their limit. */
static inline __attribute__((always_inline)) lanes
boys_series_lanes(const struct hf_boys_single *boys, int order, lanes T)
{
    const lanes shifted = T * HF_BOYS_SINGLE_PER_UNIT + ROUND;
    const lanes d = T - (shifted - ROUND) * (1.0F / HF_BOYS_SINGLE_PER_UNIT);
    const lane_masks grid = (lane_masks)shifted & 0x3fffff;
    const float *row[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++)
        row[l] = boys->series[order] + (size_t)grid[l] * HF_BOYS_SINGLE_TERMS;
    lanes c[HF_BOYS_SINGLE_TERMS];
    transpose_fours(1, row, c);
    return ((c[3] * d + c[2]) * d + c[1]) * d + c[0];
}

/** factor F_0(T) ... factor F_order(T) for large T. Upwards: the highest of them may be too small for
 *  a number, and those below could not be made of it. */
static inline __attribute__((always_inline)) void boys_asymptotic_lanes(int order, lanes T,
                                                                        lanes factor, lanes f[])
{
    const lanes root = inverse_square_root(T), square = root * root;
    const lanes inverse =
        square + square * (1.0F - T * square); /* its error goes into all orders */
    f[0] = root * (factor * 0.886226925F);     /* sqrt(pi) / 2 */
    for (int m = 0; m < order; m++) f[m + 1] = f[m] * (inverse * ((real)m + 0.5F));
}

/** factor F_0(T) ... factor F_order(T) of all lanes; see boys_single.h. */
static inline __attribute__((always_inline)) void
boys_lanes(const struct hf_boys_single *boys, int order, struct boys_argument at, lanes f[])
{
    const lanes T = at.T, factor = at.factor;
    const lane_masks beyond = T >= boys->limit[order];
    const int n_beyond = count_set(beyond);
    if (n_beyond == HF_WIDTH) {
        boys_asymptotic_lanes(order, T, factor, f);
        return;
    }
    const lanes inside = n_beyond > 0 ? choose(beyond, broadcast(0.0F), T) : T;
    f[order] = boys_series_lanes(boys, order, inside) * factor;
    if (order > 0) {
        const lanes twice = inside + inside, exp_T = exponential(inside) * factor;
        for (int m = order - 1; m >= 0; m--) {
            const real inverse = 1.0F / (real)(2 * m + 1);
            f[m] = (twice * f[m + 1] + exp_T) * inverse;
        }
    }
    if (n_beyond == 0) return;
    lanes far[HF_BOYS_MAX_ORDER + 1];
    boys_asymptotic_lanes(order, choose(beyond, T, broadcast(1.0F)), factor, far);
    for (int m = 0; m <= order; m++) f[m] = choose(beyond, far[m], f[m]);
}

#endif
