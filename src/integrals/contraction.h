/* From primitive to contracted (e0|f0), for every part of a bra with every part of a ket. Part of
 * kernels.c.
 *
 * Where both classes have one part, primitives carry their coefficients and are added straight to
 * the sums. Else the side of the inner loop is contracted first, for each of its parts, and what
 * that gives for one primitive of the other side is added to the sums of every part of that side.
 */
#ifndef HF_CONTRACTION_H
#define HF_CONTRACTION_H

#include "lane_quartet.h"

/** One part's levels, in angular momenta and in components, and where they are among its class's.
 */
struct part_levels {
    int low, high, first, n;
};

struct contraction {
    int n_bra, n_ket; /**< parts */
    struct part_levels bra[HF_MAX_PAIR_PART], ket[HF_MAX_PAIR_PART];
    int n_bra_level, n_ket_level; /**< of the classes */
    int n_sum;
    lanes *sum;    /**< [n_sum], parts of the bra slowest */
    lanes *half;   /**< contracted over one side: [parts of that side][levels][levels] */
    size_t n_half; /**< lanes of `half` */
    lanes *levels; /**< [levels][levels] of one vector of primitives, where they are not the sums */
    size_t n_levels;
    bool direct; /**< both classes have one part: levels are added to the sums */
};

static inline int find_levels(const struct hf_pair_class *kind,
                              struct part_levels levels[HF_MAX_PAIR_PART])
{
    for (int k = 0; k < kind->n_part; k++) {
        const struct hf_pair_part *part = &kind->part[k];
        levels[k].first = hf_n_levels(kind->l_low, part->l_a - 1);
        levels[k].n = hf_part_n_level(part);
    }
    return hf_n_levels(kind->l_low, kind->l_high);
}

/** Clears the sums, which are at the start of `scratch`; the scratch that is left. */
static inline lanes *start_contraction(struct contraction *out, const struct hf_pair_class *bra,
                                       const struct hf_pair_class *ket, lanes *scratch)
{
    out->n_bra = bra->n_part;
    out->n_ket = ket->n_part;
    out->n_bra_level = find_levels(bra, out->bra);
    out->n_ket_level = find_levels(ket, out->ket);
    int n_bra = 0, n_ket = 0;
    for (int k = 0; k < out->n_bra; k++) n_bra += out->bra[k].n;
    for (int k = 0; k < out->n_ket; k++) n_ket += out->ket[k].n;
    out->n_sum = n_bra * n_ket;
    out->sum = scratch;
    out->half = scratch + out->n_sum;
    out->n_half = (size_t)n_bra * (size_t)out->n_ket_level;
    out->direct = out->n_bra == 1 && out->n_ket == 1;
    memset(out->sum, 0, (size_t)out->n_sum * sizeof *out->sum);
    if (out->direct) return out->half;
    memset(out->half, 0, out->n_half * sizeof *out->half);
    out->levels = out->half + out->n_half;
    out->n_levels = (size_t)(out->n_bra_level * out->n_ket_level);
    return out->levels + out->n_levels;
}

/** Where the recurrence adds the levels of a vector of primitives. */
static inline lanes *begin_levels(struct contraction *self)
{
    if (self->direct) return self->sum;
    memset(self->levels, 0, self->n_levels * sizeof *self->levels);
    return self->levels;
}

/** The levels of primitive i of the bra to `half` [parts of the bra][its levels][all levels]. */
static inline void contract_bra(struct contraction *self, const struct hf_expanded_pair *bra, int i)
{
    lanes *to = self->half;
    for (int k = 0; k < self->n_bra; k++) {
        const real factor = self->n_bra > 1 ? (real)hf_pair_coefficient(bra, k)[i] : 1;
        const int n = self->bra[k].n * self->n_ket_level;
        const lanes *from = self->levels + self->bra[k].first * self->n_ket_level;
        for (int x = 0; x < n; x++) to[x] += factor * from[x];
        to += n;
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

#endif
