/* The board of stores; see store_board.h. */
#include "store_board.h"

#include "hf/neighbour.h"
#include "hf/node_memory.h"
#include "hf/timer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** Of one thread's store; a cache line of its own. */
struct entry {
    /** Segments left: the first in the lower half, the end in the upper. */
    _Alignas(64) atomic_ullong left;
    int64_t process;
    uint64_t segment, chunk; /**< tables in the memory of that process */
    uint64_t check, word;    /**< address there, and what stands there if it is that process */
};

struct hf_store_board {
    struct hf_node_memory *memory;
    struct entry *entry; /**< [ranks that share it][n_worker], in shared memory */
    int n_worker;
    size_t most_bytes;
    uint64_t word;     /**< tells this process's board from all others */
    bool *is_readable; /**< [ranks that share it] this rank can read its memory */
};

static unsigned long long pack(uint64_t first, uint64_t end)
{
    return first | end << 32;
}

/** This rank's line for a thread. */
static struct entry *own_entry(const struct hf_store_board *board, int worker)
{
    return &board->entry[board->memory->rank * board->n_worker + worker];
}

/** Shows this process to the others. */
static void sign(struct hf_store_board *board)
{
    board->word = (uint64_t)(1e9 * hf_wall_seconds()) ^ (uint64_t)(uintptr_t)board ^
                  (uint64_t)hf_neighbour_process() << 40;
    for (int i = 0; i < board->n_worker; i++) {
        struct entry *entry = own_entry(board, i);
        entry->process = hf_neighbour_process();
        entry->check = (uint64_t)(uintptr_t)&board->word;
        entry->word = board->word;
    }
}

/** Finds out whose memory can be read. A number of a process may mean another one, in another container: the
 *  word must be the one shown. */
static void look_at_neighbours(struct hf_store_board *board)
{
    for (int i = 0; i < board->memory->n_rank; i++) {
        const struct entry *entry = &board->entry[(size_t)i * (size_t)board->n_worker];
        const struct hf_far_bytes piece = {entry->check, sizeof board->word};
        uint64_t word = ~entry->word;
        board->is_readable[i] = i != board->memory->rank && board->most_bytes > 0 &&
                                hf_neighbour_read(entry->process, 1, &piece, &word) &&
                                word == entry->word;
    }
}

hf_status hf_store_board_create(struct hf_context *context, int n_worker, size_t most_bytes,
                                struct hf_store_board **board, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_store_board *made = calloc(1, sizeof *made);
    bool *is_readable = calloc((size_t)context->n_node_rank, sizeof *is_readable);
    if (made == NULL || is_readable == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the board of stores");
    if (made != NULL)
        *made = (struct hf_store_board){
            .n_worker = n_worker, .most_bytes = most_bytes, .is_readable = is_readable};
    else
        free(is_readable);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(
        hf_node_memory_create(context, HF_MEMORY_OTHER, "board of stores",
                              (size_t)context->n_node_rank * (size_t)n_worker * sizeof *made->entry,
                              &made->memory, error));
    made->entry = made->memory->data;
    sign(made);
    hf_node_memory_sync(made->memory);
    look_at_neighbours(made);
    *board = made;
    return HF_OK;
cleanup:
    hf_store_board_destroy(&made);
    return status;
}

void hf_store_board_destroy(struct hf_store_board **board)
{
    struct hf_store_board *old = *board;
    if (old != NULL) {
        hf_node_memory_destroy(&old->memory);
        free(old->is_readable);
        free(old);
    }
    *board = NULL;
}

void hf_store_board_offer(struct hf_store_board *board, int worker,
                          const struct hf_integral_store *store)
{
    struct entry *entry = own_entry(board, worker);
    struct hf_store_tables tables = {.n_segment = 0};
    if (store != NULL) tables = hf_integral_store_tables(store);
    entry->segment = (uint64_t)(uintptr_t)tables.segment;
    entry->chunk = (uint64_t)(uintptr_t)tables.chunk;
    atomic_store_explicit(&entry->left, pack(0, (uint64_t)tables.n_segment), memory_order_release);
}

/* ---- Taking ---- */

/** The first segment of a store of this rank; -1: there is none. */
static int64_t take_first(struct entry *entry)
{
    unsigned long long left = atomic_load_explicit(&entry->left, memory_order_acquire);
    for (;;) {
        const uint64_t first = left & UINT32_MAX, end = left >> 32;
        if (first >= end) return -1;
        if (atomic_compare_exchange_weak(&entry->left, &left, pack(first + 1, end)))
            return (int64_t)first;
    }
}

/** Reads where a segment of another rank begins and ends. */
static bool read_ends(const struct entry *entry, int64_t index, struct hf_store_segment ends[2])
{
    const struct hf_far_bytes piece = {entry->segment + (uint64_t)index * sizeof *ends,
                                       2 * sizeof *ends};
    return hf_neighbour_read(entry->process, 1, &piece, ends);
}

/** Chunks that a segment may be cut by. */
enum { MOST_CUTS = 8 };

/** Where the strips between two places are in another rank's memory: the number of pieces; 0: they are too
 *  many or too long, or cannot be found. */
static int find_pieces(const struct entry *entry, const struct hf_store_segment ends[2],
                       size_t most_bytes, struct hf_far_bytes piece[MOST_CUTS])
{
    struct hf_store_chunk chunk[MOST_CUTS];
    size_t bytes = 0, offset = ends[0].offset;
    const size_t n = ends[1].chunk - ends[0].chunk + 1;
    if (n > MOST_CUTS) return 0;
    const struct hf_far_bytes table = {entry->chunk + ends[0].chunk * sizeof *chunk,
                                       n * sizeof *chunk};
    if (!hf_neighbour_read(entry->process, 1, &table, chunk)) return 0;
    chunk[n - 1].used = ends[1].offset;
    for (size_t i = 0; i < n; i++, offset = 0) {
        piece[i] = (struct hf_far_bytes){(uint64_t)(uintptr_t)chunk[i].data + offset,
                                         chunk[i].used - offset};
        bytes += piece[i].n;
    }
    return bytes <= most_bytes ? (int)n : 0;
}

/** The last segment of another rank's store, where it is left and can be read. */
static bool take_last(const struct hf_store_board *board, struct entry *entry,
                      struct hf_taken_segment *taken)
{
    unsigned long long left = atomic_load_explicit(&entry->left, memory_order_acquire);
    for (;;) {
        const uint64_t first = left & UINT32_MAX, end = left >> 32;
        struct hf_store_segment ends[2];
        struct hf_far_bytes piece[MOST_CUTS];
        if (first >= end || !read_ends(entry, (int64_t)end - 1, ends) ||
            find_pieces(entry, ends, board->most_bytes, piece) == 0)
            return false;
        if (!atomic_compare_exchange_strong(&entry->left, &left, pack(first, end - 1))) continue;
        taken->index = (int64_t)end - 1;
        taken->segment = ends[0];
        return true;
    }
}

bool hf_store_board_take(struct hf_store_board *board, int worker, struct hf_taken_segment *taken)
{
    const int n_worker = board->n_worker, n_rank = board->memory->n_rank;
    for (int i = 0; i < n_worker; i++) {
        struct entry *entry = own_entry(board, taken->worker = (worker + i) % n_worker);
        taken->neighbour = board->memory->rank;
        taken->index = take_first(entry);
        if (taken->index < 0) continue;
        const struct hf_store_segment *segment = (const void *)(uintptr_t)entry->segment;
        taken->segment = segment[taken->index];
        return true;
    }
    for (int k = 1; k < n_rank; k++) {
        taken->neighbour = (board->memory->rank + k) % n_rank;
        if (!board->is_readable[taken->neighbour]) continue;
        struct entry *entry = &board->entry[(size_t)taken->neighbour * (size_t)n_worker];
        for (taken->worker = 0; taken->worker < n_worker; taken->worker++, entry++)
            if (take_last(board, entry, taken)) return true;
    }
    return false;
}

bool hf_store_board_is_far(const struct hf_store_board *board, int neighbour)
{
    return neighbour != board->memory->rank;
}

bool hf_store_board_read(const struct hf_store_board *board, int neighbour, int worker,
                         int64_t index, void *buffer, struct hf_store_chunk *chunk,
                         struct hf_store_cursor *cursor)
{
    const struct entry *entry = &board->entry[neighbour * board->n_worker + worker];
    struct hf_store_segment ends[2];
    struct hf_far_bytes piece[MOST_CUTS];
    if (!read_ends(entry, index, ends)) return false;
    const int n = find_pieces(entry, ends, board->most_bytes, piece);
    if (n == 0 || !hf_neighbour_read(entry->process, n, piece, buffer)) return false;
    *chunk = (struct hf_store_chunk){.data = buffer};
    for (int i = 0; i < n; i++) chunk->used += piece[i].n;
    *cursor = (struct hf_store_cursor){.chunk = chunk, .n_left = ends[0].n_strip};
    return true;
}
