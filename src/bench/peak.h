/* Peak rates of the processor: arithmetic in registers, and reading memory. */
#ifndef HF_PEAK_H
#define HF_PEAK_H

#include "hf/context.h"

#include <stddef.h>

/** Measured on all ranks at the same time; means over the ranks, of one core each. */
struct hf_peak {
    const char *instruction_set;
    double double_flops, single_flops; /**< additions and multiplications in a second */
    double read_bytes;                 /**< in a second, from memory */
};

/** Computes independent chains of n multiplications with additions each; the result has no use. `start` must
 *  not be known at compile time. */
typedef double hf_peak_function(long n, double start, long *n_flop);

/** The sum of n numbers, a multiple of 64, aligned to 64 bytes. */
typedef double hf_peak_read_function(size_t n, const double x[]);

#define HF_PEAK_DECLARE(name)                                                                      \
    hf_peak_function hf_peak_double_##name, hf_peak_single_##name;                                 \
    hf_peak_read_function hf_peak_read_##name;
HF_PEAK_DECLARE(portable)
HF_PEAK_DECLARE(avx2)
HF_PEAK_DECLARE(avx512)

/** Best of some tries. `buffer` for reading has n_bytes, more than all caches hold. Collective; cannot fail. */
void hf_peak_measure(struct hf_context *context, bool quick, size_t n_bytes, const double buffer[],
                     struct hf_peak *peak);

#endif
