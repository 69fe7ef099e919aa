/* The transformation of local MP2; see local_bras.h. */
#include "local_bras.h"

#include "hf/interruption.h"

#include <math.h>
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
    struct hf_local_result *result;
    double bytes; /**< the most so far */
};

/* ---- Which rank finishes which pair ---------------------------------------------------------- */

/** Numbers of all T and K of a pair, about. */
static double cost_of(const struct hf_local *local, int pair)
{
    return hf_local_outer_domain(local, &local->pair[pair])->n_function;
}

/** Local, the same on all ranks. With arrays of the integrals' arena, which may fail. */
static void make_finishing(struct hf_local_integrals *integrals,
                           struct hf_local_finishing *finishing)
{
    const struct hf_local *local = integrals->local;
    const int n = local->n_orbital, n_rank = local->context->n_rank;
    double total = 0.0, sum = 0.0;
    HF_TAKE(&integrals->arena, finishing->of_pair, (size_t)local->n_pair);
    HF_TAKE(&integrals->arena, finishing->ranks, (size_t)n);
    for (int p = 0; p < local->n_pair; p++) total += cost_of(local, p);
    for (int place = 0; place < n && !integrals->arena.failed; place++) {
        const int i = integrals->orbital_at[place];
        int last = -1;
        for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
            const int pair = local->partner[k].pair;
            if (!hf_local_in_order(integrals, i, local->partner[k].orbital)) continue;
            const double share = (sum + 0.5 * cost_of(local, pair)) / total * n_rank;
            const int rank = share < n_rank ? (int)share : n_rank - 1;
            sum += cost_of(local, pair);
            finishing->of_pair[pair] = rank;
            if (last < 0) finishing->ranks[i].first = rank;
            last = rank;
        }
        finishing->ranks[i].last = last;
    }
}

static struct hf_local_ranks finished_by(const void *data, const struct hf_local_block *block)
{
    const struct hf_local_finishing *finishing = data;
    return finishing->ranks[block->pair];
}

/* ---- All ------------------------------------------------------------------------------------- */

static struct hf_local_blocks no_blocks(const struct hf_local *local, const char *label)
{
    return (struct hf_local_blocks){
        .arena = {.memory = local->context->memory, .kind = HF_MEMORY_STORED, .label = label}};
}

/** A list for each thread; they end with the integrals' arena. */
static struct hf_local_blocks *make_lists(struct transformation *self, const char *label)
{
    const int n = self->local->n_thread;
    struct hf_local_blocks *list = HF_TAKE(&self->integrals.arena, list, (size_t)n);
    for (int t = 0; t < n && list != NULL; t++) list[t] = no_blocks(self->local, label);
    return list;
}

static void lists_done(int n, struct hf_local_blocks *list)
{
    for (int t = 0; t < n && list != NULL; t++) hf_local_blocks_done(&list[t]);
}

/** Counts what the lists have, beside as many bytes. */
static void count_bytes(struct transformation *self, double beside,
                        const struct hf_local_blocks *list)
{
    for (int t = 0; t < self->local->n_thread; t++)
        beside += list[t].bytes + (double)((size_t)list[t].n_room * sizeof *list[t].block);
    self->bytes = fmax(self->bytes, beside);
}

/** The lists of the threads to the ranks that need them. Collective. */
static hf_status exchange(struct transformation *self, hf_local_needed_by *needed_by,
                          const void *data, struct hf_local_blocks from[],
                          struct hf_local_blocks *to, struct hf_error *error)
{
    struct hf_context *context = self->local->context;
    hf_timer_start(&context->timers, &hf_phase_local_exchange);
    const hf_status status =
        hf_local_blocks_exchange(context, needed_by, data, self->local->n_thread, from, to,
                                 &self->result->sent_bytes, error);
    hf_timer_stop(&context->timers, &hf_phase_local_exchange);
    return status;
}

/** Second half, and K to the owners of the pairs. Collective. */
static hf_status do_second_half(struct transformation *self, double k[], struct hf_error *error)
{
    hf_status status;
    const struct hf_local *local = self->local;
    struct hf_context *context = local->context;
    hf_timer_start(&context->timers, &hf_phase_local_finish);
    status = hf_local_bras_second(&self->integrals, &self->finishing, &self->half, self->finished,
                                  error);
    hf_timer_stop(&context->timers, &hf_phase_local_finish);
    HF_CHECK(hf_agree_to_go_on(context, status, error));
    count_bytes(self, self->half.bytes, self->finished);
    hf_local_blocks_done(&self->half);
    HF_CHECK(exchange(self, hf_local_owner_of_pair, local, self->finished, &self->own, error));
    memset(k, 0, local->n_integral * sizeof *k);
    for (size_t b = 0; b < self->own.n_block; b++) {
        const struct hf_local_block *block = &self->own.block[b];
        memcpy(k + local->pair[block->pair].outer_offset, block->value,
               (size_t)block->n * sizeof *k);
    }
    return HF_OK;
}

hf_status hf_local_transform(const struct hf_local *local, double k[],
                             struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct transformation self = {.local = local,
                                  .half = no_blocks(local, "integrals (ia|rs)"),
                                  .own = no_blocks(local, "integrals (ia|jb)"),
                                  .result = result};
    HF_TRY(hf_local_integrals_init(&self.integrals, local, error));
    self.of_thread = make_lists(&self, "integrals (ia|rs)");
    self.finished = make_lists(&self, "integrals (ia|jb)");
    make_finishing(&self.integrals, &self.finishing);
    HF_TRY(hf_agree(local->context->comm, hf_arena_check(&self.integrals.arena, error), error));
    HF_TRY(hf_local_bras_first(&self.integrals, self.of_thread, result, error));
    count_bytes(&self, 0.0, self.of_thread);
    HF_TRY(exchange(&self, finished_by, &self.finishing, self.of_thread, &self.half, error));
    self.bytes = fmax(self.bytes, self.half.bytes);
    HF_TRY(do_second_half(&self, k, error));
    result->bytes += self.bytes;
cleanup:
    lists_done(local->n_thread, self.of_thread);
    lists_done(local->n_thread, self.finished);
    hf_local_blocks_done(&self.half);
    hf_local_blocks_done(&self.own);
    hf_local_integrals_done(&self.integrals);
    return status;
}
