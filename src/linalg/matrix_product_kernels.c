/* Products of matrices in tiles whose sums stay in registers. Compiled once per instruction set (HF_PRODUCT
 * names the function). docs/measurements/mp2.md has rates. */
#include "linalg/matrix_product.h"

#include "base/lanes.h"

#include <stdbool.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/** Rows of a tile: as many as fit so that its sums and one row of the right matrix fill the registers. */
#if HF_WIDTH == 8
enum { MOST_ROWS = 12 };
#elif defined(__AVX__)
enum { MOST_ROWS = 6 };
#else
enum { MOST_ROWS = 3 };
#endif

enum { MOST_VECTORS = 2 };

/** Inner elements per pass, so that the parts of both matrices a tile reads stay in the first-level cache. */
enum { MOST_INNER = 144 };

/** A tile: rows of one group, vectors of columns, a part of the inner elements. */
struct tile {
    const double *left;         /**< [n_inner][HF_PRODUCT_GROUP] */
    const double *const *right; /**< [n_inner] */
    int n_inner;
    size_t column;
    double *to;
    size_t to_step;
    bool add; /**< add to the contents of `to` instead of overwriting */
};

ALWAYS_INLINE void multiply_tile(const struct tile *tile, int n_row, int n_vector)
{
    lanes sum[MOST_ROWS][MOST_VECTORS];
    const double *left = tile->left;
#pragma GCC unroll 12
    for (int i = 0; i < n_row; i++)
        for (int v = 0; v < n_vector; v++) {
            sum[i][v] = broadcast(0.0);
            if (tile->add)
                sum[i][v] = ((const unaligned_lanes *)(tile->to + (size_t)i * tile->to_step))[v];
        }
    for (int k = 0; k < tile->n_inner; k++, left += HF_PRODUCT_GROUP) {
        const unaligned_lanes *right = (const unaligned_lanes *)(tile->right[k] + tile->column);
        lanes row[MOST_VECTORS];
        for (int v = 0; v < n_vector; v++) {
            row[v] = right[v];
            __builtin_prefetch(&right[n_vector + v], 0, 2);
        }
#pragma GCC unroll 12
        for (int i = 0; i < n_row; i++) {
            const lanes factor = broadcast(left[i]);
            for (int v = 0; v < n_vector; v++) sum[i][v] += factor * row[v];
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < n_row; i++)
        for (int v = 0; v < n_vector; v++)
            ((unaligned_lanes *)(tile->to + (size_t)i * tile->to_step))[v] = sum[i][v];
}

/** Multiplies a tile with any number of rows. */
ALWAYS_INLINE void multiply_rows(const struct tile *tile, int n_row, int n_vector)
{
    switch (n_row) {
#define ROWS(n)                                                                                    \
    case n: multiply_tile(tile, n, n_vector); break;
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

/** Multiplies all rows by n_vector vectors of columns, with inner elements begin .. end-1. */
ALWAYS_INLINE void multiply_columns(const struct hf_product *product, int n_vector, size_t column,
                                    int begin, int end)
{
    for (int i = 0; i < product->n_row;) {
        const int in_group = i % HF_PRODUCT_GROUP, left = product->n_row - i;
        const int n_row = left < MOST_ROWS ? left : MOST_ROWS;
        const struct tile tile = {.left = product->left +
                                          (size_t)(i - in_group) * (size_t)product->n_inner +
                                          in_group + (size_t)begin * HF_PRODUCT_GROUP,
                                  .right = product->right + begin,
                                  .n_inner = end - begin,
                                  .column = column,
                                  .to = product->to + (size_t)i * product->to_step + column,
                                  .to_step = product->to_step,
                                  .add = product->add || begin > 0};
        multiply_rows(&tile, n_row, n_vector);
        i += n_row;
    }
}

hf_product_function HF_PRODUCT;

void HF_PRODUCT(const struct hf_product *product)
{
    for (int begin = 0; begin == 0 || begin < product->n_inner; begin += MOST_INNER) {
        const int left = product->n_inner - begin;
        const int end = begin + (left < MOST_INNER ? left : MOST_INNER);
        size_t column = 0;
        for (; column + MOST_VECTORS * HF_WIDTH <= product->n_column;
             column += MOST_VECTORS * HF_WIDTH)
            multiply_columns(product, MOST_VECTORS, column, begin, end);
        for (; column < product->n_column; column += HF_WIDTH)
            multiply_columns(product, 1, column, begin, end);
    }
}
