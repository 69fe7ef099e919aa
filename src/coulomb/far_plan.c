/* Who does what in the far field, found once: the tree does not change between builds.
 *
 *     level 0          root              up      rounds of levels, the lowest first; the cells of a round are dealt to the
 *     level 1      o         o                   ranks by turns, and gathered before the next round
 *     level 2    o   x     x   o         across  inner cells and leaves, by turns
 *     level 3   x x           x x        down    level by level, or all at once for each leaf x: cells above this
 *                                                node's leaves
 */
#include "far_field_private.h"

#include "multipole/translation.h"

#include <string.h>

/** Lists cells with wanted[cell] by level. */
static void list_levels(struct hf_far_field *field, const unsigned char wanted[],
                        struct hf_levels *levels)
{
    const struct hf_products *products = field->products;
    int *first = HF_TAKE(&field->arena, levels->first, (size_t)field->n_level + 1);
    HF_TAKE(&field->arena, levels->cell, (size_t)products->n_cell);
    if (field->arena.failed) return;
    for (int level = 0, n = 0; level < field->n_level; level++) {
        for (int i = 0; i < products->n_cell; i++)
            if (wanted[i] != 0 && products->cell[i].level == level) levels->cell[n++] = i;
        first[level + 1] = n;
    }
}

/** Cells of the ways up and down by level. `wanted` [n_cell] is zero. */
static void find_levels(struct hf_far_field *field, unsigned char wanted[])
{
    const struct hf_products *products = field->products;
    const struct hf_cell *cell = products->cell;
    for (int i = 0; i < products->n_cell; i++) {
        wanted[i] = cell[i].leaf < 0;
        if (cell[i].level >= field->n_level) field->n_level = cell[i].level + 1;
    }
    list_levels(field, wanted, &field->up);
    memset(wanted, 0, (size_t)products->n_cell);
    for (int i = products->n_cell - 1; i >= 0; i--) { /* parents come before their children */
        if (cell[i].leaf >= 0)
            wanted[i] = hf_node_of_leaf(products, cell[i].leaf) == products->shares->node;
        if (cell[i].parent < 0)
            wanted[i] = 0;
        else if (wanted[i] != 0)
            wanted[cell[i].parent] = 1;
    }
    list_levels(field, wanted, &field->down);
}

/** Joins tree levels into one round while every worker of all ranks still has at most one vector of cells. A separate round
 *  costs the same time and one more gather. */
static void make_rounds(struct hf_far_field *field)
{
    const int *first = field->up.first;
    const double n_lane =
        (double)field->kernels->width * field->n_worker * field->products->shares->n_share;
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
}

static int ceil_of(int n, int parts)
{
    return (n + parts - 1) / parts;
}

/** Lists this node's leaves, and chooses the way down: leaf by leaf, with all cells above it side by side in the lanes, unless
 *  that takes more turns than level by level. */
static void find_own_leaves(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const int width = field->kernels->width, n_worker = products->shared->n_rank * field->n_worker;
    int n_turn = 0;
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        if (hf_node_of_leaf(products, leaf) == products->shares->node)
            field->own_leaf[field->n_own_leaf++] = products->leaf[leaf].cell;
    for (int level = 1; level < field->n_level; level++)
        n_turn += ceil_of(
            ceil_of(field->down.first[level + 1] - field->down.first[level], n_worker), width);
    field->to_leaves =
        ceil_of(field->n_own_leaf, n_worker) * ceil_of(field->n_level - 1, width) <= n_turn;
}

/** Slots of moments and local expansions: those of one rank follow each other, as gathers need them. */
static void find_slots(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    int n_inner = 0;
    for (int i = 0; i < products->n_cell; i++) {
        const int leaf = products->cell[i].leaf;
        field->local_slot[i] = (int)(leaf >= 0 ? hf_turn_slot(&products->leaves, leaf)
                                               : hf_turn_slot(&field->inner, n_inner++));
        if (leaf >= 0) field->moment_slot[i] = field->local_slot[i];
    }
    for (int k = 0; k < field->n_round; k++) {
        const struct hf_turns turns = hf_turns_of_round(field, &field->round[k]);
        const int first = field->round[k].first;
        for (int i = 0; i < turns.n; i++)
            field->moment_slot[field->up.cell[first + i]] =
                products->n_leaf + first + (int)hf_turn_slot(&turns, i);
    }
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

void hf_far_plan(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const size_t n_cell = (size_t)products->n_cell;
    struct hf_arena *arena = &field->arena;
    unsigned char *wanted = HF_TAKE(arena, wanted, n_cell);
    field->inner = (struct hf_turns){.n = products->n_cell - products->n_leaf,
                                     .n_share = products->shares->n_share,
                                     .down = true};
    HF_TAKE(arena, field->moment_slot, n_cell);
    HF_TAKE(arena, field->local_slot, n_cell);
    HF_TAKE(arena, field->own_leaf, (size_t)products->n_leaf);
    for (int t = 0; t < field->n_worker; t++) {
        HF_TAKE(arena, field->worker[t].mark, n_cell);
        HF_TAKE(arena, field->worker[t].path, n_cell);
    }
    if (!arena->failed) find_levels(field, wanted);
    HF_TAKE(arena, field->round, (size_t)field->n_level);
    if (arena->failed) return;
    make_rounds(field);
    find_own_leaves(field);
    find_slots(field);
    mark_cells(field);
    hf_arena_release(arena, wanted);
}
