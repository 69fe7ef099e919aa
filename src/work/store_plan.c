/* Which quartets are worth their memory: a sample of all quartets, sorted by cost per byte.
 *
 * Classes differ by a factor of 200 in the time that a number takes, (ss|ss) being the dearest; the order by
 * cost per number is that of hf-bench integrals. Where a quarter fits (uracil/cc-pVDZ, 75 MB) it reads 344,000
 * quartets back in 59 MB; costs that only count primitives and Cartesian functions chose 221,000 in 72 MB.
 *
 * Whatever fits is stored, without a look at what reading costs. On one core with AVX-512 the cheapest
 * class of uracil/cc-pVDZ takes 5.1 ns to compute and write a number in double precision, of
 * C6H14/6-31G* 3.9 ns; to read 8 bytes back from memory takes 0.6 ns. Where many cores share a memory
 * that gives each 2 GB/s or less, that is no longer so. */
#include "integral_store.h"

#include <math.h>
#include <stdlib.h>

/** Quartets above the bound that the estimate is made of, which errs by about 1 / sqrt of their
 * number, and quartets drawn to find them at most: most are negligible in large molecules. */
enum { N_SAMPLE = 20000, MOST_DRAWN = 4000000 };

/** A quartet kept in single precision errs by 2^-24 of its bound at most; with this factor that is
 * no more than what the least quartet that is stored could add. */
static const double NARROW_FACTOR = 1 << 24;

/** Strips have heads, and zeros where a quartet is missing; a strip is in double precision if one of its
 *  quartets has to be. */
static const double STRIP_FILL = 0.85;

/** Of a strip's head, and of its end to half a cache line. Strips have several quartets where all are
 *  stored; where memory is short those that are stored are of few numbers, alone in theirs as a rule. */
static const double STRIP_BYTES = 48.0;

struct sample {
    double value, bytes, cost;
};

static int by_falling_value(const void *left, const void *right)
{
    const struct sample *x = left, *y = right;
    return (x->value < y->value) - (x->value > y->value);
}

/** The next of a sequence of numbers below n; the same on every rank. */
static int64_t next_random(uint64_t *state, int64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 11) % (uint64_t)n);
}

/** A random quartet that is wanted; false: this one is not. */
static bool draw(const struct hf_shell_pairs *pairs, const struct hf_store_plan *plan,
                 uint64_t *state, struct sample *sample)
{
    const struct hf_shell_pair *bra = &pairs->pair[next_random(state, pairs->n_pair)];
    const struct hf_shell_pair *ket = &pairs->pair[next_random(state, pairs->n_pair)];
    if (!hf_store_plan_wants(plan, bra, ket)) return false;
    const double n = (double)pairs->class_of[bra->pair_class].n_function *
                     pairs->class_of[ket->pair_class].n_function;
    const double bound = hf_store_plan_scale(plan, bra, ket, bra->bound * ket->bound);
    const double width = bound < plan->narrow ? sizeof(float) : sizeof(double);
    *sample = (struct sample){
        .value = bra->cost_per_number * ket->cost_per_number,
        .bytes = n * width / STRIP_FILL + STRIP_BYTES,
        .cost = hf_shell_pair_cost(pairs, bra) * hf_shell_pair_cost(pairs, ket),
    };
    return true;
}

/** Takes of the samples [n], dearest per byte first, what fits into `bytes`; each stands for so many
 *  quartets. */
static void fill_plan(int n, struct sample sample[], double n_quartet, double bytes,
                      struct hf_store_plan *plan)
{
    double cost = 0.0, all = 0.0, all_bytes = 0.0;
    for (int i = 0; i < n; i++) {
        all += sample[i].cost;
        all_bytes += sample[i].bytes * n_quartet;
    }
    plan->cutoff = 0.0;
    if (all_bytes > bytes) qsort(sample, (size_t)n, sizeof *sample, by_falling_value);
    for (int i = 0; i < n; i++) {
        const double more = sample[i].bytes * n_quartet;
        if (plan->bytes + more > bytes) {
            plan->cutoff = i > 0 ? sample[i - 1].value : HUGE_VAL;
            break;
        }
        plan->bytes += more;
        cost += sample[i].cost;
    }
    if (all > 0.0) plan->share = cost / all;
}

hf_status hf_store_plan_make(const struct hf_shell_pairs *pairs, double bytes,
                             struct hf_store_plan *plan, struct hf_error *error)
{
    plan->narrow = NARROW_FACTOR * plan->smallest;
    plan->cutoff = HUGE_VAL;
    plan->bytes = plan->share = 0.0;
    if (pairs->n_pair == 0) return HF_OK;
    struct sample *sample = malloc(N_SAMPLE * sizeof *sample);
    if (sample == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory to plan stored integrals");
    const double n_quartet = 0.5 * (double)pairs->n_pair * ((double)pairs->n_pair + 1.0);
    int n = 0, n_drawn = 0;
    uint64_t state = 1;
    for (; n < N_SAMPLE && n_drawn < MOST_DRAWN; n_drawn++)
        if (draw(pairs, plan, &state, &sample[n])) n++;
    if (n > 0) fill_plan(n, sample, n_quartet / n_drawn, bytes, plan);
    free(sample);
    return HF_OK;
}
