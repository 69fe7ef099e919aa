/* How much memory stored integrals may take: what --memory says, or a share of what the node has
 * free. */
#include "hf/calculation.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** Of what is free, so that the page cache, other programs and our own matrices have room. */
static const double SAFE_SHARE = 0.5;

static const struct {
    const char *name;
    double bytes;
} units[] = {{"B", 1.0},         {"kB", 1e3},           {"MB", 1e6},
             {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
             {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};

bool hf_parse_size(const char *text, double *bytes)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || !(number >= 0.0) || number > 1e15) return false;
    while (isspace((unsigned char)*end)) end++;
    *bytes = number;
    if (number == 0.0 && *end == '\0') return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(end, units[i].name) != 0) continue;
        *bytes = number * units[i].bytes;
        return *bytes < 1e18;
    }
    return false;
}

/** The number behind `key` in a file of the system; below 0 when there is none. */
static double read_number(const char *path, const char *key)
{
    char line[256];
    double value = -1.0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return value;
    while (value < 0.0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            if (sscanf(line + strlen(key), "%lf", &value) != 1) value = -1.0;
    fclose(file);
    return value;
}

/** Bytes that the node could still give, as far as Linux and the control group tell; 0: unknown. */
static double free_bytes(void)
{
    double bytes = 1024.0 * read_number("/proc/meminfo", "MemAvailable:");
    static const char *const group[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (int i = 0; i < 2; i++) {
        const double limit = read_number(group[i][0], ""), used = read_number(group[i][1], "");
        if (limit > 0.0 && used >= 0.0 && limit - used < bytes) bytes = limit - used;
    }
    return bytes > 0.0 ? bytes : 0.0;
}

hf_status hf_memory_for_integrals(struct hf_context *context, const struct hf_options *options,
                                  double *bytes, struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "memory");
    hf_status status = HF_OK;
    *bytes = 0.0;
    if (given != NULL && strcasecmp(given->text, "auto") != 0) {
        if (!hf_parse_size(given->text, bytes))
            status = hf_fail(error, HF_BAD_INPUT,
                             "%s: memory '%s'; expected a size per rank as 500 MB or 2 GiB, 0 for "
                             "none, or auto",
                             given->where, given->text);
        return status; /* the same on every rank */
    }
    *bytes = SAFE_SHARE * free_bytes() / context->n_node_rank;
    MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_MIN, context->comm);
    return HF_OK;
}
