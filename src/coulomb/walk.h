/* A walk through trees of products that finds for each cell the cells far from it and the near leaves. */
#ifndef HF_WALK_H
#define HF_WALK_H

#include "products.h"

#include "base/arena.h"

#include "multipole/multipole.h"

#include <stdint.h>

/** What decides whether cells are far from each other. */
struct hf_reach {
    int order;               /**< of the expansions */
    struct hf_expanded *bra; /**< [n_cell] as places where the potential is wanted */
    struct hf_expanded *ket; /**< [n_cell] as sources */
    double *tolerance;       /**< [n_cell] of what the cell is the source of */
};

struct hf_cell_list {
    int n;
    int64_t room;
    int *item; /**< [n] */
};

/** Scratch; one walk at a time. Zeroed before the first; the owner releases the arena. */
struct hf_walk {
    struct hf_arena arena; /**< has the lists; `failed` says whether the last walk had no memory */
    /** Cells neither far nor near yet, those of each level of the path */
    struct hf_cell_list waiting;
    struct hf_cell_list far;  /**< cells far from the current cell, and not from its parent */
    struct hf_cell_list near; /**< leaves near to the current leaf */
};

/** What a walk does with a cell. */
enum hf_walk_mark {
    HF_WALK_VISIT = 1, /**< visits it */
    HF_WALK_WITHIN = 2 /**< goes through the cells within it, some of which are visited */
};

/** Goes through the trees and calls `visit` for each cell marked to be visited, mark [n_cell], with its number, when its
 *  far cells and, of a leaf, its near leaves are found. False: no memory. Not collective. */
bool hf_walk_cells(const struct hf_products *products, const struct hf_reach *reach,
                   const unsigned char mark[], struct hf_walk *walk,
                   void (*visit)(void *self, int cell), void *self);

/** Appends n leaves to walk->near. False: no memory. */
bool hf_walk_add_near(struct hf_walk *walk, int first, int n);

#endif
