/* The message that goes with a failure. */
#include "hf/status.h"

#include <stdarg.h>
#include <stdio.h>

hf_status hf_fail(struct hf_error *error, hf_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->signal_number = 0;
    }
    return status;
}

hf_status hf_interrupted(struct hf_error *error, int signal_number)
{
    const hf_status status =
        hf_fail(error, HF_INTERRUPTED, "interrupted by signal %d", signal_number);
    if (error != NULL) error->signal_number = signal_number;
    return status;
}
