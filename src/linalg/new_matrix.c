/* New matrices from others. */
#include "linalg/new_matrix.h"

#include "linalg_private.h"

void hf_destroy_matrices(size_t n, struct hf_matrix **const matrix[])
{
    for (size_t i = 0; i < n; i++) hf_matrix_destroy(matrix[i]);
}

struct hf_linalg *hf_matrix_grid(const struct hf_matrix *matrix)
{
    return matrix->linalg;
}

hf_status hf_matrix_create_like(const char *label, const struct hf_matrix *model,
                                struct hf_matrix **made, struct hf_error *error)
{
    return hf_matrix_create(model->linalg, label, model->n_row, model->n_col, made, error);
}

hf_status hf_matrix_create_copy(const char *label, const struct hf_matrix *from,
                                struct hf_matrix **copy, struct hf_error *error)
{
    HF_CHECK(hf_matrix_create_like(label, from, copy, error));
    hf_matrix_copy(from, *copy);
    return HF_OK;
}

hf_status hf_matrix_create_columns(const char *label, const struct hf_matrix *from, int first,
                                   int n, const double *factor, struct hf_matrix **columns,
                                   struct hf_error *error)
{
    HF_CHECK(hf_matrix_create(from->linalg, label, from->n_row, n, columns, error));
    hf_matrix_copy_columns(from, first, n, factor, *columns, 0);
    return HF_OK;
}

hf_status hf_matrix_create_product(const char *label, bool transpose_a, const struct hf_matrix *a,
                                   bool transpose_b, const struct hf_matrix *b,
                                   struct hf_matrix **product, struct hf_error *error)
{
    HF_CHECK(hf_matrix_create(a->linalg, label, transpose_a ? a->n_col : a->n_row,
                              transpose_b ? b->n_row : b->n_col, product, error));
    hf_matrix_multiply(1.0, transpose_a, a, transpose_b, b, 0.0, *product);
    return HF_OK;
}
