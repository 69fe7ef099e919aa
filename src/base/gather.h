/* What each rank has, brought to all ranks. */
#ifndef HF_GATHER_H
#define HF_GATHER_H

#include "hf/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/** First element of the part of a rank, by rising ranks; of rank n_rank: how many elements there are. */
typedef int64_t hf_part_begin(const void *self, int rank);

/** Brings the parts of all ranks, of elements of `element_bytes` at `values`, to all of them. Of any sizes; `scratch`
 *  [2 n_rank]. Collective. */
void hf_gather_parts(MPI_Comm comm, hf_part_begin *begin, const void *self, int scratch[],
                     size_t element_bytes, void *values);

/** The lists of all ranks one after another: `list` is the address of a pointer of any type, which becomes an array of *n
 *  elements, to be freed, on every rank. `status` is that of this rank until now. Collective. HF_NO_RESOURCE: `what`. */
hf_status hf_gather_lists(MPI_Comm comm, int n_mine, const void *mine, size_t element_bytes,
                          const char *what, int *n, void *list, hf_status status,
                          struct hf_error *error) HF_MUST_CHECK;

#endif
