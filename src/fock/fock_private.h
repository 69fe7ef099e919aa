/* What the Fock builders share: the front of the builder. */
#ifndef HF_FOCK_PRIVATE_H
#define HF_FOCK_PRIVATE_H

#include "hf/digest.h"
#include "hf/fock.h"
#include "hf/shell_pair.h"
#include "hf/work.h"

/** What the builders are timed by: integrals and their digestion; waiting for blocks of other ranks
 *  and sending sums to them; waiting for the scheduler; waiting for the last rank at the end of a
 *  build; summing J and K over the ranks and distributing the density. */
extern const struct hf_phase hf_phase_fock_compute, hf_phase_fock_wait_blocks,
    hf_phase_fock_wait_task, hf_phase_fock_wait_ranks, hf_phase_fock_reduce;

/** What a build leaves out. */
struct hf_screening {
    double threshold;   /**< hartree */
    double max_density; /**< no element of any density is larger */
    bool single;        /**< quartets that do not need more are computed in single precision */
};

struct hf_fock_builder {
    const struct hf_fock_ops *ops;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_fock_settings settings;
    struct hf_work *work;
    struct hf_screening screening; /**< of the build that runs */
    struct hf_fock_account account;
    const char *note; /**< of the implementation; NULL: none */
    char notes[1536]; /**< all of them */
    void *data;       /**< of the implementation */
};

/** What the jobs of a build, sorted as the front hands them to builders, have. */
struct hf_job_shape hf_job_shape(int n_job, const struct hf_fock_job job[]);

extern const struct hf_fock_ops hf_fock_replicated, hf_fock_distributed;

#endif
