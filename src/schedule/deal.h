/* Even shares of the list of tasks, by cost, for schedulers that begin with them ("static", "steal"). */
#ifndef HF_DEAL_H
#define HF_DEAL_H

#include "cost_list.h"
#include "hf/status.h"

/** Tasks of one level at positions first, first + stride, ... */
struct hf_progression {
    int64_t first, stride, count;
};

/** How often tasks of one level are given to the ranks with the least cost, before the rest is divided equally. */
enum {
    HF_MOST_CATCHING_UP = 2,
    HF_MOST_PROGRESSIONS = (HF_MOST_CATCHING_UP + 2) * HF_N_TASK_LEVEL
};

/** Tasks of a rank: progressions begin .. end-1, in falling cost. */
struct hf_share {
    int begin, end;
    struct hf_progression part[HF_MOST_PROGRESSIONS];
};

/** The share of `rank`; a rank from n_rank on has none. Each task goes to the rank with the least cost (longest
 *  processing time first: R. L. Graham, SIAM J. Appl. Math. 17, 416 (1969)), one level after the other. Every rank computes all shares, in
 *  about 300 n_rank steps for any number of tasks, with 32 bytes for each rank. Not collective. HF_NO_RESOURCE. */
hf_status hf_deal(const struct hf_cost_list *list, int n_rank, int rank, struct hf_share *share,
                  struct hf_error *error) HF_MUST_CHECK;

/** Takes the first task of a share; -1: there is none. */
static inline int64_t hf_share_take(struct hf_share *share)
{
    struct hf_progression *part = &share->part[share->begin];
    if (share->begin == share->end) return -1;
    const int64_t position = part->first;
    part->first += part->stride;
    if (--part->count == 0) share->begin++;
    return position;
}

/** Tasks that a share has. */
int64_t hf_share_size(const struct hf_share *share);

/** Takes about half the cost of a share: every other task of each level, up to `most` progressions. The first
 *  task stays. The tasks taken go to `part` [most]; returns the number of progressions. */
int hf_share_split(const struct hf_cost_list *list, struct hf_share *share, int most,
                   struct hf_progression part[]);

#endif
