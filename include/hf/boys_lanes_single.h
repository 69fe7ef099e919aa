/* The Boys function in single precision; what boys_lanes.h has for double precision. Part of it. */
#ifndef HF_BOYS_LANES_SINGLE_H
#define HF_BOYS_LANES_SINGLE_H

#include "hf/lane_math.h"

/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const float ROUND = 12582912.0F; /* 1.5 * 2^23 */

/** Numbers of a table, by the lowest bits of an index. */
static inline __attribute__((always_inline)) lanes
look_up(const float table[HF_BOYS_SINGLE_INTERVALS], lanes index)
{
#if defined __AVX512F__ && HF_WIDTH == 16
    return (lanes)_mm512_permutex2var_ps(_mm512_load_ps(table), (__m512i)index,
                                         _mm512_load_ps(table + 16));
#elif defined __AVX512F__
    return (lanes)_mm512_castps512_ps256(_mm512_permutex2var_ps(
        _mm512_load_ps(table), _mm512_castsi256_si512((__m256i)index), _mm512_load_ps(table + 16)));
#else
    const lane_masks place = (lane_masks)index & (HF_BOYS_SINGLE_INTERVALS - 1);
#ifdef __AVX2__
    return (lanes)_mm256_i32gather_ps(table, (__m256i)place, sizeof *table);
#else
    lanes found = {0};
    for (int l = 0; l < HF_WIDTH; l++) found[l] = table[place[l]];
    return found;
#endif
#endif
}

/** F_order(T) and, for order > 0, exp(-T) from the tables, T up to their limit. */
static inline __attribute__((always_inline)) lanes
boys_series_lanes(const struct hf_boys_single_order *table, int order, lanes T, lanes *exp_T)
{
    const int n = hf_boys_single_terms(order);
    const lanes index = T * table->per_unit + ROUND;
    const lanes d = T * table->per_unit - (index - ROUND);
    lanes value = look_up(table->coefficient[n - 1], index);
    for (int k = n - 2; k >= 0; k--) value = value * d + look_up(table->coefficient[k], index);
    if (order > 0) {
        lanes series = broadcast(table->series[n - 1]);
        for (int k = n - 2; k >= 0; k--) series = series * d + table->series[k];
        *exp_T = look_up(table->exponential, index) * series;
    }
    return value;
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
    const struct hf_boys_single_order *table = &boys->of[order];
    const lanes T = at.T, factor = at.factor;
    const lane_masks beyond = T >= table->limit;
    const int n_beyond = count_set(beyond);
    if (n_beyond == HF_WIDTH) {
        boys_asymptotic_lanes(order, T, factor, f);
        return;
    }
    const lanes inside = choose(beyond, broadcast(table->limit), T);
    lanes exp_T = broadcast(0.0F);
    f[order] = boys_series_lanes(table, order, inside, &exp_T) * factor;
    exp_T *= factor;
    const lanes twice = inside + inside;
    for (int m = order - 1; m >= 0; m--) {
        const real inverse = 1.0F / (real)(2 * m + 1);
        f[m] = (twice * f[m + 1] + exp_T) * inverse;
    }
    if (n_beyond == 0) return;
    lanes far[HF_BOYS_MAX_ORDER + 1]; /* of the other lanes it may be no number */
    boys_asymptotic_lanes(order, T, factor, far);
    for (int m = 0; m <= order; m++) f[m] = choose(beyond, far[m], f[m]);
}

#endif
