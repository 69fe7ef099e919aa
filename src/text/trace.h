/* A record of what every thread of every rank did when: tasks and phases, for replays and
 * timelines.
 *
 *     hf_trace_create(...)                    collective: the ranks' clocks begin together
 *     hf_trace_begin_build(trace)             what follows belongs to the next Fock build
 *     hf_trace_begin_batch(trace)             the same for the next batch of a transformation of integrals
 *     hf_trace_add(trace, thread, kind, ...)  every thread by itself, no lock, no message
 *     hf_trace_add_phase(trace, thread, ...)  the same for a phase; also called by the timers of the context
 *     hf_trace_end_build(trace)
 *     hf_trace_collect(trace, ...)            collective: all records to rank 0, rank after rank
 *
 * Every call but the collective ones accepts NULL and then does nothing. */
#ifndef HF_TRACE_H
#define HF_TRACE_H

#include "hf/context.h"
#include "hf/status.h"
#include "hf/timer.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a span of time went to: one of these, or a phase. */
enum hf_trace_kind {
    HF_TRACE_TASK,           /**< integrals of a task, or of a part of it, computed */
    HF_TRACE_STORED_TASK,    /**< a task read back from memory */
    HF_TRACE_COULOMB_TASK,   /**< a task of the Coulomb pass, numbered in its list */
    HF_TRACE_FIRST_QUARTER,  /**< of a task of a transformation, if its integrals are apart */
    HF_TRACE_SECOND_QUARTER, /**< the same */
    HF_TRACE_COPYING,        /**< between the halves of a transformation, within a rank */
    HF_TRACE_PAIR_TASK, /**< a unit of the second half of a transformation, numbered in its list */
    HF_TRACE_STEP,      /**< a whole step of a method, with the tasks in it */
    HF_TRACE_COULOMB_STEP, /**< a step of the Coulomb pass beside its tasks: enum hf_coulomb_step */
    HF_TRACE_FIRST_PHASE,  /**< the phase that was declared first; the others follow it */
    HF_TRACE_LEVELS = 249, /**< levels of cost of 8 tasks from `task` on by which a build deals
                                 them, bytes in place of `start`; the kind in `seconds` */
    HF_TRACE_ADDS_J =
        250, /**< how often a rank added to a block of J in a build, in `task`; its number and
                                 bytes as below */
    HF_TRACE_ADDS_K = 251, /**< the same for K */
    HF_TRACE_BLOCK_J =
        252, /**< a block whose density and J a part of `task` needs: its number among
                                 pairs of sites i >= j in `start`, its bytes in `seconds` */
    HF_TRACE_BLOCK_K = 253, /**< the same for density and K */
    HF_TRACE_TOTAL = 254,   /**< seconds of a whole phase in `start`, the phase in `task` */
    HF_TRACE_RANK = 255,    /**< what follows is of the rank in `task` */
};

/** Records outside of Fock builds and batches, and the first batch: more Fock builds are not told apart. */
enum { HF_TRACE_NO_BUILD = UINT16_MAX, HF_TRACE_FIRST_BATCH = 1 << 15 };

/** One record as it stands in the file, which is little-endian. */
struct hf_trace_record {
    double start;   /**< seconds since the trace began, on all ranks together */
    int64_t task;   /**< number in the list of tasks; -1 for phases */
    float seconds;  /**< how long */
    uint16_t build; /**< Fock build, from 0; batch, from HF_TRACE_FIRST_BATCH */
    uint8_t thread; /**< of the rank; 255 also for those behind it */
    uint8_t kind;   /**< enum hf_trace_kind */
};

/** Kinds below the special ones; grows with the phases that are declared. */
int hf_trace_n_kind(const struct hf_context *context);

/** Name of a kind for people and files: "task", "stored task", or of the phase. */
const char *hf_trace_kind_name(const struct hf_context *context, int kind);

/** New trace of `context` for n_thread threads per rank, which its timers feed from now on; at most
 *  one at a time, known to the rooms as context->trace. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_trace_create(struct hf_context *context, int n_thread, struct hf_trace **trace,
                          struct hf_error *error) HF_MUST_CHECK;

/** Takes it away from the context. Accepts a pointer to NULL; leaves NULL. Not collective. */
void hf_trace_destroy(struct hf_trace **trace);

/** Records begin to belong to the next build, whose number from 0 is returned, to the next batch, or to none. Not
 *  collective; no thread may record. */
int hf_trace_begin_build(struct hf_trace *trace);
void hf_trace_begin_batch(struct hf_trace *trace);
void hf_trace_end_build(struct hf_trace *trace);

/** Records a span; `start` is of hf_wall_seconds. Each thread of a rank has its own number. A
 * record for which there is no memory is lost, and hf_trace_collect says so. Not collective. */
void hf_trace_add(struct hf_trace *trace, int thread, int kind, int64_t task, double start,
                  double seconds);

/** A span that runs on the calling thread. */
struct hf_trace_span {
    double start, begun; /**< by the clock, and in seconds of the thread's processor */
};

/** Begins a span, and records one from its start until now in seconds of the thread's processor. */
struct hf_trace_span hf_trace_begin_span(const struct hf_trace *trace);
void hf_trace_end_span(struct hf_trace *trace, int thread, int kind, int64_t task,
                       struct hf_trace_span span);

/** Likewise, a span of a phase; one that was not declared is not recorded. */
void hf_trace_add_phase(struct hf_trace *trace, int thread, const struct hf_phase *phase,
                        double start, double seconds);

/** Records that a part of a task needs a block of the sites i and j, of so many bytes (`kind` is
 *  HF_TRACE_BLOCK_J or _K), or that parts added to it as often as `task` says (HF_TRACE_ADDS_J or _K). */
void hf_trace_add_block(struct hf_trace *trace, int thread, int kind, int64_t task, int i, int j,
                        double bytes);

/** Records the levels of cost (schedule/task_levels.h) of at most HF_TRACE_EIGHT tasks of a kind, from number `first` on. */
enum { HF_TRACE_EIGHT = sizeof(double) };
void hf_trace_add_levels(struct hf_trace *trace, int kind, int64_t first, int64_t n,
                         const unsigned char level[]);

/** Number of records of all ranks, those that mark ranks and totals included. Collective; the same
 *  on every rank. */
int64_t hf_trace_n_record(const struct hf_trace *trace);

/** Hands all records to `write` on rank 0, rank after rank in pieces: a mark of the rank, the
 * totals of its phases, its threads' spans. `write` returns false when it cannot write any more.
 * Collective. HF_NO_RESOURCE: `write` failed, or some rank had no memory for all its records. */
hf_status hf_trace_collect(const struct hf_trace *trace,
                           bool (*write)(void *data, size_t n,
                                         const struct hf_trace_record *record),
                           void *data, struct hf_error *error) HF_MUST_CHECK;

#endif
