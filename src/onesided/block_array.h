/* Symmetric matrices in blocks over all ranks. Any rank reads blocks and adds to them while the owners compute.
 * A layout says where a block is, a window reaches it. The rules of onesided/onesided.h hold: fill the own
 * part, fence; get or accumulate; fence. */
#ifndef HF_BLOCK_ARRAY_H
#define HF_BLOCK_ARRAY_H

#include "hf/status.h"
#include "layout/layout.h"
#include "onesided/onesided.h"

struct hf_block_array;

/** Array of zeros. `onesided` and `layout` are borrowed and must outlive it; `label` is a string
 *  constant for the memory account. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_block_array_create(struct hf_onesided *onesided, const struct hf_block_layout *layout,
                                const char *label, struct hf_block_array **array,
                                struct hf_error *error) HF_MUST_CHECK;

/** As hf_window_destroy. Collective; accepts a pointer to NULL; leaves NULL. */
void hf_block_array_destroy(struct hf_block_array **array);

/** This rank's part, hf_block_layout_local_size elements; as hf_window_local. Not collective. */
double *hf_block_array_local(struct hf_block_array *array);

/** Copies block (i,j), i >= j, to `to`; as hf_window_get. Not collective. */
void hf_block_array_get(struct hf_block_array *array, int i, int j, double *to);

/** The same in two halves; as hf_window_begin_get and hf_window_end_get. Not collective. */
void hf_block_array_begin_get(struct hf_block_array *array, int i, int j, double *to,
                              struct hf_window_request *request);
void hf_block_array_end_get(struct hf_block_array *array, struct hf_window_request *request);

/** Block (i,j) += from, i >= j; as hf_window_accumulate. Not collective. */
void hf_block_array_accumulate(struct hf_block_array *array, int i, int j, const double *from);

/** As hf_window_fence and hf_window_clear. Collective. */
void hf_block_array_fence(struct hf_block_array *array);
void hf_block_array_clear(struct hf_block_array *array);

#endif
