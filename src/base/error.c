/* Messages of failures. */
#include "hf/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hf_status hf_fail(struct hf_error *error, hf_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        /* Names and values in a message come from the user and may contain line ends. */
        for (char *c = strpbrk(error->message, "\r\n"); c != NULL; c = strpbrk(c, "\r\n")) *c = '?';
        error->signal_number = 0;
    }
    return status;
}

hf_status hf_interrupted(struct hf_error *error, int reason)
{
    const hf_status status =
        reason == HF_TIME_IS_UP
            ? hf_fail(error, HF_INTERRUPTED, "the time limit is up")
            : hf_fail(error, HF_INTERRUPTED, "interrupted by signal %d", reason);
    if (error != NULL) error->signal_number = reason;
    return status;
}
