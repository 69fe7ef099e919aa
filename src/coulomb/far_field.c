/* The front of the far field: room, builds, near leaves. */
#include "far_field_private.h"

#include "hf/translation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double hf_far_field_bytes(double n)
{
    const size_t cell = 2 * sizeof(struct hf_expanded) + (1 + 2 * HF_FAR_SIZE) * sizeof(double);
    return (double)cell * (double)hf_most_cells((int64_t)n);
}

/** Numbers that a thread's scratch has, with so many lanes. */
static size_t scratch_numbers(size_t width)
{
    return (HF_TRANSLATION_SCRATCH + 2 * HF_FAR_SIZE) * width;
}

double hf_far_field_thread_bytes(void)
{
    return (double)(scratch_numbers((size_t)hf_translation_choose()->width) * sizeof(double)) +
           (double)sizeof(struct hf_far_worker);
}

/* ---- What lives as long as the field ----------------------------------------------------------- */

/** Cells by level. */
static void sort_levels(struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    int *first = field->first_of_level;
    for (int i = 0; i < products->n_cell; i++) first[products->cell[i].level + 1]++;
    for (int level = 0; level < field->n_level; level++) first[level + 1] += first[level];
    for (int i = 0; i < products->n_cell; i++)
        field->cell_of_level[first[products->cell[i].level]++] = i;
    for (int level = field->n_level; level > 0; level--) first[level] = first[level - 1];
    first[0] = 0;
}

/** Lists and scratch of threads. Local. */
static hf_status make_workers(struct hf_far_field *field, struct hf_error *error)
{
    struct hf_memory *memory = field->context->memory;
    const size_t n_cell = (size_t)field->products->n_cell, width = (size_t)field->kernels->width;
    for (size_t i = 0; i < n_cell; i++)
        if (field->products->cell[i].level >= field->n_level)
            field->n_level = field->products->cell[i].level + 1;
    field->first_of_level = hf_memory_allocate(memory, "levels of the far field",
                                               (size_t)field->n_level + 1, sizeof(int));
    field->cell_of_level =
        hf_memory_allocate(memory, "levels of the far field", n_cell, sizeof(int));
    field->worker = hf_memory_allocate(memory, "threads of the far field", (size_t)field->n_worker,
                                       sizeof *field->worker);
    bool made =
        field->first_of_level != NULL && field->cell_of_level != NULL && field->worker != NULL;
    for (int t = 0; made && t < field->n_worker; t++) {
        field->worker[t].from = hf_memory_allocate(memory, "threads of the far field",
                                                   scratch_numbers(width), sizeof(double));
        made = field->worker[t].from != NULL;
        if (!made) break;
        field->worker[t].to = field->worker[t].from + HF_FAR_SIZE * width;
        field->worker[t].scratch = field->worker[t].to + HF_FAR_SIZE * width;
    }
    if (!made) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the far field");
    sort_levels(field);
    return HF_OK;
}

/** The shared arrays. Collective. */
static hf_status share_arrays(struct hf_far_field *field, struct hf_error *error)
{
    const struct hf_products *products = field->products;
    const size_t n = (size_t)products->n_cell;
    const size_t expansions = n * HF_FAR_SIZE,
                 expanded = hf_whole_lines(n * sizeof(struct hf_expanded));
    const hf_status status = hf_node_memory_create(
        field->context, HF_MEMORY_PAIRS, "expansions of the far field",
        2 * expansions * sizeof(double) + 2 * expanded + n * sizeof(double), &field->shared, error);
    if (status != HF_OK) return status;
    field->reach.order = HF_FAR_ORDER;
    field->moments = field->shared->data;
    field->local = field->moments + expansions;
    field->reach.bra = (void *)(field->local + expansions);
    field->reach.ket = (void *)((char *)field->reach.bra + expanded);
    field->reach.tolerance = (void *)((char *)field->reach.ket + expanded);
    if (field->shared->rank == 0) {
        for (size_t i = 0; i < n; i++)
            field->reach.bra[i] = field->reach.ket[i] =
                (struct hf_expanded){.radius = products->cell[i].radius,
                                     .exponent = products->cell[i].exponent,
                                     .order = products->cell[i].order};
        hf_far_weigh_bras(products, field->reach.bra);
    }
    hf_node_memory_sync(field->shared);
    return HF_OK;
}

hf_status hf_far_field_create(const struct hf_products *products, int n_thread,
                              struct hf_far_field **field, struct hf_error *error)
{
    struct hf_context *context = products->context;
    hf_status status = HF_OK;
    struct hf_far_field *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the far field");
    HF_TRY(hf_agree(context->comm, status, error));
    made->context = context;
    made->products = products;
    made->kernels = hf_translation_choose();
    made->n_worker = n_thread > 1 ? n_thread : 1;
    hf_hermite_harmonics_init(&made->harmonics);
    HF_TRY(hf_agree(context->comm, make_workers(made, error), error));
    HF_TRY(share_arrays(made, error));
    *field = made;
    return HF_OK;
cleanup:
    hf_far_field_destroy(&made);
    return status;
}

void hf_far_field_destroy(struct hf_far_field **field)
{
    struct hf_far_field *old = *field;
    *field = NULL;
    if (old == NULL) return;
    struct hf_memory *memory = old->context->memory;
    hf_node_memory_destroy(&old->shared);
    for (int t = 0; old->worker != NULL && t < old->n_worker; t++) {
        hf_walk_done(&old->worker[t].walk);
        hf_memory_release(memory, old->worker[t].from);
    }
    hf_memory_release(memory, old->worker);
    hf_memory_release(memory, old->first_of_level);
    hf_memory_release(memory, old->cell_of_level);
    free(old);
}

/* ---- Builds ------------------------------------------------------------------------------------ */

/** Zeroes moments and local expansions, which lie one behind the other, and strengths. Collective over the
 *  ranks that share them. */
static void clear_expansions(struct hf_far_field *field)
{
    hf_node_memory_clear(field->shared, 2 * (size_t)field->products->n_cell * HF_FAR_SIZE,
                         field->moments);
    if (field->shared->rank == 0)
        for (int i = 0; i < field->products->n_cell; i++)
            memset(field->reach.ket[i].strength, 0, sizeof field->reach.ket[i].strength);
    hf_node_memory_sync(field->shared);
}

/** Brings the strengths of leaves, each computed by one rank, to all nodes. Collective. */
static hf_status gather_strengths(struct hf_far_field *field, struct hf_error *error)
{
    enum { N = HF_MAX_PAIR_L + 1 };
    const struct hf_products *products = field->products;
    const struct hf_node_memory *shared = field->shared;
    hf_status status = HF_OK;
    double *all = NULL;
    if (shared->rank == 0) {
        all = calloc((size_t)products->n_leaf * N, sizeof *all);
        if (all == NULL && products->n_leaf > 0)
            status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the far field");
    }
    status = hf_agree(field->context->comm, status, error); /* and all have written */
    if (status == HF_OK && shared->rank == 0) {
        for (int i = 0; i < products->n_leaf; i++)
            memcpy(all + (size_t)i * N, field->reach.ket[products->leaf[i].cell].strength,
                   N * sizeof *all);
        hf_sum_over_ranks(hf_node_memory_firsts(field->context, shared),
                          (size_t)products->n_leaf * N, all);
        for (int i = 0; i < products->n_leaf; i++)
            memcpy(field->reach.ket[products->leaf[i].cell].strength, all + (size_t)i * N,
                   N * sizeof *all);
    }
    free(all);
    return status;
}

/** Moments of this rank's leaves. Not collective. */
static void make_leaves(struct hf_far_field *field, const double h[])
{
    const int n_rank = field->context->n_rank, rank = field->context->rank;
#pragma omp parallel for num_threads(field->n_worker) schedule(static, 1)
    for (int t = 0; t < field->n_worker; t++)
        for (int leaf = rank + t * n_rank; leaf < field->products->n_leaf;
             leaf += field->n_worker * n_rank)
            hf_far_leaf_moments(field, &field->worker[t], leaf, h);
}

static double sum_of_strengths(const struct hf_expanded *ket)
{
    double sum = 0.0;
    for (int k = 0; k <= ket->order; k++) sum += ket->strength[k];
    return sum;
}

/** Every source's share of the tolerance: half as it is strong, half as it has products. No two cells that
 *  a product meets have a product in common, so that the shares add up to no more than the whole. */
static void share_tolerance(struct hf_far_field *field, double tolerance)
{
    const struct hf_products *products = field->products;
    double total = 0.0;
    if (field->shared->rank == 0) {
        for (int i = 0; i < products->n_cell; i = products->cell[i].next)
            total += sum_of_strengths(&field->reach.ket[i]);
        for (int i = 0; i < products->n_cell; i++) {
            const double strong =
                total > 0.0 ? sum_of_strengths(&field->reach.ket[i]) / total : 0.0;
            const double many =
                (double)(products->cell[i].end - products->cell[i].begin) / (double)products->n;
            field->reach.tolerance[i] = 0.5 * tolerance * (strong + many);
        }
    }
    hf_node_memory_sync(field->shared);
}

hf_status hf_far_field_build(struct hf_far_field *field, const double h[], double tolerance,
                             struct hf_error *error)
{
    const size_t n_number = (size_t)field->products->n_cell * HF_FAR_SIZE;
    hf_status status = HF_OK;
    clear_expansions(field);
    make_leaves(field, h);
    hf_node_memory_sum(field->context, field->shared, n_number, field->moments);
    HF_TRY(gather_strengths(field, error));
    hf_node_memory_sync(field->shared);
    hf_far_go_up(field);
    share_tolerance(field, tolerance);
    status = hf_far_go_across(field, error);
    HF_TRY(hf_agree(field->context->comm, status, error));
    hf_node_memory_sum(field->context, field->shared, n_number, field->local);
    hf_far_go_down(field);
cleanup:
    return status;
}

int64_t hf_far_field_summed(const struct hf_far_field *field)
{
    const struct hf_products *products = field->products;
    return 2 * (int64_t)products->n_cell * HF_FAR_SIZE +
           (int64_t)products->n_leaf * (HF_MAX_PAIR_L + 1);
}

const int *hf_far_field_near(struct hf_far_field *field, int thread, int leaf, int *n)
{
    const int cell = field->products->leaf[leaf].cell;
    struct hf_walk *walk = &field->worker[thread].walk;
    if (!hf_walk_cells(field->products, &field->reach, cell, cell + 1, walk, NULL, NULL))
        return NULL;
    *n = walk->near.n;
    return walk->near.item;
}
