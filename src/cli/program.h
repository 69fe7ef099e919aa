/* What the programs hf and hf-bench share: options of a command line, error messages, and checks of the
 * launch. */
#ifndef HF_PROGRAM_H
#define HF_PROGRAM_H

#include "hf/status.h"
#include "text/option.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Stores the option that argv[*i] spells, with its value: behind an =, or argv[*i + 1], which then
 *  is read too. HF_BAD_INPUT: no value, or one that does not fit. */
hf_status hf_command_read_value(int argc, char **argv, int *i, const struct hf_option *option,
                                struct hf_options *options, struct hf_error *error) HF_MUST_CHECK;

/** Key as it is written on the command line, with - for _; `size` bytes in `text`. */
void hf_option_spelling(const char *key, size_t size, char text[]);

/** An option in a list of help: in one line, with the words of a choice; or in full, with what they
 *  mean. */
void hf_print_option(FILE *stream, const struct hf_option *option, bool in_full);

/** Puts /dev/null in the place of standard streams that are closed, so that no file becomes one of
 *  them; writing there fails all the same. Called first. False: that is impossible. */
bool hf_standard_streams_open(void);

/** From now on a write to a pipe without a reader, or beyond the limit of file sizes, fails with errno
 *  instead of ending the process. */
void hf_write_signals_ignore(void);

/** Whether all that was printed on standard output has arrived; `lost` is the errno of a write that
 *  is known to have failed, or 0. Not collective: only a rank that prints asks.
 *  HF_NO_RESOURCE: it cannot be written. HF_INTERRUPTED by SIGPIPE: its reader has gone. */
hf_status hf_standard_output_check(int lost, struct hf_error *error) HF_MUST_CHECK;

/** Prints warnings before a failure, one per line, to standard error, after "PROGRAM: warning: ". Call on
 *  one rank. */
void hf_print_warnings(const char *program, int n, char *const warning[]);

/** Prints a failure as one line to standard error, after flushing standard output. Control characters
 *  become question marks. Prints nothing if the reader of standard output has gone. */
void hf_print_error(const char *program, const struct hf_error *error);

/** What the program ends with: 128 and the signal when one ended it, else the status. */
int hf_exit_code(hf_status status, const struct hf_error *error);

/** Rank that the launcher gave this process, to be asked before MPI_Init; 0 if there is none, or if MPI cannot join the
 *  processes of that launcher: then each of them is alone. */
int hf_launch_rank(void);

/** Whether a launcher started this process, as the environment says; before MPI is started. Not collective. */
bool hf_launch_has_launcher(void);

/** Whether this process can start the libraries at all; to be asked before MPI_Init. Not collective.
 *  HF_NO_RESOURCE: limits of the process or its control group leave too little. Then the process is to
 *  end; `reports` is set for the one process of a node that reports it. */
hf_status hf_start_check(bool *reports, struct hf_error *error) HF_MUST_CHECK;

/** How the run was launched. */
struct hf_launch {
    int n_core;         /**< in the affinity masks of this node's ranks; 0 when unknown */
    int n_numa;         /**< memory domains that these cores belong to; 0 when unknown */
    int n_node;         /**< hosts that the ranks are on */
    double cut_seconds; /**< after which Open MPI's daemons notice a cut link between hosts; 0: it
                             does not concern this run, or is not known */
    int n_rank_on_node; /**< of the fullest node */
    int n_unused_task;  /**< tasks of the batch job when hf runs on one of several; else 0 */
};

/** Looks at the launch before anything is computed and sets BLAS to one thread. Collective.
 *  HF_BAD_INPUT: the launcher started several processes that MPI does not join. */
hf_status hf_launch_check(MPI_Comm comm, struct hf_launch *launch,
                          struct hf_error *error) HF_MUST_CHECK;

#endif
