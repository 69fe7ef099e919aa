/* hf: from a command line to an energy and an exit code. */
#include "cli/cli.h"
#include "each/combination.h"
#include "hf/interruption.h"
#include "serve/serve.h"

#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { NOT_CONVERGED = 1 };

/** Computes and reports. *exit_code is set when nothing failed. */
static hf_status calculate(struct hf_calculation *calculation, struct hf_report *report,
                           int *exit_code, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_scf_result result = {0};
    struct hf_wavefunction wavefunction = {0};
    struct hf_interruption *interruption = calculation->context->interruption;
    struct hf_watch watch = {report, interruption,
                             calculation->json_path == NULL && calculation->trace_path == NULL};
    hf_interruption_watch(interruption, hf_signals_progress, &watch);
    HF_TRY(hf_calculation_run(calculation, report, &result, &wavefunction, error));
    *exit_code = result.converged && calculation->structure_found ? 0 : NOT_CONVERGED;
cleanup:
    hf_interruption_watch(interruption, hf_signals_asked, NULL);
    hf_wavefunction_done(&wavefunction);
    return status;
}

/** Does what a driver asks for. */
static hf_status serve(struct hf_calculation *calculation, struct hf_report *report,
                       const struct hf_options *options, struct hf_error *error)
{
    hf_report_header(report, &calculation->description, calculation->record);
    const hf_status status = hf_serve_calculation(calculation, options, stdout, error);
    if (status == HF_INTERRUPTED) hf_report_interrupted(report, error->message);
    return status;
}

/** What the launch adds to a calculation that is prepared, and its report. Drivers such as ASE keep the report of a served
 *  calculation where nobody reads it: warnings of the launch then also go to standard error. Not collective. */
static hf_status take_launch(struct hf_calculation *calculation, const struct hf_launch *launch,
                             bool serves, struct hf_report **report, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_input *input = &calculation->input;
    const int n_thread = calculation->settings.fock.n_thread, n_before = input->n_warning;
    HF_TRY(hf_launch_warn(launch, n_thread, input, error));
    if (serves && calculation->context->rank == 0)
        hf_print_warnings("hf", input->n_warning - n_before, input->warning + n_before);
    HF_TRY(hf_report_create(calculation->context, stdout, report, error));
    hf_launch_use_threads(n_thread);
    calculation->description.n_node = launch->n_node;
    calculation->description.n_core = launch->n_core;
    calculation->description.n_numa = launch->n_numa;
    hf_calculation_describe_warnings(calculation);
cleanup:
    return status;
}

/** Whether what rank 0 printed has arrived. Collective. */
static hf_status finish_printing(const struct hf_context *context, const struct hf_report *report,
                                 struct hf_error *error)
{
    hf_status status = HF_OK;
    const int lost = report != NULL ? hf_report_lost(report) : 0;
    if (context->rank == 0) status = hf_standard_output_check(lost, error);
    return hf_agree(context->comm, status, error);
}

/** Computes many molecules or, if `calculation` is not NULL, a combination of several calculations of its input; or
 *  estimates what that takes. Collective. */
static hf_status compute_each(struct hf_context *context, struct hf_command *command,
                              const struct hf_launch *launch, struct hf_calculation *calculation,
                              int *exit_code, struct hf_error *error)
{
    bool all_good = true;
    struct hf_input warnings = {.arena = {.label = "warnings"}};
    const int n_thread = hf_options_integer(&command->options, "threads");
    const struct hf_each_settings each = {
        .source = {.n_path = command->n_path, .path = command->all_paths},
        .options = &command->options,
        .rehearsal = command->action == HF_ACTION_CHECK,
        .out = context->rank == 0 ? stdout : NULL,
        .progress = context->rank == 0 && isatty(STDERR_FILENO) == 1 ? stderr : NULL,
        .asked = hf_signals_asked,
    };
    const struct hf_combination_settings combination = {calculation, command->path,
                                                        &command->options, each};
    hf_status status = hf_launch_warn(launch, n_thread, &warnings, error);
    HF_TRY(hf_agree(context->comm, status, error));
    if (context->rank == 0) hf_print_warnings("hf", warnings.n_warning, warnings.warning);
    hf_launch_use_threads(n_thread);
    HF_TRY(calculation != NULL ? hf_combine(context, &combination, error)
                               : hf_each(context, &each, &all_good, error));
    *exit_code = all_good || each.rehearsal ? 0 : NOT_CONVERGED;
    HF_TRY(finish_printing(context, NULL, error));
cleanup:
    hf_input_done(&warnings);
    return status;
}

/** Runs the self-test and sets the exit code. Collective. */
static hf_status self_test(struct hf_context *context, const char *size, int *exit_code,
                           struct hf_error *error)
{
    bool passed = false;
    const bool quick = size == NULL || strcmp(size, "full") != 0;
    const hf_status status = hf_self_test(context, quick, &passed, error);
    if (status != HF_OK) return status;
    *exit_code = passed ? 0 : (int)HF_NO_RESOURCE;
    return finish_printing(context, NULL, error);
}

/** What is in the checkpoint. */
static hf_status show(const char *path, struct hf_error *error)
{
    struct hf_checkpoint checkpoint;
    hf_status status = hf_checkpoint_read(path, &checkpoint, error);
    if (status == HF_OK) status = hf_checkpoint_check_numbers(&checkpoint, error);
    if (status == HF_OK) hf_checkpoint_print(&checkpoint, stdout);
    hf_checkpoint_done(&checkpoint);
    return status;
}

/** Help, versions, basis sets or a checkpoint, without MPI; returns the exit code. Rank 0 does it
 *  alone: a launcher that sees another rank fail kills rank 0 in the middle of its message. */
static int print_and_stop(const struct hf_command *command, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (hf_launch_rank() != 0) return 0;
    if (command->action == HF_ACTION_LIST_BASIS)
        status = hf_print_basis_sets(stdout, command->word, error);
    if (command->action == HF_ACTION_HELP) status = hf_print_help(stdout, command->word, error);
    if (command->action == HF_ACTION_SHOW) status = show(command->path, error);
    if (command->action == HF_ACTION_VERSION) hf_print_version(stdout);
    if (status == HF_OK) status = hf_standard_output_check(0, error);
    if (status != HF_OK) hf_print_error("hf", error);
    return hf_exit_code(status, error);
}

/** Prints a failure and writes it to the JSON file; --check writes no files. */
static void report_failure(const struct hf_calculation *calculation,
                           const struct hf_command *command, hf_status status,
                           const struct hf_error *error)
{
    struct hf_error unwritten = {0};
    hf_print_error("hf", error);
    if (command->action != HF_ACTION_RUN || hf_options_flag(&command->options, "each")) return;
    status = hf_calculation_write_failure(calculation, &command->options, command->path, status,
                                          error, &unwritten);
    if (status != HF_OK) hf_print_error("hf", &unwritten);
}

/** Says on stderr, too, that a checkpoint could not be written: the report may be in a file. */
static void warn_of_checkpoint(const struct hf_calculation *calculation)
{
    const char *warning = hf_calculation_checkpoint_warning(calculation);
    if (warning != NULL && calculation->context->rank == 0)
        fprintf(stderr, "hf: warning: %s\n", warning);
}

/** Refuses different command lines: rank 0's would be computed, and the others would be lost. Collective. */
static hf_status check_same(const struct hf_command *command, struct hf_error *error)
{
    static const char *const name[] = {"the command line"};
    uint64_t sum = hf_hash_add(HF_HASH_EMPTY, sizeof command->action, &command->action);
    sum = hf_hash_add_text(sum, command->word);
    for (int i = 0; i < command->n_path; i++) sum = hf_hash_add_text(sum, command->all_paths[i]);
    for (int i = 0; i < command->options.n_value; i++) {
        const struct hf_option_value *value = &command->options.value[i];
        sum = hf_hash_add_text(hf_hash_add_text(sum, value->option->key), value->text);
    }
    return hf_agree_on_same(MPI_COMM_WORLD, 1, name, &sum, error);
}

/** Everything between MPI_Init and MPI_Finalize; returns the exit code, the same on every rank.
 *  `status` and `error` are what reading the command line gave. */
static int run(struct hf_command *command, hf_status status, bool *stuck_in_mpi,
               struct hf_error *error)
{
    int exit_code = 0;
    struct hf_launch launch;
    struct hf_context *context = NULL;
    struct hf_calculation calculation = {0};
    struct hf_report *report = NULL;
    const bool check = command->action == HF_ACTION_CHECK;
    bool serves = false;

    HF_TRY(hf_agree(MPI_COMM_WORLD, status, error));
    HF_TRY(check_same(command, error));
    HF_TRY(hf_launch_check(MPI_COMM_WORLD, &launch, error));
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &context, error));
    hf_interruption_watch(context->interruption, hf_signals_asked, NULL);
    hf_interruption_set_stopped(context->interruption, hf_signals_stopped);
    if (command->action == HF_ACTION_SELF_TEST) {
        HF_TRY(self_test(context, command->word, &exit_code, error));
        goto cleanup;
    }
    if (hf_options_flag(&command->options, "each")) {
        HF_TRY(compute_each(context, command, &launch, NULL, &exit_code, error));
        goto cleanup;
    }
    hf_calculation_begin(&calculation, context);
    if (command->path != NULL)
        HF_TRY(hf_input_read(context, command->path, &command->options, &calculation.input, error));
    if (hf_combination_is_asked(&command->options)) {
        HF_TRY(compute_each(context, command, &launch, &calculation, &exit_code, error));
        goto cleanup;
    }
    HF_TRY(hf_calculation_take_restart(&calculation, &command->options, error));
    HF_TRY(hf_agree(context->comm, hf_serve_settle(&command->options, &serves, error), error));
    HF_TRY(hf_calculation_prepare(&calculation, &command->options, check, error));
    status = take_launch(&calculation, &launch, serves, &report, error);
    HF_TRY(hf_agree(context->comm, status, error));
    if (check)
        hf_calculation_print_check(&calculation, stdout);
    else if (serves)
        HF_TRY(serve(&calculation, report, &command->options, error));
    else
        HF_TRY(calculate(&calculation, report, &exit_code, error));
    HF_TRY(finish_printing(context, report, error));
cleanup:
    warn_of_checkpoint(&calculation);
    if (status != HF_OK) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        exit_code = hf_exit_code(status, error);
        if (rank == 0) {        /* also of each process that MPI did not join */
            if (report == NULL) /* which shows them */
                hf_print_warnings("hf", calculation.input.n_warning, calculation.input.warning);
            report_failure(&calculation, command, status, error);
        }
    }
    hf_report_destroy(&report);
    hf_calculation_done(&calculation);
    *stuck_in_mpi = context != NULL && context->stuck_in_mpi;
    hf_context_destroy(&context);
    return exit_code;
}

int main(int argc, char **argv)
{
    struct hf_command command;
    struct hf_error error = {0}, start_error;
    int provided, exit_code = 0;
    bool reports;

    if (!hf_standard_streams_open()) return HF_NO_RESOURCE; /* no stream for a message */
    hf_checkpoint_leave_open_at_exit();
    const hf_status status = hf_command_parse(argc, argv, &command, &error);
    if (status == HF_OK && command.action >= HF_ACTION_HELP) {
        exit_code = print_and_stop(&command, &error);
    } else if (hf_start_check(&reports, &start_error) != HF_OK) {
        const struct hf_calculation none = {0};
        if (reports) report_failure(&none, &command, HF_NO_RESOURCE, &start_error);
        exit_code = HF_NO_RESOURCE;
    } else {
        bool stuck_in_mpi = false;
        hf_write_signals_ignore();
        hf_transports_choose();
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        hf_signals_catch();
        exit_code = run(&command, status, &stuck_in_mpi, &error);
        hf_leave_mpi(stuck_in_mpi || hf_signals_lose_exit_code(exit_code), exit_code);
    }
    hf_command_done(&command);
    return exit_code;
}
