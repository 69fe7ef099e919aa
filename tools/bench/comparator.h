/* libint2::Engine, the C++ front of Libint, behind a C interface: what our engine is compared with.
 */
#ifndef BENCH_COMPARATOR_H
#define BENCH_COMPARATOR_H

#include "hf/shell_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

struct comparator;

/** Engine with its own precomputed shell pairs, one for each of `pairs`, at the given precision. */
struct comparator *comparator_create(const struct hf_shell_pairs *pairs, double precision);
void comparator_destroy(struct comparator *comparator);

/** Block [a][b][c][d] of two pairs, or NULL when all of it is negligible; valid until the next
 * call. */
const double *comparator_compute(struct comparator *comparator, int64_t bra, int64_t ket);

#ifdef __cplusplus
}
#endif
#endif
