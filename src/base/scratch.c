/* Arrays that grow; see scratch.h. */
#include "hf/scratch.h"

#include <string.h>

double *hf_scratch_reserve(struct hf_scratch *self, size_t n)
{
    if (self->value != NULL && n <= self->room) return self->value;
    hf_memory_release(self->memory, self->value);
    self->room = n + n / 4 + 64;
    self->value = hf_memory_allocate_unset(self->memory, HF_MEMORY_MATRIX, self->label,
                                           self->room * sizeof *self->value);
    return self->value;
}

bool hf_scratch_extend(struct hf_scratch *self, size_t n_kept, size_t n)
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

void hf_scratch_done(struct hf_scratch *self)
{
    if (self->value != NULL) hf_memory_release(self->memory, self->value);
    self->value = NULL;
}
