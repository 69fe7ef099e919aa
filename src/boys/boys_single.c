/* Tables of the Boys function in single precision. */
#include "boys/boys_single.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = HF_BOYS_SINGLE_MOST_TERMS };

/** Smallest T from which on all orders up to m equal their asymptotes to single precision; compare
 *  boys.c. */
static double single_limit(int m)
{
    const double least = lgamma(m + 0.5) + log(0x1p-26);
    double T = fmax(16.0, m);
    while (-T + (m - 0.5) * log(T) > least) T += 0.25;
    return T;
}

/** Part of an interval, and the Chebyshev nodes in it. */
struct section {
    int n;
    double middle, half, node[MOST];
    double cosine[MOST][MOST]; /**< T_k at node i */
};

static struct section make_section(int n, double low, double high)
{
    struct section made = {.n = n, .middle = 0.5 * (low + high), .half = 0.5 * (high - low)};
    for (int i = 0; i < n; i++) {
        const double angle = acos(-1.0) * (i + 0.5) / n;
        made.node[i] = made.middle + made.half * cos(angle);
        for (int k = 0; k < n; k++) made.cosine[k][i] = cos(k * angle);
    }
    return made;
}

/** Coefficients of the polynomial through the values at the nodes, by Chebyshev polynomials:
 *  T_k+1(y) = 2 y T_k(y) - T_k-1(y), y = (x - middle) / half. */
static void fit(const struct section *in, const double value[MOST], double coefficient[MOST])
{
    double before[MOST] = {0.0}, now[MOST] = {1.0}, next[MOST];
    for (int i = 0; i < MOST; i++) coefficient[i] = 0.0;
    for (int k = 0; k < in->n; k++) {
        double c = 0.0;
        for (int i = 0; i < in->n; i++) c += value[i] * in->cosine[k][i];
        c *= (k == 0 ? 1.0 : 2.0) / in->n;
        const double factor = (k == 0 ? 1.0 : 2.0) / in->half;
        for (int i = 0; i < MOST; i++) {
            coefficient[i] += c * now[i];
            next[i] = factor * ((i > 0 ? now[i - 1] : 0.0) - in->middle * now[i]) - before[i];
        }
        for (int i = 0; i < MOST; i++) {
            before[i] = now[i];
            now[i] = next[i];
        }
    }
}

/** Coefficients of F_m in interval g, or in the part of it that occurs. */
static void fill_interval(const struct hf_boys *boys, int m, int g, const struct section *in,
                          struct hf_boys_single_order *to)
{
    double value[MOST], coefficient[MOST];
    for (int i = 0; i < in->n; i++)
        value[i] = hf_boys_highest(boys, m, (g + in->node[i]) / (double)to->per_unit);
    fit(in, value, coefficient);
    for (int k = 0; k < MOST; k++) to->coefficient[k][g] = (float)coefficient[k];
    to->exponential[g] = (float)exp(-g / (double)to->per_unit);
}

static void fill(const struct hf_boys *boys, int m, struct hf_boys_single_order *to)
{
    const double most = HF_BOYS_SINGLE_INTERVALS - 0.52; /* rounded it is the last interval */
    const struct section in = make_section(hf_boys_single_terms(m), -0.5, 0.5);
    const struct section first = make_section(in.n, 0.0, 0.5); /* no T < 0 */
    double value[MOST], series[MOST];
    to->limit = (float)single_limit(m);
    to->per_unit = (float)(most / (double)to->limit);
    for (int i = 0; i < in.n; i++) value[i] = exp(-in.node[i] / (double)to->per_unit);
    fit(&in, value, series);
    for (int k = 0; k < MOST; k++) to->series[k] = (float)series[k];
    for (int g = 0; g < HF_BOYS_SINGLE_INTERVALS; g++)
        fill_interval(boys, m, g, g == 0 ? &first : &in, to);
}

struct hf_boys_single *hf_boys_single_create(const struct hf_boys *boys)
{
    struct hf_boys_single *made = aligned_alloc(64, sizeof *made);
    if (made == NULL) return NULL;
    for (int m = 0; m <= boys->max_order && m <= HF_BOYS_SINGLE_MAX_ORDER; m++)
        fill(boys, m, &made->of[m]);
    return made;
}

void hf_boys_single_destroy(struct hf_boys_single **single)
{
    free(*single);
    *single = NULL;
}
