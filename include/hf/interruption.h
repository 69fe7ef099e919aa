/* Requests to stop: from a signal, the time limit or another rank.
 *
 *     while there is work:
 *         a piece of it, milliseconds long
 *         if (hf_interruption_look(interruption, ...) != 0) stop         any rank, by itself
 *     hf_agree_to_go_on(context, status, &error)                         collective
 *
 * A rank that gets a request sends it to rank 0, and rank 0 sends it to all other ranks. So all ranks are informed
 * in the middle of their work:
 *
 *     rank r asked -- reason --> rank 0 -- reason --> all others, r too
 *
 * Each rank and rank 0 send each other exactly one message, whichever rank got the request. Messages not yet
 * exchanged are exchanged when all ranks have agreed to stop. A look costs as much as reading the clock. About
 * twenty times a second it also calls the callback and checks for messages. */
#ifndef HF_INTERRUPTION_H
#define HF_INTERRUPTION_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Least time between two looks that call the callback and check for messages. A rank that does not wait inside MPI
 *  learns of a request within twice this time. */
#define HF_LOOK_SECONDS 0.05

/** One per context (context->interruption). */
struct hf_interruption;

/** Sets a callback, which is called at intervals by one thread at a time. `fraction` is the part of the current Fock
 *  build that is done on this rank, 0 outside a build. If it returns a signal number or HF_TIME_IS_UP, the
 *  calculation ends on all ranks with HF_INTERRUPTED; 0: go on. NULL: none. Not collective. */
void hf_interruption_watch(struct hf_interruption *interruption,
                           int (*asked)(void *data, double fraction), void *data);

/** Sets a function for the moment when all ranks have stopped, whatever for, and may begin to write what they have. NULL:
 *  none. Not collective. */
void hf_interruption_set_stopped(struct hf_interruption *interruption, void (*stopped)(void));

/** Sets the time limit: HF_TIME_IS_UP from this time on (hf_wall_seconds), minus the reserved time; INFINITY: no
 *  limit. Not collective. */
void hf_interruption_set_deadline(struct hf_interruption *interruption, double wall_seconds);

/** Sets the time that is needed between a request and the deadline, for writing files. Not collective. */
void hf_interruption_reserve(struct hf_interruption *interruption, double seconds);

/** Makes the next look call the callback, even if the last call was a moment ago, and sets the fraction to 0. Not
 *  collective. */
void hf_interruption_begin(struct hf_interruption *interruption);

void hf_interruption_set_fraction(struct hf_interruption *interruption, double fraction);

/** Counts the pieces of a long calculation, for progress: displacements of a numerical derivative, steps of an
 *  optimisation. */
struct hf_count {
    const char *unit; /**< "displacement"; NULL: nothing is counted */
    /** piece `number` of `n` is being computed; 1 is the first; n = 0: their number is not known */
    int number, n;
    double seconds_left; /**< estimate from the pieces so far; negative: not known */
};

/** Reports that piece `number` begins. `unit` is borrowed; NULL: the count has ended. Not collective. */
void hf_interruption_count(struct hf_interruption *interruption, const char *unit, int number,
                           int n);

/** The present count. */
struct hf_count hf_interruption_counted(const struct hf_interruption *interruption);

/** The reason to stop; 0: none. Any thread may call. `alone`: no other thread of the rank can be inside MPI at the
 *  moment. Accepts NULL. Not collective. */
int hf_interruption_look(struct hf_interruption *interruption, bool alone);

/** The same, but calls the callback and checks for messages whatever the time. No other thread of the rank may be
 *  inside MPI. Not collective. */
int hf_interruption_ask(struct hf_interruption *interruption);

/** Called when all ranks know of the interruption and have stopped: exchanges the remaining messages and clears the
 *  request. Collective. */
void hf_interruption_settle(struct hf_interruption *interruption);

/** For contexts only. Not collective. HF_NO_RESOURCE: memory; *interruption is then NULL. */
hf_status hf_interruption_create(struct hf_interruption **interruption,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Connects the ranks of `comm`, which is borrowed. Nothing else may receive from it with MPI_ANY_SOURCE or
 *  MPI_ANY_TAG. Not collective. */
void hf_interruption_connect(struct hf_interruption *interruption, MPI_Comm comm);

/** Collective once it is connected. Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_interruption_destroy(struct hf_interruption **interruption);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
