/* Matrices that go to a file or come from one: rows pass through rank 0, a few at a time. */
#ifndef HF_MATRIX_ROWS_H
#define HF_MATRIX_ROWS_H

#include "hf/linalg.h"
#include "hf/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Takes rows first .. first+n-1, rows [n][columns] row by row, or fills them. Called on rank 0
 *  alone. */
typedef hf_status (*hf_matrix_rows_function)(void *data, int first, int n, double rows[],
                                             struct hf_error *error);

/** Hands the rows to `take`, in order. A spread matrix goes in strips of no more than a rank's share
 *  of it and half a megabyte, but of one row at least. Collective; after a failure of `take`, which
 *  every rank then returns, it is not called again. HF_NO_RESOURCE: memory. */
hf_status hf_matrix_send_rows(const struct hf_matrix *matrix, hf_matrix_rows_function take,
                              void *data, struct hf_error *error) HF_MUST_CHECK;

/** Fills the matrix with the rows that `give` fills, in order; else like hf_matrix_send_rows. */
hf_status hf_matrix_receive_rows(struct hf_matrix *matrix, hf_matrix_rows_function give, void *data,
                                 struct hf_error *error) HF_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
