/* Quartet work: which shell quartets a rank and its threads compute, in what order and batches, and
 * which are kept in memory and read back. What the integrals are for is the business of a consumer.
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
 *  unit     what a grain cuts the list of shell pairs into: all pairs of two atoms, or one pair
 *  task     a tile of bra units with ket units, which one rank computes; what is scheduled
 *  slice    of the shell pairs of a dear bra: such a bra is shared out over several tasks
 *  part     what one thread computes at a time: one bra unit of a task with some of its kets
 *  queue    where kets of one class wait for a bra, until they fill a call of the engine
 *  strip    what one bra has with shells c of one atom and shells d of another: an array
 *           [c][a][b][d] of functions, which a consumer takes at a time
 *  store    strips that one thread keeps; a *segment* of it has those of one part
 *  round    all tasks once: what the threads of all ranks do between two collectives
 *
 * Quartets are (MN|RS) with MN and RS shell pairs of the list, each once, with whichever of the two
 * as bra the tasks say; or twice, where each bra meets every ket (hf_task_order.every_ket). */
#ifndef HF_WORK_H
#define HF_WORK_H

#include "hf/context.h"
#include "hf/grain.h"
#include "hf/schedule.h"
#include "hf/shell_pair.h"
#include "hf/status.h"
#include "hf/stored_integrals.h"
#include "hf/task.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tasks that are made for each thread, where there are enough pairs for that. */
enum { HF_TASKS_PER_THREAD = 30 };

/** Shell pairs begin .. end-1 of a pair of atoms, as kets of a part. */
struct hf_part_ket {
    const struct hf_atom_pair *atoms;
    int64_t begin, end;
    int atom_c, atom_d; /**< hf_strip_atoms */
    bool triangle;      /**< kets up to the bra only */
};

/** A task, or a part of one. */
struct hf_part {
    int64_t task;
    int32_t index; /**< of the part in its task */
    bool stored;   /**< read back from memory, not computed */
    /** What is or will be stored counts the kets: none may be taken out. */
    bool fixed_kets;
    const struct hf_atom_pair *bra;
    int64_t bra_begin, bra_end; /**< shell pairs */
    int n_ket;
    struct hf_part_ket ket[HF_MOST_PART_KETS];
    /* where a stored one is: the thread that stored it, number */
    int worker;
    int64_t segment;
};

/** A ket that may become a quartet with the bra. */
struct hf_waiting_ket {
    const struct hf_shell_pair *pair;
    int16_t place; /**< of its pair of atoms in hf_part.ket */
    int16_t c, d;  /**< its shells, counted from the first ones of atoms C and D (hf_strip_atoms) */
    bool turned;   /**< c is its second shell */
    uint8_t kind;  /**< work's own business */
    uint8_t wanted; /**< the consumer's flags; 0: leave it out */
    bool single;    /**< the consumer's: single precision does (hf/engine.h) */
};

/** Integrals of one bra with adjacent shells of atom C and adjacent shells of atom D of a pair of
 *  atoms (hf_strip_atoms): an array [c][a][b][d] of functions without gaps. Where C is D, a pair of
 *  shells is there once, as the list has it.
 *
 *  Each number is multiplied by the number of permutations of (ab|cd) that are different quartets, 1,
 *  2, 4 or 8, unless a bra meets every ket (hf_task_order.every_ket). Quartets that were not computed, since they are negligible or elsewhere, are zeros. Its
 *  arrays are work's and last until the consumer returns; HF_STRIP_ROOM bytes behind their ends may be
 *  read. */
struct hf_strip {
    const struct hf_shell_pair *bra;
    int place;           /**< of its pair of atoms in hf_part.ket */
    int first_c, n_c;    /**< functions, counted from the first of atom C */
    int first_d, n_d;    /**< of atom D */
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

/** What integrals are computed for: a constant table; behind `self` each thread has its own. All
 *  functions are local and work on one thread; threads call them at the same time, each with its
 *  own `self`. None may wait for another rank in any but a one-sided way. */
struct hf_quartet_consumer {
    const char *name, *about, *cite;

    /** A part begins: what its quartets need is brought to hand, and stays until finish. NULL:
     *  nothing is needed. */
    hf_status (*lend)(void *self, const struct hf_part *part, struct hf_error *error);

    /** The least bound of a ket that a bra wants, of pair of atoms number `place` of the part: the list
     *  of kets ends there. NULL: the product of bounds and the round's largest factor decide. */
    double (*least_bound)(void *self, const struct hf_shell_pair *bra, int place);

    /** Sets `wanted` of each ket [n] of one bra: what the quartet is wanted for, in flags of the
     *  consumer's own. Called for a block of kets of all pairs of atoms of the part. */
    void (*bound)(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[]);

    /** What a strip that is read back is wanted for, all flags of its quartets; `bound` is the largest
     *  product of the bounds of their pairs. Its numbers are not there yet. */
    uint8_t (*bound_strip)(void *self, const struct hf_strip *strip, double bound);

    /** Uses a strip. NULL: nobody wants the integrals. */
    void (*take)(void *self, const struct hf_strip *strip);

    /** Learns what a call of the engine took. Needed where work is `timed` only. */
    void (*count)(void *self, const struct hf_engine_call *call);

    /** All strips of the part were taken. Not called when lend failed. NULL: nothing to do. */
    hf_status (*finish)(void *self, const struct hf_part *part, struct hf_error *error);
};

/** What a round is timed as; NULL, or what the context's timers do not know, is not timed. */
struct hf_work_phases {
    const struct hf_phase *compute, *wait_task, *wait_ranks;
};

struct hf_work_settings {
    struct hf_scheduler_settings schedule;
    struct hf_task_order order; /**< its n_wanted is found here, from what follows */
    int tasks_for;       /**< tasks are made as for so many ranks; 0: as for those there are */
    int n_thread;        /**< compute threads per rank; 0 counts as 1 */
    int largest_queue;   /**< quartets of a call of the engine; 0: HF_MAX_BATCH */
    bool timed;          /**< the consumer learns how long calls of the engine take */
    double memory_bytes; /**< of this rank for stored integrals; 0: none. Equal on all ranks */
    bool single; /**< what is stored in single precision is computed so where that does, too */
    bool strips_alike;      /**< quartets of a strip are all wanted for the same */
    double store_threshold; /**< least threshold of rounds to come: what is stored does for that */
    bool store_weighed;     /**< the first round measures; the second one stores what is worth it */
    struct hf_work_phases phases;
};

/** Counts of the last round on this rank. */
struct hf_work_account {
    int64_t n_computed, n_read; /**< shell quartets */
    int64_t n_single;           /**< of those computed, in single precision */
    int64_t n_task;             /**< tasks handed out on all ranks */
    int64_t n_listed; /**< those, and what screening left empty: their numbers are below this */
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

/** Bytes that a thread takes beside its engine: queues and strips, of a basis whose pairs have so many
 *  classes and functions of a pair at most. Not collective. */
double hf_work_thread_bytes(const struct hf_basis *basis, int n_class, int most_functions);

/** Bytes of a node for the costs of tasks that are made for so many threads of all ranks, about: in large
 *  molecules tasks are as large as can be, elsewhere at most twice as many as wanted (alkanes, water and the
 *  uracil dimer, for 2 to 1,000 threads). Not collective. */
double hf_work_cost_bytes(const struct hf_task_order *order, double n_thread, double n_pair,
                          double n_atom_pair);

/** Collective; leaves NULL. */
void hf_work_destroy(struct hf_work **work);

/** What is left out of a round, and what every thread does in it. */
struct hf_round {
    double threshold; /**< hartree */
    double largest;   /**< what a quartet's bound is multiplied by is nowhere larger */
    /** The same for the quartets of two pairs of atoms: those whose bounds and it are below the
     *  threshold are left out, as parts and as tasks. Any thread may ask. NULL: `largest`. */
    double (*factor)(const void *data, const struct hf_atom_pair *bra,
                     const struct hf_atom_pair *ket);
    bool passing; /**< rounds to come are not like this one: it does not begin to store */
    /** If this round begins to store. NULL: quartets may meet anything up to `largest`. */
    const struct hf_lasting *lasting;
    bool lasts; /**< this round wants nothing that lasting leaves out, where there is a store */
    /** Takes work and does it until there is none, and returns how that went. */
    hf_status (*run)(void *data, struct hf_worker *worker, struct hf_error *error);
    void *data;
    /** Called again and again by one thread once this rank's threads are through, while it waits for the
     *  other ranks, whatever became of the round; see hf_idle_work. NULL: nothing is to be done. */
    void (*idle)(void *data);
};

/** One round: every thread of the rank runs round->run. A failure of one ends the round for all, and
 *  so does an interruption of the context (hf/interruption.h), which is looked for milliseconds apart.
 *  Books the times. Collective; `threshold` and `largest` equal on all ranks; the same status on
 *  all. HF_NO_RESOURCE, HF_INTERRUPTED, or what run returns. */
hf_status hf_work_run(struct hf_work *work, const struct hf_round *round,
                      struct hf_error *error) HF_MUST_CHECK;

/** All that is left, until there is none, for one consumer: stored parts, then tasks. For
 *  hf_round.run. Not collective. */
hf_status hf_work_do_all(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                         void *self, struct hf_error *error) HF_MUST_CHECK;

/* ---- The steps of hf_work_do_all, for consumers that look ahead; not collective -------------- */

/** The next part that some thread of this rank stored in an earlier round; false: all are taken. */
bool hf_work_next_stored(struct hf_worker *worker, struct hf_part *part);

/** The next task of this rank; *index = -1 when there is none, or when another thread failed.
 *  HF_INTERRUPTED. */
hf_status hf_work_next_task(struct hf_worker *worker, int64_t *index,
                            struct hf_error *error) HF_MUST_CHECK;

/** Part `index` of a task: one of its bras with its kets, or with some of all pairs of atoms where
 *  the task is one bra with all kets. Kets that cannot add anything in this round are left out;
 *  while there is a store the parts do not change from round to round. False: there is none. */
bool hf_work_find_part(const struct hf_worker *worker, int64_t task, int32_t index,
                       struct hf_part *part);

/** Computes a part, or reads it back, for a consumer. HF_INTERRUPTED in the middle of it: the
 *  consumer has finished what it took. */
hf_status hf_work_do_part(struct hf_worker *worker, const struct hf_quartet_consumer *consumer,
                          void *self, const struct hf_part *part,
                          struct hf_error *error) HF_MUST_CHECK;

/** Ends the round on this rank: a thread failed. What hf_round.run returns does that too; this is for
 *  those who must hold a lock of their own while the scheduler talks to other ranks. Not collective. */
void hf_work_give_up(struct hf_worker *worker);

/** What the thread did since its last entry goes to the trace, if there is one, as time of the
 *  part's task. */
void hf_work_trace_part(struct hf_worker *worker, const struct hf_part *part);

/** What the thread did since `start` goes to the trace as waiting, if it took long enough to be
 *  told from the task that it belongs to. */
void hf_work_trace_wait(struct hf_worker *worker, const struct hf_phase *phase, double start);

/** Block of sites i and j that a part of a task needs, for the trace, if there is one; see
 *  hf_trace_add_block. */
void hf_work_trace_block(struct hf_worker *worker, int kind, int64_t task, int i, int j,
                         double bytes);

/* ---------------------------------------------------------------------------------------------- */

/** Threads of this rank. */
int hf_work_n_thread(const struct hf_work *work);

/** Whether a round would begin to store, or to store anew: that is the time to note what lasts. Not
 *  collective; equal on every rank. */
bool hf_work_begins_storing(const struct hf_work *work, double threshold, double largest);

/** Not collective. */
struct hf_work_account hf_work_account(const struct hf_work *work);

/** Scheduler in use, and why it is not the one asked for ("" when it is). Not collective; equal on
 *  every rank. */
const char *hf_work_scheduler(const struct hf_work *work);
const char *hf_work_note(const struct hf_work *work);

#ifdef __cplusplus
}
#endif
#endif
