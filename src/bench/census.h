/* What shell quartets cost: a consumer of quartet work that discards the integrals and keeps their times, by
 * class of angular momenta (book section 7.2.2.2, Table 7.1). */
#ifndef HF_CENSUS_H
#define HF_CENSUS_H

#include "base/arena.h"
#include "work/work.h"

/** Quartets of one class. */
struct hf_census_entry {
    double n_quartet;
    double seconds, squares; /**< sums of their times and of the squared times */
};

/** The consumer's `self`. */
struct hf_census {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    /** Quartets with a smaller product of Schwarz bounds are left out, hartree. */
    double threshold;
    int n_entry;
    /** [n_entry] at hf_census_index: classes of two pairs, in any order */
    struct hf_census_entry *entry;
    double *pair_seconds;  /**< [n_pair] of the quartets with this pair as bra */
    struct hf_arena arena; /**< has the arrays; the caller releases it, also after a failure */
};

extern const struct hf_quartet_consumer hf_census_consumer;

/** An empty census; local. HF_NO_RESOURCE. */
hf_status hf_census_init(struct hf_census *census, const struct hf_shell_pairs *pairs,
                         double threshold, struct hf_error *error) HF_MUST_CHECK;

/** Computes all quartets of `pairs` once, over all ranks, one thread each: every quartet in a call of its own
 *  or, if `batched`, as many in a call as in hf; each then counts with the mean of its call. Every rank has the
 *  sums of all ranks. Collective. HF_NO_RESOURCE. */
hf_status hf_census_take(struct hf_census *census, struct hf_context *context, bool batched,
                         struct hf_error *error) HF_MUST_CHECK;

/** Place of the quartets of two classes of pairs, in any order. */
static inline int hf_census_index(int one, int other)
{
    const int high = one > other ? one : other, low = one > other ? other : one;
    return high * (high + 1) / 2 + low;
}

/** Mean of n times, and standard deviation / mean, from their sums; 0 if n is 0. */
struct hf_census_statistic {
    double mean_seconds, relative_deviation;
};
struct hf_census_statistic hf_census_statistic(double n, double seconds, double squares);

#endif
