/* Two-electron integrals by our own recurrence, vectorised over the quartets of one bra. */
#include "engine_private.h"

#include <stdint.h>
#include <string.h>

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

void hf_engine_sort_by_primitives(int n, const struct hf_shell_pair *const other[], int order[])
{
    enum { MOST = 128 }; /* larger numbers are treated alike */
    uint8_t begin[MOST] = {0}, rank[HF_MAX_BATCH];
    int most = 0, least = MOST - 1, next = 0;
    for (int i = 0; i < n; i++) {
        const int k = other[i]->n_primitive < MOST ? other[i]->n_primitive : MOST - 1;
        rank[i] = (uint8_t)k;
        begin[k]++;
        if (k > most) most = k;
        if (k < least) least = k;
    }
    for (int k = most; k >= least; k--) {
        const int n_here = begin[k];
        begin[k] = (uint8_t)next;
        next += n_here;
    }
    for (int i = 0; i < n; i++) order[begin[rank[i]]++] = i;
}

/** Whether two narrow groups take less time than a wide one. With as many primitives, a narrow group takes
 *  about 6/7 of the time of a wide one, if vectors are made in two halves. */
static bool halves_cost_less(int n_primitive, int n_primitive_of_second_half)
{
    return n_primitive > 6 * n_primitive_of_second_half;
}

/** Moves the quartets for wide kernels to the front of a sorted batch; returns their number. Narrow kernels do
 *  the last group if it is half full or less, and groups whose second half has few primitives. */
static int put_wide_groups_first(const struct hf_batch_request *request, int width, int order[])
{
    int narrow[HF_MAX_BATCH], n_wide = 0, n_narrow = 0;
    for (int first = 0; first < request->n; first += width) {
        const int n = request->n - first < width ? request->n - first : width;
        const int *group = order + first;
        const bool wide = n > width / 2 && (n == width || n_narrow == 0) &&
                          !halves_cost_less(request->other[group[0]]->n_primitive,
                                            request->other[group[width / 2]]->n_primitive);
        for (int l = 0; l < n; l++) {
            if (wide)
                order[n_wide++] = group[l];
            else
                narrow[n_narrow++] = group[l];
        }
    }
    memcpy(order + n_wide, narrow, (size_t)n_narrow * sizeof *narrow);
    return n_wide;
}

int hf_engine_gather(const struct hf_engine *self, const struct hf_batch_request *request,
                     const struct hf_kernels *kernels, int first, struct hf_pair_group *group)
{
    const int left = request->n - first;
    int n_primitive = 0;
    for (int l = 0; l < kernels->width; l++) {
        const struct hf_shell_pair *pair =
            request->other[self->order[first + (l < left ? l : left - 1)]];
        if (l < left) n_primitive += pair->n_primitive;
        if (kernels->single)
            hf_group_set_single(group, l, kernels->width, self->pairs, pair);
        else
            hf_group_set(group, l, kernels->width, request->other_class->n_part, self->pairs, pair);
    }
    return n_primitive;
}

void hf_engine_count_group(struct hf_engine *self, const struct hf_flops *flops,
                           const struct hf_pair_group *ket, int n, int n_primitive, int n_done)
{
    const double n_each = (double)n_done / ket->most_primitive * n_primitive;
    const double n_ket_each = self->fixed.n_primitive > 0 ? n_each / self->fixed.n_primitive : 0.0;
    self->account.n_primitive_quartet += (int64_t)(n_each + 0.5);
    self->account.n_flop +=
        flops->per_primitive * n_each + flops->per_quartet * n +
        n_ket_each * (flops->per_term * self->fixed_n_term + flops->per_ket_primitive);
}

/** Computes one group into self->result, or into `assembled` and from there one quartet after another. */
static void compute_group(struct hf_engine *self, const struct hf_batch_request *request,
                          const struct hf_quartet *quartet, const struct hf_kernels *kernels,
                          int first, void *scratch)
{
    const int n = request->n - first < kernels->width ? request->n - first : kernels->width;
    const size_t stride =
        (size_t)request->fixed_class->n_function * (size_t)request->other_class->n_function;
    const size_t number_bytes = kernels->single ? sizeof(float) : sizeof(double);
    struct hf_pair_group group;
    const int n_primitive = hf_engine_gather(self, request, kernels, first, &group);
    void *block = request->side_by_side
                      ? (char *)self->result + (size_t)first * stride * number_bytes
                      : (void *)self->assembled;
    const int n_done = kernels->recurrence(quartet, &group, scratch);
    kernels->to_functions(quartet, &group.shift, scratch, self->buffer[0], block);
    hf_engine_count_group(self, &hf_engine_of_two(self, request)->flops, &group, n, n_primitive,
                          n_done);
    if (request->side_by_side) return;
    double *result[HF_LANES];
    for (int l = 0; l < kernels->width; l++)
        result[l] = self->result + (size_t)self->order[first + (l < n ? l : n - 1)] * stride;
    kernels->split_lanes((int)stride, block, result);
}

static struct hf_integral_batch two_electron(struct hf_engine *self, void *scratch,
                                             const struct hf_batch_request *request)
{
    const struct hf_class_pair *both = hf_engine_of_two(self, request);
    const struct hf_quartet quartet = {.boys = self->pairs->boys,
                                       .boys_single = self->pairs->boys_single,
                                       .cartesian = &self->cartesian,
                                       .harmonics = self->harmonics,
                                       .pairs = self->pairs,
                                       .bra = &self->fixed,
                                       .bra_class = request->fixed_class,
                                       .ket_class = request->other_class,
                                       .plan = &both->plan,
                                       .threshold = self->threshold};
    const struct hf_kernel_choice choice = request->single ? self->of_single : self->of_double;
    const struct hf_kernels *kernels;
    int n_wide = request->n;
    hf_engine_sort_by_primitives(request->n, request->other, self->order);
    if (both->narrow_is_alike[request->single])
        n_wide = put_wide_groups_first(request, choice.wide->width, self->order);
    for (int first = 0; first < request->n; first += kernels->width) {
        kernels = first < n_wide ? choice.wide : choice.narrow;
        compute_group(self, request, &quartet, kernels, first, scratch);
    }
    struct hf_integral_batch batch = {
        .order = self->order, .width = choice.wide->width, .n_wide = n_wide};
    if (!request->side_by_side)
        batch = (struct hf_integral_batch){.width = 1, .n_wide = request->n};
    if (request->single)
        batch.single = (const float *)(const void *)self->result;
    else
        batch.value = self->result;
    return batch;
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
