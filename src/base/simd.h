/* Which vector instructions the processor has, and the kernels for them. Inside hf only. Inner loops (base/lanes.h)
 * are compiled once per instruction set, or with -Dkernels=native only for the building machine. */
#ifndef HF_SIMD_H
#define HF_SIMD_H

/** Instruction sets that inner loops are compiled for. */
enum hf_instruction_set { HF_PORTABLE, HF_AVX2, HF_AVX512 };

/** The widest instruction set of this processor. Not collective. */
enum hf_instruction_set hf_instruction_set(void);

/** Of three kernels, those that this build has, as elements of an array. */
#if defined HF_ALL_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) portable, avx2, avx512
#elif defined HF_AVX512_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) avx512
#elif defined HF_AVX2_KERNELS
#define HF_KERNELS_BUILT(portable, avx2, avx512) avx2
#else
#define HF_KERNELS_BUILT(portable, avx2, avx512) portable
#endif

/** Number of elements of such an array that this processor can run; 0 if it is older than the machine that a native
 *  build was made on. Not collective. */
int hf_n_kernels(void);

/** The element of such an array that is best for this processor. */
#define HF_BEST_KERNELS(array) ((array)[hf_n_kernels() - 1])

#endif
