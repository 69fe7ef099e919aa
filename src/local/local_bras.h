/* Local MP2's transformation: both indices of the ket are transformed where the integrals are computed.
 *
 *     first half   bras RS, each with all kets MN that matter: (mn|rs) -> (in|rs) -> (ia|rs)
 *     exchange     all (ia|rs) of an orbital i go to the ranks that finish its pairs
 *     second half  there: (ia|rs) -> (ia|js) -> (ia|jb), and these go to the owners of the pairs
 *
 * Of two orbitals the one that comes first along the molecule is i (hf_local_integrals.place), so kets that come later
 * than the bra are not computed. If all were, each quartet would be computed twice.
 *
 * Blocks of (ia|rs) have pair i, row RS (a shell pair) and column A (the atom of a): [a][rs]. Their numbers are rounded to
 * single precision if its errors are below the threshold. */
#ifndef HF_LOCAL_BRAS_H
#define HF_LOCAL_BRAS_H

#include "local_transform.h"

/** Fills `blocks` [n_thread], which are empty. Collective. */
hf_status hf_local_bras_first(const struct hf_local_integrals *integrals,
                              struct hf_local_blocks blocks[], struct hf_local_result *result,
                              struct hf_error *error) HF_MUST_CHECK;

/** Doubles that have room for the n numbers of a block in single precision. */
static inline int hf_local_single_room(int n)
{
    return (n + 1) / 2;
}

/** Whether the n numbers of a block are in single precision. One number alone never is: it takes no less room. */
static inline bool hf_local_is_single(const struct hf_local_block *block, int n)
{
    return block->n < n;
}

/** Which rank finishes which pair: along the molecule, in about equal shares. */
struct hf_local_finishing {
    int *of_pair;                 /**< [n_pair] rank */
    struct hf_local_ranks *ranks; /**< [n_orbital] of all pairs whose first orbital is i */
};

/** The blocks of this rank to blocks [n_thread] of K, one for each pair that it finishes. Local. */
hf_status hf_local_bras_second(const struct hf_local_integrals *integrals,
                               const struct hf_local_finishing *finishing,
                               const struct hf_local_blocks *from, struct hf_local_blocks blocks[],
                               struct hf_error *error) HF_MUST_CHECK;

#endif
