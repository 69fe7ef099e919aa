/* Densities for derivatives of quartets: once on every node, in the functions of the merged basis, with bounds. */
#ifndef HF_TWO_ELECTRON_DENSITY_H
#define HF_TWO_ELECTRON_DENSITY_H

#include "hf/linalg.h"
#include "hf/node_memory.h"
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

/** Bounds on |D_ab D_cd|/2 and on the sum of the products of exchange over 8, of shells or, `bound` [n][n] in
 *  n_density planes that of atoms, of atoms. */
static inline void hf_gradient_weights(int n_density, size_t n, const double *bound, int a, int b,
                                       int c, int d, double *coulomb, double *exchange)
{
    const size_t i = (size_t)a, j = (size_t)b, k = (size_t)c, l = (size_t)d;
    *coulomb = 0.5 * bound[i * n + j] * bound[k * n + l];
    *exchange = 0.0;
    for (int s = 0; s < n_density; s++, bound += n * n)
        *exchange +=
            0.125 * (bound[i * n + k] * bound[j * n + l] + bound[i * n + l] * bound[j * n + k]);
}

#endif
