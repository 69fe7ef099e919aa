/* Primitives of one pair of shells: which matter, and what is kept of them. */
#include "primitive_pairs.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdlib.h>

double hf_farthest_exponent(double smallest)
{
    return 60.0 - log(smallest);
}

/** x to the power n >= 0. */
static double power(double x, int n)
{
    double result = 1.0;
    for (int k = 0; k < n; k++) result *= x;
    return result;
}

/** The monomials of a primitive pair at the distance where a Gaussian of this width and power has its
 *  weight. */
static double monomials(double zeta, double to_a, double to_b, int l_a, int l_b)
{
    if (l_a + l_b == 0) return 1.0;
    const double width = sqrt((l_a + l_b + 1) / (2.0 * zeta));
    return power(to_a + width, l_a) * power(to_b + width, l_b);
}

static int by_falling_bound(const void *left, const void *right)
{
    const struct hf_primitive_pair *x = left, *y = right;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

/** The larger one, and what is not a number before any: fmax would drop it. */
static double larger(double x, double y)
{
    return isnan(x) || x > y ? x : y;
}

/** The largest bound of any part, an estimate of (ab|ab)^(1/2): the self-repulsion of an s distribution, times
 *  monomials. The coefficient of a single part goes into the prefactor. */
static double add_coefficients(const struct hf_shell *a, const struct hf_shell *b, double zeta,
                               double distance, struct hf_primitive_pair *made)
{
    const int n_a = hf_shell_n_part(a), n_b = hf_shell_n_part(b);
    const double alpha = a->exponent[made->i], beta = b->exponent[made->j];
    const double to_a = beta / zeta * distance, to_b = alpha / zeta * distance;
    const double repulsion = made->prefactor / sqrt(sqrt(2.0 * zeta));
    double largest = 0.0;
    for (int k = 0; k < n_a * n_b; k++) {
        const struct hf_shell_part part_a = hf_shell_get_part(a, k / n_b);
        const struct hf_shell_part part_b = hf_shell_get_part(b, k % n_b);
        const double coefficient = part_a.coefficient[made->i] * part_b.coefficient[made->j];
        const double bound =
            fabs(coefficient) * repulsion * monomials(zeta, to_a, to_b, part_a.l, part_b.l);
        largest = larger(largest, bound);
        if (n_a * n_b == 1) made->prefactor *= coefficient;
    }
    return largest;
}

int hf_collect_primitives(const struct hf_shell *a, const struct hf_shell *b, double smallest,
                          double farthest, struct hf_primitive_pair out[])
{
    static const double factor = 5.914967172795613; /* 2^(1/2) pi^(5/4) */
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    const double distance = sqrt(ab_squared);
    int n = 0;
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j], zeta = alpha + beta;
            if (alpha * beta * ab_squared > farthest * zeta) continue;
            struct hf_primitive_pair *made = &out[n];
            *made = (struct hf_primitive_pair){
                .zeta = zeta,
                .one_over_two_zeta = 0.5 / zeta,
                .prefactor = exp(-alpha * beta / zeta * ab_squared) * factor / zeta,
                .i = (uint32_t)i,
                .j = (uint32_t)j,
            };
            for (int d = 0; d < 3; d++)
                made->pa[d] = beta / zeta * (b->centre_bohr[d] - a->centre_bohr[d]);
            const double bound = add_coefficients(a, b, zeta, distance, made);
            made->bound = isnan(bound) ? INFINITY : (float)bound;
            if (!(bound < smallest))
                n++; /* no number: it comes first, its integrals will show it */
        }
    }
    if (n > 1) qsort(out, (size_t)n, sizeof *out, by_falling_bound);
    return n;
}

int hf_most_coefficients(int n_class, const struct hf_pair_class class_of[])
{
    enum { VECTOR = 4 };
    int most = 1;
    for (int i = 0; i < n_class; i++)
        if (class_of[i].n_part > most) most = class_of[i].n_part;
    return most > 1 ? (most + VECTOR - 1) / VECTOR * VECTOR : 0;
}

static struct hf_single_primitive round_primitive(const struct hf_primitive_pair *from,
                                                  const double a[3], const double b[3])
{
    struct hf_single_primitive made = {.zeta = (float)from->zeta,
                                       .one_over_two_zeta = (float)from->one_over_two_zeta,
                                       .prefactor = (float)from->prefactor,
                                       .bound = (float)from->bound};
    for (int d = 0; d < 3; d++) {
        const double place = a[d] + from->pa[d];
        made.p[d] = (float)place;
        made.rest[d] = (float)(place - (double)made.p[d]);
        made.pa[d] = (float)from->pa[d];
        made.ab[d] = (float)(a[d] - b[d]);
    }
    return made;
}

void hf_round_primitives(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair)
{
    const struct hf_shell *a = &pairs->basis->shell[pair->a], *b = &pairs->basis->shell[pair->b];
    const struct hf_primitive_pair *from = hf_pair_primitives(pairs, pair);
    const int n_part = hf_shell_n_part(a) * hf_shell_n_part(b);
    for (int j = 0; j < pair->n_primitive; j++) {
        const int64_t at = pair->first_primitive + j;
        float *coefficient = pairs->single_coefficient + at * pairs->n_coefficient;
        pairs->single[at] = round_primitive(&from[j], a->centre_bohr, b->centre_bohr);
        for (int k = 0; k < pairs->n_coefficient; k++) coefficient[k] = 0.0F;
        for (int k = 0; k < (n_part > 1 ? n_part : 0); k++)
            coefficient[k] = (float)hf_part_coefficient(a, b, k, &from[j]);
    }
}
