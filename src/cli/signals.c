/* SIGINT and SIGTERM: remembered here, asked for between pieces of work. */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

/* A signal handler can reach nothing but static storage. */
static volatile sig_atomic_t caught = 0;

static void remember(int signal_number)
{
    caught = signal_number;
}

void hf_signals_catch(void)
{
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int hf_signal_caught(void)
{
    return (int)caught;
}

/* Open MPI puts a pseudo-terminal between a rank and whatever its standard output goes to, a file
 * too, but none for standard error: progress is shown when that is a terminal as well. */
int hf_signals_progress(void *data, double fraction)
{
    if (isatty(STDERR_FILENO) == 1) hf_report_progress(data, fraction);
    return hf_signal_caught();
}
