/* Arrays of a thread that grow when they are too small. */
#ifndef HF_LOCAL_SCRATCH_H
#define HF_LOCAL_SCRATCH_H

#include "hf/memory.h"

#include <stdbool.h>
#include <string.h>

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

/** Room for n numbers of which the first n_kept stay as they are. False: no memory. Not collective. */
static inline bool hf_local_extend(struct hf_local_scratch *self, size_t n_kept, size_t n)
{
    if (self->value != NULL && n <= self->room) return true;
    const size_t room = n + n / 2 + 64;
    double *longer = hf_memory_allocate_unset(self->memory, HF_MEMORY_MATRIX, self->label,
                                              room * sizeof *longer);
    if (longer == NULL) return false;
    if (n_kept > 0) memcpy(longer, self->value, n_kept * sizeof *longer);
    hf_memory_release(self->memory, self->value);
    self->value = longer;
    self->room = room;
    return true;
}

/** Accepts a cleared one. */
static inline void hf_local_scratch_done(struct hf_local_scratch *self)
{
    if (self->value != NULL) hf_memory_release(self->memory, self->value);
    self->value = NULL;
}

#endif
