/* All integrals of a bra RS, from the parts of its task: a consumer of quartet work that keeps their strips. */
#ifndef HF_MP2_BRA_H
#define HF_MP2_BRA_H

#include "panel.h"

/** A thread's bra. */
struct hf_mp2_bra {
    struct hf_mp2 *mp2;               /**< borrowed */
    const struct hf_part *part;       /**< the part that is computed now */
    const struct hf_shell_pair *pair; /**< NULL: there is none */
    struct hf_mp2_strips strips;
    int share, n_share; /**< uses only kets whose number k has k % n_share == share */
};

/** Initialises with arrays of the arena, which may fail. */
void hf_mp2_bra_init(struct hf_mp2_bra *bra, struct hf_mp2 *mp2, struct hf_arena *arena);

/** Computes the kets of a task (a bra with all its kets). bra->pair is NULL if the task has none. Not collective.
 *  HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_mp2_bra_compute(struct hf_mp2_bra *bra, struct hf_worker *worker, int64_t task,
                             struct hf_error *error) HF_MUST_CHECK;

#endif
