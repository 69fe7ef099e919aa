/* The Boys function in single precision; what boys_lanes.h has for double precision. Part of it. */
#ifndef HF_BOYS_LANES_SINGLE_H
#define HF_BOYS_LANES_SINGLE_H

#include "boys/lane_math.h"

/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const float ROUND = 12582912.0F; /* 1.5 * 2^23 */

/** Looks up numbers of a table by the lowest bits of an index. */
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

/** The interval of T in the lowest bits of `index`, and the distance of T from its middle. */
struct boys_place {
    lanes index, distance;
};

/** The place of T, up to the limit of the tables. */
static inline __attribute__((always_inline)) struct boys_place
boys_find(const struct hf_boys_single *boys, int order, lanes T)
{
    const float per_unit = boys->of[order].per_unit;
    const lanes index = T * per_unit + ROUND;
    return (struct boys_place){.index = index, .distance = T * per_unit - (index - ROUND)};
}

/** F_order(T) and, for order > 0, exp(-T) from the tables. */
static inline __attribute__((always_inline)) lanes boys_look_up(const struct hf_boys_single *boys,
                                                                int order,
                                                                const struct boys_place *at,
                                                                lanes *exp_T)
{
    const struct hf_boys_single_order *table = &boys->of[order];
    const int n = hf_boys_single_terms(order);
    const lanes index = at->index, d = at->distance;
    lanes value = look_up(table->coefficient[n - 1], index);
    for (int k = n - 2; k >= 0; k--) value = value * d + look_up(table->coefficient[k], index);
    if (order > 0) {
        lanes series = broadcast(table->series[n - 1]);
        for (int k = n - 2; k >= 0; k--) series = series * d + table->series[k];
        *exp_T = look_up(table->exponential, index) * series;
    }
    return value;
}

/** factor F_0(T) ... factor F_order(T) for large T. Goes upwards in order: the highest may underflow, and lower
 *  ones could not be computed from it. */
static inline __attribute__((always_inline)) void boys_asymptotic_lanes(int order, lanes T,
                                                                        lanes factor, lanes f[])
{
    const lanes root = inverse_square_root(T), square = root * root;
    const lanes inverse =
        square + square * (1.0F - T * square); /* its error goes into all orders */
    f[0] = root * (factor * 0.886226925F);     /* sqrt(pi) / 2 */
    for (int m = 0; m < order; m++) f[m + 1] = f[m] * (inverse * ((real)m + 0.5F));
}

static inline float boys_limit(const struct hf_boys_single *boys, int order)
{
    return boys->of[order].limit;
}

/** factor F_0(T) ... factor F_order(T) of all lanes; lanes inside the tables use `place`; see boys_single.h. */
static inline __attribute__((always_inline)) void boys_at_place(const struct hf_boys_single *boys,
                                                                int order, struct boys_argument at,
                                                                const struct boys_place *place,
                                                                lanes f[])
{
    const struct hf_boys_single_order *table = &boys->of[order];
    const lanes T = at.T, factor = at.factor;
    const lane_set beyond = at_least(T, broadcast(table->limit));
    if (has_all(beyond)) {
        boys_asymptotic_lanes(order, T, factor, f);
        return;
    }
    lanes exp_T = broadcast(0.0F);
    f[order] = boys_look_up(boys, order, place, &exp_T) * factor;
    boys_downward(order, choose(beyond, broadcast(0.0F), T), exp_T * factor, f);
    if (has_none(beyond)) return;
    lanes far[HF_BOYS_MAX_ORDER + 1]; /* lanes inside the tables may be NaN here */
    boys_asymptotic_lanes(order, T, factor, far);
    for (int m = 0; m <= order; m++) f[m] = choose(beyond, far[m], f[m]);
}

#endif
