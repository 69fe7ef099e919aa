/* Arithmetic that several rooms need. */
#ifndef HF_ARITHMETIC_H
#define HF_ARITHMETIC_H

#include <stddef.h>
#include <stdint.h>

static const double HF_PI = 3.14159265358979323846;

/** Greatest common divisor of two numbers >= 0 (Euclid's algorithm); with b = 0 it is a. */
static inline int64_t hf_greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/** Binary search: `found` (int64_t) = the first i of begin .. end-1 for which `is_past` holds, an expression of `i` that
 *  is false up to some i and then true; `end` if it holds for none. */
#define HF_BISECT(found, begin, end, i, is_past)                                                   \
    do {                                                                                           \
        int64_t hf_bisect_end = (end);                                                             \
        (found) = (begin);                                                                         \
        while ((found) < hf_bisect_end) {                                                          \
            const int64_t i = (found) + (hf_bisect_end - (found)) / 2;                             \
            if (is_past)                                                                           \
                hf_bisect_end = i;                                                                 \
            else                                                                                   \
                (found) = i + 1;                                                                   \
        }                                                                                          \
    } while (0)

/** Zero in place of what would print as a negative zero: half of the last digit printed is `least`. */
static inline double hf_without_noise(double value, double least)
{
    return value > -least && value < least ? 0.0 : value;
}

/** The larger and the smaller of two numbers, each one instruction. fmax and fmin are function calls, because they
 *  must ignore NaN. */
static inline double hf_larger(double x, double y)
{
    return x > y ? x : y;
}
static inline double hf_smaller(double x, double y)
{
    return x < y ? x : y;
}

/** Sum of a[k] b[k], added from the first to the last. */
static inline double hf_dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/** Scalar product and cross product of two vectors. */
static inline double hf_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void hf_cross(const double a[3], const double b[3], double to[3])
{
    for (int x = 0; x < 3; x++)
        to[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

/** Square of the distance of two points. */
static inline double hf_distance_squared(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

#endif
