/* Symmetric matrices in blocks over all ranks: which rank has which block, and where.
 *
 * The rows and columns 0 .. n-1 are cut into parts (the functions of an atom, say). Block (i,j),
 * i >= j, is an array [size of part i][size of part j]; blocks above the diagonal are not stored.
 * Every rank can tell the place of every block from tables that grow with the number of parts, not
 * with that of the blocks: blocks go round a circle,
 *
 *     row 0:  (0,0)  (0,3)* (0,2)*                  * stored as (3,0), (2,0): the higher part
 *     row 1:  (1,1)  (1,0)  (1,3)* ...                is always the row of the array
 *     row i:  (i,i)  (i,i-1)  (i,i-2)  ...          half the circle, indices modulo the parts
 *
 * so that all rows are of about equal length and each unordered pair occurs once. A row is cut into
 * segments, and the segments are dealt to the ranks by falling size. */
#ifndef HF_BLOCK_LAYOUT_H
#define HF_BLOCK_LAYOUT_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_block_layout;

/** Where a block is. */
struct hf_block_place {
    int rank;
    size_t offset; /**< first element in that rank's part of an array of this layout */
};

/** Layout over the ranks of the context (borrowed) of parts with the functions first[i] ..
 *  first[i+1]-1; first[0] is 0; parts may be empty. `first` is copied.
 *  Collective; the same arguments on every rank. HF_NO_RESOURCE: memory. */
hf_status hf_block_layout_create(struct hf_context *context, int n_part, const int first[],
                                 struct hf_block_layout **layout,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_block_layout_destroy(struct hf_block_layout **layout);

int hf_block_layout_n_part(const struct hf_block_layout *layout);
/** [n_part + 1] first function of each part, and the order of the matrix at the end. */
const int *hf_block_layout_first(const struct hf_block_layout *layout);

/** Elements of block (i,j). */
size_t hf_block_layout_block_size(const struct hf_block_layout *layout, int i, int j);

/** Elements this rank holds of an array of this layout; at most twice the even share plus a segment
 *  of a row. */
size_t hf_block_layout_local_size(const struct hf_block_layout *layout);

/** Rank and offset of block (i,j), i >= j. Not collective, no communication. */
struct hf_block_place hf_block_layout_find(const struct hf_block_layout *layout, int i, int j);

#ifdef __cplusplus
}
#endif
#endif
