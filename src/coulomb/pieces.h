/* Pieces of leaves: the bras of a task. Products that follow each other in a leaf, so most of a piece are of one order and
 * need similar numbers of kets; all pieces of a leaf have about the same estimated cost. */
#ifndef HF_PIECES_H
#define HF_PIECES_H

#include "products.h"

struct hf_leaf_piece {
    int leaf;
    int64_t begin, end; /**< products */
};

/** Pieces of a leaf at most. */
enum { HF_MOST_PIECES = 64 };

/** Cuts a leaf: first[k] is the first product of piece k, counted from the leaf's first one; it ends where the next one begins.
 *  Returns the estimated cost of the leaf. Not collective. */
int64_t hf_cut_leaf(const struct hf_products *products, int leaf, int n_piece, uint16_t first[]);

/** Piece number 0 .. n_piece - 1 of a leaf that is cut so. */
static inline struct hf_leaf_piece hf_leaf_piece(const struct hf_products *products, int leaf,
                                                 int number, int n_piece, const uint16_t first[])
{
    const struct hf_product_leaf *own = &products->leaf[leaf];
    return (struct hf_leaf_piece){
        .leaf = leaf,
        .begin = hf_leaf_begin(own) + first[number],
        .end = number + 1 < n_piece ? hf_leaf_begin(own) + first[number + 1] : hf_leaf_end(own)};
}

/** The products of a piece that are of one order; `end` is not above `begin` if it has none. */
static inline struct hf_leaf_piece hf_order_of_piece(const struct hf_products *products,
                                                     const struct hf_leaf_piece *piece, int order)
{
    const int64_t *first = products->leaf[piece->leaf].first_of_order + order;
    return (struct hf_leaf_piece){.leaf = piece->leaf,
                                  .begin = piece->begin > first[0] ? piece->begin : first[0],
                                  .end = piece->end < first[1] ? piece->end : first[1]};
}

#endif
