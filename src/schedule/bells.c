/* Counters in the memory of a node; see bells.h. */
#include "bells.h"

#include <stdatomic.h>

/** The bell of one rank; only that rank reads it. It has its own cache line. */
struct bell {
    _Alignas(64) atomic_llong n_rung;
};

hf_status hf_bells_init(MPI_Comm comm, struct hf_context *context, struct hf_bells *bells,
                        struct hf_error *error)
{
    if (context == NULL) HF_CHECK(hf_context_create(comm, &bells->own, error));
    bells->context = context != NULL ? context : bells->own;
    return hf_node_memory_create(bells->context, HF_MEMORY_OTHER, "bells of the scheduler",
                                 (size_t)bells->context->n_node_rank * sizeof(struct bell),
                                 &bells->memory, error);
}

void hf_bells_done(struct hf_bells *bells)
{
    hf_node_memory_destroy(&bells->memory);
    hf_context_destroy(&bells->own);
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
