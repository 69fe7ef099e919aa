/* Moments of several sources to one local expansion, as many at a time as kernels have lanes. */
#include "base/simd.h"
#include "multipole/translation.h"

#include <math.h>

void hf_conversion_add(struct hf_conversion *conversion, const struct hf_expanded *local,
                       const struct hf_expanded *source, const double shift[3], int highest,
                       double tolerance, const double moments[])
{
    int to_order[HF_MAX_EXPANSION + 1];
    const double distance = sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]);
    const int order = hf_expansion_orders(local, source, distance, highest, tolerance, to_order);
    if (conversion->n == 0) conversion->order = -1;
    for (int j = 0; j <= order; j++)
        if (j > conversion->order || to_order[j] > conversion->to_order[j])
            conversion->to_order[j] = to_order[j];
    if (order > conversion->order) conversion->order = order;
    conversion->moments[conversion->n] = moments;
    for (int d = 0; d < 3; d++) conversion->shift[conversion->n][d] = shift[d];
    if (++conversion->n == conversion->kernels->width) hf_conversion_flush(conversion);
}

void hf_conversion_flush(struct hf_conversion *conversion)
{
    const int n = conversion->n, width = conversion->kernels->width;
    const int size = hf_multipole_size(conversion->order);
    _Alignas(64) double shift[3 * HF_TRANSLATION_MOST_LANES];
    if (n == 0) return;
    for (int lane = 0; lane < width; lane++) {
        const int source = lane < n ? lane : 0;
        for (int k = 0; k < size; k++)
            conversion->from[k * width + lane] = lane < n ? conversion->moments[source][k] : 0.0;
        for (int d = 0; d < 3; d++) shift[d * width + lane] = conversion->shift[source][d];
    }
    conversion->kernels->to_local(conversion->order, conversion->to_order, shift, conversion->from,
                                  conversion->to, conversion->scratch);
    if (conversion->to_order[0] > conversion->highest)
        conversion->highest = conversion->to_order[0];
    conversion->n = 0;
}

void hf_sum_lanes(int n, int width, const double from[], double sum[])
{
    for (int k = 0; k < n; k++) {
        sum[k] = 0.0;
        for (int lane = 0; lane < width; lane++) sum[k] += from[k * width + lane];
    }
}

const struct hf_translation_kernels *hf_translation_choose(void)
{
    static const struct hf_translation_kernels *const kernels[] = {
        HF_KERNELS_BUILT(&hf_translation_portable, &hf_translation_avx2, &hf_translation_avx512)};
    return HF_BEST_KERNELS(kernels);
}
