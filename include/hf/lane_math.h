/* Arithmetic on vectors of numbers (hf/lanes.h): roots, masks, transposition. For files that are
 * compiled once per instruction set, width and precision, and inside hf only. */
#ifndef HF_LANE_MATH_H
#define HF_LANE_MATH_H

#include "hf/boys_single.h"
#include "hf/lanes.h"

#include <math.h>

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
#include "hf/single_lanes.h"

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
#endif

#endif
