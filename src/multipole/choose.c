/* Which translations this processor runs. */
#include "hf/simd.h"
#include "hf/translation.h"

const struct hf_translation_kernels *hf_translation_choose(void)
{
#ifdef HF_HAVE_X86_KERNELS
    switch (hf_instruction_set()) {
    case HF_AVX512: return &hf_translation_avx512;
    case HF_AVX2: return &hf_translation_avx2;
    case HF_PORTABLE: break;
    }
#endif
    return &hf_translation_portable;
}
