/* Tasks of the Coulomb pass: which pieces of leaves. V has the same bits however leaves are cut. */
#include "coulomb_private.h"

#include <math.h>

/** Number of tasks: enough for even shares. No more, since a task of few bras waits for the kets of all near leaves longer
 *  than it computes. */
static double wanted_tasks(const struct hf_coulomb *coulomb)
{
    enum { TASKS_PER_THREAD = 16, TASKS_PER_LEAF = 40 };
    const int asked = coulomb->settings.tasks_for;
    const double n_rank = asked > 0 ? asked : coulomb->context->n_rank;
    return fmin(TASKS_PER_THREAD * n_rank * coulomb->n_worker,
                (double)TASKS_PER_LEAF * coulomb->products->n_leaf);
}

int64_t hf_coulomb_most_tasks(const struct hf_coulomb *coulomb)
{
    return (int64_t)wanted_tasks(coulomb) + coulomb->products->n_leaf;
}

hf_status hf_coulomb_make_tasks(struct hf_coulomb *coulomb, struct hf_error *error)
{
    struct hf_arena *arena = &coulomb->arena;
    const size_t n = (size_t)coulomb->most_tasks, n_leaf = (size_t)coulomb->products->n_leaf;
    HF_TAKE(arena, coulomb->piece, n);
    HF_TAKE(arena, coulomb->cost, n);
    HF_TAKE(arena, coulomb->before, n_leaf + 1);
    HF_TAKE(arena, coulomb->of_leaf, n_leaf);
    return hf_arena_check(arena, error);
}

/** Estimated cost of a leaf's bras with the kets near to it. */
static double cost_of(const struct hf_coulomb *coulomb, int leaf)
{
    const double *before = coulomb->before;
    const double near = coulomb->far != NULL ? hf_far_field_sum_near(coulomb->far, leaf, before)
                                             : before[coulomb->products->n_leaf];
    return (before[leaf + 1] - before[leaf]) * near;
}

/* Leaves of diffuse products have several times as many near ones as others: they are cut into more pieces. Expansions of later
 * builds have other near leaves, but not by much. */
void hf_coulomb_cut(struct hf_coulomb *coulomb)
{
    const struct hf_products *products = coulomb->products;
    const double wanted = wanted_tasks(coulomb);
    double whole = 0.0;
    coulomb->before[0] = 0.0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        coulomb->before[leaf + 1] = coulomb->before[leaf] + (double)hf_leaf_cost(products, leaf);
    for (int leaf = 0; leaf < products->n_leaf; leaf++) {
        coulomb->of_leaf[leaf] = cost_of(coulomb, leaf);
        whole += coulomb->of_leaf[leaf];
    }
    coulomb->n_task = 0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++) {
        const double cost = coulomb->of_leaf[leaf];
        /* without memory for the far field no leaf has near ones; ranks agree on that later */
        const double share = whole > 0.0 ? fmin(wanted * cost / whole, HF_MOST_PIECES) : 0.0;
        const int n = share > 1.0 ? (int)share : 1;
        hf_cut_leaf(products, leaf, (int64_t)(coulomb->before[leaf + 1] - coulomb->before[leaf]), n,
                    coulomb->piece + coulomb->n_task);
        for (int i = 0; i < n; i++) coulomb->cost[coulomb->n_task++] = cost / n;
    }
}
