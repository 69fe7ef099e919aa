/* Vectors of single precision: what lane_quartet.h has for those of double precision. Part of it. */
#ifndef HF_SINGLE_LANES_H
#define HF_SINGLE_LANES_H

#include "hf/lanes.h"

#include <math.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/** 1 / sqrt(x), x > 0. */
static inline lanes inverse_square_root(lanes x)
{
#ifdef __AVX512F__
#if HF_WIDTH == 16
    lanes y = (lanes)_mm512_rsqrt14_ps((__m512)x);
#else
    lanes y = (lanes)_mm256_rsqrt14_ps((__m256)x);
#endif
    const lanes r = 1.0F - x * y * y; /* 14 bits are there; r^2 does not count */
    return y + y * r * 0.5F;
#else
    for (int l = 0; l < HF_WIDTH; l++) x[l] = 1.0F / sqrtf(x[l]);
    return x;
#endif
}

/** Number of lanes whose mask is set. */
static inline int count_set(lane_masks mask)
{
#if defined __AVX512F__ && HF_WIDTH == 16
    return __builtin_popcount(_mm512_movepi32_mask((__m512i)mask));
#elif defined __AVX2__ && HF_WIDTH == 8
    return __builtin_popcount((unsigned)_mm256_movemask_ps((__m256)mask));
#else
    int n = 0;
    for (int l = 0; l < HF_WIDTH; l++) n += mask[l] != 0;
    return n;
#endif
}

/** out[k][l] = row[l][k] for HF_WIDTH rows of 4 numbers, each aligned to 16 bytes. */
static inline void transpose_4(const float *const row[HF_WIDTH], lanes out[4])
{
#if defined __AVX512F__ && HF_WIDTH == 16
    __m512 r[4], s[4];
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_castps128_ps512(_mm_load_ps(row[i]));
        r[i] = _mm512_insertf32x4(r[i], _mm_load_ps(row[i + 4]), 1);
        r[i] = _mm512_insertf32x4(r[i], _mm_load_ps(row[i + 8]), 2);
        r[i] = _mm512_insertf32x4(r[i], _mm_load_ps(row[i + 12]), 3);
    }
    for (int i = 0; i < 4; i += 2) {
        s[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        out[2 * i] = (lanes)_mm512_shuffle_ps(s[i], s[i + 2], 0x44);
        out[2 * i + 1] = (lanes)_mm512_shuffle_ps(s[i], s[i + 2], 0xee);
    }
#elif defined __AVX2__ && HF_WIDTH == 8
    __m256 r[4], s[4];
    for (int i = 0; i < 4; i++)
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(row[i])),
                                    _mm_load_ps(row[i + 4]), 1);
    for (int i = 0; i < 4; i += 2) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        out[2 * i] = (lanes)_mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        out[2 * i + 1] = (lanes)_mm256_shuffle_ps(s[i], s[i + 2], 0xee);
    }
#else
    for (int k = 0; k < 4; k++) {
        lanes column = {0};
        for (int l = 0; l < HF_WIDTH; l++) column[l] = row[l][k];
        out[k] = column;
    }
#endif
}

#endif
