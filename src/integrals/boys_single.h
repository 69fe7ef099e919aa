/* The Boys function for kernels of single precision, tabulated. */
#ifndef HF_BOYS_SINGLE_H
#define HF_BOYS_SINGLE_H

#include "hf/boys.h"

enum {
    HF_BOYS_SINGLE_TERMS = 4,     /**< coefficients per interval */
    HF_BOYS_SINGLE_PER_UNIT = 16, /**< intervals per unit of T; |T - grid point| <= 1/32 */
};

/** Tables, read-only after creation. For T below limit[m]: F_m(T) = sum_k series[m][g][k] (T - g/16)^k,
 *  g the nearest grid point, the polynomial that equals F_m at the Chebyshev nodes of the interval;
 *  from there on F_m(T) = (2m-1)!! sqrt(pi) / 2^(m+1) T^-(m+1/2). Relative errors below 2^-25. */
struct hf_boys_single {
    float limit[HF_BOYS_MAX_ORDER + 1];
    float *series[HF_BOYS_MAX_ORDER + 1]; /**< [grid points][HF_BOYS_SINGLE_TERMS], into storage */
    void *storage;
};

/** From the tables of double precision, for their orders; NULL: no memory. Not collective. */
struct hf_boys_single *hf_boys_single_create(const struct hf_boys *boys);
void hf_boys_single_destroy(struct hf_boys_single **single);

#endif
