/* What the Fock builders share: the builder's front, the list of tasks, digestion. */
#ifndef HF_FOCK_PRIVATE_H
#define HF_FOCK_PRIVATE_H

#include "hf/fock.h"
#include "hf/shell_pair.h"
#include "hf/trace.h"
#include "../work/quartets.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** What the builders are timed by: integrals and their digestion; waiting for blocks of other ranks
 *  and sending sums to them; waiting for the scheduler; waiting for the last rank at the end of a
 *  build; summing J and K over the ranks and distributing the density. */
extern const struct hf_phase hf_phase_fock_compute, hf_phase_fock_wait_blocks,
    hf_phase_fock_wait_task, hf_phase_fock_wait_ranks, hf_phase_fock_reduce;

/** Where the threads of a rank are in a round. */
struct hf_fock_round {
    pthread_mutex_t lock; /**< of what follows, of the scheduler, and of progress */
    int64_t n_task;       /**< taken so far */
    bool ended;           /**< no thread is to ask for more */
    int reader;           /**< worker whose store is being read, */
    int64_t segment;      /**< and the next segment of it */
};

/** What one thread of a rank computes with. */
struct hf_fock_worker {
    struct hf_quartet_work work;
    struct hf_integral_store *store; /**< what this thread stored; NULL: nothing */
    int number;                      /**< of the thread */
    double traced;                   /**< when what the trace has of it ended */
};

struct hf_fock_builder {
    const struct hf_fock_ops *ops;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_fock_settings settings;
    struct hf_scheduler *scheduler;
    struct hf_task_list *tasks;
    int n_worker;
    struct hf_fock_worker *worker; /**< [n_worker] */
    struct hf_screening screening; /**< of the build that runs */
    struct hf_store_plan plan;     /**< of what is stored */
    enum hf_store_use store_use;   /**< of the build that runs */
    bool stored;                   /**< there is a store from a build before */
    struct hf_fock_round round;
    struct hf_fock_account account;
    const char *note; /**< of one-sided communication; NULL: none */
    void *data;       /**< of the implementation */
};

extern const struct hf_fock_ops hf_fock_replicated, hf_fock_distributed;

/* ---- What a build goes through (round.c) ---- */

/** One round of the scheduler: every thread of the rank runs `compute`, which takes and computes
 *  tasks until there are none, and returns how that went. Books the times. Collective. */
hf_status hf_fock_run_round(struct hf_fock_builder *self,
                            hf_status (*compute)(struct hf_fock_builder *self,
                                                 struct hf_fock_worker *worker,
                                                 struct hf_error *error),
                            struct hf_error *error) HF_MUST_CHECK;

/** The next task; false when there is none, when another thread failed, or when the build is
 *  interrupted, and then *status says so. Shows progress now and then. A thread that comes with a
 *  bad *status ends the round for all. */
bool hf_fock_next_task(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                       hf_status *status, int64_t *index, struct hf_error *error);

/** What the thread did since its last entry goes to the trace, if there is one, as time of a task:
 *  HF_TRACE_TASK or HF_TRACE_STORED_TASK. */
void hf_fock_trace_task(const struct hf_fock_builder *self, struct hf_fock_worker *worker,
                        enum hf_trace_kind kind, int64_t task);

/** What the thread did since `start` goes to the trace as waiting, if it took long enough to be
 *  told from the task that it belongs to. */
void hf_fock_trace_wait(const struct hf_fock_builder *self, struct hf_fock_worker *worker,
                        const struct hf_phase *phase, double start);

/* ---- Stored integrals (stored.c) ---- */

/** Decides what the coming build does about stored integrals; the largest density must be known,
 *  the same on every rank. Not collective. */
hf_status hf_fock_prepare_store(struct hf_fock_builder *self, struct hf_error *error) HF_MUST_CHECK;

/** Products of bounds below which a build does nothing. */
double hf_fock_least_bound(const struct hf_fock_builder *self);

/** The next segment of any thread that was stored by a build before, to be read back, and its
 * store; NULL: all are taken. */
const struct hf_integral_store *hf_fock_next_segment(struct hf_fock_builder *self,
                                                     struct hf_store_segment *segment);

/** Quartets that are stored from now on belong to that part of the task. */
hf_status hf_fock_begin_segment(struct hf_fock_worker *worker, int64_t task, int32_t part,
                                struct hf_error *error) HF_MUST_CHECK;

/** HF_NO_RESOURCE when quartets that should have been stored were not. */
hf_status hf_fock_check_store(const struct hf_fock_worker *worker,
                              struct hf_error *error) HF_MUST_CHECK;

/** Whether tasks have to be handed out: false when all that matters is stored. */
bool hf_fock_needs_tasks(const struct hf_fock_builder *self);

void hf_fock_drop_store(struct hf_fock_builder *self);

/* ---- Size of tasks (fock.c) ---- */

/** Tasks there are to be at least, if possible: HF_TASKS_PER_THREAD for every thread of the ranks
 * that the tasks are made for. */
double hf_fock_tasks_wanted(const struct hf_fock_builder *self);

/* ---- Tasks (tasks.c) ---- */

/** Tasks are tiles of pairs of units, rows of them, smaller ones of dear pairs, or one unit with
 * all up to it; units are atom pairs or shell pairs. Tasks are numbered in falling order of cost
 * without a list of them ever being made: the units are put into groups of similar cost, and the
 * groups' products are what is sorted.
 *
 *      units, dearest first:  | group 0 | group 1 |  group 2  | ...
 *      blocks, dearest first: 0x0 (triangle), 0x1 (rectangle), 1x1 (triangle), 0x2, ...
 *
 *  Within a group units stand in the order of the atoms, so that a tile meets few atoms. */
struct hf_task_list;

/** How a list is to be made. */
struct hf_task_order {
    enum hf_grain grain;
    double n_wanted;  /**< a task joins as many pairs of units as cost this part of all, at most */
    int largest_row;  /**< kets of a task at most; 1: each pair is a task */
    int most_slices;  /**< parts that the bra of a dear task may be shared out in; at least 1 */
    int largest_side; /**< large tasks are square, with so many units along a side; 0: never */
    /** Tiles of one block (of about equal cost) follow each other in scattered order, so that
     *  ranks at work at the same time meet different atoms (book section 8.4). */
    bool scatter;
};

/** One task: the units at the positions bra_begin .. bra_end-1 with those at ket_begin .. ket_end-1
 *  (unordered and never twice; only those up to the bra's own position when `triangle` is set), or
 *  one bra with every unit whose index is not above the bra's when `all_kets` is set. */
struct hf_task {
    int64_t bra_begin, bra_end, ket_begin, ket_end;
    bool triangle, all_kets;
    int slice, n_slice; /**< of the shell pairs of each bra, part `slice` of so many */
};

/** Not collective; every rank makes the same list. */
hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error) HF_MUST_CHECK;
void hf_task_list_destroy(struct hf_task_list **list);

/** The builder's list, booked in its account. Not collective. */
hf_status hf_fock_create_tasks(struct hf_fock_builder *self, struct hf_task_order order,
                               struct hf_error *error) HF_MUST_CHECK;

int64_t hf_task_list_size(const struct hf_task_list *list);
struct hf_task hf_task_list_get(const struct hf_task_list *list, int64_t index);
/** Index of the atom pair or shell pair at a position. */
int64_t hf_task_list_unit(const struct hf_task_list *list, int64_t position);

/** Atom pair that a shell pair belongs to. */
int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair);

/** The shell pairs of a pair of atoms as kets of another, or of itself. */
static inline struct hf_ket_range hf_atom_pair_kets(const struct hf_atom_pair *bra,
                                                    const struct hf_atom_pair *ket,
                                                    const struct hf_quartet_blocks *blocks)
{
    return (struct hf_ket_range){.begin = ket->first_pair,
                                 .end = ket->first_pair + ket->n_pair,
                                 .bound = ket->bound,
                                 .blocks = blocks,
                                 .triangle = bra == ket};
}

#endif
