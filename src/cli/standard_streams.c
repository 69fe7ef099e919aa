/* Standard streams: opens closed ones, and checks that everything printed was written. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A file opened while 0, 1 or 2 is free becomes a standard stream, and output is printed into it. /dev/null is
 * opened for the opposite direction, so that it fails like the closed stream. */
bool hf_standard_streams_open(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        if (open("/dev/null", mode) != descriptor) return false;
    }
    return true;
}

/* Otherwise a failing write to the report or a file would end the calculation. */
void hf_write_signals_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/** Why standard output is incomplete; 0: it is complete. A stream that is flushed after each line may have failed
 *  before; then errno still has the reason. */
static int find_loss(void)
{
    const int before = errno != 0 ? errno : EIO;
    if (fflush(stdout) != 0) return errno;
    const int copy = dup(STDOUT_FILENO); /* some file systems report failures only at close */
    if (copy >= 0 && close(copy) != 0) return errno;
    return ferror(stdout) ? before : 0;
}

hf_status hf_standard_output_check(int lost, struct hf_error *error)
{
    const int found = find_loss(), why = lost != 0 ? lost : found;
    if (why == 0) return HF_OK;
    if (why == EPIPE) return hf_interrupted(error, SIGPIPE);
    return hf_fail(error, HF_NO_RESOURCE, "standard output cannot be written: %s", strerror(why));
}
