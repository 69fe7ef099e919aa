/* Normalisation of contracted Gaussian shells. */
#include "basis_private.h"

#include "base/arithmetic.h"

#include <math.h>

/** (2a/pi)^(3/4) (4a)^(l/2) / sqrt((2l-1)!!) for exponent a. */
double hf_primitive_norm(int l, double exponent)
{
    double double_factorial = 1.0;
    for (int k = 2 * l - 1; k > 1; k -= 2) double_factorial *= k;
    return pow(2.0 * exponent / HF_PI, 0.75) * pow(4.0 * exponent, 0.5 * l) /
           sqrt(double_factorial);
}

/** Overlap of two normalised primitives of the same l: (2 sqrt(a b) / (a + b))^(l + 3/2). */
static double primitive_overlap(int l, double a, double b)
{
    return pow(2.0 * sqrt(a) * sqrt(b) / (a + b), l + 1.5);
}

bool hf_shell_normalise(int l, int n_primitive, const double exponent[], double coefficient[])
{
    double overlap = 0.0, scale = 0.0;
    for (int i = 0; i < n_primitive; i++) {
        for (int j = 0; j < i; j++)
            overlap += 2.0 * coefficient[i] * coefficient[j] *
                       primitive_overlap(l, exponent[i], exponent[j]);
        overlap += coefficient[i] * coefficient[i];
        scale += coefficient[i] * coefficient[i];
    }
    /* If primitives cancel to this degree, no significant digits remain. */
    if (!isfinite(overlap) || !(overlap > 1e-12 * scale)) return false;
    for (int i = 0; i < n_primitive; i++) {
        coefficient[i] *= hf_primitive_norm(l, exponent[i]) / sqrt(overlap);
        if (!isfinite(coefficient[i])) return false;
    }
    return true;
}
