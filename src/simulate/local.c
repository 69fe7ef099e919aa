/* Local MP2 on simulated ranks: the transformation (local/local_bras.c) and the amplitudes (local/local_iterate.c) as they
 * are, of the pairs of orbitals that the trace lists. Orbitals, domains and their pairs are set up on real ranks alone.
 *
 * Blocks have the sizes of the run, but for two: those of a transformation, and amplitudes on every rank, which would
 * not fit. They are smaller by a factor, and messages count as many bytes as those of the run would. */
#include "recorded.h"

#include "clock.h"
#include "local/local_bras.h"
#include "local/local_iterate.h"
#include "network.h"
#include "replay.h"

#include <cjson/cJSON.h>
#include <math.h>

/** Numbers of batches of the trace (local/local_mp2.h). */
enum { TRANSFORMATION = 2, FIRST_ITERATION = 4 };
/** Iterations end when those of the trace do. */
static const double NEVER_REACHED = -1.0;
/** By which blocks are smaller in the transformation; of a domain's functions, with amplitudes on every rank. */
enum { SMALLER = 16, FEWER_FUNCTIONS = 16 };

/* ---- What is not computed -------------------------------------------------------------------- */

bool hf_local_room_init(struct hf_local_room *room, const struct hf_local *local, int n)
{
    *room = (struct hf_local_room){.arena = {.memory = local->context->memory}};
    return true;
}

struct hf_local_sums hf_local_sums_of(size_t n, const double *t, const double *x)
{
    return (struct hf_local_sums){0};
}

struct hf_local_sums hf_local_correct(const struct hf_local *local, int q,
                                      struct hf_local_state state, struct hf_local_room *room)
{
    return (struct hf_local_sums){0};
}

const double *hf_local_own_integrals(const struct hf_local *local, const struct hf_local_pair *pair,
                                     const double *k, struct hf_local_room *room)
{
    return k;
}

/** Which amplitudes residuals need: in all iterations those of the first one, which are recorded. */
hf_status hf_local_terms_make(const struct hf_local *local, const double norm[], double least,
                              struct hf_local_terms *terms, struct hf_error *error)
{
    const struct hf_trace *trace = local->context->trace;
    const struct hf_sim_round *first = &trace->rounds->batch[FIRST_ITERATION];
    size_t n = 0;
    if (terms->begin != NULL) return HF_OK;
    HF_TAKE(terms->arena, terms->begin, (size_t)local->n_own + 1);
    HF_TAKE(terms->arena, terms->term, (size_t)first->first_block[first->n_block] + 1);
    HF_CHECK(hf_arena_check(terms->arena, error));
    for (int q = 0; q < local->n_own; q++) {
        const int64_t pair = local->own[q];
        terms->begin[q] = n;
        if (pair >= first->n_block) continue;
        for (int64_t b = first->first_block[pair]; b < first->first_block[pair + 1]; b++) {
            const int number = first->block[b].number;
            int i = (int)((sqrt(8.0 * number + 1.0) - 1.0) / 2.0);
            while ((i + 1) * (i + 2) / 2 <= number) i++;
            terms->term[n++].pair = hf_local_find_pair(local, i, number - i * (i + 1) / 2);
        }
    }
    terms->begin[local->n_own] = n;
    return HF_OK;
}

/* ---- The transformation ---------------------------------------------------------------------- */

/** A rank's part of the first half. */
struct half {
    const struct hf_local *local;
    struct hf_local_blocks *blocks; /**< of its first thread */
    double seconds;                 /**< of its tasks */
};

/** hf_pass.item */
static hf_status do_task(void *own, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    double *seconds = own;
    const struct hf_trace *trace = ((const struct half *)thread->data)->local->context->trace;
    hf_work_trace_step(thread->worker, HF_TRACE_TASK, task);
    *seconds += hf_sim_seconds(trace->now, HF_TRACE_TASK, task);
    return HF_OK;
}

/** hf_pass.end */
static void end_thread(void *own, void *data)
{
    ((struct half *)data)->seconds += *(const double *)own;
}

/** A rank has as much of each orbital's integrals as of the tasks: their bytes are recorded for each orbital. */
static hf_status keep(const struct half *half, struct hf_error *error)
{
    const struct hf_local *local = half->local;
    const struct hf_sim_round *now = local->context->trace->now;
    const double all = hf_sim_all_seconds(now, HF_TRACE_TASK);
    for (int i = 0; i < local->n_orbital && i < now->n_block; i++) {
        double bytes = 0.0;
        for (int64_t b = now->first_block[i]; b < now->first_block[i + 1]; b++)
            bytes += now->block[b].bytes;
        const double n = bytes / sizeof(double) * half->seconds / all / SMALLER;
        if (n >= 1.0) hf_local_blocks_add(half->blocks, i, local->context->rank, 0, (int)n);
    }
    return hf_arena_check(&half->blocks->arena, error);
}

hf_status hf_local_bras_first(const struct hf_local_integrals *integrals,
                              struct hf_local_blocks blocks[], struct hf_local_result *result,
                              struct hf_error *error)
{
    static const struct hf_pass pass = {
        .label = "bras", .own_bytes = sizeof(double), .item = do_task, .end = end_thread};
    const struct hf_task_order order = {.grain = HF_GRAIN_SHELL_PAIR,
                                        .quartets = HF_QUARTETS_EVERY_KET};
    struct half half = {.local = integrals->local, .blocks = blocks};
    HF_CHECK(hf_local_run_pass(integrals, &order, &pass, &half, result, error));
    struct hf_context *context = half.local->context;
    hf_timer_start(&context->timers, &hf_phase_local_exchange); /* sorting, handing over */
    hf_sim_compute(hf_sim_seconds(context->trace->now, HF_SIM_EXCHANGE, 0) / context->n_rank);
    hf_timer_stop(&context->timers, &hf_phase_local_exchange);
    return hf_agree(context->comm, keep(&half, error), error);
}

/** The second half on a rank. */
struct second_half {
    const struct hf_local_integrals *integrals;
    const struct hf_local_finishing *finishing;
    struct hf_local_blocks *blocks;
};

/** hf_pass.item: the pairs of an orbital that this rank finishes, with as much of its time as they have functions. */
static hf_status do_orbital(void *own, struct hf_pass_thread *thread, int64_t i,
                            struct hf_error *error)
{
    const struct second_half *self = thread->data;
    const struct hf_local *local = self->integrals->local;
    struct hf_trace *trace = local->context->trace;
    struct hf_local_blocks *blocks = &self->blocks[thread->number];
    double mine = 0.0, all = 0.0;
    for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
        const int pair = local->partner[k].pair;
        const double n = hf_local_outer_domain(local, &local->pair[pair])->n_function;
        if (!hf_local_in_order(self->integrals, (int)i, local->partner[k].orbital)) continue;
        all += n;
        if (self->finishing->of_pair[pair] != local->context->rank) continue;
        mine += n;
        hf_local_blocks_add(blocks, pair, 0, 0, (int)(n * n / SMALLER));
    }
    if (all > 0.0) hf_sim_compute(mine / all * hf_sim_seconds(trace->now, HF_TRACE_PAIR_TASK, i));
    return hf_arena_check(&blocks->arena, error);
}

hf_status hf_local_bras_second(const struct hf_local_integrals *integrals,
                               const struct hf_local_finishing *finishing,
                               const struct hf_local_blocks *from, struct hf_local_blocks blocks[],
                               struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "the last quarters", .item = do_orbital};
    const struct hf_local *local = integrals->local;
    struct second_half self = {integrals, finishing, blocks};
    return hf_pass_items(local->context, local->n_thread, local->n_orbital, &pass, &self, error);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static double number_of(const cJSON *of, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(of, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

/** Orbitals and pairs of the header: domain number p is that of pair p. If it has a larger one, this has number
 *  n_pair + p. */
static void list_pairs(struct hf_local *local, const cJSON *orbitals, const cJSON *pairs, int fewer)
{
    const cJSON *one;
    int i = 0, p = 0;
    cJSON_ArrayForEach(one, orbitals)
    {
        const cJSON *centre = cJSON_GetObjectItemCaseSensitive(one, "centre_bohr");
        for (int d = 0; d < 3; d++)
            local->localised.orbital[i].centre[d] =
                cJSON_GetNumberValue(cJSON_GetArrayItem(centre, d));
        i++;
    }
    cJSON_ArrayForEach(one, pairs)
    {
        local->pair[p] = (struct hf_local_pair){.i = (int)number_of(one, "i") - 1,
                                                .j = (int)number_of(one, "j") - 1,
                                                .domain = p,
                                                .work = number_of(one, "work")};
        const double n = number_of(one, "functions");
        const double n_outer = fmax(n, number_of(one, "correction_functions"));
        local->pair[p].outer = n_outer > n ? local->n_pair + p : p;
        local->domain[p].n_function = (int)ceil(n / fewer);
        local->domain[local->n_pair + p].n_function = (int)ceil(n_outer / fewer);
        local->first_pair[local->pair[p].i + 1] = p + 1;
        p++;
    }
    for (int k = 0; k < local->n_orbital; k++) /* orbitals without pairs */
        if (local->first_pair[k + 1] == 0) local->first_pair[k + 1] = local->first_pair[k];
}

/** Local. */
static hf_status make_local(struct hf_local *local, const struct cJSON *header, int fewer,
                            struct hf_error *error)
{
    const cJSON *orbitals = cJSON_GetObjectItemCaseSensitive(header, "orbitals");
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(header, "pairs");
    struct hf_arena *arena = &local->arena;
    local->n_orbital = local->localised.n = cJSON_GetArraySize(orbitals);
    local->n_pair = cJSON_GetArraySize(pairs);
    local->n_domain = 2 * local->n_pair;
    HF_TAKE(arena, local->localised.orbital, (size_t)local->n_orbital);
    HF_TAKE(arena, local->pair, (size_t)local->n_pair);
    HF_TAKE(arena, local->domain, (size_t)local->n_domain);
    HF_TAKE(arena, local->first_pair, (size_t)local->n_orbital + 1);
    HF_CHECK(hf_arena_check(arena, error));
    list_pairs(local, orbitals, pairs, fewer);
    HF_CHECK(hf_local_list_partners(local, error));
    return hf_local_deal_pairs(local, error);
}

/* ---- All ------------------------------------------------------------------------------------- */

/** Bytes of T of all pairs in the run over those here. */
static double scale_of_amplitudes(const struct hf_local *local, const struct cJSON *header)
{
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(header, "pairs"), *one;
    double numbers = 0.0;
    cJSON_ArrayForEach(one, pairs)
    {
        const double n = number_of(one, "functions");
        numbers += n * n;
    }
    return numbers / (double)local->first_of_rank[local->context->n_rank];
}

/** The transformation if the trace has it, then the iterations. */
static hf_status do_steps(struct hf_local *local, struct hf_local_result *result, double *k,
                          bool transforms, const char *name, struct hf_sim_step *step,
                          struct hf_error *error)
{
    static const struct hf_phase *const phase[] = {
        &hf_phase_setup,        &hf_phase_local_transform,  &hf_phase_local_exchange,
        &hf_phase_local_finish, &hf_phase_local_wait_tasks, &hf_phase_local_iterate,
        &hf_phase_local_wait};
    local->context->trace->n_batch = transforms ? TRANSFORMATION : TRANSFORMATION + 1;
    hf_sim_step_begin(local->context, name, sizeof phase / sizeof *phase, phase, step);
    if (transforms) {
        hf_trace_begin_batch(local->context->trace);
        HF_CHECK(hf_local_transform(local, k, result, error));
    } else {
        HF_CHECK(hf_local_iterate(local, k, result, error));
    }
    hf_sim_step_end(local->context, step);
    return HF_OK;
}

/** Amplitudes on every rank, or fetched after the transformation. */
static hf_status solve(struct hf_context *context, struct hf_local_settings *settings,
                       const struct cJSON *header, struct hf_sim_step step[],
                       struct hf_error *error)
{
    hf_status status;
    struct hf_local local = {.context = context,
                             .settings = settings,
                             .arena = {.memory = context->memory, .label = "pairs of orbitals"},
                             .n_thread = context->n_thread};
    struct hf_local_result result = {0};
    settings->energy_tolerance = NEVER_REACHED;
    status = make_local(&local, header, settings->replicated ? FEWER_FUNCTIONS : 1, error);
    double *k = HF_TAKE(&local.arena, k, local.n_integral);
    HF_TAKE(&local.arena, result.pair, (size_t)local.n_pair);
    if (status == HF_OK) status = hf_arena_check(&local.arena, error);
    HF_TRY(hf_agree(context->comm, status, error));
    if (settings->replicated) {
        hf_sim_scale(
            (struct hf_sim_scale){.messages = scale_of_amplitudes(&local, header), .sums = 1.0});
        HF_TRY(do_steps(&local, &result, k, false, "iterations, T on every rank", &step[2], error));
        goto cleanup;
    }
    hf_sim_scale((struct hf_sim_scale){SMALLER, 1.0});
    HF_TRY(do_steps(&local, &result, k, true, "transformation", &step[0], error));
    hf_sim_scale((struct hf_sim_scale){1.0, 1.0});
    HF_TRY(do_steps(&local, &result, k, false, "iterations, T fetched", &step[1], error));
cleanup:
    hf_arena_done(&local.arena);
    return status;
}

hf_status hf_sim_local_mp2(struct hf_context *context, const struct hf_sim_rounds *rounds,
                           const struct hf_sim_settings *settings, struct hf_common_pairs *pairs,
                           struct hf_sim_step step[], struct hf_error *error)
{
    struct hf_trace trace;
    const struct cJSON *header = hf_sim_method(rounds, "local_mp2");
    const int n_iteration = (int)number_of(header, "iterations");
    struct hf_local_settings all = {
        .max_iterations = n_iteration,
        .schedule = {.name = settings->scheduler},
        .onesided = {.transport = settings->transport, .skip_self_test = true},
        .pairs = pairs,
        .n_thread = settings->n_thread};
    hf_sim_trace_init(&trace, rounds, context);
    trace.last_batch = FIRST_ITERATION + n_iteration;
    trace.tolerance = &all.energy_tolerance;
    hf_status status = solve(context, &all, header, step, error);
    all.replicated = true;
    if (status == HF_OK) status = solve(context, &all, header, step, error);
    context->trace = NULL;
    return status;
}
