/* The JSON file of a run: how it was run, and every number that was measured. */
#include "bench.h"

#include "hf/output.h"

#include <errno.h>
#include <string.h>

bool hf_bench_json_number(cJSON *object, const char *name, double value)
{
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

bool hf_bench_json_text(cJSON *object, const char *name, const char *text)
{
    if (text == NULL) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddStringToObject(object, name, text) != NULL;
}

bool hf_bench_json_numbers(cJSON *object, const char *name, int n, const double value[])
{
    cJSON *array = cJSON_CreateDoubleArray(value, n);
    if (array != NULL && cJSON_AddItemToObject(object, name, array)) return true;
    cJSON_Delete(array);
    return false;
}

cJSON *hf_bench_json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (object != NULL && cJSON_AddItemToArray(array, object)) return object;
    cJSON_Delete(object);
    return NULL;
}

cJSON *hf_bench_json_create(const struct hf_bench *bench, cJSON **results)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    cJSON *root = cJSON_CreateObject();
    const bool fits = bench->n_core == 0 || bench->n_rank_on_node <= bench->n_core;
    const bool built = root != NULL && hf_bench_json_text(root, "program", "hf-bench") &&
                       hf_bench_json_text(root, "version", hf_version()) &&
                       hf_bench_json_text(root, "kernel", bench->kernel->name) &&
                       hf_bench_json_text(root, "source", bench->kernel->cite) &&
                       hf_bench_json_text(root, "mpi_library", versions.mpi_found) &&
                       hf_bench_json_number(root, "n_rank", bench->context->n_rank) &&
                       hf_bench_json_number(root, "n_rank_on_node", bench->n_rank_on_node) &&
                       hf_bench_json_number(root, "n_core_on_node", bench->n_core) &&
                       cJSON_AddBoolToObject(root, "more_ranks_than_cores", !fits) != NULL &&
                       cJSON_AddBoolToObject(root, "quick", bench->quick) != NULL &&
                       hf_bench_json_number(root, "n_repeat", bench->n_repeat);
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

hf_status hf_bench_json_save(const char *path, const cJSON *root, struct hf_error *error)
{
    char *text = cJSON_Print(root);
    if (text == NULL) return hf_bench_json_outcome(false, error);
    errno = 0;
    FILE *file = fopen(path, "w");
    const bool written = file != NULL && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    const bool closed = file != NULL && fclose(file) == 0;
    cJSON_free(text);
    if (written && closed) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "%s: the JSON file cannot be written: %s", path,
                   strerror(errno));
}
