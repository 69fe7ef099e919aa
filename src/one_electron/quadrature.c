/* Gauss-Legendre points by Newton's method on the Legendre polynomial. */
#include "quadrature.h"

#include "base/arithmetic.h"

#include <math.h>

/** P_n at x; *slope gets its derivative. */
static double legendre(int n, double x, double *slope)
{
    double before = 1.0, here = x;
    for (int k = 2; k <= n; k++) {
        const double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
        before = here;
        here = next;
    }
    *slope = n * (x * here - before) / (x * x - 1.0);
    return here;
}

void hf_gauss_legendre(int n, double point[], double weight[])
{
    for (int i = 0; i < n; i++) {
        double x = -cos(HF_PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; step++) {
            const double change = legendre(n, x, &slope) / slope;
            x -= change;
            if (fabs(change) < 1e-15) break;
        }
        legendre(n, x, &slope);
        point[i] = x;
        weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
}
