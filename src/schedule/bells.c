/* Counters in the memory of a node; see bells.h. */
#include "bells.h"

#include "base/node_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

/** The bell of one rank; only that rank reads it. It has its own cache line. */
struct bell {
    _Alignas(64) atomic_llong n_rung;
};

struct hf_bells {
    struct hf_context *context, *own; /**< `own`: created for the bells, or NULL */
    struct hf_node_memory *memory;
};

hf_status hf_bells_create(MPI_Comm comm, struct hf_context *context, struct hf_bells **bells,
                          struct hf_error *error)
{
    struct hf_bells *made = calloc(1, sizeof *made);
    hf_status status = made != NULL ? HF_OK : HF_NO_RESOURCE;
    HF_TRY(hf_agree(comm, status, NULL)); /* what follows is collective */
    if (context == NULL) HF_TRY(hf_context_create(comm, &made->own, NULL));
    made->context = context != NULL ? context : made->own;
    HF_TRY(hf_node_memory_create(made->context, HF_MEMORY_OTHER, "bells",
                                 (size_t)made->context->n_node_rank * sizeof(struct bell),
                                 &made->memory, NULL));
    *bells = made;
    return HF_OK;
cleanup:
    hf_bells_destroy(&made);
    return hf_fail(error, status, "out of memory for the scheduler");
}

void hf_bells_destroy(struct hf_bells **bells)
{
    struct hf_bells *old = *bells;
    if (old != NULL) {
        hf_node_memory_destroy(&old->memory);
        hf_context_destroy(&old->own);
        free(old);
    }
    *bells = NULL;
}

const int *hf_bells_neighbours(const struct hf_bells *bells, int *n)
{
    *n = bells->context->n_node_rank;
    return bells->context->neighbour;
}

bool hf_bells_work(const struct hf_bells *bells)
{
    return !bells->memory->refused;
}

void hf_bells_ring(struct hf_bells *bells, int neighbour)
{
    struct bell *bell = bells->memory->data;
    if (hf_bells_work(bells))
        atomic_fetch_add_explicit(&bell[neighbour].n_rung, 1, memory_order_release);
}

long long hf_bells_heard(const struct hf_bells *bells)
{
    const struct bell *bell = bells->memory->data;
    if (!hf_bells_work(bells)) return 0;
    return atomic_load_explicit(&bell[bells->memory->rank].n_rung, memory_order_acquire);
}
