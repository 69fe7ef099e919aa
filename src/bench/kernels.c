/* The list of what hf-bench can measure. */
#include "bench.h"

#include <stddef.h>

const struct hf_bench_kernel *const hf_bench_kernel_list[] = {
    &hf_bench_pingpong,  &hf_bench_counter, &hf_bench_accumulate,
    &hf_bench_integrals, &hf_bench_fock,    NULL};
