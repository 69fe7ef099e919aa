/* Ranks in groups of neighbours, each with a count of tasks of its own on its first rank. */
#ifndef HF_SCHEDULE_GROUPS_H
#define HF_SCHEDULE_GROUPS_H

/** Groups of `n_rank` ranks as equal as can be, and the one of a rank. */
struct hf_rank_group {
    int n_rank, n_group;
    int group; /**< of the rank */
    int first; /**< first rank of it, who counts */
    int size;
};

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

#endif
