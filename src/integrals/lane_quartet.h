/* Vectors of HF_WIDTH primitive quartets: type, set-up. Part of kernels.c. */
#ifndef HF_LANE_QUARTET_H
#define HF_LANE_QUARTET_H

#include "quartet.h"
#include "recurrence_input.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/** Where F_0(T) .. is wanted, and what it is multiplied with. */
struct boys_argument {
    lanes T, factor;
};

static inline lanes load(const real *from)
{
    return *(const lanes *)(const void *)from;
}

#ifdef __AVX512F__
/** out[k][l] = row[l][k] for 8 rows of 8 numbers, each aligned to 64 bytes. */
static inline void transpose_eight(const double *const row[8], __m512d out[8])
{
    /* Halves of two rows come side by side from memory, so that two steps do. */
    static const int first[4] = {0, 1, 4, 5};
    for (int k = 0; k < 8; k += 4) {
        __m512d r[4], s[4];
        for (int i = 0; i < 4; i++)
            r[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(row[first[i]] + k)),
                                      _mm256_load_pd(row[first[i] + 2] + k), 1);
        for (int i = 0; i < 4; i += 2) {
            s[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
            s[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
        }
        out[k] = _mm512_shuffle_f64x2(s[0], s[2], 0x88);
        out[k + 1] = _mm512_shuffle_f64x2(s[1], s[3], 0x88);
        out[k + 2] = _mm512_shuffle_f64x2(s[0], s[2], 0xdd);
        out[k + 3] = _mm512_shuffle_f64x2(s[1], s[3], 0xdd);
    }
}
#endif

/** x where the mask is set, else y. */
static inline lanes choose(lane_masks mask, lanes x, lanes y)
{
    return (lanes)(((lane_masks)x & mask) | ((lane_masks)y & ~mask));
}

#ifdef HF_SINGLE
#include "single_lanes.h"

typedef struct hf_boys_single boys_tables;
#else
typedef struct hf_boys boys_tables;

/** 1 / sqrt(x), x > 0. */
static inline lanes inverse_square_root(lanes x)
{
#ifdef __AVX512F__
#if HF_WIDTH == 8
    lanes y = (lanes)_mm512_rsqrt14_pd((__m512d)x);
#else
    lanes y = (lanes)_mm256_rsqrt14_pd((__m256d)x);
#endif
    /* 14 bits; with the rest r = 1 - x y^2 the root is y (1 - r)^(-1/2), and r^5 does not count. */
    const lanes r = 1.0 - x * y * y;
    return y + y * r * (0.5 + r * (0.375 + r * (0.3125 + r * 0.2734375)));
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
    __m512d column[8];
    transpose_eight(row, column);
    for (int k = 0; k < 8; k++) out[k] = (lanes)column[k];
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

/** Primitives j .. j+HF_WIDTH-1 of one pair. */
static inline void load_primitives(const struct hf_expanded_pair *pair, int j,
                                   lanes row[HF_N_PRIMITIVE_ROW])
{
    for (int k = 0; k < HF_N_PRIMITIVE_ROW; k++)
        row[k] = load(hf_pair_row(pair, (enum hf_primitive_row)k) + j);
}
#endif

/** What the recurrences need that is of the ket alone. */
static inline void set_up_ket(const lanes ket[], struct lane_quartet *out)
{
    for (int k = 0; k < 3; k++) out->qc[k] = ket[HF_ROW_PA_X + k];
    out->one_over_two_eta = ket[HF_ROW_ONE_OVER_TWO_ZETA];
}

/** The tables of the Boys function for this precision. */
static inline const boys_tables *tables_of(const struct hf_quartet *quartet)
{
#ifdef HF_SINGLE
    return quartet->boys_single;
#else
    return quartet->boys;
#endif
}

/** The primitives of the bra. */
struct bra_numbers {
    const real *number; /**< of the first */
    size_t row_step, step;
};

static inline struct bra_numbers bra_of(const struct hf_quartet *quartet)
{
    const struct hf_expanded_pair *bra = quartet->bra;
#ifdef HF_SINGLE
    return (struct bra_numbers){&quartet->pairs->single[bra->first_primitive].zeta, 1,
                                HF_N_SINGLE_ROW};
#else
    return (struct bra_numbers){bra->row, (size_t)bra->n_padded, 1};
#endif
}

/** A number of primitive i of the bra. */
static inline __attribute__((always_inline)) real of_bra(struct bra_numbers bra,
                                                         enum hf_primitive_row row, int i)
{
    return bra.number[(size_t)row * bra.row_step + (size_t)i * bra.step];
}

/** Coordinates of Q - P, P of primitive i of the bra. */
static inline __attribute__((always_inline)) lanes
difference_of_places(struct bra_numbers bra, int i, int direction, const lanes ket[])
{
    const lanes first = ket[HF_ROW_P_X + direction] - of_bra(bra, HF_ROW_P_X + direction, i);
#ifdef HF_SINGLE
    /* Both in two parts, of which the first differ by what rounds the result only. */
    return first + (ket[HF_ROW_REST_X + direction] - of_bra(bra, HF_ROW_REST_X + direction, i));
#else
    return first;
#endif
}

/** Primitive i of the bra with HF_WIDTH primitives of the ket (or of kets), those with these
 *  prefactors: what is not of the ket alone, for a bra and a ket that are raised, and the arguments of
 *  the Boys function. */
static inline __attribute__((always_inline)) void
set_up_lanes(struct bra_numbers bra, int i, bool needs_bra, bool needs_ket, const lanes ket[],
             lanes prefactor, struct lane_quartet *out, struct boys_argument *boys)
{
    const lanes zeta = broadcast(of_bra(bra, HF_ROW_ZETA, i)), eta = ket[HF_ROW_ZETA];
    const lanes root_of_inverse = inverse_square_root(zeta + eta);
    const lanes one_over_sum = root_of_inverse * root_of_inverse;
    const lanes eta_over_sum = eta * one_over_sum, zeta_over_sum = zeta * one_over_sum;

    lanes distance_squared = broadcast(0);
    for (int k = 0; k < 3; k++) {
        const lanes qp = difference_of_places(bra, i, k, ket);
        distance_squared += qp * qp;
        if (needs_bra) out->wp[k] = eta_over_sum * qp;
        if (needs_bra) out->pa[k] = broadcast(of_bra(bra, HF_ROW_PA_X + k, i));
        if (needs_ket) out->wq[k] = -zeta_over_sum * qp;
    }
    if (needs_bra) {
        out->one_over_two_zeta = broadcast(of_bra(bra, HF_ROW_ONE_OVER_TWO_ZETA, i));
        out->rho_over_zeta = eta_over_sum;
    }
    if (needs_ket) out->rho_over_eta = zeta_over_sum;
    if (needs_bra && needs_ket) out->one_over_two_sum = (real)0.5 * one_over_sum;
    boys->T = zeta * eta_over_sum * distance_squared;
    boys->factor = prefactor * of_bra(bra, HF_ROW_PREFACTOR, i) * root_of_inverse;
}

#ifndef HF_SINGLE
/** How many of `n` ket primitives, sorted by falling bound, matter beside bra primitive i. */
static inline int n_significant(const struct hf_expanded_pair *bra, int i, const double *ket_bound,
                                int n, double threshold)
{
    const double bound = hf_pair_row(bra, HF_ROW_BOUND)[i];
    while (n > 0 && bound * ket_bound[n - 1] < threshold) n--;
    return n;
}
#endif

#endif
