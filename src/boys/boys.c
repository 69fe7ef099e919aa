/* Tables of the Boys function, and its evaluation one argument at a time. */
#include "boys/boys.h"

#include <math.h>
#include <stdlib.h>

/** Terms of the Taylor series of an interval: the remainder is below 1e-22 of F_m. */
enum { N_TAYLOR = 12, N_ORDER = HF_BOYS_MAX_ORDER + N_TAYLOR };

/** Odd numbers that the series below divides by: tables of T up to 100 and orders up to 60 need fewer. */
enum { N_INVERSE = 512 };

/** F_m(T) exp(T) by the ascending series: all terms are positive, so nothing cancels. inverse [i] = 1 / (2 i + 1):
 *  divisions would take most of the time. */
static long double boys_series(int m, long double T, const long double inverse[N_INVERSE])
{
    long double term = inverse[m], sum = term;
    for (int i = m + 1; term > sum * 1e-21L && i < N_INVERSE; i++) {
        term *= 2.0L * T * inverse[i];
        sum += term;
    }
    return sum;
}

/** Smallest T from which F_m(T) equals its asymptote to 1e-16: the relative difference is about exp(-T)
 *  T^(m-1/2) / Gamma(m+1/2), falling in T beyond m. */
static double asymptotic_limit(int m)
{
    const double least = lgamma(m + 0.5) + log(1e-17);
    double T = fmax(30.0, m);
    while (-T + (m - 0.5) * log(T) > least) T += 0.25;
    return T;
}

/** F_m(T) of the orders up to max_order, rounded once, and exp(-T). */
static double evaluate_middle(int max_order, long double T, const long double inverse[N_INVERSE],
                              double value[N_ORDER])
{
    const long double exponential = expl(-T);
    long double f = exponential * boys_series(max_order, T, inverse);
    value[max_order] = (double)f;
    for (int m = max_order - 1; m >= 0; m--) {
        f = (2.0L * T * f + exponential) * inverse[m];
        value[m] = (double)f;
    }
    return (double)exponential;
}

/** Replaces a polynomial in x by the one of lower degree with the same values at the Chebyshev nodes of the interval, the
 *  zeros of T_7(y) = 64 y^7 - 112 y^5 + 56 y^3 - 7 y, y = x / h: the remainder of its division by T_7. The
 *  constant term stays. */
static void economise(double c[N_TAYLOR])
{
    _Static_assert(HF_BOYS_TERMS == 7, "the polynomial is that of seven nodes");
    const double half = 0.5 / HF_BOYS_PER_UNIT, square = half * half;
    for (int k = N_TAYLOR - 1; k >= HF_BOYS_TERMS; k--) {
        c[k - 2] += c[k] * square * (112.0 / 64.0);
        c[k - 4] -= c[k] * square * square * (56.0 / 64.0);
        c[k - 6] += c[k] * square * square * square * (7.0 / 64.0);
    }
}

/** Row `grid` of all tables: dF_m / dT = -F_m+1. taylor [k] = (-1)^k / k!. */
static void fill_row(struct hf_boys *boys, int grid, const long double inverse[N_INVERSE],
                     const double taylor[N_TAYLOR])
{
    const long double middle = (long double)grid / HF_BOYS_PER_UNIT;
    double value[N_ORDER];
    const double exponential =
        evaluate_middle(boys->max_order + N_TAYLOR - 1, middle, inverse, value);
    for (int m = 0; m <= boys->max_order; m++) {
        if (grid >= boys->n_grid[m]) continue;
        double *row = boys->series[m] + (size_t)grid * HF_BOYS_ROW;
        double c[N_TAYLOR];
        for (int k = 0; k < N_TAYLOR; k++) c[k] = taylor[k] * value[m + k];
        economise(c);
        for (int k = 0; k < HF_BOYS_TERMS; k++) row[k] = c[k];
        row[HF_BOYS_TERMS] = exponential;
    }
}

struct hf_boys *hf_boys_create(int max_order)
{
    struct hf_boys *boys = calloc(1, sizeof *boys);
    if (boys == NULL) return NULL;
    boys->max_order = max_order;
    size_t n_row = 0;
    int max_grid = 0;
    double double_factorial = 1.0;
    for (int m = 0; m <= max_order; m++) {
        boys->limit[m] = asymptotic_limit(m);
        boys->n_grid[m] = (int)(boys->limit[m] * HF_BOYS_PER_UNIT) + 2;
        n_row += (size_t)boys->n_grid[m];
        if (boys->n_grid[m] > max_grid) max_grid = boys->n_grid[m];
        boys->asymptotic[m] = double_factorial * sqrt(acos(-1.0)) / ldexp(1.0, m + 1);
        double_factorial *= 2 * m + 1;
    }

    const size_t n_byte = n_row * HF_BOYS_ROW * sizeof(double); /* whole cache lines */
    boys->storage = aligned_alloc(64, n_byte);
    if (boys->storage == NULL) {
        hf_boys_destroy(&boys);
        return NULL;
    }
    double *next = boys->storage;
    for (int m = 0; m <= max_order; m++) {
        boys->series[m] = next;
        next += (size_t)boys->n_grid[m] * HF_BOYS_ROW;
    }
    long double inverse[N_INVERSE];
    double taylor[N_TAYLOR] = {1.0};
    for (int i = 0; i < N_INVERSE; i++) inverse[i] = 1.0L / (2 * i + 1);
    for (int k = 1; k < N_TAYLOR; k++) taylor[k] = taylor[k - 1] / -k;
    for (int grid = 0; grid < max_grid; grid++) fill_row(boys, grid, inverse, taylor);
    return boys;
}

void hf_boys_destroy(struct hf_boys **boys)
{
    if (*boys != NULL) free((*boys)->storage);
    free(*boys);
    *boys = NULL;
}

double hf_boys_highest(const struct hf_boys *boys, int order, double T)
{
    if (T < boys->limit[order]) {
        const int grid = (int)(T * HF_BOYS_PER_UNIT + 0.5);
        const double d = T - (double)grid / HF_BOYS_PER_UNIT;
        const double *c = boys->series[order] + (size_t)grid * HF_BOYS_ROW;
        double value = c[HF_BOYS_TERMS - 1];
        for (int k = HF_BOYS_TERMS - 2; k >= 0; k--) value = value * d + c[k];
        return value;
    }
    double value = boys->asymptotic[order] / sqrt(T);
    for (int k = 0; k < order; k++) value /= T;
    return value;
}

void hf_boys_evaluate(const struct hf_boys *boys, int order, double T, double value[])
{
    const double exponential = T < boys->limit[order] ? exp(-T) : 0.0;
    value[order] = hf_boys_highest(boys, order, T);
    for (int m = order - 1; m >= 0; m--)
        value[m] = (2.0 * T * value[m + 1] + exponential) / (2 * m + 1);
}
