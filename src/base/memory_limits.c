/* Memory that the node and the limits of the process leave free; see memory_limits.h.
 *
 * Control groups limit the memory of a process by version 1 or 2 of Linux' interface:
 *
 *     /proc/self/cgroup          which group the process is in, by hierarchy
 *     /proc/self/mountinfo       where a hierarchy is mounted, and which of its groups stands there
 *
 * A batch system puts its limit on a group between the process and the root, and every group up to
 * the root counts what those below it use. */
#include "base/memory_limits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** The number behind `key` at the beginning of a line of a file, the first word of the file for "";
 *  INFINITY for "max" and "unlimited", below 0 when there is none. */
static double system_number(const char *path, const char *key)
{
    char line[512];
    double value = -1.0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return value;
    while (value < 0.0 && fgets(line, sizeof line, file) != NULL) {
        const char *text = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0) continue;
        text += strspn(text, " \t");
        if (strncmp(text, "max", 3) == 0 || strncmp(text, "unlimited", 9) == 0)
            value = INFINITY;
        else if (sscanf(text, "%lf", &value) != 1)
            value = -1.0;
    }
    fclose(file);
    return value;
}

/* ---- Control groups -------------------------------------------------------------------------- */

enum { PATH_SIZE = 4096 };

/** What differs between the two versions. */
struct hierarchy {
    const char *file_system; /**< type in mountinfo */
    const char *controller;  /**< option of the mount and name in /proc/self/cgroup; "": none */
    const char *limit[2], *usage; /**< files of a group; the tighter limit counts */
    const char *cache[2];         /**< keys in memory.stat of page cache that can be dropped */
};

static const struct hierarchy hierarchies[] = {
    {"cgroup2",
     "",
     {"memory.max", "memory.high"},
     "memory.current",
     {"inactive_file ", "active_file "}},
    {"cgroup",
     "memory",
     {"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     {"total_inactive_file ", "total_active_file "}},
};

/** Version 1 spells "no limit" as the largest multiple of a page. */
static const double NO_LIMIT = 4e18;

/** Whether `name` is one of the words of a list with commas. */
static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n) {
        const bool begins = at == list || at[-1] == ',';
        if (begins && (at[n] == ',' || at[n] == '\0' || at[n] == '\n')) return true;
    }
    return false;
}

/** Mountinfo writes blanks and backslashes in octal: "\040". */
static void decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        unsigned code;
        if (*from == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/** The group of the process in a hierarchy, as a path from its root; false: it is in none. */
static bool find_own_group(const char *root, const struct hierarchy *kind, char group[PATH_SIZE])
{
    char path[512], line[PATH_SIZE];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':'); /* number:controllers:path */
        char *at = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (at == NULL) continue;
        *at++ = '\0';
        controllers++;
        found = kind->controller[0] == '\0' ? controllers[0] == '\0'
                                            : is_listed(controllers, kind->controller);
        at[strcspn(at, "\n")] = '\0';
        if (found) memcpy(group, at, strlen(at) + 1);
    }
    fclose(file);
    return found;
}

/** Where a hierarchy is mounted (`mount`) and which of its groups is seen there (`top`). */
static bool find_mount(const char *root, const struct hierarchy *kind, char mount[PATH_SIZE],
                       char top[PATH_SIZE])
{
    char path[512], line[2 * PATH_SIZE], options[PATH_SIZE], type[64];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *rest = strstr(line, " - "); /* optional fields end here */
        if (rest == NULL || sscanf(rest, " - %63s %*s %4095s", type, options) != 2) continue;
        if (strcmp(type, kind->file_system) != 0) continue;
        if (kind->controller[0] != '\0' && !is_listed(options, kind->controller)) continue;
        found = sscanf(line, "%*s %*s %*s %4095s %4095s", top, mount) == 2;
    }
    fclose(file);
    if (found) decode(top);
    if (found) decode(mount);
    return found;
}

/** Folder of the group of the process below the mount. `n_top`: characters up to the mount. */
static bool find_folder(const char *root, const struct hierarchy *kind, char folder[PATH_SIZE],
                        size_t *n_top)
{
    char group[PATH_SIZE], mount[PATH_SIZE], top[PATH_SIZE];
    if (!find_own_group(root, kind, group) || !find_mount(root, kind, mount, top)) return false;
    const char *below = group;
    const size_t n = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(group, top, n) == 0 && (group[n] == '/' || group[n] == '\0'))
        below = group + n;
    else
        below = ""; /* another name space: what is mounted is what can be seen */
    if (strstr(below, "/..") != NULL || strcmp(below, "/") == 0) below = "";
    *n_top = strlen(root) + strlen(mount);
    const int length = snprintf(folder, PATH_SIZE, "%s%s%s", root, mount, below);
    return length > 0 && length < PATH_SIZE;
}

static double number_in(const char *folder, const char *name, const char *key)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return system_number(path, key);
}

/** Takes over the limit of one group when it leaves less than those before. */
static void look_at(const struct hierarchy *kind, const char *folder,
                    struct hf_memory_limits *limits)
{
    double limit = INFINITY, cache = 0.0;
    for (int i = 0; i < 2 && kind->limit[i] != NULL; i++) {
        const double found = number_in(folder, kind->limit[i], "");
        if (found >= 0.0 && found < NO_LIMIT) limit = fmin(limit, found);
    }
    if (isinf(limit)) return;
    const double usage = fmax(number_in(folder, kind->usage, ""), 0.0);
    for (int i = 0; i < 2; i++)
        cache += fmax(number_in(folder, "memory.stat", kind->cache[i]), 0.0);
    const double left = fmax(limit - fmax(usage - cache, 0.0), 0.0);
    if (left >= limits->group_free) return;
    limits->group_free = left;
    limits->group_limit = limit;
    snprintf(limits->group, sizeof limits->group, "%.*s", HF_GROUP_NAME - 1, folder);
}

/** The tightest control group of the process. */
static void find_control_group(const char *root, struct hf_memory_limits *limits)
{
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char folder[PATH_SIZE];
        size_t n_top;
        if (!find_folder(root, &hierarchies[i], folder, &n_top)) continue;
        for (;;) {
            look_at(&hierarchies[i], folder, limits);
            char *last = strrchr(folder, '/');
            if (last == NULL || strlen(folder) <= n_top) break;
            *last = '\0';
            if (strlen(folder) < n_top) break;
        }
    }
}

/* ---- The process and its node ---------------------------------------------------------------- */

/** Pages of /proc/self/statm: all of the address space, resident, data with stack. */
struct pages {
    double all, resident, data;
};

static struct pages read_pages(const char *root)
{
    char path[512];
    struct pages pages = {0.0, 0.0, 0.0};
    snprintf(path, sizeof path, "%s/proc/self/statm", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return pages;
    double text, library;
    const int n = fscanf(file, "%lf %lf %*f %lf %lf %lf", &pages.all, &pages.resident, &text,
                         &library, &pages.data);
    fclose(file);
    return n == 5 ? pages : (struct pages){0.0, 0.0, 0.0};
}

/** What a limit leaves of which `used` is taken; INFINITY: there is no limit. */
static double left_of(double limit, double used)
{
    if (limit < 0.0 || isinf(limit)) return INFINITY;
    return fmax(limit - used, 0.0);
}

void hf_memory_limits_find(const char *root, struct hf_memory_limits *limits)
{
    char path[512];
    const double page = (double)sysconf(_SC_PAGESIZE);
    const struct pages pages = read_pages(root);
    *limits = (struct hf_memory_limits){.group_free = INFINITY, .group_limit = INFINITY};
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const double available = system_number(path, "MemAvailable:");
    limits->node_free = available < 0.0 ? INFINITY : 1024.0 * available;
    snprintf(path, sizeof path, "%s/proc/self/limits", root);
    limits->address_free = left_of(system_number(path, "Max address space"), page * pages.all);
    limits->data_free = left_of(system_number(path, "Max data size"), page * pages.data);
    limits->resident = page * pages.resident;
    find_control_group(root, limits);
}

double hf_memory_of_rank(const struct hf_memory_limits *limits, int n_node_rank, int n_group_rank)
{
    const double of_node = fmin(limits->node_free / n_node_rank, limits->group_free / n_group_rank);
    return fmin(of_node, fmin(limits->address_free - HF_MAPPED_BYTES, limits->data_free));
}
