/* What the node and the limits of the process leave; see memory_limits.h. */
#include "hf/memory_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

double hf_system_number(const char *path, const char *key)
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
    const double available = hf_system_number(path, "MemAvailable:");
    limits->node_free = available < 0.0 ? INFINITY : 1024.0 * available;
    snprintf(path, sizeof path, "%s/proc/self/limits", root);
    limits->address_free = left_of(hf_system_number(path, "Max address space"), page * pages.all);
    limits->data_free = left_of(hf_system_number(path, "Max data size"), page * pages.data);
    limits->resident = page * pages.resident;
    hf_control_group_find(root, limits);
}
