/* Bells: without MPI, a rank signals to another rank of its node that a message is on its way. A computing
 * rank notices that by one load from memory. A call of MPI would take microseconds; or a time slice of
 * milliseconds, if the library yields the core when it finds no message (mpi_yield_when_idle of Open MPI, the
 * default if a node has more ranks than cores). */
#ifndef HF_SCHEDULE_BELLS_H
#define HF_SCHEDULE_BELLS_H

#include "hf/context.h"

#include <stdbool.h>

struct hf_bells;

/** For the ranks of `comm`. `context` has the same ranks in the same order and is borrowed, or is NULL on all
 *  of them. Collective. HF_NO_RESOURCE. */
hf_status hf_bells_create(MPI_Comm comm, struct hf_context *context, struct hf_bells **bells,
                          struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a pointer to NULL; leaves NULL. */
void hf_bells_destroy(struct hf_bells **bells);

/** The ranks of this node, this one included, as numbers in the communicator given, in rising order; *n is
 *  their number. Neighbour i is at place i. */
const int *hf_bells_neighbours(const struct hf_bells *bells, int *n);

/** Whether bells work: not if the ranks of some node share no memory. */
bool hf_bells_work(const struct hf_bells *bells);

/** Rings the bell of a neighbour. */
void hf_bells_ring(struct hf_bells *bells, int neighbour);

/** How often this rank's bell was rung since hf_bells_create. */
long long hf_bells_heard(const struct hf_bells *bells);

#endif
