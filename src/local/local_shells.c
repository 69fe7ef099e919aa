/* The transformation "shells"; see local_shells.h. */
#include "local_shells.h"

#include "hf/interruption.h"

#include <math.h>
#include <stdlib.h>

/** Frees lists of blocks [n], and the array. */
static void lists_done(int n, struct hf_local_blocks *list)
{
    for (int t = 0; t < n && list != NULL; t++) hf_local_blocks_done(&list[t]);
    free(list);
}

static hf_status transform(const struct hf_local *local, double k[], struct hf_local_result *result,
                           struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = local->context;
    struct hf_local_integrals integrals = {0};
    const struct hf_local_blocks empty = {.memory = context->memory, .label = "integrals (iM|jN)"};
    struct hf_local_blocks all = empty;
    struct hf_local_blocks *of_thread = calloc((size_t)local->n_thread, sizeof *of_thread);
    double bytes = 0.0;
    for (int t = 0; t < local->n_thread && of_thread != NULL; t++) of_thread[t] = empty;
    status = of_thread != NULL ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_local_integrals_init(&integrals, local, false, error));
    HF_TRY(hf_local_shells_first(&integrals, of_thread, result, error));
    for (int t = 0; t < local->n_thread; t++) bytes += of_thread[t].bytes;
    hf_timer_start(&context->timers, &hf_phase_local_exchange);
    status = hf_local_blocks_redistribute(local, local->n_thread, of_thread, &all,
                                          &result->sent_bytes, error);
    hf_timer_stop(&context->timers, &hf_phase_local_exchange);
    if (status != HF_OK) goto cleanup;
    result->bytes += fmax(bytes, all.bytes);
    hf_timer_start(&context->timers, &hf_phase_local_finish);
    status = hf_local_shells_second(&integrals, &all, k, error);
    hf_timer_stop(&context->timers, &hf_phase_local_finish);
    HF_TRY(hf_agree_to_go_on(context, status, error));
cleanup:
    lists_done(local->n_thread, of_thread);
    hf_local_blocks_done(&all);
    hf_local_integrals_done(&integrals);
    return status;
}

const struct hf_local_transform_ops hf_local_of_shells = {
    .name = "shells",
    .about = "two shells of different electrons at a time; (iM|jN) sent to the owners of pairs",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), Fig. "
            "10.2",
    .transform = transform,
};
