/* The JSON file of a run: how it was run, and every number that was measured. */
#include "bench.h"

#include "output/output.h"

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
