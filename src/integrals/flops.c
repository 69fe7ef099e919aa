/* Arithmetic of the two-electron recurrences; see flops.h. */
#include "flops.h"

#include "horizontal_flops.h"
#include "vertical_flops.h"

/** Set-up of a quartet of primitives: lane_quartet.h has the statements. */
static double set_up_flops(bool needs_bra, bool needs_ket)
{
    enum {
        SUMS = 6,      /* zeta + eta, its root and inverse, zeta and eta over it */
        DISTANCE = 9,  /* Q - P and its square */
        ARGUMENTS = 4, /* T and the factor */
        CENTRE = 3     /* W - P or W - Q */
    };
    return SUMS + DISTANCE + ARGUMENTS + (needs_bra ? CENTRE : 0) + (needs_ket ? CENTRE : 0) +
           (needs_bra && needs_ket ? 1 : 0);
}

/** F_0 .. F_order by the series and the downward recursion, in both precisions: boys_lanes.h. */
static double boys_flops(int order)
{
    enum {
        SERIES = 18,      /* the place in the table, six steps of the polynomial, the factor */
        EXPONENTIAL = 17, /* seven steps, its two factors, 2 T */
        STEP = 4
    };
    return SERIES + (order > 0 ? EXPONENTIAL + STEP * order : 0);
}

/** Arithmetic from the levels of a part to its functions, for each column. */
static double part_flops(const struct hf_pair_part *part)
{
    return horizontal_flops[part->l_a][part->l_b][part->spherical_a || part->spherical_b];
}

struct hf_flops hf_flops_of(const struct hf_pair_class *bra, const struct hf_pair_class *ket)
{
    const int e = bra->l_high, f = ket->l_high;
    const int n_vertical = vertical_flops[bra->l_low][e][ket->l_low][f];
    if (n_vertical == 0 && e + f > 0) return (struct hf_flops){0};
    struct hf_flops flops = {
        .per_primitive = set_up_flops(e > 0, f > 0) + boys_flops(e + f) + n_vertical,
        .per_term = bra->n_part > 1 ? 2.0 * hf_n_levels(ket->l_low, f) : 0.0,
    };
    for (int b = 0; b < bra->n_part; b++) {
        const struct hf_pair_part *bra_part = &bra->part[b];
        for (int k = 0; k < ket->n_part; k++) {
            const struct hf_pair_part *ket_part = &ket->part[k];
            if (ket->n_part > 1)
                flops.per_ket_primitive +=
                    2.0 * hf_part_n_level(bra_part) * hf_part_n_level(ket_part);
            flops.per_quartet += part_flops(ket_part) * hf_part_n_level(bra_part) +
                                 part_flops(bra_part) * ket_part->n_a * ket_part->n_b;
        }
    }
    return flops;
}

/** Arithmetic of scalar products with `moved` of two parts. */
static double moved_flops(const struct hf_pair_part *bra, const struct hf_pair_part *ket)
{
    const int n_e = hf_part_n_level(bra), n_f = hf_part_n_level(ket);
    return 6.0 * (hf_n_levels(bra->l_a, bra->l_a + bra->l_b - 1) * n_f +
                  n_e * hf_n_levels(ket->l_a, ket->l_a + ket->l_b - 1));
}

struct hf_flops hf_gradient_flops_of(const struct hf_pair_class *bra,
                                     const struct hf_pair_class *ket)
{
    enum {
        OF_CENTRES = 3 * 19 + 6, /* add_primitives */
        OF_DENSITY = 5           /* G from blocks of D, of a quartet of functions */
    };
    const int e = bra->l_high, f = ket->l_high;
    const int n_level = hf_n_levels(bra->l_low, e) * hf_n_levels(ket->l_low, f);
    const int n_known = (int)(sizeof gradient_flops / sizeof *gradient_flops);
    const int n_gradient =
        e < n_known && f < n_known && bra->l_low < n_known && ket->l_low < n_known
            ? gradient_flops[bra->l_low][e][ket->l_low][f]
            : 0;
    if (n_gradient == 0) return (struct hf_flops){0};
    struct hf_flops flops = hf_flops_of(bra, ket);
    flops.per_primitive =
        set_up_flops(true, true) + boys_flops(e + f + 1) + n_gradient + OF_CENTRES;
    if (bra->n_part > 1) flops.per_primitive += 2.0 * n_level;
    if (e == bra->l_low && f == ket->l_low) flops.per_term = flops.per_ket_primitive = 0.0;
    flops.per_quartet += OF_DENSITY * (double)bra->n_function * ket->n_function;
    for (int b = 0; b < bra->n_part; b++)
        for (int k = 0; k < ket->n_part; k++) {
            flops.per_quartet += moved_flops(&bra->part[b], &ket->part[k]);
            if (ket->n_part > 1)
                flops.per_ket_primitive +=
                    2.0 * hf_part_n_level(&bra->part[b]) * hf_part_n_level(&ket->part[k]);
        }
    return flops;
}

double hf_flops_n_term(const struct hf_expanded_pair *pair, const struct hf_pair_class *kind)
{
    double n = 0.0;
    for (int k = 0; k < kind->n_part && kind->n_part > 1; k++)
        n += (double)hf_pair_term_places(pair, k)[pair->n_primitive] *
             hf_part_n_level(&kind->part[k]);
    return n;
}
