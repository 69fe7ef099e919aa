/* Trees of products: cells within cells down to leaves, one tree for each class of exponents, so that
 * diffuse products, which overlap with much, do not keep compact ones near. */
#ifndef HF_TREE_H
#define HF_TREE_H

#include "hf/cartesian.h"
#include "hf/cell_tree.h"

#include <stdbool.h>
#include <stdint.h>

/** Products of a leaf at most. */
enum { HF_LEAF_MOST = 512 };

/** Products that lie near each other. */
struct hf_product_leaf {
    int64_t first_of_order[HF_MAX_PAIR_L + 2]; /**< products; from [L] to [L+1] those of order L */
    int cell;
};

static inline int64_t hf_leaf_begin(const struct hf_product_leaf *leaf)
{
    return leaf->first_of_order[0];
}

static inline int64_t hf_leaf_end(const struct hf_product_leaf *leaf)
{
    return leaf->first_of_order[HF_MAX_PAIR_L + 1];
}

/** Some of the products of a leaf: in each order every n-th row of a few products, so that all pieces
 *  have heavy and light ones. */
struct hf_leaf_piece {
    int leaf, number, n;
};

/** Pieces of a leaf at most. */
enum { HF_MOST_PIECES = 64 };

/** Products of a row: as many as kernels of the far field have lanes, but fewer for many ranks, whose tasks would be too
 *  large; a leaf that is one piece is one row. */
static inline int64_t hf_piece_row_length(const struct hf_leaf_piece *piece)
{
    if (piece->n == 1) return HF_LEAF_MOST;
    return piece->n <= 16 ? 8 : piece->n <= 32 ? 4 : 2;
}

/** Rows of one order in a piece, one after the other. */
struct hf_piece_rows {
    int64_t begin, end; /**< products of the current row */
    int64_t length, step, last;
};

/** Before the first row. */
static inline struct hf_piece_rows hf_piece_rows(const struct hf_product_leaf *leaf,
                                                 const struct hf_leaf_piece *piece, int order)
{
    const int turned = (piece->number + order) % piece->n; /* single rows are not all of piece 0 */
    const int64_t length = hf_piece_row_length(piece), step = piece->n * length;
    return (struct hf_piece_rows){.begin = leaf->first_of_order[order] + turned * length - step,
                                  .length = length,
                                  .step = step,
                                  .last = leaf->first_of_order[order + 1]};
}

/** False: there is no other row. */
static inline bool hf_next_piece_row(struct hf_piece_rows *rows)
{
    rows->begin += rows->step;
    rows->end = rows->begin + rows->length < rows->last ? rows->begin + rows->length : rows->last;
    return rows->begin < rows->last;
}

/** Leaves of n products at most, and cells. */
int64_t hf_most_leaves(int64_t n);
int64_t hf_most_cells(int64_t n);

/** Sorts products by class of exponents, within that by the cells of a tree of their own, and in a leaf by order
 *  and falling bound; fills in tree->cell [hf_most_cells(n)]. Products tree->from to tree->to - 1 are in place then, and
 *  cells that have any of them are measured. A point's number is that of its primitive in the list of pairs. The same
 *  whatever order they come in; O(n log n). Not collective. */
void hf_make_tree(int64_t n, struct hf_cell_point point[], struct hf_cell_tree *tree);

/** Fills in leaf [hf_most_leaves(n)] once all products are in place. Not collective. */
void hf_make_leaves(const struct hf_cell_point point[], const struct hf_cell_tree *tree,
                    struct hf_product_leaf leaf[]);

#endif
