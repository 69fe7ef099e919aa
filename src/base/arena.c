/* Arrays that are released together; see arena.h. */
#include "base/arena.h"
#include "base/growing.h"
#include "hf/context.h"

#include <stdint.h>
#include <string.h>

/** Header in the cache line before an array. */
struct hf_arena_block {
    struct hf_arena_block *next, *before; /**< neighbours in the list of the arena */
};

enum { LINE = 64 };

_Static_assert(sizeof(struct hf_arena_block) <= LINE, "header must fit in front of an array");

static void *take(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                  size_t n_element, size_t element_bytes)
{
    struct hf_arena_block *block = NULL;
    if (element_bytes == 0 || n_element <= (SIZE_MAX - LINE) / element_bytes)
        block =
            hf_memory_allocate_unset(arena->memory, kind, label, LINE + n_element * element_bytes);
    if (block == NULL) {
        arena->failed = true;
        arena->failed_label = label;
        arena->failed_bytes = (double)n_element * (double)element_bytes;
        return NULL;
    }
    *block = (struct hf_arena_block){.next = arena->first};
    if (arena->first != NULL) arena->first->before = block;
    arena->first = block;
    return (char *)block + LINE;
}

void *hf_arena_take_unset(struct hf_arena *arena, size_t n_element, size_t element_bytes)
{
    return take(arena, arena->kind, arena->label, n_element, element_bytes);
}

void *hf_arena_take_class(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                          size_t n_element, size_t element_bytes)
{
    void *array = take(arena, kind, label, n_element, element_bytes);
    if (array != NULL) memset(array, 0, n_element * element_bytes);
    return array;
}

void *hf_arena_take(struct hf_arena *arena, size_t n_element, size_t element_bytes)
{
    return hf_arena_take_class(arena, arena->kind, arena->label, n_element, element_bytes);
}

hf_status hf_arena_check(const struct hf_arena *arena, struct hf_error *error)
{
    if (!arena->failed) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s (%.3g MB)", arena->failed_label,
                   1e-6 * arena->failed_bytes);
}

void *hf_arena_new(struct hf_memory *memory, const char *label, size_t object_bytes)
{
    struct hf_arena arena = {.memory = memory, .label = label};
    struct hf_arena *self = hf_arena_take(&arena, 1, object_bytes);
    if (self != NULL) *self = arena;
    return self;
}

hf_status hf_arena_check_new(const void *self, struct hf_error *error)
{
    if (self == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    return hf_arena_check(self, error);
}

hf_status hf_arena_agree_new(const struct hf_context *context, void *self, hf_status status,
                             struct hf_error *error)
{
    void *made;
    memcpy(&made, self, sizeof made);
    if (status == HF_OK) status = hf_arena_check_new(made, error);
    status = hf_agree(context->comm, status, error);
    if (status != HF_OK) hf_arena_free(self);
    return status;
}

void hf_arena_free(void *self)
{
    struct hf_arena *old, *none = NULL;
    memcpy(&old, self, sizeof old);
    if (old != NULL) hf_arena_done(old);
    memcpy(self, &none, sizeof none);
}

void hf_arena_release(struct hf_arena *arena, void *array)
{
    if (array == NULL) return;
    struct hf_arena_block *block = (void *)((char *)array - LINE);
    if (block->next != NULL) block->next->before = block->before;
    if (block->before != NULL) block->before->next = block->next;
    if (arena->first == block) arena->first = block->next;
    hf_memory_release(arena->memory, block);
}

bool hf_arena_grow(struct hf_arena *arena, void *list, int64_t n, int64_t *room,
                   size_t element_bytes)
{
    void *old;
    if (n <= *room) return true;
    memcpy(&old, list, sizeof old);
    void *longer = hf_arena_take_unset(arena, (size_t)hf_room_for(n), element_bytes);
    if (longer == NULL) return false;
    if (*room > 0) memcpy(longer, old, (size_t)*room * element_bytes);
    hf_arena_release(arena, old);
    memcpy(list, &longer, sizeof longer);
    *room = hf_room_for(n);
    return true;
}

void hf_arena_join(struct hf_arena *to, struct hf_arena *from)
{
    struct hf_arena_block *last = from->first;
    if (last == NULL) return;
    while (last->next != NULL) last = last->next;
    last->next = to->first;
    if (to->first != NULL) to->first->before = last;
    to->first = from->first;
    from->first = NULL;
}

void hf_arena_done(struct hf_arena *arena)
{
    struct hf_memory *memory = arena->memory;
    struct hf_arena_block *block = arena->first;
    arena->first = NULL;
    arena->failed = false;
    while (block != NULL) { /* the arena itself may stand in one of its blocks */
        struct hf_arena_block *next = block->next;
        hf_memory_release(memory, block);
        block = next;
    }
}

double *hf_scratch_reserve(struct hf_scratch *self, size_t n)
{
    if (self->value != NULL && n <= self->room) return self->value;
    hf_arena_release(self->arena, self->value);
    self->room = n + n / 4 + 64;
    return HF_TAKE_UNSET(self->arena, self->value, self->room);
}

bool hf_scratch_extend(struct hf_scratch *self, size_t n_kept, size_t n)
{
    if (self->value != NULL && n <= self->room) return true;
    int64_t room = (int64_t)n_kept; /* only the first n_kept numbers are copied */
    const bool done = hf_arena_grow(self->arena, &self->value, (int64_t)n, &room, sizeof(double));
    if (done) self->room = (size_t)room;
    return done;
}
