/* What both halves of the transformation of local MP2 share: integrals over merged functions, what orbitals and projected atomic
 * orbitals (PAOs) let pass of them, and a round of work.
 *
 *     L_Mi, P_Mi   largest |L| of a shell and an orbital; largest |P| of a shell and the PAOs of all domains [ij] of i
 *     X_i(MN)      max(L_Mi P_Ni, L_Ni P_Mi): weight of a pair of shells for an orbital
 *
 * A quartet (MN|RS) adds no more than bound(MN) bound(RS) max X_i(MN) X_j(RS) to integrals (ia|jb) of the pairs ij with i
 * on MN and j on RS. This bound selects pairs of atoms and orbitals; that of local_screen.h selects quartets. */
#ifndef HF_LOCAL_TRANSFORM_H
#define HF_LOCAL_TRANSFORM_H

#include "linalg/matrix_product.h"
#include "local_mp2_private.h"
#include "work/pass.h"
#include "work/work.h"

/** Weights of some orbitals for each of a row of items. */
struct hf_local_weights {
    struct hf_arena *arena; /**< borrowed */
    int64_t n_item, n, room;
    int64_t *first; /**< [n_item + 1] */
    int *orbital;   /**< rising for each item, unless it says otherwise */
    float *weight;  /**< rounded up */
};

struct hf_local_integrals {
    const struct hf_local *local;      /**< borrowed */
    struct hf_arena arena;             /**< of weights and other arrays */
    struct hf_common_pairs *own_pairs; /**< NULL: the settings lend some */
    const struct hf_basis *merged;     /**< of either; so are `pairs` */
    const struct hf_shell_pairs *pairs;
    struct hf_sparse_matrix *orbitals, *paos; /**< L and P of merged functions; rows are atoms */
    float *most_pao;                          /**< [paos->n_block] largest |P| of each block */
    hf_product_function *multiply;
    /** [n_orbital] places of orbitals along the longest axis of the molecule. Only quartets matter whose bra goes with the
     *  orbital of a pair that comes later, or with both. */
    int *place;
    int *orbital_at; /**< [n_orbital] the orbital of a place */
    /** Largest |L| of shells and of sites, falling for each item; largest |P| of shells and the PAOs of each kind of
     *  domain of an orbital. */
    struct hf_local_weights l_of_shell, l_of_site, p_of_shell[HF_N_LOCAL_REACH];
    struct hf_local_weights p_of_orbital
        [HF_N_LOCAL_REACH]; /**< the latter with orbitals and shells exchanged, falling */
    enum hf_local_reach *
        reach_of_pair; /**< [n_pair] the least kind of domains of its orbitals that [ij]+ is within */
    struct hf_local_weights of_pair;  /**< X of shell pairs */
    struct hf_local_weights of_atoms; /**< largest X of the shell pairs of each pair of atoms */
    struct hf_local_weights reach; /**< as of_atoms, of bras: the largest X_j of partners j of i */
    double largest;                /**< product of two X */
    double largest_pao, largest_orbital; /**< |P|, |L| */
};

/** All weights and what is largest; the other members are set. Local. HF_NO_RESOURCE. */
hf_status hf_local_make_weights(struct hf_local_integrals *self,
                                struct hf_error *error) HF_MUST_CHECK;

/** Whether quartets matter whose ket goes with i and whose bra with j. */
static inline bool hf_local_in_order(const struct hf_local_integrals *self, int i, int j)
{
    return self->place[i] <= self->place[j];
}

/** Collective. */
hf_status hf_local_integrals_init(struct hf_local_integrals *self, const struct hf_local *local,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a half-made one. */
void hf_local_integrals_done(struct hf_local_integrals *self);

/** A pass over all integrals; counts their quartets. Collective. */
hf_status hf_local_run_pass(const struct hf_local_integrals *self,
                            const struct hf_task_order *order, const struct hf_pass *pass,
                            void *data, struct hf_local_result *result,
                            struct hf_error *error) HF_MUST_CHECK;

#endif
