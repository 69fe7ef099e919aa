/* Products of matrices on one thread. BLAS may not be called by several threads at a time, and is slow on processors
 * it does not know.
 *
 *     to[i][j] = sum_k left[i][k] right[k][j]            rows are contiguous
 *
 * The left matrix is packed first. Rows of the right matrix may lie anywhere. */
#ifndef HF_MATRIX_PRODUCT_H
#define HF_MATRIX_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

/** The number of columns is a multiple of HF_PRODUCT_STEP. Rows of packed matrices are in groups. */
enum { HF_PRODUCT_STEP = 8, HF_PRODUCT_GROUP = 12 };

/** `n` rounded up to whole steps: the length of rows. */
static inline size_t hf_padded(int n)
{
    return ((size_t)n + HF_PRODUCT_STEP - 1) / HF_PRODUCT_STEP * HF_PRODUCT_STEP;
}

/** Size of a packed matrix with n_row rows. */
static inline size_t hf_packed_size(int n_row, int n_inner)
{
    return ((size_t)n_row + HF_PRODUCT_GROUP - 1) / HF_PRODUCT_GROUP * HF_PRODUCT_GROUP *
           (size_t)n_inner;
}

/** Packs element [i][k] = from[i * row_step + k * inner_step]; packed is [n_row / group][n_inner][group]. */
void hf_pack(int n_row, int n_inner, const double *from, size_t row_step, size_t inner_step,
             double *packed);

/** The same for selected inner elements: [i][k] = from[i + inner[k] * inner_step]. */
void hf_pack_rows(int n_row, int n_inner, const int inner[], const double *from, size_t inner_step,
                  double *packed);

/** to[k * to_step + i] = from[i * from_step + k], i < n_row, k < n_column. */
void hf_transpose(size_t n_row, size_t n_column, const double *from, size_t from_step, double *to,
                  size_t to_step);

/** Operands of a product. */
struct hf_product {
    int n_row, n_inner;
    size_t n_column;            /**< a multiple of HF_PRODUCT_STEP */
    const double *left;         /**< packed */
    const double *const *right; /**< [n_inner] rows [n_column] */
    double *to;                 /**< row i is at to + i * to_step; overwritten, unless `add` */
    size_t to_step;
    bool add; /**< add the product to it */
};

typedef void hf_product_function(const struct hf_product *product);

/** The kernel for this processor. */
hf_product_function *hf_product_kernel(void);

extern hf_product_function hf_product_portable, hf_product_avx2, hf_product_avx512;

#endif
