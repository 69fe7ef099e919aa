/* Trees of cells over points in space: halves of halves along the longest side, until they are small.
 * Inside hf only. */
#ifndef HF_CELL_TREE_H
#define HF_CELL_TREE_H

#include <stdint.h>

/** What stands at a point: a product of primitives, or charges. */
struct hf_cell_point {
    double centre[3], exponent;
    float bound; /**< of a product; the tree does not ask */
    int order;
    int64_t number; /**< unique: decides the order of points at equal places */
};

/** All points of one part of space. A cell is a leaf or has two children: the cell that follows it, and the
 *  one that follows all within that. Roots follow each other. */
struct hf_cell {
    int64_t begin, end;       /**< points */
    double centre[3], radius; /**< of a sphere around them, bohr */
    double exponent;          /**< lowest */
    int order;                /**< highest */
    int next;                 /**< the cell that follows all within this one */
    int parent;               /**< -1: a root */
    int level;                /**< 0 of a root */
    int leaf;                 /**< its number; -1: none */
};

struct hf_cell_tree {
    int leaf_most;    /**< points of a leaf at most */
    int row;          /**< a cell is cut in two at a multiple of so many points */
    int64_t from, to; /**< cells without any of points from .. to-1 are only numbered, not sorted */
    int n_leaf, n_cell;
    struct hf_cell *cell; /**< the caller's, with room for all */
};

/** Appends the tree of points begin .. end-1 and sorts them by cells, so that those from `from` to `to` - 1 are in
 *  place. Cells have the same points in whatever order they come. O(n log n). */
void hf_add_cells(struct hf_cell_point point[], int64_t begin, int64_t end,
                  struct hf_cell_tree *tree);

/** Distance of the centres of two cells, bohr. */
double hf_cell_distance(const struct hf_cell *a, const struct hf_cell *b);

#endif
