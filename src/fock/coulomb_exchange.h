/* J and K as a consumer of quartet work: quartets are screened with the densities and digested into
 * the sums of their thread. */
#ifndef HF_COULOMB_EXCHANGE_H
#define HF_COULOMB_EXCHANGE_H

#include "add_quartets.h"
#include "local_sums.h"

#include "hf/work.h"

/** The consumer's `self`: what one thread has in one round. */
struct hf_coulomb_exchange {
    const struct hf_basis *basis; /**< borrowed */
    double threshold;             /**< of the screening, hartree */
    struct hf_digestion digestion;
    struct hf_local_sums *sums;
    const struct hf_quartet_blocks *blocks; /**< [n_ket] of the part that runs */
};

/** The table; its `self` is a struct hf_coulomb_exchange. */
extern const struct hf_quartet_consumer hf_coulomb_exchange_consumer;

/** Ready for the jobs of a build. Not collective. HF_NO_RESOURCE. */
hf_status hf_coulomb_exchange_init(struct hf_coulomb_exchange *self, struct hf_context *context,
                                   const struct hf_shell_pairs *pairs, double threshold,
                                   const struct hf_job_shape *jobs,
                                   const struct hf_sums_target *target,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Also of what init left half made. */
void hf_coulomb_exchange_done(struct hf_coulomb_exchange *self);

#endif
