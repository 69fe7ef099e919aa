/* Bounds on products of two functions as Hermite Gaussians. */
#include "integrals/solid_harmonics.h"
#include "multipole/multipole.h"

#include <math.h>

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
