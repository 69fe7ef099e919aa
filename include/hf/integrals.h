/* Shell pairs of a basis with their bounds. */
#ifndef HF_INTEGRALS_H
#define HF_INTEGRALS_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Everything that depends on two shells only; see hf/shell_pair.h for what is in it. */
struct hf_shell_pairs;

/** Shell pairs of a basis with their Schwarz bounds. `accuracy` (hartree, e.g. 1e-14): primitive
 *  pairs that cannot add more than this to any integral are dropped. Collective (the bounds are
 *  computed in shares). The basis is borrowed and must outlive the result. */
hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error) HF_MUST_CHECK;
void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs);

#ifdef __cplusplus
}
#endif
#endif
