/* A trace (hf --trace, or what tools/replay puts together): what each task takes, and the blocks of matrices that it
 * needs. */
#ifndef HF_SIMULATE_ROUNDS_H
#define HF_SIMULATE_ROUNDS_H

#include "base/arena.h"
#include "hf/status.h"
#include "schedule/task_levels.h"
#include "text/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct cJSON;

/** A block that a task needs: of a Fock build its density, and its sum of J or of K is added to. */
struct hf_sim_block {
    int number;
    bool exchange; /**< K */
    float bytes;
};

/** Seconds of the tasks of one kind; those that were not recorded take none. */
struct hf_sim_tasks {
    int64_t n;
    double *seconds; /**< [n] */
};

/** A kind of its own: what local MP2 sorts and hands over within a rank, recorded as a phase, at task 0. */
enum { HF_SIM_EXCHANGE = HF_TRACE_FIRST_PHASE, HF_SIM_N_KIND };

/** Sums of a Fock build: J and K. */
enum { HF_SIM_N_SUM = 2 };

/** The tasks of a Fock build, or of a batch of a transformation of integrals. */
struct hf_sim_round {
    struct hf_sim_tasks of[HF_SIM_N_KIND]; /**< enum hf_trace_kind */
    /** HF_TRACE_TASK in falling levels of cost, as hf lists them (work/costs.h): by the levels that are recorded, or by
     *  seconds. Empty ones are not in the list. */
    int64_t n_listed, *order;
    unsigned char *level; /**< [of[HF_TRACE_TASK].n] as recorded; NULL: they were not */
    struct hf_task_levels levels;
    int64_t n_block, *first_block; /**< [n_block + 1] of each task, in `block`; n_block 0: none */
    struct hf_sim_block *block;
    float
        *n_add[HF_SIM_N_SUM]; /**< [n_added] how often tasks added to a block of replicated J, K */
};

struct hf_sim_rounds {
    struct hf_arena arena; /**< of all arrays */
    struct cJSON *header;
    int n_round, n_batch;
    struct hf_sim_round *round, *batch; /**< Fock builds, batches */
    int n_number;                       /**< of blocks of Fock builds */
    float *block_bytes;                 /**< [n_number] */
    int n_function;
    double least_cache_bytes; /**< of blocks (fock/block_cache.h) */
    bool reads_only;          /**< matrices are read and not added to */
    int n_density, n_added;   /**< of a build; blocks of replicated matrices, 0: all are added to */
    int n_site; /**< sites whose functions are the rows of a block; 0: no matrices move */
    bool replicated;
};

/** HF_BAD_INPUT: no trace, or a damaged one; HF_NO_RESOURCE. */
hf_status hf_sim_rounds_read(const char *path, struct hf_sim_rounds *rounds,
                             struct hf_error *error) HF_MUST_CHECK;
void hf_sim_rounds_free(struct hf_sim_rounds *rounds);

/** Seconds of one task, and of all of a kind. */
static inline double hf_sim_seconds(const struct hf_sim_round *round, int kind, int64_t task)
{
    return task >= 0 && task < round->of[kind].n ? round->of[kind].seconds[task] : 0.0;
}
double hf_sim_all_seconds(const struct hf_sim_round *round, int kind);

/** A number of an object of the header; -1: it has none. Of the header itself: `of` is NULL. */
double hf_sim_number(const struct hf_sim_rounds *rounds, const struct cJSON *of, const char *name);

/** What the header says of a method ("mp2", "local_mp2"); NULL: nothing. */
const struct cJSON *hf_sim_method(const struct hf_sim_rounds *rounds, const char *name);

#endif
