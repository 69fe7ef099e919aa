/* Runs many calculations with one start of MPI, each by a call of hf_run: a line of the file is the path
 * of an input and keys with their values, tabs apart. Results are read from the files of the key "json".
 *
 * Usage: mpiexec -n 3 many_runs FILE */
#include "hf/context.h"
#include "hf/run.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEY = 32, MAX_LINE = 8192 };

/** What does not converge or fails says so in its JSON file, too. */
static void run(char *line, int rank, bool *stuck_in_mpi)
{
    struct hf_run_key key[MAX_KEY];
    struct hf_run_outcome outcome;
    struct hf_error error;
    struct hf_run_settings settings = {.input_path = strtok(line, "\t"), .key = key};
    const char *name, *value;
    while (settings.n_key < MAX_KEY && (name = strtok(NULL, "\t")) != NULL &&
           (value = strtok(NULL, "\t")) != NULL)
        key[settings.n_key++] = (struct hf_run_key){name, value};
    if (rank == 0) printf("%s\n", settings.input_path); /* the last one where all hang or crash */
    fflush(stdout);
    const hf_status status = hf_run(MPI_COMM_WORLD, &settings, &outcome, &error);
    if (status != HF_OK && rank == 0) printf("status %d: %s\n", (int)status, error.message);
    hf_run_done(&outcome);
    *stuck_in_mpi |= outcome.stuck_in_mpi;
}

int main(int argc, char **argv)
{
    char line[MAX_LINE];
    int thread_level, rank;
    bool stuck_in_mpi = false;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        run(line, rank, &stuck_in_mpi);
    }
    fclose(file);
    hf_leave_mpi(stuck_in_mpi, 0);
    return 0;
}
