/* The numbering of tasks in falling cost; see tasks.h. */
#include "tasks.h"

#include "base/arithmetic.h"
#include "cost_curve.h"

#include <math.h>
#include <stdlib.h>

/** One product of two groups, with the tasks numbered first .. first + count - 1. */
struct hf_task_block {
    int group_a, group_b;
    double cost;  /**< of its most expensive pair of units */
    int64_t tile; /**< units along the side of a task */
    bool rows;    /**< tasks are one bra with a tile of kets, not a tile with a tile */
    int n_slice;  /**< parts that each of these is cut into, as tasks */
    int64_t first, count;
    int64_t step; /**< from one task to the next in scattered order, coprime with count */
};

static int by_falling_block_cost(const void *left, const void *right)
{
    const struct hf_task_block *x = left, *y = right;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    if (x->group_a != y->group_a) return x->group_a < y->group_a ? -1 : 1;
    return (x->group_b > y->group_b) - (x->group_b < y->group_b);
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
    return list->units.group_first[group + 1] - list->units.group_first[group];
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
static int64_t n_block_task(const struct hf_task_list *list, const struct hf_task_block *block)
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
        const struct hf_task_block *block = &list->block[i];
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
static void choose_tile(const struct hf_task_order *order, double share,
                        struct hf_task_block *block)
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
static double largest_task(const struct hf_task_block *block)
{
    const double tile = (double)block->tile;
    return block->cost * tile * (block->rows ? 1.0 : tile) / block->n_slice;
}

/** `matters`: share of the cost that remains after screening. */
static void make_blocks(struct hf_task_list *list, const struct hf_task_order *order,
                        double matters)
{
    for (int a = 0; a < list->units.n_group; a++) {
        for (int b = a; b < list->units.n_group; b++) {
            list->block[list->n_block++] = (struct hf_task_block){
                .group_a = a,
                .group_b = b,
                .cost = list->units.group_cost[a] * list->units.group_cost[b],
            };
        }
    }
    qsort(list->block, (size_t)list->n_block, sizeof *list->block, by_falling_block_cost);
    const double share = matters * total_cost(list) / order->n_wanted;
    for (int i = 0; i < list->n_block; i++) {
        struct hf_task_block *block = &list->block[i];
        choose_tile(order, share, block);
        block->first = list->n_task;
        block->count = n_block_task(list, block) * block->n_slice;
        block->step = order->scatter ? scattering_step(block->count) : 1;
        list->n_task += block->count;
        list->highest = fmax(list->highest, largest_task(block));
    }
}

hf_status hf_task_list_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                              const struct hf_task_order *order, struct hf_task_list **list,
                              struct hf_error *error)
{
    struct hf_task_list *made;
    if (HF_NEW(made, context->memory, "the list of tasks") == NULL)
        return hf_arena_check_new(made, error);
    struct hf_arena *arena = &made->arena;
    hf_task_units_init(&made->units, pairs, order, arena);
    const size_t n_group = (size_t)made->units.n_group;
    if (n_group > 0) HF_TAKE(arena, made->block, n_group * (n_group + 1) / 2);
    const hf_status status = hf_arena_check(arena, error);
    if (status != HF_OK) {
        hf_arena_free(&made);
        return status;
    }
    if (n_group > 0) {
        const bool of_shells = made->units.kind == HF_TASK_OF_SHELLS;
        make_blocks(made, order, of_shells ? 1.0 : hf_share_that_matters(pairs, order->grain));
    } else {
        made->n_task = made->units.n;
        made->highest = made->units.highest;
    }
    *list = made;
    return HF_OK;
}

void hf_task_list_levels(const struct hf_task_list *list, struct hf_task_levels *levels)
{
    int level = HF_N_TASK_LEVEL - 1; /* whole octaves are exact, so all ranks find the same */
    *levels = list->n_block > 0 ? (struct hf_task_levels){{0}} : hf_equal_tasks(list->n_task);
    for (int i = 0; i < list->n_block; i++) {
        const struct hf_task_block *block = &list->block[i];
        const double share = list->highest > 0.0 ? largest_task(block) / list->highest : 1.0;
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
static const struct hf_task_block *find_block(const struct hf_task_list *list, int64_t index)
{
    int64_t next;
    HF_BISECT(next, 0, list->n_block, i, list->block[i].first > index);
    return &list->block[next - 1];
}

/** Tiles `row` and `column` of two groups. */
static struct hf_task tile_task(const struct hf_task_list *list, const struct hf_task_block *block,
                                int64_t row, int64_t column)
{
    const int64_t *first_a = &list->units.group_first[block->group_a];
    const int64_t *first_b = &list->units.group_first[block->group_b];
    struct hf_task task = {
        .bra_begin = first_a[0] + row * block->tile,
        .ket_begin = first_b[0] + column * block->tile,
        .kind = block->group_a == block->group_b && row == column ? HF_TASK_TRIANGLE : HF_TASK_TILE,
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
static struct hf_task make_row(const struct hf_task_list *list, const struct hf_task_block *block,
                               int64_t row, int64_t column, int64_t n_ket, int64_t n_part)
{
    const int64_t bra = list->units.group_first[block->group_a] + row;
    const int64_t first = list->units.group_first[block->group_b];
    return (struct hf_task){.bra_begin = bra,
                            .bra_end = bra + 1,
                            .ket_begin = first + n_ket * column / n_part,
                            .ket_end = first + n_ket * (column + 1) / n_part};
}

/** Task k of a group with itself where a task is one bra with some kets. Of tile q of the bras,
 * each bra has q + 1 tasks, and tile * q (q+1) / 2 come before. */
static struct hf_task row_of_triangle(const struct hf_task_list *list,
                                      const struct hf_task_block *block, int64_t k)
{
    const int64_t q = triangle_row(k / block->tile);
    const int64_t rest = k - block->tile * (q * (q + 1) / 2);
    const int64_t row = q * block->tile + rest / (q + 1);
    return make_row(list, block, row, rest % (q + 1), row + 1, q + 1);
}

/** Task k of a block, all slices together. */
static struct hf_task whole_task(const struct hf_task_list *list, const struct hf_task_block *block,
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
    if (list->n_block == 0)
        return (struct hf_task){
            .kind = list->units.kind, .bra_begin = index, .bra_end = index + 1, .n_slice = 1};
    const struct hf_task_block *block = find_block(list, index);
    const int64_t place = (index - block->first) * block->step % block->count;
    /* Slice by slice, so that a round-robin does not give one rank the expensive slices of all tasks. */
    const int64_t n_whole = block->count / block->n_slice;
    struct hf_task task = whole_task(list, block, place % n_whole);
    task.slice = (int)(place / n_whole);
    task.n_slice = block->n_slice;
    if (list->units.kind == HF_TASK_OF_SHELLS) task.kind = HF_TASK_OF_SHELLS;
    return task;
}
