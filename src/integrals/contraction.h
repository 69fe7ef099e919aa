/* From primitive to contracted (e0|f0), for every part of a bra with every part of a ket. Part of
 * kernels.c.
 *
 * Where both classes have one part, primitives carry their coefficients and are added straight to
 * the sums. Else the side of the inner loop is contracted first, for each of its parts, and what
 * that gives for one primitive of the other side is added to the sums of every part of that side.
 */
#ifndef HF_CONTRACTION_H
#define HF_CONTRACTION_H

#include "lanes.h"
#include "recurrence.h"

/** One part's levels, in angular momenta and in components, and where they are among its class's.
 */
struct part_levels {
    int low, high, first, n;
};

struct contraction {
    int n_bra, n_ket;      /**< parts */
    int n_ket_coefficient; /**< rows of coefficients of the ket: 0 where the prefactor has them */
    struct part_levels bra[HF_MAX_PAIR_PART], ket[HF_MAX_PAIR_PART];
    int n_bra_level, n_ket_level; /**< of the classes */
    int n_sum;
    lanes *sum;    /**< [n_sum], parts of the bra slowest */
    lanes *half;   /**< contracted over one side: [parts of that side][levels][levels] */
    size_t n_half; /**< lanes of `half` */
    lanes *direct; /**< the sums where both classes have one part; else NULL */
};

static inline int find_levels(const struct hf_pair_class *kind,
                              struct part_levels levels[HF_MAX_PAIR_PART])
{
    for (int k = 0; k < kind->n_part; k++) {
        const struct hf_pair_part *part = &kind->part[k];
        levels[k].low = part->l_a;
        levels[k].high = part->l_a + part->l_b;
        levels[k].first = hf_n_levels(kind->l_low, part->l_a - 1);
        levels[k].n = hf_n_levels(levels[k].low, levels[k].high);
    }
    return hf_n_levels(kind->l_low, kind->l_high);
}

/** Clears the sums, which are at the start of `scratch`; the scratch that is left. `ket_first`: the
 *  ket is contracted first. */
static inline lanes *start_contraction(struct contraction *out, const struct hf_pair_class *bra,
                                       const struct hf_pair_class *ket, bool ket_first,
                                       lanes *scratch)
{
    out->n_bra = bra->n_part;
    out->n_ket = ket->n_part;
    out->n_ket_coefficient = ket->n_part > 1 ? ket->n_part : 0;
    out->n_bra_level = find_levels(bra, out->bra);
    out->n_ket_level = find_levels(ket, out->ket);
    int n_bra = 0, n_ket = 0;
    for (int k = 0; k < out->n_bra; k++) n_bra += out->bra[k].n;
    for (int k = 0; k < out->n_ket; k++) n_ket += out->ket[k].n;
    out->n_sum = n_bra * n_ket;
    out->sum = scratch;
    out->half = scratch + out->n_sum;
    out->n_half = (size_t)(ket_first ? out->n_bra_level * n_ket : n_bra * out->n_ket_level);
    out->direct = out->n_bra == 1 && out->n_ket == 1 ? out->sum : NULL;
    memset(out->sum, 0, (size_t)out->n_sum * sizeof *out->sum);
    if (out->direct != NULL) return out->half;
    memset(out->half, 0, out->n_half * sizeof *out->half);
    return out->half + out->n_half;
}

/** One row of the wanted levels, m = 0: component `c` of e with all components of f_low..f_max. */
static inline void add_row(const struct recurrence_work *work, int e, int c, int f_low, int f_max,
                           lanes factor, lanes *to)
{
    for (int f = f_low; f <= f_max; f++) {
        const int n = hf_n_cartesian(f);
        const lanes *from = work->level[e][f] + c * n;
        for (int k = 0; k < n; k++) to[k] += factor * from[k];
        to += n;
    }
}

/** All rows of e_low..e_high; where the next would be. */
static inline lanes *add_rows(const struct recurrence_work *work, int e_low, int e_high, int f_low,
                              int f_high, lanes factor, lanes *to)
{
    const int n = hf_n_levels(f_low, f_high);
    for (int e = e_low; e <= e_high; e++)
        for (int c = 0; c < hf_n_cartesian(e); c++, to += n)
            add_row(work, e, c, f_low, f_high, factor, to);
    return to;
}

/** The levels of primitive i of the bra to `half` [parts of the bra][its levels][all levels]. */
static inline void contract_bra(struct contraction *self, const struct recurrence_work *work,
                                const struct hf_pair_class *ket_class,
                                const struct hf_shell_pair *bra, int i)
{
    lanes *to = self->half;
    for (int k = 0; k < self->n_bra; k++) {
        const double factor = self->n_bra > 1 ? hf_pair_coefficient(bra, k)[i] : 1.0;
        to = add_rows(work, self->bra[k].low, self->bra[k].high, ket_class->l_low,
                      ket_class->l_high, broadcast(factor), to);
    }
}

/** `half` of contract_bra to the sums, with the coefficients of the ket; clears it. */
static inline void contract_ket_last(struct contraction *self, const lanes coefficient[])
{
    const lanes *from = self->half;
    lanes *to = self->sum;
    for (int b = 0; b < self->n_bra; b++) {
        for (int k = 0; k < self->n_ket; k++) {
            const lanes factor = self->n_ket > 1 ? coefficient[k] : broadcast(1.0);
            const struct part_levels *levels = &self->ket[k];
            for (int e = 0; e < self->bra[b].n; e++, to += levels->n)
                for (int f = 0; f < levels->n; f++)
                    to[f] += factor * from[e * self->n_ket_level + levels->first + f];
        }
        from += self->bra[b].n * self->n_ket_level;
    }
    memset(self->half, 0, self->n_half * sizeof *self->half);
}

/** The levels of primitives j.. of the ket to `half` [parts of the ket][all levels][its levels]. */
static inline void contract_ket_lanes(struct contraction *self, const struct recurrence_work *work,
                                      const struct hf_pair_class *bra_class,
                                      const struct hf_shell_pair *ket, int j)
{
    lanes *to = self->half;
    for (int k = 0; k < self->n_ket; k++) {
        const lanes factor =
            self->n_ket > 1 ? load(hf_pair_coefficient(ket, k) + j) : broadcast(1.0);
        to = add_rows(work, bra_class->l_low, bra_class->l_high, self->ket[k].low,
                      self->ket[k].high, factor, to);
    }
}

/** `half` of contract_ket_lanes to the sums, with the coefficients of the bra; clears it. */
static inline void contract_bra_last(struct contraction *self, const struct hf_shell_pair *bra,
                                     int i)
{
    lanes *to = self->sum;
    for (int b = 0; b < self->n_bra; b++) {
        const double factor = self->n_bra > 1 ? hf_pair_coefficient(bra, b)[i] : 1.0;
        const lanes *from = self->half;
        for (int k = 0; k < self->n_ket; k++) {
            const int n = self->bra[b].n * self->ket[k].n;
            const lanes *row = from + self->bra[b].first * self->ket[k].n;
            for (int x = 0; x < n; x++) to[x] += factor * row[x];
            to += n;
            from += self->n_bra_level * self->ket[k].n;
        }
    }
    memset(self->half, 0, self->n_half * sizeof *self->half);
}

#endif
