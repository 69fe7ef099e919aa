/* An arena: arrays of one owner that are released together. They are aligned to 64 bytes and counted in the memory
 * account. The owner checks once at the end whether there was memory for all of them.
 *
 *     struct hf_arena arena = {.memory = context->memory, .label = "amplitudes"};
 *     double *value = HF_TAKE(&arena, value, n);
 *     int *place = HF_TAKE(&arena, place, m);
 *     hf_status status = hf_arena_check(&arena, error);
 *     ...
 *     hf_arena_done(&arena);
 *
 * An object can lie in its own arena, which is its first member. One call then releases it with all its arrays:
 *
 *     struct hf_tree { struct hf_arena arena; int *place; };
 *     struct hf_tree *tree;
 *     if (HF_NEW(tree, context->memory, "the tree") != NULL) HF_TAKE(&tree->arena, tree->place, n);
 *     hf_status status = hf_arena_check_new(tree, error);
 *     ...
 *     hf_arena_free(&tree);
 *
 * Only one thread at a time may use an arena. A copy of an arena owns the same arrays, so use only one of them. */
#ifndef HF_ARENA_H
#define HF_ARENA_H

#include "hf/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_arena_block;
struct hf_context;

/** Initialise with the first three members; the others begin as zero. */
struct hf_arena {
    struct hf_memory *memory; /**< borrowed; NULL: the arrays are not counted */
    enum hf_memory_class kind;
    const char *label;            /**< a string constant that completes "out of memory for" */
    struct hf_arena_block *first; /**< private */
    bool failed;                  /**< there was no memory for an array */
    const char *failed_label;     /**< label of the last array without memory */
    double failed_bytes;
};

/** `pointer` = an array of n zeros; see hf_arena_take. */
#define HF_TAKE(arena, pointer, n) ((pointer) = hf_arena_take(arena, n, sizeof *(pointer)))

/** The same; the elements are not initialised. */
#define HF_TAKE_UNSET(arena, pointer, n)                                                           \
    ((pointer) = hf_arena_take_unset(arena, n, sizeof *(pointer)))

/** An array of zeros, also for n_element 0. NULL: no memory; `failed` is then set. */
void *hf_arena_take(struct hf_arena *arena, size_t n_element, size_t element_bytes);

/** The same, not initialised. */
void *hf_arena_take_unset(struct hf_arena *arena, size_t n_element, size_t element_bytes);

/** An array of zeros with its own class and label. */
void *hf_arena_take_class(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                          size_t n_element, size_t element_bytes);

/** Returns HF_NO_RESOURCE with label and size if there was no memory for an array, otherwise HF_OK. */
hf_status hf_arena_check(const struct hf_arena *arena, struct hf_error *error) HF_MUST_CHECK;

/** `self` = a new object of zeros that lies in its own arena; see above. NULL: no memory. Compiles only if the first
 *  member is called `arena`. */
#define HF_NEW(self, memory, label)                                                                \
    ((self) = hf_arena_new(memory, label,                                                          \
                           sizeof *(self) *                                                        \
                               sizeof(char[offsetof(__typeof__(*(self)), arena) == 0 ? 1 : -1])))

/** An object of HF_NEW. */
void *hf_arena_new(struct hf_memory *memory, const char *label, size_t object_bytes);

/** hf_arena_check for an object of HF_NEW, or for NULL if there was no memory for it. */
hf_status hf_arena_check_new(const void *self, struct hf_error *error) HF_MUST_CHECK;

/** Agrees that all ranks have an object of HF_NEW with all its arrays; `status` is the status of this rank so far.
 *  `self` is the address of a pointer of any type to the object. After a failure the object is released and the pointer
 *  becomes NULL. Collective over the context. */
hf_status hf_arena_agree_new(const struct hf_context *context, void *self, hf_status status,
                             struct hf_error *error) HF_MUST_CHECK;

/** Releases an object of HF_NEW and the arrays of its arena. `self` is the address of a pointer of any type to the
 *  object, or to NULL; the pointer becomes NULL. */
void hf_arena_free(void *self);

/** Releases one array early. Accepts NULL. */
void hf_arena_release(struct hf_arena *arena, void *array);

/** Grows an array of the arena to at least n elements. `list` is the address of a pointer of any type to the array,
 *  which has room for *room elements; both begin as NULL and 0. False: no memory; nothing has changed, and `failed`
 *  is set. */
bool hf_arena_grow(struct hf_arena *arena, void *list, int64_t n, int64_t *room,
                   size_t element_bytes) HF_MUST_CHECK;

/** Moves all arrays of `from`, of the same account, to `to`. */
void hf_arena_join(struct hf_arena *to, struct hf_arena *from);

/** Releases all arrays. The arena can be used again. It may be all zeros. */
void hf_arena_done(struct hf_arena *arena);

/* ---- Arrays of numbers that grow ------------------------------------------------------------- */

/** Initialise with {.arena = }. */
struct hf_scratch {
    struct hf_arena *arena; /**< borrowed */
    size_t room;
    double *value; /**< [room] */
};

/** Room for at least n numbers; their values are undefined. NULL: no memory. Earlier contents are lost. */
double *hf_scratch_reserve(struct hf_scratch *self, size_t n);

/** Room for n numbers; the first n_kept keep their values. False: no memory. */
bool hf_scratch_extend(struct hf_scratch *self, size_t n_kept, size_t n);

#endif
