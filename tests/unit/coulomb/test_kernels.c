/* Kernels of the Coulomb pass against a plain recursion in scalars, of all orders and in both precisions. */
#include "../mpi_test.h"

#include "../../../src/coulomb/product_kernels.h"

#include "boys/boys.h"

#include <math.h>

enum { N_KET = 2 * HF_KET_BLOCK, MOST_TESTED = 6 };

static double next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

/** R^(m)_tuv over (p+q)^(1/2), from its definition as a recursion. */
static double plain_r(const double start[], const double d[3], int m, int t, int u, int v)
{
    if (t < 0 || u < 0 || v < 0) return 0.0;
    if (t > 0)
        return (t - 1) * plain_r(start, d, m + 1, t - 2, u, v) +
               d[0] * plain_r(start, d, m + 1, t - 1, u, v);
    if (u > 0)
        return (u - 1) * plain_r(start, d, m + 1, t, u - 2, v) +
               d[1] * plain_r(start, d, m + 1, t, u - 1, v);
    if (v > 0)
        return (v - 1) * plain_r(start, d, m + 1, t, u, v - 2) +
               d[2] * plain_r(start, d, m + 1, t, u, v - 1);
    return start[m];
}

/** Kets in both layouts. */
struct kets {
    _Alignas(64) double plain[2 * (HF_KET_ROWS + HF_N_HERMITE) * HF_KET_BLOCK];
    _Alignas(64) float single[2 * (HF_KET_SINGLE_ROWS + HF_N_HERMITE) * HF_KET_BLOCK];
    double centre[N_KET][3], exponent[N_KET], h[N_KET][HF_N_HERMITE];
};

static void make_kets(uint32_t *seed, double far, int order, struct kets *kets)
{
    const size_t n = (size_t)hf_n_hermite(order);
    for (size_t i = 0; i < N_KET; i++) {
        double *plain =
            kets->plain + i / HF_KET_BLOCK * (HF_KET_ROWS + n) * HF_KET_BLOCK + i % HF_KET_BLOCK;
        float *single = kets->single + i / HF_KET_BLOCK * (HF_KET_SINGLE_ROWS + n) * HF_KET_BLOCK +
                        i % HF_KET_BLOCK;
        for (size_t d = 0; d < 3; d++) {
            const double x = kets->centre[i][d] = 4.0 * next_random(seed) + far;
            plain[(HF_KET_X + d) * HF_KET_BLOCK] = x;
            single[(HF_KET_X + d) * HF_KET_BLOCK] = (float)x;
            single[(HF_KET_REST_X + d) * HF_KET_BLOCK] = (float)(x - (double)(float)x);
        }
        /* a number of single precision */
        kets->exponent[i] = (double)(float)(0.2 + 2.0 * next_random(seed));
        plain[HF_KET_EXPONENT * HF_KET_BLOCK] = kets->exponent[i];
        single[HF_KET_EXPONENT * HF_KET_BLOCK] = (float)kets->exponent[i];
        for (size_t k = 0; k < n; k++) {
            kets->h[i][k] = (double)(float)(next_random(seed) - 0.5);
            plain[(HF_KET_ROWS + k) * HF_KET_BLOCK] = kets->h[i][k];
            single[(HF_KET_SINGLE_ROWS + k) * HF_KET_BLOCK] = (float)kets->h[i][k];
        }
    }
}

/** V at the bra, and in `size` the same without signs. */
static void plain_potential(const struct hf_coulomb_tables *tables,
                            const struct hf_coulomb_bra *bra, int bra_order, int ket_order,
                            const struct kets *kets, double v[], double size[])
{
    for (size_t i = 0; i < N_KET; i++) {
        const double p = bra->exponent, q = kets->exponent[i], alpha = p * q / (p + q);
        double d[3], start[HF_BOYS_MAX_ORDER + 1], factor = 1.0 / sqrt(p + q), square = 0.0;
        for (int x = 0; x < 3; x++) {
            d[x] = bra->centre[x] - kets->centre[i][x];
            square += d[x] * d[x];
        }
        hf_boys_evaluate(tables->boys, bra_order + ket_order, alpha * square, start);
        for (int m = 0; m <= bra_order + ket_order; m++, factor *= -2.0 * alpha) start[m] *= factor;
        for (int k = 0; k < hf_n_hermite(bra_order); k++) {
            for (int j = 0; j < hf_n_hermite(ket_order); j++) {
                const signed char *a = tables->power[k], *b = tables->power[j];
                const double r = plain_r(start, d, 0, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
                v[k] += r * kets->h[i][j];
                size[k] += fabs(r * kets->h[i][j]);
            }
        }
    }
}

static void check_class(const struct hf_coulomb_tables *tables, int bra_order, int ket_order,
                        double far, uint32_t *seed)
{
    static struct kets kets;
    const struct hf_coulomb_bra bra = {.centre = {2.1, 1.3, 2.7}, .exponent = 0.75};
    double v[HF_N_HERMITE] = {0.0}, size[HF_N_HERMITE] = {0.0}, plain[HF_N_HERMITE] = {0.0};
    double single[HF_N_HERMITE] = {0.0}, largest = 0.0;
    make_kets(seed, far, ket_order, &kets);
    plain_potential(tables, &bra, bra_order, ket_order, &kets, v, size);
    hf_coulomb_kernels(false)->add(tables, &bra, bra_order, ket_order, N_KET, kets.plain, plain);
    const bool in_single = bra_order <= HF_MOST_SINGLE_ORDER && ket_order <= HF_MOST_SINGLE_ORDER;
    if (in_single)
        hf_coulomb_kernels(true)->add(tables, &bra, bra_order, ket_order, N_KET, kets.single,
                                      single);
    for (int k = 0; k < hf_n_hermite(bra_order); k++) largest = fmax(largest, size[k]);
    for (int k = 0; k < hf_n_hermite(bra_order); k++) {
        assert_true(fabs(plain[k] - v[k]) <= 1e-12 * largest);
        if (in_single) assert_true(fabs(single[k] - v[k]) <= 1e-5 * largest);
    }
}

TEST(kernels_give_what_the_recursion_says)
{
    uint32_t seed = 7;
    struct hf_boys *boys = hf_boys_create(2 * MOST_TESTED);
    assert_non_null(boys);
    struct hf_boys_single *boys_single = hf_boys_single_create(boys);
    struct hf_coulomb_tables tables;
    assert_non_null(boys_single);
    hf_coulomb_tables_init(&tables, boys, boys_single);
    for (int bra = 0; bra <= MOST_TESTED; bra++)
        for (int ket = 0; ket <= MOST_TESTED; ket++)
            for (int far = 0; far < 3; far++) check_class(&tables, bra, ket, 10.0 * far, &seed);
    hf_boys_single_destroy(&boys_single);
    hf_boys_destroy(&boys);
}

TEST_MAIN
