/* Translations of expansions in solid harmonics, several side by side. translation.c is compiled once
 * per instruction set. */
#ifndef HF_TRANSLATION_H
#define HF_TRANSLATION_H

#include "multipole/multipole.h"

/** Numbers that the functions below need beside their arguments. */
enum {
    HF_TRANSLATION_FULL = (2 * HF_MAX_EXPANSION + 1) * (2 * HF_MAX_EXPANSION + 1),
    HF_TRANSLATION_SCRATCH = 2 * HF_TRANSLATION_FULL + 2 * HF_MAX_EXPANSION_SIZE,
    HF_TRANSLATION_MOST_LANES = 8, /**< no kernels have a larger width */
};

/** In all of them `width` expansions stand side by side, [place][width] (hf_multipole_size places),
 *  shifts are [3][width] in bohr, results are added to `to`, and `scratch` has HF_TRANSLATION_SCRATCH
 *  times `width` numbers. Everything is aligned to 64 bytes. */
struct hf_translation_kernels {
    int width;

    /** Moments about a place from those about another that lies `shift` away from it (old - new):
     *  M_lm += sum_jk R_(l-j)(m-k)(shift) M_jk, j <= from_order, l <= to_order. */
    void (*moments)(int from_order, int to_order, const double shift[], const double from[],
                    double to[], double scratch[]);

    /** Local expansions about places that lie `shift` away from moments (local - moments):
     *  L_lm += (-1)^l sum_jk M_jk^* I_(l+j)(m+k)(shift), j <= from_order, l <= to_order[j], where
     *  to_order falls with j. */
    void (*to_local)(int from_order, const int to_order[], const double shift[],
                     const double from[], double to[], double scratch[]);

    /** The same from point charges, [width]: L_lm += (-1)^l charge I_lm(shift), l <= order. */
    void (*points)(int order, const double shift[], const double charge[], double to[]);

    /** Local expansions about places that lie `shift` away (new - old):
     *  L_jk += sum_lm R_(l-j)(m-k)^*(shift) L_lm, l <= from_order, j <= to_order. */
    void (*local)(int from_order, int to_order, const double shift[], const double from[],
                  double to[], double scratch[]);
};

extern const struct hf_translation_kernels hf_translation_portable;
extern const struct hf_translation_kernels hf_translation_avx2;
extern const struct hf_translation_kernels hf_translation_avx512;

/** Those for the widest instructions that this processor has. */
const struct hf_translation_kernels *hf_translation_choose(void);

/** Moments on their way to one local expansion: sources wait until they fill the lanes. */
struct hf_conversion {
    const struct hf_translation_kernels *kernels;
    double *from, *to, *scratch; /**< as kernels want them; `to` is zeroed by the caller */
    int highest;                 /**< order of `to` that was added to; -1 at first */
    int n, order;                /**< sources that wait, and their highest order */
    int to_order[HF_MAX_EXPANSION + 1];
    const double *moments[HF_TRANSLATION_MOST_LANES];
    double shift[HF_TRANSLATION_MOST_LANES][3];
};

/** Adds a source that is well separated from the local expansion, `shift` (local - source) away, as far as orders
 *  up to `highest` and the tolerance require. Its moments are read later. */
void hf_conversion_add(struct hf_conversion *conversion, const struct hf_expanded *local,
                       const struct hf_expanded *source, const double shift[3], int highest,
                       double tolerance, const double moments[]);

/** Converts all that wait. */
void hf_conversion_flush(struct hf_conversion *conversion);

/** sum[k], k < n, of the lanes of from [n][width]. */
void hf_sum_lanes(int n, int width, const double from[], double sum[]);

#endif
