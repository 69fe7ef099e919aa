/* Standard streams: closed ones are opened, and what was printed is looked after. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A file that is opened while 0, 1 or 2 is free becomes a standard stream, and what is printed goes
 * into it. Opened the other way round, /dev/null fails as the closed stream would have. */
bool hf_standard_streams_open(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        if (open("/dev/null", mode) != descriptor) return false;
    }
    return true;
}

/* Without these a calculation would end where its report or a file does. */
void hf_write_signals_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/** Why standard output lacks something; 0: it is all there. A stream that is flushed line by line
 *  has failed before, and its reason is still in errno. */
static int find_loss(void)
{
    const int before = errno != 0 ? errno : EIO;
    if (fflush(stdout) != 0) return errno;
    const int copy = dup(STDOUT_FILENO); /* some file systems report failures at close only */
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
