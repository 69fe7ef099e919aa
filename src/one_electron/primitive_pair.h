/* The product of two primitives as Hermite Gaussians. */
#ifndef HF_PRIMITIVE_PAIR_H
#define HF_PRIMITIVE_PAIR_H

#include "hf/hermite.h"
#include "hf/solid_harmonics.h"

/** One pair of primitives. */
struct hf_primitive_pair {
    double alpha, beta, p; /**< exponents and their sum, 1/bohr^2 */
    double factor;         /**< c_a c_b exp(-alpha beta/p |A-B|^2) */
    double volume;         /**< (pi/p)^(3/2) */
    double centre[3];
    struct hf_hermite_expansion expansion[3]; /**< x, y, z, the first for E_0^00 = 1 */
};

/** Primitive i of shell a with primitive j of b: all but the expansions. Not collective. */
void hf_primitive_pair_place(const struct hf_shell *a, const struct hf_shell *b, int i, int j,
                             struct hf_primitive_pair *pair);

/** Its expansions up to the angular momenta of a and of b, the latter raised. Not collective. */
void hf_primitive_pair_expand(const struct hf_shell *a, const struct hf_shell *b, int raise,
                              struct hf_primitive_pair *pair);

#endif
