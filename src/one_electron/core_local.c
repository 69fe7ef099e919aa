/* The local part of an effective core potential between two shells. A term r^0 exp(-g r^2) makes
 * overlaps of three Gaussians, products of one integral per dimension. Other powers follow from it:
 *
 *     r^2                multiplies the integral of each dimension in turn by its coordinate squared
 *     1/r                2/sqrt(pi) times the integral over t, 0 to infinity, of exp(-t^2 r^2)
 *     1/r^2              the integral over t of 2 t exp(-t^2 r^2);        r = r^2 (1/r)
 *
 * With t = sqrt(p + g) tan(theta), p the sum of the exponents of the two functions, the integrand
 * is smooth over theta, 0 to pi/2: Gauss-Legendre. */
#include "core_local.h"

#include "base/arithmetic.h"
#include "quadrature.h"

#include <math.h>
#include <string.h>

enum { MAX_A = HF_MAX_L + 1, MAX_B = HF_MAX_L + 3 }; /* one more for derivatives */

static const double LEAST = 1e-20; /* a product of Gaussians that matters */

/** Overlaps of x_A^i x_B^j with one Gaussian, one dimension. */
struct overlaps {
    double s[MAX_A + 1][MAX_B + 1];
};

/** A pair of primitives and where it is. */
struct primitive_pair {
    double exponent;    /**< sum of the two */
    double coefficient; /**< product of the two times the Gaussian of their distance */
    double centre[3];
};

void hf_core_local_init(const struct hf_core_potential *potential, const double centre[3],
                        const struct hf_cartesian_table *cartesian, struct hf_core_local *local)
{
    const double quarter_pi = 0.25 * HF_PI;
    local->potential = potential;
    local->cartesian = cartesian;
    memcpy(local->centre, centre, sizeof local->centre);
    hf_gauss_legendre(HF_N_CORE_LOCAL_POINT, local->point, local->weight);
    for (int i = 0; i < HF_N_CORE_LOCAL_POINT; i++) {
        local->point[i] = quarter_pi * (1.0 + local->point[i]);
        local->weight[i] *= quarter_pi;
    }
}

/** Obara and Saika's recursion for a Gaussian of exponent q whose centre lies qa and qb from A and B;
 *  in units of sqrt(pi/q). */
static void find_overlaps(double q, double qa, double qb, int l_a, int l_b, struct overlaps *to)
{
    const double half = 0.5 / q;
    to->s[0][0] = 1.0;
    for (int i = 1; i <= l_a; i++)
        to->s[i][0] = qa * to->s[i - 1][0] + (i > 1 ? (i - 1) * half * to->s[i - 2][0] : 0.0);
    for (int j = 1; j <= l_b; j++)
        for (int i = 0; i <= l_a; i++)
            to->s[i][j] = qb * to->s[i][j - 1] + (i > 0 ? i * half * to->s[i - 1][j - 1] : 0.0) +
                          (j > 1 ? (j - 1) * half * to->s[i][j - 2] : 0.0);
}

/** The product of a shell's Cartesian component pair, with r^2 of the potential or without. */
static double component_integral(const struct overlaps overlap[3], const double bc[3], bool square,
                                 const signed char i[3], const signed char j[3])
{
    double value[3], sum = 0.0;
    for (int d = 0; d < 3; d++) value[d] = overlap[d].s[i[d]][j[d]];
    if (!square) return value[0] * value[1] * value[2];
    for (int d = 0; d < 3; d++) {
        const double *s = overlap[d].s[i[d]];
        const double raised = s[j[d] + 2] + 2.0 * bc[d] * s[j[d] + 1] + bc[d] * bc[d] * value[d];
        sum += raised * value[(d + 1) % 3] * value[(d + 2) % 3];
    }
    return sum;
}

/** Adds factor times the overlaps of a pair of primitives with exp(-g r^2), times r^2 if asked. */
static bool add_gaussian(const struct hf_core_local *local, const struct primitive_pair *pair,
                         const struct hf_shell *a, const struct hf_shell *b, double g,
                         double factor, bool square, double block[])
{
    const double p = pair->exponent, q = p + g;
    struct overlaps overlap[3];
    double bc[3];
    factor *=
        pair->coefficient * exp(-p * g / q * hf_distance_squared(pair->centre, local->centre));
    if (fabs(factor) < LEAST) return false;
    factor *= pow(HF_PI / q, 1.5);
    for (int d = 0; d < 3; d++) {
        const double from_pair = g / q * (local->centre[d] - pair->centre[d]);
        bc[d] = b->centre_bohr[d] - local->centre[d];
        find_overlaps(q, pair->centre[d] - a->centre_bohr[d] + from_pair,
                      pair->centre[d] - b->centre_bohr[d] + from_pair, a->l,
                      b->l + (square ? 2 : 0), &overlap[d]);
    }
    for (int m = 0; m < hf_n_cartesian(a->l); m++)
        for (int n = 0; n < hf_n_cartesian(b->l); n++)
            *block++ += factor * component_integral(overlap, bc, square,
                                                    local->cartesian->component[a->l][m].power,
                                                    local->cartesian->component[b->l][n].power);
    return true;
}

/** Adds one term of the potential. */
static bool add_term(const struct hf_core_local *local, const struct primitive_pair *pair,
                     const struct hf_shell *a, const struct hf_shell *b,
                     const struct hf_core_term *term, double block[])
{
    const bool square = term->power > 0;
    if (term->power == 0 || term->power == 2)
        return add_gaussian(local, pair, a, b, term->exponent, term->coefficient, square, block);
    bool any = false;
    const double c = pair->exponent + term->exponent, root_pi = sqrt(HF_PI);
    for (int i = 0; i < HF_N_CORE_LOCAL_POINT; i++) {
        const double tangent = tan(local->point[i]), t = sqrt(c) * tangent;
        const double dt = sqrt(c) * (1.0 + tangent * tangent) * local->weight[i];
        const double factor = term->power == -2 ? 2.0 * t : 2.0 / root_pi;
        any = add_gaussian(local, pair, a, b, term->exponent + t * t,
                           term->coefficient * factor * dt, square, block) ||
              any;
    }
    return any;
}

bool hf_core_local_block(const struct hf_core_local *local, const struct hf_shell *a,
                         const struct hf_shell *b, double block[])
{
    const struct hf_core_potential *potential = local->potential;
    bool any = false;
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    memset(block, 0, (size_t)(hf_n_cartesian(a->l) * hf_n_cartesian(b->l)) * sizeof *block);
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j], p = alpha + beta;
            struct primitive_pair pair = {.exponent = p,
                                          .coefficient = a->coefficient[i] * b->coefficient[j] *
                                                         exp(-alpha * beta / p * ab_squared)};
            if (fabs(pair.coefficient) < LEAST) continue;
            for (int d = 0; d < 3; d++)
                pair.centre[d] = (alpha * a->centre_bohr[d] + beta * b->centre_bohr[d]) / p;
            for (int k = 0; k < potential->n_term; k++)
                if (potential->term[k].l == potential->max_l)
                    any = add_term(local, &pair, a, b, &potential->term[k], block) || any;
        }
    }
    return any;
}
