/* Computes one molecule of a job; see each_private.h. */
#include "each_private.h"

#include "hf/interruption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A molecule while it is computed. */
struct work {
    struct hf_options options;
    struct hf_calculation calculation;
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction;
    struct hf_report *report;
    FILE *stream; /**< of the report, into `text`; NULL: it is not wanted */
    char *text;
    size_t n_text;
    bool from_orbitals; /**< of a molecule before */
};

/** Adds the options of the command line. Those of basis sets count only if the record names none, so they come after
 *  it (`basis`); the others have a lower level than those of the record. */
static hf_status add_options(const struct hf_options *from, bool basis, struct hf_options *to,
                             struct hf_error *error)
{
    const enum hf_option_level level = basis ? HF_OPTION_COMMAND_LINE : HF_OPTION_RESTART;
    for (int i = 0; i < from->n_value; i++) {
        const struct hf_option_value *value = &from->value[i];
        if ((strcmp(value->option->key, "basis") == 0) != basis || hf_each_is_of_job(value->option))
            continue;
        HF_CHECK(hf_options_add(to, value->option, hf_rest_of_line(value->text), level,
                                value->where, error));
    }
    return HF_OK;
}

/** Everything about the record that needs no other rank. */
static hf_status read_alone(const struct hf_each_worker *worker,
                            const struct hf_molecule_record *record, struct hf_options *options,
                            struct hf_input *input, struct hf_error *error)
{
    hf_options_init(options, hf_option_table());
    HF_CHECK(add_options(worker->options, false, options, error));
    if (record->problem != NULL)
        return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", record->name, record->problem);
    HF_CHECK(hf_input_from_string(record->name, record->text, options, input, error));
    HF_CHECK(hf_each_check_record(options, worker->whole, error));
    for (int i = 0; i < options->n_value; i++) /* it needs no option json: there is a document */
        if (strcmp(options->value[i].option->key, "json_orbitals") == 0)
            options->value[i].level = HF_OPTION_RESTART;
    if (hf_options_given(options, "basis") != NULL) return HF_OK;
    return add_options(worker->options, true, options, error);
}

hf_status hf_molecule_read(const struct hf_each_worker *worker,
                           const struct hf_molecule_record *record, struct hf_options *options,
                           struct hf_calculation *calculation, struct hf_error *error)
{
    struct hf_context *context = worker->context;
    const hf_status status = read_alone(worker, record, options, &calculation->input, error);
    HF_CHECK(hf_agree(context->comm, status, error));
    return hf_input_read_point_charges(context, options, &calculation->input, error);
}

/** Stores all integrals of a small molecule from the first build on. To weigh which ones are worthwhile takes a third of
 *  the time of water/def2-SVP. */
static void store_all_of_few(struct hf_calculation *calculation)
{
    struct hf_fock_settings *fock = &calculation->settings.fock;
    const double few_bytes = 256e6;
    if (calculation->need.stored < fmin(few_bytes, fock->memory_bytes)) fock->store_weighed = false;
}

/** Keeps orbitals for the next molecule. Without memory for them this molecule is good nevertheless. */
static void keep_orbitals(struct hf_each_worker *worker, struct work *work)
{
    struct hf_error unused;
    const hf_status status =
        hf_each_start_keep(worker->start, &work->calculation, &work->wavefunction, &unused);
    if (status != HF_OK) hf_each_start_done(worker->start);
}

/** From the record to the wave function and quantities. */
static hf_status compute(struct hf_each_worker *worker, const struct hf_molecule_record *record,
                         bool may_start, struct work *work, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = worker->context;
    struct hf_calculation *calculation = &work->calculation;
    context->timers = (struct hf_timers){.n_phase = 0};
    hf_calculation_begin(calculation, context);
    calculation->no_files = true;
    HF_TRY(hf_molecule_read(worker, record, &work->options, calculation, error));
    HF_TRY(hf_calculation_prepare(calculation, &work->options, false, error));
    calculation->description.of_many = !worker->whole;
    store_all_of_few(calculation);
    if (worker->start != NULL && may_start)
        HF_TRY(hf_each_start_use(worker->start, calculation, &work->from_orbitals, error));
    if (worker->whole && context->rank == 0 && hf_request_wants_report(&calculation->input.request))
        work->stream = open_memstream(&work->text, &work->n_text);
    status = hf_report_create(context, work->stream, &work->report, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(
        hf_calculation_run(calculation, work->report, &work->result, &work->wavefunction, error));
    if (worker->start != NULL && work->result.converged && calculation->structure_found)
        keep_orbitals(worker, work);
cleanup:
    return status;
}

static void work_done(struct work *work)
{
    hf_wavefunction_done(&work->wavefunction);
    hf_report_destroy(&work->report);
    if (work->stream != NULL) fclose(work->stream);
    free(work->text);
    if (work->calculation.context != NULL) hf_calculation_done(&work->calculation);
    hf_options_done(&work->options);
    *work = (struct work){.report = NULL};
}

static void put_failure(struct hf_json root, const struct hf_molecule_record *record,
                        const struct work *work, hf_status status, const struct hf_error *failure)
{
    const struct hf_calculation *calculation = &work->calculation;
    const bool described = calculation->description.molecule != NULL;
    const struct hf_json_failure content = {
        .type = hf_failure_type(status, failure),
        .message = failure->message,
        .input_path = record->name,
        .request = &calculation->input.request,
        .run = described ? &calculation->description : NULL,
        .record = calculation->record,
        .n_warning = calculation->input.n_warning,
        .warning = (const char *const *)calculation->input.warning,
    };
    hf_json_put_failure(root, &content);
}

/** A text of what `print` writes; NULL: no memory. */
static char *to_text(const cJSON *root, const struct hf_each_worker *worker, bool is_xyz)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    if (is_xyz)
        hf_xyz_print(stream, root, worker->files->hartree);
    else
        hf_csv_print(stream, root);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

/** The lines of a result or, with another status than HF_OK, of a failure. Local, on the first rank. */
static hf_status make_lines(const struct hf_each_worker *worker,
                            const struct hf_molecule_record *record, uint64_t hash,
                            struct work *work, hf_status status, const struct hf_error *failure,
                            struct hf_molecule_result *result, struct hf_error *error)
{
    struct hf_json_document document = {0};
    const struct hf_json root = hf_json_begin(&document);
    if (work->stream != NULL && fflush(work->stream) == 0)
        work->calculation.description.report = work->text;
    const bool wants_xyz = worker->files->xyz != NULL, wants_csv = worker->files->csv != NULL;
    const struct hf_calculation *calculation = &work->calculation;
    if (status == HF_OK)
        hf_json_put_run(root, &calculation->description, calculation->record, &work->result,
                        &work->wavefunction);
    else
        put_failure(root, record, work, status, failure);
    if (!worker->whole) hf_lines_identify(root, record, hash, result);
    result->good = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root.at, "success"));
    if (!document.failed) result->json = cJSON_PrintUnformatted(root.at);
    if (wants_xyz) result->xyz = to_text(root.at, worker, true);
    if (wants_csv) result->csv = to_text(root.at, worker, false);
    cJSON_Delete(root.at);
    if (result->json != NULL && (result->xyz != NULL || !wants_xyz) &&
        (result->csv != NULL || !wants_csv))
        return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "%.400s: out of memory for the lines of its result",
                   record->name);
}

hf_status hf_molecule_compute(struct hf_each_worker *worker,
                              const struct hf_molecule_record *record, uint64_t hash,
                              struct hf_molecule_result *result, struct hf_error *error)
{
    struct work work = {.report = NULL};
    struct hf_error failure = {0};
    struct hf_context *context = worker->context;
    const double began = hf_wall_seconds();
    *result = (struct hf_molecule_result){.n_rank = context->n_rank};
    hf_status status = compute(worker, record, true, &work, &failure);
    const bool unconverged =
        status == HF_NOT_CONVERGED || (status == HF_OK && !work.result.converged);
    const bool again = work.from_orbitals && unconverged;
    if (again) { /* those orbitals did not lead to a solution */
        work_done(&work);
        hf_each_start_done(worker->start);
        status = compute(worker, record, false, &work, &failure);
    }
    result->seconds = hf_wall_seconds() - began;
    if (work.calculation.basis != NULL) result->n_function = work.calculation.basis->n_function;
    if (status == HF_INTERRUPTED)
        *error = failure;
    else if (context->rank == 0)
        status = make_lines(worker, record, hash, &work, status, &failure, result, error);
    else
        status = HF_OK;
    work_done(&work);
    return status == HF_INTERRUPTED ? status : hf_agree(context->comm, status, error);
}

void hf_molecule_result_done(struct hf_molecule_result *result)
{
    free(result->json);
    free(result->xyz);
    free(result->csv);
    *result = (struct hf_molecule_result){.good = false};
}
