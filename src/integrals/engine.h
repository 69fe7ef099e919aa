/* The engine of two-electron integrals: one shell pair against a list of shell pairs of one class.
 *
 * The bits of an integral depend on its own two pairs, as given, on the threshold and the precision only: not on
 * the size of the batch, its other quartets, the place among them, the engine or the thread. */
#ifndef HF_ENGINE_H
#define HF_ENGINE_H

#include "hf/status.h"
#include "integrals/shell_pair.h"

#include <stddef.h>

struct hf_engine;

/** Counts of work, for benchmarks; every call adds to them. Work in unused lanes of vectors is not counted. */
struct hf_engine_account {
    int64_t n_quartet, n_integral, n_primitive_quartet;
    /** Additions and multiplications of our own recurrences, from their formulas; docs/numerics.md
     *  says what counts. Quartets with shells beyond f add none. */
    double n_flop;
};

/** Unit of errors in single precision, relative to the product of the pairs' `rounding`. Integrals usually err
 *  by a third of it, at most by HF_SINGLE_MARGIN times it: docs/numerics.md. */
#define HF_SINGLE_ERROR  0x1p-24
#define HF_SINGLE_MARGIN 16.0

/** In a Fock build the unit of a quartet's rounding errors must be below the screening threshold by this
 *  factor. Errors are a tenth of the unit on average and of either sign, so rounding changes less than
 *  screening, which leaves out a third of each bound in the median. With the largest errors, HF_SINGLE_MARGIN,
 *  a quartet errs by four times the threshold. Without the factor the noise of a first, loose build matters:
 *  water, started from its converged orbitals, took three iterations more. */
#define HF_SINGLE_SCREENED 4.0

/** A quartet is computed in single precision if this, times each density, is below the threshold, like the
 *  Schwarz bound of a quartet that is left out. */
static inline double hf_single_bound(const struct hf_shell_pair *bra,
                                     const struct hf_shell_pair *ket)
{
    return HF_SINGLE_SCREENED * HF_SINGLE_ERROR * bra->rounding * ket->rounding;
}

/** Precision in which integrals are computed. */
enum hf_precision {
    HF_PRECISION_DOUBLE,
    HF_PRECISION_SINGLE, /**< see HF_SINGLE_ERROR */
};

/** Integrals of one batch, in the engine's memory until its next call: numbers of double precision in
 *  `value` or of single precision in `single`; the unused pointer is NULL.
 *
 *  With width 1, quartet i is value[i * stride ...], an array [row][column]: rows are the function
 *  pairs of one shell pair (a slowest), columns those of the other. `fixed_is_row` tells which pair has the
 *  rows; the engine chooses it for a whole batch.
 *
 *  With a larger width (hf_engine_two_electron_lanes only), 4 to HF_SINGLE_LANES, quartets stand side by side,
 *  in groups of `width` up to the n_wide-th quartet and of half as many after it. The group that begins with
 *  quartet k is value[k * stride ...], an array [row][column][its width]. Its lane l is quartet order[k + l];
 *  unused lanes repeat a quartet of the group. */
struct hf_integral_batch {
    const double *value;
    const float *single;
    size_t stride; /**< numbers of a quartet */
    bool fixed_is_row;
    int width, n_wide;
    const int *order; /**< NULL if the width is 1 */
};

/** Width of the group that has place k; k must be below n. */
static inline int hf_batch_width(const struct hf_integral_batch *batch, int k)
{
    return k < batch->n_wide ? batch->width : batch->width / 2;
}

/** Where number x of the quartet in place k is in `value` or `single`. */
static inline size_t hf_batch_index(const struct hf_integral_batch *batch, int k, size_t x)
{
    const size_t width = (size_t)hf_batch_width(batch, k), lane = (size_t)k % width;
    return ((size_t)k - lane) * batch->stride + x * width + lane;
}

/** Engine for the pairs of one list; one per thread. `pairs` is borrowed. Not collective.
 *  HF_NO_RESOURCE: memory, or an angular momentum beyond the library's. */
hf_status hf_engine_create(const struct hf_shell_pairs *pairs, struct hf_engine **engine,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_engine_destroy(struct hf_engine **engine);

/** Primitive quartets whose estimate is below `threshold` (hartree) are skipped from now on. */
void hf_engine_set_threshold(struct hf_engine *engine, double threshold);

/** To be called if the pairs of the engine's list were changed in place. */
void hf_engine_forget_pairs(struct hf_engine *engine);

/** Most quartets hf_engine_two_electron takes in one call. */
enum { HF_MAX_BATCH = 64 }; /* a multiple of HF_SINGLE_LANES */

/** All integrals (ab|cd), a b of `fixed` and c d of each of `other` [n], which must be of one
 * class. 1 <= n <= HF_MAX_BATCH. Chemists' notation, hartree. Allocates nothing. */
struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[]);

/** The same, with quartets side by side if they were computed so; in single precision if `precision` asks for
 *  it and there are kernels for the classes (up to f shells). */
struct hf_integral_batch hf_engine_two_electron_lanes(struct hf_engine *engine,
                                                      const struct hf_shell_pair *fixed, int n,
                                                      const struct hf_shell_pair *const other[],
                                                      enum hf_precision precision);

struct hf_engine_account hf_engine_account(const struct hf_engine *engine);

#endif
