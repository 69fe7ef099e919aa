/* Arithmetic of whole numbers. */
#ifndef HF_ARITHMETIC_H
#define HF_ARITHMETIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Greatest common divisor of two numbers >= 0, by Euclid's algorithm; that of a and 0 is a. */
static inline int64_t hf_greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#ifdef __cplusplus
}
#endif
#endif
