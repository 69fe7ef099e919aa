/* Tracked allocator: a small header before every block stores its size and class. */
#define _DEFAULT_SOURCE /* madvise */
#include "hf/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

/** Header in the ALIGNMENT bytes before the block. */
struct block_header {
    size_t n_bytes;
    enum hf_memory_class kind;
    struct block_header *next; /**< next in the list of kept blocks */
};

struct hf_memory {
    atomic_size_t current, peak, largest;
    struct {
        atomic_size_t current, peak;
    } of_class[HF_N_MEMORY_CLASS];
    _Atomic(const char *) largest_label;
    pthread_mutex_t kept_lock;
    struct block_header *kept; /**< list of blocks that are free but keep their pages */
    atomic_size_t kept_bytes;
};

_Static_assert(sizeof(struct block_header) <= ALIGNMENT, "header must fit in front of a block");

struct hf_memory *hf_memory_create(void)
{
    struct hf_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL) return NULL;
    atomic_store(&memory->largest_label, "");
    pthread_mutex_init(&memory->kept_lock, NULL);
    return memory;
}

void hf_memory_destroy(struct hf_memory **memory)
{
    if (memory == NULL || *memory == NULL) return;
    hf_memory_drop_kept(*memory);
    pthread_mutex_destroy(&(*memory)->kept_lock);
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

/** Allocates large blocks in huge pages if the system has them: the first write of 47 MB in ten blocks then takes 10
 *  ms instead of 280 (virtual machine with a shared processor). The last page is filled up if that wastes little.
 *  Stored integrals use hf_touch_seconds (src/store/integral_store.c) instead. */
static void *take_memory(enum hf_memory_class kind, size_t n_bytes)
{
    enum { MOST_WASTE = 8 }; /* at most 1/8 of the block */
    const bool large = n_bytes >= HUGE_PAGE && kind != HF_MEMORY_STORED;
    const size_t rest = n_bytes % HUGE_PAGE, more = rest > 0 ? HUGE_PAGE - rest : 0;
    void *start = NULL;
    if (large && more <= n_bytes / MOST_WASTE) n_bytes += more;
    if (posix_memalign(&start, large ? HUGE_PAGE : ALIGNMENT, n_bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    if (large) (void)madvise(start, n_bytes, MADV_HUGEPAGE);
#endif
    return start;
}

void *hf_memory_allocate_unset(struct hf_memory *memory, enum hf_memory_class kind,
                               const char *label, size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - (size_t)2 * HUGE_PAGE) return NULL;
    const size_t padded = (n_bytes + (size_t)2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *start = take_memory(kind, padded);
    if (start == NULL && memory != NULL && hf_memory_kept_bytes(memory) > 0) {
        hf_memory_drop_kept(memory);
        start = take_memory(kind, padded);
    }
    if (start == NULL) return NULL;
    *(struct block_header *)(void *)start = (struct block_header){.n_bytes = n_bytes, .kind = kind};
    if (memory != NULL) hf_memory_count(memory, kind, label, n_bytes);
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

static struct block_header *header_of(void *block)
{
    return (struct block_header *)(void *)((unsigned char *)block - ALIGNMENT);
}

void hf_memory_release(struct hf_memory *memory, void *block)
{
    if (block == NULL) return;
    struct block_header *header = header_of(block);
    if (memory != NULL) hf_memory_discount(memory, header->kind, header->n_bytes);
    free(header);
}

void hf_memory_keep(struct hf_memory *memory, void *block)
{
    if (block == NULL) return;
    struct block_header *header = header_of(block);
    hf_memory_discount(memory, header->kind, header->n_bytes);
    atomic_fetch_add(&memory->kept_bytes, header->n_bytes);
    pthread_mutex_lock(&memory->kept_lock);
    header->next = memory->kept;
    memory->kept = header;
    pthread_mutex_unlock(&memory->kept_lock);
}

void *hf_memory_take_kept(struct hf_memory *memory, const char *label, size_t n_bytes)
{
    pthread_mutex_lock(&memory->kept_lock);
    struct block_header **link = &memory->kept;
    while (*link != NULL && (*link)->n_bytes != n_bytes) link = &(*link)->next;
    struct block_header *header = *link;
    if (header != NULL) *link = header->next;
    pthread_mutex_unlock(&memory->kept_lock);
    if (header == NULL) return NULL;
    atomic_fetch_sub(&memory->kept_bytes, n_bytes);
    hf_memory_count(memory, header->kind, label, n_bytes);
    return (unsigned char *)header + ALIGNMENT;
}

size_t hf_memory_kept_bytes(const struct hf_memory *memory)
{
    return atomic_load(&memory->kept_bytes);
}

void hf_memory_drop_kept(struct hf_memory *memory)
{
    pthread_mutex_lock(&memory->kept_lock);
    while (memory->kept != NULL) {
        struct block_header *header = memory->kept;
        memory->kept = header->next;
        atomic_fetch_sub(&memory->kept_bytes, header->n_bytes);
        free(header);
    }
    pthread_mutex_unlock(&memory->kept_lock);
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
