/* Arithmetic that several rooms need. */
#ifndef HF_ARITHMETIC_H
#define HF_ARITHMETIC_H

#include <stdint.h>

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

/** Square of the distance of two points. */
static inline double hf_distance_squared(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

#endif
