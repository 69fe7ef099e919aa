/* Which quartets are worth their memory: a sample of all quartets, sorted by cost per byte.
 *
 * Classes differ by a factor of 200 in the time for a number; (ss|ss) is the most expensive. Costs per number
 * have the order that hf-bench integrals measures. If a quarter fits (uracil/cc-pVDZ, 75 MB), 344,000 quartets
 * in 59 MB are read back. Costs that only count primitives and Cartesian functions chose 221,000 in 72 MB.
 *
 * All that fits is stored; the time to read is not considered. On one core with AVX-512 the cheapest
 * class of uracil/cc-pVDZ takes 5.1 ns to compute and write a number in double precision, of
 * C6H14/6-31G* 3.9 ns; to read 8 bytes back from memory takes 0.6 ns. If many cores share a memory with 2 GB/s
 * or less for each, reading is no longer faster. */
#include "store/integral_store.h"

#include "base/arena.h"

#include <math.h>

/** Most quartets above the bound in the sample (the estimate errs by about 1 / sqrt of it), and most quartets
 *  drawn to find them: in large molecules most are negligible. */
enum { N_SAMPLE = 20000, MOST_DRAWN = 4000000 };

/** A quartet kept in single precision errs by 2^-24 of its bound at most; with this factor the error is no
 *  larger than the contribution of the least stored quartet. */
static const double NARROW_FACTOR = 1 << 24;

/** Share of the numbers of strips that is used: missing quartets are zeros, and a strip is in double precision
 *  if one of its quartets must be. */
static const double STRIP_FILL = 0.85;

/** Bytes of a strip's head and of its padding to half a cache line. If all quartets are stored, strips have
 *  several; if memory is short, stored quartets have few numbers and usually a strip each. */
static const double STRIP_BYTES = 48.0;

/** Next pseudo-random number below n; the same sequence on every rank. */
static int64_t next_random(uint64_t *state, int64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 11) % (uint64_t)n);
}

/** Draws a random quartet; false: the plan does not need it. */
static bool draw(const struct hf_shell_pairs *pairs, const struct hf_store_plan *plan,
                 uint64_t *state, struct hf_store_sample *sample)
{
    const struct hf_shell_pair *bra = &pairs->pair[next_random(state, pairs->n_pair)];
    const struct hf_shell_pair *ket = &pairs->pair[next_random(state, pairs->n_pair)];
    if (!hf_store_plan_wants(plan, bra, ket)) return false;
    const double n = (double)pairs->class_of[bra->pair_class].n_function *
                     pairs->class_of[ket->pair_class].n_function;
    const double bound = bra->bound * ket->bound;
    const double met =
        plan->lasting == NULL
            ? bound
            : fmin(bound, hf_store_plan_scale(plan, bra, ket, bound) * hf_far_factor(bra, ket));
    const bool wide = bound >= plan->narrow;
    *sample = (struct hf_store_sample){
        .bound = met / plan->smallest,
        .value = bra->cost_per_number * ket->cost_per_number,
        .bytes = n * (wide ? sizeof(double) : sizeof(float)) / STRIP_FILL + STRIP_BYTES,
        .cost = hf_shell_pair_cost(pairs, bra) * hf_shell_pair_cost(pairs, ket),
        .wide = wide,
    };
    return true;
}

/** Sets the plan from the samples [n]; each stands for n_quartet quartets. */
static void fill_plan(int n, struct hf_store_sample sample[], double n_quartet, double bytes,
                      const struct hf_store_prices *prices, struct hf_store_plan *plan)
{
    double all = 0.0;
    struct hf_store_choice *choice = &plan->choice;
    for (int i = 0; i < n; i++) all += n_quartet * sample[i].cost;
    hf_store_choose(n, sample, n_quartet, bytes, prices, choice);
    plan->smallest *= choice->smallest;
    plan->least *= choice->smallest;
    plan->cutoff = choice->cutoff;
    if (all > 0.0) plan->share = choice->cost / all;
}

hf_status hf_store_plan_make(const struct hf_shell_pairs *pairs, double bytes,
                             const struct hf_store_prices *prices, struct hf_store_plan *plan,
                             struct hf_error *error)
{
    plan->narrow = NARROW_FACTOR * plan->sharp;
    plan->cutoff = HUGE_VAL;
    plan->share = 0.0;
    if (pairs->n_pair == 0) return HF_OK;
    const double n_quartet = 0.5 * (double)pairs->n_pair * ((double)pairs->n_pair + 1.0);
    const int n_sample = (int)fmin(N_SAMPLE, n_quartet);
    struct hf_arena arena = {.label = "the plan of stored integrals"};
    struct hf_store_sample *sample = HF_TAKE(&arena, sample, (size_t)n_sample);
    if (sample == NULL) return hf_arena_check(&arena, error);
    int n = 0, n_drawn = 0;
    uint64_t state = 1;
    for (; n < n_sample && n_drawn < MOST_DRAWN; n_drawn++)
        if (draw(pairs, plan, &state, &sample[n])) n++;
    if (n > 0) fill_plan(n, sample, n_quartet / n_drawn, bytes, prices, plan);
    hf_arena_done(&arena);
    return HF_OK;
}
