/* Bells: a rank tells one of its own node, past MPI, that a message for it is on its way. A rank that computes
 * hears one at the price of a load from memory. A look into MPI would cost it microseconds, and where the
 * library yields the core when it finds nothing (mpi_yield_when_idle of Open MPI, set by default when a node
 * has more ranks than cores) a whole time slice of the machine: milliseconds. */
#ifndef HF_SCHEDULE_BELLS_H
#define HF_SCHEDULE_BELLS_H

#include "hf/context.h"

#include <stdbool.h>

struct hf_bells;

/** Over a duplicate of `comm`. Collective. HF_NO_RESOURCE. */
hf_status hf_bells_create(MPI_Comm comm, struct hf_bells **bells,
                          struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a pointer to NULL; leaves NULL. */
void hf_bells_destroy(struct hf_bells **bells);

/** The ranks of this node in the communicator given, in rising order, this one among them; and their number.
 *  Neighbour i is the one at place i. */
const int *hf_bells_neighbours(const struct hf_bells *bells, int *n);

/** Whether neighbours can ring at all: not where the ranks of some node share no memory. */
bool hf_bells_work(const struct hf_bells *bells);

/** Rings a neighbour's bell once. */
void hf_bells_ring(struct hf_bells *bells, int neighbour);

/** Times that this rank's bell has been rung since it was made. */
long long hf_bells_heard(const struct hf_bells *bells);

#endif
