/* The file of a trace: one line of JSON that says what ran, then the records as they are. Read by
 * tools/lab/trace.py. */
#include "output/output.h"

#include "output_private.h"

#include "scf/quantity.h"
#include "text/json.h"
#include "text/output_file.h"
#include "text/trace.h"

#include <errno.h>
#include <string.h>

enum { VERSION = 1 };

static bool add_kinds(cJSON *root, const struct hf_context *context)
{
    cJSON *kinds = cJSON_AddArrayToObject(root, "kinds");
    bool ok = kinds != NULL;
    for (int i = 0; ok && i < hf_trace_n_kind(context); i++)
        ok = hf_json_append_text(kinds, hf_trace_kind_name(context, i));
    return ok;
}

static bool add_run(cJSON *root, const struct hf_run_description *run,
                    const struct hf_record *record, const struct hf_scf_result *result)
{
    const struct hf_context *context = record->context;
    const struct hf_fock_settings *fock = &run->settings->fock;
    return hf_json_add_text(root, "hf_version", hf_version()) &&
           hf_json_add_text(root, "build_remark", record->build_remark) &&
           hf_json_add_text(root, "input_path", run->input_path) &&
           hf_json_add_text(root, "title", run->molecule->title) &&
           hf_json_add_text(root, "basis", run->basis->name) &&
           hf_json_add_integer(root, "n_atom", run->molecule->n_atom) &&
           hf_json_add_integer(root, "n_shell", result->last_build.n_shell) &&
           hf_json_add_integer(root, "n_function", run->basis->n_function) &&
           hf_json_add_integer(root, "n_occupied", result->n_occupied[0]) &&
           hf_json_add_text(root, "method", run->settings->method) &&
           hf_json_add_integer(root, "n_rotation", result->n_rotation) &&
           hf_json_add_integer(root, "n_sweep", result->n_sweep) &&
           hf_json_add_integer(root, "n_rank", context->n_rank) &&
           hf_json_add_integer(root, "n_thread", fock->n_thread > 1 ? fock->n_thread : 1) &&
           hf_json_add_integer(root, "n_core_on_node", run->n_core) &&
           hf_json_add_text(root, "fock", fock->builder) &&
           hf_json_add_text(root, "schedule", fock->schedule.name) &&
           hf_json_add_text(root, "onesided", result->last_build.transport) &&
           hf_json_add_integer(root, "tasks_for",
                               fock->tasks_for > 0 ? fock->tasks_for : context->n_rank) &&
           hf_json_add_text(root, "grain", hf_grain_name(fock->grain)) &&
           hf_json_add_double(root, "memory_bytes", fock->memory_bytes) &&
           hf_json_add_double(root, "screening", run->settings->screening_threshold) &&
           cJSON_AddBoolToObject(root, "converged", result->converged) != NULL &&
           hf_json_add_double(root, "energy", result->energy);
}

/** Blocks are counted over all builds: `before` is the build before, or NULL. */
static bool add_build(cJSON *object, const struct hf_fock_account *build,
                      const struct hf_fock_account *before)
{
    const struct hf_block_counts none = {0}, *first = before != NULL ? &before->blocks : &none;
    const struct hf_block_counts *last = &build->blocks;
    return object != NULL && hf_json_add_integer(object, "n_task", build->n_listed) &&
           hf_json_add_double(object, "threshold", build->threshold) &&
           hf_json_add_integer(object, "quartets_total", build->n_quartet_total) &&
           hf_json_add_integer(object, "quartets_computed", build->n_quartet_computed) &&
           hf_json_add_integer(object, "quartets_read", build->n_quartet_read) &&
           hf_json_add_integer(object, "coulomb_numbers_of_kets", build->n_coulomb_ket) &&
           hf_json_add_integer(object, "coulomb_numbers_sent", build->n_coulomb_sent) &&
           hf_json_add_integer(object, "coulomb_products", build->n_coulomb_product) &&
           hf_json_add_double(object, "stored_bytes", build->stored_bytes) &&
           hf_json_add_double(object, "stored_share_of_cost", build->stored_share) &&
           hf_json_add_integer(object, "blocks_asked", last->n_asked - first->n_asked) &&
           hf_json_add_integer(object, "blocks_cached", last->n_cached - first->n_cached) &&
           hf_json_add_integer(object, "blocks_own", last->n_own - first->n_own) &&
           hf_json_add_integer(object, "sums_sent", last->n_sent - first->n_sent);
}

static bool add_builds(cJSON *root, const struct hf_record *record)
{
    cJSON *builds = cJSON_AddArrayToObject(root, "builds");
    bool ok = builds != NULL;
    for (int i = 0; ok && i < record->n_iteration; i++)
        ok = add_build(hf_json_append_object(builds), &record->iteration[i].build,
                       i > 0 ? &record->iteration[i - 1].build : NULL);
    return ok;
}

/** What the JSON file has under "extras.hf" of the method that corrects the energy, if there is one. */
static bool add_extras(cJSON *root, const struct hf_run_description *run)
{
    cJSON *rest = cJSON_CreateObject();
    const struct hf_json_places to = {
        .result = rest, .properties = rest, .extras = cJSON_AddObjectToObject(root, "extras")};
    bool ok = rest != NULL && to.extras != NULL;
    for (int i = 0; ok && i < run->n_quantity; i++) {
        const struct hf_quantity *quantity = &run->quantity[i];
        if (quantity->made && quantity->ops->energy != NULL && quantity->ops->json != NULL)
            ok = quantity->ops->json(quantity, &to);
    }
    cJSON_Delete(rest);
    return ok;
}

/** Writes the header's line. */
static hf_status write_header(struct hf_output_file *file, const struct hf_run_description *run,
                              const struct hf_record *record, const struct hf_scf_result *result,
                              int64_t n_record, struct hf_error *error)
{
    hf_status status = HF_OK;
    cJSON *root = cJSON_CreateObject();
    const bool built = root != NULL && hf_json_add_text(root, "format", "hf-trace") &&
                       hf_json_add_integer(root, "version", VERSION) &&
                       hf_json_add_integer(root, "record_bytes", sizeof(struct hf_trace_record)) &&
                       hf_json_add_integer(root, "n_record", n_record) &&
                       add_kinds(root, record->context) && add_run(root, run, record, result) &&
                       add_builds(root, record) && add_extras(root, run);
    char *text = built ? cJSON_PrintUnformatted(root) : NULL;
    if (text == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the trace");
    else if (!hf_output_file_write(file, strlen(text), text) ||
             !hf_output_file_write(file, 1, "\n"))
        status = hf_fail(error, HF_NO_RESOURCE, "%s", strerror(file->why));
    cJSON_free(text);
    cJSON_Delete(root);
    return status;
}

/** For hf_trace_collect. */
static bool write_records(void *data, size_t n, const struct hf_trace_record *record)
{
    struct hf_output_file *file = data;
    return hf_output_file_write(file, n * sizeof *record, record);
}

hf_status hf_trace_write(const char *path, const struct hf_trace *trace,
                         const struct hf_run_description *run, const struct hf_record *record,
                         const struct hf_scf_result *result, struct hf_error *error)
{
    struct hf_context *context = record->context;
    struct hf_output_file file = {0};
    struct hf_error why = {0};
    hf_status status = HF_OK;
    const int64_t n_record = hf_trace_n_record(trace);
    if (context->rank == 0 && !hf_output_file_begin(path, &file))
        status = hf_fail(&why, HF_NO_RESOURCE, "%s", strerror(errno));
    if (file.stream != NULL) status = write_header(&file, run, record, result, n_record, &why);
    status = hf_agree(context->comm, status, &why);
    if (status == HF_OK) status = hf_trace_collect(trace, write_records, &file, &why);
    if (file.why != 0) status = hf_fail(&why, HF_NO_RESOURCE, "%s", strerror(file.why));
    if (file.stream != NULL && !hf_output_file_end(&file, status == HF_OK) && status == HF_OK)
        status = hf_fail(&why, HF_NO_RESOURCE, "%s", strerror(errno));
    status = hf_agree(context->comm, status, &why);
    if (status != HF_OK)
        hf_fail(error, status, "%s: the trace cannot be written: %s", path, why.message);
    return status;
}
