/* Which vector instructions the processor has. Inside hf only: inner loops (hf/lanes.h) are compiled
 * once per instruction set. */
#ifndef HF_SIMD_H
#define HF_SIMD_H

/** What inner loops are compiled for. */
enum hf_instruction_set { HF_PORTABLE, HF_AVX2, HF_AVX512 };

/** The widest this processor and this build have. Not collective. */
enum hf_instruction_set hf_instruction_set(void);

#endif
