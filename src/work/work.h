/* Quartet work: which shell quartets a rank and its threads compute, in what order and batches, and
 * which are kept in memory and read back. A consumer decides what the integrals are used for.
 *
 *     shell pairs | pair pair | pair | pair pair pair | ...     sorted by pairs of atoms
 *     units       |   unit    | unit |      unit      | ...     pairs of atoms, or single shell pairs
 *
 *                                   units as kets
 *                               | . . . . . . . . . . .
 *                         units | . +---+-------+ . . .
 *                          as   | . | t |       | . . .     task: a tile, handed out by the scheduler
 *                         bras  | . +---+ task  |. . . .
 *                               | . |   |       | . . .
 *
 *     task -> parts, one bra with up to 16 pairs of atoms each     -> lend:  what the part needs
 *               part -> kets of one bra, screened in blocks        -> bound: which quartets are wanted
 *                         -> queues, one per class of ket
 *                              -> the engine, a queue at a time
 *                                   -> strips                      -> take:  integrals are used
 *                                        -> the thread's store       finish: the part is done
 *
 *  unit     a piece of the list of shell pairs, by grain: all pairs of two atoms, or one pair
 *  task     a tile of bra units with ket units, computed by one rank; the unit of scheduling
 *  slice    a share of the shell pairs of an expensive bra, which several tasks divide
 *  part     computed by one thread at a time: one bra unit of a task with some of its kets
 *  queue    kets of one class that wait for a bra, until they fill a call of the engine
 *  strip    integrals of one bra with shells c of one atom and shells d of another: an array
 *           [c][a][b][d] of functions, which a consumer takes at a time
 *  store    strips that one thread keeps; a *segment* of it has those of one part
 *  round    all tasks once, by the threads of all ranks, between two collectives
 *
 * Quartets are (MN|RS) with MN and RS shell pairs of the list, each once. The tasks decide which of the two pairs
 * is the bra. In other orders (enum hf_task_quartets) quartets come several times: a task has all quartets of a
 * bra, or of two shells of different electrons. */
#ifndef HF_WORK_H
#define HF_WORK_H

#include "hf/context.h"
#include "hf/grain.h"
#include "hf/status.h"
#include "hf/stored_integrals.h"
#include "integrals/shell_pair.h"
#include "schedule/schedule.h"
#include "work/task.h"

#include <stdbool.h>
#include <stdint.h>

/** Tasks for each thread, if there are enough pairs. */
enum { HF_TASKS_PER_THREAD = 30 };

/** Shell pairs of a pair of atoms, as kets of a part. */
struct hf_part_ket {
    const struct hf_atom_pair *atoms;
    const int64_t *list; /**< pairs list[begin] .. list[end-1]; NULL: pairs begin .. end-1 */
    int64_t begin, end;
    int atom_c, atom_d; /**< hf_strip_atoms */
    bool triangle;      /**< kets up to the bra only */
};

/** A task, or a part of one. */
struct hf_part {
    int64_t task;
    int32_t index; /**< of the part in its task */
    bool stored;   /**< read back from memory, not computed */
    /** Stored quartets refer to kets by number: no ket may be removed. */
    bool fixed_kets;
    const struct hf_atom_pair *bra;
    int64_t bra_begin, bra_end; /**< shell pairs */
    int n_ket;
    struct hf_part_ket ket[HF_MOST_PART_KETS];
    /* if stored: the thread that stored it, number in its store */
    int worker;
    int64_t segment;
};

/** A ket that may become a quartet with the bra. */
struct hf_waiting_ket {
    const struct hf_shell_pair *pair;
    int16_t place; /**< of its pair of atoms in hf_part.ket */
    int16_t c, d;  /**< its shells, counted from the first ones of atoms C and D (hf_strip_atoms) */
    bool turned;   /**< c is its second shell */
    uint8_t kind;  /**< private to work */
    uint8_t wanted; /**< the consumer's flags; 0: leave it out */
    bool single;    /**< set by the consumer: single precision suffices (integrals/engine.h) */
};

/** Integrals of one bra with adjacent shells of atom C and adjacent shells of atom D of a pair of
 *  atoms (hf_strip_atoms): an array [c][a][b][d] of functions without gaps. If C is D, each pair of shells is
 *  in it once, ordered as in the list.
 *
 *  Each number is multiplied by the number of permutations of (ab|cd) that are different quartets, 1,
 *  2, 4 or 8, if tasks have each quartet once (HF_QUARTETS_ONCE). Quartets that are negligible or in another
 *  strip are zeros. The arrays are owned by work and valid until the consumer returns; HF_STRIP_ROOM bytes
 *  behind their ends may be read. */
struct hf_strip {
    const struct hf_shell_pair *bra;
    int place;           /**< of its pair of atoms in hf_part.ket */
    int first_c, n_c;    /**< functions, counted from the first of atom C */
    int first_d, n_d;    /**< the same for atom D */
    uint8_t wanted;      /**< all flags of its quartets; not 0 */
    const double *value; /**< NULL: they are in `single` */
    const float *single;
};

/** A call of the engine. */
struct hf_engine_call {
    const struct hf_shell_pair *bra;
    int ket_class; /**< hf_shell_pair.pair_class of its kets */
    int n;         /**< quartets */
    double seconds;
};

/** A consumer of integrals: a constant table; each thread has its own `self`. All functions are local; threads
 *  call them at the same time. They may wait for another rank in one-sided communication only. */
struct hf_quartet_consumer {
    /** Begins a part: provides what its quartets need, until finish. NULL: nothing is needed. */
    hf_status (*lend)(void *self, const struct hf_part *part, struct hf_error *error);

    /** The least bound of a ket that matters with a bra, for pair of atoms number `place` of the part: the list
     *  of kets ends there. NULL: the product of bounds and the round's largest factor decide. */
    double (*least_bound)(void *self, const struct hf_shell_pair *bra, int place);

    /** Sets `wanted` of each ket [n] of one bra: flags of the consumer for the purposes that need the quartet.
     *  Called for blocks of kets of all pairs of atoms of the part. */
    void (*bound)(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[]);

    /** Returns the flags of all quartets of a strip that is read back; `bound` is the largest product of the
     *  bounds of their pairs. Its numbers are not available yet. */
    uint8_t (*bound_strip)(void *self, const struct hf_strip *strip, double bound);

    /** Uses a strip. NULL: the integrals are not used. */
    void (*take)(void *self, const struct hf_strip *strip);

    /** Replaces `take`, which is NULL then: uses the quartets of a bra with kets [n] of one class by itself; no
     *  integrals are computed. */
    void (*use)(void *self, const struct hf_shell_pair *bra, int n,
                const struct hf_shell_pair *const ket[]);

    /** Called with the time of each call of the engine. Needed if work is `timed`. */
    void (*count)(void *self, const struct hf_engine_call *call);

    /** All strips of the part were taken. Not called when lend failed. NULL: nothing to do. */
    hf_status (*finish)(void *self, const struct hf_part *part, struct hf_error *error);
};

/** Phases of a round; not timed if NULL or unknown to the context's timers. */
struct hf_work_phases {
    const struct hf_phase *compute, *wait_task, *wait_ranks;
};

struct hf_work_settings {
    struct hf_scheduler_settings schedule;
    struct hf_task_order order; /**< n_wanted is set here from the next two */
    int tasks_for;              /**< number of ranks that tasks are made for; 0: the actual one */
    int n_thread;               /**< compute threads per rank; 0 counts as 1 */
    int largest_queue;          /**< quartets of a call of the engine; 0: HF_MAX_BATCH */
    bool timed;                 /**< consumer.count receives the times of engine calls */
    double memory_bytes; /**< of this rank for stored integrals; 0: none. Equal on all ranks */
    /** Quartets stored in single precision are also computed in it, if accurate enough */
    bool single;
    bool strips_alike; /**< all quartets of a strip have the same flags */
    /** Least threshold of later rounds; stored integrals are accurate enough for it */
    double store_threshold;
    bool store_weighed; /**< the first round measures; the second one stores what is worthwhile */
    struct hf_work_phases phases;
};

/** Counts of the last round on this rank. */
struct hf_work_account {
    int64_t n_computed, n_read; /**< shell quartets */
    int64_t n_single;           /**< of those computed, in single precision */
    int64_t n_task;             /**< tasks handed out on all ranks */
    /** n_task and tasks that screening left empty; task numbers are below this. */
    int64_t n_listed;
    double stored_bytes;
    double stored_share; /**< of the cost of all quartets on all ranks, an estimate, 0 to 1 */
    struct hf_store_outlook outlook;
};

struct hf_work;

/** One thread of a rank in a round. */
struct hf_worker;

/** Work on the quartets of `pairs` (borrowed; must outlive it). Collective. HF_BAD_INPUT: no such
 *  scheduler; HF_NO_RESOURCE: memory, or threads that MPI does not grant. */
hf_status hf_work_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_work_settings *settings, struct hf_work **work,
                         struct hf_error *error) HF_MUST_CHECK;

/** Bytes of a thread for queues and strips, without its engine, for a basis with so many classes of pairs and so
 *  many functions of the largest pair. Not collective. */
double hf_work_thread_bytes(const struct hf_basis *basis, int n_class, int most_functions);

/** Approximate bytes of a node for the costs of tasks, for so many threads of all ranks. Assumes the largest tasks
 *  in large molecules, otherwise at most twice the number asked for (checked with alkanes, water and the uracil
 *  dimer, for 2 to 1,000 threads). Not collective. */
double hf_work_cost_bytes(const struct hf_task_order *order, double n_thread, double n_pair,
                          double n_atom_pair);

/** Collective; leaves NULL. */
void hf_work_destroy(struct hf_work **work);

/** A round: its screening, and the function that every thread runs. */
struct hf_round {
    double threshold; /**< hartree */
    double largest;   /**< largest factor of a quartet's bound */
    /** Largest factor for the quartets of two pairs of atoms. If their bounds times this are below the
     *  threshold, these quartets are left out of parts and tasks. Any thread may call it. NULL: `largest`. */
    double (*factor)(const void *data, const struct hf_atom_pair *bra,
                     const struct hf_atom_pair *ket);
    bool passing; /**< later rounds will differ: this one does not begin to store */
    /** Factors of bounds in later rounds, if this round begins to store. NULL: `largest`. */
    const struct hf_lasting *lasting;
    bool lasts; /**< if there is a store: this round needs no quartet that `lasting` leaves out */
    /** Takes and does work until there is none; returns a status. */
    hf_status (*run)(void *data, struct hf_worker *worker, struct hf_error *error);
    void *data;
    /** Called repeatedly by one thread when this rank's threads are done, while it waits for the other ranks, also
     *  after a failure; see hf_idle_work. NULL: nothing to do. */
    void (*idle)(void *data);
};

/** One round: every thread of the rank runs round->run. A failure of one thread ends the round for all. So does an
 *  interruption of the context (hf/interruption.h), checked every few milliseconds. Adds the times to the
 *  timers. Collective; `threshold` and `largest` equal on all ranks; the same status on
 *  all. HF_NO_RESOURCE, HF_INTERRUPTED, or what run returns. */
hf_status hf_work_run(struct hf_work *work, const struct hf_round *round,
                      struct hf_error *error) HF_MUST_CHECK;

/** Does all remaining work for one consumer: stored parts, then tasks. For hf_round.run. Not collective. */
hf_status hf_work_do_all(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                         void *self, struct hf_error *error) HF_MUST_CHECK;

/* ---- The steps of hf_work_do_all, for consumers that look ahead; not collective -------------- */

/** The next part that some thread of this rank stored in an earlier round; false: all are taken. */
bool hf_work_next_stored(struct hf_worker *worker, struct hf_part *part);

/** The next task of this rank; *index = -1 when there is none, or when another thread failed.
 *  HF_INTERRUPTED. */
hf_status hf_work_next_task(struct hf_worker *worker, int64_t *index,
                            struct hf_error *error) HF_MUST_CHECK;

/** Part `index` of a task: one of its bras with its kets or, if a bra has many kets, with the kets of some
 *  pairs of atoms. The parts of a bra are adjacent. Kets that do not matter in this round are left out. While
 *  there is a store, stored parts do not change. False: there is no such part. */
bool hf_work_find_part(const struct hf_worker *worker, int64_t task, int32_t index,
                       struct hf_part *part);

/** The shells of a task of two shells: M of its bras, N of its kets. */
void hf_work_shells_of_task(const struct hf_worker *worker, int64_t task, int *m, int *n);

/** If tasks are of two shells: numbers of the shell pairs that have a shell, [*n_pair]. */
const int64_t *hf_work_pairs_of_shell(const struct hf_worker *worker, int shell, int64_t *n_pair);

/** Computes a part, or reads it back, for a consumer. HF_INTERRUPTED: only a part of it was done; the consumer
 *  has finished what it took. */
hf_status hf_work_do_part(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                          void *self, const struct hf_part *part,
                          struct hf_error *error) HF_MUST_CHECK;

/** The engine of the worker's thread, for what a consumer computes itself. */
struct hf_engine *hf_work_engine(const struct hf_worker *worker);

/** Ends the round on this rank after a failure. A failure of hf_round.run does the same; this function is for
 *  callers that must hold a lock while the scheduler communicates. Not collective. */
void hf_work_give_up(struct hf_worker *worker);

/** Records the processor time of the thread since its last entry in the trace, if there is a trace, as time of
 *  the part's task. Time of other programs does not count. */
void hf_work_trace_part(struct hf_worker *worker, const struct hf_part *part);

/** The same as a step of a task, of a kind of the trace. */
void hf_work_trace_step(struct hf_worker *worker, int kind, int64_t task);

/** Records the time since `start` in the trace as waiting, unless it is very short. */
void hf_work_trace_wait(struct hf_worker *worker, const struct hf_phase *phase, double start);

/** Records in the trace, if there is one, that a part of a task needs the block of sites i and j; see
 *  hf_trace_add_block. */
void hf_work_trace_block(struct hf_worker *worker, int kind, int64_t task, int i, int j,
                         double bytes);

/* ---------------------------------------------------------------------------------------------- */

/** Threads of this rank. */
int hf_work_n_thread(const struct hf_work *work);

/** Whether a round would begin to store, or store again: then hf_round.lasting may be set. Not collective; equal
 *  on every rank. */
bool hf_work_begins_storing(const struct hf_work *work, double threshold, double largest);

/** Not collective. */
struct hf_work_account hf_work_account(const struct hf_work *work);

/** Scheduler in use, and why it is not the one asked for ("" when it is). Not collective; equal on
 *  every rank. */
const char *hf_work_scheduler(const struct hf_work *work);
const char *hf_work_note(const struct hf_work *work);

#endif
