/* One-sided communication over windows. A window is memory of which every rank has a part. Any rank gets numbers
 * from it and adds to it, while the owners compute. onesided/block_range.h finds blocks of matrices in windows.
 *
 *     each rank fills its part of D                 hf_window_local
 *     fence(D)                                      collective: what was written can be got
 *     get, begin_get / end_get of D, accumulate to F        every rank by itself
 *     fence(F)                                      collective: what was added is in its place
 *     each rank reads its part of F
 *
 * Between two fences a window is either read (get) or added to (accumulate), not both. If MPI grants
 * MPI_THREAD_MULTIPLE, one thread of a rank may be in a get, another in an accumulate and any in
 * hf_onesided_poke at the same time; other calls are made by one thread at a time. */
#ifndef HF_ONESIDED_H
#define HF_ONESIDED_H

#include "hf/context.h"
#include "hf/onesided_settings.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>

struct hf_onesided;
struct hf_window;

/** "owner" or "caller": as in options, reports and files. */
const char *hf_accumulate_name(enum hf_accumulate accumulate);

/** A piece of a window: numbers offset .. offset + n - 1 of the part of a rank (of the context).
 *  n is at most 2^27 (1 GiB), since an MPI count is an int. */
struct hf_window_range {
    int rank;
    size_t offset, n;
};

/** A get under way; the members are the transport's. Used for one begin_get at a time. */
struct hf_window_request {
    MPI_Request request;
    double *to;
};

/** One way to reach the memory of another rank; the list is hf_transport_list ("thread", "rma"). */
struct hf_transport_ops;
extern const struct hf_transport_ops *const hf_transport_list[];
const char *hf_transport_name(const struct hf_transport_ops *transport);
const char *hf_transport_about(const struct hf_transport_ops *transport);

/** Opens one-sided communication over the context's ranks. A self-test of the transport runs
 *  first, under a watchdog: every rank adds blocks of 8 bytes to 384 KiB to three ranks, in ranges
 *  that overlap, and reads them back; if the transport cannot be used (thread level not granted, test wrong or
 *  hanging), another one is tried, and hf_onesided_note says why. If a test hangs, context->stuck_in_mpi is
 *  set.
 *  Call     collective. The context is borrowed and must outlive the result.
 *  Errors   HF_BAD_INPUT: no such transport; HF_NO_RESOURCE: none of them works; memory. */
hf_status hf_onesided_create(struct hf_context *context,
                             const struct hf_onesided_settings *settings,
                             struct hf_onesided **onesided, struct hf_error *error) HF_MUST_CHECK;

/** Default limit of the self-test on n_rank ranks, in seconds. */
double hf_onesided_test_seconds(int n_rank);

/** All windows must have been destroyed. Collective; accepts a pointer to NULL; leaves NULL. */
void hf_onesided_destroy(struct hf_onesided **onesided);

/** Name of the transport in use. */
const char *hf_onesided_transport(const struct hf_onesided *onesided);

/** One line: why it is not the transport asked for, or that it was not tested; "" otherwise. Equal on every
 *  rank. */
const char *hf_onesided_note(const struct hf_onesided *onesided);

/** Lets the MPI library serve others; for long computations between calls. Not collective, cheap.
 */
void hf_onesided_poke(struct hf_onesided *onesided);

/** Between builds, after a fence: no rank sends requests until the next fence or the next window. A
 *  communication thread sleeps until then. Not collective. */
void hf_onesided_rest(struct hf_onesided *onesided);

/** Window of zeros, `size` numbers of this rank (other ranks may have more or less, or none).
 *  `label` is a string constant for the memory account, which counts it as a matrix.
 *  Collective. HF_NO_RESOURCE: memory. */
hf_status hf_window_create(struct hf_onesided *onesided, size_t size, const char *label,
                           struct hf_window **window, struct hf_error *error) HF_MUST_CHECK;

/** No data may be under way to it: fence first if something was added. Collective; accepts a pointer to NULL;
 *  leaves NULL. */
void hf_window_destroy(struct hf_window **window);

/** This rank's part. May be used only between a fence and the next one-sided call of any rank (a barrier of the
 *  caller or a fence ensures that). Not collective. */
double *hf_window_local(struct hf_window *window);

/** Copies a range to `to` [range.n]. Not collective; does not need the compute thread of the owner.
 */
void hf_window_get(struct hf_window *window, struct hf_window_range range, double *to);

/** The same in two halves, so that the numbers arrive while the caller computes. `to` must not be used before
 *  end_get. Up to a few hundred gets may be under way. */
void hf_window_begin_get(struct hf_window *window, struct hf_window_range range, double *to,
                         struct hf_window_request *request);
void hf_window_end_get(struct hf_window *window, struct hf_window_request *request);

/** Whether a get has ended; then end_get is not needed. For threads that release locks and poke between two
 *  calls. Does not wait. Not collective. */
bool hf_window_test_get(struct hf_window_request *request);

/** Range += from [range.n], atomically with respect to every other accumulate. `from` may be changed on return.
 *  Not collective. Source: accumulate paper, section 2. */
void hf_window_accumulate(struct hf_window *window, struct hf_window_range range,
                          const double *from);

/** Completes what was added or written by any rank; also a barrier. Collective. */
void hf_window_fence(struct hf_window *window);

/** Sets this rank's part to zero and fences. A fence must have completed what others added. Collective. */
void hf_window_clear(struct hf_window *window);

#endif
