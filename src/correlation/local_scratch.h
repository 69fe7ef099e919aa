/* Arrays of a thread that grow when they are too small. */
#ifndef HF_LOCAL_SCRATCH_H
#define HF_LOCAL_SCRATCH_H

#include "hf/memory.h"

/** Initialise with {.memory = , .label = }. */
struct hf_local_scratch {
    struct hf_memory *memory; /**< borrowed */
    const char *label;        /**< a string constant */
    size_t room;
    double *value; /**< [room], aligned */
};

/** At least n numbers, whatever they are; NULL: no memory. Earlier contents are lost. Not collective. */
static inline double *hf_local_reserve(struct hf_local_scratch *self, size_t n)
{
    if (self->value != NULL && n <= self->room) return self->value;
    hf_memory_release(self->memory, self->value);
    self->room = n + n / 4 + 64;
    self->value = hf_memory_allocate_unset(self->memory, HF_MEMORY_MATRIX, self->label,
                                           self->room * sizeof *self->value);
    return self->value;
}

/** Accepts a cleared one. */
static inline void hf_local_scratch_done(struct hf_local_scratch *self)
{
    if (self->value != NULL) hf_memory_release(self->memory, self->value);
    self->value = NULL;
}

#endif
