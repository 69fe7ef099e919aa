/* The amplitudes of local MP2 (Fig. 10.3): residuals of own pairs, updates, extrapolation, and the exchange. */
#include "local_iterate.h"

#include "base/arithmetic.h"
#include "hf/interruption.h"
#include "work/pass.h"

#include <math.h>

const struct hf_phase hf_phase_local_iterate = {.name = "Local MP2: iterations"};
const struct hf_phase hf_phase_local_wait = {.name = "Local MP2: waiting for amplitudes"};

/** Terms are left out that are so much smaller than amplitudes have to be. */
static const double NEGLIGIBLE = 1e-2;

/** What is known of each pair after an iteration; the sum over all ranks. */
struct pair_state {
    double norm; /**< |t + dt|^2 */
    double direct, exchange;
    double largest; /**< |dt| */
    double dot[HF_LOCAL_HISTORY];
};

struct iteration;
/** What is done with this rank's pair q. */
typedef hf_status pair_work(struct iteration *self, int q, struct hf_local_room *room,
                            struct hf_error *error);

struct iteration {
    const struct hf_local *local; /**< borrowed */
    const double *k;              /**< borrowed */
    struct hf_arena arena;        /**< of all arrays but those of threads */
    size_t n_number;              /**< of t of this rank */
    size_t *offset;               /**< [n_own] t of each pair of this rank */
    double *t;                    /**< [n_number] */
    struct pair_state *state;     /**< [n_pair] */
    double *norm;                 /**< [n_pair] |t| */
    struct hf_local_amplitudes amplitudes;
    struct hf_local_terms terms;
    struct hf_local_diis diis;
    struct hf_local_room *room; /**< [n_thread] */
    double energy;
    int n_iteration; /**< that are over */
    /* of the loop that runs */
    const double *const *where;
    double coefficient[HF_LOCAL_HISTORY];
    pair_work *work;
    int begin; /**< its first pair */
};

/* ---- One pair ------------------------------------------------------------------------------------ */

static size_t size_of(const struct iteration *self, int q)
{
    const struct hf_local *local = self->local;
    const size_t m = (size_t)hf_local_pair_domain(local, &local->pair[local->own[q]])->n_kept;
    return m * m;
}

/** t of first order, as if orbitals were canonical. */
static hf_status begin_pair(struct iteration *self, int q, struct hf_local_room *room,
                            struct hf_error *error)
{
    const struct hf_local *local = self->local;
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
    struct pair_state *state = &self->state[local->own[q]];
    const size_t n = size_of(self, q);
    double *t = self->t + self->offset[q], *r = self->diis.step[0] + self->offset[q];
    const struct hf_local_state now = {
        .domain = domain,
        .k = hf_local_own_integrals(local, pair, self->k + pair->outer_offset, room),
        .t = t};
    if (now.k == NULL) return hf_arena_check(&room->arena, error);
    hf_local_residual(local, q, &now, t, room); /* r is K as long as t is zero */
    memcpy(r, t, n * sizeof *r);
    hf_local_divide(local, pair, domain, t);
    const struct hf_local_sums sums = hf_local_sums_of((size_t)domain->n_kept, t, r);
    state->norm = hf_dot(n, t, t);
    state->direct = sums.direct;
    state->exchange = sums.exchange;
    hf_local_back(local, q, t, self->amplitudes.own + pair->offset, room);
    return HF_OK;
}

/** Sums of X = K + R: K between PAOs with T, and r with t. */
static void set_sums(const struct iteration *self, int q, const struct hf_local_state *now,
                     const double *r)
{
    const struct hf_local_domain *domain = now->domain;
    struct pair_state *state = &self->state[self->local->own[q]];
    const struct hf_local_sums of_k = hf_local_sums_of((size_t)domain->n_function,
                                                       now->where[self->local->own[q]], now->k),
                               of_r = hf_local_sums_of((size_t)domain->n_kept, now->t, r);
    state->direct = of_k.direct + of_r.direct;
    state->exchange = of_k.exchange + of_r.exchange;
}

/** r, dt and what follows from them. */
static hf_status advance_pair(struct iteration *self, int q, struct hf_local_room *room,
                              struct hf_error *error)
{
    const struct hf_local *local = self->local;
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
    struct pair_state *state = &self->state[local->own[q]];
    const size_t n = size_of(self, q), offset = self->offset[q];
    const double *t = self->t + offset;
    double *step = self->diis.step[self->diis.newest] + offset,
           *trial = self->diis.trial[self->diis.newest] + offset;
    const struct hf_local_state now = {
        domain, hf_local_own_integrals(local, pair, self->k + pair->outer_offset, room), t,
        &self->terms, self->where};
    if (now.k == NULL) return hf_arena_check(&room->arena, error);
    hf_local_residual(local, q, &now, step, room);
    set_sums(self, q, &now, step);
    hf_local_divide(local, pair, domain, step);
    for (size_t p = 0; p < n; p++) {
        trial[p] = t[p] + step[p];
        if (!(fabs(step[p]) <= state->largest)) state->largest = fabs(step[p]);
    }
    state->norm = hf_dot(n, trial, trial);
    for (int h = 0; h < HF_LOCAL_HISTORY; h++)
        if (self->diis.trial[h] != NULL)
            state->dot[h] = hf_dot(n, step, self->diis.step[h] + offset);
    return HF_OK;
}

/** Sums of the correction of the pair; 0 if it has no larger domain. */
static hf_status correct_pair(struct iteration *self, int q, struct hf_local_room *room,
                              struct hf_error *error)
{
    const struct hf_local_pair *pair = &self->local->pair[self->local->own[q]];
    struct pair_state *state = &self->state[self->local->own[q]];
    const struct hf_local_state now = {.domain = hf_local_outer_domain(self->local, pair),
                                       .k = self->k + pair->outer_offset,
                                       .terms = &self->terms,
                                       .where = self->where};
    if (pair->outer == pair->domain) return HF_OK;
    const struct hf_local_sums sums = hf_local_correct(self->local, q, now, room);
    state->direct = sums.direct;
    state->exchange = sums.exchange;
    (void)error;
    return HF_OK;
}

/** The next t, and T for all. */
static hf_status end_pair(struct iteration *self, int q, struct hf_local_room *room,
                          struct hf_error *error)
{
    const size_t n = size_of(self, q), offset = self->offset[q];
    double *t = self->t + offset;
    memset(t, 0, n * sizeof *t);
    for (int h = 0; h < HF_LOCAL_HISTORY; h++) {
        const double factor = self->coefficient[h];
        if (factor == 0.0) continue;
        const double *trial = self->diis.trial[h] + offset;
        for (size_t p = 0; p < n; p++) t[p] += factor * trial[p];
    }
    hf_local_back(self->local, q, t,
                  self->amplitudes.own + self->local->pair[self->local->own[q]].offset, room);
    (void)error;
    return HF_OK;
}

/* ---- All pairs of this rank ---------------------------------------------------------------------- */

/** hf_pass.item. Thread 0 alone is in MPI. */
static hf_status do_pair(void *own, struct hf_pass_thread *thread, int64_t item,
                         struct hf_error *error)
{
    struct iteration *self = thread->data;
    struct hf_context *context = self->local->context;
    struct hf_local_room *room = &self->room[thread->number];
    const int q = self->begin + (int)item;
    (void)own;
    const struct hf_trace_span span = hf_trace_begin_span(context->trace);
    const hf_status status = self->work(self, q, room, error);
    hf_trace_end_span(context->trace, thread->number,
                      self->work != end_pair && self->work != begin_pair ? HF_TRACE_TASK
                                                                         : HF_TRACE_PAIR_TASK,
                      self->local->own[q], span);
    if (thread->number == 0) {
        hf_interruption_set_fraction(context->interruption, (double)q / self->local->n_own);
        if (self->amplitudes.onesided != NULL) hf_onesided_poke(self->amplitudes.onesided);
    }
    return status == HF_OK && room->failed ? hf_arena_check(&room->arena, error) : status;
}

/** Threads share the pairs begin .. end-1. Local. HF_NO_RESOURCE; an interruption is found by hf_agree_to_go_on. */
static hf_status share_pairs(struct iteration *self, int begin, int end, pair_work *work,
                             struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "pairs of local MP2", .item = do_pair};
    struct hf_context *context = self->local->context;
    self->work = work;
    self->begin = begin;
    hf_timer_start(&context->timers, &hf_phase_local_iterate);
    const hf_status status =
        hf_pass_items(context, self->local->n_thread, end - begin, &pass, self, error);
    hf_timer_stop(&context->timers, &hf_phase_local_iterate);
    return status;
}

/** Which T each residual needs: once, for replays. */
static void trace_terms(const struct iteration *self)
{
    const struct hf_local *local = self->local;
    for (int q = 0; local->context->trace != NULL && q < local->n_own; q++)
        for (size_t p = self->terms.begin[q]; p < self->terms.begin[q + 1]; p++) {
            const struct hf_local_pair *pair = &local->pair[self->terms.term[p].pair];
            const double n = hf_local_pair_domain(local, pair)->n_function;
            hf_trace_add_block(local->context->trace, 0, HF_TRACE_BLOCK_K, local->own[q], pair->i,
                               pair->j, n * n * sizeof(double));
        }
}

/** `work` for all pairs, which needs their terms, batch by batch. Local. HF_NO_RESOURCE, HF_INTERRUPTED. */
static hf_status advance(struct iteration *self, pair_work *work, struct hf_error *error)
{
    const struct hf_local *local = self->local;
    struct hf_local_amplitudes *amplitudes = &self->amplitudes;
    const double least = NEGLIGIBLE * local->settings->amplitude_tolerance;
    const struct hf_trace_span span = hf_trace_begin_span(local->context->trace);
    hf_status status = hf_local_terms_make(local, self->norm, least, &self->terms, error);
    if (status == HF_OK) status = hf_local_amplitudes_plan(amplitudes, &self->terms, error);
    hf_trace_end_span(local->context->trace, 0, HF_TRACE_COPYING, 0, span);
    if (status != HF_OK) return status;
    if (self->n_iteration == 0) trace_terms(self);
    if (amplitudes->n_batch > 0) hf_local_amplitudes_begin(amplitudes, &self->terms, 0);
    for (int batch = 0; batch < amplitudes->n_batch; batch++) {
        hf_timer_start(&local->context->timers, &hf_phase_local_wait);
        hf_local_amplitudes_end(amplitudes);
        hf_timer_stop(&local->context->timers, &hf_phase_local_wait);
        if (status != HF_OK) break;
        if (batch + 1 < amplitudes->n_batch)
            hf_local_amplitudes_begin(amplitudes, &self->terms, batch + 1);
        self->where = amplitudes->where[batch % 2];
        status = share_pairs(self, batch > 0 ? amplitudes->batch_end[batch - 1] : 0,
                             amplitudes->batch_end[batch], work, error);
    }
    hf_local_amplitudes_end(amplitudes);
    return status;
}

/* ---- All ranks ----------------------------------------------------------------------------------- */

/** Agrees on the work of all ranks, and gives its results to all. Collective. */
static hf_status gather(struct iteration *self, hf_status status, struct hf_error *error)
{
    const struct hf_local *local = self->local;
    const size_t n_double = sizeof *self->state / sizeof(double);
    hf_timer_start(&local->context->timers, &hf_phase_local_wait);
    status = hf_agree_to_go_on(local->context, status, error);
    if (status == HF_OK)
        hf_sum_over_ranks(local->context->comm, (size_t)local->n_pair * n_double,
                          &self->state[0].norm);
    hf_timer_stop(&local->context->timers, &hf_phase_local_wait);
    for (int p = 0; p < local->n_pair; p++) self->norm[p] = sqrt(self->state[p].norm);
    return status;
}

/** Own pairs become others with `work`, and T goes to all ranks. Collective. */
static hf_status exchange(struct iteration *self, pair_work *work, struct hf_error *error)
{
    hf_status status = share_pairs(self, 0, self->local->n_own, work, error);
    hf_timer_start(&self->local->context->timers, &hf_phase_local_wait);
    status = hf_agree_to_go_on(self->local->context, status, error);
    if (status == HF_OK) hf_local_amplitudes_share(&self->amplitudes);
    hf_timer_stop(&self->local->context->timers, &hf_phase_local_wait);
    return status;
}

/** Energies of pairs from the sums, and how much their sum has changed. */
static void set_energies(struct iteration *self, struct hf_local_result *result)
{
    const struct hf_local *local = self->local;
    double energy = 0.0;
    for (int p = 0; p < local->n_pair; p++) {
        const double factor = local->pair[p].i == local->pair[p].j ? 1.0 : 2.0;
        const struct pair_state *state = &self->state[p];
        result->pair[p].opposite_spin = factor * state->direct;
        result->pair[p].same_spin = factor * (state->direct - state->exchange);
        energy += result->pair[p].opposite_spin + result->pair[p].same_spin;
    }
    result->energy_change = energy - self->energy;
    self->energy = energy;
}

/** One iteration. Collective. */
static hf_status iterate_once(struct iteration *self, struct hf_local_result *result,
                              struct hf_error *error)
{
    hf_status status;
    const struct hf_local *local = self->local;
    double product[HF_LOCAL_HISTORY] = {0.0};
    memset(self->state, 0, (size_t)local->n_pair * sizeof *self->state);
    hf_trace_begin_batch(local->context->trace);
    status = hf_local_diis_next(&self->diis) ? advance(self, advance_pair, error)
                                             : hf_arena_check(&self->arena, error);
    HF_CHECK(gather(self, status, error));
    set_energies(self, result);
    result->amplitude_change = 0.0;
    for (int p = 0; p < local->n_pair; p++) {
        const double factor = local->pair[p].i == local->pair[p].j ? 1.0 : 2.0;
        if (!(self->state[p].largest <= result->amplitude_change))
            result->amplitude_change = self->state[p].largest;
        for (int h = 0; h < HF_LOCAL_HISTORY; h++) product[h] += factor * self->state[p].dot[h];
    }
    result->n_iteration = ++self->n_iteration;
    result->converged = fabs(result->energy_change) <= local->settings->energy_tolerance &&
                        result->amplitude_change <= local->settings->amplitude_tolerance;
    if (result->converged || result->n_iteration >= local->settings->max_iterations) return HF_OK;
    hf_local_diis_solve(&self->diis, product, self->coefficient);
    return exchange(self, end_pair, error);
}

/** The correction of all pairs, if any has a larger domain. Collective. */
static hf_status correct(struct iteration *self, struct hf_local_result *result,
                         struct hf_error *error)
{
    const struct hf_local *local = self->local;
    bool any = false;
    for (int p = 0; p < local->n_pair; p++)
        any = any || local->pair[p].outer != local->pair[p].domain;
    if (!any) return HF_OK;
    memset(self->state, 0, (size_t)local->n_pair * sizeof *self->state);
    hf_trace_begin_batch(local->context->trace);
    HF_CHECK(gather(self, advance(self, correct_pair, error), error));
    for (int p = 0; p < local->n_pair; p++) {
        const double factor = local->pair[p].i == local->pair[p].j ? 1.0 : 2.0;
        const struct pair_state *state = &self->state[p];
        result->pair[p].opposite_correction = factor * state->direct;
        result->pair[p].same_correction = factor * (state->direct - state->exchange);
    }
    return HF_OK;
}

/* ---- Begin and end ------------------------------------------------------------------------------- */

static hf_status make_rooms(struct iteration *self, struct hf_error *error)
{
    const struct hf_local *local = self->local;
    struct hf_arena *arena = &self->arena;
    int most = 0;
    HF_TAKE(arena, self->offset, (size_t)local->n_own);
    for (int q = 0; q < local->n_own && self->offset != NULL; q++) {
        self->offset[q] = self->n_number;
        self->n_number += size_of(self, q);
    }
    HF_TAKE(arena, self->t, self->n_number);
    HF_TAKE(arena, self->state, (size_t)local->n_pair);
    HF_TAKE(arena, self->norm, (size_t)local->n_pair);
    HF_TAKE(arena, self->room, (size_t)local->n_thread);
    self->terms.arena = arena;
    hf_local_diis_init(&self->diis, local->context, arena, local->n_thread, self->n_number);
    for (int d = 0; d < local->n_domain; d++)
        if (local->domain[d].n_function > most) most = local->domain[d].n_function;
    for (int t = 0; t < local->n_thread && self->room != NULL; t++)
        if (!hf_local_room_init(&self->room[t], local, most))
            return hf_arena_check(&self->room[t].arena, error);
    return hf_arena_check(arena, error);
}

/** Collective. */
static void iteration_done(struct iteration *self)
{
    hf_local_amplitudes_done(&self->amplitudes);
    for (int t = 0; t < self->local->n_thread && self->room != NULL; t++)
        hf_arena_done(&self->room[t].arena);
    hf_arena_done(&self->arena);
    hf_interruption_set_fraction(self->local->context->interruption, 0.0);
}

hf_status hf_local_iterate(const struct hf_local *local, const double k[],
                           struct hf_local_result *result, struct hf_error *error)
{
    hf_status status;
    struct iteration self = {.local = local,
                             .k = k,
                             .arena = {.memory = local->context->memory,
                                       .kind = HF_MEMORY_MATRIX,
                                       .label = "amplitudes of pairs"}};
    result->n_iteration = 0;
    result->converged = false;
    HF_TRY(hf_agree(local->context->comm, make_rooms(&self, error), error));
    HF_TRY(hf_local_amplitudes_init(&self.amplitudes, local, &self.arena, error));
    hf_trace_begin_batch(local->context->trace);
    HF_TRY(exchange(&self, begin_pair, error));
    HF_TRY(gather(&self, HF_OK, error));
    set_energies(&self, result);
    while (!result->converged && result->n_iteration < local->settings->max_iterations)
        HF_TRY(iterate_once(&self, result, error));
    if (result->converged) HF_TRY(correct(&self, result, error));
    result->amplitude_bytes = sizeof(double) * self.amplitudes.n_received;
    hf_sum_over_ranks(local->context->comm, 1, &result->amplitude_bytes);
cleanup:
    iteration_done(&self);
    return status;
}
