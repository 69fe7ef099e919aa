/* Threads of a rank: how they are started, return errors, and divide loops over elements. */
#ifndef HF_THREADS_H
#define HF_THREADS_H

#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** Does the share of thread `thread` of `n_thread`. */
typedef hf_status hf_thread_work(void *data, int thread, int n_thread, struct hf_error *error);

/** Calls work(data, t, n, error) for t = 0 .. n-1, n = max(n_thread, 1), at the same time on threads that are kept
 *  between calls (OpenMP). Returns the worst status with the message of the first thread that returned it. With n =
 *  1, the calling thread does the work. `work` must not wait for another thread of the call. Not collective. */
hf_status hf_threads_run(int n_thread, hf_thread_work *work, void *data,
                         struct hf_error *error) HF_MUST_CHECK;

/** Elements begin .. end-1 of a loop. */
struct hf_elements {
    size_t begin, end;
};

/** Number of equal pieces of a loop over elements. */
enum { HF_N_PIECE = 64 };

/** Calls work(data, piece, elements) for the HF_N_PIECE pieces of n elements. The pieces do not depend on the number
 *  of threads, so sums over the pieces in order always have the same bits. A thread gets the same neighbouring pieces
 *  in every call, so memory that it touched first lies near it. Not collective. */
void hf_threads_each(int n_thread, size_t n,
                     void (*work)(void *data, int piece, struct hf_elements elements), void *data);

/** Whether several threads of this rank may call MPI at the same time. Not collective. */
static inline bool hf_mpi_takes_threads(void)
{
    int level;
    MPI_Query_thread(&level);
    return level >= MPI_THREAD_MULTIPLE;
}

#endif
