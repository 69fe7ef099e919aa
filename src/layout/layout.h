/* Symmetric matrices in blocks over all ranks: which rank has which block, and where. Knows nothing of linear
 * algebra or of communication.
 *
 * The rows and columns 0 .. n-1 are cut into parts (the functions of an atom, say). Block (i,j), i >= j, is an array
 * [size of part i][size of part j]; blocks above the diagonal are not stored. Every rank finds every block in tables
 * that grow with the number of parts, not of blocks. Blocks are arranged around a circle,
 *
 *     row 0:  (0,0)  (0,3)* (0,2)*                  * stored as (3,0), (2,0): the higher part
 *     row 1:  (1,1)  (1,0)  (1,3)* ...                is always the row of the array
 *     row i:  (i,i)  (i,i-1)  (i,i-2)  ...          half the circle, indices modulo the parts
 *
 * so all rows have about equal lengths and each pair of parts occurs once. Rows are cut into segments, which are
 * dealt to the ranks by falling size. A rank goes through its own blocks (or those of some rows) in one step per
 * block:
 *
 *     struct hf_own_blocks own = hf_own_blocks_begin(layout);
 *     struct hf_own_block block;
 *     while (hf_own_blocks_next(&own, &block)) ... */
#ifndef HF_LAYOUT_H
#define HF_LAYOUT_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_block_layout;

/** Place of a block. */
struct hf_block_place {
    int rank;
    size_t offset; /**< first element in that rank's part of an array of this layout */
};

/** A block of this rank. */
struct hf_own_block {
    int i, j;      /**< its parts, i >= j */
    size_t offset; /**< first element in this rank's part of an array of this layout */
    size_t size;   /**< elements; may be 0 */
};

/** Number of the block of parts i >= j in a list of all blocks. */
static inline size_t hf_pair_index(int i, int j)
{
    return (size_t)i * ((size_t)i + 1) / 2 + (size_t)j;
}

/** State of an iteration over own blocks; members are private to the layout. */
struct hf_own_blocks {
    const struct hf_block_layout *layout; /**< borrowed */
    int end, segment, step;
    size_t done;
};

/** Layout of parts with the functions first[i] .. first[i+1]-1; first[0] is 0; parts may be empty. The first
 *  `n_owner` ranks of the context (borrowed) own the blocks. `first` is copied; NULL means that this rank had no
 *  memory for it. Collective; the same arguments on every rank. HF_NO_RESOURCE: memory. */
hf_status hf_block_layout_create(struct hf_context *context, int n_owner, int n_part,
                                 const int first[], struct hf_block_layout **layout,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Layout of matrices over the basis in atom blocks: a part is the functions of one atom. The
 *  context is borrowed. Collective; the same basis on every rank. HF_NO_RESOURCE: memory. */
hf_status hf_atom_layout_create(struct hf_context *context, const struct hf_basis *basis,
                                struct hf_block_layout **layout,
                                struct hf_error *error) HF_MUST_CHECK;

/** Transforms this rank's blocks [hf_block_layout_local_size] of such a layout of a merged basis from published to
 *  merged functions, or with `sums` from merged to published functions (hf_mix_block). Not collective. */
void hf_mix_own_blocks(const struct hf_basis *merged, bool sums,
                       const struct hf_block_layout *layout, double blocks[]);

/** hf_atom_layout_create for blocks whose contributions are summed over the ranks: in a reproducible run
 *  (hf_context.reproducible) rank 0 owns all blocks and adds in one order. */
hf_status hf_atom_layout_create_for_sums(struct hf_context *context, const struct hf_basis *basis,
                                         struct hf_block_layout **layout,
                                         struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_block_layout_destroy(struct hf_block_layout **layout);

int hf_block_layout_n_part(const struct hf_block_layout *layout);
/** [n_part + 1] first function of each part; the last element is the order of the matrix. */
const int *hf_block_layout_first(const struct hf_block_layout *layout);

/** Number of elements of block (i,j). */
size_t hf_block_layout_block_size(const struct hf_block_layout *layout, int i, int j);

/** Number of elements of an array of this layout on this rank; at most twice the average plus one segment. */
size_t hf_block_layout_local_size(const struct hf_block_layout *layout);

/** Number of elements of an array of this layout on all ranks together. */
size_t hf_block_layout_whole_size(const struct hf_block_layout *layout);

/** Rank and offset of block (i,j), i >= j. Not collective, no communication. */
struct hf_block_place hf_block_layout_find(const struct hf_block_layout *layout, int i, int j);

/** Number of blocks in a row of the circle: blocks of part `row` with the parts row, row - 1, ... (modulo the number
 *  of parts). Not collective. */
int hf_block_layout_row_length(const struct hf_block_layout *layout, int row);

/** Number of elements in these blocks. Not collective. */
size_t hf_block_layout_row_size(const struct hf_block_layout *layout, int row);

/** Begins an iteration over the blocks of this rank, or over those in rows begin .. end-1 of the circle: row after
 *  row, and along each row around the circle. Nothing has to be freed. Not collective. */
struct hf_own_blocks hf_own_blocks_begin(const struct hf_block_layout *layout);
struct hf_own_blocks hf_own_blocks_begin_rows(const struct hf_block_layout *layout, int begin,
                                              int end);

/** The next own block; false: there are no more. Not collective. Time: one step per own block and own segment,
 *  independent of the blocks of other ranks. */
bool hf_own_blocks_next(struct hf_own_blocks *own, struct hf_own_block *block);

#endif
