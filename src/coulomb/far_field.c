/* The front of the far field: room, builds, near leaves. */
#include "far_field_private.h"

#include "multipole/translation.h"
#include "steps.h"

#include <math.h>
#include <string.h>

double hf_far_field_bytes(double n)
{
    const size_t cell = 2 * sizeof(struct hf_expanded) +
                        (1 + HF_FAR_MOMENTS + (HF_FAR_SIZE + HF_FAR_LEAF) / 2) * sizeof(double);
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

/** Scratch of threads, and the plan. Local. */
static hf_status make_workers(struct hf_far_field *field, struct hf_error *error)
{
    struct hf_arena *arena = &field->arena;
    const size_t width = (size_t)field->kernels->width;
    HF_TAKE(arena, field->worker, (size_t)field->n_worker);
    for (int t = 0; t < field->n_worker && field->worker != NULL; t++) {
        struct hf_far_worker *worker = &field->worker[t];
        worker->from = hf_arena_take(arena, HF_FAR_SIZE * width, sizeof(double));
        worker->to = hf_arena_take(arena, HF_FAR_SIZE * width, sizeof(double));
        worker->scratch = hf_arena_take(arena, HF_TRANSLATION_SCRATCH * width, sizeof(double));
    }
    if (!arena->failed) hf_far_plan(field);
    return hf_arena_check(arena, error);
}

/** The shared arrays. Collective. */
static hf_status share_arrays(struct hf_far_field *field, struct hf_error *error)
{
    const struct hf_products *products = field->products;
    const size_t n = (size_t)products->n_cell;
    const size_t n_leaf = (size_t)products->n_leaf;
    const struct hf_node_array array[] = {
        HF_NODE_ARRAY(field->moments, n * HF_FAR_MOMENTS),
        HF_NODE_ARRAY(field->inner_local, (n - n_leaf) * HF_FAR_SIZE),
        HF_NODE_ARRAY(field->leaf_local, n_leaf * HF_FAR_LEAF),
        HF_NODE_ARRAY(field->reach.bra, n),
        HF_NODE_ARRAY(field->reach.ket, n),
        HF_NODE_ARRAY(field->reach.tolerance, n),
    };
    const size_t n_array = sizeof array / sizeof *array;
    HF_CHECK(hf_node_memory_create(field->context, HF_MEMORY_PAIRS, "expansions of the far field",
                                   hf_node_arrays_bytes(n_array, array), &field->shared, error));
    hf_node_arrays_place(field->shared, n_array, array);
    field->reach.order = HF_FAR_ORDER;
    if (field->shared->rank == 0) {
        for (size_t i = 0; i < n; i++)
            field->reach.bra[i] = field->reach.ket[i] =
                (struct hf_expanded){.radius = products->cell[i].radius,
                                     .exponent = products->cell[i].exponent,
                                     .order = products->cell[i].order};
        for (size_t i = 0; i < n; i++) field->reach.bra[i].order += products->raise;
    }
    return hf_far_weigh_bras(products, field->shared->rank == 0, field->reach.bra, error);
}

hf_status hf_far_field_create(const struct hf_products *products, int n_thread,
                              struct hf_far_field **field, struct hf_error *error)
{
    struct hf_context *context = products->context;
    hf_status status;
    struct hf_far_field *made = HF_NEW(made, context->memory, "the far field");
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    made->context = context;
    made->products = products;
    made->kernels = hf_translation_choose();
    made->n_worker = n_thread > 1 ? n_thread : 1;
    hf_hermite_harmonics_init(&made->harmonics);
    HF_TRY(hf_agree(context->comm, make_workers(made, error), error));
    HF_TRY(share_arrays(made, error));
    hf_node_memory_sync(made->shared);
    *field = made;
    return HF_OK;
cleanup:
    hf_far_field_destroy(&made);
    return status;
}

void hf_far_field_destroy(struct hf_far_field **field)
{
    struct hf_far_field *old = *field;
    if (old == NULL) return;
    hf_node_memory_destroy(&old->shared);
    for (int t = 0; old->worker != NULL && t < old->n_worker; t++)
        hf_arena_done(&old->worker[t].walk.arena);
    hf_arena_free(field);
}

/* ---- Builds ------------------------------------------------------------------------------------ */

/** Moments of this rank's leaves. Not collective. */
static void make_leaves(struct hf_far_field *field, const double h[])
{
    const struct hf_products *products = field->products;
    const int n_share = products->leaves.n_share, share = products->shares->share;
#pragma omp parallel for num_threads(field->n_worker) schedule(static, 1)
    for (int t = 0; t < field->n_worker; t++) {
        const struct hf_trace_span span = hf_trace_begin_span(field->context->trace);
        for (int leaf = share + t * n_share; leaf < products->n_leaf;
             leaf += field->n_worker * n_share)
            hf_far_leaf_moments(field, &field->worker[t], leaf, h);
        hf_coulomb_end_step(field->context->trace, t, HF_COULOMB_LEAVES, products->n_leaf, span);
    }
}

static double sum_of_strengths(const struct hf_expanded *ket)
{
    double sum = 0.0;
    for (int k = 0; k <= ket->order; k++) sum += ket->strength[k];
    return sum;
}

/** Sets the strengths of all sources and their shares of the tolerance: one half in proportion to the strength, the other
 *  half to the number of products. The far cells of a product have no products in common, so their shares add up to the
 *  tolerance at most. */
static void share_tolerance(struct hf_far_field *field, double tolerance)
{
    const struct hf_products *products = field->products;
    const struct hf_trace_span span = hf_trace_begin_span(field->context->trace);
    double total = 0.0;
    if (field->shared->rank == 0) {
        for (int i = 0; i < products->n_cell; i++)
            memcpy(field->reach.ket[i].strength, hf_strengths_of(field, i),
                   (HF_MAX_PAIR_L + 1) * sizeof(double));
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
    hf_coulomb_end_step(field->context->trace, 0, HF_COULOMB_BOUNDS, 1, span);
    hf_node_memory_sync(field->shared);
}

hf_status hf_far_field_build(struct hf_far_field *field, const double h[], double tolerance,
                             struct hf_error *error)
{
    const struct hf_products *products = field->products;
    make_leaves(field, h);
    hf_shares_gather(products->shares, field->shared, &products->leaves, HF_FAR_MOMENTS,
                     field->moments);
    hf_far_go_up(field);
    share_tolerance(field, tolerance);
    const hf_status status = hf_far_go_across(field, error);
    hf_shares_gather(products->shares, field->shared, &field->inner, HF_FAR_SIZE,
                     field->inner_local);
    hf_far_go_down(field);
    hf_shares_gather(products->shares, field->shared, &products->leaves, HF_FAR_LEAF,
                     field->leaf_local);
    return status;
}

/** Finds the near leaves of a leaf by a separate walk, because they form too many runs to be stored. */
static bool find_near(struct hf_far_field *field, struct hf_far_worker *worker, int leaf)
{
    const struct hf_products *products = field->products;
    const int cell = products->leaf[leaf].cell;
    worker->path[cell] = HF_WALK_VISIT;
    for (int up = products->cell[cell].parent; up >= 0; up = products->cell[up].parent)
        worker->path[up] = HF_WALK_WITHIN;
    const bool well =
        hf_walk_cells(products, &field->reach, worker->path, &worker->walk, NULL, NULL);
    for (int up = cell; up >= 0; up = products->cell[up].parent) worker->path[up] = 0;
    return well;
}

const int *hf_far_field_near(struct hf_far_field *field, int thread, int leaf, int *n)
{
    const struct hf_near_runs *runs = hf_near_runs_of(field, field->products->leaf[leaf].cell);
    struct hf_far_worker *worker = &field->worker[thread];
    struct hf_walk *walk = &worker->walk;
    bool well = true;
    walk->near.n = 0;
    for (int i = 0; i < runs->n && well; i++)
        well = hf_walk_add_near(walk, runs->run[i].first, runs->run[i].n);
    if (runs->n < 0) well = find_near(field, worker, leaf);
    *n = walk->near.n;
    return well ? walk->near.item : NULL;
}

double hf_far_field_sum_near(const struct hf_far_field *field, int leaf, const double before[])
{
    const struct hf_near_runs *runs = hf_near_runs_of(field, field->products->leaf[leaf].cell);
    double sum = runs->n < 0 ? before[field->products->n_leaf] : 0.0;
    for (int i = 0; i < runs->n; i++)
        sum += before[runs->run[i].first + runs->run[i].n] - before[runs->run[i].first];
    return sum;
}
