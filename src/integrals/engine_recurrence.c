/* Two-electron integrals by our own recurrence, vectorised over the quartets of one bra. */
#include "engine_private.h"

static bool takes(const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    return bra->l_high <= HF_MAX_RECURRENCE_L && ket->l_high <= HF_MAX_RECURRENCE_L;
}

static size_t scratch_bytes(const struct hf_engine *self)
{
    const struct hf_shell_pairs *pairs = self->pairs;
    size_t most = 0;
    for (int i = 0; i < pairs->n_class; i++) {
        for (int j = 0; j < pairs->n_class; j++) {
            const struct hf_pair_class *bra = &pairs->class_of[i], *ket = &pairs->class_of[j];
            const size_t n = takes(bra, ket) ? hf_recurrence_scratch(bra, ket) : 0;
            if (n > most) most = n;
        }
    }
    return most * sizeof(double);
}

void hf_sort_by_primitives(int n, const struct hf_shell_pair *const other[], int order[])
{
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && other[order[k - 1]]->n_primitive < other[i]->n_primitive; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

/** HF_LANES quartets at a time, or HF_FEW_LANES where no more are left, in the engine's order; a
 *  group that is not full repeats its last pair. */
static struct hf_integral_batch two_electron(struct hf_engine *self, void *scratch,
                                             const struct hf_batch_request *request)
{
    struct hf_contraction_plan plan;
    const struct hf_quartet quartet = {.boys = self->boys,
                                       .cartesian = &self->cartesian,
                                       .harmonics = self->harmonics,
                                       .pairs = self->pairs,
                                       .bra = &self->fixed,
                                       .bra_class = request->fixed_class,
                                       .ket_class = request->other_class,
                                       .plan = &plan,
                                       .threshold = self->threshold};
    if (request->single) return hf_two_electron_single(self, scratch, request);
    const int n = request->n;
    const struct hf_kernels *for_few =
        hf_same_recurrence(request, self->wide->vertical_limit, self->narrow->vertical_limit)
            ? self->narrow
            : self->wide;
    const size_t stride =
        (size_t)request->fixed_class->n_function * (size_t)request->other_class->n_function;
    hf_plan_contraction(request->fixed_class, request->other_class, &plan);
    hf_sort_by_primitives(n, request->other, self->order);
    for (int first = 0; first < n; first += HF_LANES) {
        struct hf_pair_group group;
        double *result[HF_LANES], *block_result = self->result + (size_t)first * stride;
        const struct hf_kernels *kernels = n - first <= HF_FEW_LANES ? for_few : self->wide;
        for (int l = 0; l < kernels->width; l++) {
            const int i = self->order[first + l < n ? first + l : n - 1];
            hf_group_set(&group, l, kernels->width, request->other_class->n_part, self->pairs,
                         request->other[i]);
            result[l] = self->result + (size_t)i * stride;
        }
        const bool in_place = request->side_by_side && kernels->width == HF_LANES;
        double *block = in_place ? block_result : self->assembled;
        const int n_done = kernels->recurrence(&quartet, &group, scratch);
        kernels->to_functions(&quartet, group.shift, scratch, self->buffer[0], block);
        hf_engine_count_group(self, request, &group, n - first, kernels->width, n_done);
        if (!request->side_by_side)
            kernels->split_lanes((int)stride, block, result);
        else if (!in_place)
            kernels->widen_lanes((int)stride, block, block_result);
    }
    if (!request->side_by_side)
        return (struct hf_integral_batch){.value = self->result, .width = 1};
    return (struct hf_integral_batch){
        .value = self->result, .order = self->order, .width = HF_LANES};
}

const struct hf_engine_ops hf_engine_recurrence = {
    .name = "recurrence",
    .about = "vertical and horizontal recurrences, vectorised over quartets; pairs up to (ff|",
    .cite =
        "Obara and Saika, J. Chem. Phys. 84, 3963 (1986); Head-Gordon and Pople, J. Chem. Phys. "
        "89, 5777 (1988)",
    .max_l = HF_MAX_L,
    .takes = takes,
    .scratch_bytes = scratch_bytes,
    .two_electron = two_electron,
};
