/* What the front of one-sided communication and its transports share. */
#ifndef HF_ONESIDED_PRIVATE_H
#define HF_ONESIDED_PRIVATE_H

#include "hf/onesided.h"

#include <stdbool.h>
#include <stddef.h>

/** One way to reach other ranks' memory. `size` counts elements; ranks in a place are those of the
 *  context. */
struct hf_transport_ops {
    const char *name, *about, *cite;
    /** Collective; each rank returns its own outcome. */
    hf_status (*open)(struct hf_onesided *self, struct hf_error *error);
    /** Collective; also after an open that failed. */
    void (*close)(struct hf_onesided *self);
    void (*poke)(struct hf_onesided *self);
    /** Collective: sets `local`, all zero; each rank returns its own outcome. */
    hf_status (*array_create)(struct hf_block_array *array, struct hf_error *error);
    void (*array_destroy)(struct hf_block_array *array);
    /** Of another rank's block. */
    void (*begin_get)(struct hf_block_array *array, struct hf_block_place place, size_t size,
                      struct hf_block_request *request);
    void (*end_get)(struct hf_block_array *array, struct hf_block_request *request);
    void (*accumulate)(struct hf_block_array *array, struct hf_block_place place, size_t size,
                       const double *from);
    void (*fence)(struct hf_block_array *array);
};

extern const struct hf_transport_ops hf_transport_thread, hf_transport_rma;

struct hf_onesided {
    const struct hf_transport_ops *ops;
    struct hf_context *context; /**< borrowed */
    enum hf_accumulate accumulate;
    char note[512];
    void *data; /**< of the transport */
};

struct hf_block_array {
    struct hf_onesided *onesided;         /**< borrowed */
    const struct hf_block_layout *layout; /**< borrowed */
    const char *label;
    double *local;
    size_t local_size;
    void *data; /**< of the transport */
};

/** Opens one transport without asking whether it works. Collective. */
hf_status hf_transport_open(struct hf_context *context, const struct hf_transport_ops *transport,
                            enum hf_accumulate accumulate, struct hf_onesided **onesided,
                            struct hf_error *error) HF_MUST_CHECK;

/** Accumulates and gets a few blocks by way of the transport and looks whether they come out right,
 *  within `seconds`. Sets context->stuck_in_mpi when it never came back. Collective; the same
 *  outcome on every rank. HF_NO_RESOURCE: it does not work, and why. */
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
