/* Declarations shared by the files of quartet work; work/work.h explains the words. */
#ifndef HF_WORK_PRIVATE_H
#define HF_WORK_PRIVATE_H

#include "base/arena.h"
#include "costs.h"
#include "hf/basis.h"
#include "hf/interruption.h"
#include "integrals/engine.h"
#include "store/integral_store.h"
#include "strip_kernels.h"
#include "tasks.h"
#include "text/trace.h"
#include "work/work.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- Strips (strips.c) ---- */

/** Flags in hf_waiting_ket.kind. Quartets stored in single precision are rounded before they are used, so that
 *  they are the same numbers in the round that stores them and when they are read back. Quartets without room
 *  in the store are computed again, with the accuracy of that round, and are also rounded. */
enum { HF_KIND_STORED = 1, HF_KIND_NARROW = 2, HF_KIND_SINGLE = 4 };

/** The quartets of one bra with a shell c of a pair of atoms. */
struct hf_strip_row {
    int n_quartet; /**< 0: nothing */
    int first_c, n_c;
    int low, high;   /**< functions low .. high-1 of d */
    size_t n_filled; /**< function pairs cd of its quartets */
    bool wide;       /**< some quartet is in double precision */
    uint8_t wanted;
    double bound; /**< largest of its kets */
    int strip;    /**< strip that the row became part of */
};

/** A strip that is being filled. */
struct hf_strip_made {
    struct hf_strip strip;
    struct hf_strip_row sum; /**< its joined rows; low and high span all of them */
    void *number;            /**< where its numbers go */
};

/** The strips of one bra whose quartets are being computed. */
struct hf_strips {
    const struct hf_shell_place *place; /**< [n_shell], borrowed */
    unsigned char *buffer;              /**< [capacity] for strips that are not stored */
    size_t capacity, used;
    size_t bytes;               /**< of all, stored or not */
    int n, most;                /**< strips */
    struct hf_strip_made *made; /**< [most] */
    struct hf_strip_row *row;   /**< [shells of an atom], all empty between calls */
};

/** Bytes of the buffer for numbers. */
size_t hf_strips_capacity(const struct hf_basis *basis, int most_functions);

/** Takes arrays from the arena, which may fail. Not collective. */
void hf_strips_init(struct hf_strips *strips, struct hf_work *work, struct hf_arena *arena);

/* ---- Parts (parts.c) ---- */

/** hf_work_find_part, with the kets of the round that stored the part. */
bool hf_work_find_stored_part(const struct hf_worker *worker, int64_t task, int32_t index,
                              struct hf_part *part);

/* ---- Workers (quartets.c) ---- */

/** Kets of one class that wait for a bra. Turned kets wait at the end: several quartets are written to strips
 *  at once, if all or none are turned. */
struct hf_quartet_queue {
    const struct hf_shell_pair *pair[HF_MAX_BATCH]; /**< argument of the engine */
    struct hf_strip_lane lane[HF_MAX_BATCH];        /**< where their integrals go */
};

/** Numbers of kets in a queue. Apart from the queues, so that all numbers are in few cache lines. */
struct hf_queue_fill {
    int front, back;
};

/** Queues of a class: separate ones for quartets that are rounded to single precision and for quartets computed
 *  in it. */
enum { HF_QUEUE_PLAIN, HF_QUEUE_NARROW, HF_QUEUE_SINGLE, HF_N_QUEUE };

/** Kets in one call of the consumer's bound. */
enum { HF_KET_BLOCK = 128 };

/** What a round does with quartets of the plan of the store. */
enum hf_store_use {
    HF_STORE_NONE, /**< there is no store: nothing special */
    HF_STORE_FILL, /**< computed in any case, and stored */
    HF_STORE_SKIP, /**< left out: they are read back elsewhere */
};

struct hf_worker {
    struct hf_arena arena; /**< has the arrays */
    struct hf_work *work;  /**< borrowed */
    int number;            /**< of the thread */
    double traced;         /**< end of its last record in the trace */
    double traced_thread;  /**< the same in hf_thread_seconds */
    struct hf_engine *engine;
    struct hf_quartet_queue *queue; /**< [n_class][HF_N_QUEUE] */
    struct hf_queue_fill *fill;     /**< of each queue; empty between bras */
    struct hf_waiting_ket *ket;     /**< [HF_MOST_PART_KETS pairs of atoms] of one bra */
    int n_ket;
    struct hf_strips strips;
    struct hf_integral_store *store; /**< what this thread stored; NULL: nothing */
    bool store_failed;               /**< no memory to list a strip */
    bool store_dropped;              /**< memory takes too long: nothing more is stored */
    atomic_llong next_segment;       /**< next one of its store to read in this round */
    int64_t n_computed, n_read;      /**< shell quartets in this round */
    int64_t n_single;                /**< of those computed, in single precision */
    size_t since_look;               /**< numbers since the last look at the clock */
    bool interrupted;                /**< the rest of the round is not computed */
    int n_call;                      /**< calls of the engine while prices are measured */
    struct {
        double seconds, cost;
    } sampled[HF_PRECISION_SINGLE + 1];
    double waited, computed; /**< seconds of this round: asking for tasks; all else */
    /* of the part that runs */
    const struct hf_quartet_consumer *consumer;
    void *self; /**< of the consumer */
};

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_worker_init(struct hf_worker *worker, struct hf_work *work, int number,
                         struct hf_error *error) HF_MUST_CHECK;
void hf_worker_done(struct hf_worker *worker);

/** Computes the quartets of a part that the consumer needs, and gives them to the consumer. */
void hf_worker_compute(struct hf_worker *worker, const struct hf_part *part);

/** Computes the quartets of a bra with worker->ket, by pairs of atoms, and gives them to the consumer in strips;
 *  if `stores`, stores those of the plan. */
void hf_worker_compute_kets(struct hf_worker *worker, const struct hf_part *part,
                            const struct hf_shell_pair *bra, bool stores);

/** Computes all queued kets, and hands over all strips (strips.c). */
void hf_worker_finish_strips(struct hf_worker *worker, const struct hf_shell_pair *bra);

/** The quartets of a stored part, read back. */
void hf_worker_read(struct hf_worker *worker, const struct hf_part *part);

/* ---- Queues (queues.c) ---- */

/** Computes the kets in all queues with a bra. */
void hf_worker_flush(struct hf_worker *worker, const struct hf_shell_pair *bra);

/** Queues a ket; the caller fills in the returned struct: the place of its integrals. */
struct hf_strip_lane *hf_worker_queue(struct hf_worker *worker, const struct hf_shell_pair *bra,
                                      const struct hf_waiting_ket *ket);

/** Counts numbers computed or read, and checks now and then for an interruption. */
void hf_worker_count(struct hf_worker *worker, size_t n_number);

/* ---- The handle (work.c) ---- */

/** State of a round, shared by the threads of a rank. */
struct hf_round_state {
    pthread_mutex_t lock; /**< protects this struct and the scheduler */
    int64_t n_task;       /**< taken so far */
    bool ended;           /**< no thread asks for more tasks */
};

struct hf_work {
    struct hf_arena arena;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_work_settings settings;
    struct hf_scheduler *scheduler;
    struct hf_task_list *tasks;
    struct hf_task_costs *costs;  /**< NULL: tasks are handed out in the order of the list */
    bool measures;                /**< tasks of the round are timed to correct the costs */
    struct hf_shell_place *place; /**< [n_shell] of the pairs' basis */
    const struct hf_strip_kernels *kernels;
    int n_worker;
    struct hf_worker *worker;  /**< [n_worker] */
    double threshold, largest; /**< of the round, see hf_round */
    double (*factor)(const void *data, const struct hf_atom_pair *bra,
                     const struct hf_atom_pair *ket); /**< see hf_round */
    const void *factor_data;
    double least_bound;              /**< products of bounds below which the round does nothing */
    struct hf_store_plan plan;       /**< of what is stored */
    enum hf_store_use store_use;     /**< of the round */
    enum hf_store_use costs_use;     /**< of the rounds that corrected the costs */
    bool stored;                     /**< there is a store from a round before */
    struct hf_store_prices prices;   /**< compute is 0 until they are known */
    bool prices_wanted;              /**< the round measures prices */
    struct hf_store_outlook outlook; /**< n_build is 0 until it is weighed */
    double most_touch;               /**< seconds per byte at which storing stops */
    bool lasts;                      /**< of the round, see hf_round */
    struct hf_round_state round;
    int64_t n_task, n_listed; /**< of the last round, see hf_work_account */
};

/* ---- Stored integrals (stored.c) ---- */

/** Decides how the next round uses stored integrals. Its threshold and largest factor must be set, equal on all
 *  ranks. Collective. HF_NO_RESOURCE. */
hf_status hf_work_prepare_store(struct hf_work *work, const struct hf_round *round,
                                struct hf_error *error) HF_MUST_CHECK;

/** Primitive quartets below this threshold are left out. */
double hf_work_primitive_threshold(const struct hf_work *work, enum hf_store_use use);

/** Whether tasks are needed: false if all quartets that matter are stored. */
bool hf_work_needs_tasks(const struct hf_work *work);

/** Drops the stored integrals; the next round may store again. Not collective, but all ranks must call it before
 *  the same round. */
void hf_work_drop_store(struct hf_work *work);

/** Finds work->prices from the round that sampled. Collective. */
void hf_work_learn_prices(struct hf_work *work);

/** While a round stores: stops storing in this thread if memory takes too long. */
void hf_work_look_at_store(struct hf_worker *worker);

/** After a round that stored: there is a store, unless some thread gave up; the next round then weighs
 *  again. Collective. */
void hf_work_keep_store(struct hf_work *work);

#endif
