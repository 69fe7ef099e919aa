/* An array over pairs for every rank. */
#include "local_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/** The same with broadcasts one after another: for counts beyond MPI's, or without memory for a list of them. */
static void broadcast_all(const struct hf_local *local, double all[])
{
    const struct hf_context *context = local->context;
    for (int r = 0; r < context->n_rank; all += local->n_number_of_rank[r], r++)
        hf_broadcast_bytes(context->comm, r, local->n_number_of_rank[r] * sizeof *all, all);
}

void hf_local_replicate(const struct hf_local *local, const double part[], double all[])
{
    const struct hf_context *context = local->context;
    size_t n = 0, before = 0;
    for (int r = 0; r < context->n_rank; r++) {
        if (r == context->rank) before = n;
        n += local->n_number_of_rank[r];
    }
    if (part != all + before) memcpy(all + before, part, local->n_number * sizeof *all);
    int *count = calloc(2 * (size_t)context->n_rank, sizeof *count), *first = count;
    int ok = n <= INT_MAX && count != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, context->comm);
    if (ok) {
        first = count + context->n_rank;
        for (int r = 0; r < context->n_rank; r++) {
            count[r] = (int)local->n_number_of_rank[r];
            if (r > 0) first[r] = first[r - 1] + count[r - 1];
        }
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, first, MPI_DOUBLE,
                       context->comm);
    } else {
        broadcast_all(local, all);
    }
    free(count);
}
