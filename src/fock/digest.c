/* The kernel of strips for the processor. */
#include "hf/digest.h"

#include "hf/simd.h"

hf_digest_strip_function *hf_digest_choose(bool exact)
{
    static hf_digest_strip_function *const any[] = {
        HF_KERNELS_BUILT(hf_digest_strip_portable, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    static hf_digest_strip_function *const of_exact[] = {HF_KERNELS_BUILT(
        hf_digest_strip_portable_exact, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    return exact ? HF_BEST_KERNELS(of_exact) : HF_BEST_KERNELS(any);
}
