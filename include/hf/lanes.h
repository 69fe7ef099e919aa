/* Vectors of doubles that work side by side. For files that are compiled once per instruction set
 * (hf/simd.h), and inside hf only. */
#ifndef HF_LANES_H
#define HF_LANES_H

#include "hf/units.h"

#include <stdint.h>

/** Doubles of a vector; HF_LANES, unless a file is compiled for fewer. */
#ifndef HF_WIDTH
#define HF_WIDTH HF_LANES
#endif

typedef double lanes __attribute__((vector_size(HF_WIDTH * sizeof(double))));
typedef int64_t lane_masks __attribute__((vector_size(HF_WIDTH * sizeof(int64_t))));
typedef double unaligned_lanes
    __attribute__((vector_size(HF_WIDTH * sizeof(double)), aligned(8), may_alias));
typedef float unaligned_singles
    __attribute__((vector_size(HF_WIDTH * sizeof(float)), aligned(4), may_alias));

/** x in every lane. */
static inline lanes broadcast(double x)
{
#if HF_WIDTH == 8
    return (lanes){x, x, x, x, x, x, x, x};
#else
    _Static_assert(HF_WIDTH == 4, "vectors have 4 or 8 lanes");
    return (lanes){x, x, x, x};
#endif
}

#endif
