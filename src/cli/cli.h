/* The command line of hf: options, help, launch checks, signals, and from them a calculation. */
#ifndef HF_CLI_H
#define HF_CLI_H

#include "hf/basis.h"
#include "hf/input.h"
#include "hf/option.h"
#include "hf/output.h"
#include "hf/scf.h"
#include "hf/trace.h"

#include <stdbool.h>
#include <stdio.h>

/** What hf is asked to do. */
enum hf_action { HF_ACTION_RUN, HF_ACTION_CHECK, HF_ACTION_HELP, HF_ACTION_VERSION };

/** A command line. Free with hf_command_done. */
struct hf_command {
    enum hf_action action;
    const char *path; /**< input file, in argv */
    struct hf_options options;
};

/** The table of all options, [*n]. */
const struct hf_option *hf_option_table(int *n);

/** Reads the command line. Local and the same on all ranks; needs no MPI.
 *  HF_BAD_INPUT: unknown option, missing or bad value, no file or more than one. */
hf_status hf_command_parse(int argc, char **argv, struct hf_command *command,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_command_done(struct hf_command *command);

/** Stores the option that argv[*i] spells, with its value: behind an =, or argv[*i + 1], which then
 *  is read too. HF_BAD_INPUT: no value, or one that does not fit. */
hf_status hf_command_read_value(int argc, char **argv, int *i, const struct hf_option *option,
                                struct hf_options *options, struct hf_error *error) HF_MUST_CHECK;

/** Key as it is written on the command line, with - for _; `size` bytes in `text`. */
void hf_option_spelling(const char *key, size_t size, char text[]);

/** "(default 1e-8 hartree)", or nothing; `size` bytes in `text`. */
void hf_option_default_text(const struct hf_option *option, size_t size, char text[]);

/** Text of --help, of --version, the manual page, and what bash completes; all from the table. */
void hf_print_help(FILE *stream);
void hf_print_version(FILE *stream);
void hf_print_manual(FILE *stream);

/** The completion offers the basis sets that the library finds when it is printed. HF_NO_RESOURCE:
 *  memory. */
hf_status hf_print_completion(FILE *stream, struct hf_error *error) HF_MUST_CHECK;

/** The one line that a failure is worth, on standard error; control characters, which would tear it
 *  apart, become question marks. Flushes standard output before it. */
void hf_print_error(const char *program, const struct hf_error *error);

/** Rank that the launcher gave this process, whatever MPI says; 0 when there was none. */
int hf_launch_rank(void);

/** How the run was launched. */
struct hf_launch {
    int n_core;         /**< in the affinity masks of this node's ranks; 0 when unknown */
    int n_rank_on_node; /**< of the fullest node */
    int n_unused_task;  /**< tasks of the batch job when hf runs on one of several; else 0 */
};

/** Looks at the launch before anything is computed and sets BLAS to one thread. Collective.
 *  HF_BAD_INPUT: the launcher started several processes that MPI does not join. */
hf_status hf_launch_check(MPI_Comm comm, struct hf_launch *launch,
                          struct hf_error *error) HF_MUST_CHECK;

/** What is odd about a launch that works all the same goes into the input's warnings. */
hf_status hf_launch_warn(const struct hf_launch *launch, int n_thread, struct hf_input *input,
                         struct hf_error *error) HF_MUST_CHECK;

/** Bytes of a size as "500 MB", "2GiB", "0"; false: it is none. */
bool hf_parse_size(const char *text, double *bytes);

/** Bytes per rank that stored integrals may take, equal on every rank: what the option says, or
 * half of what the fullest node has free, divided among its ranks. Collective. HF_BAD_INPUT: no
 * size. */
hf_status hf_memory_for_integrals(struct hf_context *context, const struct hf_options *options,
                                  double *bytes, struct hf_error *error) HF_MUST_CHECK;

/** From now on SIGINT and SIGTERM are remembered; a second one ends the process. */
void hf_signals_catch(void);

/** Signal that came, or 0. */
int hf_signal_caught(void);

/** A calculation from the command line to its result. Initialise with = {0}. */
struct hf_calculation {
    struct hf_context *context; /**< borrowed */
    struct hf_input input;
    int n_choice;
    struct hf_basis_choice *choice; /**< [n_choice], names in the options; owned */
    char *basis_requested;          /**< owned */
    struct hf_basis *basis;         /**< owned */
    struct hf_scf_settings settings;
    const char *grain_name;
    struct hf_report *report; /**< owned */
    struct hf_run_description description;
    const char *json_path;  /**< NULL when no JSON file was asked for; in the options */
    bool json_is_writable;  /**< the path has been tried */
    const char *trace_path; /**< NULL when no trace was asked for; in the options */
    struct hf_trace *trace; /**< owned; NULL likewise */
};

/** Reads the input and everything that follows from it: basis, settings, report. Collective; same
 *  outcome on every rank. `command` must outlive the calculation. */
hf_status hf_calculation_prepare(struct hf_context *context, struct hf_command *command,
                                 const struct hf_launch *launch, struct hf_calculation *calculation,
                                 struct hf_error *error) HF_MUST_CHECK;
void hf_calculation_done(struct hf_calculation *calculation);

/** What --check prints: what would run, and the memory it needs. */
void hf_calculation_print_check(const struct hf_calculation *calculation, FILE *stream);

#endif
