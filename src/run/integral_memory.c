/* How much memory stored integrals may take: what --memory says, or a share of what the node, the
 * control group of the job and the limits of the process leave. */
#include "hf/calculation.h"

#include <ctype.h>
#include <math.h>
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
    enum { MAX_NUMBER = 40 };
    double number = -1.0;
    const char *end = text;
    for (int n = 1; n <= MAX_NUMBER && text[n - 1] != '\0'; n++) /* the longest that is a number */
        if (hf_word_real((struct hf_word){text, n}, &number) == HF_NUMBER_OK) end = text + n;
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

/** FNV-1a */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

void hf_memory_share_find(const struct hf_context *context, struct hf_memory_share *share)
{
    hf_memory_limits_find("", &share->limits);
    const uint64_t mine = hash_of(share->limits.group);
    share->n_group_rank = 0;
    for (int r = 0; r < context->n_node_rank; r++) {
        uint64_t group = mine;
        MPI_Bcast(&group, 1, MPI_UINT64_T, r, context->node);
        share->n_group_rank += group == mine;
    }
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
    struct hf_memory_share share;
    hf_memory_share_find(context, &share);
    const struct hf_memory_limits *limits = &share.limits;
    const double of_node =
        fmin(limits->node_free / context->n_node_rank, limits->group_free / share.n_group_rank);
    const double of_process = fmin(limits->address_free, limits->data_free);
    *bytes = SAFE_SHARE * fmin(of_node, of_process);
    if (isinf(*bytes)) *bytes = 0.0; /* nothing is known of the machine */
    MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_MIN, context->comm);
    return HF_OK;
}
