/* From primitive to contracted (e0|f0), for every part of a bra with every part of a ket. Part of
 * kernels.c.
 *
 * The primitives of the bra are in the inner loop. If a class has one part, the coefficients are in the
 * prefactors of its primitives:
 *
 *     parts of bra, ket | levels of a primitive quartet are ...
 *     1, 1              | kept for a chunk of primitives of the bra, and added to the sums
 *     1, several        | kept for a chunk, and added to `half`, of one primitive of the ket
 *     several, 1        | kept for a chunk, and contracted to the sums
 *     several, several  | kept for a chunk, and contracted to `half`
 *
 * `half` collects some primitives of the ket, which are contracted to the sums together. If the bra has one
 * part, its first primitive is written to the place where the others are added. Every sum adds its terms in the
 * order of the primitives, for any length of chunks. A pruned primitive adds zeros: sums keep their bits,
 * except the sign of zeros.
 */
#ifndef HF_CONTRACTION_H
#define HF_CONTRACTION_H

#include "lane_quartet.h"

struct contraction {
    const struct hf_contraction_plan *plan;
    lanes *sum; /**< [n_sum], parts of the bra slowest */
    /** [plan->n_kept][n_half]: [parts of the bra][its levels][all levels of the ket] */
    lanes *half;
    lanes coefficient[HF_MOST_KEPT][HF_PADDED_PAIR_PART]; /**< of kept ket primitives */
    int n_kept;
    lanes *chunk;       /**< [n_chunk][n_level] */
    lanes *target;      /**< sums or half: the bra is contracted to it */
    bool target_is_new; /**< it was not written yet */
    bool sum_is_new;    /**< the sums were not written yet */
};

/** Prepares a contraction with sums at the start of `scratch`; returns the unused scratch. */
static inline lanes *start_contraction(struct contraction *out,
                                       const struct hf_contraction_plan *plan, lanes *scratch)
{
    out->plan = plan;
    out->n_kept = 0;
    out->sum = scratch;
    out->half = out->sum + plan->n_sum;
    out->chunk = out->half + plan->n_half * plan->n_kept;
    out->target = out->sum;
    out->target_is_new = out->sum_is_new = true;
    return out->chunk + plan->n_level * plan->n_chunk;
}

/** Begins a primitive of the ket. Returns where its coefficients are written [parts, padded]; NULL: the ket has
 *  one part. */
static inline lanes *begin_ket_primitive(struct contraction *self)
{
    if (self->plan->n_ket == 1) return NULL;
    self->target = self->half + self->plan->n_half * self->n_kept;
    self->target_is_new = true;
    return self->coefficient[self->n_kept];
}

/** Where the levels of the first primitive of a chunk are written; those of others are written to the chunk. */
static inline lanes *place_of_first(const struct contraction *self)
{
    return self->plan->n_bra == 1 && self->target_is_new ? self->target : self->chunk;
}

static inline real coefficient_of_term(const struct hf_pair_term *term)
{
#ifdef HF_SINGLE
    return term->single;
#else
    return term->coefficient;
#endif
}

/** Adds terms to n numbers of a sum, which are loaded and stored once. */
static inline __attribute__((always_inline)) void add_terms_block(int n, lanes *to, bool is_new,
                                                                  const lanes *from, int step,
                                                                  const struct hf_pair_term *term,
                                                                  int n_term)
{
    lanes sum[9];
    for (int x = 0; x < n; x++) sum[x] = is_new ? broadcast(0) : to[x];
    for (int t = 0; t < n_term; t++) {
        const lanes factor = broadcast(coefficient_of_term(&term[t]));
        const lanes *at = from + (ptrdiff_t)term[t].primitive * step;
        __asm__("" : "+r"(at)); /* one address for all; the compiler would use n */
        for (int x = 0; x < n; x++) sum[x] += factor * at[x];
    }
    for (int x = 0; x < n; x++) to[x] = sum[x];
}

/** to[x] += sum of coefficient times from[primitive * step + x]. Blocks of 9 and 3: (pp| and (p| have 9 and 3
 *  levels. */
static __attribute__((noinline)) void add_terms(int n, lanes *to, bool is_new, const lanes *from,
                                                int step, const struct hf_pair_term *term,
                                                int n_term)
{
    int x = 0;
    for (; x + 9 <= n; x += 9) add_terms_block(9, to + x, is_new, from + x, step, term, n_term);
    for (; x + 3 <= n; x += 3) add_terms_block(3, to + x, is_new, from + x, step, term, n_term);
    for (; x < n; x++) add_terms_block(1, to + x, is_new, from + x, step, term, n_term);
}

/** Terms of a bra with one part, whose coefficients are in the prefactors. */
static const struct hf_pair_term plain_terms[HF_MOST_CHUNK] = {
    {1.0, 1.0F, 0}, {1.0, 1.0F, 1}, {1.0, 1.0F, 2}, {1.0, 1.0F, 3},
    {1.0, 1.0F, 4}, {1.0, 1.0F, 5}, {1.0, 1.0F, 6}, {1.0, 1.0F, 7}};

/** Adds the levels of primitives first .. first+n-1 of the bra from the chunk to the target. `exchanged`, here
 *  and below: the levels of the ket are the slower index. */
static inline __attribute__((always_inline)) void end_chunk(struct contraction *self,
                                                            bool exchanged,
                                                            const struct hf_expanded_pair *bra,
                                                            int first, int n)
{
    lanes *to = self->target;
    if (self->plan->n_bra == 1) {
        const int done = self->target_is_new; /* the first is in its place */
        if (n > done)
            add_terms(self->plan->n_level, to, false, self->chunk, self->plan->n_level,
                      plain_terms + done, n - done);
    }
    for (int k = 0; k < self->plan->n_bra && self->plan->n_bra > 1; k++) {
        const int *place = hf_pair_term_places(bra, k);
        const int n_row = exchanged ? self->plan->n_ket_level : 1;
        const int n_f = self->plan->n_ket_level / n_row, step = self->plan->n_level;
        const lanes *from = self->chunk + self->plan->bra[k].first * n_f - first * step;
        for (int row = 0; row < n_row; row++, from += self->plan->n_bra_level) {
            add_terms(self->plan->bra[k].n * n_f, to, self->target_is_new, from, step,
                      hf_pair_terms(bra, k) + place[first], place[first + n] - place[first]);
            to += self->plan->bra[k].n * n_f;
        }
    }
    self->target_is_new = false;
}

/** n kept primitives of the ket for one of its parts: step of their blocks, and coefficients. */
struct kept_terms {
    int n, step;
    const lanes *coefficient; /**< [n][HF_PADDED_PAIR_PART] */
};

/** Adds the kept primitives of the ket to n numbers of the sums, which are `apart` apart. */
static inline __attribute__((always_inline)) void
add_kept_block(int n, lanes *to, int apart, bool is_new, struct kept_terms kept, const lanes *from)
{
    lanes sum[9];
    for (int x = 0; x < n; x++) sum[x] = is_new ? broadcast(0) : to[x * apart];
    for (int j = 0; j < kept.n; j++, from += kept.step, kept.coefficient += HF_PADDED_PAIR_PART)
        for (int x = 0; x < n; x++) sum[x] += *kept.coefficient * from[x];
    for (int x = 0; x < n; x++) to[x * apart] = sum[x];
}

static __attribute__((noinline)) void add_kept_rows(int n_row, int row_step, int n, lanes *to,
                                                    int apart, bool is_new,
                                                    const struct kept_terms *kept,
                                                    const lanes *from)
{
    const struct kept_terms terms = *kept;
    for (int row = 0; row < n_row; row++, from += row_step, to += n) {
        int x = 0;
        for (; x + 9 <= n; x += 9)
            add_kept_block(9, to + x * apart, apart, is_new, terms, from + x);
        for (; x + 3 <= n; x += 3)
            add_kept_block(3, to + x * apart, apart, is_new, terms, from + x);
        for (; x < n; x++) add_kept_block(1, to + x * apart, apart, is_new, terms, from + x);
    }
}

/** Contracts the kept primitives to the sums, with the coefficients of the ket. */
static inline void contract_kept(struct contraction *self, bool exchanged)
{
    const lanes *from = self->half;
    lanes *to = self->sum;
    struct kept_terms kept = {.n = self->n_kept, .step = self->plan->n_half};
    const bool is_new = self->sum_is_new;
    for (int b = 0; b < (self->plan->n_level > 1 ? self->plan->n_bra : 0); b++) {
        for (int k = 0; k < self->plan->n_ket; k++) {
            const struct hf_part_levels *levels = &self->plan->ket[k];
            /* rows follow each other */
            const bool all = exchanged || levels->n == self->plan->n_ket_level;
            const int n_row = all ? 1 : self->plan->bra[b].n, n = self->plan->bra[b].n * levels->n;
            const int step = exchanged ? self->plan->bra[b].n : 1;
            kept.coefficient = &self->coefficient[0][k];
            add_kept_rows(n_row, self->plan->n_ket_level, n / n_row, to, 1, is_new, &kept,
                          from + levels->first * step);
            to += n;
        }
        from += self->plan->bra[b].n * self->plan->n_ket_level;
    }
    for (int k = 0; k < (self->plan->n_level > 1 ? 0 : self->plan->n_ket); k++) {
        /* one number of each part: a row over the parts of the bra */
        kept.coefficient = &self->coefficient[0][k];
        add_kept_rows(1, 0, self->plan->n_bra, to + k, self->plan->n_ket, is_new, &kept, from);
    }
    self->sum_is_new = false;
    self->n_kept = 0;
}

/** To be called after the last primitive of the bra. */
static inline void end_ket_primitive(struct contraction *self, bool exchanged)
{
    if (self->plan->n_ket > 1 && ++self->n_kept == self->plan->n_kept)
        contract_kept(self, exchanged);
}

/** Completes the sums. */
static inline void end_contraction(struct contraction *self, bool exchanged)
{
    if (self->plan->n_ket > 1 && self->n_kept > 0) contract_kept(self, exchanged);
    if (self->plan->n_ket > 1 ? self->sum_is_new : self->target_is_new)
        memset(self->sum, 0, (size_t)self->plan->n_sum * sizeof *self->sum);
}

#endif
