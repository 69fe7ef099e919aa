/* The engine of two-electron integrals: one shell pair against a list of shell pairs of one class.
 *
 * The bits of an integral depend on its own two pairs, as given, and on the threshold only: not on
 * the size of the batch, its other quartets, the place among them, the engine or the thread. */
#ifndef HF_ENGINE_H
#define HF_ENGINE_H

#include "hf/shell_pair.h"
#include "hf/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_engine;

/** Counts of work, for benchmarks; added to by every call. */
struct hf_engine_account {
    int64_t n_quartet, n_integral, n_primitive_quartet;
};

/** Integrals of one batch, in the engine's memory until its next call.
 *
 *  Quartet i is value[i * stride ...], an array [row][column]: rows are the function pairs of one
 *  shell pair (a slowest), columns those of the other. `fixed_is_row` tells which is which; it is
 * the engine's choice, the same for a whole batch.
 *
 *  With `order` (hf_engine_two_electron_lanes only) HF_LANES quartets stand side by side: group g
 * is value[g * stride * HF_LANES ...], an array [row][column][HF_LANES], whose lane l is quartet
 *  order[g * HF_LANES + l]; lanes behind the n-th repeat one of the group. */
struct hf_integral_batch {
    const double *value;
    size_t stride;
    bool fixed_is_row;
    const int *order;
};

/** Engine for the pairs of one list; one per thread. `pairs` is borrowed. Not collective.
 *  HF_NO_RESOURCE: memory, or an angular momentum beyond the library's. */
hf_status hf_engine_create(const struct hf_shell_pairs *pairs, struct hf_engine **engine,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_engine_destroy(struct hf_engine **engine);

/** Primitive quartets whose estimate is below `threshold` (hartree) are skipped from now on. */
void hf_engine_set_threshold(struct hf_engine *engine, double threshold);

/** Most quartets hf_engine_two_electron takes in one call. */
enum { HF_MAX_BATCH = 64 }; /* a multiple of HF_LANES */

/** All integrals (ab|cd), a b of `fixed` and c d of each of `other` [n], which must be of one
 * class. 1 <= n <= HF_MAX_BATCH. Chemists' notation, hartree. Allocates nothing. */
struct hf_integral_batch hf_engine_two_electron(struct hf_engine *engine,
                                                const struct hf_shell_pair *fixed, int n,
                                                const struct hf_shell_pair *const other[]);

/** The same, with quartets side by side where they were computed so. */
struct hf_integral_batch hf_engine_two_electron_lanes(struct hf_engine *engine,
                                                      const struct hf_shell_pair *fixed, int n,
                                                      const struct hf_shell_pair *const other[]);

struct hf_engine_account hf_engine_account(const struct hf_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
