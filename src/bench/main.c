/* hf-bench: from a command line to a table of measurements and an exit code. */
#include "bench.h"

#include "cli/program.h"
#include "text/output_file.h"

enum { FOUND_WRONG = 1 };

/** Sets up a run from the launch and the options. */
static hf_status prepare(struct hf_bench *bench, const struct hf_bench_command *command,
                         struct hf_error *error)
{
    const struct hf_bench_kernel *kernel = command->kernel;
    bench->kernel = kernel;
    bench->input = command->input;
    bench->options = &command->options;
    bench->quick = hf_options_flag(&command->options, "quick");
    bench->n_repeat = bench->quick ? kernel->n_repeat_quick : kernel->n_repeat;
    if (hf_options_given(&command->options, "repeat") != NULL)
        bench->n_repeat = hf_options_integer(&command->options, "repeat");
    bench->stream = bench->context->rank == 0 ? stdout : NULL;
    if (bench->context->n_rank >= kernel->least_ranks) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%s needs at least %d ranks, found %d; start it as mpiexec -n %d hf-bench %s",
                   kernel->name, kernel->least_ranks, bench->context->n_rank, kernel->least_ranks,
                   kernel->name);
}

/** Measures and reports; what was printed stays printed when something fails later. */
static hf_status measure(struct hf_bench *bench, const char *json_path, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *context = bench->context;
    struct hf_json_document document = {0};
    const struct hf_json root = hf_json_begin(&document);
    bench->results = hf_bench_json_begin(bench, root);
    hf_bench_print_header(bench);
    HF_TRY(bench->kernel->run(bench, error));
    if (json_path != NULL && context->rank == 0) status = hf_json_save(json_path, root, error);
    HF_TRY(hf_agree(context->comm, status, error));
    if (context->rank == 0) status = hf_standard_output_check(bench->lost, error);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    cJSON_Delete(root.at);
    return status;
}

/** Help or versions, without MPI; returns the exit code. */
static int print_and_stop(enum hf_bench_action action, struct hf_error *error)
{
    if (hf_launch_rank() != 0) return 0;
    (action == HF_BENCH_ACTION_HELP ? hf_bench_print_help : hf_bench_print_version)(stdout);
    const hf_status status = hf_standard_output_check(0, error);
    if (status != HF_OK) hf_print_error("hf-bench", error);
    return hf_exit_code(status, error);
}

/** Everything between MPI_Init and MPI_Finalize; returns the exit code, the same on every rank.
 *  `status` and `error` come from reading the command line. */
static int run(const struct hf_bench_command *command, hf_status status, bool *stuck_in_mpi,
               struct hf_error *error)
{
    struct hf_launch launch;
    struct hf_context *context = NULL;
    struct hf_bench bench = {0};

    HF_TRY(hf_agree(MPI_COMM_WORLD, status, error));
    HF_TRY(hf_launch_check(MPI_COMM_WORLD, &launch, error));
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &context, error));
    bench.context = context;
    bench.n_core = launch.n_core;
    bench.n_rank_on_node = launch.n_rank_on_node;
    HF_TRY(prepare(&bench, command, error));
    const char *json_path = hf_options_text(&command->options, "json");
    if (json_path != NULL)
        HF_TRY(hf_output_file_check(context, json_path, "the JSON file", "--json", error));
    if (bench.kernel->prepare != NULL) HF_TRY(bench.kernel->prepare(&bench, error));
    HF_TRY(measure(&bench, json_path, error));
cleanup:
    if (bench.kernel != NULL && bench.kernel->done != NULL) bench.kernel->done(&bench);
    if (status != HF_OK) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) hf_print_error("hf-bench", error);
    }
    *stuck_in_mpi = context != NULL && context->stuck_in_mpi;
    hf_output_files_let_go(context);
    hf_context_destroy(&context);
    return status == HF_OK && bench.found_wrong ? FOUND_WRONG : hf_exit_code(status, error);
}

int main(int argc, char **argv)
{
    struct hf_bench_command command;
    struct hf_error error = {0}, start_error;
    int provided, exit_code = 0;
    bool tells;

    if (!hf_standard_streams_open()) return HF_NO_RESOURCE; /* there is no stream for a message */
    const hf_status status = hf_bench_command_parse(argc, argv, &command, &error);
    if (status == HF_OK && command.action != HF_BENCH_ACTION_RUN) {
        exit_code = print_and_stop(command.action, &error);
    } else if (hf_start_check(&tells, &start_error) != HF_OK) {
        if (tells) hf_print_error("hf-bench", &start_error);
        exit_code = HF_NO_RESOURCE;
    } else {
        bool stuck_in_mpi = false;
        hf_write_signals_ignore();
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        exit_code = run(&command, status, &stuck_in_mpi, &error);
        hf_leave_mpi(stuck_in_mpi, exit_code);
    }
    hf_bench_command_done(&command);
    return exit_code;
}
