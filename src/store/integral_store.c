/* Stored integrals: an append-only list in chunks; see integral_store.h. */
#define _GNU_SOURCE /* madvise */
#include "store/integral_store.h"

#include "base/arena.h"
#include "hf/stored_integrals.h"
#include "hf/timer.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/** Chunks are small compared with a store and large compared with a strip. Chunks for heads of strips without
 *  room are smaller, and not part of the budget. */
enum { FIRST_CHUNK_BYTES = 1 << 17, CHUNK_BYTES = 1 << 22, NOTE_CHUNK_BYTES = 1 << 16 };

struct hf_integral_store {
    struct hf_arena arena; /**< has the lists of chunks and segments */
    const struct hf_shell_pairs *pairs;
    size_t most_bytes;
    /** [n_chunk] strips, then an end mark if another chunk follows. Size: CHUNK_BYTES, but less at first and
     *  more for a long strip; NOTE_CHUNK_BYTES for heads without numbers. */
    unsigned char **chunk;
    size_t n_chunk;
    size_t size, used; /**< of the last chunk */
    struct hf_store_segment *segment;
    int64_t n_segment, n_segment_allocated, n_chunk_allocated;
    size_t bytes;
    double touch_seconds; /**< time for fresh memory */
    bool full;            /**< only heads of strips are appended from now on */
};

/** Touches all pages in one call: 0.29 ns per byte; one by one they take 0.42, huge pages 0.30 to 2.2 (virtual
 *  machine, 2 GB in pieces of 4 MB). */
static void populate(unsigned char *memory, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096 };
    const uintptr_t first = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)memory + n) / PAGE * PAGE;
    if (first < end) (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)n;
#endif
}

double hf_touch_seconds(unsigned char *memory, size_t n)
{
    enum { PAGE = 4096 };
    volatile unsigned char *at = memory;
    const double start = hf_thread_seconds();
    populate(memory, n);
    for (size_t i = 0; i < n; i += PAGE) at[i] = 0;
    return hf_thread_seconds() - start;
}

hf_status hf_integral_store_create(const struct hf_shell_pairs *pairs, double bytes,
                                   struct hf_integral_store **store, struct hf_error *error)
{
    struct hf_integral_store *made = HF_NEW(*store, NULL, "the list of stored integrals");
    if (made == NULL) return hf_arena_check_new(made, error);
    made->pairs = pairs;
    made->most_bytes = (size_t)bytes;
    return HF_OK;
}

void hf_integral_store_destroy(struct hf_integral_store **store)
{
    struct hf_integral_store *old = *store;
    if (old != NULL) {
        for (size_t i = 0; i < old->n_chunk; i++)
            hf_memory_keep(old->pairs->context->memory, old->chunk[i]);
    }
    hf_arena_free(store);
}

hf_status hf_integral_store_begin(struct hf_integral_store *store, int64_t task, int32_t part,
                                  struct hf_error *error)
{
    /* a part without strips needs no segment */
    if (store->n_segment > 0 && store->segment[store->n_segment - 1].n_strip == 0)
        store->n_segment--;
    if (!hf_arena_grow(&store->arena, &store->segment, store->n_segment + 1,
                       &store->n_segment_allocated, sizeof *store->segment))
        return hf_arena_check(&store->arena, error);
    store->segment[store->n_segment++] =
        (struct hf_store_segment){.task = task,
                                  .part = part,
                                  .chunk = store->n_chunk > 0 ? store->n_chunk - 1 : 0,
                                  .offset = store->used};
    return HF_OK;
}

/** Size of the next chunk; small at first, so that small stores touch little memory. */
static size_t usual_size(size_t stored)
{
    return stored < FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES
                                      : (stored < CHUNK_BYTES ? stored : CHUNK_BYTES);
}

/** Appends a chunk with room for `n` bytes; false: no memory, or more than the store may have. */
static bool add_chunk(struct hf_integral_store *store, size_t n, bool within_budget)
{
    const size_t usual = within_budget ? usual_size(store->bytes) : NOTE_CHUNK_BYTES;
    const size_t size = n > usual ? n : usual;
    if (within_budget && store->bytes + size > store->most_bytes) {
        store->full = true;
        return false;
    }
    if (!hf_arena_grow(&store->arena, &store->chunk, (int64_t)store->n_chunk + 1,
                       &store->n_chunk_allocated, sizeof *store->chunk))
        return false;
    struct hf_memory *memory = store->pairs->context->memory;
    const char *const label = "stored integrals";
    unsigned char *chunk = hf_memory_take_kept(memory, label, size + HF_STRIP_ROOM);
    if (chunk == NULL) {
        chunk = hf_memory_allocate_unset(memory, HF_MEMORY_STORED, label, size + HF_STRIP_ROOM);
        if (chunk == NULL) return false;
        store->touch_seconds += hf_touch_seconds(chunk, size);
    }
    store->chunk[store->n_chunk++] = chunk;
    store->used = 0;
    store->bytes += size;
    store->size = size;
    return true;
}

/** Reserves `n` bytes for a strip, with room for the chunk's end mark after it; NULL: no room. */
static unsigned char *reserve(struct hf_integral_store *store, size_t n, bool within_budget)
{
    const size_t mark = sizeof(struct hf_stored_strip);
    if (store->n_chunk == 0 || store->used + n + mark > store->size) {
        const bool first = store->n_chunk == 0;
        const size_t used = store->used;
        if (!add_chunk(store, n + mark, within_budget)) return NULL;
        if (!first) {
            const struct hf_stored_strip end = {.kind = HF_STORED_CHUNK_END};
            memcpy(store->chunk[store->n_chunk - 2] + used, &end, sizeof end);
        }
    }
    unsigned char *at = store->chunk[store->n_chunk - 1] + store->used;
    store->used += n;
    return at;
}

/** Bytes of a strip's numbers, rounded up to halves of cache lines. */
static size_t number_bytes(const struct hf_stored_strip *strip)
{
    const size_t half = sizeof *strip;
    if (strip->kind == HF_STORED_NOTHING) return 0;
    const size_t bytes =
        (size_t)strip->n * (strip->kind == HF_STORED_DOUBLE ? sizeof(double) : sizeof(float));
    return (bytes + half - 1) / half * half;
}

bool hf_integral_store_append(struct hf_integral_store *store, struct hf_stored_strip *strip,
                              void **number)
{
    _Static_assert(sizeof *strip == 32, "numbers follow in halves of cache lines");
    unsigned char *at =
        store->full ? NULL : reserve(store, sizeof *strip + number_bytes(strip), true);
    *number = at != NULL ? at + sizeof *strip : NULL;
    if (at == NULL) {
        strip->kind = HF_STORED_NOTHING;
        at = reserve(store, sizeof *strip, false);
        if (at == NULL) return false;
    }
    memcpy(at, strip, sizeof *strip);
    store->segment[store->n_segment - 1].n_strip++;
    return true;
}

int64_t hf_integral_store_n_segment(const struct hf_integral_store *store)
{
    return store->n_segment;
}

struct hf_store_segment hf_integral_store_segment(const struct hf_integral_store *store,
                                                  int64_t index)
{
    return store->segment[index];
}

struct hf_store_cursor hf_integral_store_open(const struct hf_integral_store *store,
                                              const struct hf_store_segment *segment)
{
    return (struct hf_store_cursor){.chunk = store->chunk + segment->chunk,
                                    .offset = segment->offset,
                                    .n_left = segment->n_strip};
}

/** Prefetches the next strip while the current one is used: it usually begins on another page, which the
 *  processor does not prefetch. Harmless behind the end of a chunk. */
static void prefetch(const unsigned char *at)
{
    enum { LINES = 16, LINE = 64 };
    const uintptr_t address = (uintptr_t)at;
    for (uintptr_t i = 0; i < LINES; i++) __builtin_prefetch((const void *)(address + LINE * i));
}

const struct hf_stored_strip *hf_integral_store_next(struct hf_store_cursor *cursor,
                                                     const void **number)
{
    if (cursor->n_left == 0) return NULL;
    const unsigned char *at = *cursor->chunk + cursor->offset;
    const struct hf_stored_strip *strip = (const void *)at;
    if (strip->kind == HF_STORED_CHUNK_END) {
        cursor->chunk++;
        cursor->offset = 0;
        at = *cursor->chunk;
        strip = (const void *)at;
    }
    *number = strip->kind == HF_STORED_NOTHING ? NULL : at + sizeof *strip;
    cursor->offset += sizeof *strip + number_bytes(strip);
    cursor->n_left--;
    prefetch(*cursor->chunk + cursor->offset);
    return strip;
}

size_t hf_integral_store_bytes(const struct hf_integral_store *store)
{
    return store->bytes;
}

double hf_integral_store_touch(const struct hf_integral_store *store)
{
    return store->bytes > 0 ? store->touch_seconds / (double)store->bytes : 0.0;
}
