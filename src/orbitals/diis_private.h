/* The history used by DIIS (diis.c) and ADIIS (adiis.c). */
#ifndef HF_DIIS_PRIVATE_H
#define HF_DIIS_PRIVATE_H

#include "base/arena.h"
#include "orbitals/diis.h"

struct hf_diis {
    struct hf_context *context;
    int n_fock, size;
    int n_stored, oldest;       /**< ring: the i-th oldest pair is in slot hf_diis_slot(i) */
    struct hf_matrix **history; /**< [size][n_fock] F' + e, NULL until first used */
    /** [size][HF_MAX_SPIN] orbitals W of the density; NULLs: unknown */
    struct hf_matrix **orbitals;
    const struct hf_matrix **in_order; /**< [size][n_fock] for hf_diis_in_order */
    double *product;                   /**< [size][size] <e|e>, by slots */
    double *trace;         /**< [size][size] tr D_i F_j, by slots; NAN: not yet computed */
    double *coefficient;   /**< [size], then the number of coefficients in use */
    double *work;          /**< [size^2 + HF_DIIS_WORK(size)] for the equations */
    struct hf_arena arena; /**< owns all these, and this struct */
};

/** Slot of the i-th oldest pair. Not collective. */
int hf_diis_slot(const struct hf_diis *self, int i);

/** The matrices F' + e [n_fock] of the i-th oldest pair. Not collective. */
struct hf_matrix **hf_diis_stored(const struct hf_diis *self, int i);

/** Finds coefficient [n], not negative and with sum 1, that gives a low value of
 *
 *      sum_i c_i g_i + sum_ij c_i c_j h_ij / 2      g = gradient [n], h = hessian [n][n], symmetric
 *
 *  Not collective. */
void hf_simplex_minimum(int n, const double gradient[], const double hessian[],
                        double coefficient[]);

#endif
