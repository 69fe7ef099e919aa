/* Groups of neighbouring ranks. The first rank of a group counts the tasks of the group. */
#ifndef HF_SCHEDULE_GROUPS_H
#define HF_SCHEDULE_GROUPS_H

#include <stdbool.h>

/** `n_rank` ranks divided into groups of about equal size, and one of these groups. */
struct hf_rank_group {
    int n_rank, n_group;
    int group; /**< number of this group */
    int first; /**< its first rank, which counts its tasks */
    int size;
};

/** Number of groups that a rank asks for work before it stops: its own and the following ones, in a ring. If
 *  ranks asked all groups, every round would end with n_rank^1.5 requests. Little work has to move far, since
 *  groups get equal costs. */
enum { HF_MOST_GROUPS_ASKED = 4 };

static inline int hf_n_group_asked(int n_group)
{
    return n_group < HF_MOST_GROUPS_ASKED ? n_group : HF_MOST_GROUPS_ASKED;
}

static inline int hf_first_of_group(int n_rank, int n_group, int group)
{
    return (int)((long long)n_rank * group / n_group);
}

static inline struct hf_rank_group hf_rank_group(int n_rank, int n_group, int group)
{
    const int first = hf_first_of_group(n_rank, n_group, group);
    return (struct hf_rank_group){n_rank, n_group, group, first,
                                  hf_first_of_group(n_rank, n_group, group + 1) - first};
}

static inline struct hf_rank_group hf_group_of_rank(int n_rank, int n_group, int rank)
{
    int group = (int)((long long)rank * n_group / n_rank);
    while (hf_first_of_group(n_rank, n_group, group + 1) <= rank) group++;
    return hf_rank_group(n_rank, n_group, group);
}

/** Sets `asked` to the next group that a rank of group `own` asks; false: there is none. */
static inline bool hf_next_group(const struct hf_rank_group *own, struct hf_rank_group *asked)
{
    const int next = (asked->group + 1) % own->n_group;
    if (next == (own->group + hf_n_group_asked(own->n_group)) % own->n_group) return false;
    *asked = hf_rank_group(own->n_rank, own->n_group, next);
    return true;
}

#endif
