/* Rates of the two-electron engine and of digestion, class by class. */
#ifndef HF_ROOFLINE_H
#define HF_ROOFLINE_H

#include "integrals/engine.h"

#include <stddef.h>

/** Work and time of the quartets of one class, summed over the ranks. */
struct hf_roofline_entry {
    double n_quartet, n_integral, n_primitive;
    double n_flop; /**< 0: not counted, shells beyond f */
    double seconds;
};

/** Which quartets a pass computes: all, or those that hf computes in that precision for densities up to 1. */
enum hf_roofline_part {
    HF_ROOFLINE_ALL,
    HF_ROOFLINE_OF_PRECISION,
    HF_ROOFLINE_GRADIENT /**< all, differentiated with a density that comes from the cache */
};

/** Computes quartets of `pairs` once in one precision, as many in a call as the engine takes, shared
 *  out over the ranks; only calls of the engine are timed, many at a time. `entry` [classes of two pairs,
 *  at hf_census_index] and the integrals of each class of bras, `of_bra` [n_class], are set on every rank.
 *  Collective. HF_NO_RESOURCE: memory. */
hf_status hf_roofline_pass(struct hf_context *context, const struct hf_shell_pairs *pairs,
                           double threshold, enum hf_precision precision,
                           enum hf_roofline_part part, struct hf_roofline_entry entry[],
                           double of_bra[], struct hf_error *error) HF_MUST_CHECK;

/** Strips of a bra of n_a n_b functions with n_c functions of one atom and n_d of another. */
struct hf_digest_case {
    int n_a, n_b, n_c, n_d;
    bool single; /**< numbers of single precision; they are summed in double */
};

/** Arithmetic of digestion for each integral and density: J and K, six sums of products. */
enum { HF_DIGEST_FLOPS = 12 };

/** Seconds to add the strips in n_bytes of `buffer` to J and K of one density, `n_round` times; *n_integral:
 *  how many numbers that is. HF_STRIP_ROOM bytes behind the strips may be read. Local. Negative: no memory. */
double hf_roofline_digest(const struct hf_digest_case *which, size_t n_bytes, const void *buffer,
                          int n_round, double *n_integral);

#endif
