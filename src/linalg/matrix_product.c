/* Chooses a kernel, and packs left matrices. */
#include "linalg/matrix_product.h"

#include "base/simd.h"

hf_product_function *hf_product_kernel(void)
{
    static hf_product_function *const kernels[] = {
        HF_KERNELS_BUILT(hf_product_portable, hf_product_avx2, hf_product_avx512)};
    return HF_BEST_KERNELS(kernels);
}

void hf_pack(int n_row, int n_inner, const double *from, size_t row_step, size_t inner_step,
             double *packed)
{
    for (int first = 0; first < n_row; first += HF_PRODUCT_GROUP) {
        const int left = n_row - first, n = left < HF_PRODUCT_GROUP ? left : HF_PRODUCT_GROUP;
        const double *row = from + (size_t)first * row_step;
        for (int k = 0; k < n_inner; k++, packed += HF_PRODUCT_GROUP, row += inner_step) {
            for (int i = 0; i < n; i++) packed[i] = row[(size_t)i * row_step];
            for (int i = n; i < HF_PRODUCT_GROUP; i++) packed[i] = 0.0;
        }
    }
}

void hf_pack_rows(int n_row, int n_inner, const int inner[], const double *from, size_t inner_step,
                  double *packed)
{
    for (int first = 0; first < n_row; first += HF_PRODUCT_GROUP) {
        const int left = n_row - first, n = left < HF_PRODUCT_GROUP ? left : HF_PRODUCT_GROUP;
        for (int k = 0; k < n_inner; k++, packed += HF_PRODUCT_GROUP) {
            const double *row = from + (size_t)inner[k] * inner_step + first;
            for (int i = 0; i < n; i++) packed[i] = row[i];
            for (int i = n; i < HF_PRODUCT_GROUP; i++) packed[i] = 0.0;
        }
    }
}

void hf_transpose(size_t n_row, size_t n_column, const double *from, size_t from_step, double *to,
                  size_t to_step)
{
    enum { TILE = 8 };
    for (size_t first = 0; first < n_row; first += TILE)
        for (size_t k = 0; k < n_column; k++)
            for (size_t i = first; i < first + TILE && i < n_row; i++)
                to[k * to_step + i] = from[i * from_step + k];
}
