/* Stored integrals: an append-only list in chunks; see integral_store.h. */
#include "integral_store.h"

#include <stdlib.h>
#include <string.h>

/** Chunks are small against what a store holds, and large against a quartet. Those that have to be
 * made for notes of quartets without room are beyond the budget, and smaller. */
enum { CHUNK_BYTES = 1 << 22, NOTE_CHUNK_BYTES = 1 << 16 };

struct hf_integral_store {
    const struct hf_shell_pairs *pairs;
    size_t most_bytes;
    unsigned char *
        *chunk; /**< [n_chunk] each CHUNK_BYTES, longer for one long quartet, or NOTE_CHUNK_BYTES */
    size_t n_chunk, n_chunk_allocated;
    size_t used, size; /**< of the last chunk */
    struct hf_store_segment *segment;
    int64_t n_segment, n_segment_allocated;
    size_t bytes;
};

hf_status hf_integral_store_create(const struct hf_shell_pairs *pairs, double bytes,
                                   struct hf_integral_store **store, struct hf_error *error)
{
    struct hf_integral_store *made = calloc(1, sizeof *made);
    if (made == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the integral store");
    made->pairs = pairs;
    made->most_bytes = (size_t)bytes;
    *store = made;
    return HF_OK;
}

void hf_integral_store_destroy(struct hf_integral_store **store)
{
    struct hf_integral_store *old = *store;
    if (old != NULL) {
        for (size_t i = 0; i < old->n_chunk; i++)
            hf_memory_release(old->pairs->context->memory, old->chunk[i]);
        free(old->chunk);
        free(old->segment);
        free(old);
    }
    *store = NULL;
}

hf_status hf_integral_store_begin(struct hf_integral_store *store, int64_t task, int32_t part,
                                  struct hf_error *error)
{
    /* a part that stored nothing leaves nothing to be read back */
    if (store->n_segment > 0 && store->segment[store->n_segment - 1].n_batch == 0)
        store->n_segment--;
    if (store->n_segment == store->n_segment_allocated) {
        const int64_t n = 2 * store->n_segment_allocated + 64;
        struct hf_store_segment *longer =
            realloc(store->segment, (size_t)n * sizeof *store->segment);
        if (longer == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for the list of stored tasks");
        store->segment = longer;
        store->n_segment_allocated = n;
    }
    store->segment[store->n_segment++] = (struct hf_store_segment){
        .task = task,
        .part = part,
        .chunk = store->n_chunk > 0 ? store->n_chunk - 1 : 0,
        .offset = store->used,
    };
    return HF_OK;
}

/** A new last chunk with room for `n` bytes; false: no memory, or more than the store may have. */
static bool add_chunk(struct hf_integral_store *store, size_t n, bool within_budget)
{
    const size_t usual = within_budget ? CHUNK_BYTES : NOTE_CHUNK_BYTES;
    const size_t size = n > usual ? n : usual;
    if (within_budget && store->bytes + size > store->most_bytes) return false;
    if (store->n_chunk == store->n_chunk_allocated) {
        const size_t n_longer = 2 * store->n_chunk_allocated + 16;
        unsigned char **longer = realloc(store->chunk, n_longer * sizeof *longer);
        if (longer == NULL) return false;
        store->chunk = longer;
        store->n_chunk_allocated = n_longer;
    }
    unsigned char *chunk = hf_memory_allocate_class(store->pairs->context->memory, HF_MEMORY_STORED,
                                                    "stored integrals", size, 1);
    if (chunk == NULL) return false;
    store->chunk[store->n_chunk++] = chunk;
    store->bytes += size;
    store->used = 0;
    store->size = size;
    return true;
}

/** Room for a quartet of `n` bytes at the end, and for the mark of the chunk's end after it; NULL:
 *  there is none. */
static unsigned char *reserve(struct hf_integral_store *store, size_t n, bool within_budget)
{
    const size_t mark = sizeof(struct hf_stored_batch);
    if (store->n_chunk == 0 || store->used + n + mark > store->size) {
        const size_t used = store->used;
        const bool first = store->n_chunk == 0;
        if (!add_chunk(store, n + mark, within_budget)) return NULL;
        if (!first) {
            const struct hf_stored_batch end = {.kind = HF_STORED_CHUNK_END};
            memcpy(store->chunk[store->n_chunk - 2] + used, &end, sizeof end);
        }
    }
    unsigned char *at = store->chunk[store->n_chunk - 1] + store->used;
    store->used += n;
    return at;
}

/** Bytes of `n` numbers, in whole cache lines: vectors are read back aligned. */
static size_t value_bytes(enum hf_stored_kind kind, size_t n)
{
    const size_t line = 64;
    if (kind == HF_STORED_NOTHING) return 0;
    const size_t bytes = n * (kind == HF_STORED_DOUBLE ? sizeof(double) : sizeof(float));
    return (bytes + line - 1) / line * line;
}

/** Numbers of a batch. */
static size_t count(const struct hf_stored_batch *batch)
{
    return (size_t)batch->n * (size_t)batch->side_by_side;
}

bool hf_integral_store_append(struct hf_integral_store *store, struct hf_stored_batch batch,
                              const double *value, const float *single)
{
    _Static_assert(sizeof batch == 64, "numbers follow in whole cache lines");
    const size_t n = count(&batch);
    enum hf_stored_kind kind = single != NULL ? HF_STORED_SINGLE : HF_STORED_DOUBLE;
    unsigned char *at = reserve(store, sizeof batch + value_bytes(kind, n), true);
    if (at == NULL) {
        kind = HF_STORED_NOTHING;
        at = reserve(store, sizeof batch, false);
        if (at == NULL) return false;
    }
    batch.kind = (uint8_t)kind;
    memcpy(at, &batch, sizeof batch);
    at += sizeof batch;
    if (kind == HF_STORED_DOUBLE) memcpy(at, value, n * sizeof *value);
    if (kind == HF_STORED_SINGLE) memcpy(at, single, n * sizeof *single);
    store->segment[store->n_segment - 1].n_batch++;
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

struct hf_store_cursor hf_integral_store_open(const struct hf_store_segment *segment)
{
    return (struct hf_store_cursor){
        .chunk = segment->chunk, .offset = segment->offset, .n_left = segment->n_batch};
}

/** Begins to load what is read next, while the quartets before it are digested. Harmless behind the
 *  end of a chunk. */
static void prefetch(const unsigned char *at)
{
    enum { LINES = 24 };
    const uintptr_t address = (uintptr_t)at;
    for (uintptr_t i = 0; i < LINES; i++) __builtin_prefetch((const void *)(address + 64 * i));
}

const struct hf_stored_batch *hf_integral_store_next(const struct hf_integral_store *store,
                                                     struct hf_store_cursor *cursor,
                                                     const double **value, const float **single)
{
    if (cursor->n_left == 0) return NULL;
    const unsigned char *at = store->chunk[cursor->chunk] + cursor->offset;
    const struct hf_stored_batch *batch = (const void *)at;
    if (batch->kind == HF_STORED_CHUNK_END) {
        cursor->chunk++;
        cursor->offset = 0;
        at = store->chunk[cursor->chunk];
        batch = (const void *)at;
    }
    at += sizeof *batch;
    *value = batch->kind == HF_STORED_DOUBLE ? (const double *)(const void *)at : NULL;
    *single = batch->kind == HF_STORED_SINGLE ? (const float *)(const void *)at : NULL;
    cursor->offset += sizeof *batch + value_bytes((enum hf_stored_kind)batch->kind, count(batch));
    cursor->n_left--;
    prefetch(store->chunk[cursor->chunk] + cursor->offset);
    return batch;
}

size_t hf_integral_store_bytes(const struct hf_integral_store *store)
{
    return store->bytes;
}
