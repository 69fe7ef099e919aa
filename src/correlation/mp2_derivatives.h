/* What the derivatives of an MP2 energy need of its amplitudes (Forces of MP2, docs/guide.md).
 *
 *     t_ij^ab = (ia|jb) / (e_i + e_j - e_a - e_b)     for spins s of i, a and s' of j, b
 *     u       = c (t_ij^ab - t_ij^ba) for equal spins, c' t_ij^ab for opposite ones    E = 1/2 sum u (ia|jb)
 *     P_ij    = - sum u_ik^ab t_jk^ab                 P_ab = sum u_ij^ac t_ij^bc
 *     Y_pi    = 2 sum u_ij^ab (pa|jb)                 Y_pa = 2 sum u_ij^ab (ip|jb)
 *     slope   = sum u_ij^ab (ia|jb)'                  at fixed orbitals
 *
 * c = c' = 1, other factors for spin-component scaling. If both spins share their orbitals, P and Y are those of one
 * spin and `slope` is of both. */
#ifndef HF_MP2_DERIVATIVES_H
#define HF_MP2_DERIVATIVES_H

#include "base/arena.h"
#include "hf/mp2.h"

/** Initialise with the first two members. Every rank has all numbers, with the same bits. The correlated orbitals q of a
 *  spin are o occupied ones, then v virtual ones. */
struct hf_mp2_derivatives {
    double opposite, same; /**< c' and c */
    double energy;         /**< of correlation, with these factors; hf_quantity_mp2 sets it */
    struct hf_arena arena; /**< owns the arrays */
    int n_spin, n_orbital[HF_MAX_SPIN], n_atom;
    int n_frozen[HF_MAX_SPIN], n_occupied[HF_MAX_SPIN], n_frozen_virtual;
    /** P_ij [o][o, padded] and P_ab [v][v, padded] in steps (base/slope_sums.h) */
    int64_t *of_occupied[HF_MAX_SPIN], *of_virtual[HF_MAX_SPIN];
    int64_t *steps[HF_MAX_SPIN];     /**< Y_mq / 2 [q][n] of merged functions; NULL at the end */
    double *lagrangian[HF_MAX_SPIN]; /**< Y_mq / 2 [q][n] of published functions */
    int64_t (*slope_steps)[3];       /**< [n_atom] */
    double (*slope)[3];              /**< [n_atom] */
};

/** P between all m orbitals of a spin [m][m]: zeros for frozen orbitals, and between occupied and virtual ones.
 *  Collective. */
void hf_mp2_get_density(const struct hf_mp2_derivatives *from, int spin, struct hf_matrix *to);

/** Y_pq [n_p][m] for p with coefficients [n][n_p]: orbitals, or functions that were removed for linear dependence. Zeros
 *  for frozen q. Collective. HF_NO_RESOURCE. */
hf_status hf_mp2_get_lagrangian(const struct hf_mp2_derivatives *from, int spin,
                                struct hf_linalg *linalg, const struct hf_matrix *coefficient,
                                struct hf_matrix *to, struct hf_error *error) HF_MUST_CHECK;

/** Frees the arrays. Accepts a cleared one. Not collective. */
void hf_mp2_derivatives_done(struct hf_mp2_derivatives *derivatives);

/** hf_mp2_plan for an energy with derivatives. Not collective. */
struct hf_mp2_need hf_mp2_plan_derivatives(const struct hf_mp2_size *size, double memory_bytes);

/** What is known of a calculation before there are shell pairs. */
struct hf_mp2_foresight {
    const struct hf_basis *shells; /**< that are computed */
    int n_function, n_rank, n_thread;
    int n_spin, n_electron[HF_MAX_SPIN], n_frozen, n_frozen_virtual;
    const char *algorithm;
    bool one_batch, differentiated;
    bool integrals; /**< of orbitals (hf_orbital_integrals) */
};

/** Estimates the memory as if no shell pair were negligible. Errors as of hf_mp2_plan. Not collective. */
struct hf_mp2_need hf_mp2_foresee(const struct hf_mp2_foresight *of, double memory_bytes);

/** Bytes that this rank may use: `given`, unless it is 0, or a share of the free memory, which the ranks of calculations
 *  beside this one have, too. Local. */
double hf_mp2_memory_limit(const struct hf_context *context, double given);

/** Phases: densities of the amplitudes, and the second pass over the integrals. */
extern const struct hf_phase hf_phase_mp2_amplitudes, hf_phase_mp2_derivatives;

#endif
