/* Expansion of real solid harmonics in Cartesian monomials, for any l. */
#include "integrals/solid_harmonics.h"

#include "integrals/cartesian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double binomial(int n, int k)
{
    double value = 1.0;
    for (int i = 1; i <= k; i++) value = value * (n - k + i) / i;
    return k < 0 || k > n ? 0.0 : value;
}

/** (n-1)!!, the even moment of a Gaussian of one dimension in units of its width; 0 for odd n. */
static double moment(int n)
{
    if (n % 2 != 0) return 0.0;
    double value = 1.0;
    for (int i = n - 1; i > 1; i -= 2) value *= i;
    return value;
}

/** Row m of the expansion, dense over the monomials, before normalisation: Eq. 6.4.47. For negative m, v takes
 *  half-integer values, so the loop counts twice v. */
static void expand(int l, int m, double row[])
{
    const int am = abs(m), twice_v_first = m < 0 ? 1 : 0;
    memset(row, 0, (size_t)hf_n_cartesian(l) * sizeof *row);
    for (int t = 0; t <= (l - am) / 2; t++) {
        for (int u = 0; u <= t; u++) {
            for (int twice_v = twice_v_first; twice_v <= am; twice_v += 2) {
                const int j = 2 * u + twice_v, k = l - 2 * t - am;
                const double sign = (t + (twice_v - twice_v_first) / 2) % 2 == 0 ? 1.0 : -1.0;
                row[hf_cartesian_index(j, k)] += sign * pow(0.25, t) * binomial(l, t) *
                                                 binomial(l - t, am + t) * binomial(t, u) *
                                                 binomial(am, twice_v);
            }
        }
    }
}

/** <row | row> in units of <x^l | x^l>. */
static double norm_squared(int l, const double row[])
{
    struct hf_cartesian_table table;
    hf_cartesian_table_init(&table);
    double sum = 0.0;
    for (int p = 0; p < hf_n_cartesian(l); p++) {
        for (int q = 0; q < hf_n_cartesian(l); q++) {
            double product = row[p] * row[q];
            for (int d = 0; d < 3; d++)
                product *= moment(table.component[l][p].power[d] + table.component[l][q].power[d]);
            sum += product;
        }
    }
    return sum / moment(2 * l);
}

void hf_solid_harmonics_init(int l, struct hf_solid_harmonics *harmonics)
{
    *harmonics = (struct hf_solid_harmonics){{0}, {{0}}, {{0.0}}};
    for (int m = -l; m <= l; m++) {
        double row[HF_MAX_CARTESIAN];
        expand(l, m, row);
        const double scale = 1.0 / sqrt(norm_squared(l, row));
        int *n = &harmonics->n_term[m + l];
        for (int c = 0; c < hf_n_cartesian(l); c++) {
            if (row[c] == 0.0) continue;
            harmonics->column[m + l][*n] = c;
            harmonics->coefficient[m + l][*n] = row[c] * scale;
            (*n)++;
        }
    }
}

void hf_solid_harmonics_apply(const struct hf_solid_harmonics *harmonics, int l, int right,
                              const double *in, double *out)
{
    for (int row = 0; row < 2 * l + 1; row++) {
        double *to = out + (size_t)row * right;
        memset(to, 0, (size_t)right * sizeof *to);
        for (int k = 0; k < harmonics->n_term[row]; k++) {
            const double c = harmonics->coefficient[row][k];
            const double *from = in + (size_t)harmonics->column[row][k] * right;
            for (int i = 0; i < right; i++) to[i] += c * from[i];
        }
    }
}

void hf_solid_harmonics_to_monomials(const struct hf_solid_harmonics *harmonics, int l,
                                     const double function[], double monomial[])
{
    memset(monomial, 0, (size_t)hf_n_cartesian(l) * sizeof *monomial);
    for (int row = 0; row < 2 * l + 1; row++)
        for (int k = 0; k < harmonics->n_term[row]; k++)
            monomial[harmonics->column[row][k]] += harmonics->coefficient[row][k] * function[row];
}
