/* Transport over MPI-3 passive-target windows. Gets and owner-computes accumulates use an epoch on all ranks at
 * once (lock_all), which the first of them opens and the fence closes. A caller-computes accumulate locks the
 * owner alone (accumulate paper, Fig. 1). */
#include "onesided_private.h"

#include "base/mpi_window.h"

#include <string.h>

struct rma {
    MPI_Comm comm; /**< a duplicate, owned */
};

struct rma_window {
    MPI_Win win;
    bool all_locked;
    struct hf_scratch sum; /**< caller computes: buffer for the owner's numbers */
};

static hf_status open_rma(struct hf_onesided *self, struct hf_error *error)
{
    struct rma *data = self->data;
    (void)error;
    MPI_Comm_dup(self->context->comm, &data->comm);
    return HF_OK;
}

static void close_rma(struct hf_onesided *self)
{
    struct rma *data = self->data;
    MPI_Comm_free(&data->comm);
}

static void poke(struct hf_onesided *self)
{
    const struct rma *data = self->data;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, data->comm, &there, MPI_STATUS_IGNORE);
}

/** Makes this rank's loads and stores and the others' accesses see each other. */
static void synchronise(const struct hf_window *window)
{
    const struct rma_window *data = window->data;
    const int rank = window->onesided->context->rank;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, data->win);
    MPI_Win_sync(data->win);
    MPI_Win_unlock(rank, data->win);
}

/** Closes the epoch, so that everything this rank asked for is done at its target. */
static void unlock_all(struct rma_window *data)
{
    if (data->all_locked) MPI_Win_unlock_all(data->win);
    data->all_locked = false;
}

static void lock_all(struct rma_window *data)
{
    if (!data->all_locked) MPI_Win_lock_all(0, data->win);
    data->all_locked = true;
}

static void fence(struct hf_window *window)
{
    const struct rma *data = window->onesided->data;
    unlock_all(window->data);
    synchronise(window);
    MPI_Barrier(data->comm);
    synchronise(window);
}

/** Bytes of this rank's window: whole cache lines, see base/mpi_window.h. */
static size_t window_bytes(const struct hf_window *window)
{
    return hf_whole_lines(window->size * sizeof(double));
}

static hf_status window_create(struct hf_window *window, struct hf_error *error)
{
    const struct hf_onesided *self = window->onesided;
    const struct rma *transport = self->data;
    const size_t bytes = window_bytes(window);
    struct rma_window *data = window->data;
    void *memory = NULL;
    int *model, found;
    HF_CHECK(hf_mpi_window_allocate(transport->comm, self->context->node, bytes, sizeof(double),
                                    window->label, &memory, &data->win, error));
    window->local = memory;
    data->sum.arena = &window->arena;
    hf_memory_count(self->context->memory, HF_MEMORY_MATRIX, window->label, bytes);
    MPI_Win_get_attr(data->win, MPI_WIN_MODEL, &model, &found);
    if (!found || *model != MPI_WIN_UNIFIED)
        return hf_fail(error, HF_NO_RESOURCE,
                       "the MPI library's windows do not have the unified memory model");
    if (bytes > 0) memset(window->local, 0, bytes);
    fence(window);
    return HF_OK;
}

static void window_destroy(struct hf_window *window)
{
    struct rma_window *data = window->data;
    if (data->win == MPI_WIN_NULL) return;
    unlock_all(data);
    MPI_Win_free(&data->win);
    hf_memory_discount(window->onesided->context->memory, HF_MEMORY_MATRIX, window_bytes(window));
}

static void begin_get(struct hf_window *window, struct hf_window_range range,
                      struct hf_window_request *request)
{
    struct rma_window *data = window->data;
    lock_all(data);
    MPI_Rget(request->to, (int)range.n, MPI_DOUBLE, range.rank, (MPI_Aint)range.offset,
             (int)range.n, MPI_DOUBLE, data->win, &request->request);
}

static void end_get(struct hf_window *window, struct hf_window_request *request)
{
    (void)window;
    MPI_Wait(&request->request, MPI_STATUS_IGNORE);
}

/** Lock, get, add, put, unlock. Without memory for the buffer, the range is sent in pieces. */
static void accumulate_here(struct rma_window *data, struct hf_window_range range,
                            const double *from)
{
    const size_t size = range.n;
    double few[64], *sum = hf_scratch_reserve(&data->sum, size);
    const size_t room = sum != NULL ? size : sizeof few / sizeof *few;
    if (sum == NULL) sum = few;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, range.rank, 0, data->win);
    for (size_t first = 0; first < size; first += room) {
        const size_t n = size - first < room ? size - first : room;
        const MPI_Aint at = (MPI_Aint)(range.offset + first);
        MPI_Get(sum, (int)n, MPI_DOUBLE, range.rank, at, (int)n, MPI_DOUBLE, data->win);
        MPI_Win_flush(range.rank, data->win);
        hf_add_elements(sum, from + first, n);
        MPI_Put(sum, (int)n, MPI_DOUBLE, range.rank, at, (int)n, MPI_DOUBLE, data->win);
        if (first + n < size) MPI_Win_flush_local(range.rank, data->win);
    }
    MPI_Win_unlock(range.rank, data->win);
}

/** Own ranges use the same calls: MPI's accumulates are atomic among each other only. */
static void accumulate(struct hf_window *window, struct hf_window_range range, const double *from)
{
    struct rma_window *data = window->data;
    if (window->onesided->accumulate == HF_ACCUMULATE_CALLER) {
        unlock_all(data);
        accumulate_here(data, range, from);
        return;
    }
    lock_all(data);
    MPI_Accumulate(from, (int)range.n, MPI_DOUBLE, range.rank, (MPI_Aint)range.offset, (int)range.n,
                   MPI_DOUBLE, MPI_SUM, data->win);
    MPI_Win_flush_local(range.rank, data->win);
}

const struct hf_transport_ops hf_transport_rma = {
    .name = "rma",
    .about = "MPI-3 passive-target windows",
    .cite = "MPI: A Message-Passing Interface Standard, version 3.1, chapter 11",
    .data_bytes = sizeof(struct rma),
    .open = open_rma,
    .close = close_rma,
    .poke = poke,
    .window_bytes = sizeof(struct rma_window),
    .window_create = window_create,
    .window_destroy = window_destroy,
    .begin_get = begin_get,
    .end_get = end_get,
    .accumulate = accumulate,
    .fence = fence,
};
