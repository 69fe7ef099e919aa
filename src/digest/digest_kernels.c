/* Contributions of strips to J and K, as many functions d side by side as a vector holds. Compiled once per instruction set
 * (HF_DIGEST_STRIP is part of all names) and number of densities (HF_STRIP_J with J, HF_STRIP_K with K), so
 * that several cores can compile.
 *
 * Sums over d (J_ab, K_ac, K_bc) stay vectors until the end and are added up many at a time; rows over
 * d (J_cd, K_ad, K_bd) are vectors. One pass over the integrals computes all sums: six fused multiply-adds for
 * each vector, and little else. */
#include "digest_kernels.h"
#include "base/lanes.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Sums begin with a number, the origin, which is subtracted at the end. In exact sums (digest/exact_sums.h) it is
 * so large that adding a product to it rounds the product to whole units; otherwise it is zero. A product
 * must be rounded once: by a fused multiply-add; or, without one, it is made odd before it is rounded to
 * units, so that it never lies half-way (HF_DIGEST_EXACT: these kernels are compiled separately). */
#define ORIGIN(p) broadcast((p)->origin)

#if defined(HF_DIGEST_EXACT) && !defined(__FMA__)
ALWAYS_INLINE lanes product(lanes x, lanes y)
{
    const lanes xy = x * y;
    return (lanes)((lane_masks)xy | 1);
}
#else
ALWAYS_INLINE lanes product(lanes x, lanes y)
{
    return x * y;
}
#endif

/** Most functions b, times densities, for which registers hold rows of two vectors. */
#ifdef __AVX__
enum { MOST_ROWS = 5 };
#else
enum { MOST_ROWS = 0 };
#endif

/** Sums of a kernel before they are added to those of the jobs. */
struct strip_sums {
    lanes ad[MOST_JOBS][MOST_A * MOST_VECTORS];
    lanes over_d[MOST_A * MOST_B + MOST_JOBS * MOST_C * (MOST_A + MOST_B) + HF_WIDTH];
};

/** The functions of a part that a kernel computes. */
struct strip_run {
    struct strip_sums *sums;
    lanes *over_d; /**< sums of the first c in sums->over_d */
    size_t n_a;
    size_t c, c_end; /**< functions c */
    size_t d;        /**< first function d */
    lane_masks mask; /**< of the last vector over d */
};

/** Vector v from x on. */
ALWAYS_INLINE lanes load_vector(const double *x, int v)
{
    return ((const unaligned_lanes *)(const void *)x)[v];
}

ALWAYS_INLINE void add_vector(double *x, int v, lanes sum)
{
    ((unaligned_lanes *)(void *)x)[v] += sum;
}

/** Registers of a kernel. */
struct strip_registers {
    /* for all c */
    lanes D_bd[MOST_JOBS][MOST_B][MOST_VECTORS], K_bd[MOST_JOBS][MOST_B][MOST_VECTORS];
    /* of one c */
    lanes J_cd[MOST_VECTORS], D_cd[MOST_VECTORS], k_bc[MOST_JOBS][MOST_B];
    /* of one c and a */
    lanes D_ad[MOST_JOBS][MOST_VECTORS], K_ad[MOST_JOBS][MOST_VECTORS];
    lanes D_ac[MOST_JOBS], k_ac[MOST_JOBS], j_ab[MOST_B];
};

/** Constants of a kernel: functions b, vectors of functions d, whether there is a density with J, densities
 *  with K; whether there is one function a, so that its sums stay in registers over all c. */
struct strip_kind {
    int n_b, n_v;
    bool j;
    int n_k;
    bool one_a;
};

/** The sums over d of density k and the current c: of all a, then of all b. */
ALWAYS_INLINE lanes *over_d(const struct strip_run *run, const struct strip_kind *kind, int k)
{
    return run->over_d + (size_t)k * (run->n_a + (size_t)kind->n_b);
}

ALWAYS_INLINE void begin_strip(const struct strip_part *p, const struct strip_run *run,
                               const struct strip_kind *kind, struct strip_registers *r)
{
    for (int k = 0; k < kind->n_k; k++) {
        for (int b = 0; b < kind->n_b; b++) {
            for (int v = 0; v < kind->n_v; v++) {
                r->D_bd[k][b][v] = load_vector(p->job[k].D_bd + (size_t)b * p->D_d + run->d, v);
                r->K_bd[k][b][v] = ORIGIN(p);
            }
        }
        for (int v = 0; v < kind->n_v; v++) r->K_ad[k][v] = ORIGIN(p);
        for (size_t i = 0; i < run->n_a * (size_t)kind->n_v; i++) run->sums->ad[k][i] = ORIGIN(p);
    }
    for (int b = 0; b < kind->n_b && kind->j && kind->one_a; b++) r->j_ab[b] = run->sums->over_d[b];
}

ALWAYS_INLINE void begin_c(const struct strip_part *p, size_t c, const struct strip_run *run,
                           const struct strip_kind *kind, struct strip_registers *r)
{
    for (int v = 0; v < kind->n_v && kind->j; v++) {
        r->J_cd[v] = ORIGIN(p);
        r->D_cd[v] = load_vector(p->job->D_cd + c * p->D_d + run->d, v);
    }
    for (int k = 0; k < kind->n_k; k++)
        for (int b = 0; b < kind->n_b; b++)
            r->k_bc[k][b] = run->d == 0 ? ORIGIN(p) : over_d(run, kind, k)[run->n_a + (size_t)b];
}

ALWAYS_INLINE void begin_a(const struct strip_part *p, size_t c, size_t a,
                           const struct strip_run *run, const struct strip_kind *kind,
                           struct strip_registers *r)
{
    for (int k = 0; k < kind->n_k; k++) {
        r->k_ac[k] = run->d == 0 ? ORIGIN(p) : over_d(run, kind, k)[a];
        r->D_ac[k] = broadcast(p->job[k].D_ac[a * p->D_c + c]);
        for (int v = 0; v < kind->n_v; v++) {
            r->D_ad[k][v] = load_vector(p->job[k].D_ad + a * p->D_d + run->d, v);
            if (!kind->one_a) r->K_ad[k][v] = run->sums->ad[k][a * (size_t)kind->n_v + (size_t)v];
        }
    }
}

/** Prefetches numbers that will be read soon after `at` .. at + n - 1. Stored strips come from memory, and the
 *  processor does not prefetch far enough ahead (which costs a quarter to a third of the time of (33|33)). */
ALWAYS_INLINE void fetch_ahead(const struct strip_part *p, size_t at, size_t n)
{
    enum { AHEAD_BYTES = 2048, LINE = 64 };
    const size_t size = p->value != NULL ? sizeof *p->value : sizeof *p->single;
    const char *base = p->value != NULL ? (const char *)p->value : (const char *)p->single;
    for (size_t i = 0; i < n * size; i += LINE)
        __builtin_prefetch(base + at * size + AHEAD_BYTES + i);
}

/** Converts a vector from single precision, as _mm512_cvtps_pd does: GCC 12 takes longer to read its
 *  immintrin.h than to compile some of the kernels. It makes nine instructions of __builtin_convertvector for
 *  eight numbers. */
ALWAYS_INLINE lanes widen(const float *x)
{
#if HF_WIDTH == 8 && defined(__AVX512F__) && __has_builtin(__builtin_ia32_cvtps2pd512_mask)
    enum { ALL = -1, CURRENT_ROUNDING = 4 };
    return __builtin_ia32_cvtps2pd512_mask(*(const unaligned_singles *)(const void *)x, (lanes){0},
                                           ALL, CURRENT_ROUNDING);
#else
    return __builtin_convertvector(*(const unaligned_singles *)(const void *)x, lanes);
#endif
}

/** Vector v of the integrals of one c, a and b, which begin at `at`. */
ALWAYS_INLINE lanes strip_values(const struct strip_part *p, size_t at, int v,
                                 const struct strip_run *run, const struct strip_kind *kind)
{
    at += (size_t)v * HF_WIDTH;
    const lanes x = p->single ? widen(p->single + at) : load_vector(p->value + at, 0);
    return v == kind->n_v - 1 ? (lanes)((lane_masks)x & run->mask) : x;
}

/** The six products of the integrals of one c, a and b. */
ALWAYS_INLINE void add_numbers(const struct strip_part *p, size_t at, size_t c, size_t a, int b,
                               const struct strip_run *run, const struct strip_kind *kind,
                               struct strip_registers *r)
{
#pragma GCC unroll 2
    for (int v = 0; v < kind->n_v; v++) {
        const lanes x = strip_values(p, at, v, run, kind);
        if (kind->j) {
            r->j_ab[b] += product(x, r->D_cd[v]);
            r->J_cd[v] += product(x, broadcast(p->job->D_ab[a * p->D_a + (size_t)b * p->D_b]));
        }
        for (int k = 0; k < kind->n_k; k++) {
            r->k_ac[k] += product(x, r->D_bd[k][b][v]);
            r->k_bc[k][b] += product(x, r->D_ad[k][v]);
            r->K_ad[k][v] += product(x, broadcast(p->job[k].D_bc[(size_t)b * p->D_c + c]));
            r->K_bd[k][b][v] += product(x, r->D_ac[k]);
        }
    }
}

ALWAYS_INLINE void add_c(const struct strip_part *p, size_t c, const struct strip_run *run,
                         const struct strip_kind *kind, struct strip_registers *r)
{
    size_t at = c * p->x_c + run->d;
    for (size_t a = 0; a < run->n_a; a++, at += p->x_a) {
        lanes *j_ab = run->sums->over_d + a * (size_t)kind->n_b;
        if (run->d == 0) fetch_ahead(p, at, (size_t)kind->n_b * p->n_d);
        begin_a(p, c, a, run, kind, r);
#pragma GCC unroll 8
        for (int b = 0; b < kind->n_b; b++) {
            if (kind->j && !kind->one_a) r->j_ab[b] = j_ab[b];
            add_numbers(p, at + (size_t)b * p->n_d, c, a, b, run, kind, r);
            if (kind->j && !kind->one_a) j_ab[b] = r->j_ab[b];
        }
        for (int k = 0; k < kind->n_k; k++) {
            over_d(run, kind, k)[a] = r->k_ac[k];
            for (int v = 0; v < kind->n_v && !kind->one_a; v++)
                run->sums->ad[k][a * (size_t)kind->n_v + (size_t)v] = r->K_ad[k][v];
        }
    }
    for (int k = 0; k < kind->n_k; k++)
        for (int b = 0; b < kind->n_b; b++)
            over_d(run, kind, k)[run->n_a + (size_t)b] = r->k_bc[k][b];
    for (int v = 0; v < kind->n_v && kind->j; v++)
        add_vector(p->job->J_cd + c * p->K_d + run->d, v, r->J_cd[v] - ORIGIN(p));
}

ALWAYS_INLINE void end_strip(const struct strip_part *p, const struct strip_run *run,
                             const struct strip_kind *kind, const struct strip_registers *r)
{
    for (int b = 0; b < kind->n_b && kind->j && kind->one_a; b++) run->sums->over_d[b] = r->j_ab[b];
    for (int k = 0; k < kind->n_k; k++) {
        for (size_t a = 0; a < run->n_a; a++)
            for (int v = 0; v < kind->n_v; v++)
                add_vector(p->job[k].K_ad + a * p->K_d + run->d, v,
                           (kind->one_a ? r->K_ad[k][v]
                                        : run->sums->ad[k][a * (size_t)kind->n_v + (size_t)v]) -
                               ORIGIN(p));
        for (int b = 0; b < kind->n_b; b++)
            for (int v = 0; v < kind->n_v; v++)
                add_vector(p->job[k].K_bd + (size_t)b * p->K_d + run->d, v,
                           r->K_bd[k][b][v] - ORIGIN(p));
    }
}

/** Digests the functions c and d of a run. */
ALWAYS_INLINE void strip_kernel(const struct strip_part *p, struct strip_run run,
                                const struct strip_kind kind)
{
    struct strip_registers r;
    if (kind.one_a) run.n_a = 1;
    begin_strip(p, &run, &kind, &r);
    for (size_t c = run.c; c < run.c_end; c++) {
        begin_c(p, c, &run, &kind, &r);
        add_c(p, c, &run, &kind, &r);
        run.over_d += (size_t)kind.n_k * (run.n_a + (size_t)kind.n_b);
    }
    end_strip(p, &run, &kind, &r);
}

/** Sums of HF_WIDTH vectors without their origins. */
ALWAYS_INLINE lanes sums_of(const lanes with_origin[HF_WIDTH], lanes origin)
{
    lanes x[HF_WIDTH];
    for (int i = 0; i < HF_WIDTH; i++) x[i] = with_origin[i] - origin;
#if HF_WIDTH == 8
    lanes by_2[4], by_4[2];
    for (int i = 0; i < 4; i++)
        by_2[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(x[2 * i], x[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    for (int i = 0; i < 2; i++)
        by_4[i] = __builtin_shufflevector(by_2[2 * i], by_2[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(by_2[2 * i], by_2[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    return __builtin_shufflevector(by_4[0], by_4[1], 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(by_4[0], by_4[1], 4, 5, 6, 7, 12, 13, 14, 15);
#else
    lanes by_2[2];
    for (int i = 0; i < 2; i++)
        by_2[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 4, 2, 6) +
                  __builtin_shufflevector(x[2 * i], x[2 * i + 1], 1, 5, 3, 7);
    return __builtin_shufflevector(by_2[0], by_2[1], 0, 1, 4, 5) +
           __builtin_shufflevector(by_2[0], by_2[1], 2, 3, 6, 7);
#endif
}

/** Sums each of n vectors over its numbers; the sums overwrite the first n numbers. */
static const double *add_up(size_t n, lanes origin, lanes *x)
{
    double *out = (double *)(void *)x;
    for (size_t i = n; i % HF_WIDTH != 0; i++) x[i] = origin;
    for (size_t i = 0; i < n; i += HF_WIDTH) {
        const lanes sum = sums_of(x + i, origin);
        memcpy(out + i, &sum, sizeof sum);
    }
    return out;
}

/** Adds the sums over d of functions c of a run, [c][job][all a, then all b], to K. */
ALWAYS_INLINE void add_exchange_over_d(const struct strip_part *p, const struct strip_run *run,
                                       const int n_b, const int n_k, const double *sum)
{
    for (size_t c = run->c; c < run->c_end; c++) {
        for (int k = 0; k < n_k; k++) {
            for (size_t a = 0; a < run->n_a; a++) p->job[k].K_ac[a * p->K_c + c] += *sum++;
            for (size_t b = 0; b < (size_t)n_b; b++) p->job[k].K_bc[b * p->K_c + c] += *sum++;
        }
    }
}

ALWAYS_INLINE void strip_sized(const struct strip_part *p, const bool one_a, const int n_b,
                               const bool j, const int n_k)
{
    static const int64_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const bool one_vector = n_k * n_b > MOST_ROWS;
    struct strip_sums sums;
    struct strip_run run = {.sums = &sums, .n_a = one_a ? 1 : p->n_a};
    const size_t n_ab = j ? run.n_a * (size_t)n_b : 0;
    const size_t per_c = (size_t)n_k * (run.n_a + (size_t)n_b);
    for (size_t i = 0; i < n_ab; i++) sums.over_d[i] = ORIGIN(p);
    run.over_d = sums.over_d + n_ab;
    for (; run.c < p->n_c; run.c = run.c_end) {
        run.c_end = run.c + MOST_C < p->n_c ? run.c + MOST_C : p->n_c;
        size_t n;
        for (run.d = 0; run.d < p->n_d; run.d += n) {
            const size_t left = p->n_d - run.d;
            n = left <= HF_WIDTH || one_vector ? HF_WIDTH : MOST_VECTORS * HF_WIDTH;
            const size_t missing = left < n ? n - left : 0;
            memcpy(&run.mask, ones + 8 - HF_WIDTH + missing, sizeof run.mask);
            if (one_vector || n == HF_WIDTH)
                strip_kernel(p, run, (struct strip_kind){n_b, 1, j, n_k, one_a});
            else
                strip_kernel(p, run, (struct strip_kind){n_b, MOST_VECTORS, j, n_k, one_a});
        }
        /* The sums for J stand before those of the last functions c, and are added up with them. */
        lanes *first = run.c_end < p->n_c ? run.over_d : sums.over_d;
        const size_t n_before = (size_t)(run.over_d - first);
        const double *sum = add_up(n_before + (run.c_end - run.c) * per_c, ORIGIN(p), first);
        add_exchange_over_d(p, &run, n_b, n_k, sum + n_before);
    }
    const double *sum = (const double *)(void *)sums.over_d;
    for (size_t a = 0; a < run.n_a && j; a++)
        for (size_t b = 0; b < (size_t)n_b; b++) p->job->J_ab[a * p->J_a + b * p->J_b] += *sum++;
}

/** A kernel for n_b functions b. If there is one b, there is also one a: HF_DIGEST_STRIP exchanges them. */
#define STRIP_KERNEL(n_b)                                                                          \
    static void strip_##n_b(const struct strip_part *p)                                            \
    {                                                                                              \
        if ((n_b) == 1 || p->n_a == 1)                                                             \
            strip_sized(p, true, n_b, HF_STRIP_J, HF_STRIP_K);                                     \
        else                                                                                       \
            strip_sized(p, false, n_b, HF_STRIP_J, HF_STRIP_K);                                    \
    }
STRIP_KERNEL(1)
STRIP_KERNEL(2)
STRIP_KERNEL(3)
STRIP_KERNEL(4)
STRIP_KERNEL(5)

strip_kernels HF_STRIP_KERNELS(HF_STRIP_J, HF_STRIP_K) = {strip_1, strip_2, strip_3, strip_4,
                                                          strip_5};
