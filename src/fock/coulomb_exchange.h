/* J and K as a consumer of quartet work: screens quartets with the densities and adds strips to the sums of
 * a thread.
 *
 *     lend         blocks of densities and sums for the part (local_sums.h)
 *     least_bound  smallest bound of a ket that matters with this bra (K alone)
 *     bound        for each ket: J, K, or neither; single precision or not
 *     bound_strip  the same for a whole strip of the store
 *     take         one job of the kernel per density -> digest (digest/digest.h)
 *     finish       adds the thread's blocks to those of the rank, or of the cache
 *
 * A ket is screened with the largest density elements of six blocks (book Fig. 8.2): D_ab and D_cd for J, D_ac,
 * D_ad, D_bc and D_bd for K. hf_met_densities has their maxima over a and b for the current bra. */
#ifndef HF_COULOMB_EXCHANGE_H
#define HF_COULOMB_EXCHANGE_H

#include "fock_private.h"
#include "local_sums.h"

#include "base/arena.h"
#include "hf/basis.h"
#include "work/work.h"

/** The bra of the current strips. */
struct hf_strip_bra {
    const struct hf_shell_pair *pair; /**< NULL: none yet */
    int n_a, n_b;                     /**< functions */
    int a, b;                         /**< positions of the atoms: A or B */
    int first_a, first_b;             /**< functions, counted from the first of their atoms */
};

/** Largest density elements that quartets of a bra with one pair of atoms are multiplied by; shells are
 *  numbered as in struct hf_waiting_ket. */
struct hf_met_densities {
    const struct hf_shell_pair *bra; /**< NULL: nothing is known */
    int place;
    uint8_t possible;         /**< what the quartets may contribute to */
    double coulomb_ab;        /**< |D_ab| */
    const double *coulomb_cd; /**< of d = 0 in [shells c][columns], HF_N_BOUND from d to d */
    int columns;
    double *exchange[2][HF_N_BOUND]; /**< of a and b with each shell c, with each d */
    double largest_exchange;         /**< of all these */
};

/** The consumer's `self`: what one thread has in one round. */
struct hf_coulomb_exchange {
    struct hf_arena arena;              /**< has the arrays but `place` */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    double threshold;                   /**< of the screening, hartree */
    double list_threshold;              /**< of the screening of whole lists: no larger */
    double origin;                      /**< of exact sums */
    bool single;                        /**< small quartets may be computed in single precision */
    struct hf_shell_place *place;       /**< [n_shell] */
    int *shell_of_function;             /**< [n_function], counted from the first of the atom */
    hf_digest_strip_function *digest;
    struct hf_strip_job *job; /**< [jobs.n] of a strip on its way to the kernel */
    struct hf_local_sums *sums;
    const struct hf_quartet_blocks *blocks; /**< [n_ket] of the part that runs */
    struct hf_strip_bra bra;
    struct hf_met_densities met;
};

/** The table; its `self` is a struct hf_coulomb_exchange. */
extern const struct hf_quartet_consumer hf_coulomb_exchange_consumer;

/** Prepares for a build of the builder. Not collective. HF_NO_RESOURCE. */
hf_status hf_coulomb_exchange_init(struct hf_coulomb_exchange *self,
                                   const struct hf_fock_builder *builder,
                                   const struct hf_build *build,
                                   const struct hf_sums_target *target,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Also if init failed. */
void hf_coulomb_exchange_done(struct hf_coulomb_exchange *self);

#endif
