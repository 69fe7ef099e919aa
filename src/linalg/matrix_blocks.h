/* Copies symmetric and antisymmetric matrices to and from arrays in blocks. */
#ifndef HF_MATRIX_BLOCKS_H
#define HF_MATRIX_BLOCKS_H

#include "hf/linalg.h"
#include "hf/status.h"
#include "layout/layout.h"

/** Set a matrix from blocks, or get its lower blocks. `mirror` is 1 if it is symmetric, -1 if antisymmetric. `blocks` is
 *  this rank's part of an array of `layout` (hf_block_layout_local_size elements, owned by the caller). Elements are sent
 *  directly to the ranks that need them; no rank holds more than its share and bounded buffers. set begins with an
 *  agreement on `status`, the status of this rank's work on its blocks. Collective.
 *  Errors   HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_matrix_set_blocks(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               const double blocks[], double mirror, hf_status status,
                               struct hf_error *error) HF_MUST_CHECK;
hf_status hf_matrix_get_blocks(const struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               double blocks[], struct hf_error *error) HF_MUST_CHECK;

/** Returns block (i,j), i >= j, of a matrix. */
typedef const double *hf_find_block_function(void *data, int i, int j);

/** Sets this rank's elements of a matrix from its lower blocks and `mirror`, as above; the rank must have access to all
 *  blocks. Together the ranks set the whole matrix. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_matrix_set_reachable(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                                  hf_find_block_function *find, void *data, double mirror,
                                  struct hf_error *error) HF_MUST_CHECK;

#endif
