/* The units that tasks consist of, in groups of similar cost; see task_units.h. */
#include "task_units.h"

#include "base/arithmetic.h"
#include "base/growing.h"

#include <math.h>
#include <stdlib.h>

/** Takes arrays from the arena, which may fail. */
static void list_shells(struct hf_shell_lists *lists, struct hf_arena *arena,
                        const struct hf_shell_pairs *pairs)
{
    const size_t n_shell = (size_t)pairs->basis->n_shell;
    lists->first = hf_arena_take(arena, n_shell + 2, sizeof(int64_t));
    lists->pair = hf_arena_take(arena, 2 * (size_t)pairs->n_pair, sizeof(int64_t));
    if (arena->failed) return;
    /* first[s + 2] counts the pairs of s, then first[s + 1] is where the next one of s goes */
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        lists->first[pairs->pair[k].a + 2]++;
        if (pairs->pair[k].a != pairs->pair[k].b) lists->first[pairs->pair[k].b + 2]++;
    }
    for (size_t s = 2; s < n_shell + 2; s++) lists->first[s] += lists->first[s - 1];
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        lists->pair[lists->first[pairs->pair[k].a + 1]++] = k;
        if (pairs->pair[k].a != pairs->pair[k].b)
            lists->pair[lists->first[pairs->pair[k].b + 1]++] = k;
    }
}

int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair)
{
    int64_t next;
    HF_BISECT(next, 0, pairs->n_atom_pair, i, pairs->atom_pair[i].first_pair > shell_pair);
    return (int)next - 1;
}

/** Costs of shells: those of all their pairs. */
static void find_shell_costs(const struct hf_shell_pairs *pairs, const struct hf_shell_lists *lists,
                             struct hf_ranked *unit)
{
    for (int s = 0; s < pairs->basis->n_shell; s++) {
        unit[s] = (struct hf_ranked){.number = s};
        for (int64_t k = lists->first[s]; k < lists->first[s + 1]; k++)
            unit[s].value += hf_shell_pair_cost(pairs, &pairs->pair[lists->pair[k]]);
    }
}

int64_t hf_task_units_bra_end(const struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                              int64_t first)
{
    const struct hf_atom_pair *atoms = &pairs->atom_pair[hf_atom_pair_of(pairs, first)];
    const int64_t last = atoms->first_pair + (int64_t)atoms->n_pair;
    int64_t end = first + 1;
    int n = pairs->class_of[pairs->pair[first].pair_class].n_function;
    for (; end < last && end < first + HF_MOST_TASK_BRAS; end++) {
        n += pairs->class_of[pairs->pair[end].pair_class].n_function;
        if (n > units->bra_functions) break;
    }
    return end;
}

/** Shell pairs as units, if tasks have all kets: their number. `unit` may be NULL. */
static int64_t list_bras(const struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                         struct hf_ranked *unit)
{
    int64_t n = 0;
    for (int64_t first = 0, end; first < pairs->n_pair; first = end, n++) {
        end = hf_task_units_bra_end(units, pairs, first);
        if (unit == NULL) continue;
        unit[n] = (struct hf_ranked){.number = first};
        for (int64_t k = first; k < end; k++)
            unit[n].value += hf_shell_pair_cost(pairs, &pairs->pair[k]);
    }
    return n;
}

/** Costs of the units; of shell pairs with all their kets, the product with their sum. */
static void find_costs(const struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                       struct hf_ranked *unit)
{
    const enum hf_grain grain = units->grain;
    if (units->kind == HF_TASK_OF_SHELLS) {
        find_shell_costs(pairs, &units->lists, unit);
        return;
    }
    if (grain == HF_GRAIN_ATOM_QUARTET) {
        for (int i = 0; i < pairs->n_atom_pair; i++)
            unit[i] = (struct hf_ranked){.number = i, .value = pairs->atom_pair[i].cost};
        return;
    }
    double sum = 0.0;
    list_bras(units, pairs, unit);
    if (units->kind != HF_TASK_UP_TO_BRA && units->kind != HF_TASK_EVERY_KET) return;
    for (int64_t i = 0; i < units->n; i++) {
        sum += unit[i].value;
        if (units->kind == HF_TASK_UP_TO_BRA) unit[i].value *= sum;
    }
    for (int64_t i = 0; i < units->n && units->kind == HF_TASK_EVERY_KET; i++) unit[i].value *= sum;
}

/** Cuts the sorted units into groups within a factor of the square root of 2; their number. */
static int make_groups(const struct hf_ranked *unit, int64_t n_unit, int64_t *group_first)
{
    int n_group = 0;
    double first_cost = 0.0;
    for (int64_t i = 0; i < n_unit; i++) {
        if (n_group == 0 || unit[i].value < first_cost * M_SQRT1_2) {
            if (group_first != NULL) group_first[n_group] = i;
            first_cost = unit[i].value;
            n_group++;
        }
    }
    if (group_first != NULL) group_first[n_group] = n_unit;
    return n_group;
}

/** A unit and its place on a curve through all pairs of atoms. */
struct unit_place {
    int64_t unit;
    uint64_t place;
};

static int by_place(const void *left, const void *right)
{
    const struct unit_place *x = left, *y = right;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/** Place of (i, j) on the curve that takes their bits in turns (Morton): pairs next to each other
 * on it share atoms, so that a tile of k x k pairs meets about 4 sqrt(k) atoms and 4 k pairs of bra
 *  with ket atoms, where rows of pairs would make it meet k x k. */
static uint64_t curve_place(uint32_t i, uint32_t j)
{
    uint64_t place = 0;
    for (int bit = 0; bit < 32; bit++)
        place |=
            ((uint64_t)(i >> bit & 1) << (2 * bit + 1)) | ((uint64_t)(j >> bit & 1) << (2 * bit));
    return place;
}

/** The two atoms, or shells, of a unit. */
static uint64_t unit_place(const struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                           int64_t unit)
{
    if (units->kind == HF_TASK_OF_SHELLS) return (uint64_t)unit;
    if (units->grain == HF_GRAIN_ATOM_QUARTET)
        return curve_place((uint32_t)pairs->atom_pair[unit].atom_a,
                           (uint32_t)pairs->atom_pair[unit].atom_b);
    return curve_place((uint32_t)pairs->pair[unit].a, (uint32_t)pairs->pair[unit].b);
}

/** Units of a group along the curve; `place` is room for [n_unit]. */
static void sort_groups(struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                        struct unit_place *place)
{
    for (int64_t i = 0; i < units->n; i++)
        place[i] = (struct unit_place){units->unit[i], unit_place(units, pairs, units->unit[i])};
    for (int g = 0; g < units->n_group; g++) {
        const int64_t first = units->group_first[g], last = units->group_first[g + 1];
        qsort(place + first, (size_t)(last - first), sizeof *place, by_place);
    }
    for (int64_t i = 0; i < units->n; i++) units->unit[i] = place[i].unit;
}

static enum hf_task_kind kind_of_tasks(const struct hf_task_order *order)
{
    if (order->quartets == HF_QUARTETS_OF_SHELLS) return HF_TASK_OF_SHELLS;
    if (order->quartets == HF_QUARTETS_EVERY_KET) return HF_TASK_EVERY_KET;
    return order->grain == HF_GRAIN_SHELL_PAIR ? HF_TASK_UP_TO_BRA : HF_TASK_TILE;
}

/** Cuts the sorted units into groups of similar cost, and sorts each group by unit_place. */
static void find_groups(struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                        struct hf_arena *arena, const struct hf_ranked *unit)
{
    units->n_group = make_groups(unit, units->n, NULL);
    HF_TAKE(arena, units->group_first, (size_t)units->n_group + 1);
    HF_TAKE(arena, units->group_cost, (size_t)units->n_group);
    struct unit_place *place = HF_TAKE(arena, place, (size_t)units->n);
    if (arena->failed) return;
    make_groups(unit, units->n, units->group_first);
    for (int g = 0; g < units->n_group; g++)
        units->group_cost[g] = unit[units->group_first[g]].value;
    sort_groups(units, pairs, place);
    hf_arena_release(arena, place);
}

void hf_task_units_init(struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                        const struct hf_task_order *order, struct hf_arena *arena)
{
    *units = (struct hf_task_units){.grain = order->grain, .kind = kind_of_tasks(order)};
    if (units->kind == HF_TASK_EVERY_KET) units->bra_functions = order->bra_functions;
    if (units->kind == HF_TASK_OF_SHELLS) {
        units->n = pairs->basis->n_shell;
        list_shells(&units->lists, arena, pairs);
    } else {
        units->n = units->grain == HF_GRAIN_ATOM_QUARTET ? pairs->n_atom_pair
                                                         : list_bras(units, pairs, NULL);
    }
    struct hf_ranked *unit = HF_TAKE(arena, unit, (size_t)units->n);
    HF_TAKE(arena, units->unit, (size_t)units->n);
    if (arena->failed) return;
    find_costs(units, pairs, unit);
    hf_sort_falling(units->n, unit);
    for (int64_t i = 0; i < units->n; i++) units->unit[i] = unit[i].number;
    if (units->n > 0) units->highest = unit[0].value;
    if (units->kind == HF_TASK_TILE || units->kind == HF_TASK_OF_SHELLS)
        find_groups(units, pairs, arena, unit);
    hf_arena_release(arena, unit);
}
