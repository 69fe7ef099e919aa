/* Tables of the Boys function, and its evaluation one argument at a time. */
#include "hf/boys.h"

#include <math.h>
#include <stdlib.h>

enum { N_ORDER = HF_BOYS_MAX_ORDER + 1, N_NODE = HF_BOYS_TERMS };

/** Odd numbers that the series below divides by: a table of T up to 100 and orders up to 60 takes fewer. */
enum { N_INVERSE = 512 };

/** F_m(T) exp(T) by the ascending series: where T is positive all terms are, so nothing cancels; elsewhere
 *  it is small. inverse [i] = 1 / (2 i + 1): divisions would take most of the time. */
static long double boys_series(int m, long double T, const long double inverse[N_INVERSE])
{
    long double term = inverse[m], sum = term;
    for (int i = m + 1; fabsl(term) > sum * 1e-21L && i < N_INVERSE; i++) {
        term *= 2.0L * T * inverse[i];
        sum += term;
    }
    return sum;
}

/** Smallest T from which F_m(T) equals its asymptote to 1e-16: the relative rest is about
 *  exp(-T) T^(m-1/2) / Gamma(m+1/2), falling in T beyond m. */
static double asymptotic_limit(int m)
{
    const double least = lgamma(m + 0.5) + log(1e-17);
    double T = fmax(30.0, m);
    while (-T + (m - 0.5) * log(T) > least) T += 0.25;
    return T;
}

/** F_m of the orders up to max_order at a node. */
static void evaluate_node(int max_order, long double T, const long double inverse[N_INVERSE],
                          long double value[N_ORDER])
{
    const long double exponential = expl(-T);
    value[max_order] = exponential * boys_series(max_order, T, inverse);
    for (int m = max_order - 1; m >= 0; m--)
        value[m] = (2.0L * T * value[m + 1] + exponential) * inverse[m];
}

/** Powers of x from the sum of c_k T_k(x / half), T_k the Chebyshev polynomials. */
static void to_powers(const long double c[N_NODE], long double half, long double power[N_NODE])
{
    long double before[N_NODE] = {1.0L}, now[N_NODE] = {0.0L, 1.0L}, scale = 1.0L;
    for (int k = 0; k < N_NODE; k++) power[k] = k == 0 ? c[0] : 0.0L;
    for (int k = 1; k < N_NODE; k++) {
        long double next[N_NODE];
        for (int i = 0; i < N_NODE; i++) {
            power[i] += c[k] * now[i];
            next[i] = (i > 0 ? 2.0L * now[i - 1] : 0.0L) - before[i];
        }
        for (int i = 0; i < N_NODE; i++) {
            before[i] = now[i];
            now[i] = next[i];
        }
    }
    for (int i = 0; i < N_NODE; i++, scale /= half) power[i] *= scale;
}

/** Half the width of the interval that a row of a table is for. */
static const long double HALF = 0.5L / HF_BOYS_PER_UNIT;

/** The Chebyshev nodes of an interval, and the polynomials that are 1 at one of them and 0 at all others. */
struct interpolation {
    long double node[N_NODE];          /**< distance from the middle */
    long double power[N_NODE][N_NODE]; /**< [node][k] coefficient of x^k */
    long double inverse[N_INVERSE];    /**< see boys_series */
};

static void interpolation_init(struct interpolation *self)
{
    for (int node = 0; node < N_NODE; node++) {
        const long double angle = acosl(-1.0L) * (node + 0.5L) / N_NODE;
        long double c[N_NODE];
        for (int k = 0; k < N_NODE; k++) c[k] = (k == 0 ? 1.0L : 2.0L) / N_NODE * cosl(k * angle);
        to_powers(c, HALF, self->power[node]);
        self->node[node] = HALF * cosl(angle);
    }
    for (int i = 0; i < N_INVERSE; i++) self->inverse[i] = 1.0L / (2 * i + 1);
}

/** Row `grid` of all tables. */
static void fill_row(struct hf_boys *boys, int grid, const struct interpolation *interpolation)
{
    const long double middle = (long double)grid / HF_BOYS_PER_UNIT;
    const double exponential = (double)expl(-middle);
    long double value[N_NODE][N_ORDER];
    for (int node = 0; node < N_NODE; node++)
        evaluate_node(boys->max_order, middle + interpolation->node[node], interpolation->inverse,
                      value[node]);
    for (int m = 0; m <= boys->max_order; m++) {
        if (grid >= boys->n_grid[m]) continue;
        double *row = boys->series[m] + (size_t)grid * HF_BOYS_ROW;
        for (int k = 0; k < N_NODE; k++) {
            long double sum = 0.0L;
            for (int node = 0; node < N_NODE; node++)
                sum += value[node][m] * interpolation->power[node][k];
            row[k] = (double)sum;
        }
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
    struct interpolation interpolation;
    interpolation_init(&interpolation);
    for (int grid = 0; grid < max_grid; grid++) fill_row(boys, grid, &interpolation);
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
        const double *c = boys->series[order] + (size_t)grid * HF_BOYS_ROW;
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
