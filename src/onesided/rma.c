/* Transport over MPI-3 passive-target windows. A get or an owner-computes accumulate goes through
 * an epoch on all ranks at once (lock_all), opened by the first of them and closed by the fence; a
 * caller-computes accumulate locks the owner for itself (accumulate paper, Fig. 1). */
#include "onesided_private.h"

#include <stdlib.h>
#include <string.h>

struct rma {
    MPI_Comm comm; /**< a duplicate, owned */
};

struct rma_array {
    MPI_Win window;
    bool all_locked;
    double *sum; /**< caller computes: the owner's block on its way */
    size_t sum_size;
};

static hf_status open_rma(struct hf_onesided *self, struct hf_error *error)
{
    struct rma *data = self->data = calloc(1, sizeof *data);
    if (data == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for one-sided communication");
    MPI_Comm_dup(self->context->comm, &data->comm);
    return HF_OK;
}

static void close_rma(struct hf_onesided *self)
{
    struct rma *data = self->data;
    if (data == NULL) return;
    MPI_Comm_free(&data->comm);
    free(data);
    self->data = NULL;
}

static void poke(struct hf_onesided *self)
{
    const struct rma *data = self->data;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, data->comm, &there, MPI_STATUS_IGNORE);
}

/** Makes this rank's loads and stores and the others' accesses see each other. */
static void synchronise(const struct hf_block_array *array)
{
    const struct rma_array *data = array->data;
    const int rank = array->onesided->context->rank;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, data->window);
    MPI_Win_sync(data->window);
    MPI_Win_unlock(rank, data->window);
}

/** Closes the epoch, so that everything this rank asked for is done at its target. */
static void unlock_all(struct rma_array *data)
{
    if (data->all_locked) MPI_Win_unlock_all(data->window);
    data->all_locked = false;
}

static void lock_all(struct rma_array *data)
{
    if (!data->all_locked) MPI_Win_lock_all(0, data->window);
    data->all_locked = true;
}

static void fence(struct hf_block_array *array)
{
    const struct rma *data = array->onesided->data;
    unlock_all(array->data);
    synchronise(array);
    MPI_Barrier(data->comm);
    synchronise(array);
}

/** Bytes of this rank's window: whole cache lines. MPICH 4.0.2 looks for the parts of other ranks
 * of a node in places a few bytes off when the parts before are not multiples of 16 bytes. */
static MPI_Aint window_bytes(const struct hf_block_array *array)
{
    enum { LINE = 64 };
    return (MPI_Aint)((array->local_size * sizeof(double) + LINE - 1) / LINE * LINE);
}

static hf_status array_create(struct hf_block_array *array, struct hf_error *error)
{
    const struct hf_onesided *self = array->onesided;
    const struct rma *transport = self->data;
    const MPI_Aint bytes = window_bytes(array);
    struct rma_array *data = calloc(1, sizeof *data);
    hf_status status = HF_OK;
    int *model, found;
    if (data == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", array->label);
    HF_TRY(hf_agree(transport->comm, status, error)); /* the next call is collective */
    MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, transport->comm, &array->local,
                     &data->window);
    hf_memory_count(self->context->memory, HF_MEMORY_MATRIX, array->label, (size_t)bytes);
    array->data = data;
    MPI_Win_get_attr(data->window, MPI_WIN_MODEL, &model, &found);
    if (!found || *model != MPI_WIN_UNIFIED)
        return hf_fail(error, HF_NO_RESOURCE,
                       "the MPI library's windows do not have the unified memory model");
    if (bytes > 0) memset(array->local, 0, (size_t)bytes);
    fence(array);
    return HF_OK;
cleanup:
    free(data);
    return status;
}

static void array_destroy(struct hf_block_array *array)
{
    struct rma_array *data = array->data;
    if (data == NULL) return;
    unlock_all(data);
    MPI_Win_free(&data->window);
    hf_memory_discount(array->onesided->context->memory, HF_MEMORY_MATRIX,
                       (size_t)window_bytes(array));
    free(data->sum);
    free(data);
}

static void begin_get(struct hf_block_array *array, struct hf_block_place place, size_t size,
                      struct hf_block_request *request)
{
    struct rma_array *data = array->data;
    lock_all(data);
    MPI_Rget(request->to, (int)size, MPI_DOUBLE, place.rank, (MPI_Aint)place.offset, (int)size,
             MPI_DOUBLE, data->window, &request->request);
}

static void end_get(struct hf_block_array *array, struct hf_block_request *request)
{
    (void)array;
    MPI_Wait(&request->request, MPI_STATUS_IGNORE);
}

/** Lock, get, add, put, unlock. When there is no memory for the block on its way it goes in
 *  pieces. */
static void accumulate_here(struct rma_array *data, struct hf_block_place place, size_t size,
                            const double *from)
{
    double few[64];
    size_t room = sizeof few / sizeof *few;
    if (size > data->sum_size && size > room) {
        free(data->sum);
        data->sum = malloc(size * sizeof *data->sum);
        data->sum_size = data->sum != NULL ? size : 0;
    }
    double *sum = data->sum_size > room ? data->sum : few;
    if (data->sum_size > room) room = data->sum_size;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, place.rank, 0, data->window);
    for (size_t first = 0; first < size; first += room) {
        const size_t n = size - first < room ? size - first : room;
        const MPI_Aint at = (MPI_Aint)(place.offset + first);
        MPI_Get(sum, (int)n, MPI_DOUBLE, place.rank, at, (int)n, MPI_DOUBLE, data->window);
        MPI_Win_flush(place.rank, data->window);
        hf_add_elements(sum, from + first, n);
        MPI_Put(sum, (int)n, MPI_DOUBLE, place.rank, at, (int)n, MPI_DOUBLE, data->window);
        if (first + n < size) MPI_Win_flush_local(place.rank, data->window);
    }
    MPI_Win_unlock(place.rank, data->window);
}

/** Own blocks go the same way: MPI's accumulates are atomic among each other only. */
static void accumulate(struct hf_block_array *array, struct hf_block_place place, size_t size,
                       const double *from)
{
    struct rma_array *data = array->data;
    if (array->onesided->accumulate == HF_ACCUMULATE_CALLER) {
        unlock_all(data);
        accumulate_here(data, place, size, from);
        return;
    }
    lock_all(data);
    MPI_Accumulate(from, (int)size, MPI_DOUBLE, place.rank, (MPI_Aint)place.offset, (int)size,
                   MPI_DOUBLE, MPI_SUM, data->window);
    MPI_Win_flush_local(place.rank, data->window);
}

const struct hf_transport_ops hf_transport_rma = {
    .name = "rma",
    .about = "MPI-3 passive-target windows",
    .cite = "MPI: A Message-Passing Interface Standard, version 3.1, chapter 11",
    .open = open_rma,
    .close = close_rma,
    .poke = poke,
    .array_create = array_create,
    .array_destroy = array_destroy,
    .begin_get = begin_get,
    .end_get = end_get,
    .accumulate = accumulate,
    .fence = fence,
};
