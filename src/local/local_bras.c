/* The transformation of local MP2; see local_bras.h. */
#include "local_bras.h"

#include "hf/interruption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What the steps pass on. */
struct transformation {
    const struct hf_local *local;
    struct hf_local_integrals integrals;
    struct hf_local_finishing finishing;
    struct hf_local_blocks *of_thread; /**< [n_thread] (ia|rs) */
    struct hf_local_blocks half;       /**< (ia|rs) of this rank's pairs */
    struct hf_local_blocks *finished;  /**< [n_thread] K */
    struct hf_local_blocks own;        /**< K of this rank's pairs */
};

static struct hf_local_blocks *make_lists(const struct hf_local *local, const char *label)
{
    struct hf_local_blocks *list = calloc((size_t)local->n_thread, sizeof *list);
    for (int t = 0; t < local->n_thread && list != NULL; t++)
        list[t] = (struct hf_local_blocks){.memory = local->context->memory, .label = label};
    return list;
}

static void lists_done(int n, struct hf_local_blocks *list)
{
    for (int t = 0; t < n && list != NULL; t++) hf_local_blocks_done(&list[t]);
    free(list);
}

static struct hf_local_ranks finished_by(const void *data, const struct hf_local_block *block)
{
    const struct hf_local_finishing *finishing = data;
    return finishing->ranks[block->pair];
}

static double bytes_of(int n, const struct hf_local_blocks *list)
{
    double sum = 0.0;
    for (int t = 0; t < n; t++) sum += list[t].bytes;
    return sum;
}

/** First half and exchange. Collective. */
static hf_status do_first_half(struct transformation *self, struct hf_local_result *result,
                               double *bytes, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = self->local->context;
    HF_TRY(hf_local_bras_first(&self->integrals, self->of_thread, result, error));
    *bytes = bytes_of(self->local->n_thread, self->of_thread);
    hf_timer_start(&context->timers, &hf_phase_local_exchange);
    status = hf_local_blocks_exchange(context, finished_by, &self->finishing, self->local->n_thread,
                                      self->of_thread, &self->half, &result->sent_bytes, error);
    hf_timer_stop(&context->timers, &hf_phase_local_exchange);
    *bytes = fmax(*bytes, self->half.bytes);
cleanup:
    return status;
}

/** Second half, and K to the owners of the pairs. Collective. */
static hf_status do_second_half(struct transformation *self, struct hf_local_result *result,
                                double *bytes, double k[], struct hf_error *error)
{
    hf_status status;
    const struct hf_local *local = self->local;
    struct hf_context *context = local->context;
    hf_timer_start(&context->timers, &hf_phase_local_finish);
    status = hf_local_bras_second(&self->integrals, &self->finishing, &self->half, self->finished,
                                  error);
    hf_timer_stop(&context->timers, &hf_phase_local_finish);
    HF_TRY(hf_agree_to_go_on(context, status, error));
    *bytes = fmax(*bytes, self->half.bytes + bytes_of(local->n_thread, self->finished));
    hf_local_blocks_done(&self->half);
    hf_timer_start(&context->timers, &hf_phase_local_exchange);
    status = hf_local_blocks_redistribute(local, local->n_thread, self->finished, &self->own,
                                          &result->sent_bytes, error);
    hf_timer_stop(&context->timers, &hf_phase_local_exchange);
    if (status != HF_OK) goto cleanup;
    memset(k, 0, local->n_number * sizeof *k);
    for (size_t b = 0; b < self->own.n_block; b++) {
        const struct hf_local_block *block = &self->own.block[b];
        memcpy(k + local->pair[block->pair].offset, block->value, (size_t)block->n * sizeof *k);
    }
cleanup:
    return status;
}

hf_status hf_local_transform(const struct hf_local *local, double k[],
                             struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct hf_memory *memory = local->context->memory;
    struct transformation self = {.local = local,
                                  .half = {.memory = memory, .label = "integrals (ia|rs)"},
                                  .own = {.memory = memory, .label = "integrals (ia|jb)"}};
    double bytes = 0.0;
    self.of_thread = make_lists(local, "integrals (ia|rs)");
    self.finished = make_lists(local, "integrals (ia|jb)");
    HF_TRY(hf_local_integrals_init(&self.integrals, local, error));
    const bool ok = self.of_thread != NULL && self.finished != NULL &&
                    hf_local_finishing_init(&self.integrals, &self.finishing);
    status = ok ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory for the transformation");
    HF_TRY(hf_agree(local->context->comm, status, error));
    HF_TRY(do_first_half(&self, result, &bytes, error));
    HF_TRY(do_second_half(&self, result, &bytes, k, error));
    result->bytes += bytes;
cleanup:
    lists_done(local->n_thread, self.of_thread);
    lists_done(local->n_thread, self.finished);
    hf_local_blocks_done(&self.half);
    hf_local_blocks_done(&self.own);
    hf_local_finishing_done(&self.finishing);
    hf_local_integrals_done(&self.integrals);
    return status;
}
