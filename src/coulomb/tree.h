/* Trees of products: cells within cells down to leaves, one tree for each class of exponents, so that
 * diffuse products, which overlap with much, do not keep compact ones near. */
#ifndef HF_TREE_H
#define HF_TREE_H

#include "integrals/cartesian.h"
#include "multipole/cell_tree.h"

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
