/* Gathers arrays with a part from each rank; see gather.h. */
#include "base/gather.h"

#include "base/arena.h"

#include "hf/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void hf_gather_parts(MPI_Comm comm, hf_part_begin *begin, const void *self, int scratch[],
                     size_t element_bytes, void *values)
{
    int n_rank;
    MPI_Datatype element;
    MPI_Comm_size(comm, &n_rank);
    int *count = scratch, *place = scratch + n_rank;
    /* MPI libraries may count bytes in int */
    const bool large = begin(self, n_rank) > INT_MAX / (int64_t)element_bytes;
    for (int r = 0; r < n_rank; r++) {
        const int64_t first = begin(self, r), n = begin(self, r + 1) - first;
        if (large)
            hf_broadcast_bytes(comm, r, (size_t)n * element_bytes,
                               (char *)values + (size_t)first * element_bytes);
        place[r] = (int)first;
        count[r] = (int)n;
    }
    if (large) return;
    MPI_Type_contiguous((int)element_bytes, MPI_BYTE, &element);
    MPI_Type_commit(&element);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, count, place, element, comm);
    MPI_Type_free(&element);
}

/** hf_part_begin for lists: `self` is the array of first elements. */
static int64_t list_begin(const void *self, int rank)
{
    return ((const int *)self)[rank];
}

hf_status hf_gather_lists(MPI_Comm comm, int n_mine, const void *mine, size_t element_bytes,
                          const char *what, int *n, void *list, hf_status status,
                          struct hf_error *error)
{
    int rank, n_rank;
    char *all = NULL;
    struct hf_arena arena = {.label = what};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_rank);
    int *first = HF_TAKE(&arena, first, 3 * (size_t)n_rank + 1);
    if (status == HF_OK) status = hf_arena_check(&arena, error);
    HF_TRY(hf_agree(comm, status, error));
    MPI_Allgather(&n_mine, 1, MPI_INT, first + 1, 1, MPI_INT, comm);
    for (int r = 0; r < n_rank; r++) first[r + 1] += first[r];
    *n = first[n_rank];
    all = calloc((size_t)*n + 1, element_bytes);
    if (all == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d %s", *n, what);
    memcpy(list, &all, sizeof all);
    HF_TRY(hf_agree(comm, status, error));
    if (n_mine > 0)
        memcpy(all + (size_t)first[rank] * element_bytes, mine, (size_t)n_mine * element_bytes);
    hf_gather_parts(comm, list_begin, first, first + n_rank + 1, element_bytes, all);
cleanup:
    hf_arena_done(&arena);
    return status;
}
