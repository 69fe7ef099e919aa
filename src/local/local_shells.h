/* Local MP2's transformation "shells": book Fig. 10.2.
 *
 *     first half   tasks of two shells M, N: (MR|NS) -> (MR|Nj) -> (Mi|Nj)     of pairs ij that are kept
 *     exchange     all (iM|jN) of a pair ij go to its owner (Eq. 10.7)
 *     second half  there: (iM|jN) -> (ia|jN) -> (ia|jb), a and b in the domain of the pair
 *
 * Blocks have pair ij, row M and column N: [m][n] = (im|jn). */
#ifndef HF_LOCAL_SHELLS_H
#define HF_LOCAL_SHELLS_H

#include "local_transform.h"

/** Fills `blocks` [n_thread], which are empty. Collective. */
hf_status hf_local_shells_first(const struct hf_local_integrals *integrals,
                                struct hf_local_blocks blocks[], struct hf_local_result *result,
                                struct hf_error *error) HF_MUST_CHECK;

/** Fills k from all blocks of this rank's pairs. Local. */
hf_status hf_local_shells_second(const struct hf_local_integrals *integrals,
                                 const struct hf_local_blocks *blocks, double k[],
                                 struct hf_error *error) HF_MUST_CHECK;

#endif
