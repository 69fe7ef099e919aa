/* E_t^ij by its recurrence. */
#include "one_electron/hermite.h"

void hf_expand_in_hermite(double half, double pa, double pb, double first, int l_a, int l_b,
                          struct hf_hermite_expansion *out)
{
    out->e[0][0][0] = first;
    out->e[0][0][1] = 0.0;
    for (int i = 0; i <= l_a; i++) {
        for (int j = i == 0; j <= l_b; j++) {
            const double *from = j > 0 ? out->e[i][j - 1] : out->e[i - 1][0];
            const double shift = j > 0 ? pb : pa;
            double *to = out->e[i][j];
            to[0] = shift * from[0] + from[1];
            for (int t = 1; t < i + j; t++)
                to[t] = half * from[t - 1] + shift * from[t] + (t + 1) * from[t + 1];
            to[i + j] = half * from[i + j - 1];
            to[i + j + 1] = 0.0; /* read by the next ones */
        }
    }
}
