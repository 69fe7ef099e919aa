/* Products of matrices against plain loops, with every kernel that this build has. */
#include "../test.h"

#include "base/simd.h"
#include "linalg/matrix_product.h"

#include <math.h>

/** Sizes around whole groups of rows and steps of columns. */
TEST(products_are_the_plain_sums)
{
    static hf_product_function *const kernels[] = {
        HF_KERNELS_BUILT(hf_product_portable, hf_product_avx2, hf_product_avx512)};
    enum { MOST_ROW = 26, N_INNER = 7, MOST_COLUMN = 40, GAP = 3 };
    double from[N_INNER][MOST_ROW], right[N_INNER][MOST_COLUMN];
    double packed[3 * HF_PRODUCT_GROUP * N_INNER], to[MOST_ROW + 1][MOST_COLUMN + GAP];
    const double *row[N_INNER];
    for (int k = 0; k < N_INNER; k++) {
        row[k] = right[N_INNER - 1 - k]; /* rows may stand anywhere */
        for (int i = 0; i < MOST_ROW; i++) from[k][i] = sin(1.0 + 3.0 * k + i);
        for (int j = 0; j < MOST_COLUMN; j++) right[k][j] = cos(2.0 + k - 0.7 * j);
    }
    for (int which = 0; which < hf_n_kernels(); which++)
        for (int n_row = 1; n_row <= MOST_ROW; n_row++)
            for (int n_column = HF_PRODUCT_STEP; n_column <= MOST_COLUMN;
                 n_column += HF_PRODUCT_STEP) {
                assert_true(hf_packed_size(n_row, N_INNER) * sizeof(double) <= sizeof packed);
                hf_pack(n_row, N_INNER, from[0], 1, MOST_ROW, packed);
                for (int i = 0; i <= MOST_ROW; i++)
                    for (int j = 0; j < MOST_COLUMN + GAP; j++) to[i][j] = 9.0;
                kernels[which](&(struct hf_product){.n_row = n_row,
                                                    .n_inner = N_INNER,
                                                    .n_column = (size_t)n_column,
                                                    .left = packed,
                                                    .right = row,
                                                    .to = to[0],
                                                    .to_step = MOST_COLUMN + GAP});
                for (int i = 0; i <= MOST_ROW; i++)
                    for (int j = 0; j < MOST_COLUMN + GAP; j++) {
                        double sum = i < n_row && j < n_column ? 0.0 : 9.0;
                        for (int k = 0; k < N_INNER && i < n_row && j < n_column; k++)
                            sum += from[k][i] * row[k][j];
                        assert_true(fabs(to[i][j] - sum) < 1e-14);
                    }
            }
}

TEST(chosen_elements_are_packed_like_all)
{
    enum { N_ROW = 17, N_INNER = 5 };
    const int all[N_INNER] = {0, 1, 2, 3, 4}, some[2] = {1, 4};
    double from[N_INNER][N_ROW];
    double packed[2 * HF_PRODUCT_GROUP * N_INNER], chosen[2 * HF_PRODUCT_GROUP * N_INNER];
    for (int k = 0; k < N_INNER; k++)
        for (int i = 0; i < N_ROW; i++) from[k][i] = 1.0 + i + 100.0 * k;
    hf_pack(N_ROW, N_INNER, from[0], 1, N_ROW, packed);
    hf_pack_rows(N_ROW, N_INNER, all, from[0], N_ROW, chosen);
    assert_memory_equal(packed, chosen, sizeof packed);
    hf_pack_rows(N_ROW, 2, some, from[0], N_ROW, chosen);
    for (int group = 0; group < 2; group++)
        for (int k = 0; k < 2; k++)
            assert_memory_equal(chosen + (group * 2 + k) * HF_PRODUCT_GROUP,
                                packed + (group * N_INNER + some[k]) * HF_PRODUCT_GROUP,
                                HF_PRODUCT_GROUP * sizeof *packed);
}

TEST(lengths_are_whole_steps)
{
    assert_int_equal(hf_padded(0), 0);
    assert_int_equal(hf_padded(1), HF_PRODUCT_STEP);
    assert_int_equal(hf_padded(HF_PRODUCT_STEP), HF_PRODUCT_STEP);
    assert_int_equal(hf_packed_size(HF_PRODUCT_GROUP + 1, 5), 2 * HF_PRODUCT_GROUP * 5);
}

TEST_MAIN
