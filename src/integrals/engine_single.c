/* Two-electron integrals by our own recurrence in single precision; compare engine_recurrence.c. */
#include "engine_private.h"

#include <string.h>

/** As many quartets (fixed|ket[l]) as the kernels take at once into `to`: [ket][bra][width]. The number of
 *  quartets of primitives. */
static int compute_group(struct hf_engine *self, const struct hf_single_kernels *kernels,
                         const struct hf_quartet *quartet, const struct hf_pair_group *ket,
                         float *scratch, float *to)
{
    const int n_done = kernels->recurrence(quartet, ket, scratch);
    kernels->to_functions(quartet, ket->single_shift, scratch, (float *)(void *)self->buffer[0],
                          to);
    return n_done;
}

struct hf_integral_batch hf_two_electron_single(struct hf_engine *self, void *scratch,
                                                const struct hf_batch_request *request)
{
    struct hf_contraction_plan plan;
    const struct hf_quartet quartet = {.boys_single = self->boys_single,
                                       .cartesian = &self->cartesian,
                                       .harmonics = self->harmonics,
                                       .pairs = self->pairs,
                                       .bra = &self->fixed,
                                       .bra_class = request->fixed_class,
                                       .ket_class = request->other_class,
                                       .plan = &plan,
                                       .threshold = self->threshold};
    const int n = request->n;
    const bool alike = hf_same_recurrence(request, self->single_wide->vertical_limit,
                                          self->single_narrow->vertical_limit);
    const struct hf_single_kernels *kernels =
        alike && n <= self->single_narrow->width ? self->single_narrow : self->single_wide;
    const int width = kernels->width;
    const size_t stride =
        (size_t)request->fixed_class->n_function * (size_t)request->other_class->n_function;
    float *result = (float *)(void *)self->result;
    hf_plan_contraction(request->fixed_class, request->other_class, &plan);
    hf_sort_by_primitives(n, request->other, self->order);
    for (int first = 0; first < n; first += width) {
        struct hf_pair_group group;
        for (int l = 0; l < width; l++)
            hf_group_set_single(&group, l, width, self->pairs,
                                request->other[self->order[first + l < n ? first + l : n - 1]]);
        const int n_done = compute_group(self, kernels, &quartet, &group, scratch,
                                         result + (size_t)first * stride);
        hf_engine_count_group(self, request, &group, n - first, width, n_done);
    }
    return (struct hf_integral_batch){.single = result, .order = self->order, .width = width};
}
