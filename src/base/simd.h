/* Which vector instructions the processor has, and the kernels for them. Inside hf only: inner loops (base/lanes.h) are
 * compiled once per instruction set, or with -Dkernels=native for that of the building machine alone. */
#ifndef HF_SIMD_H
#define HF_SIMD_H

/** What inner loops are compiled for. */
enum hf_instruction_set { HF_PORTABLE, HF_AVX2, HF_AVX512 };

/** The widest this processor has. Not collective. */
enum hf_instruction_set hf_instruction_set(void);

/** Of three kernels those that this build has, as elements of an array. */
#if defined HF_ALL_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) portable, avx2, avx512
#elif defined HF_AVX512_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) avx512
#elif defined HF_AVX2_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) avx2
#else
#define HF_KERNELS_BUILT(portable, avx2, avx512) portable
#endif

/** Elements of such an array that this processor runs; 0 on a machine older than the one that built for itself. Not
 *  collective. */
int hf_n_kernels(void);

/** The element of such an array that this processor runs best. */
#define HF_BEST_KERNELS(array) ((array)[hf_n_kernels() - 1])

#endif
