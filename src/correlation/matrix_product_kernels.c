/* Products of matrices in tiles whose sums stay in registers. Compiled once per instruction set (HF_PRODUCT
 * names the function). docs/measurements/mp2.md has rates. */
#include "matrix_product.h"

#include "hf/lanes.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/** Rows of a tile, so that its sums and one row of the right matrix fill the registers. */
#if HF_WIDTH == 8
enum { MOST_ROWS = 12 };
#elif defined(__AVX__)
enum { MOST_ROWS = 6 };
#else
enum { MOST_ROWS = 3 };
#endif

enum { MOST_VECTORS = 2 };

/** Rows begin .. begin+n_row-1 of a group, and columns of n_vector vectors from `column` on. */
ALWAYS_INLINE void tile(const struct hf_product *product, int n_row, int n_vector,
                        const double *left, size_t column, double *to)
{
    lanes sum[MOST_ROWS][MOST_VECTORS];
#pragma GCC unroll 12
    for (int i = 0; i < n_row; i++)
        for (int v = 0; v < n_vector; v++) sum[i][v] = broadcast(0.0);
    for (int k = 0; k < product->n_inner; k++, left += HF_PRODUCT_GROUP) {
        const unaligned_lanes *right = (const unaligned_lanes *)(product->right[k] + column);
        lanes row[MOST_VECTORS];
        for (int v = 0; v < n_vector; v++) row[v] = right[v];
#pragma GCC unroll 12
        for (int i = 0; i < n_row; i++) {
            const lanes factor = broadcast(left[i]);
            for (int v = 0; v < n_vector; v++) sum[i][v] += factor * row[v];
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < n_row; i++)
        for (int v = 0; v < n_vector; v++)
            ((unaligned_lanes *)(to + (size_t)i * product->to_step))[v] = sum[i][v];
}

/** A tile of so many rows as there are. */
ALWAYS_INLINE void some_rows(const struct hf_product *product, int n_row, int n_vector,
                             const double *left, size_t column, double *to)
{
    switch (n_row) {
#define ROWS(n)                                                                                    \
    case n: tile(product, n, n_vector, left, column, to); break;
        ROWS(1)
        ROWS(2)
        ROWS(3)
#if defined(__AVX__)
        ROWS(4)
        ROWS(5)
        ROWS(6)
#endif
#if HF_WIDTH == 8
        ROWS(7)
        ROWS(8)
        ROWS(9)
        ROWS(10)
        ROWS(11)
        ROWS(12)
#endif
#undef ROWS
    default: break;
    }
}

/** All rows of n_vector vectors of columns. */
ALWAYS_INLINE void some_columns(const struct hf_product *product, int n_vector, size_t column)
{
    for (int i = 0; i < product->n_row;) {
        const int in_group = i % HF_PRODUCT_GROUP, left = product->n_row - i;
        const int n_row = left < MOST_ROWS ? left : MOST_ROWS;
        const double *packed =
            product->left + (size_t)(i - in_group) * (size_t)product->n_inner + in_group;
        some_rows(product, n_row, n_vector, packed, column,
                  product->to + (size_t)i * product->to_step + column);
        i += n_row;
    }
}

hf_product_function HF_PRODUCT;

void HF_PRODUCT(const struct hf_product *product)
{
    size_t column = 0;
    for (; column + MOST_VECTORS * HF_WIDTH <= product->n_column; column += MOST_VECTORS * HF_WIDTH)
        some_columns(product, MOST_VECTORS, column);
    for (; column < product->n_column; column += HF_WIDTH) some_columns(product, 1, column);
}
