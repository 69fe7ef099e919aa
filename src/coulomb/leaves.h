/* Which products make a leaf: those near each other. */
#ifndef HF_LEAVES_H
#define HF_LEAVES_H

#include "products.h"

/** A product before it has its place in the list. */
struct hf_product_point {
    double centre[3], exponent;
    float bound;
    int order;
    int64_t primitive; /**< of the list of pairs */
};

/** Products of a leaf at most. */
enum { HF_LEAF_MOST = 256 };

/** Leaves of n products at most. */
int64_t hf_most_leaves(int64_t n);

/** Sorts products into leaves, and in a leaf by order and falling bound; fills in `leaf`
 *  [hf_most_leaves(n)] and returns how many there are. The same whatever order they come in. Not
 *  collective. */
int hf_make_leaves(int64_t n, struct hf_product_point point[], struct hf_product_leaf leaf[]);

#endif
