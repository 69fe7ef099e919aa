/* Inside the distributed builder: its steps and what a build holds. */
#ifndef HF_DISTRIBUTED_H
#define HF_DISTRIBUTED_H

#include "block_cache.h"
#include "density_bounds.h"
#include "fock_private.h"

/** The pairs of atoms of a quartet (AB|CD) whose blocks are needed (book Fig. 8.4). */
enum { HF_N_COMBINATION = 6 };

/** Steps under way. */
enum { HF_LEAST_DEPTH = 2, HF_MAX_DEPTH = 32 };

/** What is computed at a time: shell pairs of one pair of atoms with those of another. */
struct hf_step {
    int atom[HF_N_ATOM];
    int64_t bra_begin, bra_end; /**< shell pairs */
    struct hf_ket_range kets;   /**< without its blocks */
    bool coulomb, exchange;     /**< whether J, whether K can get anything from it */
    /** Pinned blocks: AB, CD (for J), AC, AD, BC, BD (for K); NULL when not needed. */
    struct hf_cached_block *density[HF_N_COMBINATION], *sum[HF_N_COMBINATION];
};

/** Steps whose blocks are on their way, in the order they will be computed. */
struct hf_step_ring {
    struct hf_step step[HF_MAX_DEPTH];
    int first, n;
    int depth;  /**< as many as shall be under way now */
    int n_calm; /**< steps in a row that did not wait */
};

/** Where the steps come from: the task in hand and the place in it. */
struct hf_step_source {
    bool has_task;
    struct hf_task task;
    int64_t bra, ket; /**< positions of units; of all kets: atom pairs, falling */
};

struct hf_distributed {
    struct hf_block_layout *layout; /**< parts are the atoms */
    struct hf_onesided *onesided;
    struct hf_density_bounds bounds;
    /* while a build runs */
    struct hf_block_array **D, **J, **K; /**< [n_job]; NULL where not wanted */
    struct hf_block_cache *density, *coulomb, *exchange;
    struct hf_job_blocks *job; /**< [n_job] */
    struct hf_quartet_blocks blocks;
    struct hf_step_source source;
    struct hf_step_ring ring;
};

/** The next step that passes the screening by atoms, taking tasks as needed. False when there are
 * no more, or with *status set when the build is interrupted. */
bool hf_step_next(struct hf_fock_builder *self, struct hf_step_source *source, struct hf_step *step,
                  hf_status *status, struct hf_error *error);

#endif
