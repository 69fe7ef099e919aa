/* Expansions up, across and down the trees, as many side by side as kernels have lanes. */
#include "far_field_private.h"

#include "multipole/translation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Numbers of `shift` lanes. */
struct shifts {
    double value[3 * HF_TRANSLATION_MOST_LANES] __attribute__((aligned(64)));
};

static void set_shift(struct shifts *shifts, int width, int lane, const double to[3],
                      const double from[3])
{
    for (int d = 0; d < 3; d++) shifts->value[d * width + lane] = to[d] - from[d];
}

static void clear(double out[], int n)
{
    memset(out, 0, (size_t)n * sizeof *out);
}

/** An expansion into a lane; NULL: zero. */
static void put_lane(const double *from, int n, int width, int lane, double out[])
{
    for (int i = 0; i < n; i++) out[i * width + lane] = from != NULL ? from[i] : 0.0;
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static double centre_of(const struct hf_products *products, int d, int64_t i)
{
    return products->centre[d][i];
}

/* ---- Products ---------------------------------------------------------------------------------- */

/** Moments of a product about its own centre into a lane, and their strength. */
static void put_product(struct hf_far_field *field, int64_t product, int order, int lane,
                        const double h[], double out[], double strength[])
{
    const struct hf_products *products = field->products;
    const double charge = hf_product_charge(products->exponent[product]);
    double q[HF_N_HERMITE];
    for (int k = 0, i = 0; k <= order; k++) {
        for (; i < hf_n_hermite(k); i++) {
            q[i] = charge * h[products->first[product] + i];
            strength[k] += fabs(q[i]);
        }
    }
    hf_hermite_to_moments(&field->harmonics, order, q, 1, out + lane, field->kernels->width);
}

void hf_far_leaf_moments(struct hf_far_field *field, struct hf_far_worker *worker, int leaf,
                         const double h[])
{
    const struct hf_products *products = field->products;
    const struct hf_product_leaf *own = &products->leaf[leaf];
    const struct hf_cell *cell = &products->cell[own->cell];
    double *strength = hf_strengths_of(field, own->cell),
           *moments = hf_moments_of(field, own->cell);
    const int width = field->kernels->width;
    clear(strength, cell->order + 1);
    clear(worker->to, HF_FAR_SIZE * width);
    for (int order = 0; order <= cell->order; order++) {
        const int64_t end = own->first_of_order[order + 1];
        for (int64_t first = own->first_of_order[order]; first < end; first += width) {
            struct shifts shifts;
            clear(worker->from, hf_multipole_size(order) * width);
            for (int lane = 0; lane < width; lane++) {
                const int64_t product = first + lane < end ? first + lane : first;
                double centre[3];
                for (int d = 0; d < 3; d++) centre[d] = centre_of(products, d, product);
                set_shift(&shifts, width, lane, centre, cell->centre);
                if (first + lane < end)
                    put_product(field, product, order, lane, h, worker->from, strength);
            }
            field->kernels->moments(order, HF_FAR_ORDER, shifts.value, worker->from, worker->to,
                                    worker->scratch);
        }
    }
    hf_sum_lanes(HF_FAR_SIZE, width, worker->to, moments);
}

/** Adds the far field to V of n products of one order, no more than there are lanes. The local expansion of
 *  their cell is in all lanes of worker->from. */
static void add_to_products(const struct hf_far_field *field, struct hf_far_worker *worker,
                            const double about[3], int order, int64_t first, int n, double v[])
{
    const struct hf_products *products = field->products;
    const int width = field->kernels->width;
    struct shifts shifts;
    for (int lane = 0; lane < width; lane++) {
        double centre[3];
        for (int d = 0; d < 3; d++)
            centre[d] = centre_of(products, d, first + (lane < n ? lane : 0));
        set_shift(&shifts, width, lane, centre, about);
    }
    order += products->raise;
    clear(worker->to, hf_multipole_size(order) * width);
    field->kernels->local(HF_FAR_ORDER, order, shifts.value, worker->from, worker->to,
                          worker->scratch);
    for (int lane = 0; lane < n; lane++) {
        const int64_t product = first + lane;
        const double charge = hf_product_charge(products->exponent[product]);
        double values[HF_N_RAISED_HERMITE];
        hf_local_to_hermite(&field->harmonics, order, worker->to + lane, width, values, 1);
        for (int i = 0; i < hf_n_hermite(order); i++)
            v[products->first[product] + i] += charge * values[i];
    }
}

void hf_far_field_add(struct hf_far_field *field, int thread, const struct hf_leaf_piece *piece,
                      double v[])
{
    const struct hf_product_leaf *own = &field->products->leaf[piece->leaf];
    const struct hf_cell *cell = &field->products->cell[own->cell];
    struct hf_far_worker *worker = &field->worker[thread];
    const int width = field->kernels->width;
    const double *local = hf_local_of(field, own->cell);
    for (int i = 0; i < HF_FAR_SIZE; i++)
        for (int lane = 0; lane < width; lane++) worker->from[i * width + lane] = local[i];
    for (int order = 0; order <= cell->order; order++) {
        const struct hf_leaf_piece part = hf_order_of_piece(field->products, piece, order);
        for (int64_t first = part.begin; first < part.end; first += width)
            add_to_products(field, worker, cell->centre, order, first,
                            at_most(width, (int)(part.end - first)), v);
    }
}

/* ---- Cells ------------------------------------------------------------------------------------- */

/** Cells first, first + stride, ... of a list. */
struct cells {
    const int *list;
    int first, stride, n;         /**< n: length of the list */
    const struct hf_round *round; /**< of the way up */
};

/** Cells below a cell whose moments give its own, source [*n ..]: the first ones below the last level of a round, and leaves
 *  before. */
static void list_sources(const struct hf_cell *cell, int number, int last_level, int *n,
                         int source[])
{
    if (cell[number].leaf >= 0 || cell[number].level > last_level) {
        source[(*n)++] = number;
        return;
    }
    list_sources(cell, number + 1, last_level, n, source);
    list_sources(cell, cell[number + 1].next, last_level, n, source);
}

/** Moments of cells, as many as there are lanes for their sources, which stand side by side: so a round with few cells takes
 *  less time. */
static void raise_moments(struct hf_far_field *field, struct hf_far_worker *worker,
                          const struct cells *cells, int n, const int parent[])
{
    const struct hf_cell *cell = field->products->cell;
    const int width = field->kernels->width, n_lane = cells->round->n_source;
    int source[HF_TRANSLATION_MOST_LANES], n_source[HF_TRANSLATION_MOST_LANES];
    struct shifts shifts;
    clear(worker->to, HF_FAR_SIZE * width);
    for (int i = 0; i * n_lane < width; i++) {
        n_source[i] = 0;
        if (i < n)
            list_sources(cell, parent[i], cells->round->last_level, &n_source[i],
                         source + i * n_lane);
        for (int k = 0; k < n_lane; k++) {
            const bool used = k < n_source[i];
            const int lane = i * n_lane + k, to = parent[i < n ? i : 0];
            const int from = used ? source[lane] : to + 1;
            set_shift(&shifts, width, lane, cell[from].centre, cell[to].centre);
            put_lane(used ? hf_moments_of(field, from) : NULL, HF_FAR_SIZE, width, lane,
                     worker->from);
        }
    }
    field->kernels->moments(HF_FAR_ORDER, HF_FAR_ORDER, shifts.value, worker->from, worker->to,
                            worker->scratch);
    for (int i = 0; i < n; i++) {
        double *to = hf_moments_of(field, parent[i]);
        clear(to, HF_FAR_MOMENTS);
        for (int k = 0; k < n_source[i]; k++) {
            const double *sums = worker->to + i * n_lane + k;
            const double *strength = hf_strengths_of(field, source[i * n_lane + k]);
            for (int j = 0; j < HF_FAR_SIZE; j++) to[j] += sums[j * width];
            for (int j = 0; j <= HF_MAX_PAIR_L; j++) to[HF_FAR_SIZE + j] += strength[j];
        }
    }
}

/** Local expansions of cells, as many as there are lanes, get those of their parents added. */
static void lower_local(struct hf_far_field *field, struct hf_far_worker *worker,
                        const struct cells *cells, int n, const int child[])
{
    const struct hf_cell *cell = field->products->cell;
    const int width = field->kernels->width;
    struct shifts shifts;
    (void)cells;
    clear(worker->to, HF_FAR_SIZE * width);
    for (int lane = 0; lane < width; lane++) {
        const int to = child[lane < n ? lane : 0], from = cell[to].parent;
        set_shift(&shifts, width, lane, cell[to].centre, cell[from].centre);
        put_lane(lane < n ? hf_local_of(field, from) : NULL, HF_FAR_SIZE, width, lane,
                 worker->from);
    }
    field->kernels->local(HF_FAR_ORDER, HF_FAR_ORDER, shifts.value, worker->from, worker->to,
                          worker->scratch);
    for (int lane = 0; lane < n; lane++) {
        double *to = hf_local_of(field, child[lane]);
        for (int i = 0; i < HF_FAR_SIZE; i++) to[i] += worker->to[i * width + lane];
    }
}

/** Leaves, one at a time, get the local expansions of all cells above added. */
static void lower_to_leaf(struct hf_far_field *field, struct hf_far_worker *worker,
                          const struct cells *cells, int n, const int leaf[])
{
    const struct hf_cell *cell = field->products->cell;
    const int width = field->kernels->width, to = leaf[0];
    double *local = hf_local_of(field, to);
    (void)cells;
    (void)n;
    for (int from = cell[to].parent; from >= 0;) {
        struct shifts shifts;
        clear(worker->to, HF_FAR_SIZE * width);
        for (int lane = 0; lane < width; lane++) {
            const bool used = from >= 0;
            set_shift(&shifts, width, lane, cell[to].centre, cell[used ? from : to].centre);
            put_lane(used ? hf_local_of(field, from) : NULL, HF_FAR_SIZE, width, lane,
                     worker->from);
            if (used) from = cell[from].parent;
        }
        field->kernels->local(HF_FAR_ORDER, HF_FAR_ORDER, shifts.value, worker->from, worker->to,
                              worker->scratch);
        hf_sum_lanes(HF_FAR_SIZE, width, worker->to, worker->from);
        for (int i = 0; i < HF_FAR_SIZE; i++) local[i] += worker->from[i];
    }
}

/** Runs `step` on cells, divided over the threads, `most` at a time. */
static void do_cells(struct hf_far_field *field, const struct cells *cells, int most,
                     void (*step)(struct hf_far_field *field, struct hf_far_worker *worker,
                                  const struct cells *cells, int n, const int cell[]),
                     enum hf_coulomb_step name)
{
    const int n_own = (cells->n - cells->first + cells->stride - 1) / cells->stride;
#pragma omp parallel for num_threads(field->n_worker) schedule(static, 1)
    for (int t = 0; t < field->n_worker; t++) {
        const int end = (int)((int64_t)n_own * (t + 1) / field->n_worker);
        int group[HF_TRANSLATION_MOST_LANES], n_group = 0;
        const struct hf_trace_span span = hf_trace_begin_span(field->context->trace);
        for (int i = (int)((int64_t)n_own * t / field->n_worker); i < end; i++) {
            group[n_group++] = cells->list[cells->first + i * cells->stride];
            if (n_group == most || i + 1 == end) {
                step(field, &field->worker[t], cells, n_group, group);
                n_group = 0;
            }
        }
        hf_coulomb_end_step(field->context->trace, t, name, cells->n, span);
    }
}

/** Whether a round has so many cells that the nodes divide them and exchange the moments: else each node computes them
 *  all, in no more than one turn of each of its threads. */
static bool is_divided(const struct hf_far_field *field, const struct hf_round *round)
{
    const struct hf_shares *shares = field->products->shares;
    const double at_once =
        (double)(field->kernels->width / round->n_source) * field->n_worker * shares->n_share;
    return shares->n_node > 1 && (double)round->n * shares->n_node > at_once;
}

void hf_far_go_up(struct hf_far_field *field)
{
    const struct hf_shares *shares = field->products->shares;
    for (int k = 0; k < field->n_round; k++) {
        const struct hf_round *round = &field->round[k];
        const struct hf_turns turns = hf_turns_of_round(field, round);
        const bool divided = is_divided(field, round);
        const struct cells cells = {.list = field->up.cell + round->first,
                                    .first = divided ? shares->share : field->shared->rank,
                                    .stride = divided ? shares->n_share : field->shared->n_rank,
                                    .n = round->n,
                                    .round = round};
        do_cells(field, &cells, field->kernels->width / round->n_source, raise_moments,
                 HF_COULOMB_UP);
        if (divided)
            hf_shares_gather(shares, field->shared, &turns, HF_FAR_MOMENTS,
                             field->moments +
                                 (size_t)(field->products->n_leaf + round->first) * HF_FAR_MOMENTS);
        else
            hf_node_memory_sync(field->shared);
    }
}

void hf_far_go_down(struct hf_far_field *field)
{
    const struct hf_levels *down = &field->down;
    struct cells cells = {.list = field->own_leaf,
                          .first = field->shared->rank,
                          .stride = field->shared->n_rank,
                          .n = field->n_own_leaf};
    if (field->to_leaves) {
        do_cells(field, &cells, 1, lower_to_leaf, HF_COULOMB_TO_LEAVES);
        hf_node_memory_sync(field->shared);
        return;
    }
    for (int level = 1; level < field->n_level; level++) {
        cells.list = down->cell + down->first[level];
        cells.n = down->first[level + 1] - down->first[level];
        do_cells(field, &cells, field->kernels->width, lower_local, HF_COULOMB_DOWN);
        hf_node_memory_sync(field->shared);
    }
}

/* ---- Across ------------------------------------------------------------------------------------ */

struct crossing {
    struct hf_far_field *field;
    struct hf_far_worker *worker;
};

/** The near leaves of the walk as runs of leaves that follow each other. */
static void put_near(const struct hf_cell_list *near, struct hf_near_runs *runs)
{
    runs->n = 0;
    for (int i = 0; i < near->n; i++) {
        const int last = runs->n - 1;
        if (last >= 0 && near->item[i] == runs->run[last].first + runs->run[last].n) {
            runs->run[last].n++;
        } else if (runs->n < HF_FAR_MOST_RUNS) {
            runs->run[runs->n].first = near->item[i];
            runs->run[runs->n++].n = 1;
        } else {
            runs->n = -1;
            return;
        }
    }
}

/** visit of hf_walk_cells: the local expansion of a cell from all that is far, and what is near. */
static void cross(void *self, int number)
{
    const struct crossing *at = self;
    struct hf_far_field *field = at->field;
    struct hf_far_worker *worker = at->worker;
    const struct hf_cell_list *far = &worker->walk.far;
    const struct hf_cell *cell = field->products->cell;
    struct hf_conversion conversion = {.kernels = field->kernels,
                                       .from = worker->from,
                                       .to = worker->to,
                                       .scratch = worker->scratch};
    clear(worker->to, HF_FAR_SIZE * field->kernels->width);
    for (int i = 0; i < far->n; i++) {
        const int from = far->item[i];
        double shift[3];
        for (int d = 0; d < 3; d++) shift[d] = cell[number].centre[d] - cell[from].centre[d];
        hf_conversion_add(&conversion, &field->reach.bra[number], &field->reach.ket[from], shift,
                          HF_FAR_ORDER, field->reach.tolerance[from], hf_moments_of(field, from));
    }
    hf_conversion_flush(&conversion);
    hf_sum_lanes(HF_FAR_SIZE, field->kernels->width, worker->to, hf_local_of(field, number));
    if (cell[number].leaf >= 0) put_near(&worker->walk.near, hf_near_runs_of(field, number));
}

hf_status hf_far_go_across(struct hf_far_field *field, struct hf_error *error)
{
    const struct hf_products *products = field->products;
    bool well = true;
#pragma omp parallel for num_threads(field->n_worker) schedule(static, 1) reduction(&& : well)
    for (int t = 0; t < field->n_worker; t++) {
        struct crossing at = {.field = field, .worker = &field->worker[t]};
        const struct hf_trace_span span = hf_trace_begin_span(field->context->trace);
        well =
            hf_walk_cells(products, &field->reach, at.worker->mark, &at.worker->walk, cross, &at) &&
            well;
        hf_coulomb_end_step(field->context->trace, t, HF_COULOMB_ACROSS, products->n_cell, span);
    }
    if (!well) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the far field");
    return HF_OK;
}
