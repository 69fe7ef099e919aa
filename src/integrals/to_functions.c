/* From contracted levels to functions: horizontal recurrence, solid harmonics, parts put together.
 */
#include "engine_private.h"

#include <string.h>

double *hf_other_buffer(const struct hf_engine *engine, const double *in)
{
    return in == engine->buffer[0] ? engine->buffer[1] : engine->buffer[0];
}

const double *hf_pair_to_spherical(struct hf_engine *engine, const struct hf_kernels *kernels,
                                   const struct hf_pair_part *part, int right, const double *in)
{
    const int n_b = hf_n_cartesian(part->l_b);
    if (part->spherical_a) {
        double *out = hf_other_buffer(engine, in);
        kernels->to_spherical(&engine->harmonics[part->l_a], part->l_a, n_b * right, in, out);
        in = out;
    }
    if (part->spherical_b) {
        double *out = hf_other_buffer(engine, in);
        const size_t from = (size_t)n_b * right, to = (size_t)part->n_b * right;
        for (int a = 0; a < part->n_a; a++)
            kernels->to_spherical(&engine->harmonics[part->l_b], part->l_b, right,
                                  in + (size_t)a * from, out + (size_t)a * to);
        in = out;
    }
    return in;
}

/** Horizontal recurrence of one pair, rows of `right`; `shift` is A - B, or one per lane. */
static const double *pair_horizontal(struct hf_engine *engine, const struct hf_kernels *kernels,
                                     const struct hf_pair_part *part, const double *shift,
                                     bool shift_per_lane, int right, const double *in)
{
    if (part->l_b == 0) return in;
    const struct hf_horizontal step = {
        .cartesian = &engine->cartesian,
        .l_a = part->l_a,
        .l_b = part->l_b,
        .right = right,
        .shift_per_lane = shift_per_lane,
        .shift = shift,
    };
    double *out = hf_other_buffer(engine, in);
    kernels->horizontal_recurrence(&step, in, engine->buffer[2], out);
    return out;
}

/** Steps from contracted levels of one part of bra and of ket, [e][f][width], to functions
 *  [ket][bra][width]. */
static const double *to_functions(struct hf_engine *engine, const struct hf_kernels *kernels,
                                  const struct hf_pair_part *bra, const struct hf_pair_part *ket,
                                  const double *bra_shift, const double *ket_shift,
                                  const double *levels)
{
    const int n_bra = bra->n_a * bra->n_b, n_f = hf_part_n_level(ket), width = kernels->width;
    const double *block =
        pair_horizontal(engine, kernels, bra, bra_shift, false, n_f * width, levels);
    block = hf_pair_to_spherical(engine, kernels, bra, n_f * width, block);
    if (n_bra > 1 && n_f > 1) {
        double *out = hf_other_buffer(engine, block);
        kernels->transpose_lanes(n_bra, n_f, block, out);
        block = out;
    }
    block = pair_horizontal(engine, kernels, ket, ket_shift, true, n_bra * width, block);
    return hf_pair_to_spherical(engine, kernels, ket, n_bra * width, block);
}

void hf_assemble_parts(const struct hf_pair_class *bra_class, const struct hf_pair_class *ket_class,
                       const struct hf_pair_part *bra, const struct hf_pair_part *ket, int width,
                       const double *block, double *to)
{
    const size_t bytes = (size_t)(bra->n_b * width) * sizeof *block;
    for (int c = 0; c < ket->n_a; c++) {
        for (int d = 0; d < ket->n_b; d++) {
            const int row = (ket->first_a + c) * ket_class->n_b + ket->first_b + d;
            for (int a = 0; a < bra->n_a; a++, block += bra->n_b * width) {
                const int column = (bra->first_a + a) * bra_class->n_b + bra->first_b;
                memcpy(to + ((size_t)row * bra_class->n_function + column) * width, block, bytes);
            }
        }
    }
}

const double *hf_parts_to_functions(struct hf_engine *engine, const struct hf_kernels *kernels,
                                    const struct hf_quartet *quartet, const double *ket_shift,
                                    const double *levels)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    const double *bra_shift = quartet->bra->ab;
    const int width = kernels->width;
    if (bra->n_part == 1 && ket->n_part == 1)
        return to_functions(engine, kernels, bra->part, ket->part, bra_shift, ket_shift, levels);
    for (int b = 0; b < bra->n_part; b++) {
        for (int k = 0; k < ket->n_part; k++) {
            const double *block = to_functions(engine, kernels, &bra->part[b], &ket->part[k],
                                               bra_shift, ket_shift, levels);
            hf_assemble_parts(bra, ket, &bra->part[b], &ket->part[k], width, block,
                              engine->assembled);
            levels += hf_part_n_level(&bra->part[b]) * hf_part_n_level(&ket->part[k]) * width;
        }
    }
    return engine->assembled;
}
