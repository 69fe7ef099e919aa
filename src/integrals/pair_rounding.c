/* What single precision does to the integrals of a pair of shells. */
#include "pair_rounding.h"

#include "hf/shell_pair.h"
#include "primitive_pairs.h"

#include <math.h>

static double power(double x, int n)
{
    double result = 1.0;
    for (int k = 0; k < n; k++) result *= x;
    return result;
}

/** A primitive pair of s functions, and where it is. */
struct distribution {
    double zeta, size; /**< size: (ss|ss)^(1/2) without coefficients */
    double to_a, ab;   /**< |P-A|, |A-B| */
};

/** The largest sum of the monomials of two parts on one primitive pair. */
static double part_rounding(const struct distribution *p, int l_a, int l_b)
{
    const double width = sqrt((l_a + l_b + 2) / (6.0 * p->zeta));
    return p->size * power(p->to_a + width, l_a) * power(p->to_a + p->ab + width, l_b);
}

double hf_pair_rounding(const struct hf_shell *a, const struct hf_shell *b)
{
    static const double FARTHEST = 80.0; /* exp(-80) adds nothing to whatever stands beside it */
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    const double factor = sqrt(2.0) * pow(acos(-1.0), 1.25);
    const int n_a = hf_shell_n_part(a), n_b = hf_shell_n_part(b);
    double sum[HF_MAX_PAIR_PART] = {0.0}, largest = 0.0;
    struct distribution p = {.ab = sqrt(ab_squared)};
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j];
            const double exponent = alpha * beta / (alpha + beta) * ab_squared;
            if (exponent > FARTHEST) continue;
            p.zeta = alpha + beta;
            p.size = exp(-exponent) * factor / (p.zeta * sqrt(sqrt(2.0 * p.zeta)));
            p.to_a = beta / p.zeta * p.ab;
            for (int k = 0; k < n_a * n_b; k++) {
                const struct hf_shell_part part_a = hf_shell_get_part(a, k / n_b);
                const struct hf_shell_part part_b = hf_shell_get_part(b, k % n_b);
                sum[k] += fabs(part_a.coefficient[i] * part_b.coefficient[j]) *
                          part_rounding(&p, part_a.l, part_b.l);
            }
        }
    }
    for (int k = 0; k < n_a * n_b; k++) largest = fmax(largest, sum[k]);
    return largest;
}
