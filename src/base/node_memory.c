/* Memory shared by the ranks of a node, in MPI windows. */
#include "base/node_memory.h"

#include "base/mpi_window.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/** Finds the bytes [begin, end) of this rank's part: whole cache lines. */
static void find_part(const struct hf_node_memory *memory, size_t *begin, size_t *end)
{
    const size_t n_bytes = memory->n_bytes, n_line = n_bytes / LINE + (n_bytes % LINE != 0);
    const size_t rank = (size_t)memory->rank, n_rank = (size_t)memory->n_rank;
    const size_t *first = memory->first;
    *begin = first != NULL ? first[rank] : n_line * rank / n_rank * LINE;
    *end = first != NULL ? first[rank + 1] : n_line * (rank + 1) / n_rank * LINE;
    if (*begin > n_bytes) *begin = n_bytes;
    if (*end > n_bytes) *end = n_bytes;
}

/** This rank's address of the first byte, at the beginning of a cache line. NULL: the library does not place the
 *  cache lines alike on all ranks. */
static void *find_start(const struct hf_node_memory *memory)
{
    MPI_Aint size;
    int unit, padding;
    unsigned char *start = NULL;
    if (MPI_Win_shared_query(memory->window, 0, &size, &unit, &start) != MPI_SUCCESS) start = NULL;
    padding = (int)(-(uintptr_t)start % LINE);
    MPI_Bcast(&padding, 1, MPI_INT, 0, memory->comm);
    if (start == NULL || ((uintptr_t)start + (uintptr_t)padding) % LINE != 0) return NULL;
    return start + padding;
}

/** Makes a window with the whole memory on the first rank. False on all ranks: refused. One part with whole cache
 *  lines is safe: MPICH 4.0.2 finds parts at wrong addresses if the parts before are not multiples of 16 bytes. */
static bool share(struct hf_node_memory *memory)
{
    /* room for aligning to a cache line */
    const size_t whole = (memory->n_bytes / LINE + 2) * LINE;
    void *mine = NULL;
    MPI_Errhandler before;
    if (!hf_all_say(memory->comm, hf_shared_memory_has_room(whole))) return false;
    MPI_Comm_get_errhandler(memory->comm, &before);
    MPI_Comm_set_errhandler(memory->comm, MPI_ERRORS_RETURN);
    const int code = MPI_Win_allocate_shared(memory->rank == 0 ? (MPI_Aint)whole : 0, 1,
                                             MPI_INFO_NULL, memory->comm, &mine, &memory->window);
    MPI_Comm_set_errhandler(memory->comm, before);
    MPI_Errhandler_free(&before);
    if (!hf_all_say(memory->comm, code == MPI_SUCCESS)) {
        /* not freed if only some ranks have it: freeing needs all ranks */
        memory->window = MPI_WIN_NULL;
        return false;
    }
    MPI_Win_set_errhandler(memory->window, MPI_ERRORS_RETURN);
    memory->data = find_start(memory);
    if (hf_all_say(memory->comm, memory->data != NULL)) return true;
    MPI_Win_free(&memory->window);
    return false;
}

/** Adds this rank's part to the account or removes it. */
static void count(const struct hf_node_memory *memory, const char *label, bool more)
{
    size_t begin, end;
    find_part(memory, &begin, &end);
    if (more)
        hf_memory_count(memory->memory, memory->kind, label, end - begin);
    else
        hf_memory_discount(memory->memory, memory->kind, end - begin);
}

/** Every rank writes its own part first, so that the system places it in memory near this rank. */
static void begin_sharing(struct hf_node_memory *memory, const char *label)
{
    size_t begin, end;
    count(memory, label, true);
    find_part(memory, &begin, &end);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, memory->window);
    memset((unsigned char *)memory->data + begin, 0, end - begin);
    hf_node_memory_sync(memory);
}

static void let_go(struct hf_node_memory *memory, const char *label)
{
    if (memory->window == MPI_WIN_NULL) {
        hf_memory_release(memory->memory, memory->data);
        return;
    }
    MPI_Win_unlock_all(memory->window);
    MPI_Win_free(&memory->window);
    count(memory, label, false);
}

/** Reduces the memory to the part of this rank. */
static void keep_own_part(struct hf_node_memory *memory, int rank)
{
    memory->n_bytes = memory->first[rank + 1] - memory->first[rank];
    memory->first[0] = 0;
    memory->first[1] = memory->n_bytes;
}

/** Private memory for this rank, with its part only. False: no memory. Local. */
static bool keep_apart(struct hf_node_memory *memory, int node_rank, const char *label, bool zeroed)
{
    memory->comm = MPI_COMM_SELF;
    memory->rank = 0;
    memory->n_rank = 1;
    if (memory->first != NULL) keep_own_part(memory, node_rank);
    memory->data =
        zeroed ? hf_memory_allocate_class(memory->memory, memory->kind, label, memory->n_bytes, 1)
               : hf_memory_allocate_unset(memory->memory, memory->kind, label, memory->n_bytes);
    return memory->data != NULL;
}

/** What went wrong on any rank. */
struct outcome {
    int refused, failed; /**< a node cannot share memory; no memory */
};

/** Makes shared memory, or private memory on all ranks if some node cannot share. One reduction if nothing fails.
 *  Shared memory is always zeroed, private memory only if `zeroed`. */
static hf_status make(struct hf_context *context, const char *label, bool zeroed, bool has_handle,
                      struct hf_node_memory *made, struct hf_error *error)
{
    const bool alone = context->n_node_rank == 1;
    bool done = alone ? keep_apart(made, 0, label, zeroed) : share(made);
    struct outcome outcome = {.refused = !alone && !done,
                              .failed = !has_handle || (alone && !done)};
    MPI_Allreduce(MPI_IN_PLACE, &outcome, 2, MPI_INT, MPI_MAX, context->comm);
    made->refused = outcome.refused != 0;
    if (made->refused && !alone) {
        if (done) MPI_Win_free(&made->window);
        done = keep_apart(made, context->node_rank, label, zeroed);
    }
    if (!made->refused && outcome.failed == 0) {
        if (!alone) begin_sharing(made, label);
        return HF_OK;
    }
    hf_status status = HF_OK;
    if (!done || !has_handle)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the %s", label);
    status = hf_agree(context->comm, status, error);
    if (status != HF_OK && made->window != MPI_WIN_NULL)
        MPI_Win_free(&made->window);
    else if (status != HF_OK)
        hf_memory_release(made->memory, made->data);
    return status;
}

/** Takes ownership of `first` [ranks of the node + 1]: where parts of different sizes begin; NULL: equal parts. */
static hf_status create(struct hf_context *context, enum hf_memory_class kind, const char *label,
                        size_t n_bytes, size_t *first, bool zeroed, struct hf_node_memory **memory,
                        struct hf_error *error)
{
    struct hf_node_memory *made = malloc(sizeof *made);
    struct hf_node_memory found = {.n_bytes = n_bytes,
                                   .first = first,
                                   .memory = context->memory,
                                   .kind = kind,
                                   .comm = context->node,
                                   .rank = context->node_rank,
                                   .n_rank = context->n_node_rank,
                                   .window = MPI_WIN_NULL};
    const hf_status status = make(context, label, zeroed, made != NULL, &found, error);
    if (status == HF_OK) {
        *made = found;
        *memory = made;
    } else {
        free(first);
        free(made);
    }
    return status;
}

hf_status hf_node_memory_create(struct hf_context *context, enum hf_memory_class kind,
                                const char *label, size_t n_bytes, struct hf_node_memory **memory,
                                struct hf_error *error)
{
    return create(context, kind, label, n_bytes, NULL, true, memory, error);
}

hf_status hf_node_memory_create_unset(struct hf_context *context, enum hf_memory_class kind,
                                      const char *label, size_t n_bytes,
                                      struct hf_node_memory **memory, struct hf_error *error)
{
    return create(context, kind, label, n_bytes, NULL, false, memory, error);
}

hf_status hf_node_memory_create_parts(struct hf_context *context, enum hf_memory_class kind,
                                      const char *label, size_t n_bytes,
                                      struct hf_node_memory **memory, struct hf_error *error)
{
    const int n = context->n_node_rank;
    const size_t mine = hf_whole_lines(n_bytes);
    size_t *first = calloc((size_t)n + 1, sizeof *first);
    hf_status status = first != NULL ? HF_OK : HF_NO_RESOURCE;
    if (first == NULL) status = hf_fail(error, status, "out of memory for the %s", label);
    HF_TRY(hf_agree(context->comm, status, error));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, first + 1, sizeof mine, MPI_BYTE, context->node);
    for (int i = 0; i < n; i++) first[i + 1] += first[i];
    return create(context, kind, label, first[n], first, true, memory, error);
cleanup:
    free(first);
    return status;
}

size_t hf_node_arrays_bytes(size_t n, const struct hf_node_array array[])
{
    size_t sum = 0;
    for (size_t k = 0; k < n; k++) sum += hf_whole_lines(array[k].n * array[k].element_bytes);
    return sum;
}

void hf_node_arrays_place(const struct hf_node_memory *memory, size_t n,
                          const struct hf_node_array array[])
{
    char *next = memory->data;
    for (size_t k = 0; k < n; k++) {
        memcpy(array[k].pointer, &next, sizeof next);
        next += hf_whole_lines(array[k].n * array[k].element_bytes);
    }
}

void hf_node_memory_sync(struct hf_node_memory *memory)
{
    if (memory->window == MPI_WIN_NULL) return;
    MPI_Win_sync(memory->window);
    MPI_Barrier(memory->comm);
    MPI_Win_sync(memory->window);
}

void hf_node_memory_destroy(struct hf_node_memory **memory)
{
    if (*memory != NULL) {
        let_go(*memory, "");
        free((*memory)->first);
    }
    free(*memory);
    *memory = NULL;
}
