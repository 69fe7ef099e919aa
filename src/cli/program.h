/* Common parts of the programs hf and hf-bench: options of a command line, error messages, and checks of the launch. */
#ifndef HF_PROGRAM_H
#define HF_PROGRAM_H

#include "hf/status.h"
#include "text/option.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Stores the option argv[*i] with its value: after an =, or argv[*i + 1], which is then also read. HF_BAD_INPUT: no
 *  value, or a value that does not fit. */
hf_status hf_command_read_value(int argc, char **argv, int *i, const struct hf_option *option,
                                struct hf_options *options, struct hf_error *error) HF_MUST_CHECK;

/** Writes a key as on the command line, with - for _. `text` has `size` bytes. */
void hf_option_spelling(const char *key, size_t size, char text[]);

/** Prints an option in a list of help: in one line with the names of its choices, or in full with their meanings. */
void hf_print_option(FILE *stream, const struct hf_option *option, bool in_full);

/** Opens /dev/null for standard streams that are closed, so that no file gets their numbers. Writing to them still
 *  fails. Call this first. False: not possible. */
bool hf_standard_streams_open(void);

/** From now on a write to a pipe without a reader, or beyond the limit of file sizes, fails with errno and does not
 *  end the process. */
void hf_write_signals_ignore(void);

/** Checks that everything printed on standard output was written. `lost` is the errno of a write that has failed, or
 *  0. Not collective: only a rank that prints calls it. HF_NO_RESOURCE: it cannot be written. HF_INTERRUPTED by
 *  SIGPIPE: the reader has gone. */
hf_status hf_standard_output_check(int lost, struct hf_error *error) HF_MUST_CHECK;

/** Prints warnings before a failure to standard error, one per line, after "PROGRAM: warning: ". Call on one rank. */
void hf_print_warnings(const char *program, int n, char *const warning[]);

/** Prints a failure as one line to standard error, after flushing standard output. Control characters
 *  become question marks. Prints nothing if the reader of standard output has gone. */
void hf_print_error(const char *program, const struct hf_error *error);

/** Exit code of the program: 128 plus the signal if one ended it, otherwise the status. */
int hf_exit_code(hf_status status, const struct hf_error *error);

/** Rank of this process according to the launcher; works before MPI_Init. 0 if there is no launcher, or if MPI cannot
 *  join its processes, so that each is alone. */
int hf_launch_rank(void);

/** Whether a launcher started this process, by its environment; works before MPI is started. Not collective. */
bool hf_launch_has_launcher(void);

/** Checks that this process can start the libraries; call before MPI_Init. Not collective. HF_NO_RESOURCE: limits of
 *  the process or its control group leave too little memory. Then the process must end; `reports` is set for one
 *  process of each node, which reports the failure. */
hf_status hf_start_check(bool *reports, struct hf_error *error) HF_MUST_CHECK;

/** How the run was launched. */
struct hf_launch {
    int n_core; /**< cores in the affinity masks of this node's ranks; 0: unknown */
    int n_numa; /**< memory domains of these cores; 0: unknown */
    int n_node; /**< number of hosts of the ranks */
    /** time until Open MPI's daemons notice a cut link between hosts; 0: not relevant, or unknown */
    double cut_seconds;
    int n_rank_on_node; /**< ranks on the fullest node */
    int n_unused_task;  /**< tasks of the batch job if hf runs on one of several; otherwise 0 */
};

/** Checks the launch before anything is computed, and sets BLAS to one thread. Collective. HF_BAD_INPUT: the launcher
 *  started several processes that MPI does not join. */
hf_status hf_launch_check(MPI_Comm comm, struct hf_launch *launch,
                          struct hf_error *error) HF_MUST_CHECK;

#endif
