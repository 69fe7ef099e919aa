/* The ranks node by node, and gathers of what they have; see hf/shares.h. */
#include "hf/shares.h"

#include <stdlib.h>

/** Ranks on all nodes, in `first`. Collective over the node. */
static void count_ranks(struct hf_shares *shares, const struct hf_node_memory *shared)
{
    int *first = shares->first;
    if (shared->rank == 0)
        MPI_Allgather(&shared->n_rank, 1, MPI_INT, first + 1, 1, MPI_INT, shares->firsts);
    MPI_Bcast(first + 1, shares->n_node, MPI_INT, 0, shared->comm);
    for (int i = 0; i < shares->n_node; i++) first[i + 1] += first[i];
    shares->share = first[shares->node] + shared->rank;
    shares->n_share = first[shares->n_node];
}

hf_status hf_shares_create(struct hf_context *context, const struct hf_node_memory *shared,
                           struct hf_shares **shares, struct hf_error *error)
{
    static const char label[] = "the list of nodes";
    hf_status status;
    int node[2] = {0, 0}; /* number, and how many there are */
    struct hf_shares *made = calloc(1, sizeof *made);
    if (shared->rank == 0) {
        MPI_Comm_rank(hf_node_memory_firsts(context, shared), &node[0]);
        MPI_Comm_size(hf_node_memory_firsts(context, shared), &node[1]);
    }
    MPI_Bcast(node, 2, MPI_INT, 0, shared->comm);
    if (made != NULL) {
        made->firsts = shared->rank == 0 ? hf_node_memory_firsts(context, shared) : MPI_COMM_NULL;
        made->node = node[0];
        made->n_node = node[1];
        made->arena.label = label;
        HF_TAKE(&made->arena, made->first, (size_t)node[1] + 1);
        HF_TAKE(&made->arena, made->scratch, 2 * (size_t)node[1]);
    }
    status = made != NULL ? hf_arena_check(&made->arena, error)
                          : hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", label);
    status = hf_agree(context->comm, status, error);
    if (status == HF_OK)
        count_ranks(made, shared);
    else
        hf_shares_destroy(&made);
    *shares = made;
    return status;
}

void hf_shares_destroy(struct hf_shares **shares)
{
    struct hf_shares *old = *shares;
    if (old != NULL) hf_arena_done(&old->arena);
    free(old);
    *shares = NULL;
}

void hf_nodes_of_ranks(const struct hf_context *context, const struct hf_shares *shares,
                       int node_of[])
{
    MPI_Allgather(&shares->node, 1, MPI_INT, node_of, 1, MPI_INT, context->comm);
}

void hf_shares_gather_parts(const struct hf_shares *shares, struct hf_node_memory *memory,
                            hf_part_begin *begin, const void *self, size_t size, void *values)
{
    hf_node_memory_sync(memory);
    if (shares->n_node == 1) return;
    if (memory->rank == 0)
        hf_gather_parts(shares->firsts, begin, self, shares->scratch, size, values);
    hf_node_memory_sync(memory);
}

/** Items by slots, of one size or of several. */
struct slots {
    const struct hf_shares *shares;
    const struct hf_turns *turns;
    int64_t size;
    const int64_t *begin; /**< NULL: all are of `size` */
};

/** hf_part_begin */
static int64_t slots_begin(const void *self, int node)
{
    const struct slots *slots = self;
    const int64_t slot = hf_turns_begin(slots->turns, slots->shares->first[node]);
    return slots->begin != NULL ? slots->begin[slot] : slot * slots->size;
}

void hf_shares_gather(const struct hf_shares *shares, struct hf_node_memory *memory,
                      const struct hf_turns *turns, int64_t size, double values[])
{
    const struct slots slots = {.shares = shares, .turns = turns, .size = size};
    hf_shares_gather_parts(shares, memory, slots_begin, &slots, sizeof *values, values);
}

void hf_shares_gather_sizes(const struct hf_shares *shares, struct hf_node_memory *memory,
                            const struct hf_turns *turns, const int64_t begin[], double values[])
{
    const struct slots slots = {.shares = shares, .turns = turns, .begin = begin};
    hf_shares_gather_parts(shares, memory, slots_begin, &slots, sizeof *values, values);
}
