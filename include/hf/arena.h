/* Memory that ends together: whoever needs several arrays takes them from an arena, asks once whether all are there, and
 * releases the arena.
 *
 *     struct hf_arena arena = {.memory = context->memory, .label = "amplitudes"};
 *     double *value = HF_TAKE(&arena, value, n);
 *     int *place = HF_TAKE(&arena, place, m);
 *     hf_status status = hf_arena_status(&arena, error);
 *     ...
 *     hf_arena_release(&arena);
 *
 * One thread at a time uses an arena. A copy of it owns the same blocks: only one of them is released. */
#ifndef HF_ARENA_H
#define HF_ARENA_H

#include "hf/memory.h"

struct hf_arena {
    struct hf_memory *memory; /**< borrowed; NULL: what is taken is not counted */
    const char *label;        /**< a constant that fits behind "out of memory for" */
    void **block;             /**< [room] those taken, n_block of them; owned */
    int n_block, room;
    const char *missing; /**< label of the first block that there was no memory for; NULL: none */
    double missing_bytes;
};

/** `pointer` = a zeroed array of n elements; see hf_arena_take. */
#define HF_TAKE(arena, pointer, n) ((pointer) = hf_arena_take(arena, n, sizeof *(pointer)))

/** Zeroed array, aligned to 64 bytes, also where n_element is 0. NULL: no memory for this or an earlier one. Not collective. */
void *hf_arena_take(struct hf_arena *arena, size_t n_element, size_t element_bytes);

/** The same, counted in its class and with its own label. */
void *hf_arena_take_class(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                          size_t n_element, size_t element_bytes);

/** HF_NO_RESOURCE with label and size if there was no memory for a block. Not collective. */
hf_status hf_arena_status(const struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;

/** Frees all blocks. The arena can be used again. Accepts a cleared one. Not collective. */
void hf_arena_release(struct hf_arena *arena);

#endif
