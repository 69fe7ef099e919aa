/* SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU: recorded here, and checked between pieces of work. */
#include "cli/cli.h"
#include "hf/interruption.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* A signal handler can only use static storage. */
static volatile sig_atomic_t caught = 0;
static volatile sig_atomic_t heard = 0, n_after = 0; /* the calculation stops; signals since then */

static void remember(int signal_number)
{
    caught = signal_number;
}

/* Ends the process at a second signal, since linear algebra hears none. Once it was heard, or the calculation
 * stops for another reason, files are being written, and a batch system may send a signal to hf and to mpiexec, which passes
 * it on: then at a third. */
static void remember_or_end(int signal_number)
{
    if (caught == signal_number && (!heard || ++n_after > 1)) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* arrives when this function returns */
    }
    caught = signal_number;
}

void hf_signals_catch(void)
{
    struct sigaction action = {.sa_handler = remember_or_end};
    sigemptyset(&action.sa_mask);
    /* Batch systems can send SIGUSR1 before the time limit. */
    static const int number[] = {SIGINT, SIGTERM, SIGUSR1};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) sigaction(number[i], &action, NULL);
    /* SIGHUP arrives more than once: the shell sends it to its jobs, then the kernel sends it when the shell ends.
     * Under nohup it is ignored, and stays ignored. */
    struct sigaction old;
    action.sa_handler = remember;
    if (sigaction(SIGHUP, NULL, &old) != 0 || old.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    /* The kernel sends SIGXCPU at a limit of processor time, and again after each further second of processor time,
     * which several threads use up faster. It must not end the writing of a checkpoint. A hard limit ends the
     * process. */
    sigaction(SIGXCPU, &action, NULL);
}

/* After mpiexec got a signal, MPICH's (Hydra 4.0.2) often loses the exit code of the processes and returns 0.
 * SIGPIPE is different: nobody sends it, its exit code means that the reader of the report has gone, and MPI_Abort
 * would print its own message. */
bool hf_signals_lose_exit_code(int exit_code)
{
#ifdef MPICH_VERSION
    return exit_code > 128 && exit_code != 128 + SIGPIPE;
#else
    (void)exit_code;
    return false;
#endif
}

void hf_signals_stopped(void)
{
    heard = 1;
}

int hf_signals_asked(void *data, double fraction)
{
    (void)data;
    (void)fraction;
    const int signal_number = (int)caught; /* it may change meanwhile */
    if (signal_number != 0) heard = 1;
    return signal_number;
}

/* Open MPI puts a pseudo-terminal between a rank and its standard output, even if that is a file, but not for
 * standard error. So progress is shown only if standard error is also a terminal. */
int hf_signals_progress(void *data, double fraction)
{
    const struct hf_watch *watch = data;
    const bool counts = hf_interruption_counted(watch->interruption).unit != NULL;
    if ((fraction > 0.0 || counts) && isatty(STDERR_FILENO) == 1)
        hf_report_progress(watch->report, fraction);
    if (watch->report_is_all && hf_report_lost(watch->report) == EPIPE) return SIGPIPE;
    return hf_signals_asked(data, fraction);
}
