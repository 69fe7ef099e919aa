/* Bounds on the errors of expansions; docs/numerics.md derives them. */
#include "base/arithmetic.h"
#include "integrals/solid_harmonics.h"
#include "multipole/multipole.h"

#include <math.h>

/** Share of the tolerance for each of the four errors: charges that overlap, orders of the moments and of the
 *  local expansion beyond the highest, and terms left out below it. */
static const double SHARE = 0.25;
/** Spheres that come closer than this need more orders than there are. */
static const double WIDEST = 0.85;

/** n (n-1) ... (n-k+1) */
static double falling(int n, int k)
{
    double value = 1.0;
    for (int i = 0; i < k; i++) value *= n - i;
    return value;
}

static double power(double x, int n)
{
    double value = 1.0;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2 != 0) value *= x;
    return value;
}

/** What all terms give together whose order on one side, that of `cut`, is above `order`, whatever
 *  the order on the other side. */
static double beyond(const struct hf_expanded *cut, const struct hf_expanded *other,
                     double distance, int order)
{
    const double free = distance - other->radius, ratio = cut->radius / free;
    double sum = 0.0;
    for (int k = 0; k <= cut->order; k++) {
        const int first = order + 1 > k ? order + 1 : k;
        const double start = power(ratio, first - k) / free;
        for (int i = 0; i <= other->order; i++) {
            const double growth = (first + 1.0 + i) / (first + 1 - k) * ratio;
            if (growth >= 1.0) return INFINITY;
            sum += cut->strength[k] * other->strength[i] * falling(first + i, i + k) * start /
                   (power(free, i + k) * (1.0 - growth));
        }
    }
    return sum;
}

/** Integral of u^(2q) exp(-u^2) from s on, q = 0 ... n. */
static void tails(double s, int n, double value[])
{
    const double edge = 0.5 * exp(-s * s);
    double odd = s;
    value[0] = 0.5 * sqrt(HF_PI) * erfc(s);
    for (int q = 1; q <= n; q++) {
        value[q] = odd * edge + (q - 0.5) * value[q - 1];
        odd *= s * s;
    }
}

double hf_overlap_error(const struct hf_expanded *near, const struct hf_expanded *far,
                        double distance)
{
    const double d = distance - near->radius - far->radius;
    if (d <= 0.0) return INFINITY;
    if (isinf(near->exponent) && isinf(far->exponent)) return 0.0;
    const double alpha = isinf(near->exponent) ? far->exponent
                         : isinf(far->exponent)
                             ? near->exponent
                             : near->exponent * far->exponent / (near->exponent + far->exponent);
    double tail[2 * HF_MAX_RAISED_PAIR_L + 1], sum = 0.0;
    tails(sqrt(alpha) * d, near->order + far->order, tail);
    for (int n = 0; n <= near->order + far->order; n++) {
        double both = 0.0, edge = 0.0, coefficient = power(2.0, n);
        for (int k = 0; k <= n && k <= near->order; k++)
            if (n - k <= far->order) both += near->strength[k] * far->strength[n - k];
        for (int m = 0; 2 * m <= n; m++) {
            edge += coefficient * tail[n - m];
            coefficient *= falling(n - 2 * m, 2) / (4.0 * (m + 1));
        }
        sum += both * edge / power(d, n + 1);
    }
    return 2.0 / sqrt(HF_PI) * sum;
}

bool hf_well_separated(const struct hf_expanded *local, const struct hf_expanded *moments,
                       double distance, int highest, double tolerance)
{
    if (local->radius + moments->radius > WIDEST * distance) return false;
    return hf_overlap_error(local, moments, distance) <= SHARE * tolerance &&
           beyond(moments, local, distance, highest) <= SHARE * tolerance &&
           beyond(local, moments, distance, highest) <= SHARE * tolerance;
}

/** What a row of order j of the moments leaves out with local orders above l. */
static double row_error(const struct hf_expanded *local, double moment, double distance, int j,
                        int l)
{
    const double ratio = local->radius / distance;
    double sum = 0.0, binomial = 1.0;
    const int n = l + 1;
    for (int i = 1; i <= j; i++) binomial *= (double)(n + i) / i;
    for (int k = 0; k <= local->order; k++) {
        if (n < k) return INFINITY;
        const double growth = (n + 1.0 + j) / (n + 1 - k) * ratio;
        if (growth >= 1.0) return INFINITY;
        sum += local->strength[k] * falling(n, k) * power(ratio, n - k) /
               (power(distance, k) * (1.0 - growth));
    }
    return sum * binomial * moment;
}

int hf_expansion_orders(const struct hf_expanded *local, const struct hf_expanded *moments,
                        double distance, int highest, double tolerance,
                        int to_order[HF_MAX_EXPANSION + 1])
{
    int low = -1, order = highest;
    while (order - low > 1) {
        const int middle = (low + order) / 2;
        if (beyond(moments, local, distance, middle) <= SHARE * tolerance)
            order = middle;
        else
            low = middle;
    }
    const double allowed = SHARE * tolerance / (order + 1);
    double inverse = 1.0 / distance;
    int l = highest / 2;
    for (int j = 0; j <= order; j++, inverse /= distance) {
        double moment = 0.0;
        for (int k = 0; k <= moments->order && k <= j; k++)
            moment += moments->strength[k] * falling(j, k) * power(moments->radius, j - k);
        moment *= inverse;
        while (l < highest && row_error(local, moment, distance, j, l) > allowed) l++;
        while (l >= 0 && row_error(local, moment, distance, j, l - 1) <= allowed) l--;
        to_order[j] = l;
    }
    return order;
}

/* ---- Products of two functions as Hermite Gaussians ------------------------------------------ */

double hf_widest_function(int l, bool spherical)
{
    double most = 1.0;
    struct hf_solid_harmonics harmonics;
    if (!spherical || l < 2) return most;
    hf_solid_harmonics_init(l, &harmonics);
    for (int function = 0; function < 2 * l + 1; function++) {
        double sum = 0.0;
        for (int i = 0; i < harmonics.n_term[function]; i++)
            sum += fabs(harmonics.coefficient[function][i]);
        most = fmax(most, sum);
    }
    return most;
}

void hf_bound_expansion(double half, double pa, double pb, int l_a, int l_b, double e[])
{
    for (int k = 0; k <= l_a + l_b + 1; k++) e[k] = k == 0 ? 1.0 : 0.0;
    for (int step = 1; step <= l_a + l_b; step++) {
        const double shift = step <= l_a ? pa : pb;
        double below = 0.0;
        for (int k = 0; k <= step; k++) {
            const double here = e[k];
            e[k] = half * below + shift * here + (k + 1) * e[k + 1];
            below = here;
        }
    }
}
