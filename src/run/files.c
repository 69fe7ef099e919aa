/* The files that a calculation writes: none instead of another, each tried before it computes, and
 * in the JSON file a failure when there are no results. */
#include "calculation_private.h"

#include "text/json.h"
#include "text/output_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A list being made. */
struct list {
    int n;
    int64_t room;
    struct hf_run_file *file;
    struct hf_arena arena; /**< has it; the caller releases it */
};

static void add_file(struct list *list, const char *where, const char *what, const char *path,
                     bool is_input)
{
    if (path != NULL &&
        hf_arena_grow(&list->arena, &list->file, list->n + 1, &list->room, sizeof *list->file))
        list->file[list->n++] = (struct hf_run_file){where, what, path, is_input};
}

/** The file that an option names, if any. */
static void add_option(struct list *list, const struct hf_options *options, const char *key,
                       const char *what, bool is_input)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    if (given != NULL) add_file(list, given->where, what, given->text, is_input);
}

/** The checkpoints that are read and written by name; they may be one file. */
static void add_checkpoints(struct list *list, const struct hf_options *options)
{
    const struct hf_option_value *to = hf_options_given(options, "checkpoint"),
                                 *from = hf_options_given(options, "restart");
    if (to != NULL && (strcmp(to->text, "auto") == 0 || strcmp(to->text, "none") == 0)) to = NULL;
    if (to != NULL) add_file(list, to->where, "the checkpoint", to->text, false);
    if (from != NULL && (to == NULL || strcmp(from->text, to->text) != 0))
        add_file(list, from->where, "the checkpoint", from->text, true);
}

/** All files that the calculation knows of by now. False: no memory.
 *  Standard streams have names in Linux: a shell may have made files of them. A basis set that no
 *  file has the name of is one of the library. */
static bool list_files(const struct hf_calculation *calculation, const struct hf_options *options,
                       const char *input_path, struct list *list)
{
    const struct hf_guess_file *guess = calculation->guess_file;
    *list = (struct list){.arena = {.label = "the list of files"}};
    add_file(list, "input", "the input file", input_path, true);
    add_option(list, options, "point_charges_file", "the file of point charges", true);
    for (int i = 0; guess != NULL && i < guess->n_source; i++)
        add_file(list, guess->where, "the checkpoint of the guess", guess->source[i].path, true);
    for (int i = 0; i < calculation->n_choice; i++)
        add_file(list, calculation->choice[i].where, "a file of basis sets",
                 calculation->choice[i].name, true);
    add_file(list, "input", "where standard input comes from", "/dev/stdin", true);
    add_file(list, "report", "where standard output goes", "/dev/stdout", true);
    add_file(list, "report", "where standard error goes", "/dev/stderr", true);
    add_option(list, options, "json", "the JSON file", false);
    add_option(list, options, "trace", "the trace", false);
    for (int q = 0; q < calculation->n_quantity; q++) {
        const struct hf_quantity *quantity = &calculation->quantity[q];
        for (int i = 0; quantity->ops->path != NULL; i++) {
            const char *path = quantity->ops->path(quantity, i);
            if (path == NULL) break;
            add_file(list, hf_options_given(options, quantity->ops->option)->where,
                     quantity->ops->file, path, false);
        }
    }
    add_checkpoints(list, options);
    return !list->arena.failed;
}

hf_status hf_calculation_try_files(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *context = calculation->context;
    const struct hf_checkpoint *restart = calculation->restart;
    const char *input = calculation->input.path;
    struct list list;
    if (restart != NULL && strcmp(input, restart->path) == 0) input = NULL;
    if (!list_files(calculation, calculation->options, input, &list))
        status = hf_arena_check(&list.arena, error);
    else if (context->rank == 0)
        status = hf_output_files_check_apart(list.n, list.file, error);
    HF_TRY(hf_agree(context->comm, status, error));
    for (int i = 0; i < list.n; i++) {
        const struct hf_run_file *file = &list.file[i];
        if (file->is_input) continue;
        /* of a JSON file that cannot be written the message says all there is to say */
        calculation->json_is_closed = file->path == calculation->json_path;
        HF_TRY(hf_output_file_check(context, file->path, file->what, file->where, error));
        calculation->json_is_closed = false;
    }
cleanup:
    hf_arena_done(&list.arena);
    return status;
}

hf_status hf_calculation_write_files(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status = HF_OK, first = HF_OK;
    struct hf_error later;
    const struct hf_run_description *run = &calculation->description;
    const struct hf_scf_result *result = calculation->source.result;
    struct hf_record *record = calculation->record;
    if (calculation->json_path != NULL) {
        first = hf_json_write(calculation->json_path, run, record, result,
                              calculation->source.wavefunction, error);
        calculation->json_is_closed = first == HF_OK; /* no later failure is to take its place */
    }
    if (calculation->trace != NULL) {
        /* what is measured is not to have the measuring in it */
        hf_timer_stop(&calculation->context->timers, &hf_phase_output);
        status = hf_trace_write(calculation->trace_path, calculation->trace, run, record, result,
                                first == HF_OK ? error : &later);
        hf_timer_start(&calculation->context->timers, &hf_phase_output);
    }
    if (first == HF_OK) first = status;
    for (int i = 0; i < calculation->n_quantity; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        if (quantity->ops->write == NULL) continue;
        status = quantity->ops->write(quantity, first == HF_OK ? error : &later);
        if (first == HF_OK) first = status;
    }
    hf_output_files_let_go(calculation->context);
    return first != HF_OK ? first : status;
}

/** Whether a failure may replace the file: only if there is none or it is a JSON file. Another file of that
 *  name is probably a mistake, and is not taken for results. */
static bool may_replace(const char *path)
{
    struct stat about;
    char begin = '{';
    if (stat(path, &about) != 0) return true;
    if (!S_ISREG(about.st_mode)) return false;
    FILE *file = about.st_size > 0 ? fopen(path, "r") : NULL;
    if (file != NULL) {
        if (fscanf(file, " %c", &begin) != 1) begin = '{';
        fclose(file);
    }
    return begin == '{';
}

/** Whether the name is that of a file that is read, or of the report. */
static bool is_read(const struct hf_calculation *calculation, const struct hf_options *options,
                    const char *input_path, const char *path)
{
    struct list list;
    bool found = !list_files(calculation, options, input_path, &list);
    for (int i = 0; i < list.n; i++)
        found = found || (list.file[i].is_input && hf_same_file(path, list.file[i].path));
    hf_arena_done(&list.arena);
    return found;
}

const char *hf_failure_type(hf_status status, const struct hf_error *failure)
{
    if (status == HF_BAD_INPUT) return "input_error";
    if (status == HF_NOT_CONVERGED) return "convergence_error";
    if (status != HF_INTERRUPTED) return "resource_error";
    return failure->signal_number == HF_TIME_IS_UP ? "time_limit" : "interrupted";
}

hf_status hf_calculation_write_failure(const struct hf_calculation *calculation,
                                       const struct hf_options *options, const char *input_path,
                                       hf_status status, const struct hf_error *failure,
                                       struct hf_error *error)
{
    const char *path = hf_options_text(options, "json");
    const bool described = calculation->description.molecule != NULL;
    const struct hf_json_failure content = {
        .type = hf_failure_type(status, failure),
        .message = failure->message,
        .input_path = input_path,
        .request = &calculation->input.request,
        .run = described ? &calculation->description : NULL,
        .record = calculation->record,
        .n_warning = calculation->input.n_warning,
        .warning = (const char *const *)calculation->input.warning,
    };
    if (path == NULL || calculation->json_is_closed) return HF_OK;
    if (!may_replace(path) || is_read(calculation, options, input_path, path)) return HF_OK;
    status = hf_json_write_failure(path, &content, error);
    if (status == HF_OK || unlink(path) != 0) return status;
    return hf_json_write_failure(path, &content,
                                 error); /* where the old results were, there is room */
}

char *hf_calculation_file_name(struct hf_calculation *calculation, const char *ending)
{
    const char *json = calculation->json_path, *input = calculation->input.path;
    const char *name = strcmp(input, HF_STANDARD_INPUT) == 0 ? "hf" : hf_file_name(input);
    const char *dot = strrchr(name, '.');
    const int folder = json != NULL ? (int)(hf_file_name(json) - json) : 0;
    const int stem = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
    const size_t size = (size_t)folder + (size_t)stem + strlen(ending) + 1;
    char *path = HF_TAKE(&calculation->arena, path, size);
    if (path != NULL)
        snprintf(path, size, "%.*s%.*s%s", folder, json != NULL ? json : "", stem, name, ending);
    return path;
}
