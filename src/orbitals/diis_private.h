/* The history that DIIS (diis.c) and ADIIS (adiis.c) combine Fock matrices of. */
#ifndef HF_DIIS_PRIVATE_H
#define HF_DIIS_PRIVATE_H

#include "base/arena.h"
#include "orbitals/diis.h"

struct hf_diis {
    struct hf_context *context;
    struct hf_linalg *linalg;
    int m, n_fock, size;
    int n_stored, oldest;              /**< ring: the i-th oldest stands in slot hf_diis_slot(i) */
    struct hf_matrix **history;        /**< [size][n_fock] F' + e, NULL until first used */
    struct hf_matrix **orbitals;       /**< [size][HF_MAX_SPIN] W of the density, NULLs: unknown */
    const struct hf_matrix **in_order; /**< [size][n_fock] of hf_diis_in_order */
    double *product;                   /**< [size][size] by slots, <e|e> */
    double *trace;                     /**< [size][size] by slots, tr D_i F_j; NAN: not yet made */
    double *coefficient;               /**< [size], and how many of them count */
    double *work;                      /**< [size^2 + HF_DIIS_WORK(size)] for the equations */
    struct hf_arena arena;             /**< has all these, and this struct */
};

/** Place of the i-th oldest in the lists. Not collective. */
int hf_diis_slot(const struct hf_diis *self, int i);

/** The matrices [n_fock] F' + e of the i-th oldest. Not collective. */
struct hf_matrix **hf_diis_stored(const struct hf_diis *self, int i);

/** coefficient [n], none negative, sum 1, with a low value of
 *
 *      sum_i c_i g_i + sum_ij c_i c_j h_ij / 2      g = gradient [n], h = hessian [n][n], symmetric
 *
 *  Not collective. */
void hf_simplex_minimum(int n, const double gradient[], const double hessian[],
                        double coefficient[]);

#endif
