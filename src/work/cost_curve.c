/* Costs of pairs of atoms; see cost_curve.h. */
#include "cost_curve.h"

#include <math.h>

int hf_cost_step(double factor)
{
    int exponent;
    if (!(factor > 1.0)) return 0;
    frexp(factor, &exponent); /* factor < 2^exponent */
    const int step = (exponent - 1) / 2;
    return step < HF_COST_STEPS ? step : HF_COST_STEPS - 1;
}

/** Adds a pair to the step of its bound. */
static void add_pair(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair,
                     struct hf_cost_curve *curve)
{
    const double factor = pair->bound > 0.0 ? curve->bound / pair->bound : HUGE_VAL;
    curve->above[hf_cost_step(factor)] += (float)hf_shell_pair_cost(pairs, pair);
}

void hf_cost_curve_make(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *atoms,
                        struct hf_cost_curve *curve)
{
    *curve = (struct hf_cost_curve){.bound = atoms->bound};
    for (int64_t k = atoms->first_pair; k < atoms->first_pair + atoms->n_pair; k++)
        add_pair(pairs, &pairs->pair[k], curve);
    for (int i = 1; i < HF_COST_STEPS; i++) curve->above[i] += curve->above[i - 1];
}

void hf_cost_curve_of_shell(const struct hf_shell_pairs *pairs, int64_t n, const int64_t pair[],
                            struct hf_cost_curve *curve)
{
    *curve = (struct hf_cost_curve){.bound = 0.0};
    for (int64_t k = 0; k < n; k++) curve->bound = fmax(curve->bound, pairs->pair[pair[k]].bound);
    for (int64_t k = 0; k < n; k++) add_pair(pairs, &pairs->pair[pair[k]], curve);
    for (int i = 1; i < HF_COST_STEPS; i++) curve->above[i] += curve->above[i - 1];
}

double hf_cost_curve_quartets(const struct hf_cost_curve *bra, const struct hf_cost_curve *ket,
                              double least)
{
    const double product = bra->bound * ket->bound;
    if (product < least) return 0.0;
    int left = least > 0.0 && product / least < 1e15 ? (ilogb(product / least) + 1) / 2
                                                     : 2 * HF_COST_STEPS;
    double sum = 0.0, before = 0.0;
    for (int i = 0; i < HF_COST_STEPS && left >= 0; i++, left--) {
        const double here = (double)bra->above[i] - before;
        before = (double)bra->above[i];
        sum += here * (double)ket->above[left < HF_COST_STEPS ? left : HF_COST_STEPS - 1];
    }
    return fmax(sum, 1e-3 * (double)bra->above[HF_COST_STEPS - 1]);
}

/** Next pseudo-random number below n; the same sequence on every rank. */
static int64_t next_random(uint64_t *state, int64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 11) % (uint64_t)n);
}

double hf_share_that_matters(const struct hf_shell_pairs *pairs, enum hf_grain grain)
{
    enum { MOST_CURVES = 400, N_SAMPLE = 4000 };
    double sum = 0.0, all = 0.0, cost[MOST_CURVES];
    struct hf_cost_curve curve[MOST_CURVES];
    uint64_t state = 1;
    const int64_t n = pairs->n_atom_pair, n_curve = n < MOST_CURVES ? n : MOST_CURVES;
    if (grain != HF_GRAIN_ATOM_QUARTET || n == 0) return 1.0;
    for (int64_t i = 0; i < n_curve; i++) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[i * n / n_curve];
        hf_cost_curve_make(pairs, atoms, &curve[i]);
        cost[i] = atoms->cost;
    }
    for (int i = 0; i < N_SAMPLE; i++) {
        const int64_t bra = next_random(&state, n_curve), ket = next_random(&state, n_curve);
        sum += hf_cost_curve_quartets(&curve[bra], &curve[ket], pairs->accuracy);
        all += cost[bra] * cost[ket];
    }
    return all > 0.0 && sum > 0.0 ? fmin(1.0, sum / all) : 1.0;
}
