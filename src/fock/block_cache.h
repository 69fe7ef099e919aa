/* Blocks of two atoms that this rank has at hand: densities fetched from their owners, and sums of
 * J or K that are sent to their owners when they leave (book Fig. 8.4, whose cache holds one task).
 *
 * A cached block stands in both orientations, [i][j] and [j][i], so that digestion finds rows
 * contiguous either way. Sums are not symmetric while they are here; folding them with their mirror
 * image on the way out makes them so. Sums that leave wait in an outbox, so that whoever holds the lock of a
 * cache never waits for a message with it. */
#ifndef HF_BLOCK_CACHE_H
#define HF_BLOCK_CACHE_H

#include "hf/basis.h"
#include "hf/block_array.h"
#include "hf/digest.h"
#include "outbox.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_block_cache;

/** One pair of atoms i >= j. Layers are the densities, or the J, or the K of the jobs. */
struct hf_cached_block {
    int i, j;
    /** [layer][functions of i][functions of j], then [layer][j][i]; the second is not used when
     *  i = j. HF_STRIP_SLACK doubles are behind them. */
    double *value;
    size_t size; /**< of either, in doubles */
    /** Densities: [shells of i][shells of j][HF_N_BOUND] largest elements over the layers with J and
     *  over those without, then [j][i]. */
    double *largest;
    int n_pin;
    bool touched;                      /**< sums: something may have been added */
    bool pending;                      /**< densities: on their way */
    struct hf_window_request *request; /**< [n_layer] while pending */
    struct hf_cached_block *next_of_bucket, *older, *newer;
    struct hf_block_cache *cache; /**< it is, or was, in */
    struct hf_parcel parcel;      /**< sums: of the outbox, behind the cache */
};

/** What a cache is for; copied, the arrays and the rest borrowed. */
struct hf_block_cache_settings {
    struct hf_context *context;
    const struct hf_basis *basis;
    const struct hf_block_layout *layout; /**< parts are the atoms */
    int n_layer;
    int n_alone;                         /**< the first of them: densities of K alone */
    struct hf_block_array *const *array; /**< [n_layer] */
    bool sums;                           /**< zeroed when they come, accumulated when they leave */
    double factor;                       /**< of the sums when they leave */
    struct hf_outbox *outbox;            /**< sums: where they go; borrowed */
    size_t budget_bytes;                 /**< of all blocks, as far as they are not pinned */
};

/** Counts since the cache was made. */
struct hf_block_cache_account {
    int64_t n_asked;     /**< blocks wanted */
    int64_t n_found;     /**< that were there already */
    int64_t n_own;       /**< that were not, but belong to this rank */
    int64_t n_sent;      /**< sums that went to another rank */
    double wait_seconds; /**< waiting for blocks to come or to leave */
    size_t peak_bytes;
};

/** Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_block_cache_create(const struct hf_block_cache_settings *settings,
                                struct hf_block_cache **cache,
                                struct hf_error *error) HF_MUST_CHECK;

/** Drops all blocks; sums that were not flushed are lost, and none may be left in the outbox. Not
 *  collective. */
void hf_block_cache_destroy(struct hf_block_cache **cache);

/** The block of atoms i and j, in any order, which stays until it is unpinned as often. A density
 *  may be on its way still; sums that have to leave go to the outbox. Waits for no message, unless a density
 *  leaves that nobody waited for. NULL when there is no memory. */
struct hf_cached_block *hf_block_cache_pin(struct hf_block_cache *cache, int i, int j);

/** Whether the block is complete; makes it so when all has come. For threads that let others in, and poke
 *  the transport, between two looks. Waits for nothing. */
bool hf_block_cache_test(struct hf_block_cache *cache, struct hf_cached_block *block);

/** Books time spent between such looks as waiting for blocks. */
void hf_block_cache_book_wait(struct hf_block_cache *cache, double seconds);

void hf_block_cache_unpin(struct hf_block_cache *cache, struct hf_cached_block *block);

/** Sends all sums to their owners and empties the cache; nothing may be pinned, and no other thread may use
 *  the cache or its outbox. */
void hf_block_cache_flush(struct hf_block_cache *cache);

/** Whether the blocks keep to the budget, those that are pinned among them. */
bool hf_block_cache_has_room(const struct hf_block_cache *cache);

struct hf_block_cache_account hf_block_cache_account(const struct hf_block_cache *cache);

/** A block with the functions of atom `row`, which is i or j, as rows. */
static inline double *hf_cached_value(const struct hf_cached_block *block, int row)
{
    return row == block->i ? block->value : block->value + block->size;
}

#endif
