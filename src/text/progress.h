/* A thread that waits inside MPI, so that the library serves other ranks while this one computes
 * (counter paper, case 3). */
#ifndef HF_PROGRESS_H
#define HF_PROGRESS_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>

struct hf_progress_thread;

/** Starts one on this rank. Collective over `comm` (duplicated). HF_NO_RESOURCE on every rank when
 *  MPI does not grant MPI_THREAD_MULTIPLE or a thread cannot be started. */
hf_status hf_progress_thread_start(MPI_Comm comm, struct hf_progress_thread **thread,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Ends it and waits for it. Collective; accepts a pointer to NULL; leaves NULL. */
void hf_progress_thread_stop(struct hf_progress_thread **thread);

/** Lets the thread sleep (`resting`: it costs nothing and does not serve) or wakes it. It begins awake.
 *  Accepts NULL, for a rank that has no thread. Not collective. */
void hf_progress_thread_rest(struct hf_progress_thread *thread, bool resting);

#endif
