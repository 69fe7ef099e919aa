/* The parts of the algorithm for derivatives of MP2, one for all numbers of ranks. It has one more pass than the energy
 * (mp2_private.h, "kets"):
 *
 *     first half    (ia|rs) of each bra RS, kept where it was computed
 *     amplitudes    all rows rs of one i on a rank: (ia|js), (ia|jb), t and u for all j; P, then back to
 *                   T_ia(rs) = sum_jb u_ij^ab C_rj C_sb, which replaces (ia|rs) on its rank
 *     second pass   each rank computes its bras again: Y from (mn|rs) and T_ia(rs);
 *                   G_mnrs = sum_ia C_mi C_na T_ia(rs) times the derivatives of quartets whose ket is not above the bra
 *
 * Sums over bras and orbitals are in whole steps (base/slope_sums.h), so they have the same bits for any number of
 * ranks and threads. They have others in another number of batches: derivatives of integrals are contracted with the sum
 * over the orbitals of a batch (settings.one_batch refuses more).
 * J counts orbitals of both spins, alpha first. */
#ifndef HF_MP2_RESPONSE_H
#define HF_MP2_RESPONSE_H

#include "base/slope_sums.h"
#include "correlation/mp2_derivatives.h"
#include "mp2_private.h"

/** Sums of all ranks and batches, in whole steps. */
struct hf_mp2_sums {
    int64_t *of_occupied[HF_MAX_SPIN]; /**< P_ij [o][length of o] */
    int64_t *of_virtual[HF_MAX_SPIN];  /**< P_ab [v][length of v] */
    int64_t *y_occupied[HF_MAX_SPIN];  /**< Y_mi / 2 [o][length of n] */
    int64_t *y_virtual[HF_MAX_SPIN];   /**< Y_ma / 2 [n][length of v] */
    int64_t (*slope)[3];               /**< [n_atom] */
};

/** The second step of a batch. Collective. */
hf_status hf_mp2_amplitudes(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** The third step. Collective. */
hf_status hf_mp2_second_pass(struct hf_mp2 *mp2, struct hf_error *error) HF_MUST_CHECK;

/** Adds n numbers times a factor to sums. */
static inline void hf_mp2_add_steps(size_t n, double factor, const double from[], int64_t to[])
{
    for (size_t k = 0; k < n; k++) to[k] += hf_slope_steps(factor * from[k]);
}

/** Number of occupied orbitals of both spins. */
static inline int hf_mp2_n_joined(const struct hf_mp2 *mp2)
{
    return mp2->orbitals[0].n_occupied + (mp2->n_spin > 1 ? mp2->orbitals[1].n_occupied : 0);
}

#endif
