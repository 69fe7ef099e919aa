/* Memory that the ranks of a node share: what all of them read lies there once. */
#ifndef HF_NODE_MEMORY_H
#define HF_NODE_MEMORY_H

#include "hf/context.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** A block of bytes and the ranks that share it. Addresses differ from rank to rank: what lies in it
 *  must refer to itself by offsets. */
struct hf_node_memory {
    void *data; /**< [n_bytes], aligned to 64 bytes */
    size_t n_bytes;
    MPI_Comm comm;    /**< who shares it; borrowed from the context, or MPI_COMM_SELF */
    int rank, n_rank; /**< in `comm` */
    size_t *first;    /**< [n_rank + 1] bytes where the ranks' parts begin; NULL: even parts */
    bool refused;     /**< some node could not share it, so none does; equal on every rank */
    /* private */
    struct hf_memory *memory; /**< borrowed */
    enum hf_memory_class kind;
    MPI_Win window; /**< MPI_WIN_NULL: private memory */
};

/** Zeroed memory that the ranks of a node share, or private memory on every rank (n_rank is 1 then)
 *  where a rank is alone on its node, or where some node cannot share: the MPI library refuses, or
 *  there is too little room in /dev/shm, which libraries only notice by dying.
 *
 *  Account  every rank counts its part, so that sums over ranks are the true total.
 *  Call     collective over the context; `n_bytes` equal on the ranks of a node.
 *  Errors   HF_NO_RESOURCE on every rank alike: no private memory either.
 *  Source   MPI 3.1, 11.2.3 (MPI_Win_allocate_shared). */
hf_status hf_node_memory_create(struct hf_context *context, enum hf_memory_class kind,
                                const char *label, size_t n_bytes, struct hf_node_memory **memory,
                                struct hf_error *error) HF_MUST_CHECK;

/** The same with bytes that are not set, for what its users write before they read it: a rank alone on its node would write
 *  fresh memory twice. */
hf_status hf_node_memory_create_unset(struct hf_context *context, enum hf_memory_class kind,
                                      const char *label, size_t n_bytes,
                                      struct hf_node_memory **memory,
                                      struct hf_error *error) HF_MUST_CHECK;

/** Zeroed memory to which each rank adds a part of `n_bytes`, which may differ; parts are whole cache lines. Private memory has
 *  only the part of its rank. Otherwise as hf_node_memory_create. */
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

/** What the ranks wrote before is seen by all that share the memory after. Collective over `comm`. */
void hf_node_memory_sync(struct hf_node_memory *memory);

/** First ranks of all groups that share memory: MPI_COMM_NULL on the others. */
static inline MPI_Comm hf_node_memory_firsts(const struct hf_context *context,
                                             const struct hf_node_memory *memory)
{
    return memory->refused ? context->comm : context->leaders;
}

/** Collective over `comm`. Accepts a pointer to NULL; leaves NULL. */
void hf_node_memory_destroy(struct hf_node_memory **memory);

#endif
