/* Arithmetic on vectors of numbers (base/lanes.h): roots, masks, transposition. For files that are
 * compiled once per instruction set, width and precision, and inside hf only. */
#ifndef HF_LANE_MATH_H
#define HF_LANE_MATH_H

#include "base/lanes.h"
#include "boys/boys_single.h"

#include <math.h>
#include <stdbool.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/** Argument of the Boys function, and factor of its values. */
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
    /* Halves of two rows are loaded side by side, so that two steps are enough. */
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

/* ---- Sets of lanes: a mask register if the processor has them, else a vector ---------------- */

#ifdef __AVX512F__
#ifdef HF_SINGLE
#if HF_WIDTH == 16
typedef __mmask16 lane_set;
#define HF_OF_VECTOR(name, end) _mm512_##name##_ps##end
#define HF_TO_SET(mask)         _mm512_movepi32_mask((__m512i)(mask))
typedef __m512 lane_register;
#else
typedef __mmask8 lane_set;
#define HF_OF_VECTOR(name, end) _mm256_##name##_ps##end
#define HF_TO_SET(mask)         _mm256_movepi32_mask((__m256i)(mask))
typedef __m256 lane_register;
#endif
#elif HF_WIDTH == 8
typedef __mmask8 lane_set;
#define HF_OF_VECTOR(name, end) _mm512_##name##_pd##end
#define HF_TO_SET(mask)         _mm512_movepi64_mask((__m512i)(mask))
typedef __m512d lane_register;
#else
typedef __mmask8 lane_set;
#define HF_OF_VECTOR(name, end) _mm256_##name##_pd##end
#define HF_TO_SET(mask)         _mm256_movepi64_mask((__m256i)(mask))
typedef __m256d lane_register;
#endif
#else
typedef lane_masks lane_set;
#endif

/** Lanes whose mask is set. */
static inline lane_set set_of(lane_masks mask)
{
#ifdef __AVX512F__
    return HF_TO_SET(mask);
#else
    return mask;
#endif
}

/** Lanes in which x >= y. */
static inline lane_set at_least(lanes x, lanes y)
{
#ifdef __AVX512F__
    return HF_OF_VECTOR(cmp, _mask)((lane_register)x, (lane_register)y, _CMP_GE_OS);
#else
    return x >= y;
#endif
}

/** x in the lanes of the set, else y. */
static inline lanes choose(lane_set set, lanes x, lanes y)
{
#ifdef __AVX512F__
    return (lanes)HF_OF_VECTOR(mask_blend, )(set, (lane_register)y, (lane_register)x);
#else
    return (lanes)(((lane_masks)x & set) | ((lane_masks)y & ~set));
#endif
}

/** The largest of the lanes. */
static inline real largest_of(lanes x)
{
#if defined __AVX512F__ && defined HF_SINGLE && HF_WIDTH == 16
    return _mm512_reduce_max_ps((__m512)x);
#elif defined __AVX512F__ && !defined HF_SINGLE && HF_WIDTH == 8
    return _mm512_reduce_max_pd((__m512d)x);
#else
    real most = x[0];
    for (int l = 1; l < HF_WIDTH; l++) most = x[l] > most ? x[l] : most;
    return most;
#endif
}

/** x, a product that is rounded before it is added to a second one. Otherwise the compiler fuses one of the two
 *  with the sum, and the bits depend on which. */
static inline lanes rounded(lanes x)
{
#ifdef __FMA__
    __asm__("" : "+v"(x));
#endif
    return x;
}

/** Whether a set has all lanes. */
static inline bool has_all(lane_set set)
{
#ifdef __AVX512F__
    return set == (1U << HF_WIDTH) - 1U;
#elif defined __AVX2__ && defined HF_SINGLE && HF_WIDTH == 8
    return _mm256_movemask_ps((__m256)set) == 0xff;
#elif defined __AVX2__ && HF_WIDTH == 4 && !defined HF_SINGLE
    return _mm256_movemask_pd((__m256d)set) == 0xf;
#else
    real_mask all = set[0];
    for (int l = 1; l < HF_WIDTH; l++) all &= set[l];
    return all != 0;
#endif
}

/** Whether a set has no lane. */
static inline bool has_none(lane_set set)
{
#ifdef __AVX512F__
    return set == 0;
#elif defined __AVX2__ && defined HF_SINGLE && HF_WIDTH == 8
    return _mm256_movemask_ps((__m256)set) == 0;
#elif defined __AVX2__ && HF_WIDTH == 4 && !defined HF_SINGLE
    return _mm256_movemask_pd((__m256d)set) == 0;
#else
    real_mask any = set[0];
    for (int l = 1; l < HF_WIDTH; l++) any |= set[l];
    return any == 0;
#endif
}

#ifdef HF_SINGLE
#include "boys/single_lanes.h"

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
    /* y has 14 bits. With r = 1 - x y^2 the result is y (1 - r)^(-1/2), and r^5 is negligible. */
    const lanes r = 1.0 - x * y * y;
    return y + y * r * (0.5 + r * (0.375 + r * (0.3125 + r * 0.2734375)));
#else
    for (int l = 0; l < HF_WIDTH; l++) x[l] = 1.0 / sqrt(x[l]);
    return x;
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
