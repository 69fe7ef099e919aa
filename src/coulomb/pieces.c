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

/* A product belongs to the piece in whose part of the cost it begins. */
int64_t hf_cut_leaf(const struct hf_products *products, int leaf, int n_piece, uint16_t first[])
{
    const int64_t begin = hf_leaf_begin(&products->leaf[leaf]);
    const int n = (int)(hf_leaf_end(&products->leaf[leaf]) - begin);
    int64_t cost[HF_LEAF_MOST], whole = 0, before = 0;
    int piece = 0;
    for (int i = 0; i < n; i++) whole += cost[i] = cost_of_bra(products, begin + i);
    for (int i = 0; i < n; before += cost[i++])
        while (piece < n_piece && before * n_piece >= whole * piece) first[piece++] = (uint16_t)i;
    while (piece < n_piece) first[piece++] = (uint16_t)n;
    return whole;
}
