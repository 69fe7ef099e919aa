/* One-sided communication: symmetric block arrays spread over all ranks, from which any rank gets
 * blocks and to which any rank adds, while their owners compute. Knows nothing of chemistry.
 *
 *     each rank fills its part of D                 hf_block_array_local
 *     fence(D)                                      collective: what was written can be got
 *     get, begin_get / end_get of D, accumulate to F        every rank by itself
 *     fence(F)                                      collective: what was added is in its place
 *     each rank reads its part of F
 *
 * Between two fences an array is either read (get) or added to (accumulate), not both. */
#ifndef HF_ONESIDED_H
#define HF_ONESIDED_H

#include "hf/context.h"
#include "hf/layout.h"
#include "hf/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hf_onesided;
struct hf_block_array;

/** Who adds (accumulate paper, Fig. 1). */
enum hf_accumulate {
    HF_ACCUMULATE_OWNER,  /**< the data are sent to the owner, which adds them */
    HF_ACCUMULATE_CALLER, /**< the caller locks, gets, adds, puts back and unlocks */
};

/** "owner" or "caller": as options, reports and files call it. */
const char *hf_accumulate_name(enum hf_accumulate accumulate);

/** A get under way; the members are the transport's. One belongs to one begin_get at a time. */
struct hf_block_request {
    MPI_Request request;
    double *to;
};

/** One way to reach the memory of another rank; the list is hf_transport_list ("thread", "rma"). */
struct hf_transport_ops;
extern const struct hf_transport_ops *const hf_transport_list[];
const char *hf_transport_name(const struct hf_transport_ops *transport);
const char *hf_transport_about(const struct hf_transport_ops *transport);

/** What it takes to open one-sided communication. */
struct hf_onesided_settings {
    const char *transport; /**< name in hf_transport_list */
    enum hf_accumulate accumulate;
    double self_test_seconds; /**< the self-test has failed when it takes longer; 0: 20 s */
};

/** Opens one-sided communication over the context's ranks. A small self-test of the transport runs
 *  first, under a watchdog; when the transport cannot be used (thread level not granted, test wrong
 *  or hanging) the other one is tried, and hf_onesided_note says why. After one that hangs,
 *  context->stuck_in_mpi is set.
 *  Call     collective. The context is borrowed and must outlive the result.
 *  Errors   HF_BAD_INPUT: no such transport; HF_NO_RESOURCE: none of them works; memory. */
hf_status hf_onesided_create(struct hf_context *context,
                             const struct hf_onesided_settings *settings,
                             struct hf_onesided **onesided, struct hf_error *error) HF_MUST_CHECK;

/** Its arrays must be gone. Collective; accepts a pointer to NULL; leaves NULL. */
void hf_onesided_destroy(struct hf_onesided **onesided);

/** Name of the transport in use. */
const char *hf_onesided_transport(const struct hf_onesided *onesided);

/** One line on why it is not the one asked for; "" when it is. Equal on every rank. */
const char *hf_onesided_note(const struct hf_onesided *onesided);

/** Lets the MPI library serve others; for long computations between calls. Not collective, cheap.
 */
void hf_onesided_poke(struct hf_onesided *onesided);

/** Array of zeros. `layout` is borrowed and must outlive it; `label` is a string constant for the
 *  memory account. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_block_array_create(struct hf_onesided *onesided, const struct hf_block_layout *layout,
                                const char *label, struct hf_block_array **array,
                                struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_block_array_destroy(struct hf_block_array **array);

/** This rank's part, hf_block_layout_local_size elements. To be touched only between a fence and
 *  the next one-sided call of any rank (the caller's barrier or the fence sees to that). */
double *hf_block_array_local(struct hf_block_array *array);

/** Copies block (i,j), i >= j, to `to`. Not collective; needs nothing of its owner's compute
 * thread. */
void hf_block_array_get(struct hf_block_array *array, int i, int j, double *to);

/** The same in two halves, so that the block comes while the caller computes. `to` may be touched
 *  after end_get only. Up to a few hundred gets may be under way. */
void hf_block_array_begin_get(struct hf_block_array *array, int i, int j, double *to,
                              struct hf_block_request *request);
void hf_block_array_end_get(struct hf_block_array *array, struct hf_block_request *request);

/** Block (i,j) += from, atomically with respect to every other accumulate. `from` is the caller's
 *  again on return. Not collective. Source: accumulate paper, section 2. */
void hf_block_array_accumulate(struct hf_block_array *array, int i, int j, const double *from);

/** Completes what was added or written by any rank; also a barrier. Collective. */
void hf_block_array_fence(struct hf_block_array *array);

#ifdef __cplusplus
}
#endif
#endif
