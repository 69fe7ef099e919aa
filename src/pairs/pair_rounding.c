/* What single precision does to the integrals of a pair of shells. */
#include "pair_rounding.h"

#include "base/arithmetic.h"
#include "integrals/shell_pair.h"
#include "primitive_pairs.h"

#include <math.h>

static double power(double x, int n)
{
    double result = 1.0;
    for (int k = 0; k < n; k++) result *= x;
    return result;
}

/** Sums of up to so many primitives err no more than the recurrences do; longer ones as the square root
 *  of their number, a random walk. */
static const double LONG_SUM = 8.0;

/** No number of a pair's primitives may be larger: two such pairs, and what lies between, are within
 *  single precision, and what is too small for it stays too small to count with both pairs' factors. */
static const double LARGEST_NUMBER = 0x1p36;

/** A primitive pair of s functions, and where it is. */
struct distribution {
    double zeta, size; /**< size: (ss|ss)^(1/2) without coefficients */
    double to_a, ab;   /**< |P-A|, |A-B| */
};

/** What a primitive pair's monomials of two parts add up to at most, beside `size`. */
static double monomials(const struct distribution *p, int l_a, int l_b)
{
    const double width = sqrt((l_a + l_b + 2) / (6.0 * p->zeta));
    return power(p->to_a + width, l_a) * power(p->to_a + p->ab + width, l_b);
}

/** Of two parts: the sum over the primitives, and their number. */
struct part_sum {
    double value;
    int n;
};

/** What a primitive adds to the sum of two parts. */
static void add_primitive(const struct distribution *p, int l_a, int l_b, double coefficient,
                          struct part_sum *sum)
{
    const double factor = monomials(p, l_a, l_b);
    const double largest = coefficient * fmax(1.0, p->size) * fmax(1.0, factor);
    if (coefficient == 0.0) return;
    sum->value += largest < LARGEST_NUMBER ? coefficient * p->size * factor : INFINITY;
    sum->n++;
}

double hf_pair_rounding(const struct hf_shell *a, const struct hf_shell *b)
{
    static const double FARTHEST = 80.0; /* exp(-80) adds nothing to whatever stands beside it */
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    const double constant = sqrt(2.0) * pow(HF_PI, 1.25);
    const int n_a = hf_shell_n_part(a), n_b = hf_shell_n_part(b);
    struct part_sum sum[HF_MAX_PAIR_PART] = {{0.0, 0}};
    double largest = 0.0;
    struct distribution p = {.ab = sqrt(ab_squared)};
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j];
            const double exponent = alpha * beta / (alpha + beta) * ab_squared;
            if (exponent > FARTHEST) continue;
            p.zeta = alpha + beta;
            p.size = exp(-exponent) * constant / (p.zeta * sqrt(sqrt(2.0 * p.zeta)));
            p.to_a = beta / p.zeta * p.ab;
            for (int k = 0; k < n_a * n_b; k++) {
                const struct hf_shell_part part_a = hf_shell_get_part(a, k / n_b);
                const struct hf_shell_part part_b = hf_shell_get_part(b, k % n_b);
                add_primitive(&p, part_a.l, part_b.l,
                              fabs(part_a.coefficient[i] * part_b.coefficient[j]), &sum[k]);
            }
        }
    }
    for (int k = 0; k < n_a * n_b; k++)
        largest = fmax(largest, sum[k].value * sqrt(fmax(1.0, sum[k].n / LONG_SUM)));
    return largest;
}
