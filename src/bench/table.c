/* What every report begins with: the lines above a table, and the head of the JSON file. */
#include "bench.h"

#include "output/output.h"

#include <errno.h>
#include <stdarg.h>

void hf_bench_print(struct hf_bench *bench, const char *format, ...)
{
    if (bench->stream != NULL) {
        va_list arguments;
        va_start(arguments, format);
        const bool printed = vfprintf(bench->stream, format, arguments) >= 0;
        va_end(arguments);
        const bool done = fflush(bench->stream) == 0; /* users watch a long sweep row by row */
        if (bench->lost == 0 && !(printed && done)) bench->lost = errno;
    }
}

void hf_bench_print_header(struct hf_bench *bench)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    hf_bench_print(bench, "hf-bench %s: %s\n", hf_version(), bench->kernel->about);
    hf_bench_print(bench, "  Source        %s\n", bench->kernel->cite);
    hf_bench_print(bench, "  MPI library   %s\n", versions.mpi_found);
    hf_bench_print(bench, "  Ranks         %d; at most %d on a node, with ", bench->context->n_rank,
                   bench->n_rank_on_node);
    if (bench->n_core > 0)
        hf_bench_print(bench, "%d core%s\n", bench->n_core, bench->n_core > 1 ? "s" : "");
    else
        hf_bench_print(bench, "an unknown number of cores\n");
    hf_bench_print(bench, "  Numbers       median of %d%s\n", bench->n_repeat,
                   bench->quick ? "; --quick: a test, not a result" : "");
    if (bench->n_core > 0 && bench->n_rank_on_node > bench->n_core)
        hf_bench_print(bench, "  Warning       more ranks than cores: ranks wait for each other's "
                              "turn, and the numbers are no timings\n");
    const double load = hf_bench_load_average();
    if (load > 1.0)
        hf_bench_print(bench,
                       "  Warning       load average %.1f at the start: if other programs are "
                       "at work still, the numbers say little\n",
                       load);
    hf_bench_print(bench, "\n");
}

void hf_bench_bytes_text(double n_bytes, size_t size, char text[])
{
    const double kib = 1024.0, mib = kib * kib;
    if (n_bytes >= mib)
        snprintf(text, size, "%.4g MiB", n_bytes / mib);
    else if (n_bytes >= kib)
        snprintf(text, size, "%.4g KiB", n_bytes / kib);
    else
        snprintf(text, size, "%.4g B", n_bytes);
}

struct hf_json hf_bench_json_begin(const struct hf_bench *bench, struct hf_json root)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    const bool more = bench->n_core != 0 && bench->n_rank_on_node > bench->n_core;
    HF_ADD(root, "program", "hf-bench");
    HF_ADD(root, "version", hf_version());
    HF_ADD(root, "kernel", bench->kernel->name);
    HF_ADD(root, "source", bench->kernel->cite);
    HF_ADD(root, "mpi_library", versions.mpi_found);
    HF_ADD(root, "n_rank", bench->context->n_rank);
    HF_ADD(root, "n_rank_on_node", bench->n_rank_on_node);
    HF_ADD(root, "n_core_on_node", bench->n_core);
    HF_ADD(root, "more_ranks_than_cores", more);
    HF_ADD(root, "quick", bench->quick);
    HF_ADD(root, "n_repeat", bench->n_repeat);
    HF_ADD(root, "load_average", hf_bench_load_average());
    return hf_json_object(root, "results", "");
}
