/* Between functions and Hermite Gaussians: densities one way, potentials to the Coulomb matrix or derivatives the other. */
#ifndef HF_HERMITE_DENSITIES_H
#define HF_HERMITE_DENSITIES_H

#include "coulomb/products.h"

#include "integrals/solid_harmonics.h"
#include "one_electron/hermite.h"

/** Tables and scratch of one thread. */
struct hf_hermite {
    const struct hf_products *products; /**< borrowed */
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    /** hf_hermite_index */
    short place[HF_MAX_RAISED_PAIR_L + 1][HF_MAX_RAISED_PAIR_L + 1][HF_MAX_RAISED_PAIR_L + 1];
    struct hf_hermite_expansion
        expansion[3]; /**< of the current primitive; its prefactor is in x */
    double block[HF_MAX_PAIR_PART][HF_MAX_CARTESIAN_BLOCK]; /**< of each part, Cartesian [a][b] */
};

/** Where a block of two shells a, b is in a matrix: element (i of a, j of b) at first + i row + j column. */
struct hf_block_place {
    size_t first, row, column;
};

/** Not collective. */
void hf_hermite_init(struct hf_hermite *self, const struct hf_products *products);

/** Zeroes H of the pair's products. Not collective. */
void hf_hermite_clear(const struct hf_hermite *self, const struct hf_shell_pair *pair, double h[]);

/** Adds to H what the pair's block of a symmetric density gives, both of ab and of ba where the shells
 *  are two; h [products->n_component]. Not collective. */
void hf_hermite_add_density(struct hf_hermite *self, const struct hf_shell_pair *pair,
                            const double *density, struct hf_block_place place, double h[]);

/** Adds factor J_ab to a matrix, from V of the pair's products. Not collective. */
void hf_hermite_add_coulomb(struct hf_hermite *self, const struct hf_shell_pair *pair,
                            const double v[], double factor, struct hf_block_place place,
                            double *coulomb);

/** Adds the derivatives of sum_ab D_ab J_ab, of ab and of ba where the shells are two, by the centres of a and b at fixed
 *  densities and potentials V, which are raised. Not collective. */
void hf_hermite_add_derivatives(struct hf_hermite *self, const struct hf_shell_pair *pair,
                                const double *density, struct hf_block_place place,
                                const double v[], double slope[2][3]);

#endif
