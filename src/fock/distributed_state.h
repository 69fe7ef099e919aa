/* Inside the distributed builder: steps, arrays and the state of a build. */
#ifndef HF_DISTRIBUTED_STATE_H
#define HF_DISTRIBUTED_STATE_H

#include "block_cache.h"
#include "coulomb_exchange.h"
#include "fock/density_bounds.h"
#include "fock_private.h"

#include <pthread.h>

/** The pairs of atoms of a quartet (AB|CD) whose blocks are needed (book Fig. 8.4). */
enum { HF_N_COMBINATION = 6 };

/** Least and most steps under way. */
enum { HF_LEAST_DEPTH = 2, HF_MAX_DEPTH = 16 };

/** A part of a task, or a stored one, and the density blocks it needs. */
struct hf_step {
    struct hf_part part;                                          /**< task -1: there is no step */
    bool coulomb[HF_MOST_PART_KETS], exchange[HF_MOST_PART_KETS]; /**< the ket adds to it */
    /** Pinned blocks of each ket: AB, CD (for J), AC, AD, BC, BD (for K); NULL when not needed. */
    struct hf_cached_block *density[HF_MOST_PART_KETS][HF_N_COMBINATION];
};

/** Steps whose blocks are on their way, in the order they will be computed. */
struct hf_step_ring {
    struct hf_step step[HF_MAX_DEPTH];
    int first, n;
    int depth;  /**< steps that should be under way now */
    int least;  /**< smallest depth */
    int coming; /**< threads that are finding one more step */
    int n_calm; /**< steps in a row that did not wait */
};

/** Source of the steps of a thread: stored parts, then the parts of tasks. */
struct hf_step_source {
    bool no_stored; /**< all stored parts are taken */
    bool has_task;
    int64_t task;
    int32_t part; /**< next part of the task */
};

struct hf_distributed {
    const struct hf_block_layout *layout; /**< the builder's */
    struct hf_onesided *onesided;
    struct hf_density_bounds bounds;
    /** Density, Coulomb and exchange blocks of each job, [n_array]; NULL: not needed so far. They live as long
     *  as the builder, since creating a window takes time on all ranks. */
    struct hf_window **D, **J, **K;
    int n_array;
    /** Protects caches, blocks and ring while threads compute. A thread that holds it does not wait for
     *  messages or tasks: it only starts and tests gets, which returns at once. */
    pthread_mutex_t lock;
    /** Held by the thread that calls MPI or the scheduler, if MPI allows one thread at a time. Taken before
     *  `lock`. Adding sums does not need it. */
    pthread_mutex_t in_turn;
    struct hf_outbox outbox; /**< sums on their way out of both caches */
    /* while a build runs */
    struct hf_job_shape jobs; /**< the builder's */
    struct hf_block_cache *density, *coulomb, *exchange;
    struct hf_step_ring ring;
    bool apart;       /**< threads may be in MPI at the same time: in_turn is not used */
    bool ended;       /**< some thread failed: no more steps are taken */
    bool sums_failed; /**< no memory for cached sums */
};

/** Fills in D, zeroes J and K of the jobs that need them. Collective. HF_NO_RESOURCE: memory; arrays that
 *  exist may be used in the next build. */
hf_status hf_distributed_open_arrays(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                     struct hf_error *error) HF_MUST_CHECK;

/** Copies J and K to the matrices of the caller. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_distributed_collect(struct hf_fock_builder *self, const struct hf_fock_job job[],
                                 struct hf_error *error) HF_MUST_CHECK;

/** Ends the use of the arrays in a build. If it failed, waits for all sums under way. A single rank frees the
 *  arrays: creating them is cheap, and diagonalisation, where its memory peaks, can use the space. Collective. */
void hf_distributed_close_arrays(struct hf_distributed *data, int n_rank, bool failed);

/** Collective; there may be no arrays. */
void hf_distributed_destroy_arrays(struct hf_distributed *data);

/** The next step that passes the screening by atoms, taking tasks as needed; step->part.task = -1
 *  when there are no more. HF_INTERRUPTED. */
hf_status hf_step_next(struct hf_fock_builder *self, struct hf_worker *worker,
                       struct hf_step_source *source, struct hf_step *step,
                       struct hf_error *error) HF_MUST_CHECK;

/** Records a step's density blocks in the trace, if there is one: those of J once, those of K once. */
void hf_step_trace(const struct hf_fock_builder *self, struct hf_worker *worker,
                   const struct hf_step *step);

/** The six pairs of atoms of a quartet: the first two are for J, the others for K. */
extern const int hf_combination[HF_N_COMBINATION][2];

static inline bool hf_is_coulomb(int combination)
{
    return combination < 2;
}

/** The steps of one thread. */
struct hf_step_thread {
    struct hf_distributed *data;
    const struct hf_basis *basis;
    struct hf_step_source source;
    bool source_ended;   /**< the source has no more steps */
    struct hf_step next; /**< being found */
    struct hf_step step; /**< being computed */
};

/** Sets thread->step to the next step of a thread, with all its blocks; its task is -1 at the end. The caller
 *  holds no lock. HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_step_take(struct hf_fock_builder *self, struct hf_worker *worker,
                       struct hf_step_thread *thread, struct hf_error *error) HF_MUST_CHECK;

/** Unpins the blocks of a step; harmless a second time. The caller holds the lock. */
void hf_step_end(struct hf_distributed *data, struct hf_step *step);

/** To be called by a thread that failed: no thread takes more steps. The caller holds no lock. */
void hf_steps_give_up(struct hf_distributed *data, struct hf_worker *worker,
                      struct hf_step_thread *thread);

#endif
