/* Divides work over the ranks without tasks, and gathers the results on all nodes. Inside hf only.
 *
 * The ranks take items in turn. Ranks are counted node by node. In the order of slots (rank after rank, the items of
 * each rank one after another) the items of a node are one piece. */
#ifndef HF_SHARES_H
#define HF_SHARES_H

#include "base/arena.h"
#include "base/gather.h"
#include "base/node_memory.h"

#include <stdbool.h>
#include <stdint.h>

/** The ranks, counted node by node. A node is a group of ranks that share memory, or a single rank. */
struct hf_shares {
    struct hf_arena arena;
    /** first ranks of the nodes, in order; MPI_COMM_NULL on other ranks; borrowed */
    MPI_Comm firsts;
    int node, n_node;
    int *first;         /**< [n_node + 1] number of the first rank of each node */
    int share, n_share; /**< number of this rank, and number of ranks */
    int *scratch;       /**< [2 n_node] for gathers on first ranks */
};

/** Finds the nodes, which are the groups that share `shared`. Release the result with hf_arena_free. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_shares_create(struct hf_context *context, const struct hf_node_memory *shared,
                           struct hf_shares **shares, struct hf_error *error) HF_MUST_CHECK;

/** n items that n_share ranks take in turn, from the first rank up, or with `down` from the last rank down. */
struct hf_turns {
    int n, n_share;
    bool down;
};

static inline int hf_turn_share(const struct hf_turns *turns, int item)
{
    const int share = item % turns->n_share;
    return turns->down ? turns->n_share - 1 - share : share;
}

/** First slot of a rank; for rank n_share: n. */
static inline int64_t hf_turns_begin(const struct hf_turns *turns, int share)
{
    const int64_t each = turns->n / turns->n_share;
    const int longer = turns->n % turns->n_share; /* number of ranks with one item more */
    const int shorter = turns->n_share - longer;
    if (turns->down) return each * share + (share > shorter ? share - shorter : 0);
    return each * share + (share < longer ? share : longer);
}

static inline int64_t hf_turn_slot(const struct hf_turns *turns, int item)
{
    return hf_turns_begin(turns, hf_turn_share(turns, item)) + item / turns->n_share;
}

/** Like hf_gather_parts, with nodes instead of ranks. Collective over the nodes; begins and ends with a
 *  synchronisation of `memory`, which contains `values`. */
void hf_shares_gather_parts(const struct hf_shares *shares, struct hf_node_memory *memory,
                            hf_part_begin *begin, const void *self, size_t size, void *values);

/** Brings items of `size` numbers each to all nodes. They lie in `values` in the order of slots; each was written by
 *  the rank that has it. Collective over the nodes; begins and ends with a synchronisation of `memory`, which
 *  contains `values`. */
void hf_shares_gather(const struct hf_shares *shares, struct hf_node_memory *memory,
                      const struct hf_turns *turns, int64_t size, double values[]);

/** The same for items of several sizes: slot k begins at begin[k] [turns->n + 1]. */
void hf_shares_gather_sizes(const struct hf_shares *shares, struct hf_node_memory *memory,
                            const struct hf_turns *turns, const int64_t begin[], double values[]);

#endif
