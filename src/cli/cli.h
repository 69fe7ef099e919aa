/* The command line of hf: actions, help, launch warnings, signals. */
#ifndef HF_CLI_H
#define HF_CLI_H

#include "cli/program.h"
#include "molecule/input.h"
#include "run/calculation.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdio.h>

/** Actions of hf. All except the first are options with that name. */
enum hf_action {
    HF_ACTION_RUN,
    HF_ACTION_CHECK,
    HF_ACTION_SELF_TEST,
    HF_ACTION_HELP, /* the actions from here on need no MPI */
    HF_ACTION_VERSION,
    HF_ACTION_LIST_BASIS,
    HF_ACTION_SHOW
};

/** A command line. Free with hf_command_done. */
struct hf_command {
    enum hf_action action;
    const char *path; /**< input file, in argv; with --each the first one */
    int n_path;
    const char **all_paths; /**< [n_path] */
    /** argument of the action, in argv: a basis set, an option to explain, quick or full; NULL: none */
    const char *word;
    struct hf_options options;
};

/** Reads the command line. Local, the same on all ranks; needs no MPI. After the first mistake, the other arguments
 *  are still read, because the files they name must be known. HF_BAD_INPUT: unknown option, missing or bad value, no
 *  file, or more than one without --each. */
hf_status hf_command_parse(int argc, char **argv, struct hf_command *command,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_command_done(struct hf_command *command);

/** Option i of help: keys of the input, then actions; NULL after the last. Does not list synonyms. */
const struct hf_option *hf_listed_option(int i);

/** Finds an option by name or synonym, with or without --. HF_BAD_INPUT: there is none. */
hf_status hf_listed_option_find(const char *name, const struct hf_option **option,
                                struct hf_error *error) HF_MUST_CHECK;

/** Writes the default, such as "[1e-8 hartree]"; without a default "(in hartree)" or nothing. `text` has `size`
 *  bytes. */
void hf_option_default_text(const struct hf_option *option, size_t size, char text[]);

/** Prints --help: everyday options; all options for the topic "all"; one option if it is the topic. HF_BAD_INPUT:
 *  there is no such option. */
hf_status hf_print_help(FILE *stream, const char *topic, struct hf_error *error) HF_MUST_CHECK;

/** Prints --version. */
void hf_print_version(FILE *stream);

/** Prints the basis sets of the library in a table, or one of them element by element. Works without MPI.
 *  HF_BAD_INPUT: there is no such set (the message has the nearest name); HF_NO_RESOURCE: memory. */
hf_status hf_print_basis_sets(FILE *stream, const char *name, struct hf_error *error) HF_MUST_CHECK;

/** Computes installed reference cases with all builders, schedulers and transports and prints a table of energies and
 *  the result. `quick` leaves out larger cases. Collective; *passed is the same on all ranks. HF_NO_RESOURCE: no
 *  reference energies, or memory. HF_INTERRUPTED. */
hf_status hf_self_test(struct hf_context *context, bool quick, bool *passed,
                       struct hf_error *error) HF_MUST_CHECK;

/** Whether any of these environment variables is set; the list ends with NULL. */
bool hf_is_any_set(const char *const names[]);

/** Sets parameters of Open MPI so that it does not start transports that are useless for one process, or for ranks of
 *  one node. Does nothing if the user has chosen transports. Call before MPI_Init. */
void hf_transports_choose(void);

/** Adds warnings on an unusual launch to those of the input. */
hf_status hf_launch_warn(const struct hf_launch *launch, int n_thread, struct hf_input *input,
                         struct hf_error *error) HF_MUST_CHECK;

/** Lets BLAS use the threads of the calculation, which are idle meanwhile. If address space is limited, BLAS keeps
 *  one thread, because its work space is large. Not collective. */
void hf_launch_use_threads(int n_thread);

/** From now on hf remembers signals that ask it to end. A second SIGINT, SIGTERM or SIGUSR1 ends the process; a third one
 *  if the calculation has heard of the first, or has stopped. SIGHUP stays ignored if it is already ignored (nohup). */
void hf_signals_catch(void);

/** Whether mpiexec may lose this exit code of a signal unless processes end by MPI_Abort. Not collective. */
bool hf_signals_lose_exit_code(int exit_code);

/** Data for the callback during a calculation. */
struct hf_watch {
    struct hf_report *report;
    const struct hf_interruption *interruption;
    bool report_is_all; /**< no file is written, so without a reader the results are lost */
};

/** For hf_interruption_set_stopped. */
void hf_signals_stopped(void);

/** For hf_interruption_watch before there is a report; returns the signal. */
int hf_signals_asked(void *data, double fraction);

/** For hf_interruption_watch: shows progress and returns the signal, or SIGPIPE if nobody reads the results. `data`
 *  is a struct hf_watch. */
int hf_signals_progress(void *data, double fraction);

/** Prints the output of --check: what would run, and the memory it needs. */
void hf_calculation_print_check(const struct hf_calculation *calculation, FILE *stream);

#endif
