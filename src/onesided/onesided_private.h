/* What the front of one-sided communication and its transports share. */
#ifndef HF_ONESIDED_PRIVATE_H
#define HF_ONESIDED_PRIVATE_H

#include "base/arena.h"
#include "onesided/onesided.h"

#include <stdbool.h>
#include <stddef.h>

/** One way to reach other ranks' memory: one constant instance per transport. Ranks are those of the
 *  context. Different ranks may work with different windows at the same time; one thread of a rank at a time. */
struct hf_transport_ops {
    const char *name, *about, *cite; /**< --onesided NAME; help text; where it is described */
    size_t data_bytes;               /**< size of self->data, which the front allocates */
    /** Initialises self->data, which is zero. Collective; each rank returns its own outcome. HF_NO_RESOURCE. */
    hf_status (*open)(struct hf_onesided *self, struct hf_error *error);
    /** Collective; also after an open that failed. */
    void (*close)(struct hf_onesided *self);
    /** Lets the MPI library, or the transport, serve others. Not collective. */
    void (*poke)(struct hf_onesided *self);
    /** Called when no requests come until the next fence or the next window. Not collective. NULL: the
     *  transport does nothing between requests. */
    void (*rest)(struct hf_onesided *self);
    size_t window_bytes; /**< size of the `data` of a window */
    /** Sets `local` [size], all zero, and fills in `data`, which is zeroed and exists on all ranks. Collective;
     *  each rank returns its own outcome. HF_NO_RESOURCE: memory. */
    hf_status (*window_create)(struct hf_window *window, struct hf_error *error);
    /** Collective; also after a creation that failed. */
    void (*window_destroy)(struct hf_window *window);
    /** Begins to copy a range of another rank to request->to. Not collective. */
    void (*begin_get)(struct hf_window *window, struct hf_window_range range,
                      struct hf_window_request *request);
    /** Waits until the copy has ended. Not collective. */
    void (*end_get)(struct hf_window *window, struct hf_window_request *request);
    /** Adds from[range.n] to a range of any rank, atomically. Not collective. */
    void (*accumulate)(struct hf_window *window, struct hf_window_range range, const double *from);
    /** Completes what any rank wrote or added. Collective. */
    void (*fence)(struct hf_window *window);
};

extern const struct hf_transport_ops hf_transport_thread, hf_transport_rma;

struct hf_onesided {
    struct hf_arena arena;
    const struct hf_transport_ops *ops;
    struct hf_context *context; /**< borrowed */
    enum hf_accumulate accumulate;
    char note[512];
    void *data; /**< of the transport [ops->data_bytes] */
};

struct hf_window {
    struct hf_arena arena;
    struct hf_onesided *onesided; /**< borrowed */
    const char *label;
    double *local; /**< [size] */
    size_t size;
    void *data; /**< of the transport [ops->window_bytes] */
};

/** Opens one transport without a self-test. Collective. */
hf_status hf_transport_open(struct hf_context *context, const struct hf_transport_ops *transport,
                            enum hf_accumulate accumulate, struct hf_onesided **onesided,
                            struct hf_error *error) HF_MUST_CHECK;

/** Accumulates and gets a few numbers through the transport and checks them, within `seconds`. Sets
 *  context->stuck_in_mpi if the test does not end. Collective; the same outcome on every rank.
 *  HF_NO_RESOURCE: the transport does not work; the message says why. */
hf_status hf_transport_self_test(struct hf_context *context,
                                 const struct hf_transport_ops *transport,
                                 enum hf_accumulate accumulate, double seconds,
                                 struct hf_error *error) HF_MUST_CHECK;

/** to += from. */
static inline void hf_add_elements(double *restrict to, const double *restrict from, size_t n)
{
    for (size_t k = 0; k < n; k++) to[k] += from[k];
}

#endif
