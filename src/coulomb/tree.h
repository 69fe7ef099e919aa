/* Trees of products: cells within cells down to leaves, one tree for each class of exponents, so that
 * diffuse products, which overlap with much, do not keep compact ones near. */
#ifndef HF_TREE_H
#define HF_TREE_H

#include "hf/cartesian.h"

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
