/* Arrays that grow while they are filled. `list` is the address of a pointer of any type to an array with room for
 * *room elements; both begin as NULL and 0. Not collective. */
#ifndef HF_GROWING_H
#define HF_GROWING_H

#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** New capacity for n elements: half as many more, so that arrays are seldom copied. */
static inline int64_t hf_room_for(int64_t n)
{
    return n + n / 2 + 64;
}

/** Grows an array to at least n elements; earlier elements keep their values. Free it with free(). False: no memory;
 *  nothing has changed. */
bool hf_grow(void *list, int64_t n, int64_t *room, size_t element_bytes) HF_MUST_CHECK;

/** An item's number and its value. */
struct hf_ranked {
    double value;
    int64_t number;
};

/** Sorts by falling value; equal values by rising number. */
void hf_sort_falling(int64_t n, struct hf_ranked list[]);

#endif
