/* A counter shared by all ranks: every read adds to it, and no two ranks read the same value.
 * Source: "counter paper", a study of MPI one-sided shared counters. */
#ifndef HF_COUNTER_H
#define HF_COUNTER_H

#include "hf/schedule_settings.h"
#include "hf/status.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_counter;

/** "fetch-and-op" or "array": as options, reports and files call it. */
const char *hf_counter_method_name(enum hf_counter_method method);

/** Counter at 0 over the ranks of `comm` (duplicated). Collective. HF_NO_RESOURCE: memory, or the MPI
 *  library makes no windows here. */
hf_status hf_counter_create(MPI_Comm comm, enum hf_counter_method method,
                            struct hf_counter **counter, struct hf_error *error) HF_MUST_CHECK;

/** Several of them, number k with the first rank of group k where ranks are in `n_counter` groups of
 *  neighbours, as equal as can be; with HF_COUNTER_ARRAY there is one. Collective. HF_NO_RESOURCE. */
hf_status hf_counters_create(MPI_Comm comm, enum hf_counter_method method, int n_counter,
                             struct hf_counter **counter, struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_counter_destroy(struct hf_counter **counter);

/** The value before `increment` (>= 0) was added; one thread of a rank at a time. Not collective.
 *  Waits for rank 0 to enter MPI where the library needs that: a microsecond or less where windows
 *  are memory shared by the ranks (Open MPI 4.1.4 on one node), else up to the time between two
 *  MPI calls of rank 0 (MPICH 4.0.2), unless rank 0 has a progress thread. */
int64_t hf_counter_take(struct hf_counter *counter, int64_t increment);

/** Likewise, of one of several. */
int64_t hf_counters_take(struct hf_counter *counter, int number, int64_t increment);

/** All of them back to 0. Collective. */
void hf_counter_reset(struct hf_counter *counter);

#ifdef __cplusplus
}
#endif
#endif
