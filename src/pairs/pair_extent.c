/* Where the charge of a pair of shells is and how far it reaches; see hf_far_factor. */
#include "pair_extent.h"

#include <math.h>

/** Charge of an s distribution with a self-repulsion of 1: (2 zeta / pi)^(1/2) q^2 = 1. */
static double charge_per_bound(double zeta)
{
    static const double half_pi = 1.5707963267948966192;
    return sqrt(sqrt(half_pi / zeta));
}

void hf_pair_extent(const struct hf_shell_pairs *pairs, struct hf_shell_pair *pair)
{
    const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
    const double *a = pairs->basis->shell[pair->a].centre_bohr;
    double charge = 0.0, centre[3] = {0.0}, reach = 0.0;
    for (int k = 0; k < pair->n_primitive; k++) {
        const double own = primitive[k].bound * charge_per_bound(primitive[k].zeta);
        charge += own;
        for (int x = 0; x < 3; x++) centre[x] += own * primitive[k].pa[x];
    }
    for (int x = 0; x < 3 && charge > 0.0; x++) centre[x] /= charge;
    for (int k = 0; k < pair->n_primitive; k++) {
        const double own = primitive[k].bound * charge_per_bound(primitive[k].zeta);
        double squared = 0.0;
        for (int x = 0; x < 3; x++)
            squared += (primitive[k].pa[x] - centre[x]) * (primitive[k].pa[x] - centre[x]);
        reach += own * sqrt(squared);
    }
    pair->charge = (float)(charge > 0.0 ? charge / pair->bound : 0.0);
    pair->reach = (float)(charge > 0.0 ? reach / charge : 0.0);
    for (int x = 0; x < 3; x++) pair->centre[x] = (float)(a[x] + centre[x]);
}
