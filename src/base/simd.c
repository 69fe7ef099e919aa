/* Instruction sets of the processor; see simd.h. */
#include "base/simd.h"

static const enum hf_instruction_set built[] = {HF_KERNELS_BUILT(HF_PORTABLE, HF_AVX2, HF_AVX512)};
enum { N_BUILT = sizeof built / sizeof *built };

enum hf_instruction_set hf_instruction_set(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return HF_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return HF_AVX2;
#endif
    return HF_PORTABLE;
}

int hf_n_kernels(void)
{
    const enum hf_instruction_set best = hf_instruction_set();
    int n = 0;
    while (n < N_BUILT && built[n] <= best) n++;
    return n;
}
