/* Vectors of numbers that are computed side by side. For files that are compiled once per instruction set
 * (base/simd.h), width (HF_WIDTH) and precision (HF_SINGLE), and inside hf only. */
#ifndef HF_LANES_H
#define HF_LANES_H

#include "hf/units.h"

#include <stdint.h>

/** Numbers in a vector: HF_LANES, unless a file is compiled for 4, 8 or 16. */
#ifndef HF_WIDTH
#define HF_WIDTH HF_LANES
#endif

/** A number of the precision a file is compiled for, and an integer of its size. Beside vectors, a constant in double
 *  precision must be exact in `real`; otherwise write (real)0.1. */
#ifdef HF_SINGLE
typedef float real;
typedef int32_t real_mask;
#else
typedef double real;
typedef int64_t real_mask;
#endif

typedef real lanes __attribute__((vector_size(HF_WIDTH * sizeof(real))));
typedef real_mask lane_masks __attribute__((vector_size(HF_WIDTH * sizeof(real_mask))));
typedef real unaligned_lanes
    __attribute__((vector_size(HF_WIDTH * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef float unaligned_singles
    __attribute__((vector_size(HF_WIDTH * sizeof(float)), aligned(4), may_alias));

/** x in every lane. */
static inline lanes broadcast(real x)
{
#if HF_WIDTH == 16
    return (lanes){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif HF_WIDTH == 8
    return (lanes){x, x, x, x, x, x, x, x};
#else
    _Static_assert(HF_WIDTH == 4, "vectors have 4, 8 or 16 lanes");
    return (lanes){x, x, x, x};
#endif
}

#endif
