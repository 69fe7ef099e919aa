/* The JSON file of a run: how it was run, and every number that was measured. */
#include "bench.h"

#include "output/output.h"

cJSON *hf_bench_json_create(const struct hf_bench *bench, cJSON **results)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    cJSON *root = cJSON_CreateObject();
    const bool fits = bench->n_core == 0 || bench->n_rank_on_node <= bench->n_core;
    const bool built = root != NULL && hf_json_add_text(root, "program", "hf-bench") &&
                       hf_json_add_text(root, "version", hf_version()) &&
                       hf_json_add_text(root, "kernel", bench->kernel->name) &&
                       hf_json_add_text(root, "source", bench->kernel->cite) &&
                       hf_json_add_text(root, "mpi_library", versions.mpi_found) &&
                       hf_json_add_double(root, "n_rank", bench->context->n_rank) &&
                       hf_json_add_double(root, "n_rank_on_node", bench->n_rank_on_node) &&
                       hf_json_add_double(root, "n_core_on_node", bench->n_core) &&
                       cJSON_AddBoolToObject(root, "more_ranks_than_cores", !fits) != NULL &&
                       cJSON_AddBoolToObject(root, "quick", bench->quick) != NULL &&
                       hf_json_add_double(root, "n_repeat", bench->n_repeat) &&
                       hf_json_add_double(root, "load_average", hf_bench_load_average());
    *results = built ? cJSON_AddObjectToObject(root, "results") : NULL;
    if (*results != NULL) return root;
    cJSON_Delete(root);
    return NULL;
}

hf_status hf_bench_json_outcome(bool built, struct hf_error *error)
{
    if (built) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory while collecting the numbers");
}
