/* Memory that the node and the limits of the process leave free; see memory_limits.h.
 *
 * Control groups limit the memory of a process by version 1 or 2 of Linux' interface:
 *
 *     /proc/self/cgroup          the group of the process in each hierarchy /proc/self/mountinfo       where a
 *     hierarchy is mounted, and which group is the top there
 *
 * A batch system limits a group between the process and the root. Each group also counts the memory of the groups
 * below it. */
#include "base/memory_limits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** The number after `key` in the line of a file that begins with `key` ("": the first line). INFINITY for "max" and
 *  "unlimited"; negative: not found. */
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

/** The differences between the two versions. */
struct hierarchy {
    const char *file_system;      /**< type in mountinfo */
    const char *controller;       /**< mount option and name in /proc/self/cgroup; "": none */
    const char *limit[2], *usage; /**< files of a group; the tighter limit counts */
    const char *cache[2];         /**< keys in memory.stat: page cache that the kernel can drop */
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

/** Version 1 writes "no limit" as the largest multiple of a page. */
static const double NO_LIMIT = 4e18;

/** Whether `name` is one of the words of a comma-separated list. */
static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n) {
        const bool begins = at == list || at[-1] == ',';
        if (begins && (at[n] == ',' || at[n] == '\0' || at[n] == '\n')) return true;
    }
    return false;
}

/** Decodes blanks and backslashes, which mountinfo writes in octal: "\040". */
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

/** Finds the group of the process in a hierarchy, as a path from its root. False: there is none. */
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

/** Finds where a hierarchy is mounted (`mount`) and which of its groups is visible there (`top`). */
static bool find_mount(const char *root, const struct hierarchy *kind, char mount[PATH_SIZE],
                       char top[PATH_SIZE])
{
    char path[512], line[2 * PATH_SIZE], options[PATH_SIZE], type[64];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *rest = strstr(line, " - "); /* end of the optional fields */
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

/** Finds the folder of the process's group. `n_top`: length of the path up to the mount. */
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
        below = ""; /* another name space: use the mounted group */
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

/** Stores the limit of a group if it leaves less memory than the groups before. */
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

/** Finds the tightest control group of the process. */
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

/** Pages in /proc/self/statm: whole address space, resident, data with stack. */
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

/** Memory left below a limit if `used` is taken; INFINITY: no limit. */
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
