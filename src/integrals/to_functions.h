/* From contracted levels to functions, for every part of a bra with every part of a ket. Part of
 * kernels.c. */
#ifndef HF_TO_FUNCTIONS_H
#define HF_TO_FUNCTIONS_H

#include "horizontal.h"

/** One part of a pair and where its functions are in the block of the class. Strides in vectors. */
struct part_step {
    struct horizontal_part part;
    struct horizontal_entry make;
    int n_level;
    bool is_copy; /**< the levels are the functions */
    size_t first, stride_a, stride_b;
};

/** How all parts of a pair are made; `stride` is that of its function pairs. */
static inline void plan_parts(const struct hf_quartet *quartet, const struct hf_pair_class *kind,
                              size_t stride, struct part_step step[HF_MAX_PAIR_PART])
{
    for (int k = 0; k < kind->n_part; k++) {
        const struct hf_pair_part *part = &kind->part[k];
        step[k] = (struct part_step){
            .part = {part, quartet->cartesian, quartet->harmonics},
            .n_level = hf_part_n_level(part),
            .is_copy = part->l_b == 0 && !part->spherical_a && !part->spherical_b,
            .first = (size_t)(part->first_a * kind->n_b + part->first_b) * stride,
            .stride_a = (size_t)kind->n_b * stride,
            .stride_b = stride,
        };
        if (!step[k].is_copy) step[k].make = find_horizontal(part);
    }
}

/** The last step: `from` [columns of `other`, slowest is its first shell][levels of `side`], into
 *  the places of both. */
static inline void finish(const struct part_step *side, const struct part_step *other,
                          const lanes shift[3], const lanes *from, size_t from_row,
                          size_t from_column, lanes *out)
{
    const struct hf_pair_part *columns = other->part.part;
    const bool at_once = columns->n_a == 1 || columns->n_b == 1 ||
                         (size_t)columns->n_b * other->stride_b == other->stride_a;
    const int n = at_once ? columns->n_a * columns->n_b : columns->n_b;
    for (int a = 0; a < (at_once ? 1 : columns->n_a); a++) {
        const struct horizontal_columns step = {
            .part = side->part,
            .n = n,
            .in = from + (size_t)(a * n) * from_column,
            .in_row = from_row,
            .in_column = from_column,
            .out = out + side->first + other->first + (size_t)a * other->stride_a,
            .out_a = side->stride_a,
            .out_b = side->stride_b,
            .out_column = columns->n_b > 1 ? other->stride_b : other->stride_a,
        };
        side->make.function(&step, shift);
    }
}

/** The first step: functions of `side` from `from` into `scratch` [functions][levels of other]. */
static inline void begin(const struct part_step *side, const struct part_step *other,
                         const lanes shift[3], const lanes *from, size_t from_row,
                         size_t from_column, lanes *scratch)
{
    const size_t n = (size_t)other->n_level;
    const struct horizontal_columns step = {
        .part = side->part,
        .n = other->n_level,
        .in = from,
        .in_row = from_row,
        .in_column = from_column,
        .out = scratch,
        .out_a = (size_t)side->part.part->n_b * n,
        .out_b = n,
        .out_column = 1,
    };
    side->make.function(&step, shift);
}

/** Operations of doing one side first. */
static inline long count_operations(const struct part_step *first, const struct part_step *last)
{
    const struct hf_pair_part *part = first->part.part;
    return (long)first->make.n_operation * last->n_level +
           (long)last->make.n_operation * part->n_a * part->n_b;
}

/** One part with one other: levels [e][f] into the block of the classes. */
static inline void make_functions(const struct part_step *bra, const struct part_step *ket,
                                  const lanes bra_shift[3], const lanes ket_shift[3],
                                  const lanes *levels, lanes *scratch, lanes *out)
{
    const size_t n_f = (size_t)ket->n_level, n_e = (size_t)bra->n_level;
    if (bra->is_copy && ket->is_copy) {
        out += bra->first + ket->first;
        for (size_t f = 0; f < n_f; f++)
            for (size_t e = 0; e < n_e; e++)
                out[f * ket->stride_a + e * bra->stride_a] = levels[e * n_f + f];
    } else if (ket->is_copy) {
        finish(bra, ket, bra_shift, levels, n_f, 1, out);
    } else if (bra->is_copy) {
        finish(ket, bra, ket_shift, levels, 1, n_f, out);
    } else if (count_operations(ket, bra) <= count_operations(bra, ket)) {
        begin(ket, bra, ket_shift, levels, 1, n_f, scratch);
        finish(bra, ket, bra_shift, scratch, 1, n_e, out);
    } else {
        begin(bra, ket, bra_shift, levels, n_f, 1, scratch);
        finish(ket, bra, ket_shift, scratch, 1, n_f, out);
    }
}

/** See struct hf_kernels. */
static void to_functions(const struct hf_quartet *quartet, const double *ket_shift,
                         const double *levels, double *scratch, double *out)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    struct part_step bra_step[HF_MAX_PAIR_PART], ket_step[HF_MAX_PAIR_PART];
    lanes shift[2][3];
    const lanes *from = (const lanes *)(const void *)levels;
    plan_parts(quartet, bra, 1, bra_step);
    plan_parts(quartet, ket, (size_t)bra->n_function, ket_step);
    for (int d = 0; d < 3; d++) {
        shift[0][d] = broadcast((real)quartet->bra->ab[d]);
        shift[1][d] = load(ket_shift + (size_t)d * HF_WIDTH);
    }
    for (int b = 0; b < bra->n_part; b++) {
        for (int k = 0; k < ket->n_part; k++) {
            make_functions(&bra_step[b], &ket_step[k], shift[0], shift[1], from,
                           (lanes *)(void *)scratch, (lanes *)(void *)out);
            from += bra_step[b].n_level * ket_step[k].n_level;
        }
    }
}

#endif
