/* Arrays of a thread that grow when they are too small. */
#ifndef HF_SCRATCH_H
#define HF_SCRATCH_H

#include "hf/memory.h"

#include <stdbool.h>
#include <stddef.h>

/** Initialise with {.memory = , .label = }. */
struct hf_scratch {
    struct hf_memory *memory; /**< borrowed */
    const char *label;        /**< a string constant */
    size_t room;
    double *value; /**< [room], aligned */
};

/** At least n numbers, whatever they are; NULL: no memory. Earlier contents are lost. Not collective. */
double *hf_scratch_reserve(struct hf_scratch *self, size_t n);

/** Room for n numbers of which the first n_kept stay as they are. False: no memory. Not collective. */
bool hf_scratch_extend(struct hf_scratch *self, size_t n_kept, size_t n);

/** Accepts a cleared one. */
void hf_scratch_done(struct hf_scratch *self);

#endif
