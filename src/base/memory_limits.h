/* Memory that a process may still take, by the limits of the node, of control groups and of the process. */
#ifndef HF_MEMORY_LIMITS_H
#define HF_MEMORY_LIMITS_H

#include "hf/status.h"

enum {
    HF_GROUP_NAME = 256,
    HF_MAPPED_BYTES = 12000000, /**< address space that libraries map without using it */
};

/** Share of the free memory to take if no size is given; the page cache and other programs need the remaining memory. */
#define HF_SAFE_SHARE 0.5

/** Bytes; INFINITY: no limit, or unknown. Free memory does not include what the process already has. */
struct hf_memory_limits {
    double node_free;          /**< of the node (MemAvailable), shared by all its processes */
    double group_free;         /**< of the tightest control group, shared by its ranks */
    double group_limit;        /**< limit of that group */
    char group[HF_GROUP_NAME]; /**< folder of that group; "" if no group has a limit */
    double address_free;       /**< left below RLIMIT_AS of this process */
    double data_free;          /**< left below RLIMIT_DATA of this process */
    double resident;           /**< memory that the process has now; 0: unknown */
};

/** Reads <root>/proc and the control groups mounted below <root> (versions 1 and 2), from the group of the process up
 *  to the root of the hierarchy. `root` is "" except in tests.
 *
 *  Page cache that the kernel would drop before it refuses memory does not count as usage. Not collective. Does not
 *  fail: limits that cannot be read are ignored.
 *  Source   Linux: proc(5), Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. */
void hf_memory_limits_find(const char *root, struct hf_memory_limits *limits);

/** Free bytes per rank: n_node_rank ranks share the node, n_group_rank of them the control group. INFINITY: unknown.
 *  Not collective. */
double hf_memory_of_rank(const struct hf_memory_limits *limits, int n_node_rank, int n_group_rank);

#endif
