/* The numbering of tasks in falling cost; see tasks.h. */
#include "tasks.h"

#include "base/arithmetic.h"
#include "base/growing.h"
#include "cost_curve.h"

#include <math.h>
#include <stdlib.h>

/** One product of two groups, with the tasks numbered first .. first + count - 1. */
struct task_block {
    int group_a, group_b;
    double cost;  /**< of its most expensive pair of units */
    int64_t tile; /**< units along the side of a task */
    bool rows;    /**< tasks are one bra with a tile of kets, not a tile with a tile */
    int n_slice;  /**< parts that each of these is cut into, as tasks */
    int64_t first, count;
    int64_t step; /**< from one task to the next in scattered order, coprime with count */
};

struct hf_task_list {
    struct hf_arena arena; /**< of all arrays */
    int64_t n_unit, n_task;
    int64_t *unit;        /**< [n_unit] in falling cost */
    int64_t *group_first; /**< [n_group + 1] into unit */
    struct task_block *block;
    int n_group, n_block;
    enum hf_grain grain;
    bool all_kets;               /**< tasks are single units */
    int bra_functions;           /**< hf_task_order */
    bool every_ket;              /**< these meet all units, not only those up to them */
    bool of_shells;              /**< units are shells */
    struct hf_shell_lists lists; /**< then their pairs */
    double dearest; /**< cost of the most expensive task, if no quartet were negligible */
};

static int by_falling_block_cost(const void *left, const void *right)
{
    const struct task_block *x = left, *y = right;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    if (x->group_a != y->group_a) return x->group_a < y->group_a ? -1 : 1;
    return (x->group_b > y->group_b) - (x->group_b < y->group_b);
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

int64_t hf_task_list_bra_end(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                             int64_t first)
{
    const struct hf_atom_pair *atoms = &pairs->atom_pair[hf_atom_pair_of(pairs, first)];
    const int64_t last = atoms->first_pair + (int64_t)atoms->n_pair;
    int64_t end = first + 1;
    int n = pairs->class_of[pairs->pair[first].pair_class].n_function;
    for (; end < last && end < first + HF_MOST_TASK_BRAS; end++) {
        n += pairs->class_of[pairs->pair[end].pair_class].n_function;
        if (n > list->bra_functions) break;
    }
    return end;
}

/** Shell pairs as units, if tasks have all kets: their number. `unit` may be NULL. */
static int64_t list_bras(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                         struct hf_ranked *unit)
{
    int64_t n = 0;
    for (int64_t first = 0, end; first < pairs->n_pair; first = end, n++) {
        end = hf_task_list_bra_end(list, pairs, first);
        if (unit == NULL) continue;
        unit[n] = (struct hf_ranked){.number = first};
        for (int64_t k = first; k < end; k++)
            unit[n].value += hf_shell_pair_cost(pairs, &pairs->pair[k]);
    }
    return n;
}

/** Costs of the units; of shell pairs with all their kets, the product with their sum. */
static void find_costs(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                       struct hf_ranked *unit)
{
    const enum hf_grain grain = list->grain;
    if (list->of_shells) {
        find_shell_costs(pairs, &list->lists, unit);
        return;
    }
    if (grain == HF_GRAIN_ATOM_QUARTET) {
        for (int i = 0; i < pairs->n_atom_pair; i++)
            unit[i] = (struct hf_ranked){.number = i, .value = pairs->atom_pair[i].cost};
        return;
    }
    double sum = 0.0;
    list_bras(list, pairs, unit);
    for (int64_t i = 0; i < list->n_unit && list->all_kets; i++) {
        sum += unit[i].value;
        if (!list->every_ket) unit[i].value *= sum;
    }
    for (int64_t i = 0; i < list->n_unit && list->every_ket; i++) unit[i].value *= sum;
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
static uint64_t unit_place(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                           int64_t unit)
{
    if (list->of_shells) return (uint64_t)unit;
    if (list->grain == HF_GRAIN_ATOM_QUARTET)
        return curve_place((uint32_t)pairs->atom_pair[unit].atom_a,
                           (uint32_t)pairs->atom_pair[unit].atom_b);
    return curve_place((uint32_t)pairs->pair[unit].a, (uint32_t)pairs->pair[unit].b);
}

/** Units of a group along the curve; `place` is room for [n_unit]. */
static void sort_groups(struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                        struct unit_place *place)
{
    for (int64_t i = 0; i < list->n_unit; i++)
        place[i] = (struct unit_place){list->unit[i], unit_place(list, pairs, list->unit[i])};
    for (int g = 0; g < list->n_group; g++) {
        const int64_t first = list->group_first[g], last = list->group_first[g + 1];
        qsort(place + first, (size_t)(last - first), sizeof *place, by_place);
    }
    for (int64_t i = 0; i < list->n_unit; i++) list->unit[i] = place[i].unit;
}

/** A step through 0 .. n-1 that reaches every number once, and that is long: next to the golden section of n, or
 *  as long as n times the step allows. */
static int64_t scattering_step(int64_t n)
{
    int64_t step = (int64_t)(0.6180339887498949 * (double)n);
    if (step > INT64_MAX / n) step = INT64_MAX / n;
    while (step > 1 && hf_greatest_common_divisor(n, step) != 1) step--;
    return step < 1 ? 1 : step;
}

static int64_t group_size(const struct hf_task_list *list, int group)
{
    return list->group_first[group + 1] - list->group_first[group];
}

static int64_t n_tile(const struct hf_task_list *list, int group, int64_t tile)
{
    return (group_size(list, group) + tile - 1) / tile;
}

/** Tasks of a group with itself where a task is one bra with a tile of kets: those of a whole tile
 * of bras, then of the remaining bras. */
static int64_t n_row_task(const struct hf_task_list *list, int group, int64_t tile)
{
    const int64_t n = group_size(list, group);
    const int64_t whole = n / tile;
    return tile * whole * (whole + 1) / 2 + n % tile * (whole + 1);
}

/** Tasks of two groups. */
static int64_t n_block_task(const struct hf_task_list *list, const struct task_block *block)
{
    const int a = block->group_a, b = block->group_b;
    const int64_t tile = block->tile, n_a = group_size(list, a);
    const int64_t tiles_a = n_tile(list, a, tile), tiles_b = n_tile(list, b, tile);
    if (block->rows) return a == b ? n_row_task(list, a, tile) : n_a * tiles_b;
    return a == b ? tiles_a * (tiles_a + 1) / 2 : tiles_a * tiles_b;
}

/** Upper estimate of the cost of all pairs of units: every pair counts as the most expensive one of its block. */
static double total_cost(const struct hf_task_list *list)
{
    double total = 0.0;
    for (int i = 0; i < list->n_block; i++) {
        const struct task_block *block = &list->block[i];
        const double n_a = (double)group_size(list, block->group_a);
        const double n_b = (double)group_size(list, block->group_b);
        total +=
            block->cost * (block->group_a == block->group_b ? 0.5 * n_a * (n_a + 1.0) : n_a * n_b);
    }
    return total;
}

/** Number of pairs of a block in a task: at most an even share of the total cost. Many kets fill the batches of
 *  one bra, so the shell pairs of the bra are divided before the kets. Once these cannot be divided further, tasks
 *  may be larger than a share, as long as they are short of kets. */
static void choose_tile(const struct hf_task_order *order, double share, struct task_block *block)
{
    enum { LARGEST_ROWS_AREA = 200 };
    const double most_shares = 2.5;
    const double area = share / block->cost, row = order->largest_row;
    block->n_slice = 1;
    block->tile = 1;
    block->rows = true;
    if (order->quartets == HF_QUARTETS_OF_SHELLS) return; /* two shells are a task */
    block->rows = order->largest_side == 0 || area < LARGEST_ROWS_AREA;
    if (!block->rows) {
        block->tile = (int64_t)fmin(sqrt(area), order->largest_side);
    } else {
        if (area < row) block->n_slice = (int)fmin(ceil(row / area), order->most_slices);
        const double wanted =
            area * block->n_slice * (block->n_slice == order->most_slices ? most_shares : 1.0);
        block->tile = (int64_t)fmax(1.0, fmin(wanted, row));
    }
}

/** Cost of the most expensive task of a block. */
static double largest_task(const struct task_block *block)
{
    const double tile = (double)block->tile;
    return block->cost * tile * (block->rows ? 1.0 : tile) / block->n_slice;
}

/** `matters`: share of the cost that remains after screening. */
static void make_blocks(struct hf_task_list *list, const struct hf_ranked *unit,
                        const struct hf_task_order *order, double matters)
{
    for (int a = 0; a < list->n_group; a++) {
        for (int b = a; b < list->n_group; b++) {
            list->block[list->n_block++] = (struct task_block){
                .group_a = a,
                .group_b = b,
                .cost = unit[list->group_first[a]].value * unit[list->group_first[b]].value,
            };
        }
    }
    qsort(list->block, (size_t)list->n_block, sizeof *list->block, by_falling_block_cost);
    const double share = matters * total_cost(list) / order->n_wanted;
    for (int i = 0; i < list->n_block; i++) {
        struct task_block *block = &list->block[i];
        choose_tile(order, share, block);
        block->first = list->n_task;
        block->count = n_block_task(list, block) * block->n_slice;
        block->step = order->scatter ? scattering_step(block->count) : 1;
        list->n_task += block->count;
        list->dearest = fmax(list->dearest, largest_task(block));
    }
}

hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error)
{
    const enum hf_grain grain = order->grain;
    struct hf_task_list *made = calloc(1, sizeof *made);
    if (made == NULL) goto no_memory;
    made->arena = (struct hf_arena){.memory = context->memory, .label = "the list of tasks"};
    made->grain = grain;
    made->of_shells = order->quartets == HF_QUARTETS_OF_SHELLS;
    made->all_kets = grain == HF_GRAIN_SHELL_PAIR && !made->of_shells;
    made->every_ket = made->all_kets && order->quartets == HF_QUARTETS_EVERY_KET;
    made->bra_functions = made->every_ket ? order->bra_functions : 0;
    made->n_unit =
        grain == HF_GRAIN_ATOM_QUARTET ? pairs->n_atom_pair : list_bras(made, pairs, NULL);
    if (made->of_shells) made->n_unit = pairs->basis->n_shell;
    if (made->of_shells) hf_shell_lists_init(&made->lists, &made->arena, pairs);
    const size_t n_unit = (size_t)made->n_unit;
    struct hf_ranked *unit = HF_TAKE(&made->arena, unit, n_unit);
    struct unit_place *place = HF_TAKE(&made->arena, place, n_unit);
    HF_TAKE(&made->arena, made->unit, n_unit);
    if (made->arena.failed) goto no_memory;
    find_costs(made, pairs, unit);
    hf_sort_falling(made->n_unit, unit);
    for (size_t i = 0; i < n_unit; i++) made->unit[i] = unit[i].number;

    if (made->all_kets) {
        made->n_task = made->n_unit;
        made->dearest = n_unit > 0 ? unit[0].value : 0.0;
    } else {
        made->n_group = make_groups(unit, made->n_unit, NULL);
        const size_t n_group = (size_t)made->n_group;
        HF_TAKE(&made->arena, made->group_first, n_group + 1);
        HF_TAKE(&made->arena, made->block, n_group * (n_group + 1) / 2);
        if (made->arena.failed) goto no_memory;
        make_groups(unit, made->n_unit, made->group_first);
        make_blocks(made, unit, order, made->of_shells ? 1.0 : hf_share_that_matters(pairs, grain));
        sort_groups(made, pairs, place);
    }
    hf_arena_release(&made->arena, place);
    hf_arena_release(&made->arena, unit);
    *list = made;
    return HF_OK;
no_memory:
    hf_task_list_destroy(&made);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the list of tasks");
}

void hf_task_list_destroy(struct hf_task_list **list)
{
    struct hf_task_list *old = *list;
    if (old != NULL) {
        hf_arena_done(&old->arena);
        free(old);
    }
    *list = NULL;
}

int64_t hf_task_list_size(const struct hf_task_list *list)
{
    return list->n_task;
}

enum hf_grain hf_task_list_grain(const struct hf_task_list *list)
{
    return list->grain;
}

const struct hf_shell_lists *hf_task_list_of_shells(const struct hf_task_list *list)
{
    return list->of_shells ? &list->lists : NULL;
}

double hf_task_list_dearest(const struct hf_task_list *list)
{
    return list->dearest;
}

void hf_task_list_levels(const struct hf_task_list *list, struct hf_task_levels *levels)
{
    int level = HF_N_TASK_LEVEL - 1; /* whole octaves are exact, so all ranks find the same */
    *levels = list->n_block > 0 ? (struct hf_task_levels){{0}} : hf_equal_tasks(list->n_task);
    for (int i = 0; i < list->n_block; i++) {
        const struct task_block *block = &list->block[i];
        const double share = list->dearest > 0.0 ? largest_task(block) / list->dearest : 1.0;
        const int octaves = share > 0.0 ? ilogb(share) : -HF_N_TASK_LEVEL;
        const int own = HF_N_TASK_LEVEL - 1 + HF_LEVELS_PER_OCTAVE * octaves;
        if (own < level) level = own > 1 ? own : 1; /* a block of smaller tiles may come first */
        levels->count[level] += block->count;
    }
}

/** Row r of the triangle 0; 1 2; 3 4 5; ... that holds number k: largest r with r(r+1)/2 <= k. */
static int64_t triangle_row(int64_t k)
{
    int64_t row = (int64_t)((sqrt(8.0 * (double)k + 1.0) - 1.0) / 2.0);
    while (row * (row + 1) / 2 > k) row--;
    while ((row + 1) * (row + 2) / 2 <= k) row++;
    return row;
}

/** The block that task `index` belongs to. */
static const struct task_block *find_block(const struct hf_task_list *list, int64_t index)
{
    int low = 0, high = list->n_block - 1; /* last block that starts at or before index */
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (list->block[middle].first <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &list->block[low];
}

/** Tiles `row` and `column` of two groups. */
static struct hf_task tile_task(const struct hf_task_list *list, const struct task_block *block,
                                int64_t row, int64_t column)
{
    const int64_t *first_a = &list->group_first[block->group_a];
    const int64_t *first_b = &list->group_first[block->group_b];
    struct hf_task task = {
        .bra_begin = first_a[0] + row * block->tile,
        .ket_begin = first_b[0] + column * block->tile,
        .triangle = block->group_a == block->group_b && row == column,
    };
    task.bra_end =
        task.bra_begin + block->tile < first_a[1] ? task.bra_begin + block->tile : first_a[1];
    task.ket_end =
        task.ket_begin + block->tile < first_b[1] ? task.ket_begin + block->tile : first_b[1];
    return task;
}

/** One bra with part `column` of the first `n_ket` units of another group (or its own), which are
 * cut into `n_part` about equal parts: a round-robin over tasks must not meet long and short ones
 * in turns. */
static struct hf_task make_row(const struct hf_task_list *list, const struct task_block *block,
                               int64_t row, int64_t column, int64_t n_ket, int64_t n_part)
{
    const int64_t bra = list->group_first[block->group_a] + row;
    const int64_t first = list->group_first[block->group_b];
    return (struct hf_task){.bra_begin = bra,
                            .bra_end = bra + 1,
                            .ket_begin = first + n_ket * column / n_part,
                            .ket_end = first + n_ket * (column + 1) / n_part};
}

/** Task k of a group with itself where a task is one bra with some kets. Of tile q of the bras,
 * each bra has q + 1 tasks, and tile * q (q+1) / 2 come before. */
static struct hf_task row_of_triangle(const struct hf_task_list *list,
                                      const struct task_block *block, int64_t k)
{
    const int64_t q = triangle_row(k / block->tile);
    const int64_t rest = k - block->tile * (q * (q + 1) / 2);
    const int64_t row = q * block->tile + rest / (q + 1);
    return make_row(list, block, row, rest % (q + 1), row + 1, q + 1);
}

/** Task k of a block, all slices together. */
static struct hf_task whole_task(const struct hf_task_list *list, const struct task_block *block,
                                 int64_t k)
{
    const bool triangle = block->group_a == block->group_b;
    if (block->rows && triangle) return row_of_triangle(list, block, k);
    const int64_t n_b = n_tile(list, block->group_b, block->tile);
    const int64_t row = triangle ? triangle_row(k) : k / n_b;
    const int64_t column = triangle ? k - row * (row + 1) / 2 : k % n_b;
    if (block->rows)
        return make_row(list, block, row, column, group_size(list, block->group_b), n_b);
    return tile_task(list, block, row, column);
}

struct hf_task hf_task_list_get(const struct hf_task_list *list, int64_t index)
{
    if (list->all_kets)
        return (struct hf_task){.bra_begin = index,
                                .bra_end = index + 1,
                                .all_kets = true,
                                .every_ket = list->every_ket,
                                .n_slice = 1};
    const struct task_block *block = find_block(list, index);
    const int64_t place = (index - block->first) * block->step % block->count;
    /* Slice by slice, so that a round-robin does not give one rank the expensive slices of all tasks. */
    const int64_t n_whole = block->count / block->n_slice;
    struct hf_task task = whole_task(list, block, place % n_whole);
    task.slice = (int)(place / n_whole);
    task.n_slice = block->n_slice;
    task.of_shells = list->of_shells;
    return task;
}

int64_t hf_task_list_unit(const struct hf_task_list *list, int64_t position)
{
    return list->unit[position];
}
