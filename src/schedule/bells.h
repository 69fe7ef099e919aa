/* Bells: without MPI, a rank signals to another rank of its node that a message is on its way. A computing
 * rank notices that by one load from memory. A call of MPI would take microseconds; or a time slice of
 * milliseconds, if the library yields the core when it finds no message (mpi_yield_when_idle of Open MPI, the
 * default if a node has more ranks than cores). */
#ifndef HF_SCHEDULE_BELLS_H
#define HF_SCHEDULE_BELLS_H

#include "base/node_memory.h"
#include "hf/context.h"

#include <stdbool.h>

/** Bells of the ranks of this node, which are context->neighbour [n_node_rank]: numbers in the communicator, in
 *  rising order, this rank included. */
struct hf_bells {
    struct hf_context *context; /**< borrowed, or `own` */
    struct hf_context *own;     /**< created for the bells, or NULL */
    struct hf_node_memory *memory;
};

/** For the ranks of `comm`. `context` has the same ranks in the same order and is borrowed, or is NULL on all
 *  of them. Collective. HF_NO_RESOURCE. */
hf_status hf_bells_init(MPI_Comm comm, struct hf_context *context, struct hf_bells *bells,
                        struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts a struct that is zero or half made. */
void hf_bells_done(struct hf_bells *bells);

/** Whether bells work: not if the ranks of some node share no memory. */
static inline bool hf_bells_work(const struct hf_bells *bells)
{
    return !bells->memory->refused;
}

/** Rings the bell of a neighbour. */
void hf_bells_ring(struct hf_bells *bells, int neighbour);

/** How often this rank's bell was rung since hf_bells_init. */
long long hf_bells_heard(const struct hf_bells *bells);

#endif
