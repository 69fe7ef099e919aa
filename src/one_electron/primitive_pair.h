/* The product of two primitives as Hermite Gaussians. */
#ifndef HF_PRIMITIVE_PAIR_H
#define HF_PRIMITIVE_PAIR_H

#include "integrals/solid_harmonics.h"
#include "one_electron/hermite.h"

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

/** -1/2 <x_A^i| d^2/dx^2 |x_B^j> and <x_A^i| x |x_B^j> in dimension d, without `factor` and in units of the overlap's
 *  sqrt(pi/p). The kinetic energy needs b raised twice. Not collective. */
double hf_kinetic_line(const struct hf_primitive_pair *pair, int d, int i, int j);
double hf_dipole_line(const struct hf_primitive_pair *pair, int d, int i, int j);

/** Makes a Cartesian block [a][b] spherical where the shells are; `scratch` is as large. Not collective. */
void hf_block_to_spherical(const struct hf_solid_harmonics harmonics[], const struct hf_shell *a,
                           const struct hf_shell *b, double block[], double scratch[]);

/** to[hf_hermite_index(t,u,v)] += weight x_t y_u z_v for t <= n_x, u <= n_y, v <= n_z. Not collective. */
static inline void hf_add_hermite_product(double weight, int n_x, const double x[], int n_y,
                                          const double y[], int n_z, const double z[], double to[])
{
    for (int t = 0; t <= n_x; t++)
        for (int u = 0; u <= n_y; u++) {
            const double xy = weight * x[t] * y[u];
            for (int v = 0; v <= n_z; v++) to[hf_hermite_index(t, u, v)] += xy * z[v];
        }
}

#endif
