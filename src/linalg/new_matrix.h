/* New matrices in one call: several at once, or from other matrices. Functions with several operands use the grid of the
 * first one. All are collective and fail with HF_NO_RESOURCE only; no new matrix exists then. */
#ifndef HF_NEW_MATRIX_H
#define HF_NEW_MATRIX_H

#include "hf/linalg.h"

/** Creates several matrices: HF_CREATE_MATRICES(linalg, "label", error, {&a, n_row, n_col}, {&b, n_row, n_col}). */
#define HF_CREATE_MATRICES(linalg, label, error, ...)                                              \
    hf_matrix_create_several(                                                                      \
        linalg, label,                                                                             \
        (int)(sizeof((struct hf_new_matrix[]){__VA_ARGS__}) / sizeof(struct hf_new_matrix)),       \
        (struct hf_new_matrix[]){__VA_ARGS__}, error)

/** Destroys several matrices: HF_DESTROY_MATRICES(&a, &b). Accepts NULLs. Not collective. */
#define HF_DESTROY_MATRICES(...)                                                                   \
    hf_destroy_matrices(sizeof((struct hf_matrix **[]){__VA_ARGS__}) /                             \
                            sizeof(struct hf_matrix **),                                           \
                        (struct hf_matrix * *[]){__VA_ARGS__})
void hf_destroy_matrices(size_t n, struct hf_matrix **const matrix[]);

/** The grid that a matrix lies on. Not collective. */
struct hf_linalg *hf_matrix_grid(const struct hf_matrix *matrix);

/** *made = zeros in the shape of `model`. */
hf_status hf_matrix_create_like(const char *label, const struct hf_matrix *model,
                                struct hf_matrix **made, struct hf_error *error) HF_MUST_CHECK;

/** *copy = from. */
hf_status hf_matrix_create_copy(const char *label, const struct hf_matrix *from,
                                struct hf_matrix **copy, struct hf_error *error) HF_MUST_CHECK;

/** *columns = from[:, first : first+n], each column j multiplied by factor[j] (NULL: 1). */
hf_status hf_matrix_create_columns(const char *label, const struct hf_matrix *from, int first,
                                   int n, const double *factor, struct hf_matrix **columns,
                                   struct hf_error *error) HF_MUST_CHECK;

/** *product = op(a) op(b), op = transpose if its flag is set. */
hf_status hf_matrix_create_product(const char *label, bool transpose_a, const struct hf_matrix *a,
                                   bool transpose_b, const struct hf_matrix *b,
                                   struct hf_matrix **product,
                                   struct hf_error *error) HF_MUST_CHECK;

#endif
