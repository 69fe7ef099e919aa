/* What fresh memory takes. */
#ifndef HF_WORK_TOUCH_H
#define HF_WORK_TOUCH_H

#include <stddef.h>

/** Brings memory that is overwritten later into being, all pages in one call where the system can: CPU seconds
 *  that this takes. */
double hf_touch_seconds(unsigned char *memory, size_t n);

#endif
