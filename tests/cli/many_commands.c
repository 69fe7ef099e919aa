/* Goes through many command lines up to where hf would compute, with one start of MPI: a line of the
 * file is a command line, its arguments tabs apart. For each, rank 0 prints the exit code and the
 * message; a rank that has another status or message than rank 0 ends all.
 *
 * Usage: mpiexec -n 3 many_commands FILE */
#include "cli.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENT = 32, MAX_LINE = 4096 };

/** What hf does before it computes (main.c). */
static hf_status prepare(struct hf_context *context, struct hf_command *command, hf_status status,
                         struct hf_error *error)
{
    struct hf_calculation calculation = {0};
    HF_TRY(hf_agree(context->comm, status, error));
    hf_calculation_begin(&calculation, context);
    HF_TRY(hf_input_read(context, command->path, &command->options, &calculation.input, error));
    HF_TRY(hf_calculation_prepare(&calculation, &command->options, false, error));
cleanup:
    hf_calculation_done(&calculation);
    return status;
}

/** Prints what came out, or ends all ranks when one has another outcome than rank 0. */
static void tell(const struct hf_context *context, const char *line, hf_status status,
                 const struct hf_error *error)
{
    struct hf_error first = *error;
    int code = (int)status;
    MPI_Bcast(&code, 1, MPI_INT, 0, context->comm);
    MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, context->comm);
    if (code != (int)status || strcmp(first.message, error->message) != 0) {
        fprintf(stderr, "%s: rank %d has '%s', rank 0 '%s'\n", line, context->rank, error->message,
                first.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (context->rank == 0) printf("%d\t%s\n", code, error->message);
}

static void go_through(char *line)
{
    char program[] = "hf", shown[MAX_LINE];
    char *argument[MAX_ARGUMENT + 1] = {program};
    int n_argument = 1;
    struct hf_command command;
    struct hf_context *context = NULL;
    struct hf_error error = {.message = ""};
    snprintf(shown, sizeof shown, "%s", line);
    for (char *next = strtok(line, "\t"); next != NULL && n_argument < MAX_ARGUMENT;
         next = strtok(NULL, "\t"))
        argument[n_argument++] = next;
    hf_status status = hf_command_parse(n_argument, argument, &command, &error);
    if (hf_context_create(MPI_COMM_WORLD, &context, &error) != HF_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    status = prepare(context, &command, status, &error);
    tell(context, shown, status, &error);
    hf_context_destroy(&context);
    hf_command_done(&command);
}

int main(int argc, char **argv)
{
    char line[MAX_LINE];
    int thread_level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        go_through(line);
    }
    fclose(file);
    hf_leave_mpi(false, 0);
    return 0;
}
