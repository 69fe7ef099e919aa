/* Tables of the Boys function, and its evaluation one argument at a time. */
#include "hf/boys.h"

#include <math.h>
#include <stdlib.h>

enum { N_ORDER = HF_BOYS_MAX_ORDER + 1, TABLE_ORDER = HF_BOYS_MAX_ORDER + HF_BOYS_TERMS };

/** F_m(T) by the ascending series: all terms are positive, so nothing cancels. */
static long double boys_series(int m, long double T)
{
    long double term = 1.0L / (2 * m + 1), sum = term;
    for (int i = 1; term > sum * 1e-21L; i++) {
        term *= 2.0L * T / (2 * m + 2 * i + 1);
        sum += term;
    }
    return expl(-T) * sum;
}

/** Smallest T from which F_m(T) equals its asymptote to 1e-16: the relative rest is about
 *  exp(-T) T^(m-1/2) / Gamma(m+1/2), falling in T beyond m. */
static double asymptotic_limit(int m)
{
    double T = fmax(30.0, m);
    while (-T + (m - 0.5) * log(T) - lgamma(m + 0.5) > log(1e-17)) T += 0.25;
    return T;
}

/** Row `grid` of all tables. */
static void fill_row(struct hf_boys *boys, int grid)
{
    const long double T = (long double)grid / HF_BOYS_PER_UNIT;
    long double value[TABLE_ORDER];
    const long double exponential = expl(-T);
    value[TABLE_ORDER - 1] = boys_series(TABLE_ORDER - 1, T);
    for (int m = TABLE_ORDER - 2; m >= 0; m--)
        value[m] = (2.0L * T * value[m + 1] + exponential) / (2 * m + 1);

    for (int m = 0; m < N_ORDER; m++) {
        if (grid >= boys->n_grid[m]) continue;
        long double factor = 1.0L;
        for (int k = 0; k < HF_BOYS_TERMS; k++) {
            boys->taylor[m][(size_t)grid * HF_BOYS_TERMS + k] = (double)(factor * value[m + k]);
            factor /= -(k + 1);
        }
    }
    boys->exponential[grid] = (double)exponential;
}

struct hf_boys *hf_boys_create(void)
{
    struct hf_boys *boys = calloc(1, sizeof *boys);
    if (boys == NULL) return NULL;
    size_t n_row = 0;
    int max_grid = 0;
    double double_factorial = 1.0;
    for (int m = 0; m < N_ORDER; m++) {
        boys->limit[m] = asymptotic_limit(m);
        boys->n_grid[m] = (int)(boys->limit[m] * HF_BOYS_PER_UNIT) + 2;
        n_row += (size_t)boys->n_grid[m];
        if (boys->n_grid[m] > max_grid) max_grid = boys->n_grid[m];
        boys->asymptotic[m] = double_factorial * sqrt(acos(-1.0)) / ldexp(1.0, m + 1);
        double_factorial *= 2 * m + 1;
    }

    const size_t n_double = n_row * HF_BOYS_TERMS + (size_t)max_grid;
    const size_t n_byte = (n_double * sizeof(double) + 63) / 64 * 64;
    boys->storage = aligned_alloc(64, n_byte);
    if (boys->storage == NULL) {
        hf_boys_destroy(&boys);
        return NULL;
    }
    double *next = boys->storage;
    for (int m = 0; m < N_ORDER; m++) {
        boys->taylor[m] = next;
        next += (size_t)boys->n_grid[m] * HF_BOYS_TERMS;
    }
    boys->exponential = next;
    for (int grid = 0; grid < max_grid; grid++) fill_row(boys, grid);
    return boys;
}

void hf_boys_destroy(struct hf_boys **boys)
{
    if (*boys != NULL) free((*boys)->storage);
    free(*boys);
    *boys = NULL;
}

void hf_boys_evaluate(const struct hf_boys *boys, int order, double T, double value[])
{
    double exponential = 0.0;
    if (T < boys->limit[order]) {
        const int grid = (int)(T * HF_BOYS_PER_UNIT + 0.5);
        const double d = T - (double)grid / HF_BOYS_PER_UNIT;
        const double *c = boys->taylor[order] + (size_t)grid * HF_BOYS_TERMS;
        double top = c[HF_BOYS_TERMS - 1];
        for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) top = top * d + c[k];
        value[order] = top;
        exponential = exp(-T);
    } else {
        double top = boys->asymptotic[order] / sqrt(T);
        for (int k = 0; k < order; k++) top /= T;
        value[order] = top;
    }
    for (int m = order - 1; m >= 0; m--)
        value[m] = (2.0 * T * value[m + 1] + exponential) / (2 * m + 1);
}
