/* Vectors of HF_WIDTH primitive quartets: type, Boys function, set-up. Part of kernels.c. */
#ifndef HF_LANE_QUARTET_H
#define HF_LANE_QUARTET_H

#include "hf/lanes.h"
#include "quartet.h"

#include <math.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/** What the recurrences need of HF_WIDTH primitive quartets: one of the bra, HF_WIDTH of the ket.
 */
struct lane_quartet {
    lanes pa[3], qc[3], wp[3], wq[3];
    lanes one_over_two_zeta, one_over_two_eta, one_over_two_sum; /**< 1/(2z), 1/(2e), 1/(2(z+e)) */
    lanes rho_over_zeta, rho_over_eta;
    lanes s[HF_BOYS_MAX_ORDER + 1]; /**< (ss|ss)^(m) */
};

static inline lanes load(const double *from)
{
    return *(const lanes *)(const void *)from;
}

/** x where the mask is set, else y. */
static inline lanes choose(lane_masks mask, lanes x, lanes y)
{
    return (lanes)(((lane_masks)x & mask) | ((lane_masks)y & ~mask));
}

/** 1 / sqrt(x), x > 0. */
static inline lanes inverse_square_root(lanes x)
{
#ifdef __AVX512F__
    /* 14 bits, doubled twice by Newton's steps */
#if HF_WIDTH == 8
    lanes y = (lanes)_mm512_rsqrt14_pd((__m512d)x);
#else
    lanes y = (lanes)_mm256_rsqrt14_pd((__m256d)x);
#endif
    const lanes half = 0.5 * x;
    y += y * (0.5 - half * y * y);
    return y + y * (0.5 - half * y * y);
#else
    for (int l = 0; l < HF_WIDTH; l++) x[l] = 1.0 / sqrt(x[l]);
    return x;
#endif
}

/** Number of lanes whose mask is set. */
static inline int count_set(lane_masks mask)
{
#if defined __AVX512F__ && HF_WIDTH == 8
    return __builtin_popcount(_mm512_movepi64_mask((__m512i)mask));
#elif defined __AVX512F__
    return __builtin_popcount(_mm256_movepi64_mask((__m256i)mask));
#else
    int n = 0;
    for (int l = 0; l < HF_WIDTH; l++) n += mask[l] != 0;
    return n;
#endif
}

/** out[k][l] = row[l][k] for HF_WIDTH rows of 8 numbers, each aligned to 64 bytes. */
static inline void transpose_8(const double *const row[HF_WIDTH], lanes out[8])
{
#if defined __AVX512F__ && HF_WIDTH == 8
    __m512d r[8], s[8], t[8];
    for (int l = 0; l < 8; l++) r[l] = _mm512_load_pd(row[l]);
    for (int l = 0; l < 8; l += 2) {
        s[l] = _mm512_unpacklo_pd(r[l], r[l + 1]);
        s[l + 1] = _mm512_unpackhi_pd(r[l], r[l + 1]);
    }
    for (int l = 0; l < 8; l += 4) {
        t[l] = _mm512_shuffle_f64x2(s[l], s[l + 2], 0x88);
        t[l + 1] = _mm512_shuffle_f64x2(s[l + 1], s[l + 3], 0x88);
        t[l + 2] = _mm512_shuffle_f64x2(s[l], s[l + 2], 0xdd);
        t[l + 3] = _mm512_shuffle_f64x2(s[l + 1], s[l + 3], 0xdd);
    }
    /* t[k] holds columns k and k+4 of rows 0-3, t[k+4] those of rows 4-7, two by two. */
    const __m512i low = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
    for (int k = 0; k < 4; k++) {
        out[k] = (lanes)_mm512_permutex2var_pd(t[k], low, t[k + 4]);
        out[k + 4] = (lanes)_mm512_permutex2var_pd(t[k], high, t[k + 4]);
    }
#elif defined __AVX2__ && HF_WIDTH == 4
    for (int k = 0; k < 8; k += 4) {
        __m256d r[4], s[4];
        for (int l = 0; l < 4; l++) r[l] = _mm256_load_pd(row[l] + k);
        for (int l = 0; l < 4; l += 2) {
            s[l] = _mm256_unpacklo_pd(r[l], r[l + 1]);
            s[l + 1] = _mm256_unpackhi_pd(r[l], r[l + 1]);
        }
        out[k] = (lanes)_mm256_permute2f128_pd(s[0], s[2], 0x20);
        out[k + 1] = (lanes)_mm256_permute2f128_pd(s[1], s[3], 0x20);
        out[k + 2] = (lanes)_mm256_permute2f128_pd(s[0], s[2], 0x31);
        out[k + 3] = (lanes)_mm256_permute2f128_pd(s[1], s[3], 0x31);
    }
#else
    for (int l = 0; l < HF_WIDTH; l++)
        for (int k = 0; k < 8; k++) out[k][l] = row[l][k];
#endif
}

/** Adding it to a number leaves the nearest integer in the lowest bits. */
static const double ROUND = 6755399441055744.0; /* 1.5 * 2^52 */

/** exp(-T), 0 <= T < 700: 2^k times a Taylor series of what is left. */
static inline lanes exponential(lanes T)
{
    static const double taylor[] = {1.0,
                                    1.0,
                                    1.0 / 2,
                                    1.0 / 6,
                                    1.0 / 24,
                                    1.0 / 120,
                                    1.0 / 720,
                                    1.0 / 5040,
                                    1.0 / 40320,
                                    1.0 / 362880,
                                    1.0 / 3628800,
                                    1.0 / 39916800,
                                    1.0 / 479001600,
                                    1.0 / 6227020800.0};
    const double log2e = 1.4426950408889634, ln2_high = 0.6931471803691238,
                 ln2_low = 1.9082149292705877e-10;
    const lanes shifted = ROUND - T * log2e, k = shifted - ROUND;
    const lanes rest = (-T - k * ln2_high) - k * ln2_low;
    lanes series = broadcast(taylor[13]);
    for (int i = 12; i >= 0; i--) series = series * rest + taylor[i];
    const lane_masks power = ((lane_masks)shifted + 1023)
                             << 52; /* of 2^k, as the bits of a double */
    return series * (lanes)power;
}

/** F_order(T) from the tables, T below their limit. */
static inline __attribute__((always_inline)) lanes boys_series_lanes(const struct hf_boys *boys,
                                                                     int order, lanes T)
{
    const lanes shifted = T * HF_BOYS_PER_UNIT + ROUND;
    const lanes d = T - (shifted - ROUND) * (1.0 / HF_BOYS_PER_UNIT);
    const lane_masks grid = (lane_masks)shifted & 0xffffff;
    const double *row[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++)
        row[l] = boys->series[order] + (size_t)grid[l] * HF_BOYS_TERMS;
    lanes c[HF_BOYS_TERMS];
    transpose_8(row, c);
    lanes value = c[HF_BOYS_TERMS - 1];
    for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) value = value * d + c[k];
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

/** F_0(T) ... F_order(T) of all lanes; see hf/boys.h. Lanes beyond the tables take the asymptote,
 *  for which the downward recursion with exp(-T) = 0 is exact. */
static inline __attribute__((always_inline)) void boys_lanes(const struct hf_boys *boys, int order,
                                                             lanes T, lanes f[])
{
    const lane_masks beyond = T >= boys->limit[order];
    const int n_beyond = count_set(beyond);
    const lanes zero = broadcast(0.0);
    lanes exp_T = zero;
    if (n_beyond == HF_WIDTH) {
        f[order] = boys_asymptotic_lanes(boys, order, T);
    } else {
        const lanes inside = choose(beyond, zero, T);
        f[order] = boys_series_lanes(boys, order, inside);
        if (order > 0) exp_T = choose(beyond, zero, exponential(inside));
        if (n_beyond > 0)
            f[order] = choose(beyond,
                              boys_asymptotic_lanes(boys, order, choose(beyond, T, broadcast(1.0))),
                              f[order]);
    }
    const lanes twice = T + T;
    for (int m = order - 1; m >= 0; m--) {
        const double factor = 1.0 / (2 * m + 1);
        f[m] = twice * factor * f[m + 1] + exp_T * factor;
    }
}

/** Primitives j .. j+HF_WIDTH-1 of one pair. */
static inline void load_primitives(const struct hf_expanded_pair *pair, int j,
                                   lanes row[HF_N_PRIMITIVE_ROW])
{
    for (int k = 0; k < HF_N_PRIMITIVE_ROW; k++)
        row[k] = load(hf_pair_row(pair, (enum hf_primitive_row)k) + j);
}

/** Primitive i of the bra with HF_WIDTH primitives of the ket (or of kets). */
static inline __attribute__((always_inline)) void
set_up_lanes(const struct hf_boys *boys, const struct hf_expanded_pair *bra, int i,
             const lanes ket[HF_N_PRIMITIVE_ROW], int order, struct lane_quartet *out)
{
    const lanes zeta = broadcast(hf_pair_row(bra, HF_ROW_ZETA)[i]), eta = ket[HF_ROW_ZETA];
    const lanes root_of_inverse = inverse_square_root(zeta + eta);
    const lanes one_over_sum = root_of_inverse * root_of_inverse;
    const lanes eta_over_sum = eta * one_over_sum, zeta_over_sum = zeta * one_over_sum;

    lanes distance_squared = broadcast(0.0);
    for (int k = 0; k < 3; k++) {
        const lanes qp = ket[HF_ROW_P_X + k] - hf_pair_row(bra, HF_ROW_P_X + k)[i];
        distance_squared += qp * qp;
        out->wp[k] = eta_over_sum * qp;
        out->wq[k] = -zeta_over_sum * qp;
        out->pa[k] = broadcast(hf_pair_row(bra, HF_ROW_PA_X + k)[i]);
        out->qc[k] = ket[HF_ROW_PA_X + k];
    }
    out->one_over_two_zeta = broadcast(hf_pair_row(bra, HF_ROW_ONE_OVER_TWO_ZETA)[i]);
    out->one_over_two_eta = ket[HF_ROW_ONE_OVER_TWO_ZETA];
    out->one_over_two_sum = 0.5 * one_over_sum;
    out->rho_over_zeta = eta_over_sum;
    out->rho_over_eta = zeta_over_sum;

    const lanes prefactor =
        ket[HF_ROW_PREFACTOR] * hf_pair_row(bra, HF_ROW_PREFACTOR)[i] * root_of_inverse;
    boys_lanes(boys, order, zeta * eta_over_sum * distance_squared, out->s);
    for (int m = 0; m <= order; m++) out->s[m] *= prefactor;
}

/** How many of `n` ket primitives, sorted by falling bound, matter beside bra primitive i. */
static inline int n_significant(const struct hf_expanded_pair *bra, int i, const double *ket_bound,
                                int n, double threshold)
{
    const double bound = hf_pair_row(bra, HF_ROW_BOUND)[i];
    while (n > 0 && bound * ket_bound[n - 1] < threshold) n--;
    return n;
}

#endif
