/* Sparse blocks: allocated where screening leaves them, moved to the owners of pairs, copied to all ranks. */
#include "local_private.h"

#include <stdlib.h>
#include <string.h>

/** Bytes of a message: MPI counts in int. */
enum { MOST_BYTES = 1 << 28 };

/* ---- Allocation ------------------------------------------------------------------------------ */

/** More room in an array for what is behind `used` bytes. */
static void *grow(struct hf_local_blocks *blocks, void *old, size_t used, size_t bytes)
{
    void *now = hf_memory_allocate_unset(blocks->memory, HF_MEMORY_MATRIX, blocks->label, bytes);
    if (now == NULL) return NULL;
    if (used > 0) memcpy(now, old, used);
    hf_memory_release(blocks->memory, old);
    return now;
}

/** Room for some blocks and numbers more. */
static bool make_room(struct hf_local_blocks *blocks, size_t n_block, size_t n_value)
{
    if (blocks->n_block + n_block > blocks->n_block_room) {
        const size_t room = blocks->n_block + blocks->n_block / 2 + n_block + 16;
        struct hf_local_block *block =
            grow(blocks, blocks->block, blocks->n_block * sizeof *block, room * sizeof *block);
        if (block == NULL) return false;
        blocks->block = block;
        blocks->n_block_room = room;
    }
    if (blocks->n_value + n_value > blocks->n_value_room) {
        const size_t room = blocks->n_value + blocks->n_value / 2 + n_value + 256;
        double *value =
            grow(blocks, blocks->value, blocks->n_value * sizeof *value, room * sizeof *value);
        if (value == NULL) return false;
        blocks->value = value;
        blocks->n_value_room = room;
    }
    return true;
}

double *hf_local_blocks_add(struct hf_local_blocks *blocks, int pair, int row, int column, int n)
{
    if (!make_room(blocks, 1, (size_t)n)) return NULL;
    double *value = blocks->value + blocks->n_value;
    memset(value, 0, (size_t)n * sizeof *value);
    blocks->block[blocks->n_block++] = (struct hf_local_block){
        .pair = pair, .row = row, .column = column, .n = n, .offset = blocks->n_value};
    blocks->n_value += (size_t)n;
    return value;
}

void hf_local_blocks_done(struct hf_local_blocks *blocks)
{
    hf_memory_release(blocks->memory, blocks->block);
    hf_memory_release(blocks->memory, blocks->value);
    *blocks = (struct hf_local_blocks){.memory = blocks->memory, .label = blocks->label};
}

void hf_local_blocks_of_pair(const struct hf_local_blocks *blocks, int pair, size_t *begin,
                             size_t *end)
{
    for (int k = 0; k < 2; k++) {
        size_t low = 0, high = blocks->n_block;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (blocks->block[middle].pair < pair + k)
                low = middle + 1;
            else
                high = middle;
        }
        *(k == 0 ? begin : end) = low;
    }
}

/* ---- Redistribution -------------------------------------------------------------------------- */

/** What goes to each rank, and comes from each: blocks and numbers in turn. */
struct traffic {
    const struct hf_local *local;
    int n_from;
    struct hf_local_blocks *from;
    int64_t *to_send, *to_receive; /**< [n_rank][2] */
    struct hf_local_blocks out;    /**< of one rank at a time */
};

static void count(const struct traffic *self)
{
    for (int t = 0; t < self->n_from; t++)
        for (size_t b = 0; b < self->from[t].n_block; b++) {
            const struct hf_local_block *block = &self->from[t].block[b];
            int64_t *of_rank = self->to_send + 2 * self->local->pair[block->pair].owner;
            of_rank[0]++;
            of_rank[1] += block->n;
        }
}

/** Blocks for a rank, one behind another, in `to`, which has room for them. */
static void pack(const struct traffic *self, int rank, struct hf_local_blocks *to)
{
    for (int t = 0; t < self->n_from; t++) {
        const struct hf_local_blocks *from = &self->from[t];
        for (size_t b = 0; b < from->n_block; b++) {
            struct hf_local_block block = from->block[b];
            if (self->local->pair[block.pair].owner != rank) continue;
            memcpy(to->value + to->n_value, from->value + block.offset,
                   (size_t)block.n * sizeof *to->value);
            block.offset = to->n_value;
            to->block[to->n_block++] = block;
            to->n_value += (size_t)block.n;
        }
    }
}

/** Sends bytes to one rank while others come from another, in pieces. */
static void exchange(MPI_Comm comm, int to, const void *out, size_t n_out, int from, void *in,
                     size_t n_in)
{
    size_t sent = 0, received = 0;
    while (sent < n_out || received < n_in) {
        const size_t send = n_out - sent < MOST_BYTES ? n_out - sent : MOST_BYTES;
        const size_t receive = n_in - received < MOST_BYTES ? n_in - received : MOST_BYTES;
        MPI_Sendrecv((const char *)out + sent, (int)send, MPI_BYTE, send > 0 ? to : MPI_PROC_NULL,
                     0, (char *)in + received, (int)receive, MPI_BYTE,
                     receive > 0 ? from : MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
        sent += send;
        received += receive;
    }
}

/** Everything to its owner: first what stays, then in step s to the rank s behind. Collective. */
static void send_all(struct traffic *self, struct hf_local_blocks *to)
{
    const struct hf_context *context = self->local->context;
    const int n_rank = context->n_rank;
    pack(self, context->rank, to);
    for (int s = 1; s < n_rank; s++) {
        const int next = (context->rank + s) % n_rank,
                  before = (context->rank - s + n_rank) % n_rank;
        const size_t n_block = (size_t)self->to_receive[2 * before];
        const size_t n_value = (size_t)self->to_receive[2 * before + 1];
        self->out.n_block = self->out.n_value = 0;
        pack(self, next, &self->out);
        exchange(context->comm, next, self->out.block, self->out.n_block * sizeof *to->block,
                 before, to->block + to->n_block, n_block * sizeof *to->block);
        exchange(context->comm, next, self->out.value, self->out.n_value * sizeof *to->value,
                 before, to->value + to->n_value, n_value * sizeof *to->value);
        for (size_t b = 0; b < n_block; b++) to->block[to->n_block + b].offset += to->n_value;
        to->n_block += n_block;
        to->n_value += n_value;
    }
}

/** Room for all that arrives and for the largest part that leaves. Local. */
static bool make_rooms(struct traffic *self, struct hf_local_blocks *to, double *sent_bytes)
{
    const struct hf_context *context = self->local->context;
    size_t most_block = 0, most_value = 0, n_block = 0, n_value = 0;
    for (int rank = 0; rank < context->n_rank; rank++) {
        const int64_t *out = self->to_send + 2 * rank, *in = self->to_receive + 2 * rank;
        n_block += (size_t)in[0];
        n_value += (size_t)in[1];
        if (rank == context->rank) continue;
        if ((size_t)out[0] > most_block) most_block = (size_t)out[0];
        if ((size_t)out[1] > most_value) most_value = (size_t)out[1];
        *sent_bytes += (double)out[0] * (double)sizeof *to->block + 8.0 * (double)out[1];
    }
    return make_room(to, n_block, n_value) && make_room(&self->out, most_block, most_value);
}

static int compare(const void *left, const void *right)
{
    const struct hf_local_block *a = left, *b = right;
    if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

hf_status hf_local_blocks_redistribute(const struct hf_local *local, int n_from,
                                       struct hf_local_blocks from[], struct hf_local_blocks *to,
                                       double *sent_bytes, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_context *context = local->context;
    struct traffic self = {.local = local, .n_from = n_from, .from = from};
    self.out = (struct hf_local_blocks){.memory = to->memory, .label = to->label};
    self.to_send = calloc(2 * (size_t)context->n_rank, sizeof *self.to_send);
    self.to_receive = calloc(2 * (size_t)context->n_rank, sizeof *self.to_receive);
    if (self.to_send == NULL || self.to_receive == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory to move %s", to->label);
    HF_TRY(hf_agree(context->comm, status, error));
    count(&self);
    MPI_Alltoall(self.to_send, 2, MPI_INT64_T, self.to_receive, 2, MPI_INT64_T, context->comm);
    if (!make_rooms(&self, to, sent_bytes))
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory to move %s", to->label);
    HF_TRY(hf_agree(context->comm, status, error));
    send_all(&self, to);
    qsort(to->block, to->n_block, sizeof *to->block, compare);
    for (int t = 0; t < n_from; t++) hf_local_blocks_done(&from[t]);
cleanup:
    hf_local_blocks_done(&self.out);
    free(self.to_send);
    free(self.to_receive);
    return status;
}
