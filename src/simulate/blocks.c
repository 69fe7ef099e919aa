/* Blocks on their way; see blocks.h. */
#include "blocks.h"

#include "clock.h"
#include "onesided/onesided.h"

#include <math.h>
#include <stdlib.h>

/** Blocks that are kept, each with the number of its last use; 0: it is not here. */
struct cache {
    double bytes;
    long n_use, *used; /**< [n_number] */
};

struct hf_sim_blocks {
    const struct hf_sim_rounds *rounds;
    struct hf_context *context;
    struct hf_onesided *onesided;
    struct hf_window *density, *sum;
    pthread_mutex_t
        lock; /**< of the caches and of requests: threads take turns, as with the ring of steps of hf */
    struct cache densities, sums[HF_SIM_N_SUM];
    double budget;  /**< bytes of a cache */
    double *buffer; /**< of the largest block, for all that comes and goes: nobody reads it */
};

struct hf_sim_fetch {
    int n;
    struct hf_window_request request[];
};

/** A block at its owner, which is found by a hash of its number: about as even as the layout of hf. All blocks of an owner have
 *  one place, as nobody reads them. */
static struct hf_window_range range_of(const struct hf_sim_blocks *self, int number)
{
    const uint64_t hash = ((uint64_t)number + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    const size_t n = (size_t)self->rounds->block_bytes[number] / sizeof(double);
    return (struct hf_window_range){(int)(hash % (uint64_t)self->context->n_rank), 0, n};
}

/* ---- What a rank keeps ---- */

/** Bytes that one kind of cache may keep (fock/block_cache.c). */
static double budget(const struct hf_sim_blocks *self)
{
    const double n = self->rounds->n_function, whole = n * n * sizeof(double);
    const double most = whole * fmin(0.5, 1.0 / self->context->n_node_rank);
    return fmin(most, fmax(whole / self->context->n_rank, self->rounds->least_cache_bytes));
}

static void cache_make(struct cache *cache, int n_number)
{
    *cache = (struct cache){.used = hf_sim_memory((size_t)n_number, sizeof *cache->used)};
}

/** Takes out the block that was used least recently; -1: there is none. Both orientations of a block are kept. */
static int drop_oldest(const struct hf_sim_blocks *self, struct cache *cache)
{
    int oldest = -1;
    for (int i = 0; i < self->rounds->n_number; i++)
        if (cache->used[i] > 0 && (oldest < 0 || cache->used[i] < cache->used[oldest])) oldest = i;
    if (oldest < 0) return -1;
    cache->used[oldest] = 0;
    cache->bytes -= 2.0 * self->rounds->block_bytes[oldest];
    return oldest;
}

static void send_sum(struct hf_sim_blocks *self, int number)
{
    hf_window_accumulate(self->sum, range_of(self, number), self->buffer);
}

/** A block is used now. Returns whether it was here; if not, others leave. */
static bool touch(struct hf_sim_blocks *self, struct cache *cache, int number)
{
    const double bytes = 2.0 * self->rounds->block_bytes[number];
    const bool here = cache->used[number] > 0;
    while (!here && cache->bytes > 0.0 && cache->bytes + bytes > self->budget) {
        const int other = drop_oldest(self, cache);
        if (other < 0) break;
        if (cache != &self->densities) send_sum(self, other);
    }
    if (!here) cache->bytes += bytes;
    cache->used[number] = ++cache->n_use;
    return here;
}

/* ---- What others call ---- */

hf_status hf_sim_blocks_create(struct hf_context *context, const char *transport,
                               const struct hf_sim_rounds *rounds, struct hf_sim_blocks **blocks,
                               struct hf_error *error)
{
    const struct hf_onesided_settings settings = {.transport = transport, .skip_self_test = true};
    struct hf_sim_blocks *made = *blocks = hf_sim_memory(1, sizeof *made);
    size_t most = 0;
    *made = (struct hf_sim_blocks){.rounds = rounds, .context = context};
    for (int i = 0; i < rounds->n_number; i++)
        if (range_of(made, i).n > most) most = range_of(made, i).n;
    made->buffer = hf_sim_memory(most, sizeof *made->buffer);
    made->budget = budget(made);
    pthread_mutex_init(&made->lock, NULL);
    cache_make(&made->densities, rounds->n_number);
    for (int k = 0; k < HF_SIM_N_SUM; k++) cache_make(&made->sums[k], rounds->n_number);
    HF_CHECK(hf_onesided_create(context, &settings, &made->onesided, error));
    HF_CHECK(hf_window_create(made->onesided, most, "densities", &made->density, error));
    return hf_window_create(made->onesided, most, "sums", &made->sum, error);
}

void hf_sim_blocks_destroy(struct hf_sim_blocks **blocks)
{
    struct hf_sim_blocks *old = *blocks;
    if (old == NULL) return;
    hf_window_destroy(&old->sum);
    hf_window_destroy(&old->density);
    hf_onesided_destroy(&old->onesided);
    free(old->densities.used);
    for (int k = 0; k < HF_SIM_N_SUM; k++) free(old->sums[k].used);
    pthread_mutex_destroy(&old->lock);
    free(old->buffer);
    free(old);
    *blocks = NULL;
}

struct hf_sim_fetch *hf_sim_blocks_begin(struct hf_sim_blocks *self,
                                         const struct hf_sim_round *round, int64_t task)
{
    if (task >= round->n_block) return NULL;
    const int64_t first = round->first_block[task], n = round->first_block[task + 1] - first;
    struct hf_sim_fetch *fetch =
        hf_sim_memory(1, sizeof *fetch + (size_t)n * sizeof *fetch->request);
    pthread_mutex_lock(&self->lock);
    for (int64_t k = first; k < first + n; k++) {
        const struct hf_sim_block block = round->block[k];
        const bool mine = range_of(self, block.number).rank == self->context->rank;
        if (!self->rounds->reads_only) touch(self, &self->sums[block.exchange], block.number);
        if (touch(self, &self->densities, block.number) || mine) continue;
        hf_window_begin_get(self->density, range_of(self, block.number), self->buffer,
                            &fetch->request[fetch->n++]);
    }
    pthread_mutex_unlock(&self->lock);
    return fetch;
}

void hf_sim_blocks_end(struct hf_sim_blocks *self, struct hf_sim_fetch *fetch)
{
    for (int i = 0; fetch != NULL && i < fetch->n; i++)
        hf_window_end_get(self->density, &fetch->request[i]);
    free(fetch);
}

void hf_sim_blocks_serve(struct hf_sim_blocks *self)
{
    hf_onesided_poke(self->onesided);
}

static void send_sums(struct hf_sim_blocks *self)
{
    for (int number = 0; number < self->rounds->n_number; number++) {
        self->densities.used[number] = 0;
        for (int k = 0; k < HF_SIM_N_SUM; k++) {
            if (self->sums[k].used[number] > 0) send_sum(self, number);
            self->sums[k].used[number] = 0;
        }
    }
    self->densities.bytes = self->sums[0].bytes = self->sums[1].bytes = 0.0;
}

void hf_sim_blocks_collect(struct hf_sim_blocks *self)
{
    int64_t account[4] = {0}; /* which fock/distributed.c adds up before the fence */
    send_sums(self);
    MPI_Allreduce(MPI_IN_PLACE, account, 4, MPI_INT64_T, MPI_SUM, self->context->comm);
    hf_window_fence(self->sum);
}
