/* Memory that ends together; see arena.h. */
#include "hf/arena.h"

#include <stdbool.h>
#include <stdlib.h>

/** Room in the list for one more block. False: no memory. */
static bool make_room(struct hf_arena *arena)
{
    if (arena->n_block < arena->room) return true;
    const int room = 2 * arena->room + 8;
    void **longer = realloc(arena->block, (size_t)room * sizeof *longer);
    if (longer == NULL) return false;
    arena->block = longer;
    arena->room = room;
    return true;
}

void *hf_arena_take_class(struct hf_arena *arena, enum hf_memory_class kind, const char *label,
                          size_t n_element, size_t element_bytes)
{
    void *block = NULL;
    if (arena->missing != NULL) return NULL;
    if (make_room(arena))
        block = hf_memory_allocate_class(arena->memory, kind, label, n_element, element_bytes);
    if (block == NULL) {
        arena->missing = label;
        arena->missing_bytes = (double)n_element * (double)element_bytes;
    } else {
        arena->block[arena->n_block++] = block;
    }
    return block;
}

void *hf_arena_take(struct hf_arena *arena, size_t n_element, size_t element_bytes)
{
    return hf_arena_take_class(arena, HF_MEMORY_OTHER, arena->label, n_element, element_bytes);
}

hf_status hf_arena_status(const struct hf_arena *arena, struct hf_error *error)
{
    if (arena->missing == NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s (%.3g MB)", arena->missing,
                   1e-6 * arena->missing_bytes);
}

void hf_arena_release(struct hf_arena *arena)
{
    while (arena->n_block > 0) hf_memory_release(arena->memory, arena->block[--arena->n_block]);
    free(arena->block);
    *arena = (struct hf_arena){.memory = arena->memory, .label = arena->label};
}
