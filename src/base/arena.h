/* An arena: arrays of one owner that are released together. They are aligned to 64 bytes and counted in the account of
 * memory. If there is no memory for one, the owner need not look at each, but asks once at the end.
 *
 *     struct hf_arena arena = {.memory = context->memory, .label = "amplitudes"};
 *     double *value = HF_TAKE(&arena, value, n);
 *     int *place = HF_TAKE(&arena, place, m);
 *     hf_status status = hf_arena_check(&arena, error);
 *     ...
 *     hf_arena_done(&arena);
 *
 * One thread at a time uses an arena. A copy of an arena owns the same arrays, so use only one of the two. An object may lie in
 * its own arena: take it from a local arena, then copy that into it. */
#ifndef HF_ARENA_H
#define HF_ARENA_H

#include "hf/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_arena_block;

/** Begins cleared but for the first three members. */
struct hf_arena {
    struct hf_memory *memory; /**< borrowed; NULL: what is taken is not counted */
    enum hf_memory_class kind;
    const char *label;            /**< a string constant that fits behind "out of memory for" */
    struct hf_arena_block *first; /**< private */
    bool failed;                  /**< there was no memory for an array */
    const char *failed_label;     /**< of the last one */
    double failed_bytes;
};

/** `pointer` = an array of n zeros; see hf_arena_take. */
#define HF_TAKE(arena, pointer, n) ((pointer) = hf_arena_take(arena, n, sizeof *(pointer)))

/** The same with elements that are not set. */
#define HF_TAKE_UNSET(arena, pointer, n)                                                           \
    ((pointer) = hf_arena_take_unset(arena, n, sizeof *(pointer)))

/** An array of zeros, also where n_element is 0. NULL: no memory, and `failed` is set. */
void *hf_arena_take(struct hf_arena *arena, size_t n_element, size_t element_bytes);

/** The same, not zeroed. */
void *hf_arena_take_unset(struct hf_arena *arena, size_t n_element, size_t element_bytes);

/** An array of zeros with a class and label of its own. */
void *hf_arena_take_class(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                          size_t n_element, size_t element_bytes);

/** HF_OK, or HF_NO_RESOURCE with label and size if there was no memory for an array. */
hf_status hf_arena_check(const struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;

/** Releases one array early. Accepts NULL. */
void hf_arena_release(struct hf_arena *arena, void *array);

/** Makes room for n elements in an array that grows: `list` is the address of a pointer of any type to an array of the
 *  arena with room for *room elements; both begin as NULL and 0. False: no memory, nothing has changed, and `failed` is
 *  set. */
bool hf_arena_grow(struct hf_arena *arena, void *list, int64_t n, int64_t *room,
                   size_t element_bytes) HF_MUST_CHECK;

/** Moves all arrays of `from`, of the same account, to `to`. */
void hf_arena_join(struct hf_arena *to, struct hf_arena *from);

/** Releases all arrays. The arena can be used again. Accepts a cleared one. */
void hf_arena_done(struct hf_arena *arena);

/* ---- Arrays of numbers that grow ------------------------------------------------------------- */

/** Initialise with {.arena = }. */
struct hf_scratch {
    struct hf_arena *arena; /**< borrowed */
    size_t room;
    double *value; /**< [room] */
};

/** At least n numbers, whatever they are; NULL: no memory. Earlier contents are lost. */
double *hf_scratch_reserve(struct hf_scratch *self, size_t n);

/** Room for n numbers of which the first n_kept stay as they are. False: no memory. */
bool hf_scratch_extend(struct hf_scratch *self, size_t n_kept, size_t n);

#endif
