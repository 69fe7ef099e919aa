/* Which blocks of two atoms travel between nodes in the replicated builder: from their owners to the memory
 * of every node, and back.
 *
 * Ranks that share memory form a group. Each block has one owner (layout/layout.h). In every group one member
 * is responsible for the blocks of an owner, a *portion*: the owner in its own group, elsewhere the
 * member with the owner's number modulo the number of members. So no two members are responsible for the
 * same block, and no message stays within a group:
 *
 *     sums       member of each group --> owner
 *     densities  owner --> member of each group        the same messages backwards
 *
 * Many groups are arranged in about as many rows as columns. A rank exchanges messages with its row and
 * its column only: 2 sqrt(G) messages instead of G.
 *
 *      .   .   o   .       g   sends sums for o, and for the rest of o's column, along the row to h
 *      .   .   |   .       h   adds the sums of its row to its own
 *      g --->  h   .           and sends them on to o
 *
 * A few groups form one row: every member sends straight to the owners. In step s a group sends to the group
 * s further on (modulo), so that no group receives from all at once. */
#ifndef HF_NODE_BLOCKS_H
#define HF_NODE_BLOCKS_H

#include "base/arena.h"
#include "base/node_memory.h"
#include "hf/context.h"
#include "layout/layout.h"

#include <stddef.h>

/** Approximate elements of one matrix in a piece: limits buffers; a rank can pack a piece while one travels. */
enum { HF_PIECE_ELEMENTS = 1 << 16 };

/** Blocks begin .. end-1 of hf_node_blocks.block, all of one portion: what a message carries. */
struct hf_piece {
    size_t begin, end;
};

/** A message to or from another rank, which has the same blocks in the same order. */
struct hf_piece_message {
    int peer;
    int step;
    struct hf_piece piece;
};

struct hf_piece_list {
    size_t n;
    struct hf_piece_message *message; /**< [n] by rising step */
};

/** Messages of sums along rows, or along columns; densities go through them backwards. */
struct hf_piece_way {
    struct hf_piece_list out, in;
};

struct hf_node_blocks {
    struct hf_arena arena;
    struct hf_context *context;           /**< borrowed */
    const struct hf_basis *basis;         /**< merged, borrowed */
    const struct hf_block_layout *layout; /**< borrowed */
    int n_group, group;                   /**< groups, and number of this rank's group */
    int n_member, member;                 /**< members of this group, and number of this rank */
    size_t *first; /**< [n_rank + 1] elements of a matrix that the ranks before own */
    struct hf_block_place *place; /**< [pairs of atoms] where each block is */
    size_t n_own, n_block;        /**< blocks of this rank's own portion, and of all its portions */
    struct hf_own_block *block;   /**< [n_block] sorted by portion (own first), i, j */
    int n_column;                 /**< groups of a row; n_group: there is one row */
    struct hf_piece_way row;      /**< messages within the row */
    struct hf_piece_way column;   /**< messages within the column */
    size_t most_block, most_element; /**< largest sizes of a piece */
};

/** Ranks that share the memory `shared` are one group. Release the result with hf_arena_free. Collective. HF_NO_RESOURCE:
 *  memory, on every rank. */
hf_status hf_node_blocks_create(struct hf_context *context, const struct hf_basis *basis,
                                const struct hf_block_layout *layout,
                                const struct hf_node_memory *shared, struct hf_node_blocks **blocks,
                                struct hf_error *error) HF_MUST_CHECK;

/** Columns of an arrangement of n_group groups of equal size; n_group if they form one row. */
int hf_node_blocks_columns(int n_group);

/** Approximate bytes on a rank. */
double hf_node_blocks_bytes(double n_atom, int n_rank, int n_node_rank);

/** Elements of one matrix in the part of a rank. */
static inline size_t hf_portion_size(const struct hf_node_blocks *blocks, int rank)
{
    return blocks->first[rank + 1] - blocks->first[rank];
}

#endif
