/* Inner loops of the Coulomb pass; compiled once per instruction set and precision (see meson.build), with
 * HF_KERNELS naming the table. */
#include "product_kernels.h"

#include "boys/boys_lanes.h"
#include "boys/lane_math.h"

#include <stddef.h>

#ifdef HF_SINGLE
enum { N_ROW = HF_KET_SINGLE_ROWS };
#else
enum { N_ROW = HF_KET_ROWS };
#endif

typedef void straight_kernel(const boys_tables *boys, const struct hf_coulomb_bra *bra, int n,
                             const real *ket, double potential[]);

/** What the recursions start from. */
struct r_start {
    lanes d[3];                     /**< P - Q */
    lanes r[HF_BOYS_MAX_ORDER + 1]; /**< R^(m)_000 over (p+q)^(1/2) */
};

/** Rows of the vector that begins with ket i. */
static inline const real *ket_rows(const real *ket, int n_component, int i)
{
    return ket + (size_t)(i / HF_KET_BLOCK) * (size_t)((N_ROW + n_component) * HF_KET_BLOCK) +
           i % HF_KET_BLOCK;
}

static inline __attribute__((always_inline)) lanes row_of(const real *rows, int k)
{
    return load(rows + (size_t)k * HF_KET_BLOCK);
}

/** P - Q. */
static inline __attribute__((always_inline)) lanes difference(const struct hf_coulomb_bra *bra,
                                                              int direction, const real *rows)
{
    const real first = (real)bra->centre[direction];
    const lanes d = first - row_of(rows, HF_KET_X + direction);
#ifdef HF_SINGLE
    /* Both in two parts, of which the first differ by what rounds the result only. */
    const real rest = (real)(bra->centre[direction] - (double)first);
    return d + (rest - row_of(rows, HF_KET_REST_X + direction));
#else
    return d;
#endif
}

/** Fills in `at` for orders up to `order`, a constant where it is low. */
static inline __attribute__((always_inline)) void
start_recursion(const boys_tables *boys, int order, const struct hf_coulomb_bra *bra,
                const real *rows, struct r_start *at)
{
    const lanes p = broadcast((real)bra->exponent), q = row_of(rows, HF_KET_EXPONENT);
    const lanes root_of_inverse = inverse_square_root(p + q);
    const lanes alpha = (p * root_of_inverse) * (q * root_of_inverse);
    for (int k = 0; k < 3; k++) at->d[k] = difference(bra, k, rows);
    const lanes square = at->d[0] * at->d[0] + at->d[1] * at->d[1] + at->d[2] * at->d[2];
    boys_lanes(boys, order, (struct boys_argument){.T = alpha * square, .factor = root_of_inverse},
               at->r);
    const lanes step = (real)-2 * alpha;
    lanes factor = step;
    for (int m = 1; m <= order; m++, factor *= step) at->r[m] *= factor;
}

#ifdef __AVX512F__
/** The sums of halves of a vector, in double precision. */
static inline __attribute__((always_inline)) __m512d eight_sums(lanes x)
{
#if defined HF_SINGLE && HF_WIDTH == 16
    const __m512d both = _mm512_castps_pd((__m512)x);
    const __m256d low = _mm512_castpd512_pd256(both), high = _mm512_extractf64x4_pd(both, 1);
    return _mm512_cvtps_pd(_mm256_castpd_ps(low)) + _mm512_cvtps_pd(_mm256_castpd_ps(high));
#elif defined HF_SINGLE
    return _mm512_cvtps_pd((__m256)x);
#else
    return (__m512d)x;
#endif
}

/** Adds those of the lanes of four vectors to four numbers. */
static inline __attribute__((always_inline)) void add_four(const lanes sum[], double to[])
{
    const __m512d a = eight_sums(sum[0]), b = eight_sums(sum[1]);
    const __m512d c = eight_sums(sum[2]), d = eight_sums(sum[3]);
    const __m512d ab = _mm512_unpacklo_pd(a, b) + _mm512_unpackhi_pd(a, b);
    const __m512d cd = _mm512_unpacklo_pd(c, d) + _mm512_unpackhi_pd(c, d);
    __m512d all = _mm512_shuffle_f64x2(ab, cd, 0x44) + _mm512_shuffle_f64x2(ab, cd, 0xee);
    all = _mm512_shuffle_f64x2(all, all, 0xd8);
    _mm256_storeu_pd(to, _mm256_loadu_pd(to) +
                             (_mm512_castpd512_pd256(all) + _mm512_extractf64x4_pd(all, 1)));
}
#endif

/** In double precision. */
static inline __attribute__((always_inline)) double sum_of_lanes(lanes x)
{
#ifdef __AVX512F__
    return _mm512_reduce_add_pd(eight_sums(x));
#elif defined __AVX2__
#ifdef HF_SINGLE
    const __m256d four = _mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x)) +
                         _mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1));
#else
    const __m256d four = (__m256d)x;
#endif
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
#else
    double sum = 0.0;
    for (int l = 0; l < HF_WIDTH; l++) sum += (double)x[l];
    return sum;
#endif
}

/** Adds the sums of lanes of n vectors to n numbers. Most calls of a kernel are of one or two vectors of kets, so this is a large
 *  part of them. */
static inline __attribute__((always_inline)) void add_sums(int n, const lanes sum[], double to[])
{
    int k = 0;
#ifdef __AVX512F__
    for (; k + 4 <= n; k += 4) add_four(sum + k, to + k);
#endif
    for (; k < n; k++) to[k] += sum_of_lanes(sum[k]);
}

#include "coulomb_kernels.h"

/** All R_tuv up to `total` from the starts, in place: what is needed of lower totals is overwritten last. */
static void recur(const struct hf_r_step step[], int total, const struct r_start *at, lanes r[])
{
    for (int m = total; m >= 0; m--) {
        for (int i = hf_n_hermite(total - m) - 1; i > 0; i--) {
            r[i] = at->d[step[i].axis] * r[step[i].parent];
            if (step[i].factor > 0) r[i] += (real)step[i].factor * r[step[i].grandparent];
        }
        r[0] = at->r[m];
    }
}

/** Loops over components. */
static __attribute__((noinline)) void add_by_loops(const struct hf_coulomb_tables *tables,
                                                   const boys_tables *boys,
                                                   const struct hf_coulomb_bra *bra, int bra_order,
                                                   int ket_order, int n, const real *ket,
                                                   double potential[])
{
    const int n_bra = hf_n_hermite(bra_order), n_ket = hf_n_hermite(ket_order);
    lanes r[HF_N_R], sum[HF_N_RAISED_HERMITE];
    for (int k = 0; k < n_bra; k++) sum[k] = broadcast(0);
    for (int i = 0; i < n; i += HF_WIDTH) {
        const real *rows = ket_rows(ket, n_ket, i);
        struct r_start at;
        start_recursion(boys, bra_order + ket_order, bra, rows, &at);
        recur(tables->step, bra_order + ket_order, &at, r);
        for (int j = 0; j < n_ket; j++) {
            const signed char *other = tables->power[j];
            const lanes h = row_of(rows, N_ROW + j);
            for (int k = 0; k < n_bra; k++) {
                const signed char *power = tables->power[k];
                sum[k] += h * r[hf_hermite_index(power[0] + other[0], power[1] + other[1],
                                                 power[2] + other[2])];
            }
        }
    }
    add_sums(n_bra, sum, potential);
}

static void add(const struct hf_coulomb_tables *tables, const struct hf_coulomb_bra *bra,
                int bra_order, int ket_order, int n, const void *ket, double potential[])
{
#ifdef HF_SINGLE
    const boys_tables *boys = tables->boys_single;
#else
    const boys_tables *boys = tables->boys;
#endif
    if (bra_order <= HF_COULOMB_LIMIT + 1 && ket_order <= HF_COULOMB_LIMIT)
        straight_kernels[bra_order][ket_order](boys, bra, n, ket, potential);
    else
        add_by_loops(tables, boys, bra, bra_order, ket_order, n, ket, potential);
}

#define STRING_OF(x) #x
#define NAME_OF(x)   STRING_OF(x)
const struct hf_coulomb_kernels HF_KERNELS = {
    .name = NAME_OF(HF_KERNELS), .limit = HF_COULOMB_LIMIT, .add = add};
