/* Tracked allocator: a small header in front of every block remembers what was asked for. */
#include "hf/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct hf_memory {
    atomic_size_t current, peak, largest;
    struct {
        atomic_size_t current, peak;
    } of_class[HF_N_MEMORY_CLASS];
    _Atomic(const char *) largest_label;
};

/** Stands in the ALIGNMENT bytes before the block. */
struct block_header {
    size_t n_bytes;
    enum hf_memory_class kind;
};

_Static_assert(sizeof(struct block_header) <= ALIGNMENT, "header must fit in front of a block");

struct hf_memory *hf_memory_create(void)
{
    struct hf_memory *memory = calloc(1, sizeof *memory);
    if (memory != NULL) atomic_store(&memory->largest_label, "");
    return memory;
}

void hf_memory_destroy(struct hf_memory **memory)
{
    if (memory == NULL) return;
    free(*memory);
    *memory = NULL;
}

static void raise_to(atomic_size_t *highest, size_t value)
{
    size_t seen = atomic_load(highest);
    while (seen < value && !atomic_compare_exchange_weak(highest, &seen, value)) {
    }
}

void hf_memory_count(struct hf_memory *memory, enum hf_memory_class kind, const char *label,
                     size_t n_bytes)
{
    raise_to(&memory->peak, atomic_fetch_add(&memory->current, n_bytes) + n_bytes);
    raise_to(&memory->of_class[kind].peak,
             atomic_fetch_add(&memory->of_class[kind].current, n_bytes) + n_bytes);
    if (n_bytes > atomic_load(&memory->largest)) {
        atomic_store(&memory->largest_label, label);
        raise_to(&memory->largest, n_bytes);
    }
}

void hf_memory_discount(struct hf_memory *memory, enum hf_memory_class kind, size_t n_bytes)
{
    atomic_fetch_sub(&memory->current, n_bytes);
    atomic_fetch_sub(&memory->of_class[kind].current, n_bytes);
}

void *hf_memory_allocate_unset(struct hf_memory *memory, enum hf_memory_class kind,
                               const char *label, size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - (size_t)2 * ALIGNMENT) return NULL;
    const size_t padded = (n_bytes + (size_t)2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *start = aligned_alloc(ALIGNMENT, padded);
    if (start == NULL) return NULL;
    *(struct block_header *)(void *)start = (struct block_header){.n_bytes = n_bytes, .kind = kind};
    hf_memory_count(memory, kind, label, n_bytes);
    return start + ALIGNMENT;
}

void *hf_memory_allocate_class(struct hf_memory *memory, enum hf_memory_class kind,
                               const char *label, size_t n_element, size_t element_bytes)
{
    if (element_bytes != 0 && n_element > SIZE_MAX / element_bytes) return NULL;
    void *block = hf_memory_allocate_unset(memory, kind, label, n_element * element_bytes);
    if (block != NULL) memset(block, 0, n_element * element_bytes);
    return block;
}

void *hf_memory_allocate(struct hf_memory *memory, const char *label, size_t n_element,
                         size_t element_bytes)
{
    return hf_memory_allocate_class(memory, HF_MEMORY_OTHER, label, n_element, element_bytes);
}

void *hf_memory_allocate_matrix(struct hf_memory *memory, const char *label, size_t n_element,
                                size_t element_bytes)
{
    return hf_memory_allocate_class(memory, HF_MEMORY_MATRIX, label, n_element, element_bytes);
}

void hf_memory_release(struct hf_memory *memory, void *block)
{
    if (block == NULL) return;
    unsigned char *start = (unsigned char *)block - ALIGNMENT;
    const struct block_header *header = (const struct block_header *)(const void *)start;
    hf_memory_discount(memory, header->kind, header->n_bytes);
    free(start);
}

size_t hf_memory_current_bytes(const struct hf_memory *memory)
{
    return atomic_load(&memory->current);
}

size_t hf_memory_peak_bytes(const struct hf_memory *memory)
{
    return atomic_load(&memory->peak);
}

size_t hf_memory_largest_bytes(const struct hf_memory *memory)
{
    return atomic_load(&memory->largest);
}

size_t hf_memory_class_bytes(const struct hf_memory *memory, enum hf_memory_class kind)
{
    return atomic_load(&memory->of_class[kind].current);
}

size_t hf_memory_class_peak_bytes(const struct hf_memory *memory, enum hf_memory_class kind)
{
    return atomic_load(&memory->of_class[kind].peak);
}

const char *hf_memory_largest_label(const struct hf_memory *memory)
{
    return atomic_load(&memory->largest_label);
}
