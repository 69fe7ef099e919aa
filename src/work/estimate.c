/* Estimated costs of tasks; see estimate.h. */
#include "estimate.h"

#include "tasks.h"

#include <math.h>

/** Cost of a shell pair with the shell pairs of a pair of atoms. */
static double quartets_of_pair(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *bra,
                               const struct hf_cost_curve *ket, double least)
{
    const double product = bra->bound * ket->bound;
    if (product < least) return 0.0;
    const int step = least > 0.0 ? hf_cost_step(product / least) : HF_COST_STEPS - 1;
    return hf_shell_pair_cost(pairs, bra) * (double)ket->above[step];
}

/** Cost of the shell pairs begin .. end-1 with all pairs of atoms up to their own, or with every one. */
static double with_all_kets(const struct hf_shell_pairs *pairs, const struct hf_cost_curve curve[],
                            int64_t begin, int64_t end, bool every, double least)
{
    double sum = 0.0;
    const int n = every ? pairs->n_atom_pair : hf_atom_pair_of(pairs, begin) + 1;
    for (int64_t bra = begin; bra < end; bra++)
        for (int k = 0; k < n; k++)
            sum += quartets_of_pair(pairs, &pairs->pair[bra], &curve[k], least);
    return sum;
}

/** Cost of the quartets of two units. */
static double quartets_of_units(const struct hf_shell_pairs *pairs,
                                const struct hf_cost_curve curve[], bool atoms, int64_t bra,
                                int64_t ket, double least)
{
    if (atoms) return hf_cost_curve_quartets(&curve[bra], &curve[ket], least);
    const struct hf_shell_pair *one = &pairs->pair[bra], *other = &pairs->pair[ket];
    if (one->bound * other->bound < least) return 0.0;
    return hf_shell_pair_cost(pairs, one) * hf_shell_pair_cost(pairs, other);
}

int64_t hf_task_n_curve(const struct hf_task_list *list, const struct hf_shell_pairs *pairs)
{
    return hf_task_list_of_shells(list) != NULL ? pairs->basis->n_shell : pairs->n_atom_pair;
}

void hf_task_make_curve(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        int64_t i, struct hf_cost_curve *curve)
{
    const struct hf_shell_lists *lists = hf_task_list_of_shells(list);
    if (lists == NULL)
        hf_cost_curve_make(pairs, &pairs->atom_pair[i], curve);
    else
        hf_cost_curve_of_shell(pairs, lists->first[i + 1] - lists->first[i],
                               lists->pair + lists->first[i], curve);
}

double hf_task_estimate(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        const struct hf_cost_curve curve[], const struct hf_task *task,
                        double least)
{
    const bool atoms = hf_task_list_grain(list) == HF_GRAIN_ATOM_QUARTET;
    double sum = 0.0;
    if (task->kind == HF_TASK_OF_SHELLS)
        return hf_cost_curve_quartets(&curve[hf_task_list_unit(list, task->bra_begin)],
                                      &curve[hf_task_list_unit(list, task->ket_begin)], least);
    if (hf_task_is_bra(task)) {
        const int64_t bra = hf_task_list_unit(list, task->bra_begin);
        return with_all_kets(pairs, curve, bra, hf_task_list_bra_end(list, pairs, bra),
                             task->kind == HF_TASK_EVERY_KET, least);
    }
    for (int64_t b = task->bra_begin; b < task->bra_end; b++) {
        const int64_t bra = hf_task_list_unit(list, b);
        const int64_t end = task->kind == HF_TASK_TRIANGLE ? b + 1 : task->ket_end;
        for (int64_t k = task->ket_begin; k < end; k++) {
            const int64_t ket = hf_task_list_unit(list, k);
            const double cost = quartets_of_units(pairs, curve, atoms, bra, ket, least);
            sum += bra == ket ? 0.5 * cost : cost;
        }
    }
    return sum / task->n_slice;
}
