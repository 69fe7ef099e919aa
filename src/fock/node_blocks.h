/* Blocks of two atoms between nodes: the replicated builder's way from the owners of blocks to the memory
 * of every node, and back.
 *
 * Ranks that share memory are a group. Each block has one owner (hf/layout.h). In every group one member
 * deals with the blocks of an owner, its *portion*: the owner itself in its own group, elsewhere the
 * member with the owner's number modulo their number. So no two members deal with the same block, and
 * nobody sends anything within a group:
 *
 *     sums       member of each group --> owner
 *     densities  owner --> member of each group        the same messages backwards
 *
 * Many groups stand in rows and columns, about as many of either, and nobody talks to any but those of its
 * row and its column: 2 sqrt(G) messages of a rank instead of G.
 *
 *      .   .   o   .       g   sums for o, and for all others of o's column, go along the row to h: there
 *      .   .   |   .           they are added up with those of h's whole row and its own
 *      g --->  h   .       h   sends them on to o
 *
 * Few groups are one row: every member sends straight to the owners. In step s a group talks to the one s
 * further on (modulo), so that nobody is asked by all at once. */
#ifndef HF_NODE_BLOCKS_H
#define HF_NODE_BLOCKS_H

#include "hf/context.h"
#include "hf/layout.h"
#include "hf/node_memory.h"

#include <stddef.h>

/** Elements of one matrix in a piece, about: bounds buffers, and lets the next piece be packed while one
 *  travels. */
enum { HF_PIECE_ELEMENTS = 1 << 16 };

/** Blocks begin .. end-1 of hf_node_blocks.block, all of one portion: what a message carries. */
struct hf_piece {
    size_t begin, end;
};

/** What goes to, or comes from, another rank: the same blocks in the same order there. */
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
    struct hf_context *context;           /**< borrowed */
    const struct hf_basis *basis;         /**< merged, borrowed */
    const struct hf_block_layout *layout; /**< borrowed */
    int n_group, group;                   /**< groups, and this rank's */
    int n_member, member;                 /**< of the group, and this rank among them */
    size_t *first; /**< [n_rank + 1] elements of a matrix that the ranks before own */
    struct hf_block_place *place; /**< [pairs of atoms] where each block is */
    size_t n_own, n_block;        /**< blocks of this rank's own portion, and of all its portions */
    struct hf_own_block *block;   /**< [n_block] by portions, the own one first; i, then j rising */
    int n_column;                 /**< groups of a row; n_group: there is one row */
    struct hf_piece_way row;      /**< to and from those of the row */
    struct hf_piece_way column;   /**< to and from those of the column */
    size_t most_block, most_element; /**< of a piece */
};

/** `shared` tells who shares memory. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_node_blocks_create(struct hf_context *context, const struct hf_basis *basis,
                                const struct hf_block_layout *layout,
                                const struct hf_node_memory *shared, struct hf_node_blocks **blocks,
                                struct hf_error *error) HF_MUST_CHECK;

/** Not collective. Accepts a pointer to NULL; leaves NULL. */
void hf_node_blocks_destroy(struct hf_node_blocks **blocks);

/** Columns that so many groups of equal size stand in; as many as there are: in one row. */
int hf_node_blocks_columns(int n_group);

/** Bytes of it on a rank, about. */
double hf_node_blocks_bytes(double n_atom, int n_rank, int n_node_rank);

/** Elements of one matrix in the part of a rank. */
static inline size_t hf_portion_size(const struct hf_node_blocks *blocks, int rank)
{
    return blocks->first[rank + 1] - blocks->first[rank];
}

#endif
