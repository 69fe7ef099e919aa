/* The ranks node by node, which of them has which part of work that is divided without tasks, and how the results come to
 * all nodes. Inside hf only.
 *
 * Items are dealt to the ranks by turns. Ranks are counted node by node, so that what a node has is one piece when items
 * lie in the order of their slots: rank after rank, each with its items one after the other. */
#ifndef HF_SHARES_H
#define HF_SHARES_H

#include "base/arena.h"
#include "base/gather.h"
#include "base/node_memory.h"

#include <stdbool.h>
#include <stdint.h>

/** The ranks, counted node by node. A node is the ranks that share memory, maybe one rank alone. */
struct hf_shares {
    MPI_Comm
        firsts; /**< first ranks of the nodes, in their order; MPI_COMM_NULL on the others; borrowed */
    int node, n_node;
    int *first;            /**< [n_node + 1] number of the first rank of each node */
    int share, n_share;    /**< number of this rank, and of ranks */
    int *scratch;          /**< [2 n_node] of gathers on first ranks */
    struct hf_arena arena; /**< has the arrays */
};

/** The nodes that share memory as `shared` is. Collective. HF_NO_RESOURCE. */
hf_status hf_shares_create(struct hf_context *context, const struct hf_node_memory *shared,
                           struct hf_shares **shares, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. Not collective. */
void hf_shares_destroy(struct hf_shares **shares);

/** Node of every rank of the context, node_of [n_rank]. Collective. */
void hf_nodes_of_ranks(const struct hf_context *context, const struct hf_shares *shares,
                       int node_of[]);

/** n items that so many ranks take by turns, from the first rank on or from the last one down. */
struct hf_turns {
    int n, n_share;
    bool down;
};

static inline int hf_turn_share(const struct hf_turns *turns, int item)
{
    const int share = item % turns->n_share;
    return turns->down ? turns->n_share - 1 - share : share;
}

/** First slot of a rank; of rank n_share: n. */
static inline int64_t hf_turns_begin(const struct hf_turns *turns, int share)
{
    const int64_t each = turns->n / turns->n_share;
    const int longer = turns->n % turns->n_share; /* ranks that have one more */
    const int shorter = turns->n_share - longer;
    if (turns->down) return each * share + (share > shorter ? share - shorter : 0);
    return each * share + (share < longer ? share : longer);
}

static inline int64_t hf_turn_slot(const struct hf_turns *turns, int item)
{
    return hf_turns_begin(turns, hf_turn_share(turns, item)) + item / turns->n_share;
}

/** hf_gather_parts of the nodes instead of ranks. Collective over the nodes; begins and ends with a synchronisation of
 *  `memory`, in which they lie. */
void hf_shares_gather_parts(const struct hf_shares *shares, struct hf_node_memory *memory,
                            hf_part_begin *begin, const void *self, size_t size, void *values);

/** Brings items of `size` numbers each, which lie by slots in `values` and were written by the ranks that have them,
 *  to all nodes. Collective over the nodes; begins and ends with a synchronisation of `memory`, in which they lie. */
void hf_shares_gather(const struct hf_shares *shares, struct hf_node_memory *memory,
                      const struct hf_turns *turns, int64_t size, double values[]);

/** The same with items of several sizes: that of slot k begins at begin[k] [turns->n + 1]. */
void hf_shares_gather_sizes(const struct hf_shares *shares, struct hf_node_memory *memory,
                            const struct hf_turns *turns, const int64_t begin[], double values[]);

#endif
