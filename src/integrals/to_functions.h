/* From contracted levels to functions, for every part of a bra with every part of a ket. Part of
 * kernels.c.
 *
 * The ket is transformed first, a row of its levels at a time, which are adjacent in memory. Both orders need
 * the same operations within 4 %. */
#ifndef HF_TO_FUNCTIONS_H
#define HF_TO_FUNCTIONS_H

#include "horizontal.h"

/** One part of a pair and where its functions are in the block of the class. Strides in vectors. */
struct part_step {
    const struct hf_pair_part *part;
    horizontal_function *make; /**< NULL: the levels are the functions */
    int n_level;
    size_t first, stride_a, stride_b;
};

/** Whether the levels of a part are its functions. */
static inline bool is_copy(const struct hf_pair_part *part)
{
    return part->l_b == 0 && !part->spherical_a;
}

/** How a part is made; `stride` is that of the function pairs of its class. */
static inline struct part_step plan_part(const struct hf_pair_class *kind, int k, size_t stride)
{
    const struct hf_pair_part *part = &kind->part[k];
    return (struct part_step){
        .part = part,
        .make = is_copy(part) ? NULL : find_horizontal(part),
        .n_level = hf_part_n_level(part),
        .first = (size_t)(part->first_a * kind->n_b + part->first_b) * stride,
        .stride_a = (size_t)kind->n_b * stride,
        .stride_b = stride,
    };
}

/** The last step: makes the functions of `side`, a column for each function of `other`, in their final places. */
static inline void finish(const struct hf_quartet *quartet, const struct part_step *side,
                          const struct part_step *other, const lanes shift[3], const lanes *from,
                          size_t from_row, size_t from_column, lanes *out)
{
    const int n_a = other->part->n_a, n_b = other->part->n_b;
    const bool at_once = n_a == 1 || n_b == 1 || (size_t)n_b * other->stride_b == other->stride_a;
    struct horizontal_columns step = {
        .quartet = quartet,
        .part = side->part,
        .n = at_once ? n_a * n_b : n_b,
        .in = from,
        .in_row = from_row,
        .in_column = from_column,
        .out = out + side->first + other->first,
        .out_a = side->stride_a,
        .out_b = side->stride_b,
        .out_column = n_b > 1 ? other->stride_b : other->stride_a,
    };
    side->make(&step, shift);
    if (at_once) return;
    for (int a = 1; a < n_a; a++) {
        step.in += (size_t)n_b * from_column;
        step.out += other->stride_a;
        side->make(&step, shift);
    }
}

/** The levels of both sides are their functions. */
static inline void copy(const struct part_step *bra, const struct part_step *ket,
                        const lanes *levels, lanes *out)
{
    out += bra->first + ket->first;
    for (int f = 0; f < ket->n_level; f++, out += ket->stride_a, levels++)
        for (int e = 0; e < bra->n_level; e++)
            out[(size_t)e * bra->stride_a] = levels[e * ket->n_level];
}

/** Makes the functions of one part of each pair from levels [e][f], in the block of the classes. */
static inline void make_functions(const struct hf_quartet *quartet, const struct part_step *bra,
                                  const struct part_step *ket, const lanes shift[2][3],
                                  const lanes *levels, lanes *scratch, lanes *out)
{
    const size_t n_e = (size_t)bra->n_level, n_f = (size_t)ket->n_level;
    if (ket->make == NULL) {
        if (bra->make == NULL)
            copy(bra, ket, levels, out);
        else
            finish(quartet, bra, ket, shift[0], levels, n_f, 1, out);
    } else if (bra->make == NULL) {
        finish(quartet, ket, bra, shift[1], levels, 1, n_f, out);
    } else {
        const struct horizontal_columns step = {
            .quartet = quartet,
            .part = ket->part,
            .n = bra->n_level,
            .in = levels,
            .in_row = 1,
            .in_column = n_f,
            .out = scratch, /* [functions of the ket][levels of the bra] */
            .out_a = (size_t)ket->part->n_b * n_e,
            .out_b = n_e,
            .out_column = 1,
        };
        ket->make(&step, shift[1]);
        finish(quartet, bra, ket, shift[0], scratch, 1, n_e, out);
    }
}

/** See struct hf_kernels. */
static void to_functions(const struct hf_quartet *quartet, const real *ket_shift,
                         const real *levels, real *scratch, real *out)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    struct part_step ket_step[HF_MAX_PAIR_PART];
    lanes shift[2][3];
    const lanes *from = (const lanes *)(const void *)levels;
    for (int d = 0; d < 3; d++) {
        shift[0][d] = broadcast((real)quartet->bra->ab[d]);
        shift[1][d] = load(ket_shift + (size_t)d * HF_WIDTH);
    }
    for (int k = 0; k < ket->n_part; k++) ket_step[k] = plan_part(ket, k, (size_t)bra->n_function);
    for (int b = 0; b < bra->n_part; b++) {
        const struct part_step bra_step = plan_part(bra, b, 1);
        for (int k = 0; k < ket->n_part; k++) {
            make_functions(quartet, &bra_step, &ket_step[k], (const lanes(*)[3])shift, from,
                           (lanes *)(void *)scratch, (lanes *)(void *)out);
            from += bra_step.n_level * ket_step[k].n_level;
        }
    }
}

#endif
