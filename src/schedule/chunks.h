/* Chunks of the list of tasks, for schedulers that hand out one after the other ("counter", "manager").
 *
 * Where a chunk lies follows from its number alone, so that whoever counts hands out nothing but numbers.
 * Chunks go in stages, of one chunk for each worker each: half of all the cost there is, then half of what
 * is left, and so on; few tasks go one by one (factoring: S. F. Hummel, E. Schonberg, L. E. Flynn, Commun. ACM 35 (8), 90 (1992),
 * by cost in the place of number); the last stage has several for each and comes to the end of the list.
 *
 *     stage 0, half of the cost        stage 1, a quarter     ...   last stage
 *    | chunk 0 | chunk 1 | chunk 2 || chunk 0 | 1 | 2 ||         || 0 | 1 | 2 | 0 | 1 | 2 | ... |
 *
 * Workers may be in groups, each with a count of its own: a group's chunks are those of its workers in
 * every stage, so that all groups come to the end of theirs at about the same time and can go on with
 * those of others. */
#ifndef HF_CHUNKS_H
#define HF_CHUNKS_H

#include "cost_list.h"

#include <stdbool.h>

/** Tasks at positions begin .. end-1; there may be none. */
struct hf_chunk {
    int64_t begin, end;
};

/** How a list is cut for so many workers; the same on every rank. */
struct hf_chunk_plan {
    struct hf_cost_list list;
    int n_worker;
    int n_halving;   /**< stages before the last */
    int n_last;      /**< chunks of the last stage for each worker */
    bool one_by_one; /**< so few tasks that each is a chunk */
};

/** At least one worker. */
void hf_chunk_plan_make(const struct hf_task_levels *levels, int n_worker,
                        struct hf_chunk_plan *plan);

/** Chunks of each worker: what it or others take before the list is at its end. */
static inline int64_t hf_chunks_of_worker(const struct hf_chunk_plan *plan)
{
    return plan->n_halving + plan->n_last;
}

/** Chunk of a worker in a round: 0 .. hf_chunks_of_worker - 1. */
struct hf_chunk hf_chunk_of(const struct hf_chunk_plan *plan, int64_t round, int worker);

#endif
