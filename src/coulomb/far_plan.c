/* Who does what in the far field, found once: the tree does not change between builds. */
#include "far_field_private.h"

#include "multipole/translation.h"

#include <string.h>

/** Lists cells with wanted[cell] by level. */
static bool list_levels(struct hf_far_field *field, const unsigned char wanted[],
                        struct hf_levels *levels)
{
    const struct hf_products *products = field->products;
    int *first = levels->first =
        hf_arena_take(&field->arena, (size_t)field->n_level + 1, sizeof *first);
    HF_TAKE(&field->arena, levels->cell, (size_t)products->n_cell);
    if (first == NULL || levels->cell == NULL) return false;
    for (int i = 0; i < products->n_cell; i++) first[products->cell[i].level + 1] += wanted[i] != 0;
    for (int level = 0; level < field->n_level; level++) first[level + 1] += first[level];
    for (int i = 0; i < products->n_cell; i++)
        if (wanted[i] != 0) levels->cell[first[products->cell[i].level]++] = i;
    for (int level = field->n_level; level > 0; level--) first[level] = first[level - 1];
    first[0] = 0;
    return true;
}

/** Cells to be gone up and down by level. `wanted` [n_cell] is scratch. */
static bool find_levels(struct hf_far_field *field, unsigned char wanted[])
{
    const struct hf_products *products = field->products;
    const struct hf_cell *cell = products->cell;
    for (int i = 0; i < products->n_cell; i++) {
        wanted[i] = cell[i].leaf < 0;
        if (cell[i].level >= field->n_level) field->n_level = cell[i].level + 1;
    }
    if (!list_levels(field, wanted, &field->up)) return false;
    memset(wanted, 0, (size_t)products->n_cell);
    for (int i = products->n_cell - 1; i >= 0; i--) {
        if (cell[i].leaf >= 0)
            wanted[i] = hf_node_of_leaf(products, cell[i].leaf) == products->shares->node;
        if (cell[i].parent < 0)
            wanted[i] = 0;
        else if (wanted[i] != 0)
            wanted[cell[i].parent] = 1;
    }
    return list_levels(field, wanted, &field->down);
}

/** Joins levels of the way up while each worker, of all ranks, has one turn of its lanes: a level for itself would also be a
 *  turn, and a message to all nodes. */
static bool make_rounds(struct hf_far_field *field)
{
    const int *first = field->up.first;
    const double n_lane =
        (double)field->kernels->width * field->n_worker * field->products->shares->n_share;
    HF_TAKE(&field->arena, field->round, (size_t)field->n_level + 1);
    if (field->round == NULL) return false;
    for (int level = field->n_level - 1; level >= 0; level--) {
        struct hf_round round = {.last_level = level, .n_source = 2};
        const int end = first[level + 1];
        if (first[level] == end) continue;
        while (level > 0 && 2 * round.n_source <= field->kernels->width &&
               2.0 * round.n_source * (end - first[level - 1]) <= n_lane) {
            round.n_source *= 2;
            level--;
        }
        round.first = first[level];
        round.n = end - round.first;
        field->round[field->n_round++] = round;
    }
    return true;
}

static int ceil_of(int n, int parts)
{
    return (n + parts - 1) / parts;
}

/** Lists this node's leaves, and finds whether these take no more turns one by one, each with all cells above it in the lanes,
 *  than all levels take one after the other. */
static bool find_own_leaves(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const int width = field->kernels->width, n_worker = products->shared->n_rank * field->n_worker;
    int n_turn = 0;
    HF_TAKE(&field->arena, field->own_leaf, (size_t)products->n_leaf + 1);
    if (field->own_leaf == NULL) return false;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        if (hf_node_of_leaf(products, leaf) == products->shares->node)
            field->own_leaf[field->n_own_leaf++] = products->leaf[leaf].cell;
    for (int level = 1; level < field->n_level; level++)
        n_turn += ceil_of(
            ceil_of(field->down.first[level + 1] - field->down.first[level], n_worker), width);
    field->to_leaves =
        ceil_of(field->n_own_leaf, n_worker) * ceil_of(field->n_level - 1, width) <= n_turn;
    return true;
}

static bool find_slots(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const size_t n_cell = (size_t)products->n_cell;
    int *moment = field->moment_slot = hf_arena_take(&field->arena, n_cell, sizeof *moment);
    int *local = field->local_slot = hf_arena_take(&field->arena, n_cell, sizeof *local);
    int n_inner = 0;
    if (moment == NULL || local == NULL) return false;
    for (int i = 0; i < products->n_cell; i++) {
        const int leaf = products->cell[i].leaf;
        local[i] = (int)(leaf >= 0 ? hf_turn_slot(&products->leaves, leaf)
                                   : hf_turn_slot(&field->inner, n_inner++));
        if (leaf >= 0) moment[i] = local[i];
    }
    for (int k = 0; k < field->n_round; k++) {
        const struct hf_turns turns = hf_turns_of_round(field, &field->round[k]);
        const int first = field->round[k].first;
        for (int i = 0; i < turns.n; i++)
            moment[field->up.cell[first + i]] =
                products->n_leaf + first + (int)hf_turn_slot(&turns, i);
    }
    return true;
}

/** Marks this rank's cells: those of its turns go to its threads by turns. */
static void mark_cells(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const int share = products->shares->share;
    int n_inner = 0;
    for (int i = 0; i < products->n_cell; i++) {
        const int leaf = products->cell[i].leaf, item = leaf >= 0 ? leaf : n_inner++;
        const struct hf_turns *turns = leaf >= 0 ? &products->leaves : &field->inner;
        if (hf_turn_share(turns, item) != share) continue;
        unsigned char *mark = field->worker[item / turns->n_share % field->n_worker].mark;
        mark[i] |= HF_WALK_VISIT;
        for (int up = products->cell[i].parent; up >= 0; up = products->cell[up].parent)
            mark[up] |= HF_WALK_WITHIN;
    }
}

bool hf_far_plan(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const size_t n_cell = (size_t)products->n_cell;
    unsigned char *wanted = hf_arena_take(&field->arena, n_cell, 1);
    field->inner = (struct hf_turns){.n = products->n_cell - products->n_leaf,
                                     .n_share = products->shares->n_share,
                                     .down = true};
    for (int t = 0; t < field->n_worker; t++) {
        field->worker[t].mark = hf_arena_take(&field->arena, n_cell, 1);
        field->worker[t].path = hf_arena_take(&field->arena, n_cell, 1);
    }
    if (field->arena.failed || !find_levels(field, wanted) || !make_rounds(field) ||
        !find_own_leaves(field) || !find_slots(field))
        return false;
    mark_cells(field);
    hf_arena_release(&field->arena, wanted);
    return true;
}
