/* What both halves of the transformation share; see local_transform.h. */
#include "local_transform.h"

#include "base/growing.h"
#include "pairs/common_pairs.h"
#include "text/trace.h"

#include <math.h>

const struct hf_phase hf_phase_local_transform = {.name = "Local MP2: transformation"};
const struct hf_phase hf_phase_local_exchange = {.name = "Local MP2: exchange"};
const struct hf_phase hf_phase_local_finish = {.name = "Local MP2: last quarters"};
const struct hf_phase hf_phase_local_wait_tasks = {.name = "Local MP2: waiting for tasks"};

/* ---- Places of orbitals ---------------------------------------------------------------------- */

/** Mean of the centres, and the direction in which they differ most (by power iteration). */
static void find_axis(const struct hf_localised *localised, double mean[3], double axis[3])
{
    enum { MOST_STEPS = 50 };
    double spread[3][3] = {{0}};
    for (int x = 0; x < 3; x++) mean[x] = 0.0;
    for (int i = 0; i < localised->n; i++)
        for (int x = 0; x < 3; x++) mean[x] += localised->orbital[i].centre[x] / localised->n;
    for (int i = 0; i < localised->n; i++)
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++)
                spread[x][y] += (localised->orbital[i].centre[x] - mean[x]) *
                                (localised->orbital[i].centre[y] - mean[y]);
    for (int x = 0; x < 3; x++) axis[x] = 1.0 + 0.1 * x;
    for (int step = 0; step < MOST_STEPS; step++) {
        double next[3], norm = 0.0;
        for (int x = 0; x < 3; x++) {
            next[x] = spread[x][0] * axis[0] + spread[x][1] * axis[1] + spread[x][2] * axis[2];
            norm += next[x] * next[x];
        }
        if (norm < 1e-20) return;
        for (int x = 0; x < 3; x++) axis[x] = next[x] / sqrt(norm);
    }
}

/** self->place. The centres are the same bits on every rank. */
static void make_places(struct hf_local_integrals *self)
{
    const struct hf_localised *localised = &self->local->localised;
    const int n = self->local->n_orbital;
    double mean[3], axis[3];
    struct hf_ranked *along = HF_TAKE(&self->arena, along, (size_t)n);
    HF_TAKE(&self->arena, self->place, (size_t)n);
    HF_TAKE(&self->arena, self->orbital_at, (size_t)n);
    if (self->arena.failed) return;
    if (localised->orbital != NULL) find_axis(localised, mean, axis);
    for (int i = 0; i < n; i++) {
        along[i].number = i;
        for (int x = 0; x < 3 && localised->orbital != NULL; x++)
            along[i].value -= axis[x] * (localised->orbital[i].centre[x] - mean[x]);
    }
    hf_sort_falling(n, along); /* the coordinate rises */
    for (int k = 0; k < n; k++) {
        self->orbital_at[k] = (int)along[k].number;
        self->place[along[k].number] = k;
    }
}

/* ---- Integrals ------------------------------------------------------------------------------- */

hf_status hf_local_integrals_init(struct hf_local_integrals *self, const struct hf_local *local,
                                  struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = local->context;
    struct hf_common_pairs *common = local->settings->pairs;
    *self = (struct hf_local_integrals){
        .local = local,
        .arena = {.memory = context->memory, .label = "weights of shells"},
        .multiply = hf_product_kernel()};
    const struct hf_trace_span span = hf_trace_begin_span(context->trace);
    hf_timer_start(&context->timers, &hf_phase_setup);
    if (common == NULL) {
        HF_TRY(hf_common_pairs_create(context, local->basis, INFINITY, &self->own_pairs, error));
        common = self->own_pairs;
    }
    self->merged = hf_common_pairs_merged(common);
    status = hf_sparse_mix(self->merged, local->orbitals, &self->orbitals, error);
    if (status == HF_OK) status = hf_sparse_mix(self->merged, local->paos, &self->paos, error);
    make_places(self);
    if (status == HF_OK) status = hf_arena_check(&self->arena, error);
    HF_TRY(hf_agree(context->comm, status, error));
    const struct hf_trace_span of_pairs = hf_trace_begin_span(context->trace);
    HF_TRY(hf_common_pairs_get(common, hf_local_pair_accuracy(local->settings), local->n_thread,
                               &self->pairs, error));
    hf_trace_end_span(context->trace, 0, HF_TRACE_COPYING, 0, of_pairs);
    HF_TRY(hf_agree(context->comm, hf_local_make_weights(self, error), error));
    hf_trace_end_span(context->trace, 0, HF_TRACE_STEP, 0, span);
cleanup:
    hf_timer_stop(&context->timers, &hf_phase_setup);
    return status;
}

void hf_local_integrals_done(struct hf_local_integrals *self)
{
    hf_sparse_destroy(&self->orbitals);
    hf_sparse_destroy(&self->paos);
    hf_common_pairs_destroy(&self->own_pairs);
    hf_arena_done(&self->arena);
}

/* ---- Work ------------------------------------------------------------------------------------ */

/** What a round is given. */
struct round_data {
    struct hf_pass_data pass; /**< first, for hf_run_pass */
    const struct hf_local_integrals *integrals;
};

/** hf_round.factor: the largest product of X of two pairs of atoms for orbitals that have a pair. */
static double factor_of_atoms(const void *data, const struct hf_atom_pair *bra,
                              const struct hf_atom_pair *ket)
{
    const struct hf_local_integrals *self = ((const struct round_data *)data)->integrals;
    const struct hf_local_weights *reach = &self->reach, *of_atoms = &self->of_atoms;
    const int64_t x = bra - self->pairs->atom_pair, y = ket - self->pairs->atom_pair;
    int64_t i = reach->first[x], k = of_atoms->first[y];
    const int64_t i_end = reach->first[x + 1], k_end = of_atoms->first[y + 1];
    double largest = 0.0;
    while (i < i_end && k < k_end) {
        const int left = reach->orbital[i], right = of_atoms->orbital[k];
        if (left == right) largest = fmax(largest, (double)reach->weight[i] * of_atoms->weight[k]);
        i += left <= right;
        k += right <= left;
    }
    return largest;
}

hf_status hf_local_run_pass(const struct hf_local_integrals *self,
                            const struct hf_task_order *order, const struct hf_pass *pass,
                            void *data, struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct hf_work *work = NULL;
    struct round_data round = {{pass, data}, self};
    const struct hf_local_settings *settings = self->local->settings;
    const struct hf_work_settings all = {.schedule = settings->schedule,
                                         .order = *order,
                                         .n_thread = self->local->n_thread,
                                         .phases = {&hf_phase_local_transform,
                                                    &hf_phase_local_wait_tasks,
                                                    &hf_phase_local_wait_tasks}};
    HF_TRY(hf_work_create(self->local->context, self->pairs, &all, &work, error));
    HF_TRY(hf_work_run(work,
                       &(struct hf_round){.threshold = settings->threshold,
                                          .largest = self->largest,
                                          .factor = factor_of_atoms,
                                          .run = hf_run_pass,
                                          .data = &round},
                       error));
    result->n_quartet += (double)hf_work_account(work).n_computed;
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    return status;
}
