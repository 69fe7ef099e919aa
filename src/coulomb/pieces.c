/* Pieces of leaves; see pieces.h. */
#include "pieces.h"

#include <string.h>

/** Estimated cost of a product as a bra. The number of kets that it needs rises with the logarithm of its bound, and is zero
 *  below about 2^-30 (thresholds of 1e-7 to 1e-10 and the densities of as many products). A ket costs what it starts from and
 *  each component of the potential; a bra without kets costs its part of the far field. */
static int64_t cost_of_bra(const struct hf_products *products, int64_t product)
{
    enum { LEAST_EXPONENT = -30, MANTISSA_BITS = 23, BIAS = 127, START = 4 };
    uint32_t bits; /* sign, which is 0, exponent, mantissa */
    memcpy(&bits, &products->bound[product], sizeof bits);
    const int exponent = (int)(bits >> MANTISSA_BITS) - BIAS;
    const int n_component = hf_n_hermite(products->order[product] + products->raise);
    return 1 + (exponent > LEAST_EXPONENT
                    ? (int64_t)(exponent - LEAST_EXPONENT) * (START + n_component)
                    : 0);
}

int64_t hf_leaf_cost(const struct hf_products *products, int leaf)
{
    const struct hf_product_leaf *own = &products->leaf[leaf];
    int64_t cost = 0;
    for (int64_t i = hf_leaf_begin(own); i < hf_leaf_end(own); i++)
        cost += cost_of_bra(products, i);
    return cost;
}

/* A product belongs to the piece in whose part of the cost it begins. */
void hf_cut_leaf(const struct hf_products *products, int leaf, int64_t cost, int n_piece,
                 struct hf_leaf_piece piece[])
{
    int64_t next = hf_leaf_begin(&products->leaf[leaf]), before = 0;
    const int64_t end = hf_leaf_end(&products->leaf[leaf]);
    for (int k = 0; k < n_piece; k++) {
        piece[k] = (struct hf_leaf_piece){.leaf = leaf, .begin = next};
        for (; next < end && before * n_piece < cost * (k + 1); next++)
            before += cost_of_bra(products, next);
        piece[k].end = next;
    }
}
