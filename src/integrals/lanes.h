/* Vectors of HF_LANES primitive quartets: type, Boys function, set-up. Part of kernels.c. */
#ifndef HF_LANES_H
#define HF_LANES_H

#include "kernels.h"

#include <math.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

typedef double lanes __attribute__((vector_size(HF_LANES * sizeof(double))));

/** What the recurrences need of HF_LANES primitive quartets: one of the bra, HF_LANES of the ket.
 */
struct lane_quartet {
    lanes pa[3], qc[3], wp[3], wq[3];
    lanes one_over_two_zeta, one_over_two_eta, one_over_two_sum; /**< 1/(2z), 1/(2e), 1/(2(z+e)) */
    lanes rho_over_zeta, rho_over_eta;
    lanes s[HF_BOYS_MAX_ORDER + 1]; /**< (ss|ss)^(m) */
};

static inline lanes broadcast(double x)
{
    return (lanes){x, x, x, x, x, x, x, x};
}

static inline lanes load(const double *from)
{
    return *(const lanes *)(const void *)from;
}

static inline double sum_of_lanes(lanes x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static inline lanes square_root(lanes x)
{
#ifdef __AVX512F__
    return (lanes)_mm512_sqrt_pd((__m512d)x);
#else
    for (int l = 0; l < HF_LANES; l++) x[l] = sqrt(x[l]);
    return x;
#endif
}

/** out[k][l] = row[l][k] for 8 rows of 8 numbers, each aligned to 64 bytes. */
static inline void transpose_8(const double *const row[8], lanes out[8])
{
#ifdef __AVX512F__
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
#else
    for (int l = 0; l < 8; l++)
        for (int k = 0; k < 8; k++) out[k][l] = row[l][k];
#endif
}

/** Taylor series of exp(-d), |d| <= 1/32, in lanes. */
static inline lanes exponential_series(lanes d)
{
    const double taylor[8] = {1.0,      -1.0,       1.0 / 2,   -1.0 / 6,
                              1.0 / 24, -1.0 / 120, 1.0 / 720, -1.0 / 5040};
    lanes series = broadcast(taylor[7]);
    for (int k = 6; k >= 0; k--) series = series * d + taylor[k];
    return series;
}

/** F_0(T) ... F_order(T) of all lanes; see hf/boys.h. Lanes beyond the tables take the asymptote,
 *  for which the downward recursion with exp(-T) = 0 is exact. */
static inline __attribute__((always_inline)) void boys_lanes(const struct hf_boys *boys, int order,
                                                             lanes T, lanes f[])
{
    const double limit = boys->limit[order];
    _Alignas(64) double t[HF_LANES], d[HF_LANES], exponential[HF_LANES], top[HF_LANES];
    int grid[HF_LANES], n_beyond = 0;
    *(lanes *)(void *)t = T;
    for (int l = 0; l < HF_LANES; l++) {
        const double inside = t[l] < limit ? t[l] : 0.0;
        grid[l] = (int)(inside * HF_BOYS_PER_UNIT + 0.5);
        d[l] = inside - (double)grid[l] * (1.0 / HF_BOYS_PER_UNIT);
        n_beyond += t[l] < limit ? 0 : 1;
    }
    for (int l = 0; l < HF_LANES; l++) exponential[l] = boys->exponential[grid[l]];
    lanes c[HF_BOYS_TERMS];
    const double *taylor_row[HF_LANES];
    for (int l = 0; l < HF_LANES; l++)
        taylor_row[l] = boys->taylor[order] + (size_t)grid[l] * HF_BOYS_TERMS;
    transpose_8(taylor_row, c);
    const lanes distance = load(d);
    lanes value = c[HF_BOYS_TERMS - 1];
    for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) value = value * distance + c[k];
    lanes exp_T = broadcast(0.0);
    if (order > 0) exp_T = load(exponential) * exponential_series(distance);
    if (n_beyond > 0) {
        *(lanes *)(void *)top = value;
        *(lanes *)(void *)exponential = exp_T;
        for (int l = 0; l < HF_LANES; l++) {
            if (t[l] < limit) continue;
            const double inverse = 1.0 / t[l];
            top[l] = boys->asymptotic[order] * sqrt(inverse);
            for (int k = 0; k < order; k++) top[l] *= inverse;
            exponential[l] = 0.0;
        }
        value = load(top);
        exp_T = load(exponential);
    }
    f[order] = value;
    const lanes twice = T + T;
    for (int m = order - 1; m >= 0; m--) f[m] = (twice * f[m + 1] + exp_T) * (1.0 / (2 * m + 1));
}

/** Primitives j .. j+HF_LANES-1 of one pair. */
static inline void load_primitives(const struct hf_shell_pair *pair, int j,
                                   lanes row[HF_N_PRIMITIVE_ROW])
{
    for (int k = 0; k < HF_N_PRIMITIVE_ROW; k++)
        row[k] = load(hf_pair_row(pair, (enum hf_primitive_row)k) + j);
}

/** `n_row` rows of primitive j of each of HF_LANES pairs; a pair that has no such primitive gives
 *  one that adds nothing. */
static inline void collect_primitives(const struct hf_shell_pair *const pair[HF_LANES], int j,
                                      int n_row, lanes row[])
{
    for (int l = 0; l < HF_LANES; l++) {
        const int stride = pair[l]->n_padded;
        const double *from = pair[l]->primitive + (j < pair[l]->n_primitive ? j : 0);
        for (int k = 0; k < n_row; k++) row[k][l] = from[(size_t)k * stride];
        if (j < pair[l]->n_primitive) continue;
        row[HF_ROW_PREFACTOR][l] = 0.0;
        row[HF_ROW_BOUND][l] = 0.0;
    }
}

/** Primitive i of the bra with HF_LANES primitives of the ket (or of kets). */
static inline __attribute__((always_inline)) void
set_up_lanes(const struct hf_boys *boys, const struct hf_shell_pair *bra, int i,
             const lanes ket[HF_N_PRIMITIVE_ROW], int order, struct lane_quartet *out)
{
    const lanes zeta = broadcast(hf_pair_row(bra, HF_ROW_ZETA)[i]), eta = ket[HF_ROW_ZETA];
    const lanes one_over_sum = 1.0 / (zeta + eta);
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
        ket[HF_ROW_PREFACTOR] * hf_pair_row(bra, HF_ROW_PREFACTOR)[i] * square_root(one_over_sum);
    boys_lanes(boys, order, zeta * eta_over_sum * distance_squared, out->s);
    for (int m = 0; m <= order; m++) out->s[m] *= prefactor;
}

/** How many of `n` ket primitives, sorted by falling bound, matter beside bra primitive i. */
static inline int n_significant(const struct hf_shell_pair *bra, int i, const double *ket_bound,
                                int n, double threshold)
{
    const double bound = hf_pair_row(bra, HF_ROW_BOUND)[i];
    while (n > 0 && bound * ket_bound[n - 1] < threshold) n--;
    return n;
}

#endif
