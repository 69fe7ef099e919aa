/* Exchange of symmetric matrices with arrays in blocks. */
#ifndef HF_MATRIX_BLOCKS_H
#define HF_MATRIX_BLOCKS_H

#include "hf/linalg.h"
#include "hf/status.h"
#include "layout/layout.h"

/** From / to a symmetric matrix in blocks: `blocks` is this rank's part of an array of `layout`
 *  (hf_block_layout_local_size elements, the caller's). Elements go straight to the ranks that want
 *  them; no rank holds more than its share and bounded buffers. get reads the lower blocks. set begins with an
 *  agreement that `status` is part of: this rank's, of making its blocks.
 *  Errors   HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_matrix_set_blocks(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               const double blocks[], hf_status status,
                               struct hf_error *error) HF_MUST_CHECK;
hf_status hf_matrix_get_blocks(const struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               double blocks[], struct hf_error *error) HF_MUST_CHECK;

/** Where block (i,j), i >= j, of a symmetric matrix stands. */
typedef const double *hf_find_block_function(void *data, int i, int j);

/** To a symmetric matrix in blocks that this rank can reach all of: those elements that it has. Together the
 *  ranks set all of the matrix. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_matrix_set_reachable(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                                  hf_find_block_function *find, void *data,
                                  struct hf_error *error) HF_MUST_CHECK;

#endif
