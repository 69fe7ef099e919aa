/* The merged basis of a calculation and the list of its shell pairs: made once, common to all that computes
 * two-electron integrals of the basis. */
#ifndef HF_COMMON_PAIRS_H
#define HF_COMMON_PAIRS_H

#include "pairs/shell_pairs.h"

/** A basis in the shells of its integrals (hf_basis_merge), and their pairs from the time when they are first asked
 *  for. */
struct hf_common_pairs;

/** Nothing but the merged basis. Lists will be made for this accuracy (hartree) or a better one; INFINITY: as
 *  good as each user asks for. The basis is borrowed. Collective. HF_NO_RESOURCE. */
hf_status hf_common_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                 double accuracy, struct hf_common_pairs **common,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node if there is a list; accepts a pointer to NULL; leaves NULL. */
void hf_common_pairs_destroy(struct hf_common_pairs **common);

/** Whether they are of this basis. Not collective. */
bool hf_common_pairs_are_of(const struct hf_common_pairs *common, const struct hf_basis *basis);

/** Not collective. */
const struct hf_basis *hf_common_pairs_merged(const struct hf_common_pairs *common);

/** Lends the list, which has at least this accuracy.
 *
 *  Memory   of `common`. The loan ends with hf_common_pairs_drop, and when somebody asks for a better accuracy
 *           than the list has: then it is destroyed and made anew.
 *  Call     collective. A list that is there already costs nothing; others are made on `n_thread` threads of
 *           every rank.
 *  Errors   those of hf_shell_pairs_create. */
hf_status hf_common_pairs_get(struct hf_common_pairs *common, double accuracy, int n_thread,
                              const struct hf_shell_pairs **pairs,
                              struct hf_error *error) HF_MUST_CHECK;

/** Destroys the list, if there is one; accepts NULL. Collective over the node. */
void hf_common_pairs_drop(struct hf_common_pairs *common);

/** What the list would take that is made for this accuracy; see hf_shell_pairs_estimate. Collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_common_pairs_estimate(const struct hf_common_pairs *common, double accuracy,
                                   struct hf_pair_memory *found,
                                   struct hf_error *error) HF_MUST_CHECK;

#endif
