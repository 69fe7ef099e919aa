/* Which translations this processor runs. */
#include "base/simd.h"
#include "multipole/translation.h"

const struct hf_translation_kernels *hf_translation_choose(void)
{
    static const struct hf_translation_kernels *const kernels[] = {
        HF_KERNELS_BUILT(&hf_translation_portable, &hf_translation_avx2, &hf_translation_avx512)};
    return HF_BEST_KERNELS(kernels);
}
