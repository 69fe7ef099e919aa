/* Memory that a process may still take: limits of the node, of its control groups and of the process. */
#ifndef HF_MEMORY_LIMITS_H
#define HF_MEMORY_LIMITS_H

#include "hf/status.h"

enum {
    HF_GROUP_NAME = 256,
    HF_MAPPED_BYTES = 12000000, /**< of address space: what libraries map beside what they touch */
};

/** Part of free memory to take if no size is given: the page cache and other programs need room. */
#define HF_SAFE_SHARE 0.5

/** Bytes; INFINITY if there is no limit or it is unknown. Free memory is counted
 *  without what the process holds already. */
struct hf_memory_limits {
    double node_free;          /**< of the node (MemAvailable); shared by all that run there */
    double group_free;         /**< of the tightest control group; shared by the ranks in it */
    double group_limit;        /**< its limit */
    char group[HF_GROUP_NAME]; /**< its folder; "" when no group has a limit */
    double address_free;       /**< of RLIMIT_AS, of this process */
    double data_free;          /**< of RLIMIT_DATA, of this process */
    double resident;           /**< what the process holds in memory now; 0: unknown */
};

/** Looks at <root>/proc and at the control groups mounted below <root>: version 1 and 2, from the
 *  group of the process up to the root of the hierarchy. `root` is "" but in tests.
 *
 *  Of a group's usage the page cache is taken off that the kernel would drop before it refuses memory.
 *  Not collective; does not fail: what cannot be read does not limit.
 *  Source   Linux: proc(5), Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. */
void hf_memory_limits_find(const char *root, struct hf_memory_limits *limits);

/** Free bytes of one of n_node_rank ranks of the node, of which n_group_rank share the control group; INFINITY:
 *  unknown. Not collective. */
double hf_memory_of_rank(const struct hf_memory_limits *limits, int n_node_rank, int n_group_rank);

#endif
