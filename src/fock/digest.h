/* From a computed shell quartet to J and K. */
#ifndef HF_DIGEST_H
#define HF_DIGEST_H

#include "hf/units.h"

#include <stddef.h>

/** Most functions of a shell: a merged one of Cartesian functions. */
enum { HF_MAX_SHELL_FUNCTION = HF_MAX_SHELL_PART * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

/** The blocks that a quartet (ab|cd) meets in one density and its sums, each from the first
 * function of its shells on; rows are those of the first letter. The sums are not symmetric yet:
 * what a quartet adds goes to the block named, never to its mirror image. J sums are NULL when not
 *  wanted, likewise K sums. */
struct hf_digest_blocks {
    const double *D_ab, *D_cd, *D_ac, *D_ad, *D_bc, *D_bd;
    double *J_ab, *J_cd;
    double *K_ac, *K_ad, *K_bc, *K_bd;
};

/** A computed quartet, an array [a][b][c][d]. */
struct hf_digest_quartet {
    const double *value;
    int n[4]; /**< functions of a, b, c, d */
    /** From one row to the next in blocks whose columns are b, c, d ([0] is not used): in
     *  densities, in sums. */
    size_t density_leading[4], leading[4];
    double degeneracy; /**< how many of the 8 permutations are different */
};

struct hf_digest_kernels {
    /** Adds the quartet to the blocks of one density. */
    void (*digest)(const struct hf_digest_quartet *quartet, const struct hf_digest_blocks *blocks);
};

extern const struct hf_digest_kernels hf_digest_portable;
#ifdef HF_HAVE_X86_KERNELS
extern const struct hf_digest_kernels hf_digest_avx2;
extern const struct hf_digest_kernels hf_digest_avx512;
#endif

/** The widest kernels this processor can run. */
const struct hf_digest_kernels *hf_digest_kernels_best(void);

#endif
