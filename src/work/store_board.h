/* Who reads which stored segment back in a round: the ranks of a node see on a board, in memory that they
 * share, what is left in the store of each of their threads, and whoever has nothing left takes over segments of
 * others.
 *
 *     store of a thread   | 0 1 2 3 4 ...                  ... n-1 |
 *                           its own rank takes these ->   <- other ranks take these
 *
 * Stores are private memory: in what is recorded, and in reading what is one's own, nothing is shared but the
 * numbers above. What another rank stored is copied out of its memory (hf/neighbour.h), a segment at a time. */
#ifndef HF_STORE_BOARD_H
#define HF_STORE_BOARD_H

#include "hf/context.h"
#include "integral_store.h"

struct hf_store_board;

/** A segment that was taken. */
struct hf_taken_segment {
    int neighbour; /**< rank of the node in whose memory it is */
    int worker;    /**< thread of that rank */
    int64_t index;
    struct hf_store_segment segment;
};

/** For stores of `n_worker` threads of each rank, from which other ranks take no segments longer than
 *  `most_bytes`, 0: none. Collective. HF_NO_RESOURCE. */
hf_status hf_store_board_create(struct hf_context *context, int n_worker, size_t most_bytes,
                                struct hf_store_board **board,
                                struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a pointer to NULL; leaves NULL. */
void hf_store_board_destroy(struct hf_store_board **board);

/** All segments of a thread's closed store may be taken from now on, NULL: none. No rank takes any at that time.
 *  The store lasts until all ranks have ended the round. Not collective. */
void hf_store_board_offer(struct hf_store_board *board, int worker,
                          const struct hf_integral_store *store);

/** Takes a segment of this rank's stores or, once these are empty, of another rank's: first of the store of
 *  thread `worker`. False: none is left. Threads: safe. Not collective. */
bool hf_store_board_take(struct hf_store_board *board, int worker, struct hf_taken_segment *taken);

/** Whether a segment lies in another rank's memory. */
bool hf_store_board_is_far(const struct hf_store_board *board, int neighbour);

/** The strips of a segment in another rank's memory, copied to `buffer` [most_bytes + HF_STRIP_ROOM]. False: they
 *  cannot be read. Threads: safe. Not collective. */
bool hf_store_board_read(const struct hf_store_board *board, int neighbour, int worker,
                         int64_t index, void *buffer, struct hf_store_chunk *chunk,
                         struct hf_store_cursor *cursor);

#endif
