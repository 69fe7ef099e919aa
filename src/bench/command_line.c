/* The command line of hf-bench: one kernel and a few options. */
#include "bench.h"

#include "cli/program.h"
#include "output/output.h"

#include <string.h>

const struct hf_bench_kernel *const hf_bench_kernel_list[] = {
    &hf_bench_pingpong,  &hf_bench_counter, &hf_bench_accumulate,
    &hf_bench_integrals, &hf_bench_fock,    NULL};

static const struct hf_option rows[] = {
    HF_ROW_FLAG("quick", "fewer and smaller measurements: a test, not a result", ),
    HF_ROW_INTEGER("repeat", NULL, 1, 10000, "measure each number N times and report the median", ),
    HF_ROW_TEXT("json", "FILE", "write all numbers to FILE as JSON", ),
    HF_ROW_TEXT("basis", "NAME", "basis set of the molecule, as for hf (integrals, fock)",
                .repeatable = true),
    HF_ROW_TEXT("screening", "X", "leave out shell quartets that contribute less (integrals, fock)",
                .unit = "hartree"),
    HF_ROW_TEXT("fock", "NAME", "Fock builder, as for hf (fock)", ),
    {0}};
static const struct hf_option *const table[] = {rows, NULL};
enum { N_OPTION = sizeof rows / sizeof *rows - 1, MAX_KERNEL = 20 };

void hf_bench_command_done(struct hf_bench_command *command)
{
    hf_options_done(&command->options);
    *command = (struct hf_bench_command){0};
}

static hf_status unknown_option(const char *argument, struct hf_word name, struct hf_error *error)
{
    const char *known[N_OPTION + 2] = {"help", "version"};
    for (int i = 0; i < N_OPTION; i++) known[i + 2] = rows[i].key;
    const char *nearest = hf_nearest_word(name, N_OPTION + 2, known);
    return hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'%s%s", argument,
                   nearest != NULL ? "; did you mean --" : "; hf-bench --help lists the options",
                   nearest != NULL ? nearest : "");
}

/** Reads the option argv[*i] with its value, which may be argv[*i + 1]. */
static hf_status read_option(int argc, char **argv, int *i, struct hf_bench_command *command,
                             struct hf_error *error)
{
    const char *argument = argv[*i], *equals = strchr(argument, '=');
    struct hf_word name = hf_word_of(argument + 2);
    if (equals != NULL) name.length = (int)(equals - name.begin);
    const struct hf_option *option = hf_option_find(table, name);
    if (option == NULL) return unknown_option(argument, name, error);
    return hf_command_read_value(argc, argv, i, option, &command->options, error);
}

/** Reads the kernel or, after a kernel that reads a molecule, the file of the molecule. */
static hf_status read_word(const char *argument, struct hf_bench_command *command,
                           struct hf_error *error)
{
    const struct hf_word word = hf_word_of(argument);
    const char *known[MAX_KERNEL];
    int n = 0;
    if (command->kernel != NULL && command->kernel->reads_molecule) {
        if (command->input != NULL)
            return hf_fail(error, HF_BAD_INPUT, "more than one file: '%.80s' and '%.80s'",
                           command->input, argument);
        command->input = argument;
        return HF_OK;
    }
    if (command->kernel != NULL)
        return hf_fail(error, HF_BAD_INPUT, "more than one kernel: '%.80s' and '%.80s'",
                       command->kernel->name, argument);
    for (; n < MAX_KERNEL && hf_bench_kernel_list[n] != NULL; n++) {
        known[n] = hf_bench_kernel_list[n]->name;
        if (hf_word_is(word, known[n])) command->kernel = hf_bench_kernel_list[n];
    }
    if (command->kernel != NULL) return HF_OK;
    const char *nearest = hf_nearest_word(word, n, known);
    return hf_fail(error, HF_BAD_INPUT, "unknown kernel '%.80s'%s%s", argument,
                   nearest != NULL ? "; did you mean " : "; hf-bench --help lists them",
                   nearest != NULL ? nearest : "");
}

/** Checks that there is a molecule if the kernel needs one, and otherwise no option about one. */
static hf_status check_molecule(const struct hf_bench_command *command, struct hf_error *error)
{
    static const char *const about_molecule[] = {"basis", "screening", "fock"};
    const struct hf_bench_kernel *kernel = command->kernel;
    if (kernel->reads_molecule && command->input == NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s needs a molecule; usage: hf-bench %s FILE [options]", kernel->name,
                       kernel->name);
    for (size_t i = 0; i < sizeof about_molecule / sizeof *about_molecule; i++)
        if (!kernel->reads_molecule &&
            hf_options_given(&command->options, about_molecule[i]) != NULL)
            return hf_fail(error, HF_BAD_INPUT, "--%s: %s reads no molecule", about_molecule[i],
                           kernel->name);
    return HF_OK;
}

hf_status hf_bench_command_parse(int argc, char **argv, struct hf_bench_command *command,
                                 struct hf_error *error)
{
    *command = (struct hf_bench_command){.action = HF_BENCH_ACTION_RUN};
    hf_options_init(&command->options, table);
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        hf_status status = HF_OK;
        if (strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0) {
            command->action = HF_BENCH_ACTION_HELP;
            return HF_OK;
        }
        if (strcmp(argument, "-V") == 0 || strcmp(argument, "--version") == 0) {
            command->action = HF_BENCH_ACTION_VERSION;
            return HF_OK;
        }
        if (strncmp(argument, "--", 2) == 0)
            status = read_option(argc, argv, &i, command, error);
        else if (argument[0] == '-')
            status = hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'; options begin with --",
                             argument);
        else
            status = read_word(argument, command, error);
        if (status != HF_OK) return status;
    }
    if (command->kernel != NULL) return check_molecule(command, error);
    return hf_fail(error, HF_BAD_INPUT,
                   "no kernel; usage: hf-bench KERNEL [options]; hf-bench --help tells more");
}

void hf_bench_print_help(FILE *stream)
{
    fprintf(stream, "Usage: mpiexec -n RANKS hf-bench KERNEL [FILE] [options]\n\n"
                    "Measures what hf asks of the MPI library and the machine. Kernels:\n\n");
    for (int i = 0; hf_bench_kernel_list[i] != NULL; i++) {
        const struct hf_bench_kernel *kernel = hf_bench_kernel_list[i];
        fprintf(stream, "  %-12s %s;\n  %-12s at least %d rank%s, --repeat %d by default%s\n",
                kernel->name, kernel->about, "", kernel->least_ranks,
                kernel->least_ranks > 1 ? "s" : "", kernel->n_repeat,
                kernel->reads_molecule ? "; FILE: a molecule" : "");
        fprintf(stream, "  %-12s %s\n", "", kernel->cite);
    }
    fprintf(stream, "\nOptions (--key value and --key=value are the same):\n\n");
    for (int i = 0; i < N_OPTION; i++) hf_print_option(stream, &rows[i], true);
    fprintf(stream,
            "  -h, --help            print this and stop\n"
            "  -V, --version         print the versions of hf-bench and of MPI and stop\n\n"
            "Exit code: 0 measured; 1 measured, and the MPI library did something wrong (see\n"
            "the table); 2 bad usage or too few ranks; 3 out of memory or disk.\n");
}

void hf_bench_print_version(FILE *stream)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    fprintf(stream, "hf-bench %s\n", hf_version());
    fprintf(stream, "MPI: %s, built with %s\n", versions.mpi_found, versions.mpi_built);
}
