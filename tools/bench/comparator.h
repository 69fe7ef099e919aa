/* libint2::Engine, the C++ front of Libint, behind a C interface: what our engine is compared with.
 */
#ifndef BENCH_COMPARATOR_H
#define BENCH_COMPARATOR_H

#include "hf/basis.h"

#ifdef __cplusplus
extern "C" {
#endif

struct comparator;

/** Engine with its own precomputed pairs of the shells of `basis`, at the given precision. */
struct comparator *comparator_create(const struct hf_basis *basis, double precision);
void comparator_destroy(struct comparator *comparator);

/** Block [a][b][c][d] of four shells, or NULL when all of it is negligible; valid until the next
 * call. */
const double *comparator_compute(struct comparator *comparator, const int shell[4]);

#ifdef __cplusplus
}
#endif
#endif
