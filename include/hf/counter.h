/* A counter shared by all ranks: every read adds to it, and no two ranks read the same value.
 * Source: "counter paper", a study of MPI one-sided shared counters. */
#ifndef HF_COUNTER_H
#define HF_COUNTER_H

#include "hf/status.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_counter;

/** How the counter is read. */
enum hf_counter_method {
    /** MPI-3: one MPI_Fetch_and_op on one number of rank 0. Memory: one number, on rank 0. */
    HF_COUNTER_FETCH_AND_OP,
    /** MPI-2 (counter paper, section 2): rank 0 holds what each rank has taken; in one exclusive
     *  lock a rank gets those of the others and puts its own. Memory: one number per rank in rank
     *  0's window and in a buffer on every rank, all of which travel at every read. */
    HF_COUNTER_ARRAY,
};

/** "fetch-and-op" or "array": as options, reports and files call it. */
const char *hf_counter_method_name(enum hf_counter_method method);

/** Counter at 0 over the ranks of `comm` (duplicated). Collective. HF_NO_RESOURCE: memory. */
hf_status hf_counter_create(MPI_Comm comm, enum hf_counter_method method,
                            struct hf_counter **counter, struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_counter_destroy(struct hf_counter **counter);

/** The value before `increment` (>= 0) was added; one thread of a rank at a time. Not collective.
 *  Waits for rank 0 to enter MPI where the library needs that: a microsecond or less where windows
 *  are memory shared by the ranks (Open MPI 4.1.4 on one node), else up to the time between two
 *  MPI calls of rank 0 (MPICH 4.0.2), unless rank 0 has a progress thread. */
int64_t hf_counter_take(struct hf_counter *counter, int64_t increment);

/** Back to 0. Collective. */
void hf_counter_reset(struct hf_counter *counter);

#ifdef __cplusplus
}
#endif
#endif
