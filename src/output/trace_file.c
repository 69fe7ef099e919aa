/* The file of a trace: one line of JSON that says what ran, then the records as they are. Read by
 * tools/lab/trace.py. */
#include "output/output.h"

#include "output_private.h"

#include "basis/basis_description.h"
#include "coulomb/coulomb.h"
#include "fock/fock.h"
#include "local/local_mp2.h"
#include "scf/quantity.h"
#include "text/json.h"
#include "text/output_file.h"
#include "text/trace.h"

#include <string.h>

enum { VERSION = 1 };

static void put_kinds(struct hf_json root, const struct hf_context *context)
{
    const struct hf_json kinds = hf_json_array(root, "kinds", NULL, "kinds of records");
    for (int i = 0; i < hf_trace_n_kind(context); i++)
        HF_APPEND(kinds, hf_trace_kind_name(context, i));
}

static void put_run(struct hf_json to, const struct hf_run_description *run,
                    const struct hf_record *record, const struct hf_scf_result *result)
{
    const struct hf_context *context = record->context;
    const struct hf_fock_settings *fock = &run->settings->fock;
    const int n_thread = fock->n_thread > 1 ? fock->n_thread : 1;
    const int tasks_for = fock->tasks_for > 0 ? fock->tasks_for : context->n_rank;
    HF_PUT(to, "hf_version", hf_version(), NULL, "version of hf");
    HF_PUT(to, "build_remark", record->build_remark, NULL,
           "why times mean little (debugging, sanitizers), or null");
    HF_PUT(to, "input_path", run->input_path, NULL, "input file");
    HF_PUT(to, "title", run->molecule->title, NULL, "title of the calculation");
    HF_PUT(to, "basis", run->basis->name, NULL, "basis set");
    HF_PUT(to, "n_atom", run->molecule->n_atom, NULL, "atoms");
    HF_PUT(to, "n_shell", result->last_build.n_shell, NULL,
           "shells in which integrals are computed");
    HF_PUT(to, "n_function", run->basis->n_function, NULL, "basis functions");
    HF_PUT(to, "n_occupied", result->n_occupied[0], NULL, "alpha electrons");
    HF_PUT(to, "method", run->settings->method, NULL, "method of the SCF");
    HF_PUT(to, "n_rotation", result->n_rotation, NULL, "orbitals found by rotation");
    HF_PUT(to, "n_sweep", result->n_sweep, NULL, "sweeps of rotations");
    HF_PUT(to, "n_rank", context->n_rank, NULL, "MPI processes");
    HF_PUT(to, "n_thread", n_thread, NULL, "threads of each process");
    HF_PUT(to, "n_core_on_node", run->n_core, NULL,
           "cores of a node that the processes may use; 0: unknown");
    HF_PUT(to, "fock", fock->builder, NULL, "`--fock`");
    HF_PUT(to, "schedule", fock->schedule.name, NULL, "`--schedule`");
    HF_PUT(to, "onesided", result->last_build.transport, NULL, "`--onesided`, or null");
    HF_PUT(to, "tasks_for", tasks_for, NULL, "ranks that the work is divided for");
    HF_PUT(to, "grain", hf_grain_name(fock->grain), NULL, "`--grain`");
    HF_PUT(to, "memory_bytes", fock->memory_bytes, "bytes", "room for stored integrals of a rank");
    HF_PUT(to, "screening", run->settings->screening_threshold, "hartree", "`--screening`");
    HF_PUT(to, "converged", result->converged, NULL, "the SCF converged");
    HF_PUT(to, "energy", result->energy, "hartree", "energy of the SCF");
}

/** Blocks are counted over all builds: `before` is the build before, or NULL. */
static void put_build(struct hf_json to, const struct hf_fock_account *build,
                      const struct hf_fock_account *before)
{
    const struct hf_block_counts none = {0}, *first = before != NULL ? &before->blocks : &none;
    const struct hf_block_counts *last = &build->blocks;
    HF_PUT(to, "number", build->number, NULL, "number in the records; trial builds are not listed");
    HF_PUT(to, "n_task", build->n_listed, NULL, "tasks, with those that screening left empty");
    HF_PUT(to, "threshold", build->threshold, "hartree", "threshold of the screening");
    HF_PUT(to, "quartets_total", build->n_quartet_total, NULL, "unique shell quartets");
    HF_PUT(to, "quartets_computed", build->n_quartet_computed, NULL,
           "shell quartets that were computed");
    HF_PUT(to, "quartets_read", build->n_quartet_read, NULL, "shell quartets read from the store");
    HF_PUT(to, "coulomb_numbers_of_kets", build->n_coulomb_ket, NULL,
           "numbers of kets sent to all nodes");
    HF_PUT(to, "coulomb_numbers_sent", build->n_coulomb_sent, NULL,
           "numbers of H and V sent to single nodes");
    HF_PUT(to, "coulomb_products", build->n_coulomb_product, NULL,
           "products of primitives that the numbers belong to");
    HF_PUT(to, "stored_bytes", build->stored_bytes, "bytes", "stored integrals of all ranks");
    HF_PUT(to, "stored_share_of_cost", build->stored_share, NULL,
           "share of the cost that is stored, 0 to 1, an estimate");
    HF_PUT(to, "blocks_asked", last->n_asked - first->n_asked, NULL, "blocks that were needed");
    HF_PUT(to, "blocks_cached", last->n_cached - first->n_cached, NULL, "found in the cache");
    HF_PUT(to, "blocks_own", last->n_own - first->n_own, NULL, "owned by the rank");
    HF_PUT(to, "sums_sent", last->n_sent - first->n_sent, NULL, "blocks sent to other ranks");
}

static void put_builds(struct hf_json root, const struct hf_record *record)
{
    const struct hf_json builds = hf_json_array(root, "builds", NULL, "Fock builds");
    for (int i = 0; i < HF_COUNT(builds, record->n_iteration); i++)
        put_build(hf_json_row(builds), &record->iteration[i].build,
                  i > 0 ? &record->iteration[i - 1].build : NULL);
}

/** Constants of what tools/replay cannot run and models. */
static void put_model(struct hf_json root)
{
    const struct hf_json to =
        hf_json_object(root, "model", "constants of hf for models of what it does on many ranks");
    hf_basis_put_model(hf_json_object(to, "basis", ""));
    hf_fock_put_model(hf_json_object(to, "fock", ""));
    hf_coulomb_put_model(hf_json_object(to, "coulomb", ""));
    hf_local_put_model(hf_json_object(to, "local_mp2", ""));
}

/** What the JSON file has under "extras.hf" of the method that corrects the energy, if there is one. */
static void put_extras(struct hf_json root, const struct hf_run_description *run)
{
    const struct hf_json rest = hf_json_begin(root.of);
    const struct hf_json_places to = {
        .result = rest, .properties = rest, .extras = hf_json_object(root, "extras", "")};
    for (int i = 0; i < run->n_quantity; i++) {
        const struct hf_quantity *quantity = &run->quantity[i];
        if (quantity->made && quantity->ops->energy != NULL && quantity->ops->json != NULL)
            quantity->ops->json(quantity, &to);
    }
    cJSON_Delete(rest.at);
}

void hf_trace_put_header(struct hf_json root, const struct hf_run_description *run,
                         const struct hf_record *record, const struct hf_scf_result *result,
                         int64_t n_record)
{
    HF_PUT(root, "format", "hf-trace", NULL, "name of the file's format");
    HF_PUT(root, "version", VERSION, NULL, "version of the format");
    HF_PUT(root, "record_bytes", (int)sizeof(struct hf_trace_record), "bytes", "size of a record");
    HF_PUT(root, "n_record", n_record, NULL, "records");
    put_kinds(root, record->context);
    put_run(root, run, record, result);
    put_builds(root, record);
    put_model(root);
}

/** Writes the header's line. Whether it was written is looked at when the file is closed. */
static hf_status write_header(struct hf_output_file *file, const struct hf_run_description *run,
                              const struct hf_record *record, const struct hf_scf_result *result,
                              int64_t n_record, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_json_document document = {0};
    const struct hf_json root = hf_json_begin(&document);
    hf_trace_put_header(root, run, record, result, n_record);
    put_extras(root, run);
    char *text = document.failed ? NULL : cJSON_PrintUnformatted(root.at);
    if (text == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the trace");
    else if (hf_output_file_write(file, strlen(text), text))
        (void)hf_output_file_write(file, 1, "\n");
    cJSON_free(text);
    cJSON_Delete(root.at);
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
    struct hf_output_file file;
    hf_status status;
    const int64_t n_record = hf_trace_n_record(trace);
    HF_TRY(hf_output_file_open(context, path, "the trace", &file, error));
    if (context->rank == 0) status = write_header(&file, run, record, result, n_record, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_trace_collect(trace, write_records, &file, error));
cleanup:
    return hf_output_file_close(context, &file, status, error);
}
