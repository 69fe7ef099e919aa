/* Sparse blocks of pairs of orbitals, and how they get to the ranks that need them. A message is
 *
 *     | pair row column n | n numbers | pair row column n | n numbers | ...      the first four as two doubles
 *
 * cut between blocks into pieces. In every round of the exchange each rank sends a piece to each other one. */
#include "local_mp2_private.h"

#include "text/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 17, /**< numbers of a chunk, unless a block is larger */
    HEADER = 2,      /**< doubles of four ints */
};

_Static_assert(4 * sizeof(int) == HEADER * sizeof(double), "the first four numbers of a block");

/* ---- Lists ----------------------------------------------------------------------------------- */

/** Room for n more blocks. */
static bool grow_blocks(struct hf_local_blocks *self, size_t n)
{
    return hf_arena_grow(&self->arena, &self->block, (int64_t)(self->n_block + n), &self->n_room,
                         sizeof *self->block);
}

double *hf_local_blocks_add(struct hf_local_blocks *blocks, int pair, int row, int column, int n)
{
    if (!grow_blocks(blocks, 1)) return NULL;
    if (blocks->n_free < (size_t)n) {
        const size_t size = n > CHUNK ? (size_t)n : CHUNK;
        double *chunk = HF_TAKE_UNSET(&blocks->arena, chunk, size);
        if (chunk == NULL) return NULL;
        blocks->next = chunk;
        blocks->n_free = size;
        blocks->bytes += (double)(size * sizeof *chunk);
    }
    double *value = blocks->next;
    blocks->next += n;
    blocks->n_free -= (size_t)n;
    blocks->block[blocks->n_block++] =
        (struct hf_local_block){.pair = pair, .row = row, .column = column, .n = n, .value = value};
    return value;
}

void hf_local_blocks_done(struct hf_local_blocks *blocks)
{
    hf_arena_done(&blocks->arena);
    *blocks = (struct hf_local_blocks){.arena = blocks->arena};
}

static int by_place(const void *left, const void *right)
{
    const struct hf_local_block *x = left, *y = right;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/** First block of a pair, or of a later one. */
static size_t first_of_pair(const struct hf_local_blocks *blocks, int pair)
{
    size_t low = 0, high = blocks->n_block;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (blocks->block[middle].pair < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void hf_local_blocks_of_pair(const struct hf_local_blocks *blocks, int pair, size_t *begin,
                             size_t *end)
{
    *begin = first_of_pair(blocks, pair);
    *end = first_of_pair(blocks, pair + 1);
}

/* ---- The exchange ---------------------------------------------------------------------------- */

/** Where the message to a rank goes on. */
struct cursor {
    int list;
    size_t block;
};

struct exchange {
    struct hf_context *context;
    struct hf_arena arena; /**< of all arrays */
    hf_local_needed_by *needed_by;
    const void *data;
    int n_from;
    struct hf_local_blocks *from;
    struct hf_local_blocks *to;
    size_t piece;          /**< a piece holds at most so many numbers, with headers */
    struct cursor *cursor; /**< [n_rank] */
    double *sent, *received;
    int *n_sent, *n_received, *first_sent, *first_received; /**< [n_rank] of a round */
};

/** Whether a rank needs a block. */
static bool needs(const struct exchange *self, int rank, const struct hf_local_block *block)
{
    const struct hf_local_ranks ranks = self->needed_by(self->data, block);
    return rank >= ranks.first && rank <= ranks.last;
}

/** Copies the entries of the blocks that this rank needs to `to`; take_numbers moves the memory of their values. */
static void keep_own(struct exchange *self)
{
    struct hf_local_blocks *to = self->to;
    size_t n_block = 0;
    for (int t = 0; t < self->n_from; t++)
        for (size_t k = 0; k < self->from[t].n_block; k++)
            n_block += needs(self, self->context->rank, &self->from[t].block[k]);
    const bool ok = grow_blocks(to, n_block);
    for (int t = 0; t < self->n_from && ok; t++)
        for (size_t k = 0; k < self->from[t].n_block; k++)
            if (needs(self, self->context->rank, &self->from[t].block[k]))
                to->block[to->n_block++] = self->from[t].block[k];
}

/** Moves the memory of the values of all lists to `to` and empties the lists. */
static void take_numbers(struct exchange *self)
{
    for (int t = 0; t < self->n_from; t++) {
        struct hf_local_blocks *from = &self->from[t];
        hf_arena_release(&from->arena, from->block);
        hf_arena_join(&self->to->arena, &from->arena);
        self->to->bytes += from->bytes;
        *from = (struct hf_local_blocks){.arena = from->arena};
    }
}

/** Packs the next piece of the message to a rank; its numbers. */
static size_t pack(struct exchange *self, int rank, double *to)
{
    size_t n = 0;
    struct cursor *at = &self->cursor[rank];
    for (; at->list < self->n_from; at->list++, at->block = 0)
        for (; at->block < self->from[at->list].n_block; at->block++) {
            const struct hf_local_block *block = &self->from[at->list].block[at->block];
            const size_t size = HEADER + (size_t)block->n;
            if (!needs(self, rank, block)) continue;
            if (n + size > self->piece) return n;
            memcpy(to + n, (const int[]){block->pair, block->row, block->column, block->n},
                   HEADER * sizeof *to);
            memcpy(to + n + HEADER, block->value, (size_t)block->n * sizeof *to);
            n += size;
        }
    return n;
}

/** Adds the blocks of a piece, as long as there is memory. */
static void unpack(struct exchange *self, const double *from, size_t n)
{
    for (const double *end = from + n; from < end && !self->to->arena.failed;) {
        int header[4];
        memcpy(header, from, sizeof header);
        double *to = hf_local_blocks_add(self->to, header[0], header[1], header[2], header[3]);
        if (to != NULL) memcpy(to, from + HEADER, (size_t)header[3] * sizeof *to);
        from += HEADER + (size_t)header[3];
    }
}

/** One piece from each rank to each other one; whether any was sent. Collective. */
static bool do_round(struct exchange *self, double *sent_bytes)
{
    const int n_rank = self->context->n_rank;
    int n = 0, any = 0;
    for (int r = 0; r < n_rank; r++) {
        self->first_sent[r] = n;
        self->n_sent[r] = r == self->context->rank ? 0 : (int)pack(self, r, self->sent + (size_t)n);
        n += self->n_sent[r];
    }
    *sent_bytes += n * (double)sizeof(double);
    MPI_Allreduce(&n, &any, 1, MPI_INT, MPI_MAX, self->context->comm);
    if (any == 0) return false;
    MPI_Alltoall(self->n_sent, 1, MPI_INT, self->n_received, 1, MPI_INT, self->context->comm);
    for (int r = 0, first = 0; r < n_rank; first += self->n_received[r++])
        self->first_received[r] = first;
    MPI_Alltoallv(self->sent, self->n_sent, self->first_sent, MPI_DOUBLE, self->received,
                  self->n_received, self->first_received, MPI_DOUBLE, self->context->comm);
    const int last = n_rank - 1;
    unpack(self, self->received,
           (size_t)self->first_received[last] + (size_t)self->n_received[last]);
    return true;
}

/** Numbers of a piece: at least the largest block of all ranks. Collective. */
static size_t size_of_piece(const struct exchange *self)
{
    int64_t most = HF_LOCAL_PIECE;
    const int n_rank = self->context->n_rank;
    if (n_rank > HF_LOCAL_MOST_PIECES)
        most = (int64_t)HF_LOCAL_PIECE * HF_LOCAL_MOST_PIECES / n_rank;
    for (int t = 0; t < self->n_from; t++)
        for (size_t k = 0; k < self->from[t].n_block; k++)
            if (self->from[t].block[k].n + HEADER > most) most = self->from[t].block[k].n + HEADER;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, self->context->comm);
    return (size_t)most;
}

/** Room for the messages of a round. Local. */
static hf_status make_room(struct exchange *self, struct hf_error *error)
{
    const size_t n_rank = (size_t)self->context->n_rank, n = n_rank * self->piece;
    struct hf_arena *arena = &self->arena;
    HF_TAKE_UNSET(arena, self->sent, n);
    HF_TAKE_UNSET(arena, self->received, n);
    HF_TAKE(arena, self->cursor, n_rank);
    HF_TAKE(arena, self->n_sent, n_rank);
    HF_TAKE(arena, self->n_received, n_rank);
    HF_TAKE(arena, self->first_sent, n_rank);
    HF_TAKE(arena, self->first_received, n_rank);
    return hf_arena_check(arena, error);
}

hf_status hf_local_blocks_exchange(struct hf_context *context, hf_local_needed_by *needed_by,
                                   const void *data, int n_from, struct hf_local_blocks from[],
                                   struct hf_local_blocks *to, double *sent_bytes,
                                   struct hf_error *error)
{
    hf_status status;
    struct exchange self = {.context = context,
                            .arena = {.memory = context->memory,
                                      .kind = HF_MEMORY_MATRIX,
                                      .label = "blocks on their way"},
                            .needed_by = needed_by,
                            .data = data,
                            .n_from = n_from,
                            .from = from,
                            .to = to};
    keep_own(&self);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&to->arena, error), error));
    if (context->n_rank > 1) {
        self.piece = size_of_piece(&self);
        HF_TRY(hf_agree(context->comm, make_room(&self, error), error));
        while (do_round(&self, sent_bytes)) continue;
        HF_TRY(hf_agree(context->comm, hf_arena_check(&to->arena, error), error));
    }
    take_numbers(&self);
    if (to->n_block > 0) qsort(to->block, to->n_block, sizeof *to->block, by_place);
cleanup:
    hf_arena_done(&self.arena);
    return status;
}

struct hf_local_ranks hf_local_owner_of_pair(const void *data, const struct hf_local_block *block)
{
    const struct hf_local *local = data;
    const int owner = local->pair[block->pair].owner;
    return (struct hf_local_ranks){owner, owner};
}

void hf_local_trace_unit(const struct hf_local *local, int thread, int pair,
                         const struct hf_local_blocks *blocks, struct hf_trace_span span)
{
    struct hf_trace *trace = local->context->trace;
    double bytes = 0.0;
    size_t begin, end;
    if (trace == NULL) return;
    hf_local_blocks_of_pair(blocks, pair, &begin, &end);
    for (size_t b = begin; b < end; b++) bytes += (double)blocks->block[b].n * sizeof(double);
    hf_trace_end_span(trace, thread, HF_TRACE_PAIR_TASK, pair, span);
    hf_trace_add_block(trace, thread, HF_TRACE_BLOCK_J, pair, 0, 0, bytes);
}
