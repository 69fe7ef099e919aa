/* Gathers arrays with a part from each rank. */
#ifndef HF_GATHER_H
#define HF_GATHER_H

#include "hf/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/** First element of a rank's part, ascending with the rank. For rank n_rank: the number of all elements. */
typedef int64_t hf_part_begin(const void *self, int rank);

/** Gathers the parts of all ranks in `values` on all ranks. Parts may have any sizes; scratch is [2 n_rank].
 *  Collective. */
void hf_gather_parts(MPI_Comm comm, hf_part_begin *begin, const void *self, int scratch[],
                     size_t element_bytes, void *values);

/** Gathers the lists of all ranks, one after another. `list` is the address of a pointer of any type: it becomes an
 *  array of *n elements, which every rank must free. `status` is the status of this rank so far. Collective.
 *  HF_NO_RESOURCE: no memory for `what`. */
hf_status hf_gather_lists(MPI_Comm comm, int n_mine, const void *mine, size_t element_bytes,
                          const char *what, int *n, void *list, hf_status status,
                          struct hf_error *error) HF_MUST_CHECK;

#endif
