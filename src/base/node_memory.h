/* Memory shared by the ranks of a node, for data that all of them read. */
#ifndef HF_NODE_MEMORY_H
#define HF_NODE_MEMORY_H

#include "hf/context.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** A block of bytes and the ranks that share it. Its address differs from rank to rank, so data in it must use
 *  offsets, not pointers. */
struct hf_node_memory {
    void *data; /**< [n_bytes], aligned to 64 bytes */
    size_t n_bytes;
    MPI_Comm comm;    /**< ranks that share it; borrowed from the context, or MPI_COMM_SELF */
    int rank, n_rank; /**< in `comm` */
    size_t *first; /**< [n_rank + 1] where the parts of the ranks begin, bytes; NULL: equal parts */
    bool refused;  /**< some node could not share memory, so no node does; equal on every rank */
    /* private */
    struct hf_memory *memory; /**< borrowed */
    enum hf_memory_class kind;
    MPI_Win window; /**< MPI_WIN_NULL: private memory */
};

/** Zeroed memory shared by the ranks of a node. It is private (n_rank is 1) if a rank is alone on its node, or if
 *  some node cannot share: the MPI library refuses, or /dev/shm has too little room (libraries would crash).
 *
 *  Account  every rank counts its part, so that sums over ranks are the true total.
 *  Call     collective over the context; `n_bytes` equal on the ranks of a node.
 *  Errors   HF_NO_RESOURCE on every rank: no private memory either.
 *  Source   MPI 3.1, 11.2.3 (MPI_Win_allocate_shared). */
hf_status hf_node_memory_create(struct hf_context *context, enum hf_memory_class kind,
                                const char *label, size_t n_bytes, struct hf_node_memory **memory,
                                struct hf_error *error) HF_MUST_CHECK;

/** The same, not initialised: for data that are written before they are read. A rank alone on its node would
 *  otherwise write fresh memory twice. */
hf_status hf_node_memory_create_unset(struct hf_context *context, enum hf_memory_class kind,
                                      const char *label, size_t n_bytes,
                                      struct hf_node_memory **memory,
                                      struct hf_error *error) HF_MUST_CHECK;

/** Zeroed memory with a part of `n_bytes` from each rank. Sizes may differ; parts are rounded up to whole cache
 *  lines. Private memory contains only the rank's own part. Otherwise like hf_node_memory_create. */
hf_status hf_node_memory_create_parts(struct hf_context *context, enum hf_memory_class kind,
                                      const char *label, size_t n_bytes,
                                      struct hf_node_memory **memory,
                                      struct hf_error *error) HF_MUST_CHECK;

/** An array in such memory: the address of a pointer of any type, its elements and their size. */
struct hf_node_array {
    void *pointer;
    size_t n, element_bytes;
};
#define HF_NODE_ARRAY(pointer, n)                                                                  \
    {                                                                                              \
        &(pointer), (size_t)(n), sizeof *(pointer)                                                 \
    }

/** Bytes of arrays one after another, each in whole cache lines. Not collective. */
size_t hf_node_arrays_bytes(size_t n, const struct hf_node_array array[]);

/** Sets the pointers of arrays that lie so in the memory. Not collective. */
void hf_node_arrays_place(const struct hf_node_memory *memory, size_t n,
                          const struct hf_node_array array[]);

/** Afterwards all ranks that share the memory see what any of them wrote before. Collective over `comm`. */
void hf_node_memory_sync(struct hf_node_memory *memory);

/** The first ranks of all groups that share memory; MPI_COMM_NULL on other ranks. */
static inline MPI_Comm hf_node_memory_firsts(const struct hf_context *context,
                                             const struct hf_node_memory *memory)
{
    return memory->refused ? context->comm : context->leaders;
}

/** Collective over `comm`. Accepts a pointer to NULL; leaves NULL. */
void hf_node_memory_destroy(struct hf_node_memory **memory);

#endif
