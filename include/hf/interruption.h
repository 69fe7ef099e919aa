/* Requests to end: by a signal, by the time limit, or from another rank.
 *
 *     while there is work:
 *         a piece of it, milliseconds long
 *         if (hf_interruption_look(interruption, ...) != 0) stop         any rank, by itself
 *     hf_agree_to_go_on(context, status, &error)                         collective
 *
 * A rank that gets a request tells rank 0, and rank 0 tells all others. So ranks learn of it in the
 * middle of their work:
 *
 *     rank r asked -- reason --> rank 0 -- reason --> all others, r too
 *
 * Between each rank and rank 0 exactly one message goes either way, whichever rank was asked. The
 * remaining ones are exchanged when all have agreed to end. A look costs as much as reading the clock;
 * about twenty times a second it also asks and listens. */
#ifndef HF_INTERRUPTION_H
#define HF_INTERRUPTION_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Least time between asking and listening. A rank that does not wait inside MPI learns of a request
 *  within twice this time. */
#define HF_LOOK_SECONDS 0.05

/** One per context (context->interruption). */
struct hf_interruption;

/** Sets a callback, called at intervals by one thread at a time. `fraction` is the part of the current Fock
 *  build that is done on this rank, 0 outside a build. If it returns a signal number or HF_TIME_IS_UP,
 *  the calculation ends on all ranks with HF_INTERRUPTED; 0: go on. NULL: none. Not collective. */
void hf_interruption_watch(struct hf_interruption *interruption,
                           int (*asked)(void *data, double fraction), void *data);

/** HF_TIME_IS_UP from this time (hf_wall_seconds) on, less what is reserved; INFINITY: never. Not
 *  collective. */
void hf_interruption_set_deadline(struct hf_interruption *interruption, double wall_seconds);

/** Time needed between a request and the deadline, for writing. Not collective. */
void hf_interruption_reserve(struct hf_interruption *interruption, double seconds);

/** The next look asks, however short ago the last one was; the fraction is 0. Not collective. */
void hf_interruption_begin(struct hf_interruption *interruption);

void hf_interruption_set_fraction(struct hf_interruption *interruption, double fraction);

/** Pieces of a long calculation, for progress: displacements of a numerical derivative, steps of an optimisation. */
struct hf_count {
    const char *unit; /**< "displacement"; NULL: nothing is counted */
    int number,
        n; /**< piece `number` of `n` is being computed, 1 is the first; n = 0: not known how many */
    double seconds_left; /**< estimate from the pieces so far; negative: not known */
};

/** From now on piece `number` is computed. `unit` is borrowed; NULL: the count has ended. Not collective. */
void hf_interruption_count(struct hf_interruption *interruption, const char *unit, int number,
                           int n);

/** What is counted at the moment. */
struct hf_count hf_interruption_counted(const struct hf_interruption *interruption);

/** The reason to stop; 0: none. Any thread may call; with `alone` no other thread of the
 *  rank can be inside MPI at the moment. Accepts NULL. Not collective. */
int hf_interruption_look(struct hf_interruption *interruption, bool alone);

/** The same, asking whatever the clock says; no other thread of the rank is inside MPI. Not collective. */
int hf_interruption_ask(struct hf_interruption *interruption);

/** All ranks know of the interruption and have stopped: what is left of the messages is sent and
 *  received, and nothing is known any more. Collective. */
void hf_interruption_settle(struct hf_interruption *interruption);

/** For contexts. Not collective. HF_NO_RESOURCE: memory; *interruption is NULL then. */
hf_status hf_interruption_create(struct hf_interruption **interruption,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Over the ranks of `comm`, which is borrowed and where nobody else may receive from any rank or
 *  with any tag. Not collective. */
void hf_interruption_connect(struct hf_interruption *interruption, MPI_Comm comm);

/** Collective once it is connected. Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_interruption_destroy(struct hf_interruption **interruption);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
