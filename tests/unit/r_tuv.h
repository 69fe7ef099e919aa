/* The recursion of R_tuv in its plain form, for tests. */
#ifndef HF_TEST_R_TUV_H
#define HF_TEST_R_TUV_H

#include "boys/boys.h"
#include "integrals/cartesian.h"

#include <string.h>

/** value [hf_n_hermite(order)]: R_tuv at r from start[n] = R^(n)_000, n <= order. */
static inline void test_r_tuv(int order, const double r[3], const double start[], double value[])
{
    static double table[HF_BOYS_MAX_ORDER + 2][HF_N_HERMITE];
    for (int n = order; n >= 0; n--) {
        table[n][0] = start[n];
        for (int total = 1; total <= order - n; total++) {
            for (int u = 0; u <= total; u++) {
                for (int v = 0; u + v <= total; v++) {
                    const double *above = table[n + 1];
                    int power[3] = {total - u - v, u, v}, axis = 0;
                    while (power[axis] == 0) axis++;
                    power[axis]--;
                    double here = r[axis] * above[hf_hermite_index(power[0], power[1], power[2])];
                    if (power[axis] > 0) {
                        const double lowered = power[axis]--;
                        here += lowered * above[hf_hermite_index(power[0], power[1], power[2])];
                    }
                    table[n][hf_hermite_index(total - u - v, u, v)] = here;
                }
            }
        }
    }
    memcpy(value, table[0], (size_t)hf_n_hermite(order) * sizeof *value);
}

#endif
