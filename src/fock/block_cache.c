/* A cache of blocks: a hash table by pair of atoms, a list by last use, a budget; see block_cache.h. */
#include "block_cache.h"

#include <math.h>
#include <string.h>

static const char *const label = "cached blocks";

struct hf_block_cache {
    struct hf_arena arena;
    struct hf_block_cache_settings set;
    int64_t n_bucket; /**< a power of 2 */
    struct hf_cached_block **bucket;
    struct hf_cached_block *oldest, *newest; /**< by last use, all blocks */
    size_t bytes;
    double *folded; /**< buffer for the block that is sent */
    struct hf_block_cache_account account;
};

static size_t n_function(const struct hf_block_cache *self, int atom)
{
    const int *first = hf_block_layout_first(self->set.layout);
    return (size_t)(first[atom + 1] - first[atom]);
}

static size_t n_shell(const struct hf_block_cache *self, int atom)
{
    const int *first = self->set.basis->first_shell_of_atom;
    return (size_t)(first[atom + 1] - first[atom]);
}

/** Elements of one orientation and one layer of a block. */
static size_t n_element(const struct hf_block_cache *self, const struct hf_cached_block *block)
{
    return n_function(self, block->i) * n_function(self, block->j);
}

/** Bounds of a block in one orientation. */
static size_t n_bound(const struct hf_block_cache *self, const struct hf_cached_block *block)
{
    return n_shell(self, block->i) * n_shell(self, block->j) * HF_N_BOUND;
}

static bool is_remote(const struct hf_block_cache *self, const struct hf_cached_block *block)
{
    return hf_block_layout_find(self->set.layout, block->i, block->j).rank !=
           self->set.context->rank;
}

static int64_t bucket_of(const struct hf_block_cache *self, int i, int j)
{
    const uint64_t key = hf_pair_index(i, j);
    return (int64_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (self->n_bucket - 1);
}

hf_status hf_block_cache_create(const struct hf_block_cache_settings *settings,
                                struct hf_block_cache **cache, struct hf_error *error)
{
    enum { MOST_BUCKETS = 1 << 16 };
    const int64_t n_atom = settings->basis->n_atom;
    const size_t largest = (size_t)hf_most_functions_of_atom(settings->basis);
    struct hf_block_cache *self = HF_NEW(*cache, settings->context->memory, label);
    if (self == NULL) return hf_arena_check_new(self, error);
    self->set = *settings;
    self->n_bucket = 64;
    while (self->n_bucket < n_atom * (n_atom + 1) / 2 && self->n_bucket < MOST_BUCKETS)
        self->n_bucket *= 2;
    HF_TAKE(&self->arena, self->bucket, (size_t)self->n_bucket);
    self->folded = hf_arena_take_class(&self->arena, HF_MEMORY_MATRIX, label, largest * largest,
                                       sizeof(double));
    const hf_status status = hf_arena_check(&self->arena, error);
    if (status != HF_OK) hf_arena_free(cache);
    return status;
}

/** Takes a block out of the list by last use. */
static void unlink_block(struct hf_block_cache *self, struct hf_cached_block *block)
{
    if (block->older != NULL)
        block->older->newer = block->newer;
    else
        self->oldest = block->newer;
    if (block->newer != NULL)
        block->newer->older = block->older;
    else
        self->newest = block->older;
}

static void append_block(struct hf_block_cache *self, struct hf_cached_block *block)
{
    block->older = self->newest;
    block->newer = NULL;
    if (self->newest != NULL)
        self->newest->newer = block;
    else
        self->oldest = block;
    self->newest = block;
}

/** Sends the folded sums of a block to its owner: X + X^T, or X - X^T, times the factor. One thread at a time. */
static void send_sums(struct hf_block_cache *self, const struct hf_cached_block *block)
{
    const size_t n_i = n_function(self, block->i), n_j = n_function(self, block->j);
    const bool remote = is_remote(self, block);
    const double start = hf_wall_seconds();
    for (int k = 0; k < self->set.n_layer; k++) {
        const double *x = hf_cached_value(block, block->i) + (size_t)k * n_i * n_j;
        const double *mirror = hf_cached_value(block, block->j) + (size_t)k * n_i * n_j;
        const double factor = hf_mirror_factor(self->set.n_antisymmetric, k);
        double *out = self->folded;
        for (size_t r = 0; r < n_i; r++)
            for (size_t c = 0; c < n_j; c++)
                *out++ = self->set.factor * (x[r * n_j + c] + factor * mirror[c * n_i + r]);
        hf_window_accumulate(self->set.array[k],
                             hf_block_range(self->set.layout, block->i, block->j), self->folded);
        self->account.n_sent += remote;
    }
    if (remote) self->account.wait_seconds += hf_wall_seconds() - start;
}

/** Waits until all layers of a block have arrived. */
static void end_gets(struct hf_block_cache *self, struct hf_cached_block *block)
{
    const bool remote = is_remote(self, block);
    const double start = remote ? hf_wall_seconds() : 0.0;
    for (int k = 0; k < self->set.n_layer; k++)
        hf_window_end_get(self->set.array[k], &block->request[k]);
    if (remote) self->account.wait_seconds += hf_wall_seconds() - start;
    block->pending = false;
}

static size_t block_bytes(const struct hf_block_cache *self, const struct hf_cached_block *block)
{
    return 2 * (block->size + (self->set.sums ? 0 : n_bound(self, block))) * sizeof(double);
}

/** hf_parcel.deliver */
static void deliver(struct hf_parcel *parcel, bool wanted)
{
    struct hf_cached_block *block = parcel->owner;
    if (wanted) send_sums(block->cache, block);
    hf_arena_done(&block->arena);
}

/** Removes a block that is not pinned. */
static void evict(struct hf_block_cache *self, struct hf_cached_block *block)
{
    if (block->pending) end_gets(self, block);
    struct hf_cached_block **link = &self->bucket[bucket_of(self, block->i, block->j)];
    while (*link != block) link = &(*link)->next_of_bucket;
    *link = block->next_of_bucket;
    unlink_block(self, block);
    self->bytes -= block_bytes(self, block);
    if (!block->touched) {
        hf_arena_done(&block->arena);
        return;
    }
    block->parcel =
        (struct hf_parcel){.deliver = deliver, .owner = block, .bytes = block_bytes(self, block)};
    hf_outbox_put(self->set.outbox, &block->parcel);
}

/** Evicts the oldest unpinned blocks until `bytes` more fit, or none is left. */
static void make_room(struct hf_block_cache *self, size_t bytes)
{
    struct hf_cached_block *block = self->oldest;
    while (block != NULL && self->bytes + bytes > self->set.budget_bytes) {
        struct hf_cached_block *newer = block->newer;
        if (block->n_pin == 0) evict(self, block);
        block = newer;
    }
}

void hf_block_cache_flush(struct hf_block_cache *cache)
{
    struct hf_cached_block *block = cache->oldest;
    while (block != NULL) {
        struct hf_cached_block *newer = block->newer;
        evict(cache, block);
        block = newer;
    }
    if (cache->set.sums) hf_outbox_send(cache->set.outbox);
}

void hf_block_cache_destroy(struct hf_block_cache **cache)
{
    struct hf_block_cache *old = *cache;
    if (old != NULL) {
        for (struct hf_cached_block *block = old->oldest; block != NULL; block = block->newer)
            block->touched = false; /* the sums of a failed build are dropped */
        hf_block_cache_flush(old);
    }
    hf_arena_free(cache);
}

/** Asks the owner for a density block. */
static void begin_gets(struct hf_block_cache *self, struct hf_cached_block *block)
{
    for (int k = 0; k < self->set.n_layer; k++)
        hf_window_begin_get(self->set.array[k],
                            hf_block_range(self->set.layout, block->i, block->j),
                            block->value + (size_t)k * n_element(self, block), &block->request[k]);
    block->pending = true;
    if (!is_remote(self, block)) self->account.n_own++;
}

/** A new block that is in no list yet; NULL when there is no memory. */
static struct hf_cached_block *new_block(struct hf_block_cache *self, int i, int j)
{
    struct hf_cached_block *block;
    if (HF_NEW(block, self->arena.memory, label) == NULL) return NULL;
    block->cache = self;
    block->i = i;
    block->j = j;
    block->size = n_element(self, block) * (size_t)self->set.n_layer;
    block->value = hf_arena_take_class(&block->arena, HF_MEMORY_MATRIX, label,
                                       2 * block->size + HF_STRIP_SLACK, sizeof(double));
    if (!self->set.sums) {
        HF_TAKE(&block->arena, block->request, (size_t)self->set.n_layer);
        block->largest = hf_arena_take_class(&block->arena, HF_MEMORY_MATRIX, label,
                                             2 * n_bound(self, block), sizeof(double));
    }
    if (block->arena.failed) hf_arena_free(&block);
    return block;
}

/** Adds a block to the lists. */
static struct hf_cached_block *add_block(struct hf_block_cache *self, int i, int j)
{
    const struct hf_cached_block like = {.i = i,
                                         .j = j,
                                         .size = n_function(self, i) * n_function(self, j) *
                                                 (size_t)self->set.n_layer};
    make_room(self, block_bytes(self, &like));
    struct hf_cached_block *block = new_block(self, i, j);
    if (block == NULL) return NULL;
    struct hf_cached_block **head = &self->bucket[bucket_of(self, i, j)];
    block->next_of_bucket = *head;
    *head = block;
    append_block(self, block);
    self->bytes += block_bytes(self, block);
    if (self->bytes > self->account.peak_bytes) self->account.peak_bytes = self->bytes;
    if (!self->set.sums) begin_gets(self, block);
    return block;
}

struct hf_cached_block *hf_block_cache_pin(struct hf_block_cache *cache, int i, int j)
{
    const int high = i > j ? i : j, low = i > j ? j : i;
    struct hf_cached_block *block = cache->bucket[bucket_of(cache, high, low)];
    while (block != NULL && (block->i != high || block->j != low)) block = block->next_of_bucket;
    cache->account.n_asked++;
    if (block == NULL) {
        block = add_block(cache, high, low);
        if (block == NULL) return NULL;
    } else {
        cache->account.n_found++;
        unlink_block(cache, block);
        append_block(cache, block);
    }
    block->n_pin++;
    return block;
}

/** Copies a row, times a factor, to a column of the mirror image; returns the largest of `largest` and the row's
 *  |elements|. */
static double mirror_row(size_t n_row, size_t n_column, double factor, const double *row,
                         double *column, double largest)
{
    for (size_t c = 0; c < n_column; c++, column += n_row) {
        *column = factor * row[c];
        largest = fmax(largest, fabs(row[c]));
    }
    return largest;
}

/** Computes the mirror image of layer k of a density block and its largest elements per pair of shells. */
static void complete_layer(struct hf_block_cache *self, struct hf_cached_block *block, size_t k)
{
    const struct hf_basis *basis = self->set.basis;
    const size_t n_i = n_function(self, block->i), n_j = n_function(self, block->j);
    const size_t n_shell_j = n_shell(self, block->j);
    const struct hf_shell *shell_i = &basis->shell[basis->first_shell_of_atom[block->i]];
    const struct hf_shell *shell_j = &basis->shell[basis->first_shell_of_atom[block->j]];
    const size_t kind = k < (size_t)self->set.n_alone ? HF_EXCHANGE_ALONE : HF_WITH_COULOMB;
    const double factor = hf_mirror_factor(self->set.n_antisymmetric, (int)k);
    const double *value = block->value + k * n_i * n_j;
    double *mirror = block->value + block->size + k * n_i * n_j;
    for (size_t s = 0, r = 0; s < n_shell(self, block->i); s++) {
        double *largest = block->largest + s * n_shell_j * HF_N_BOUND + kind;
        for (int x = 0; x < shell_i[s].n_function; x++, r++) {
            for (size_t t = 0, c = 0; t < n_shell_j; t++) {
                const size_t n = (size_t)shell_j[t].n_function;
                largest[t * HF_N_BOUND] = mirror_row(n_i, n, factor, value + r * n_j + c,
                                                     mirror + c * n_i + r, largest[t * HF_N_BOUND]);
                c += n;
            }
        }
    }
}

/** Computes the mirror image and the bounds of a density block. */
static void complete(struct hf_block_cache *self, struct hf_cached_block *block)
{
    const size_t n_shell_i = n_shell(self, block->i), n_shell_j = n_shell(self, block->j);
    double *mirror = block->largest + n_bound(self, block);
    for (int k = 0; k < self->set.n_layer; k++) complete_layer(self, block, (size_t)k);
    for (size_t s = 0; s < n_shell_i; s++)
        for (size_t t = 0; t < n_shell_j; t++)
            memcpy(mirror + (t * n_shell_i + s) * HF_N_BOUND,
                   block->largest + (s * n_shell_j + t) * HF_N_BOUND, HF_N_BOUND * sizeof *mirror);
}

bool hf_block_cache_test(struct hf_block_cache *cache, struct hf_cached_block *block)
{
    if (!block->pending) return true;
    for (int k = 0; k < cache->set.n_layer; k++)
        if (!hf_window_test_get(&block->request[k])) return false;
    block->pending = false;
    complete(cache, block);
    return true;
}

void hf_block_cache_book_wait(struct hf_block_cache *cache, double seconds)
{
    cache->account.wait_seconds += seconds;
}

void hf_block_cache_unpin(struct hf_block_cache *cache, struct hf_cached_block *block)
{
    (void)cache;
    block->n_pin--;
}

bool hf_block_cache_has_room(const struct hf_block_cache *cache)
{
    return cache->bytes <= cache->set.budget_bytes;
}

struct hf_block_cache_account hf_block_cache_account(const struct hf_block_cache *cache)
{
    return cache->account;
}

double hf_block_cache_budget(int n_function, int n_rank, int n_node_rank)
{
    const double whole = (double)n_function * n_function * sizeof(double);
    const double most = whole * fmin(0.5, 1.0 / n_node_rank);
    return fmin(most, fmax(whole / n_rank, HF_LEAST_CACHE_BYTES));
}
