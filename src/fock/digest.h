/* From a computed shell quartet to J and K. */
#ifndef HF_DIGEST_H
#define HF_DIGEST_H

#include "hf/units.h"

#include <stddef.h>

/** One density and the sums its quartets add to; full arrays [n][n]. The sums are not symmetric
 * yet: J = (coulomb + its transpose) / 4, K = (exchange + its transpose) / 8. NULL when not wanted.
 */
struct hf_digest_matrices {
    const double *density;
    double *coulomb, *exchange;
};

/** A computed quartet, an array [a][b][c][d]. */
struct hf_digest_quartet {
    const double *value;
    int first[4], n[4]; /**< first function and number of functions of a, b, c, d */
    double degeneracy;  /**< how many of the 8 permutations are different */
};

struct hf_digest_kernels {
    void (*digest)(const struct hf_digest_quartet *quartet, int n_function, int n_job,
                   const struct hf_digest_matrices job[]);
};

extern const struct hf_digest_kernels hf_digest_portable;
#ifdef HF_HAVE_X86_KERNELS
extern const struct hf_digest_kernels hf_digest_avx2;
extern const struct hf_digest_kernels hf_digest_avx512;
#endif

/** The widest kernels this processor can run. */
const struct hf_digest_kernels *hf_digest_kernels_best(void);

#endif
