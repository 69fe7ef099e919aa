/* Densities for derivatives of quartets: once on every node, in the functions of the merged basis, with bounds. */
#ifndef HF_TWO_ELECTRON_DENSITY_H
#define HF_TWO_ELECTRON_DENSITY_H

#include "hf/linalg.h"
#include "hf/node_memory.h"
#include "hf/quartet_gradient.h"
#include "hf/shell_pair.h"

struct hf_gradient_density {
    const struct hf_basis *basis; /**< merged, borrowed */
    int n_density;
    struct hf_node_memory *shared; /**< what follows */
    double *value;                 /**< [n_density][n][n] */
    double *bound;                 /**< [n_density][n_shell][n_shell] largest element */
    double *atom_bound;            /**< [n_density][n_atom][n_atom] the same */
};

/** Collective over the context. HF_NO_RESOURCE. */
hf_status hf_gradient_density_init(struct hf_gradient_density *self, struct hf_context *context,
                                   const struct hf_basis *merged, int n_density,
                                   const struct hf_matrix *const density[],
                                   struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node. */
void hf_gradient_density_done(struct hf_gradient_density *self);

/** Largest elements of the densities [n_density] in two shells or two sites [n] of a table [n_density][n][n]. */
static inline void hf_gradient_bounds(int n_density, size_t n, const double *bound, int i, int j,
                                      double to[2])
{
    for (int s = 0; s < n_density; s++) to[s] = bound[((size_t)s * n + (size_t)i) * n + (size_t)j];
}

/** Bounds on |D_ab D_cd|/2 and on the sum of the products of exchange over 8, from those of blocks. */
static inline void hf_gradient_weights(int n_density, double bound[HF_N_QUARTET_BLOCK][2],
                                       double *coulomb, double *exchange)
{
    *coulomb = 0.5 * bound[HF_BLOCK_AB][0] * bound[HF_BLOCK_CD][0];
    *exchange = 0.0;
    for (int s = 0; s < n_density; s++)
        *exchange += 0.125 * (bound[HF_BLOCK_AC][s] * bound[HF_BLOCK_BD][s] +
                              bound[HF_BLOCK_AD][s] * bound[HF_BLOCK_BC][s]);
}

#endif
