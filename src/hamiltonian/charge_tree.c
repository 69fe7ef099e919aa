/* Charges in the order of a tree of cells, whose leaves are rows, and the moments of cells of many charges. */
#include "far_charges.h"

#include "multipole/translation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Places from which on a conversion of moments takes less time than those of the charges one by one. */
static const int LEAST_PLACES = 64 * HF_CHARGE_LANES;

/** -1, 0 or 1 as the place of one charge is before, at or behind that of another. */
static int compare_places(const struct hf_spread_charge *a, const struct hf_spread_charge *b)
{
    const double *x = a->position_bohr, *y = b->position_bohr;
    for (int d = 0; d < 3; d++)
        if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct hf_spread_charge *a = left, *b = right;
    const int order = compare_places(a, b);
    if (order != 0) return order;
    if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    return (a->charge > b->charge) - (a->charge < b->charge);
}

/** Charges that are not zero, sorted by place; their number. */
static int sort(int n_charge, const struct hf_spread_charge charge[],
                struct hf_spread_charge sorted[])
{
    int n = 0;
    for (int c = 0; c < n_charge; c++)
        if (charge[c].charge != 0.0) sorted[n++] = charge[c];
    qsort(sorted, (size_t)n, sizeof *sorted, by_place);
    return n;
}

/** Places of sorted charges, each with the number of its first one; how many there are. */
static int find_places(int n, const struct hf_spread_charge sorted[], struct hf_cell_point place[])
{
    int n_place = 0;
    for (int c = 0; c < n; c++) {
        if (c > 0 && compare_places(&sorted[c], &sorted[c - 1]) == 0) continue;
        /* the first exponent of a place is the lowest */
        place[n_place] = (struct hf_cell_point){.exponent = sorted[c].exponent, .number = c};
        memcpy(place[n_place++].centre, sorted[c].position_bohr, sizeof place->centre);
    }
    return n_place;
}

hf_status hf_charge_tree_init(struct hf_charge_tree *tree, int n_charge,
                              struct hf_spread_charge charge[], struct hf_error *error)
{
    const size_t room = (size_t)n_charge + 1;
    struct hf_arena scratch = {.label = "a tree of charges"};
    struct hf_spread_charge *sorted = HF_TAKE(&scratch, sorted, room);
    struct hf_cell_point *place = HF_TAKE(&scratch, place, room);
    *tree = (struct hf_charge_tree){
        .arena = {.label = scratch.label},
        .cells = {.leaf_most = HF_CHARGE_LANES, .row = HF_CHARGE_LANES, .to = n_charge}};
    HF_TAKE(&tree->arena, tree->cells.cell, 2 * (room / HF_CHARGE_LANES + 1));
    hf_status status = hf_arena_check(&scratch, error);
    if (status == HF_OK) status = hf_arena_check(&tree->arena, error);
    if (status == HF_OK) {
        const int n = sort(n_charge, charge, sorted), n_place = find_places(n, sorted, place);
        int to = 0;
        if (n_place > 0) hf_add_cells(place, 0, n_place, &tree->cells);
        for (int i = 0; i < n_place; i++) {
            const struct hf_spread_charge *first = &sorted[place[i].number];
            for (const struct hf_spread_charge *from = first;
                 from < sorted + n && compare_places(from, first) == 0; from++)
                charge[to++] = *from;
        }
        while (to < n_charge) charge[to++] = (struct hf_spread_charge){.exponent = INFINITY};
    }
    hf_arena_done(&scratch);
    return status;
}

/** Moments of the charges of a cell about its centre. */
static void add_up(const struct hf_translation_kernels *kernels,
                   const struct hf_charge_places *places, const struct hf_cell *cell, double *room,
                   double moments[])
{
    const int width = kernels->width, size = hf_multipole_size(HF_CHARGE_ORDER);
    const int end = (int)cell->end;
    double *to = room, *shift = to + size * width, *charge = shift + 3 * width;
    double *scratch = charge + width;
    memset(to, 0, (size_t)(size * width) * sizeof *to);
    for (int i = (int)cell->begin; i < end; i += width) {
        for (int lane = 0; lane < width; lane++) {
            const int from = i + lane < end ? i + lane : i;
            charge[lane] = i + lane < end ? places->whole[from] : 0.0;
            for (int d = 0; d < 3; d++)
                shift[d * width + lane] = places->position[d][from] - cell->centre[d];
        }
        kernels->moments(0, HF_CHARGE_ORDER, shift, charge, to, scratch);
    }
    hf_sum_lanes(size, width, to, moments);
}

/** What the charges of a cell are as a source. */
static struct hf_expanded source_of(const struct hf_charge_places *places,
                                    const struct hf_cell *cell)
{
    struct hf_expanded source = {.radius = cell->radius, .exponent = cell->exponent};
    for (int i = places->first[cell->begin]; i < places->first[cell->end]; i++)
        source.strength[0] += fabs(places->charge[i]);
    return source;
}

hf_status hf_charge_tree_expand(struct hf_charge_tree *tree, struct hf_charge_places places,
                                struct hf_error *error)
{
    const struct hf_translation_kernels *kernels = hf_translation_choose();
    const size_t size = (size_t)hf_multipole_size(HF_CHARGE_ORDER);
    const size_t n_cell = (size_t)tree->cells.n_cell;
    struct hf_arena *arena = &tree->arena;
    size_t n_moments = 0;
    for (size_t i = 0; i < n_cell; i++)
        n_moments += tree->cells.cell[i].end - tree->cells.cell[i].begin >= LEAST_PLACES;
    tree->places = places;
    HF_TAKE(arena, tree->source, n_cell);
    HF_TAKE(arena, tree->moments_of, n_cell);
    double *next = HF_TAKE(arena, tree->moments, n_moments * size);
    double *room =
        HF_TAKE(arena, room, (size + 5 + HF_TRANSLATION_SCRATCH) * (size_t)kernels->width);
    const hf_status status = hf_arena_check(arena, error);
    for (size_t i = 0; status == HF_OK && i < n_cell; i++) {
        const struct hf_cell *cell = &tree->cells.cell[i];
        tree->source[i] = source_of(&places, cell);
        if (cell->end - cell->begin < LEAST_PLACES) continue;
        add_up(kernels, &places, cell, room, next);
        tree->moments_of[i] = next;
        next += size;
    }
    return status;
}
