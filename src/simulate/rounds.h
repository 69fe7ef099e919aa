/* Rounds of tasks from a trace (hf --trace, or what tools/replay puts together): what each task takes, and the blocks
 * of matrices that it needs. */
#ifndef HF_SIMULATE_ROUNDS_H
#define HF_SIMULATE_ROUNDS_H

#include "hf/status.h"
#include "schedule/task_levels.h"

#include <stdbool.h>
#include <stdint.h>

/** A block that a task needs: its density is read, and its sum of J or of K is added to. */
struct hf_sim_block {
    int number;
    bool exchange; /**< K */
};

/** A round. */
struct hf_sim_round {
    int64_t n_task;
    double *seconds; /**< [n_task] */
    double *stored;  /**< [n_task] of reading its stored integrals; NULL: none is read */
    /** Tasks in falling levels of cost, as hf lists them (work/costs.h); empty ones are not in the list. */
    int64_t n_listed, *order;
    struct hf_task_levels levels;
    int64_t *first_block; /**< [n_task + 1] in `block`; NULL: none */
    struct hf_sim_block *block;
};

struct hf_sim_rounds {
    int n_round;
    struct hf_sim_round *round;
    int n_number;       /**< of blocks */
    float *block_bytes; /**< [n_number] */
    int n_function;
    double least_cache_bytes; /**< of blocks (fock/block_cache.h) */
    bool reads_only;          /**< blocks are read and not added to */
};

/** HF_BAD_INPUT: no trace, or a damaged one; HF_NO_RESOURCE. */
hf_status hf_sim_rounds_read(const char *path, struct hf_sim_rounds *rounds,
                             struct hf_error *error) HF_MUST_CHECK;
void hf_sim_rounds_free(struct hf_sim_rounds *rounds);

#endif
