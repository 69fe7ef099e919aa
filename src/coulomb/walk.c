/* Which cells are far from which: pairs of cells that are not far are taken apart, the larger one first,
 * until they are or both are leaves. What is decided of a pair depends on the two only, so that a leaf
 * finds its near leaves alone and all agree with what was dealt with as far. */
#include "walk.h"

#include <stdlib.h>

void hf_walk_done(struct hf_walk *walk)
{
    free(walk->waiting);
    free(walk->far);
    free(walk->near);
    *walk = (struct hf_walk){.n_far = 0};
}

/** Room for one more; false: there is none. */
static bool grow(int **list, size_t n, size_t *room)
{
    enum { FIRST = 256 };
    if (n < *room) return true;
    const size_t wanted = *room == 0 ? FIRST : 2 * *room;
    int *larger = realloc(*list, wanted * sizeof **list);
    if (larger == NULL) return false;
    *list = larger;
    *room = wanted;
    return true;
}

static void append(struct hf_walk *walk, int **list, int *n, int *room, int cell)
{
    size_t all = (size_t)*room;
    if (!grow(list, (size_t)*n, &all)) {
        walk->failed = true;
        return;
    }
    *room = (int)all;
    (*list)[(*n)++] = cell;
}

static void wait(struct hf_walk *walk, int cell)
{
    if (!grow(&walk->waiting, walk->n_waiting, &walk->room))
        walk->failed = true;
    else
        walk->waiting[walk->n_waiting++] = cell;
}

struct journey {
    const struct hf_products *products;
    const struct hf_reach *reach;
    int begin, end;
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
        append(to->walk, &to->walk->far, &to->walk->n_far, &to->walk->far_room, ket);
    } else if (b->leaf < 0 && (a->leaf >= 0 || b->radius > a->radius)) {
        meet(to, bra, ket + 1);
        meet(to, bra, cell[ket + 1].next);
    } else if (a->leaf >= 0) {
        append(to->walk, &to->walk->near, &to->walk->n_near, &to->walk->near_room, b->leaf);
    } else {
        wait(to->walk, ket);
    }
}

/** A cell, for which those from number `first` on are waiting, and what is within it. */
static void go_down(const struct journey *to, int bra, size_t first)
{
    struct hf_walk *walk = to->walk;
    const struct hf_cell *cell = &to->products->cell[bra];
    const size_t end = walk->n_waiting;
    if (bra >= to->end || cell->next <= to->begin) return;
    walk->n_far = walk->n_near = 0;
    for (size_t i = first; i < end; i++) meet(to, bra, walk->waiting[i]);
    if (bra >= to->begin && !walk->failed) to->visit(to->self, bra);
    if (cell->leaf < 0 && !walk->failed) {
        go_down(to, bra + 1, end);
        go_down(to, to->products->cell[bra + 1].next, end);
    }
    walk->n_waiting = end;
}

bool hf_walk_cells(const struct hf_products *products, const struct hf_reach *reach, int begin,
                   int end, struct hf_walk *walk, void (*visit)(void *self, int cell), void *self)
{
    const struct journey to = {.products = products,
                               .reach = reach,
                               .begin = begin,
                               .end = end,
                               .walk = walk,
                               .visit = visit,
                               .self = self};
    walk->failed = false;
    walk->n_waiting = 0;
    for (int i = 0; i < products->n_cell; i = products->cell[i].next) wait(walk, i);
    for (int i = 0; i < products->n_cell && !walk->failed; i = products->cell[i].next)
        go_down(&to, i, 0);
    return !walk->failed;
}
