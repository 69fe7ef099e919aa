/* Threads of a rank that share a piece of work: one way to start them, to bring home what went wrong,
 * and to deal out loops over elements. */
#ifndef HF_THREADS_H
#define HF_THREADS_H

#include "hf/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What each of the threads does: its share, `thread` of `n_thread`. */
typedef hf_status hf_thread_work(void *data, int thread, int n_thread, struct hf_error *error);

/** Calls work(data, t, n, error) for t = 0 .. n-1, n = max(n_thread, 1), at the same time on threads
 *  that live on from call to call (OpenMP), and returns the worst status with the message of the first
 *  thread that has it. One thread runs on the caller's. `work` must not wait for another thread of
 *  the call. Not collective. */
hf_status hf_threads_run(int n_thread, hf_thread_work *work, void *data,
                         struct hf_error *error) HF_MUST_CHECK;

/** Elements begin .. end-1 of a loop. */
struct hf_elements {
    size_t begin, end;
};

/** Into so many equal pieces loops over elements are cut. */
enum { HF_N_PIECE = 64 };

/** Calls work(data, piece, elements) for the HF_N_PIECE pieces of n elements, however many threads there
 *  are, so that what is summed over the pieces in order has the same bits with any number of them.
 *  Neighbouring pieces go to one thread, the same with each call: memory that such a loop touches first
 *  lies near the thread that comes back to it. Not collective. */
void hf_threads_each(int n_thread, size_t n,
                     void (*work)(void *data, int piece, struct hf_elements elements), void *data);

#ifdef __cplusplus
}
#endif
#endif
