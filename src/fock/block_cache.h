/* A cache of blocks of two atoms: densities fetched from their owners, and sums of J or K that are sent
 * to their owners when they leave (book Fig. 8.4, whose cache holds one task).
 *
 * A cached block is stored in both orientations, [i][j] and [j][i]: digestion needs contiguous rows of both.
 * Sums are not symmetric in the cache. They become symmetric when they leave: the block and its mirror image
 * are added, or subtracted in antisymmetric layers. Sums that leave are put into an outbox, so that no thread waits for a message while it holds the
 * lock of a cache. */
#ifndef HF_BLOCK_CACHE_H
#define HF_BLOCK_CACHE_H

#include "base/arena.h"
#include "digest/digest.h"
#include "hf/basis.h"
#include "onesided/block_range.h"
#include "outbox.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_block_cache;

/** One pair of atoms i >= j. Layers are the densities, or the J, or the K of the jobs. */
struct hf_cached_block {
    struct hf_arena arena;
    int i, j;
    /** [layer][functions of i][functions of j], then [layer][j][i]; the second is not used when
     *  i = j. HF_STRIP_SLACK doubles are behind them. */
    double *value;
    size_t size; /**< of one orientation [doubles] */
    /** Largest elements of densities: [shells of i][shells of j][HF_N_BOUND], of layers with J and of layers
     *  without J; then [j][i]. */
    double *largest;
    int n_pin;
    bool touched;                      /**< sums: something may have been added */
    bool pending;                      /**< densities: on their way */
    struct hf_window_request *request; /**< [n_layer] while pending */
    struct hf_cached_block *next_of_bucket, *older, *newer;
    struct hf_block_cache *cache; /**< cache that contains or contained the block */
    struct hf_parcel parcel;      /**< sums: for the outbox, after the block left the cache */
};

/** Settings of a cache. The struct is copied; its pointers are borrowed. */
struct hf_block_cache_settings {
    struct hf_context *context;
    const struct hf_basis *basis;
    const struct hf_block_layout *layout; /**< parts are the atoms */
    int n_layer;
    int n_alone;                    /**< number of layers with K alone; they come first */
    int n_antisymmetric;            /**< number of antisymmetric layers, the first of these */
    struct hf_window *const *array; /**< [n_layer] */
    bool sums;                      /**< blocks start as zeros and are accumulated at the owner */
    double factor;                  /**< sums are multiplied by it when they leave */
    struct hf_outbox *outbox;       /**< sums: takes blocks that leave; borrowed */
    size_t budget_bytes;            /**< of all blocks; pinned blocks may exceed it */
};

/** Counts since the cache was made. */
struct hf_block_cache_account {
    int64_t n_asked; /**< requests for blocks */
    int64_t n_found; /**< requests for blocks in the cache */
    int64_t n_own;   /**< requests for blocks that were not in the cache but belong to this rank */
    int64_t n_sent;  /**< sums sent to another rank */
    double wait_seconds; /**< waiting for blocks to arrive or to leave */
    size_t peak_bytes;
};

enum { HF_LEAST_CACHE_BYTES = 8 << 20 };

/** Budget of one cache [bytes]: the share of a rank in one matrix, but at least 8 MB; at most half of a matrix,
 *  and at most one matrix for all ranks of a node together. */
double hf_block_cache_budget(int n_function, int n_rank, int n_node_rank);

/** Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_block_cache_create(const struct hf_block_cache_settings *settings,
                                struct hf_block_cache **cache,
                                struct hf_error *error) HF_MUST_CHECK;

/** Drops all blocks; sums that were not flushed are lost, and the outbox must have none. Not collective. */
void hf_block_cache_destroy(struct hf_block_cache **cache);

/** Pins the block of atoms i and j, in any order: it stays until it is unpinned as often as it was pinned.
 *  A density may still be on its way. Sums that must leave go to the outbox. Does not wait for messages,
 *  except when a density must leave before it has arrived. NULL: no memory. */
struct hf_cached_block *hf_block_cache_pin(struct hf_block_cache *cache, int i, int j);

/** Whether the whole block has arrived; completes it then. Does not wait. Between two calls a thread should
 *  release its locks and poke the transport. */
bool hf_block_cache_test(struct hf_block_cache *cache, struct hf_cached_block *block);

/** Adds the time between calls of hf_block_cache_test to the time spent waiting for blocks. */
void hf_block_cache_book_wait(struct hf_block_cache *cache, double seconds);

void hf_block_cache_unpin(struct hf_block_cache *cache, struct hf_cached_block *block);

/** Sends all sums to their owners and empties the cache. No block may be pinned, and no other thread may
 *  use the cache or its outbox. */
void hf_block_cache_flush(struct hf_block_cache *cache);

/** Whether all blocks, pinned ones included, are within the budget. */
bool hf_block_cache_has_room(const struct hf_block_cache *cache);

struct hf_block_cache_account hf_block_cache_account(const struct hf_block_cache *cache);

/** A block with the functions of atom `row`, which is i or j, as rows. */
static inline double *hf_cached_value(const struct hf_cached_block *block, int row)
{
    return row == block->i ? block->value : block->value + block->size;
}

#endif
