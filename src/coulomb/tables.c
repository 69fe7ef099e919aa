/* Tables of the kernels of the Coulomb pass, and which kernels this processor takes. */
#include "product_kernels.h"

#include "base/simd.h"

extern const struct hf_coulomb_kernels hf_coulomb_portable, hf_coulomb_portable_single,
    hf_coulomb_avx2, hf_coulomb_avx2_single, hf_coulomb_avx512, hf_coulomb_avx512_single;

const struct hf_coulomb_kernels *hf_coulomb_kernels(bool single)
{
    static const struct hf_coulomb_kernels *const of_double[] = {
        HF_KERNELS_BUILT(&hf_coulomb_portable, &hf_coulomb_avx2, &hf_coulomb_avx512)};
    static const struct hf_coulomb_kernels *const of_single[] = {HF_KERNELS_BUILT(
        &hf_coulomb_portable_single, &hf_coulomb_avx2_single, &hf_coulomb_avx512_single)};
    return single ? HF_BEST_KERNELS(of_single) : HF_BEST_KERNELS(of_double);
}

/** How (t,u,v) follows from lower ones: along a direction of power 1, which needs one of them only, or
 *  that of the least power. */
static struct hf_r_step step_to(int t, int u, int v)
{
    int power[3] = {t, u, v}, axis = -1;
    for (int d = 0; d < 3; d++)
        if (power[d] > 0 && (axis < 0 || power[d] < power[axis])) axis = d;
    if (axis < 0) return (struct hf_r_step){.axis = 0};
    power[axis]--;
    struct hf_r_step step = {.axis = axis,
                             .parent = hf_hermite_index(power[0], power[1], power[2]),
                             .factor = power[axis]};
    if (power[axis] > 0) power[axis]--;
    step.grandparent = hf_hermite_index(power[0], power[1], power[2]);
    return step;
}

void hf_coulomb_tables_init(struct hf_coulomb_tables *tables, const struct hf_boys *boys,
                            const struct hf_boys_single *boys_single)
{
    *tables = (struct hf_coulomb_tables){.boys = boys, .boys_single = boys_single};
    for (int t = 0; t <= HF_MOST_R_TOTAL; t++)
        for (int u = 0; t + u <= HF_MOST_R_TOTAL; u++)
            for (int v = 0; t + u + v <= HF_MOST_R_TOTAL; v++) {
                const int place = hf_hermite_index(t, u, v);
                tables->step[place] = step_to(t, u, v);
                if (t + u + v > HF_MAX_RAISED_PAIR_L) continue;
                tables->power[place][0] = (signed char)t;
                tables->power[place][1] = (signed char)u;
                tables->power[place][2] = (signed char)v;
            }
}
