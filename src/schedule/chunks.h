/* Chunks of the list of tasks, for schedulers that hand out one chunk after the other ("counter", "manager").
 *
 * The place of a chunk follows from its number alone, so that schedulers hand out numbers only. Chunks come
 * in stages with one chunk for each worker. A stage has half of the remaining cost; the last stage has several
 * chunks for each worker and ends with the list. A few tasks are handed out one by one. (Factoring:
 * S. F. Hummel, E. Schonberg, L. E. Flynn, Commun. ACM 35 (8), 90 (1992), by cost instead of number.)
 *
 *     stage 0, half of the cost        stage 1, a quarter     ...   last stage
 *    | chunk 0 | chunk 1 | chunk 2 || chunk 0 | 1 | 2 ||         || 0 | 1 | 2 | 0 | 1 | 2 | ... |
 *
 * Workers may form groups that count separately. A group has the chunks of its workers in every stage. So
 * all groups reach the end of their chunks at about the same time, and go on with those of other groups. */
#ifndef HF_CHUNKS_H
#define HF_CHUNKS_H

#include "cost_list.h"
#include "groups.h"

#include <stdbool.h>

/** Tasks at positions begin .. end-1; there may be none. */
struct hf_chunk {
    int64_t begin, end;
};

static inline bool hf_chunk_is_empty(const struct hf_chunk *chunk)
{
    return chunk->begin == chunk->end;
}

/** How a list is cut for n_worker workers; the same on every rank. */
struct hf_chunk_plan {
    struct hf_cost_list list;
    int n_worker;
    int n_halving;   /**< stages before the last */
    int n_last;      /**< chunks of the last stage for each worker */
    bool one_by_one; /**< so few tasks that each is a chunk */
};

/** n_worker must be 1 or more. */
void hf_chunk_plan_make(const struct hf_task_levels *levels, int n_worker,
                        struct hf_chunk_plan *plan);

/** Number of chunks of each worker. */
static inline int64_t hf_chunks_of_worker(const struct hf_chunk_plan *plan)
{
    return plan->n_halving + plan->n_last;
}

/** Chunk of a worker in a round: 0 .. hf_chunks_of_worker - 1. */
struct hf_chunk hf_chunk_of(const struct hf_chunk_plan *plan, int64_t round, int worker);

/** A chunk by its number; round -1: the group has no more. */
struct hf_chunk_number {
    int64_t round, worker;
};

/** A worker that takes one chunk after the other: its first one without asking if all workers begin at once, then those
 *  of its own group, then those of the next groups. */
struct hf_chunk_taker {
    struct hf_rank_group
        own; /**< group of this rank; hf_chunk_taker_start sets the other members */
    struct hf_rank_group asked; /**< group that is asked for chunks */
    struct hf_chunk_plan plan;
    struct hf_chunk chunk; /**< remaining tasks of the current chunk */
    bool begun;            /**< the first chunk is taken, or is to be asked for */
    bool finished;         /**< no group that it asks has more chunks */
};

/** `own_first`: each worker has its first chunk without asking. */
void hf_chunk_taker_start(struct hf_chunk_taker *taker, const struct hf_task_levels *levels,
                          int n_worker, bool own_first);

/** Takes chunks until one has tasks, or there are no more. `worker` is the number of this worker; `ask` asks the
 *  group taker->asked for a chunk. */
void hf_chunk_taker_fill(struct hf_chunk_taker *taker, int worker,
                         struct hf_chunk_number (*ask)(void *data), void *data);

/** Drops the remaining tasks of the current chunk. */
static inline void hf_chunk_taker_drop(struct hf_chunk_taker *taker)
{
    taker->chunk.begin = taker->chunk.end;
}

#endif
