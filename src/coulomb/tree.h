/* Trees of products: cells within cells down to leaves, one tree for each class of exponents, so that
 * diffuse products, which overlap with much, do not keep compact ones near. */
#ifndef HF_TREE_H
#define HF_TREE_H

#include "hf/cartesian.h"

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

/** Some of the products of a leaf: in each order every n-th row of HF_PIECE_ROW products, so that all pieces
 *  have heavy and light ones. */
struct hf_leaf_piece {
    int leaf, number, n;
};

enum { HF_PIECE_ROW = 8 };

/** Rows of one order in a piece, one after the other. */
struct hf_piece_rows {
    int64_t begin, end; /**< products of the row at hand */
    int64_t step, last;
};

/** Before the first row. */
static inline struct hf_piece_rows hf_piece_rows(const struct hf_product_leaf *leaf,
                                                 const struct hf_leaf_piece *piece, int order)
{
    const int turned = (piece->number + order) % piece->n; /* single rows are not all of piece 0 */
    const int64_t step = (int64_t)piece->n * HF_PIECE_ROW;
    return (struct hf_piece_rows){.begin = leaf->first_of_order[order] +
                                           (int64_t)turned * HF_PIECE_ROW - step,
                                  .step = step,
                                  .last = leaf->first_of_order[order + 1]};
}

/** False: there is no other row. */
static inline bool hf_next_piece_row(struct hf_piece_rows *rows)
{
    rows->begin += rows->step;
    rows->end = rows->begin + HF_PIECE_ROW < rows->last ? rows->begin + HF_PIECE_ROW : rows->last;
    return rows->begin < rows->last;
}

/** All products of one part of space and one class of exponents. A cell is a leaf or has two children:
 *  the cell that follows it, and the one that follows all within that. Roots follow each other. */
struct hf_product_cell {
    int64_t begin, end;       /**< products */
    double centre[3], radius; /**< of a sphere around their centres, bohr */
    double exponent;          /**< lowest */
    int order;                /**< highest */
    int next;                 /**< the cell that follows all within this one */
    int parent;               /**< -1: a root */
    int level;                /**< 0 of a root */
    int leaf;                 /**< -1: none */
};

/** A product before it has its place in the list. */
struct hf_product_point {
    double centre[3], exponent;
    float bound;
    int order;
    int64_t primitive; /**< of the list of pairs */
};

/** Leaves of n products at most, and cells. */
int64_t hf_most_leaves(int64_t n);
int64_t hf_most_cells(int64_t n);

/** What hf_make_tree makes. */
struct hf_product_tree {
    int n_leaf, n_cell;
    struct hf_product_leaf *leaf; /**< [hf_most_leaves(n)] */
    struct hf_product_cell *cell; /**< [hf_most_cells(n)] */
};

/** Sorts products by class of exponents, within that into leaves by halving along the longest side,
 *  and in a leaf by order and falling bound; fills in the arrays of `tree`. The same whatever order they
 *  come in; O(n log n). Not collective. */
void hf_make_tree(int64_t n, struct hf_product_point point[], struct hf_product_tree *tree);

#endif
