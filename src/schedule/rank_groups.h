/* Groups of ranks that each work by themselves on tasks of one list: displacements of a numerical derivative,
 * points of a scan.
 *
 *     hf_rank_groups_create(context, n_group, &groups, &error)
 *     while ((i = hf_rank_groups_take(&groups)) < n_task)      tasks 0, 1, 2 ..., each for one group
 *         ... collective over groups.own; hf_rank_groups_stop(&groups) after a failure
 *     hf_agree(context->comm, status, &error)
 *     hf_rank_groups_done(&groups)
 */
#ifndef HF_RANK_GROUPS_H
#define HF_RANK_GROUPS_H

#include "hf/context.h"
#include "hf/status.h"
#include "schedule/counter.h"

#include <stdint.h>

/** Initialise with = {0}. */
struct hf_rank_groups {
    struct hf_context *whole; /**< borrowed */
    /** Of this rank's group; `whole` itself if there is one group, else owned. */
    struct hf_context *own;
    int n_group, group;
    struct hf_counter *counter; /**< owned */
};

/** Not collective. HF_BAD_INPUT: fewer than one group, or more groups than ranks. */
hf_status hf_rank_groups_check(const struct hf_context *whole, int n_group,
                               struct hf_error *error) HF_MUST_CHECK;

/** Divides the ranks of a context into `n_group` groups of neighbours, as equal as possible. Each has a context
 *  of its own, whose work ends when the whole is interrupted. Collective. HF_BAD_INPUT: more groups than ranks;
 *  HF_NO_RESOURCE. */
hf_status hf_rank_groups_create(struct hf_context *whole, int n_group,
                                struct hf_rank_groups *groups,
                                struct hf_error *error) HF_MUST_CHECK;

/** The next number, which no other group gets. Collective over the group. */
int64_t hf_rank_groups_take(struct hf_rank_groups *groups);

/** From now on hf_rank_groups_take returns numbers beyond every list. Not collective. */
void hf_rank_groups_stop(struct hf_rank_groups *groups);

/** Adds the group's times to those of the whole. Accepts a half-made struct. Collective over the whole. */
void hf_rank_groups_done(struct hf_rank_groups *groups);

#endif
