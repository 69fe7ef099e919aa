/* What the processor can do; see simd.h. */
#include "hf/simd.h"

enum hf_instruction_set hf_instruction_set(void)
{
#ifdef HF_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return HF_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return HF_AVX2;
#endif
    return HF_PORTABLE;
}
