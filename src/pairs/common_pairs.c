/* One merged basis and one list of shell pairs for all users of a calculation. */
#include "pairs/common_pairs.h"

#include "base/arena.h"
#include "integrals/shell_pair.h"

#include <math.h>

struct hf_common_pairs {
    struct hf_arena arena;
    struct hf_context *context;   /**< borrowed */
    const struct hf_basis *basis; /**< borrowed */
    double accuracy;              /**< every list has this one or a better one */
    struct hf_basis *merged;      /**< owned */
    struct hf_shell_pairs *pairs; /**< owned; NULL: none */
};

/** Local. */
static hf_status begin(struct hf_context *context, const struct hf_basis *basis, double accuracy,
                       struct hf_common_pairs **common, struct hf_error *error)
{
    struct hf_common_pairs *made = HF_NEW(*common, NULL, "the shell pairs");
    if (made == NULL) return hf_arena_check_new(made, error);
    made->context = context;
    made->basis = basis;
    made->accuracy = accuracy;
    return hf_basis_merge(basis, &made->merged, error);
}

hf_status hf_common_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                 double accuracy, struct hf_common_pairs **common,
                                 struct hf_error *error)
{
    struct hf_common_pairs *made = NULL;
    const hf_status status =
        hf_agree(context->comm, begin(context, basis, accuracy, &made, error), error);
    if (status != HF_OK) hf_common_pairs_destroy(&made);
    if (status == HF_OK) *common = made;
    return status;
}

void hf_common_pairs_destroy(struct hf_common_pairs **common)
{
    struct hf_common_pairs *old = *common;
    if (old != NULL) {
        hf_common_pairs_drop(old);
        hf_basis_destroy(&old->merged);
    }
    hf_arena_free(common);
}

bool hf_common_pairs_are_of(const struct hf_common_pairs *common, const struct hf_basis *basis)
{
    return common->basis == basis;
}

const struct hf_basis *hf_common_pairs_merged(const struct hf_common_pairs *common)
{
    return common->merged;
}

hf_status hf_common_pairs_get(struct hf_common_pairs *common, double accuracy, int n_thread,
                              const struct hf_shell_pairs **pairs, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (common->pairs != NULL && common->pairs->accuracy > accuracy) hf_common_pairs_drop(common);
    if (common->pairs == NULL)
        status = hf_shell_pairs_create_ext(common->context, common->merged,
                                           fmin(accuracy, common->accuracy), n_thread,
                                           &common->pairs, error);
    if (status == HF_OK) *pairs = common->pairs;
    return status;
}

void hf_common_pairs_drop(struct hf_common_pairs *common)
{
    if (common != NULL) hf_shell_pairs_destroy(&common->pairs);
}

hf_status hf_common_pairs_estimate(const struct hf_common_pairs *common, double accuracy,
                                   struct hf_pair_memory *found, struct hf_error *error)
{
    return hf_shell_pairs_estimate(common->context, common->merged,
                                   fmin(accuracy, common->accuracy), found, error);
}
