/* The ranks counted node by node, and gathers over nodes; see base/shares.h. */
#include "base/shares.h"

/** Finds `first`, the number of the first rank of each node. Collective over the node. */
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
    int node[2] = {0, 0}; /* number of this node, number of nodes */
    MPI_Comm firsts = MPI_COMM_NULL;
    struct hf_shares *made = HF_NEW(*shares, NULL, "the list of nodes");
    if (shared->rank == 0) {
        firsts = hf_node_memory_firsts(context, shared);
        MPI_Comm_rank(firsts, &node[0]);
        MPI_Comm_size(firsts, &node[1]);
    }
    MPI_Bcast(node, 2, MPI_INT, 0, shared->comm);
    if (made != NULL) {
        made->firsts = firsts;
        made->node = node[0];
        made->n_node = node[1];
        HF_TAKE(&made->arena, made->first, (size_t)node[1] + 1);
        HF_TAKE(&made->arena, made->scratch, 2 * (size_t)node[1]);
    }
    HF_CHECK(hf_arena_agree_new(context, shares, HF_OK, error));
    count_ranks(made, shared);
    return HF_OK;
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

/** Items in the order of slots, of one size or of several sizes. */
struct slots {
    const struct hf_shares *shares;
    const struct hf_turns *turns;
    int64_t size;
    const int64_t *begin; /**< NULL: all items have `size` numbers */
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
