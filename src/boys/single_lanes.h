/* Vectors of single precision: what lane_math.h has for double precision. Part of it. */
#ifndef HF_SINGLE_LANES_H
#define HF_SINGLE_LANES_H

#include "base/lanes.h"

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
    const lanes r = 1.0F - x * y * y; /* y has 14 bits; r^2 is negligible */
    return y + y * r * 0.5F;
#else
    for (int l = 0; l < HF_WIDTH; l++) x[l] = 1.0F / sqrtf(x[l]);
    return x;
#endif
}

#if defined __AVX2__ && HF_WIDTH >= 8
#if HF_WIDTH == 16
#define HF_OF_WIDTH(name) _mm512_##name
typedef __m512 single_vector;
#else
#define HF_OF_WIDTH(name) _mm256_##name
typedef __m256 single_vector;
#endif

/** Four numbers of each row l = 0, 4, .. from `at` on, side by side. */
static inline single_vector join_fours(const float *const row[], int at)
{
#if HF_WIDTH == 16
    __m512 four = _mm512_castps128_ps512(_mm_load_ps(row[0] + at));
    four = _mm512_insertf32x4(four, _mm_load_ps(row[4] + at), 1);
    four = _mm512_insertf32x4(four, _mm_load_ps(row[8] + at), 2);
    return _mm512_insertf32x4(four, _mm_load_ps(row[12] + at), 3);
#else
    const __m256 four = _mm256_castps128_ps256(_mm_load_ps(row[0] + at));
    return _mm256_insertf128_ps(four, _mm_load_ps(row[4] + at), 1);
#endif
}
#endif

/** out[k][l] = row[l][k], 4 n <= 16 numbers of HF_WIDTH rows, aligned to 16 bytes; n is a constant. */
static inline __attribute__((always_inline)) void
transpose_fours(int n, const float *const row[HF_WIDTH], lanes out[])
{
#if defined __AVX2__ && HF_WIDTH >= 8
    single_vector r[4][4], s[4];
    for (int i = 0; i < 4; i++) /* each row's address is loaded once */
        for (int k = 0; k < n; k++) r[k][i] = join_fours(row + i, 4 * k);
    for (int k = 0; k < n; k++, out += 4) {
        for (int i = 0; i < 4; i += 2) {
            s[i] = HF_OF_WIDTH(unpacklo_ps)(r[k][i], r[k][i + 1]);
            s[i + 1] = HF_OF_WIDTH(unpackhi_ps)(r[k][i], r[k][i + 1]);
        }
        for (int i = 0; i < 2; i++) {
            out[2 * i] = (lanes)HF_OF_WIDTH(shuffle_ps)(s[i], s[i + 2], 0x44);
            out[2 * i + 1] = (lanes)HF_OF_WIDTH(shuffle_ps)(s[i], s[i + 2], 0xee);
        }
    }
#else
    for (int k = 0; k < 4 * n; k++) {
        lanes column = {0};
        for (int l = 0; l < HF_WIDTH; l++) column[l] = row[l][k];
        out[k] = column;
    }
#endif
}

#endif
