/* Time for fresh memory. */
#ifndef HF_WORK_TOUCH_H
#define HF_WORK_TOUCH_H

#include <stddef.h>

/** Touches all pages of memory that is overwritten later, in one call if the system can. Returns the CPU
 *  seconds. */
double hf_touch_seconds(unsigned char *memory, size_t n);

#endif
