/* The kernel of strips for the processor. */
#include "hf/digest.h"

#include "hf/simd.h"

hf_digest_strip_function *hf_digest_choose(bool exact)
{
    switch (hf_instruction_set()) {
#ifdef HF_HAVE_X86_KERNELS
    case HF_AVX512: return exact ? hf_digest_strip_avx512_exact : hf_digest_strip_avx512;
    case HF_AVX2: return exact ? hf_digest_strip_avx2_exact : hf_digest_strip_avx2;
#endif
    default: return exact ? hf_digest_strip_portable_exact : hf_digest_strip_portable;
    }
}
