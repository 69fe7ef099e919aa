/* Sums of J and K of one thread for one part of a task: small blocks of two atoms. They are added to whole
 * or cached matrices at the end, so that threads need no private matrices and no locks before. */
#ifndef HF_LOCAL_SUMS_H
#define HF_LOCAL_SUMS_H

#include "digest/quartet_blocks.h"

#include "work/work.h"

/** Where densities come from and sums go to. */
struct hf_sums_target {
    void *data;
    /** Fills in the members of `blocks` that describe the densities, for its atoms with ket `k` of the part;
     *  and whether the quartets can contribute to J and to K. */
    void (*show)(void *data, int k, struct hf_quartet_blocks *blocks);
    /** Adds a block [job][functions of row][functions of column] to J or K. Threads may call it at the same
     *  time. Not called for blocks that nothing was added to. */
    void (*add)(void *data, bool exchange, int row, int column, const double *value);
    /** Called before the first and after the last block of a part is added, to lock and unlock what threads
     *  share. end_adding fails if not all blocks were added. NULL: nothing to do. */
    void (*begin_adding)(void *data);
    hf_status (*end_adding)(void *data, struct hf_error *error);
};

struct hf_local_sums;

/** Bytes of the sums of a thread; n_coulomb and n_exchange: numbers of densities with J and with K. */
double hf_local_sums_bytes(int most_of_atom, int n_coulomb, int n_exchange);

/** For one thread and the jobs of a build; `basis` is borrowed. Not collective.
 *  HF_NO_RESOURCE. */
hf_status hf_local_sums_create(struct hf_context *context, const struct hf_basis *basis,
                               const struct hf_job_shape *jobs, const struct hf_sums_target *target,
                               struct hf_local_sums **sums, struct hf_error *error) HF_MUST_CHECK;
void hf_local_sums_destroy(struct hf_local_sums **sums);

/** Returns blocks of zeros for the bra of a part with each of its kets: [n_ket], valid until the next call. */
const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_part *part);

/** Must be called when quartets of ket k add to its blocks of J or K. In small tasks many blocks of a part stay
 *  zero. */
void hf_local_sums_touch(struct hf_local_sums *sums, int k, bool coulomb, bool exchange);

/** Adds the sums to the target; returns its status. */
hf_status hf_local_sums_end(struct hf_local_sums *sums, struct hf_error *error) HF_MUST_CHECK;

#endif
