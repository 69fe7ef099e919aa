/* What both halves of the transformation share; see local_transform.h. */
#include "local_transform.h"

#include "pairs/common_pairs.h"
#include "text/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct hf_phase hf_phase_local_transform = {.name = "Local MP2: transformation"};
const struct hf_phase hf_phase_local_exchange = {.name = "Local MP2: exchange"};
const struct hf_phase hf_phase_local_finish = {.name = "Local MP2: last quarters"};
const struct hf_phase hf_phase_local_wait_tasks = {.name = "Local MP2: waiting for tasks"};

/* ---- Places of orbitals ---------------------------------------------------------------------- */

/** An orbital and its coordinate along an axis. */
struct along {
    double x;
    int orbital;
};

static int by_coordinate(const void *left, const void *right)
{
    const struct along *one = left, *other = right;
    if (one->x != other->x) return one->x < other->x ? -1 : 1;
    return (one->orbital > other->orbital) - (one->orbital < other->orbital);
}

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
static hf_status make_places(struct hf_local_integrals *self, struct hf_error *error)
{
    const struct hf_localised *localised = &self->local->localised;
    const int n = self->local->n_orbital;
    double mean[3], axis[3];
    struct along *along = calloc((size_t)n + 1, sizeof *along);
    HF_TAKE(&self->arena, self->place, (size_t)n);
    HF_TAKE(&self->arena, self->orbital_at, (size_t)n);
    if (along == NULL || self->place == NULL || self->orbital_at == NULL) {
        free(along);
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for places of orbitals");
    }
    if (localised->orbital != NULL) find_axis(localised, mean, axis);
    for (int i = 0; i < n; i++) {
        along[i].orbital = i;
        for (int x = 0; x < 3 && localised->orbital != NULL; x++)
            along[i].x += axis[x] * (localised->orbital[i].centre[x] - mean[x]);
    }
    qsort(along, (size_t)n, sizeof *along, by_coordinate);
    for (int k = 0; k < n; k++) {
        self->orbital_at[k] = along[k].orbital;
        self->place[along[k].orbital] = k;
    }
    free(along);
    return HF_OK;
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
    const double start = hf_wall_seconds(), begun = hf_thread_seconds();
    hf_timer_start(&context->timers, &hf_phase_setup);
    if (common == NULL) {
        HF_TRY(hf_common_pairs_create(context, local->basis, INFINITY, &self->own_pairs, error));
        common = self->own_pairs;
    }
    self->merged = hf_common_pairs_merged(common);
    status = hf_sparse_mix(self->merged, local->orbitals, &self->orbitals, error);
    if (status == HF_OK) status = hf_sparse_mix(self->merged, local->paos, &self->paos, error);
    if (status == HF_OK) status = make_places(self, error);
    HF_TRY(hf_agree(context->comm, status, error));
    const double pairs_start = hf_wall_seconds(), pairs_begun = hf_thread_seconds();
    HF_TRY(hf_common_pairs_get(common, hf_local_pair_accuracy(local->settings), local->n_thread,
                               &self->pairs, error));
    hf_trace_add(context->trace, 0, HF_TRACE_COPYING, 0, pairs_start,
                 hf_thread_seconds() - pairs_begun);
    HF_TRY(hf_agree(context->comm, hf_local_make_weights(self, error), error));
    hf_trace_add(context->trace, 0, HF_TRACE_STEP, 0, start, hf_thread_seconds() - begun);
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
    const struct hf_local_integrals *integrals;
    const struct hf_pass *pass;
    void *data;
};

/** hf_round.run */
static hf_status run_thread(void *data, struct hf_worker *worker, struct hf_error *error)
{
    const struct round_data *round = data;
    return hf_work_do_pass(worker, round->pass, round->data, error);
}

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
    struct round_data round = {self, pass, data};
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
                                          .run = run_thread,
                                          .data = &round},
                       error));
    result->n_quartet += (double)hf_work_account(work).n_computed;
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    return status;
}

/* ---- Functions of some shells ---------------------------------------------------------------- */

void hf_local_functions_clear(const struct hf_basis *basis, struct hf_local_functions *functions)
{
    for (int s = 0; s < basis->n_shell; s++) functions->number[s] = -1;
    functions->n = 0;
}

void hf_local_functions_count(const struct hf_basis *basis, struct hf_local_functions *functions)
{
    functions->n = 0;
    for (int s = 0; s < basis->n_shell; s++) {
        if (functions->number[s] < 0) continue;
        functions->number[s] = functions->n;
        functions->n += basis->shell[s].n_function;
    }
}

double *hf_local_gather_paos(const struct hf_local_integrals *integrals,
                             const struct hf_local_functions *functions,
                             const struct hf_local_domain *domain, size_t step,
                             struct hf_scratch *to)
{
    const struct hf_sparse_matrix *paos = integrals->paos;
    const struct hf_basis *basis = integrals->merged;
    double *value = hf_scratch_reserve(to, (size_t)functions->n * step);
    if (value == NULL) return NULL;
    memset(value, 0, (size_t)functions->n * step * sizeof *value);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        if (functions->number[s] < 0) continue;
        double *column = value + (size_t)functions->number[s] * step;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int part = domain->atoms.part[a];
            const size_t n = (size_t)(paos->column_first[part + 1] - paos->column_first[part]);
            const double *from = hf_sparse_find(paos, shell->atom, part);
            if (from != NULL)
                from += (size_t)(shell->first_function - paos->row_first[shell->atom]) * n;
            for (int f = 0; f < shell->n_function && from != NULL; f++, from += n)
                memcpy(column + (size_t)f * step, from, n * sizeof *from);
            column += n;
        }
    }
    return value;
}
