/* Between Hermite Gaussians and point multipoles at their centres. */
#include "multipole/multipole.h"

#include <complex.h>
#include <string.h>

enum { SIDE = 2 * HF_MAX_RAISED_PAIR_L + 3 };

/** d^tuv R_jk of degree j = t + u + v for all k: with D+- = d/dx +- i d/dy, D+ R_jk = R_(j-1)(k+1),
 *  D- R_jk = -R_(j-1)(k-1) and d/dz R_jk = R_(j-1)k. value[HF_MAX_RAISED_PAIR_L + 1 + k]. */
static void differentiate(int t, int u, int v, double complex value[SIDE])
{
    double complex lower[SIDE];
    memset(value, 0, SIDE * sizeof *value);
    value[HF_MAX_RAISED_PAIR_L + 1] = 1.0;
    for (int step = 0; step < t + u + v; step++) {
        memcpy(lower, value, sizeof lower);
        for (int i = 1; i + 1 < SIDE; i++) {
            if (step < t)
                value[i] = 0.5 * (lower[i + 1] - lower[i - 1]);
            else if (step < t + u)
                value[i] = -0.5 * I * (lower[i + 1] + lower[i - 1]);
            else
                value[i] = lower[i];
        }
    }
}

void hf_hermite_harmonics_init(struct hf_hermite_harmonics *harmonics)
{
    *harmonics = (struct hf_hermite_harmonics){{{0.0}}};
    for (int j = 0; j <= HF_MAX_RAISED_PAIR_L; j++) {
        for (int u = 0; u <= j; u++) {
            for (int v = 0; u + v <= j; v++) {
                double complex value[SIDE];
                const int column = hf_hermite_index(j - u - v, u, v) - hf_hermite_index(j, 0, 0);
                differentiate(j - u - v, u, v, value);
                for (int k = 0; k <= j; k++) {
                    const double complex here = value[HF_MAX_RAISED_PAIR_L + 1 + k];
                    harmonics->value[j * j + k][column] = creal(here);
                    if (k > 0) harmonics->value[j * j + j + k][column] = cimag(here);
                }
            }
        }
    }
}

void hf_hermite_to_moments(const struct hf_hermite_harmonics *harmonics, int order,
                           const double from[], int from_step, double to[], int to_step)
{
    for (int j = 0; j <= order; j++) {
        const int first = hf_hermite_index(j, 0, 0), n = hf_n_cartesian(j);
        for (int row = j * j; row < (j + 1) * (j + 1); row++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++)
                sum += harmonics->value[row][i] * from[(first + i) * from_step];
            to[row * to_step] = sum;
        }
    }
}

void hf_local_to_hermite(const struct hf_hermite_harmonics *harmonics, int order,
                         const double from[], int from_step, double to[], int to_step)
{
    for (int j = 0; j <= order; j++) {
        const int first = hf_hermite_index(j, 0, 0), n = hf_n_cartesian(j);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int row = j * j; row < (j + 1) * (j + 1); row++)
                sum +=
                    (row == j * j ? 1.0 : 2.0) * harmonics->value[row][i] * from[row * from_step];
            to[(first + i) * to_step] = sum;
        }
    }
}
