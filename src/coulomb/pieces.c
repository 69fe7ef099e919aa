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
    int64_t cost = 0;
    for (int64_t i = hf_leaf_begin(&products->leaf[leaf]); i < hf_leaf_end(&products->leaf[leaf]);
         i++)
        cost += cost_of_bra(products, i);
    return cost;
}

/* A product belongs to the piece in whose part of the cost it begins. */
struct hf_leaf_piece hf_leaf_piece(const struct hf_products *products, int leaf, int number,
                                   int n_piece)
{
    const struct hf_product_leaf *own = &products->leaf[leaf];
    struct hf_leaf_piece piece = {
        .leaf = leaf, .begin = hf_leaf_begin(own), .end = hf_leaf_end(own)};
    if (n_piece == 1) return piece;
    const int64_t whole = hf_leaf_cost(products, leaf), end = piece.end;
    int64_t before = 0, i = piece.begin;
    for (; i < end && before * n_piece < whole * number; i++) before += cost_of_bra(products, i);
    piece.begin = i;
    for (; i < end && before * n_piece < whole * (number + 1); i++)
        before += cost_of_bra(products, i);
    piece.end = i;
    return piece;
}
