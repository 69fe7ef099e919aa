/* Who does what in the far field, found once: the tree does not change between builds. */
#include "far_field_private.h"

#include <stdlib.h>
#include <string.h>

static const char *const label = "plan of the far field";

static void *allocate(const struct hf_far_field *field, size_t n, size_t bytes)
{
    return hf_memory_allocate(field->context->memory, label, n, bytes);
}

/** Lists cells with wanted[cell] by level. */
static bool list_levels(const struct hf_far_field *field, const unsigned char wanted[],
                        struct hf_levels *levels)
{
    const struct hf_products *products = field->products;
    int *first = levels->first = allocate(field, (size_t)field->n_level + 1, sizeof *first);
    levels->cell = allocate(field, (size_t)products->n_cell, sizeof *levels->cell);
    if (first == NULL || levels->cell == NULL) return false;
    memset(first, 0, ((size_t)field->n_level + 1) * sizeof *first);
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

static bool find_slots(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    const size_t n_cell = (size_t)products->n_cell;
    int *moment = field->moment_slot = allocate(field, n_cell, sizeof *moment);
    int *local = field->local_slot = allocate(field, n_cell, sizeof *local);
    int n_inner = 0;
    if (moment == NULL || local == NULL) return false;
    for (int i = 0; i < products->n_cell; i++) {
        const int leaf = products->cell[i].leaf;
        local[i] = (int)(leaf >= 0 ? hf_turn_slot(&products->leaves, leaf)
                                   : hf_turn_slot(&field->inner, n_inner++));
        if (leaf >= 0) moment[i] = local[i];
    }
    for (int level = 0; level < field->n_level; level++) {
        const struct hf_turns turns = hf_turns_of_level(field, level);
        const int first = field->up.first[level];
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
    unsigned char *wanted = malloc(n_cell + 1);
    bool well = wanted != NULL;
    field->inner = (struct hf_turns){.n = products->n_cell - products->n_leaf,
                                     .n_share = products->shares->n_share,
                                     .down = true};
    well = well && find_levels(field, wanted) && find_slots(field);
    for (int t = 0; t < field->n_worker; t++) {
        struct hf_far_worker *worker = &field->worker[t];
        worker->mark = allocate(field, 2 * n_cell, 1);
        well = well && worker->mark != NULL;
        if (worker->mark == NULL) continue;
        worker->path = worker->mark + n_cell;
        memset(worker->mark, 0, 2 * n_cell);
    }
    if (well) mark_cells(field);
    free(wanted);
    return well;
}

void hf_far_plan_done(struct hf_far_field *field)
{
    struct hf_memory *memory = field->context->memory;
    for (int t = 0; field->worker != NULL && t < field->n_worker; t++)
        hf_memory_release(memory, field->worker[t].mark);
    hf_memory_release(memory, field->moment_slot);
    hf_memory_release(memory, field->local_slot);
    hf_memory_release(memory, field->up.first);
    hf_memory_release(memory, field->up.cell);
    hf_memory_release(memory, field->down.first);
    hf_memory_release(memory, field->down.cell);
}
