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
enum { HF_MOST_PIECES = 128 };

/** Estimated cost of the products of a leaf as bras, for each ket that they could need; of kets, too. Not collective. */
int64_t hf_leaf_cost(const struct hf_products *products, int leaf);

/** Cuts a leaf of that cost into n_piece pieces. Not collective. */
void hf_cut_leaf(const struct hf_products *products, int leaf, int64_t cost, int n_piece,
                 struct hf_leaf_piece piece[]);

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
