/* Estimated costs of tasks; see estimate.h. */
#include "estimate.h"

#include "work_private.h"

#include <math.h>

/** How often four goes into a number, 0 to HF_COST_STEPS - 1. */
static int n_step(double factor)
{
    int exponent;
    if (!(factor > 1.0)) return 0;
    frexp(factor, &exponent); /* factor < 2^exponent */
    const int step = (exponent - 1) / 2;
    return step < HF_COST_STEPS ? step : HF_COST_STEPS - 1;
}

void hf_cost_curve_make(const struct hf_shell_pairs *pairs, const struct hf_atom_pair *atoms,
                        struct hf_cost_curve *curve)
{
    *curve = (struct hf_cost_curve){.bound = atoms->bound};
    for (int64_t k = atoms->first_pair; k < atoms->first_pair + atoms->n_pair; k++) {
        const struct hf_shell_pair *pair = &pairs->pair[k];
        const double factor = pair->bound > 0.0 ? atoms->bound / pair->bound : HUGE_VAL;
        curve->above[n_step(factor)] += (float)hf_shell_pair_cost(pairs, pair);
    }
    for (int i = 1; i < HF_COST_STEPS; i++) curve->above[i] += curve->above[i - 1];
}

/** Quartets of two pairs of atoms. */
static double quartets_of_atoms(const struct hf_cost_curve *bra, const struct hf_cost_curve *ket,
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

/** Quartets of a pair of shells with those of a pair of atoms. */
static double quartets_of_pair(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *bra,
                               const struct hf_cost_curve *ket, double least)
{
    const double product = bra->bound * ket->bound;
    if (product < least) return 0.0;
    const int step = least > 0.0 ? n_step(product / least) : HF_COST_STEPS - 1;
    return hf_shell_pair_cost(pairs, bra) * (double)ket->above[step];
}

/** A pair of shells with all up to it. */
static double with_all_kets(const struct hf_shell_pairs *pairs, const struct hf_cost_curve curve[],
                            int64_t index, double least)
{
    double sum = 0.0;
    const int n = hf_atom_pair_of(pairs, index) + 1;
    for (int k = 0; k < n; k++)
        sum += quartets_of_pair(pairs, &pairs->pair[index], &curve[k], least);
    return sum;
}

/** Two units of a grain. */
static double quartets_of_units(const struct hf_shell_pairs *pairs,
                                const struct hf_cost_curve curve[], bool atoms, int64_t bra,
                                int64_t ket, double least)
{
    if (atoms) return quartets_of_atoms(&curve[bra], &curve[ket], least);
    const struct hf_shell_pair *one = &pairs->pair[bra], *other = &pairs->pair[ket];
    if (one->bound * other->bound < least) return 0.0;
    return hf_shell_pair_cost(pairs, one) * hf_shell_pair_cost(pairs, other);
}

double hf_task_estimate(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        const struct hf_cost_curve curve[], const struct hf_task *task,
                        double least)
{
    const bool atoms = hf_task_list_grain(list) == HF_GRAIN_ATOM_QUARTET;
    double sum = 0.0;
    if (task->all_kets)
        return with_all_kets(pairs, curve, hf_task_list_unit(list, task->bra_begin), least);
    for (int64_t b = task->bra_begin; b < task->bra_end; b++) {
        const int64_t bra = hf_task_list_unit(list, b);
        const int64_t end = task->triangle ? b + 1 : task->ket_end;
        for (int64_t k = task->ket_begin; k < end; k++) {
            const int64_t ket = hf_task_list_unit(list, k);
            const double cost = quartets_of_units(pairs, curve, atoms, bra, ket, least);
            sum += bra == ket ? 0.5 * cost : cost;
        }
    }
    return sum / task->n_slice;
}

/** The next of a sequence of numbers below n; the same on every rank. */
static int64_t next_random(uint64_t *state, int64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 11) % (uint64_t)n);
}

double hf_share_that_matters(const struct hf_shell_pairs *pairs, enum hf_grain grain)
{
    enum { N_SAMPLE = 10000 };
    double sum = 0.0, all = 0.0;
    uint64_t state = 1;
    if (grain != HF_GRAIN_ATOM_QUARTET || pairs->n_atom_pair == 0) return 1.0;
    for (int i = 0; i < N_SAMPLE; i++) {
        const int64_t bra = next_random(&state, pairs->n_atom_pair);
        const int64_t ket = next_random(&state, pairs->n_atom_pair);
        struct hf_cost_curve one, other;
        hf_cost_curve_make(pairs, &pairs->atom_pair[bra], &one);
        hf_cost_curve_make(pairs, &pairs->atom_pair[ket], &other);
        sum += quartets_of_atoms(&one, &other, pairs->accuracy);
        all += pairs->atom_pair[bra].cost * pairs->atom_pair[ket].cost;
    }
    return all > 0.0 && sum > 0.0 ? fmin(1.0, sum / all) : 1.0;
}
