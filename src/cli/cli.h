/* The command line of hf: actions, help, launch warnings, signals. */
#ifndef HF_CLI_H
#define HF_CLI_H

#include "cli/program.h"
#include "molecule/input.h"
#include "run/calculation.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdio.h>

/** What hf is asked to do; all but the first are options of that name. */
enum hf_action {
    HF_ACTION_RUN,
    HF_ACTION_CHECK,
    HF_ACTION_SELF_TEST,
    HF_ACTION_HELP, /* from here on without MPI */
    HF_ACTION_VERSION,
    HF_ACTION_LIST_BASIS,
    HF_ACTION_SHOW
};

/** A command line. Free with hf_command_done. */
struct hf_command {
    enum hf_action action;
    const char *path; /**< input file, in argv */
    const char
        *word; /**< of the action, in argv: a set to list, an option to explain, quick or full;
                           NULL: none */
    struct hf_options options;
};

/** Reads the command line. Local and the same on all ranks; needs no MPI. What stands behind the
 *  first mistake is read all the same: the files that it names are to be known.
 *  HF_BAD_INPUT: unknown option, missing or bad value, no file or more than one. */
hf_status hf_command_parse(int argc, char **argv, struct hf_command *command,
                           struct hf_error *error) HF_MUST_CHECK;
void hf_command_done(struct hf_command *command);

/** Option i of help: keys of the input, then actions; NULL behind the last. Synonyms are left out. */
const struct hf_option *hf_listed_option(int i);

/** The one of that name or synonym, with or without --. HF_BAD_INPUT: there is none. */
hf_status hf_listed_option_find(const char *name, const struct hf_option **option,
                                struct hf_error *error) HF_MUST_CHECK;

/** The default, "[1e-8 hartree]"; without one "(in hartree)", or nothing; `size` bytes in `text`. */
void hf_option_default_text(const struct hf_option *option, size_t size, char text[]);

/** Text of --help: everyday options, for the topic "all" every option, or the one that is the topic.
 *  HF_BAD_INPUT: there is no such option. */
hf_status hf_print_help(FILE *stream, const char *topic, struct hf_error *error) HF_MUST_CHECK;

/** Text of --version. */
void hf_print_version(FILE *stream);

/** The sets of the library in a table, or one of them element by element. Works without MPI.
 *  HF_BAD_INPUT: there is no such set, the nearest is named; HF_NO_RESOURCE: memory. */
hf_status hf_print_basis_sets(FILE *stream, const char *name, struct hf_error *error) HF_MUST_CHECK;

/** Computes installed reference cases with all builders, schedulers and transports and prints a table
 *  of energies and a verdict. `quick` leaves out larger cases. Collective; *passed is the same on all
 *  ranks. HF_NO_RESOURCE: no reference energies, memory. HF_INTERRUPTED. */
hf_status hf_self_test(struct hf_context *context, bool quick, bool *passed,
                       struct hf_error *error) HF_MUST_CHECK;

/** Whether one of some variables of the environment, ended by NULL, is set. */
bool hf_is_any_set(const char *const names[]);

/** Sets parameters of Open MPI that leave out transports which one process, or ranks of one node, cannot use. Does
 *  nothing if the user has chosen transports. Before MPI_Init. */
void hf_transports_choose(void);

/** What is odd about a launch that works all the same goes into the input's warnings. */
hf_status hf_launch_warn(const struct hf_launch *launch, int n_thread, struct hf_input *input,
                         struct hf_error *error) HF_MUST_CHECK;

/** Gives BLAS the threads of the calculation, which do nothing else while it works; where address space
 *  is limited it stays with one, for its work space is large. Not collective. */
void hf_launch_use_threads(int n_thread);

/** From now on signals that ask hf to end are remembered; a second SIGINT, SIGTERM or SIGUSR1 ends the
 *  process. SIGHUP stays ignored where it is (nohup). */
void hf_signals_catch(void);

/** Signal that came, or 0. */
int hf_signal_caught(void);

/** Whether mpiexec may forget this exit code, that of a signal, if processes do not leave by MPI_Abort.
 *  Not collective. */
bool hf_signals_lose_exit_code(int exit_code);

/** What is looked at while a calculation runs. */
struct hf_watch {
    struct hf_report *report;
    const struct hf_interruption *interruption;
    bool report_is_all; /**< no file is written: without a reader the results are lost */
};

/** For hf_interruption_watch before there is a report: returns the signal. */
int hf_signals_asked(void *data, double fraction);

/** For hf_interruption_watch: shows progress and returns the signal, or SIGPIPE if the results have no
 *  reader; `data` is a struct hf_watch. */
int hf_signals_progress(void *data, double fraction);

/** What --check prints: what would run, and the memory it needs. */
void hf_calculation_print_check(const struct hf_calculation *calculation, FILE *stream);

#endif
