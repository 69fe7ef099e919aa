/* What the Fock builders share: the front of the builder. */
#ifndef HF_FOCK_PRIVATE_H
#define HF_FOCK_PRIVATE_H

#include "base/arena.h"
#include "coulomb/coulomb.h"
#include "digest/digest.h"
#include "digest/exact_sums.h"
#include "fock/fock.h"
#include "integrals/shell_pair.h"
#include "layout/layout.h"
#include "work/work.h"

/** Phases of the builders: integrals and their digestion; waiting for blocks of other ranks and sending sums
 *  to them; waiting for the scheduler; waiting for the last rank at the end of a build; summing J and K over
 *  the ranks and distributing the density. */
extern const struct hf_phase hf_phase_fock_compute, hf_phase_fock_wait_blocks,
    hf_phase_fock_wait_task, hf_phase_fock_wait_ranks, hf_phase_fock_reduce, hf_phase_fock_coulomb;

/** One build: set by hf_fock_build, but for max_density, which the implementation finds. */
struct hf_build {
    double threshold;   /**< of the screening, hartree */
    double max_density; /**< no element of any density is larger */
    bool single;        /**< small quartets are computed in single precision */
    struct hf_job_shape
        jobs;          /**< as the round of work has them: without J if there is a Coulomb pass */
    int first_coulomb; /**< the first job with J, from the round or from the Coulomb pass */
    bool has_round;    /**< there is a round of work */
};

struct hf_fock_builder {
    struct hf_arena arena;
    const struct hf_fock_ops *ops;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_block_layout *layout;     /**< of matrices; parts are the atoms */
    struct hf_fock_settings settings;
    struct hf_work *work;
    struct hf_coulomb *coulomb;  /**< NULL: the round of work computes J and K together */
    struct hf_exact_sums *exact; /**< NULL: sums are rounded */
    struct hf_build build;       /**< the current build, or the last one */
    struct hf_fock_account account;
    const char *note; /**< of the implementation; NULL: none */
    char notes[1536]; /**< all of them */
    void *data;       /**< of the implementation [ops->data_bytes] */
};

/** The Coulomb pass of a build, if there is one: J of jobs first_coulomb .. jobs.n-1. `lend` and `add` are
 *  those of hf_coulomb_target; their data is the builder, and density k is the k-th of those jobs.
 *  Collective. */
hf_status hf_build_coulomb_apart(
    struct hf_fock_builder *self,
    const double *(*lend)(void *builder, int k, const struct hf_atom_pair *pair, int *stride),
    void (*add)(void *builder, int k, const struct hf_atom_pair *pair, double *block),
    struct hf_error *error) HF_MUST_CHECK;

extern const struct hf_fock_ops hf_fock_replicated, hf_fock_distributed;

#endif
