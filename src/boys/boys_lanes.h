/* The Boys function of HF_WIDTH arguments side by side. For files that are compiled as base/lanes.h needs it. */
#ifndef HF_BOYS_LANES_H
#define HF_BOYS_LANES_H

#include "boys/lane_math.h"

/** F_m of orders order-1 .. 0 from f[order] and exp(-T), all times a factor. */
static inline __attribute__((always_inline)) void boys_downward(int order, lanes T, lanes exp_T,
                                                                lanes f[])
{
    const lanes twice = T + T;
    for (int m = order - 1; m >= 0; m--) { /* one operation waits for the order before */
        const real inverse = (real)1 / (real)(2 * m + 1);
        f[m] = (twice * inverse) * f[m + 1] + rounded(exp_T * inverse);
    }
}

#ifdef HF_SINGLE
#include "boys/boys_lanes_single.h"
#else
/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const double ROUND = 6755399441055744.0; /* 1.5 * 2^52 */

/** exp(-d), |d| <= 1/16, to 1e-16: Taylor series to d^8, whose last term is replaced by lower ones with the
 *  Chebyshev polynomial of that order (economised). */
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

/** Places of the rows of a table, and distances of T from their grid points. In memory: taking a vector apart
 *  is slower. */
struct boys_place {
    lane_masks place;
    lanes distance;
};

/** The place of T, below the limit of the tables. */
static inline __attribute__((always_inline)) struct boys_place boys_find(const struct hf_boys *boys,
                                                                         int order, lanes T)
{
    (void)boys, (void)order;
    const lanes shifted = T * HF_BOYS_PER_UNIT + ROUND;
    return (struct boys_place){
        .place = ((lane_masks)shifted & 0xffffff) * HF_BOYS_ROW,
        .distance = T - (shifted - ROUND) * (1.0 / HF_BOYS_PER_UNIT),
    };
}

/** F_order(T) and, for order > 0, exp(-T) from the tables. */
static inline __attribute__((always_inline)) lanes
boys_look_up(const struct hf_boys *boys, int order, const struct boys_place *at, lanes *exp_T)
{
    const lanes d = at->distance;
    const double *row[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) row[l] = boys->series[order] + at->place[l];
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

static inline double boys_limit(const struct hf_boys *boys, int order)
{
    return boys->limit[order];
}

/** factor F_0(T) ... factor F_order(T) of all lanes; see boys/boys.h. Lanes inside the tables use `place`.
 *  Lanes beyond use the asymptote, for which the downward recursion with exp(-T) = 0 is exact. Vectors with
 *  lanes on both sides are common: if one lane is inside, both are computed without further tests. */
static inline __attribute__((always_inline)) void boys_at_place(const struct hf_boys *boys,
                                                                int order, struct boys_argument at,
                                                                const struct boys_place *place,
                                                                lanes f[])
{
    const lanes T = at.T;
    const lane_set beyond = at_least(T, broadcast(boys->limit[order]));
    lanes exp_T = broadcast(0.0), top = boys_asymptotic_lanes(boys, order, T);
    if (!has_all(beyond)) {
        top = choose(beyond, top, boys_look_up(boys, order, place, &exp_T));
        exp_T = choose(beyond, broadcast(0.0), exp_T);
    }
    f[order] = top * at.factor;
    exp_T *= at.factor;
    boys_downward(order, T, exp_T, f);
}

#endif

/** Finds the places of T; lanes beyond the tables get the place of 0. */
static inline __attribute__((always_inline)) struct boys_place
boys_find_inside(const boys_tables *boys, int order, lanes T)
{
    const lane_set beyond = at_least(T, broadcast(boys_limit(boys, order)));
    return boys_find(boys, order, choose(beyond, broadcast(0), T));
}

/** factor F_0(T) ... factor F_order(T) of all lanes; see boys/boys.h. With many vectors it is faster to find
 *  all places first. */
static inline __attribute__((always_inline)) void boys_lanes(const boys_tables *boys, int order,
                                                             struct boys_argument at, lanes f[])
{
    struct boys_place place = boys_find_inside(boys, order, at.T);
#ifndef HF_SINGLE
    __asm__ volatile("" : "+m"(place));
#endif
    boys_at_place(boys, order, at, &place, f);
}

/** Data of F_0(T) / sum^(1/2), T = product / sum, all that (ss|ss) needs. One root is enough instead of two:
 *  beyond the table F_0 is a constant over the root of T, and the sum cancels. */
struct boys_lowest {
    struct boys_place place;
    lanes root; /**< one over the root of the sum or, beyond, of the product */
    lane_set beyond;
};

static inline __attribute__((always_inline)) struct boys_lowest
boys_find_lowest(const boys_tables *boys, lanes product, lanes sum)
{
    const lane_set beyond = at_least(product, sum * boys_limit(boys, 0));
    const lanes root = inverse_square_root(choose(beyond, product, sum));
    return (struct boys_lowest){.place =
                                    boys_find(boys, 0, product * (root * root)), /* beyond: 1 */
                                .root = root,
                                .beyond = beyond};
}

static inline __attribute__((always_inline)) lanes boys_look_lowest_up(const boys_tables *boys,
                                                                       const struct boys_lowest *at)
{
    lanes exp_T, value = broadcast((real)0.88622692545275801365); /* sqrt(pi) / 2 */
    if (!has_all(at->beyond))
        value = choose(at->beyond, value, boys_look_up(boys, 0, &at->place, &exp_T));
    return value * at->root;
}

#endif
