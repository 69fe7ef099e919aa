/* What fresh memory takes. */
#ifndef HF_WORK_TOUCH_H
#define HF_WORK_TOUCH_H

#include "hf/timer.h"

#include <stddef.h>

/** Writes to each page of memory that is overwritten later anyway: CPU seconds that this takes. */
static inline double hf_touch_seconds(volatile unsigned char *memory, size_t n)
{
    enum { PAGE = 4096 };
    const double start = hf_thread_seconds();
    for (size_t i = 0; i < n; i += PAGE) memory[i] = 0;
    return hf_thread_seconds() - start;
}

#endif
