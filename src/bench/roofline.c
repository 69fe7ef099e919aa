/* Rates of the two-electron engine; see roofline.h. */
#include "roofline.h"

#include "base/arena.h"
#include "bench.h"
#include "census.h"
#include "hf/timer.h"
#include "integrals/quartet_gradient.h"

/** Calls of the engine that are timed together, so that reading the clock does not count. */
enum { MOST_CALLS = 64 };

/** One call. */
struct call {
    const struct hf_shell_pair *bra;
    int n;
    const struct hf_shell_pair *ket[HF_MAX_BATCH];
};

/** A pass over all quartets. */
struct pass {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_engine *engine;
    struct hf_gradient_engine *gradient;
    double *density; /**< of two shells with each other */
    struct hf_quartet_density of_quartet[HF_MAX_BATCH];
    double slope[HF_MAX_BATCH][4][3];
    double threshold;
    enum hf_precision precision;
    enum hf_roofline_part part;
    int n_call;
    struct call *call; /**< [MOST_CALLS] */
    struct hf_arena arena;
};

static void make_call(struct pass *pass, const struct call *call)
{
    if (pass->part == HF_ROOFLINE_GRADIENT)
        hf_gradient_engine_compute(pass->gradient, call->bra, call->n, call->ket, 1,
                                   pass->of_quartet, pass->slope);
    else
        hf_engine_two_electron_lanes(pass->engine, call->bra, call->n, call->ket, pass->precision);
}

/** Makes the collected calls. */
static void make_calls(struct pass *pass, struct hf_roofline_entry *entry)
{
    const struct hf_engine_account before = hf_engine_account(pass->engine);
    const double begin = hf_thread_seconds();
    for (int i = 0; i < pass->n_call; i++) make_call(pass, &pass->call[i]);
    entry->seconds += hf_thread_seconds() - begin;
    const struct hf_engine_account after = hf_engine_account(pass->engine);
    entry->n_quartet += (double)(after.n_quartet - before.n_quartet);
    entry->n_integral += (double)(after.n_integral - before.n_integral);
    entry->n_primitive += (double)(after.n_primitive_quartet - before.n_primitive_quartet);
    entry->n_flop += after.n_flop - before.n_flop;
    pass->n_call = 0;
}

/** Begins a call for kets of a bra. */
static struct call *begin_call(struct pass *pass, const struct hf_shell_pair *bra,
                               struct hf_roofline_entry *entry)
{
    if (pass->n_call == MOST_CALLS) make_calls(pass, entry);
    struct call *call = &pass->call[pass->n_call];
    call->bra = bra;
    call->n = 0;
    return call;
}

/** Whether the pass includes a quartet. */
static bool takes(const struct pass *pass, const struct hf_shell_pair *bra,
                  const struct hf_shell_pair *ket)
{
    if (bra->bound * ket->bound < pass->threshold) return false;
    return pass->part != HF_ROOFLINE_OF_PRECISION ||
           (pass->precision == HF_PRECISION_SINGLE) ==
               (hf_single_bound(bra, ket) < pass->threshold);
}

/** Adds the quartets of one bra with kets of one class, up to the bra; returns the number of integrals. */
static double add_bra(struct pass *pass, const struct hf_shell_pair *bra, int ket_class,
                      struct hf_roofline_entry *entry)
{
    const struct hf_shell_pairs *pairs = pass->pairs;
    double n_quartet = 0.0;
    struct call *call = begin_call(pass, bra, entry);
    for (const struct hf_shell_pair *ket = pairs->pair; ket <= bra; ket++) {
        if (ket->pair_class != ket_class || !takes(pass, bra, ket)) continue;
        n_quartet += 1.0;
        call->ket[call->n++] = ket;
        if (call->n < HF_MAX_BATCH) continue;
        pass->n_call++;
        call = begin_call(pass, bra, entry);
    }
    if (call->n > 0) pass->n_call++;
    return n_quartet * pairs->class_of[bra->pair_class].n_function *
           pairs->class_of[ket_class].n_function;
}

/** Computes all quartets with bras of this rank. */
static void compute(struct pass *pass, const struct hf_context *context,
                    struct hf_roofline_entry entry[], double of_bra[])
{
    const struct hf_shell_pairs *pairs = pass->pairs;
    for (int b = 0; b < pairs->n_class; b++) {
        for (int k = 0; k < pairs->n_class; k++) {
            struct hf_roofline_entry *to = &entry[hf_census_index(b, k)];
            for (int64_t i = context->rank; i < pairs->n_pair; i += context->n_rank)
                if (pairs->pair[i].pair_class == b)
                    of_bra[b] += add_bra(pass, &pairs->pair[i], k, to);
            make_calls(pass, to);
        }
    }
}

/** Creates the engine of the pass and its data. Local. */
static hf_status prepare(struct pass *pass, struct hf_error *error)
{
    const struct hf_shell_pairs *pairs = pass->pairs;
    const int n = hf_most_functions_of_atom(pairs->basis);
    HF_TAKE(&pass->arena, pass->call, MOST_CALLS);
    HF_TAKE(&pass->arena, pass->density, (size_t)n * (size_t)n);
    HF_CHECK(hf_arena_check(&pass->arena, error));
    HF_CHECK(hf_engine_create(pairs, &pass->engine, error));
    hf_engine_set_threshold(pass->engine, 0.1 * pass->threshold); /* as hf does */
    if (pass->part != HF_ROOFLINE_GRADIENT) return HF_OK;
    for (int i = 0; i < n * n; i++) pass->density[i] = 0.5;
    for (int i = 0; i < HF_MAX_BATCH; i++) {
        pass->of_quartet[i].factor = 1.0;
        for (int k = 0; k < HF_N_QUARTET_BLOCK; k++) {
            pass->of_quartet[i].total[k] = pass->density;
            pass->of_quartet[i].row[k] = n;
            pass->of_quartet[i].column[k] = 1;
        }
    }
    HF_CHECK(hf_gradient_engine_create(pass->engine, &pass->gradient, error));
    hf_gradient_engine_set_threshold(pass->gradient, 0.1 * pass->threshold);
    return HF_OK;
}

hf_status hf_roofline_pass(struct hf_context *context, const struct hf_shell_pairs *pairs,
                           double threshold, enum hf_precision precision,
                           enum hf_roofline_part part, struct hf_roofline_entry entry[],
                           double of_bra[], struct hf_error *error)
{
    hf_status status;
    const int n_class = pairs->n_class;
    const size_t n_entry = (size_t)n_class * (size_t)(n_class + 1) / 2;
    struct pass pass = {.pairs = pairs,
                        .threshold = threshold,
                        .precision = precision,
                        .part = part,
                        .arena = {.label = "quartets"}};
    for (size_t i = 0; i < n_entry; i++) entry[i] = (struct hf_roofline_entry){0};
    for (int i = 0; i < n_class; i++) of_bra[i] = 0.0;
    HF_TRY(hf_agree(context->comm, prepare(&pass, error), error));
    compute(&pass, context, entry, of_bra);
    _Static_assert(sizeof *entry == 5 * sizeof(double), "entries are summed as numbers");
    hf_sum_over_ranks(context->comm, 5 * n_entry, &entry->n_quartet);
    hf_sum_over_ranks(context->comm, (size_t)n_class, of_bra);
cleanup:
    hf_engine_destroy(&pass.engine);
    hf_gradient_engine_destroy(&pass.gradient);
    hf_arena_done(&pass.arena);
    return status;
}
