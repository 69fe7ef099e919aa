/* Symmetric matrices in blocks over all ranks: a window whose parts are those of a block layout. Any rank gets blocks
 * and accumulates to them while the owners compute; see onesided/onesided.h. The size of a rank's part is
 * hf_block_layout_local_size. */
#ifndef HF_BLOCK_RANGE_H
#define HF_BLOCK_RANGE_H

#include "layout/layout.h"
#include "onesided/onesided.h"

/** Block (i,j), i >= j, as a range of the window. */
static inline struct hf_window_range hf_block_range(const struct hf_block_layout *layout, int i,
                                                    int j)
{
    const struct hf_block_place place = hf_block_layout_find(layout, i, j);
    return (struct hf_window_range){
        .rank = place.rank, .offset = place.offset, .n = hf_block_layout_block_size(layout, i, j)};
}

#endif
