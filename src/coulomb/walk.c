/* Which cells are far from each other. A pair of cells that is not far is divided, the larger cell first, until
 * the pair is far or both are leaves. The decision depends on the two cells only, so that near leaves can be
 * found later, for one leaf, in agreement with the far cells. */
#include "walk.h"

static void append(struct hf_walk *walk, struct hf_cell_list *list, int item)
{
    if (hf_arena_grow(&walk->arena, &list->item, list->n + 1, &list->room, sizeof item))
        list->item[list->n++] = item;
}

bool hf_walk_add_near(struct hf_walk *walk, int first, int n)
{
    walk->arena.failed = false;
    for (int i = 0; i < n && !walk->arena.failed; i++) append(walk, &walk->near, first + i);
    return !walk->arena.failed;
}

struct journey {
    const struct hf_products *products;
    const struct hf_reach *reach;
    const unsigned char *mark;
    struct hf_walk *walk;
    void (*visit)(void *self, int cell);
    void *self;
};

/** Decides on a pair of cells, or on what is within the second. */
static void meet(const struct journey *to, int bra, int ket)
{
    const struct hf_cell *cell = to->products->cell, *a = &cell[bra], *b = &cell[ket];
    if (hf_well_separated(&to->reach->bra[bra], &to->reach->ket[ket], hf_cell_distance(a, b),
                          to->reach->order, to->reach->tolerance[ket])) {
        append(to->walk, &to->walk->far, ket);
    } else if (b->leaf < 0 && (a->leaf >= 0 || b->radius > a->radius)) {
        meet(to, bra, ket + 1);
        meet(to, bra, cell[ket + 1].next);
    } else if (a->leaf >= 0) {
        append(to->walk, &to->walk->near, b->leaf);
    } else {
        append(to->walk, &to->walk->waiting, ket);
    }
}

/** A cell, for which those from number `first` on are waiting, and what is within it. */
static void go_down(const struct journey *to, int bra, int first)
{
    struct hf_walk *walk = to->walk;
    const int end = walk->waiting.n;
    if (to->mark[bra] == 0) return;
    walk->far.n = walk->near.n = 0;
    for (int i = first; i < end; i++) meet(to, bra, walk->waiting.item[i]);
    if ((to->mark[bra] & HF_WALK_VISIT) != 0 && !walk->arena.failed && to->visit != NULL)
        to->visit(to->self, bra);
    if ((to->mark[bra] & HF_WALK_WITHIN) != 0 && !walk->arena.failed) {
        go_down(to, bra + 1, end);
        go_down(to, to->products->cell[bra + 1].next, end);
    }
    walk->waiting.n = end;
}

bool hf_walk_cells(const struct hf_products *products, const struct hf_reach *reach,
                   const unsigned char mark[], struct hf_walk *walk,
                   void (*visit)(void *self, int cell), void *self)
{
    const struct journey to = {.products = products,
                               .reach = reach,
                               .mark = mark,
                               .walk = walk,
                               .visit = visit,
                               .self = self};
    walk->arena.failed = false;
    walk->waiting.n = 0;
    for (int i = 0; i < products->n_cell; i = products->cell[i].next)
        append(walk, &walk->waiting, i);
    for (int i = 0; i < products->n_cell && !walk->arena.failed; i = products->cell[i].next)
        go_down(&to, i, 0);
    return !walk->arena.failed;
}
