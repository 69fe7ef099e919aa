/* The Boys function for kernels of single precision, tabulated. */
#ifndef HF_BOYS_SINGLE_H
#define HF_BOYS_SINGLE_H

#include "boys/boys.h"

enum {
    HF_BOYS_SINGLE_MAX_ORDER = 12, /**< (ff|ff) */
    HF_BOYS_SINGLE_INTERVALS = 32, /**< one number each fills two registers of 512 bits */
    HF_BOYS_SINGLE_MOST_TERMS = 8,
};

/** One order m. For T below the limit, with g the integer nearest to x = per_unit T,
 *
 *      F_m(T) = sum_k coefficient[k][g] (x - g)^k,   exp(-T) = exponential[g] sum_k series[k] (x - g)^k
 *
 *  of hf_boys_single_terms(m) terms, the polynomials that equal the functions at the Chebyshev nodes of
 *  their interval; from the limit on F_m(T) = (2m-1)!! sqrt(pi) / 2^(m+1) T^-(m+1/2). Relative errors below
 *  2^-25. */
struct hf_boys_single_order {
    _Alignas(64) float coefficient[HF_BOYS_SINGLE_MOST_TERMS][HF_BOYS_SINGLE_INTERVALS];
    float exponential[HF_BOYS_SINGLE_INTERVALS];
    float series[HF_BOYS_SINGLE_MOST_TERMS];
    float limit, per_unit;
};

/** Tables, read-only after creation. */
struct hf_boys_single {
    struct hf_boys_single_order of[HF_BOYS_SINGLE_MAX_ORDER + 1];
};

/** Number of terms, as few as the accuracy allows. */
static inline int hf_boys_single_terms(int order)
{
    return order < 1 ? 6 : order < 6 ? 7 : 8;
}

/** Made from the tables of double precision, for the same orders; NULL: no memory. Not collective. */
struct hf_boys_single *hf_boys_single_create(const struct hf_boys *boys);
void hf_boys_single_destroy(struct hf_boys_single **single);

#endif
