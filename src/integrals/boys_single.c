/* Tables of the Boys function in single precision. */
#include "boys_single.h"

#include <math.h>
#include <stdlib.h>

enum { N_NODE = HF_BOYS_SINGLE_TERMS };

/** Smallest T from which on all orders up to m equal their asymptotes to single precision; compare
 *  boys.c. */
static double asymptotic_limit(int m)
{
    const double least = lgamma(m + 0.5) + log(0x1p-26);
    double T = fmax(16.0, m);
    while (-T + (m - 0.5) * log(T) > least) T += 0.25;
    return T;
}

static int n_grid(int m)
{
    return (int)(asymptotic_limit(m) * HF_BOYS_SINGLE_PER_UNIT) + 2;
}

/** Coefficients of the polynomial of degree 3 through the values at the nodes of [-half, half], by
 *  Chebyshev polynomials: T_2 = 2x^2 - 1, T_3 = 4x^3 - 3x. */
static void fit(const double value[N_NODE], double half, float coefficient[N_NODE])
{
    double c[N_NODE] = {0.0};
    for (int k = 0; k < N_NODE; k++) {
        for (int node = 0; node < N_NODE; node++)
            c[k] += value[node] * cos(acos(-1.0) * k * (node + 0.5) / N_NODE);
        c[k] *= (k == 0 ? 1.0 : 2.0) / N_NODE;
    }
    coefficient[0] = (float)(c[0] - c[2]);
    coefficient[1] = (float)((c[1] - 3.0 * c[3]) / half);
    coefficient[2] = (float)(2.0 * c[2] / (half * half));
    coefficient[3] = (float)(4.0 * c[3] / (half * half * half));
}

static void fill(const struct hf_boys *boys, int m, int n, float *row)
{
    const double half = 0.5 / HF_BOYS_SINGLE_PER_UNIT;
    for (int g = 0; g < n; g++, row += N_NODE) {
        double all[HF_BOYS_MAX_ORDER + 1], value[N_NODE];
        for (int node = 0; node < N_NODE; node++) {
            const double d = half * cos(acos(-1.0) * (node + 0.5) / N_NODE);
            /* The tables begin half an interval below 0, and hold there. */
            hf_boys_evaluate(boys, m, (double)g / HF_BOYS_SINGLE_PER_UNIT + d, all);
            value[node] = all[m];
        }
        fit(value, half, row);
    }
}

struct hf_boys_single *hf_boys_single_create(const struct hf_boys *boys)
{
    struct hf_boys_single *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    size_t n = 0;
    for (int m = 0; m <= boys->max_order; m++) n += (size_t)n_grid(m);
    const size_t bytes = n * HF_BOYS_SINGLE_TERMS * sizeof(float);
    made->storage = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (made->storage == NULL) {
        hf_boys_single_destroy(&made);
        return NULL;
    }
    float *next = made->storage;
    for (int m = 0; m <= boys->max_order; m++) {
        const int n_row = n_grid(m);
        made->limit[m] = (float)asymptotic_limit(m);
        made->series[m] = next;
        fill(boys, m, n_row, next);
        next += n_row * HF_BOYS_SINGLE_TERMS;
    }
    return made;
}

void hf_boys_single_destroy(struct hf_boys_single **single)
{
    if (*single != NULL) free((*single)->storage);
    free(*single);
    *single = NULL;
}
