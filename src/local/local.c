/* The parts of a local MP2 calculation, one after another. */
#include "local_mp2_private.h"

const struct hf_phase hf_phase_local_domains = {.name = "Local MP2: domains and pairs"};

/** Orbitals. Collective. */
static hf_status localise(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                          struct hf_error *error)
{
    const struct hf_localise_settings settings = {
        .kind = local->settings->localise,
        .n_frozen = local->settings->n_frozen,
        .n_thread = local->n_thread,
        .threshold = local->settings->sparse,
    };
    HF_CHECK(hf_localise(local->context, wavefunction, &settings, &local->localised, error));
    local->n_orbital = local->localised.n;
    local->orbitals = local->localised.coefficient;
    if (local->n_orbital == 0)
        return hf_fail(error, HF_BAD_INPUT, "no orbital is left to correlate");
    return HF_OK;
}

hf_status hf_local_create(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                          const struct hf_local_settings *settings, struct hf_local **local,
                          struct hf_error *error)
{
    hf_status status = HF_OK;
    bool timed = false;
    struct hf_trace_span span = hf_trace_begin_span(context->trace);
    const int n_blas_thread = hf_linalg_blas_threads();
    struct hf_local own = {
        .context = context,
        .settings = settings,
        .arena = {.memory = context->memory, .label = "pairs of orbitals and their domains"},
        .vectors = {.memory = context->memory,
                    .kind = HF_MEMORY_MATRIX,
                    .label = "orbitals of domains"},
        .basis = wavefunction->basis,
        .molecule = wavefunction->molecule,
        .n_thread = settings->n_thread > 1 ? settings->n_thread : 1};
    struct hf_local *self = *local = HF_TAKE(&own.arena, self, 1);
    if (self != NULL) *self = own;
    HF_TRY(hf_agree(context->comm, hf_arena_check(&own.arena, error), error));
    HF_TRY(localise(self, wavefunction, error));
    hf_trace_end_span(context->trace, 0, HF_TRACE_STEP, 0, span);
    hf_trace_begin_batch(context->trace);
    span = hf_trace_begin_span(context->trace);
    hf_timer_start(&context->timers, &hf_phase_local_domains);
    timed = true;
    HF_TRY(hf_local_make_paos(self, wavefunction, error));
    hf_linalg_set_blas_threads(1); /* small matrices */
    HF_TRY(hf_local_make_domains(self, wavefunction, error));
    HF_TRY(hf_local_make_pairs(self, error));
    HF_TRY(hf_local_make_vectors(self, error));
    hf_linalg_set_blas_threads(n_blas_thread);
    HF_TRY(hf_local_add_distant(self, wavefunction, error));
    hf_trace_end_span(context->trace, 0, HF_TRACE_STEP, 0, span);
cleanup:
    hf_linalg_set_blas_threads(n_blas_thread);
    if (timed) hf_timer_stop(&context->timers, &hf_phase_local_domains);
    if (status != HF_OK) hf_local_destroy(local);
    return status;
}

void hf_local_destroy(struct hf_local **local)
{
    struct hf_local *old = *local;
    if (old == NULL) return;
    hf_localised_done(&old->localised);
    hf_sparse_destroy(&old->paos);
    hf_sparse_destroy(&old->overlap);
    hf_sparse_destroy(&old->fock);
    hf_sparse_destroy(&old->fock_occupied);
    hf_arena_done(&old->vectors);
    hf_arena_done(&old->arena);
    *local = NULL;
}
