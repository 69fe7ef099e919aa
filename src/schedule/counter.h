/* A counter shared by all ranks: every read adds to it, and no two ranks read the same value.
 * Source: "counter paper", a study of MPI one-sided shared counters. */
#ifndef HF_COUNTER_H
#define HF_COUNTER_H

#include "hf/schedule_settings.h"
#include "hf/status.h"

#include <mpi.h>
#include <stdint.h>

struct hf_counter;

/** "fetch-and-op" or "array": as in options, reports and files. */
const char *hf_counter_method_name(enum hf_counter_method method);

/** `n_counter` counters at 0 over the ranks of `comm` (duplicated). The ranks are divided into as many
 *  groups of neighbours, as equal as possible; the first rank of group k holds counter k. With
 *  HF_COUNTER_ARRAY there is one counter. Collective. HF_NO_RESOURCE: memory, or the MPI library makes
 *  no windows here. */
hf_status hf_counter_create(MPI_Comm comm, enum hf_counter_method method, int n_counter,
                            struct hf_counter **counter, struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_counter_destroy(struct hf_counter **counter);

/** The value of counter `number` before `increment` (>= 0) was added; one thread of a rank at a time.
 *  Not collective. Waits until the rank that holds the counter enters MPI, if the library needs that:
 *  a microsecond or less if windows are memory shared by the ranks (Open MPI 4.1.4 on one node), otherwise up
 *  to the time between two MPI calls of that rank (MPICH 4.0.2), unless it has a progress thread. */
int64_t hf_counter_take(struct hf_counter *counter, int number, int64_t increment);

/** Sets all counters to 0. Collective. */
void hf_counter_reset(struct hf_counter *counter);

#endif
