/* Limits of memory, over made-up trees of system files. */
#include "../test.h"
#include "base/memory_limits.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

#define V1_MOUNT     "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V2_MOUNT     "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1           "/sys/fs/cgroup/memory"
#define V2           "/sys/fs/cgroup"
#define V1_UNLIMITED "9223372036854771712\n"

/** Writes a file of the tree with the folders above it. */
static void put(const char *path, const char *content)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(full, 0700);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static int begin(void **state)
{
    strcpy(root, "/tmp/hf-limits-XXXXXX");
    return mkdtemp(root) == NULL;
}

static int end(void **state)
{
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct hf_memory_limits find(void)
{
    struct hf_memory_limits limits;
    hf_memory_limits_find(root, &limits);
    return limits;
}

/** A group of version 1 with a limit, what it uses, and the page cache in that. */
static void put_v1(const char *folder, const char *limit, const char *usage, const char *cache)
{
    char path[256], stat[256];
    snprintf(path, sizeof path, "%s/memory.limit_in_bytes", folder);
    put(path, limit);
    snprintf(path, sizeof path, "%s/memory.usage_in_bytes", folder);
    put(path, usage);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    snprintf(stat, sizeof stat,
             "cache 1\ninactive_file 77\ntotal_inactive_file %s\ntotal_active_file 0\n", cache);
    put(path, stat);
}

static void put_v2(const char *folder, const char *limit, const char *usage)
{
    char path[256];
    snprintf(path, sizeof path, "%s/memory.max", folder);
    put(path, limit);
    snprintf(path, sizeof path, "%s/memory.current", folder);
    put(path, usage);
}

TEST_IN(nothing_there_limits_nothing, begin, end)
{
    const struct hf_memory_limits limits = find();
    assert_true(isinf(limits.node_free) && isinf(limits.group_free) && isinf(limits.group_limit));
    assert_true(isinf(limits.address_free) && isinf(limits.data_free));
    assert_string_equal(limits.group, "");
}

TEST_IN(what_the_node_has_is_read, begin, end)
{
    put("/proc/meminfo", "MemTotal:  24683520 kB\nMemFree: 1 kB\nMemAvailable:   1000 kB\n");
    assert_true(find().node_free == 1024000.0);
}

TEST_IN(limits_of_the_process_count_from_what_it_uses, begin, end)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    put("/proc/self/statm", "100 50 20 3 0 40 0\n");
    put("/proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\n"
                             "Max data size             1000000   unlimited            bytes\n"
                             "Max address space         100000000 unlimited            bytes\n");
    const struct hf_memory_limits limits = find();
    assert_true(limits.address_free == 1e8 - 100.0 * page);
    assert_true(limits.data_free == 1e6 - 40.0 * page);
    assert_true(limits.resident == 50.0 * page);
    put("/proc/self/limits",
        "Max address space  unlimited unlimited bytes\nMax data size  1 1 bytes\n");
    assert_true(isinf(find().address_free));
    assert_true(find().data_free == 0.0); /* used up already */
}

TEST_IN(the_group_of_version_1_is_found_behind_other_controllers, begin, end)
{
    put("/proc/self/cgroup", "9:name=systemd:/memory\n5:cpu,memory,pids:/slurm/job_7\n0::/\n");
    put("/proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset,memory_other\n" V1_MOUNT);
    put_v1(V1, V1_UNLIMITED, "5000000\n", "0");
    put_v1(V1 "/slurm", V1_UNLIMITED, "4000000\n", "0");
    put_v1(V1 "/slurm/job_7", "150000000\n", "60000000\n", "20000000");
    const struct hf_memory_limits limits = find();
    assert_true(limits.group_limit == 150e6);
    assert_true(limits.group_free == 110e6); /* page cache goes before memory is refused */
    assert_non_null(strstr(limits.group, "/slurm/job_7"));
}

TEST_IN(the_tightest_of_nested_groups_counts, begin, end)
{
    put("/proc/self/cgroup", "4:memory:/job/step/task\n");
    put("/proc/self/mountinfo", V1_MOUNT);
    put_v1(V1 "/job/step/task", "300000000\n", "1000000\n", "0");
    put_v1(V1 "/job/step", "200000000\n", "150000000\n", "0");
    put_v1(V1 "/job", "250000000\n", "160000000\n", "0");
    put_v1(V1, V1_UNLIMITED, "900000000\n", "0");
    const struct hf_memory_limits limits = find();
    assert_true(limits.group_free == 50e6 && limits.group_limit == 200e6);
    put_v1(V1, "1000000000\n", "999000000\n", "0"); /* the root of what is seen counts too */
    assert_true(find().group_free == 1e6);
}

TEST_IN(version_2_knows_max_and_high, begin, end)
{
    put("/proc/self/cgroup", "0::/user.slice/job\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put_v2(V2 "/user.slice/job", "max\n", "1000\n");
    put_v2(V2 "/user.slice", "max\n", "2000\n");
    assert_true(isinf(find().group_free)); /* the root has no such files */
    put_v2(V2 "/user.slice", "64000000\n", "2000000\n");
    put(V2 "/user.slice/memory.stat", "anon 1\ninactive_file 500000\nactive_file 300000\n");
    assert_true(find().group_free == 62.8e6);
    put(V2 "/user.slice/job/memory.high", "10000000\n"); /* above it everything stands still */
    assert_true(find().group_limit == 10e6);
}

TEST_IN(hybrid_trees_are_read_in_both_versions, begin, end)
{
    put("/proc/self/cgroup", "4:memory:/a\n0::/b\n");
    put("/proc/self/mountinfo",
        V1_MOUNT "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put_v1(V1 "/a", "30000000\n", "0\n", "0");
    put_v2("/sys/fs/cgroup/unified/b", "20000000\n", "0\n");
    assert_true(find().group_limit == 20e6);
    put_v1(V1 "/a", "10000000\n", "0\n", "0");
    assert_true(find().group_limit == 10e6);
}

TEST_IN(a_container_sees_its_own_group_at_the_mount, begin, end)
{
    /* the mount shows the group /docker/c of the hierarchy; the process is in a group below it */
    put("/proc/self/cgroup", "4:memory:/docker/c/inner\n");
    put("/proc/self/mountinfo",
        "35 31 0:32 /docker/c /my\\040groups rw - cgroup cgroup rw,memory\n");
    put_v1("/my groups", "70000000\n", "0\n", "0");
    put_v1("/my groups/inner", "80000000\n", "0\n", "0");
    assert_true(find().group_limit == 70e6);
    put("/proc/self/cgroup", "4:memory:/somewhere/else\n"); /* outside: what is mounted counts */
    assert_true(find().group_limit == 70e6);
    put("/proc/self/cgroup", "4:memory:/../outside\n");
    assert_true(find().group_limit == 70e6);
}

TEST_IN(a_group_without_files_is_passed_over, begin, end)
{
    put("/proc/self/cgroup", "0::/gone/away\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put_v2(V2 "/gone", "5000000\n", "6000000\n"); /* above its limit: nothing is left */
    const struct hf_memory_limits limits = find();
    assert_true(limits.group_limit == 5e6 && limits.group_free == 0.0);
}

TEST_IN(this_machine_can_be_read, begin, end)
{
    struct hf_memory_limits limits;
    hf_memory_limits_find("", &limits);
    assert_true(limits.node_free > 0.0 && limits.group_free >= 0.0);
    assert_true(limits.resident > 0.0);
}

/** Ranks share the node and their control group; each has its own limits. */
TEST(free_memory_is_shared_by_ranks)
{
    struct hf_memory_limits limits = {
        .node_free = 8e9, .group_free = INFINITY, .address_free = INFINITY, .data_free = INFINITY};
    assert_true(hf_memory_of_rank(&limits, 4, 4) == 2e9);
    limits.group_free = 3e9;
    assert_true(hf_memory_of_rank(&limits, 4, 2) == 1.5e9);
    limits.address_free = 1e9;
    assert_true(hf_memory_of_rank(&limits, 4, 2) == 1e9 - HF_MAPPED_BYTES);
    limits.data_free = 5e8;
    assert_true(hf_memory_of_rank(&limits, 4, 2) == 5e8);
    limits.node_free = limits.group_free = limits.address_free = limits.data_free = INFINITY;
    assert_true(isinf(hf_memory_of_rank(&limits, 4, 2)));
}

TEST_MAIN
