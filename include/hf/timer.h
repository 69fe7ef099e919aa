/* Wall-clock timers of a run, one per phase, and their statistics over all ranks.
 *
 *     const struct hf_phase hf_phase_guess = {.name = "Initial guess"};   the room that spends the time
 *     hf_timers_declare(&context->timers, &hf_phase_guess);               when it is set up
 *     hf_timer_start(&context->timers, &hf_phase_guess);
 *     hf_timer_stop(&context->timers, &hf_phase_guess);
 *
 * Rooms name their own phases. A listener is called for each span. */
#ifndef HF_TIMER_H
#define HF_TIMER_H

#include "hf/status.h"
#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** A phase, identified by its address. Phases do not overlap, except that hf_phase_total covers them all. */
struct hf_phase {
    const char *name; /**< for people and files, e.g. "Fock: waiting for tasks" */
};

/** The two phases that belong to no room: the whole run, and its set-up (reading input and basis set,
 *  shell pairs, bounds). */
extern const struct hf_phase hf_phase_total, hf_phase_setup;

enum { HF_MAX_PHASE = 32 };

/** One declared phase on this rank. */
struct hf_timer {
    const struct hf_phase *phase; /**< borrowed; constants of their rooms */
    double seconds;               /**< of all finished spans */
    double started; /**< hf_wall_seconds at the start of the running span; 0: none is running */
    int64_t n_call;
};

/** Seconds and calls per phase on this rank. Initialise with `= {0}`. Only one thread at a time may use it. */
struct hf_timers {
    struct hf_timer timer[HF_MAX_PHASE]; /**< [n_phase], in the order they were declared */
    int n_phase;
    /** Callback at the end of every span; `place` is the position in `timer`. May be NULL. */
    void (*listener)(void *data, int place, double start, double seconds);
    void *listener_data; /**< borrowed */
};

/** Statistics of one number over all ranks. */
struct hf_statistic {
    double min, mean, max;
    int min_rank, max_rank;
};

/** Seconds since a fixed moment; never goes back. */
double hf_wall_seconds(void);

/** CPU seconds of the calling thread. */
double hf_thread_seconds(void);

/** CPU seconds of this process (all threads). */
double hf_process_seconds(void);

/** Declares a phase; from now on it is timed. A second call changes nothing. Reports show phases in the order of
 *  declaration, which must be the same on every rank. Phases beyond HF_MAX_PHASE are not timed. Not collective. */
void hf_timers_declare(struct hf_timers *timers, const struct hf_phase *phase);

/** Position of a phase in timers->timer; -1: not declared. */
int hf_timers_find(const struct hf_timers *timers, const struct hf_phase *phase);

/** Start and stop a span. Phases that were not declared are ignored. */
void hf_timer_start(struct hf_timers *timers, const struct hf_phase *phase);
void hf_timer_stop(struct hf_timers *timers, const struct hf_phase *phase);

/** Adds time measured elsewhere. */
void hf_timer_add(struct hf_timers *timers, const struct hf_phase *phase, double seconds);

/** Adds the finished spans of other timers, for phases that both have declared. */
void hf_timers_merge(struct hf_timers *timers, const struct hf_timers *from);

/** Seconds of a phase on this rank, including a running span; 0: not declared. */
double hf_timer_seconds(const struct hf_timers *timers, const struct hf_phase *phase);

/** Statistics of `n` local values over the ranks of `comm`; result on every rank. Collective. */
void hf_statistics_reduce(MPI_Comm comm, int n, const double value[], struct hf_statistic result[]);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
