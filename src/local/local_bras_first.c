/* From integrals to (ia|rs) of the bras RS of a task (local_bras.h, site_panels.h):
 *
 *     panel      [m][n][rs]  ->  half     [n][i][rs]     first quarter, site by site of n
 *     half       [n][i][rs]  ->  result   [a][i][rs]     second quarter, atom by atom of a
 *
 * Bras of two atoms are transformed together: products with few rs are slow. i are the orbitals that meet any of the bras,
 * in order of their places, so that those that matter for a site or an atom are near each other. rs of all bras is
 * padded. Each number has one producer and a fixed order of its sum. */
#include "integrals/engine.h"
#include "local_bras.h"
#include "local_screen.h"
#include "text/trace.h"
#include "work/site_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Items begin .. end-1 of a list. */
struct range {
    int begin, end;
};

/** Pairs of functions of the bras of a task: three vectors of a product. */
enum { BRA_FUNCTIONS = 24 };

/** What all threads share. */
struct shared {
    const struct hf_local_integrals *integrals;
    struct hf_local_blocks *blocks; /**< [n_thread] */
};

/** A thread and its bras. */
struct transformer {
    const struct hf_local_integrals *integrals;
    struct hf_local_blocks *blocks;
    struct hf_site_panels panels;
    struct hf_local_group group; /**< bras of the task */
    int n_half;                  /**< rows of `half` */
    int *half_of;                /**< [n_function] the row of a function; -1 */
    bool *met;                   /**< [sites][groups of orbitals] for the panels of a site n */
    float *most;                 /**< [atoms][n] largest |(in|rs)| of the functions n of an atom */
    float *of_range;             /**< [atoms] the same of a range of orbitals */
    const double **right;        /**< [n_function] */
    size_t *step;                /**< [n_function] from a row of `right` to that of the next n */
    int *inner;                  /**< [n_function] */
    struct hf_scratch packed, half, result;
};

/* ---- The consumer ---------------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct transformer *own = self;
    (void)error;
    hf_site_panels_begin_part(&own->panels, part);
    return HF_OK;
}

/** The screen of a bra. */
static const struct hf_local_screen *screen_of(const struct transformer *own,
                                               const struct hf_shell_pair *bra)
{
    return &own->group.screen[bra - own->panels.bra];
}

static double least_bound(void *self, const struct hf_shell_pair *bra, int place)
{
    const struct transformer *own = self;
    const struct hf_local_screen *screen = screen_of(own, bra);
    if (screen->n == 0) return HUGE_VAL;
    return hf_local_screen_least_bound(screen, &own->panels.part->ket[place]);
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    hf_local_screen_bound(screen_of(self, bra), n, ket);
}

static void take(void *self, const struct hf_strip *strip)
{
    struct transformer *own = self;
    hf_site_panels_take(&own->panels, strip);
}

static const struct hf_quartet_consumer transformation = {
    .lend = lend,
    .least_bound = least_bound,
    .bound = bound,
    .take = take,
};

/* ---- The bras ------------------------------------------------------------------------------- */

/** Orbitals of the bras of a task, and which (ia|rs) their pairs need. */
static bool begin_bras(struct transformer *own, const struct hf_part *part)
{
    const struct hf_shell_pairs *pairs = own->integrals->pairs;
    int n_rs[HF_MOST_TASK_BRAS];
    struct hf_local_group *group = &own->group;
    const int n_bra = (int)(part->bra_end - part->bra_begin);
    if (!hf_local_group_begin(group, part->bra_begin, n_bra)) return false;
    for (int b = 0; b < n_bra; b++)
        n_rs[b] = group->screen[b].n > 0
                      ? pairs->class_of[group->screen[b].bra->pair_class].n_function
                      : 0;
    hf_site_panels_begin_task(&own->panels, &pairs->pair[group->bra], n_bra, n_rs);
    return true;
}

/* ---- First quarter --------------------------------------------------------------------------- */

/** Orbitals are transformed in groups of one packed row each, from the panels that any of them needs. */
static int n_group(const struct transformer *own)
{
    return (own->group.n + HF_PRODUCT_GROUP - 1) / HF_PRODUCT_GROUP;
}

/** Orbitals of a group are left out of a panel if its bounds are below so many thresholds: most of its quartets are
 *  below their own ones. C16H34/6-31G: the energy changes by 6e-9 hartree. */
static const double NEGLIGIBLE_PANEL = 10.0;

/** The largest magnitude of n numbers and `largest`. */
static double larger(double largest, size_t n, const double *from)
{
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < n; k++) largest = fabs(from[k]) > largest ? fabs(from[k]) : largest;
    return largest;
}

/** met [n_group]: which orbitals matter for a panel. */
static void find_groups(const struct transformer *own, const struct hf_site_panel *panel,
                        bool met[])
{
    const struct hf_local_weights *l = &own->integrals->l_of_site;
    const double *reach = own->group.reach.value + (size_t)panel->site_n * (size_t)own->group.n;
    const double most = own->group.most_reach[panel->site_n];
    const double least =
        NEGLIGIBLE_PANEL * own->integrals->local->settings->threshold / panel->atoms->bound;
    memset(met, 0, (size_t)n_group(own) * sizeof *met);
    for (int64_t k = l->first[panel->site_m]; k < l->first[panel->site_m + 1]; k++) {
        const int i = own->group.number[l->orbital[k]];
        if (l->weight[k] * most < least) break;
        if (i < 0 || met[i / HF_PRODUCT_GROUP]) continue;
        met[i / HF_PRODUCT_GROUP] = l->weight[k] * reach[i] >= least;
    }
}

/** Coefficients of the functions of site m in orbitals begin .. begin + n - 1, packed. */
static void pack_orbitals(const struct transformer *own, int site, int begin, int n, double *to)
{
    const struct hf_basis *basis = own->integrals->merged;
    const struct hf_sparse_matrix *matrix = own->integrals->orbitals;
    const int first = hf_atom_first_function(basis, site);
    memset(to, 0, (size_t)(hf_atom_n_function(basis, site) * HF_PRODUCT_GROUP) * sizeof *to);
    for (int k = 0; k < n; k++) {
        const double *block = NULL;
        for (int s = basis->first_shell_of_atom[site], atom = -1;
             s < basis->first_shell_of_atom[site + 1]; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            if (shell->atom != atom)
                block = hf_sparse_find(matrix, shell->atom, own->group.orbital[begin + k]);
            atom = shell->atom;
            if (block == NULL) continue;
            const double *from = block + (shell->first_function - matrix->row_first[atom]);
            double *row = to + (size_t)((shell->first_function - first) * HF_PRODUCT_GROUP + k);
            for (int f = 0; f < shell->n_function; f++) row[f * HF_PRODUCT_GROUP] = from[f];
        }
    }
}

/** A group of orbitals of site n: the panels that it needs, of those that begin at `panel`, to `to`, the first of its
 *  rows. If it needs none, nothing is written, and own->most stays zero. */
static void transform_group(struct transformer *own, int n_panel, const struct hf_site_panel *panel,
                            int group, double *to)
{
    const struct hf_basis *basis = own->integrals->merged;
    const size_t length = own->panels.length, width = (size_t)own->group.n * length;
    const int begin = group * HF_PRODUCT_GROUP, left = own->group.n - begin;
    const int n_i = left < HF_PRODUCT_GROUP ? left : HF_PRODUCT_GROUP;
    int n_inner = 0;
    for (int k = 0; k < n_panel; k++) {
        const int n_m = hf_atom_n_function(basis, panel[k].site_m);
        if (!own->met[(size_t)k * (size_t)n_group(own) + (size_t)group]) continue;
        pack_orbitals(own, panel[k].site_m, begin, n_i,
                      own->packed.value + (size_t)(n_inner * HF_PRODUCT_GROUP));
        for (int m = 0; m < n_m; m++) {
            own->step[n_inner] = panel[k].step_n;
            own->right[n_inner++] = hf_site_panel_row(&own->panels, &panel[k], m);
        }
    }
    to += (size_t)begin * length;
    const int first = hf_atom_first_function(basis, panel->site_n);
    for (int f = 0; f < hf_atom_n_function(basis, panel->site_n) && n_inner > 0; f++, to += width) {
        const int atom = basis->shell[own->panels.shell_of[first + f]].atom;
        float *most = own->most + (size_t)atom * (size_t)own->group.n + (size_t)begin;
        own->integrals->multiply(&(struct hf_product){.n_row = n_i,
                                                      .n_inner = n_inner,
                                                      .n_column = length,
                                                      .left = own->packed.value,
                                                      .right = own->right,
                                                      .to = to,
                                                      .to_step = length});
        for (int i = 0; i < n_i; i++)
            most[i] = (float)larger((double)most[i], length, to + (size_t)i * length);
        for (int m = 0; m < n_inner; m++) own->right[m] += own->step[m];
    }
}

/** All panels of a site n to rows of own->half. */
static bool transform_site(struct transformer *own, int n_panel, const struct hf_site_panel *panel)
{
    const struct hf_basis *basis = own->integrals->merged;
    const size_t width = (size_t)own->group.n * own->panels.length;
    const int site = panel->site_n, n_n = hf_atom_n_function(basis, site);
    int n_m = 0;
    for (int k = 0; k < n_panel; k++) {
        n_m += hf_atom_n_function(basis, panel[k].site_m);
        find_groups(own, &panel[k], own->met + (size_t)k * (size_t)n_group(own));
    }
    if (hf_scratch_reserve(&own->packed, hf_packed_size(1, n_m)) == NULL ||
        !hf_scratch_extend(&own->half, (size_t)own->n_half * width,
                           (size_t)(own->n_half + n_n) * width))
        return false;
    for (int group = 0; group < n_group(own); group++)
        transform_group(own, n_panel, panel, group, own->half.value + (size_t)own->n_half * width);
    for (int f = 0; f < n_n; f++)
        own->half_of[hf_atom_first_function(basis, site) + f] = own->n_half++;
    return true;
}

static int by_site(const void *left, const void *right)
{
    const struct hf_site_panel *x = left, *y = right;
    if (x->site_n != y->site_n) return x->site_n < y->site_n ? -1 : 1;
    return (x->site_m > y->site_m) - (x->site_m < y->site_m);
}

/** All panels to own->half. */
static bool first_quarter(struct transformer *own)
{
    struct hf_site_panels *panels = &own->panels;
    bool ok = true;
    qsort(panels->panel, (size_t)panels->n, sizeof *panels->panel, by_site);
    for (int f = 0; f < own->integrals->merged->n_function; f++) own->half_of[f] = -1;
    memset(own->most, 0,
           (size_t)own->integrals->paos->n_row_part * (size_t)own->group.n * sizeof *own->most);
    own->n_half = 0;
    for (int k = 0, end; k < panels->n && ok; k = end) {
        for (end = k; end < panels->n && panels->panel[end].site_n == panels->panel[k].site_n;)
            end++;
        ok = transform_site(own, end - k, &panels->panel[k]);
    }
    return ok;
}

/* ---- Second quarter -------------------------------------------------------------------------- */

/** Products that are so much smaller than the threshold are left out. */
static const double NEGLIGIBLE = 0.1;

/** Columns of a product, at least: some orbitals, one after another, up to a group. With more of them P is packed less
 *  often, but fewer functions are left out. */
static const size_t LEAST_COLUMNS = (size_t)HF_PRODUCT_GROUP * HF_PRODUCT_STEP;

/** Copies rows [n_a][n_rs], `width` apart, rounded to single precision if `single`. */
static void copy_numbers(int n_a, size_t n_rs, const double *from, size_t width, bool single,
                         double *to)
{
    float *narrow = (float *)to;
    for (int a = 0; a < n_a; a++, from += width)
        for (size_t rs = 0; rs < n_rs; rs++)
            if (single)
                *narrow++ = (float)from[rs];
            else
                *to++ = from[rs];
}

/** Adds (ia|rs) of an orbital, a bra and an atom, rows `from` that are `width` apart, unless all are negligible. */
static bool add_block(struct transformer *own, int i, int b, int atom, int n_a, const double *from,
                      size_t width)
{
    const size_t n_rs = (size_t)(own->panels.first_rs[b + 1] - own->panels.first_rs[b]);
    const double needed = hf_local_needed(&own->group, b, i)[atom];
    double largest = 0.0;
    if (needed == 0.0) return true;
    for (int a = 0; a < n_a; a++) largest = larger(largest, n_rs, from + (size_t)a * width);
    if (largest == 0.0 || largest * needed < own->integrals->local->settings->threshold)
        return true;
    const int n = n_a * (int)n_rs;
    const bool single =
        n > 1 && largest * needed * HF_SINGLE_ERROR < own->integrals->local->settings->threshold;
    double *to = hf_local_blocks_add(own->blocks, own->group.orbital[i], (int)own->group.bra + b,
                                     atom, single ? hf_local_single_room(n) : n);
    if (to != NULL) copy_numbers(n_a, n_rs, from, width, single, to);
    return to != NULL;
}

/** (ia|rs) of an atom for the orbitals of a range. */
static bool add_blocks(struct transformer *own, int atom, int n_a, struct range range)
{
    const size_t length = own->panels.length, width = (size_t)(range.end - range.begin) * length;
    bool ok = true;
    for (int i = range.begin; i < range.end; i++) {
        const double *from = own->result.value + (size_t)(i - range.begin) * length;
        for (int b = 0; b < own->group.n_bra && ok; b++)
            ok = add_block(own, i, b, atom, n_a, from + own->panels.first_rs[b], width);
    }
    return ok;
}

/** Functions n that matter for an atom and the orbitals of a range: their rows of own->half and of P. */
static int find_inner(struct transformer *own, int atom, struct range range)
{
    const struct hf_sparse_matrix *paos = own->integrals->paos;
    const size_t n_a = (size_t)(paos->column_first[atom + 1] - paos->column_first[atom]);
    const size_t n = (size_t)own->group.n;
    float needed = 0.0F;
    for (int i = range.begin; i < range.end; i++) {
        const float one = hf_local_needed(&own->group, own->group.n_bra, i)[atom];
        needed = one > needed ? one : needed;
    }
    const float least = (float)(NEGLIGIBLE * own->integrals->local->settings->threshold) / needed;
    int n_inner = 0;
    for (int k = paos->begin[atom]; k < paos->begin[atom + 1]; k++) {
        if (!(own->of_range[paos->row[k]] * own->integrals->most_pao[k] >= least)) continue;
        const int first = paos->row_first[paos->row[k]];
        const int place = (int)((paos->offset[k] - paos->offset[paos->begin[atom]]) / n_a);
        for (int f = first; f < paos->row_first[paos->row[k] + 1]; f++) {
            if (own->half_of[f] < 0) continue;
            own->inner[n_inner] = place + f - first;
            own->right[n_inner++] =
                own->half.value +
                ((size_t)own->half_of[f] * n + (size_t)range.begin) * own->panels.length;
        }
    }
    return n_inner;
}

/** own->half of a range of orbitals to the PAOs of an atom. */
static bool transform_atom(struct transformer *own, int atom, struct range range)
{
    const struct hf_sparse_matrix *paos = own->integrals->paos;
    const int n_a = paos->column_first[atom + 1] - paos->column_first[atom];
    const size_t width = (size_t)(range.end - range.begin) * own->panels.length;
    const int n_inner = find_inner(own, atom, range);
    if (n_inner == 0) return true;
    double *packed = hf_scratch_reserve(&own->packed, hf_packed_size(n_a, n_inner));
    double *result = hf_scratch_reserve(&own->result, (size_t)n_a * width);
    if (packed == NULL || result == NULL) return false;
    hf_pack_rows(n_a, n_inner, own->inner, paos->value + paos->offset[paos->begin[atom]],
                 (size_t)n_a, packed);
    own->integrals->multiply(&(struct hf_product){.n_row = n_a,
                                                  .n_inner = n_inner,
                                                  .n_column = width,
                                                  .left = packed,
                                                  .right = own->right,
                                                  .to = result,
                                                  .to_step = width});
    return add_blocks(own, atom, n_a, range);
}

/** All orbitals of a range that need an atom. */
static bool transform_range(struct transformer *own, int atom, struct range range)
{
    struct range met = {.begin = range.end};
    for (int i = range.begin; i < range.end; i++) {
        if (hf_local_needed(&own->group, own->group.n_bra, i)[atom] == 0.0F) continue;
        if (i < met.begin) met.begin = i;
        met.end = i + 1;
    }
    return met.begin >= range.end || transform_atom(own, atom, met);
}

/** own->of_range. */
static void find_most(struct transformer *own, struct range range)
{
    const size_t n = (size_t)own->group.n;
    for (int atom = 0; atom < own->integrals->paos->n_row_part; atom++) {
        const float *most = own->most + (size_t)atom * n;
        float largest = 0.0F;
        for (int i = range.begin; i < range.end; i++)
            largest = most[i] > largest ? most[i] : largest;
        own->of_range[atom] = largest;
    }
}

/** own->half to own->blocks, range by range. Ranges are parts of groups, for of other groups own->half is not set. */
static bool second_quarter(struct transformer *own)
{
    const int n_atom = own->integrals->paos->n_column_part;
    int step = (int)((LEAST_COLUMNS + own->panels.length - 1) / own->panels.length);
    bool ok = true;
    while (HF_PRODUCT_GROUP % step != 0) step++;
    for (int begin = 0; begin < own->group.n && ok; begin += step) {
        const int end = begin + step < own->group.n ? begin + step : own->group.n;
        find_most(own, (struct range){begin, end});
        for (int atom = 0; atom < n_atom && ok; atom++)
            ok = transform_range(own, atom, (struct range){begin, end});
    }
    return ok;
}

static hf_status out_of_memory(struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
}

/** hf_pass.item */
static hf_status do_task(void *self, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    struct transformer *own = self;
    struct hf_worker *worker = thread->worker;
    struct hf_part part = {0};
    for (int32_t q = 0; hf_work_find_part(worker, task, q, &part); q++) {
        if (q == 0 && !begin_bras(own, &part)) return out_of_memory(error);
        if (own->group.n == 0) break;
        if (part.n_ket > 0) HF_CHECK(hf_work_do_part(worker, &transformation, own, &part, error));
    }
    if (own->group.n > 0 && (own->panels.failed || !first_quarter(own) || !second_quarter(own)))
        return out_of_memory(error);
    hf_work_trace_step(worker, HF_TRACE_TASK, task);
    return HF_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct transformer *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct shared *shared = data;
    const struct hf_local_integrals *integrals = shared->integrals;
    const size_t n = (size_t)integrals->merged->n_function;
    const size_t n_atom = (size_t)integrals->paos->n_row_part;
    const size_t n_orbital = (size_t)integrals->local->n_orbital;
    (void)error;
    *own = (struct transformer){.integrals = integrals,
                                .blocks = &shared->blocks[thread->number],
                                .packed = {arena},
                                .half = {arena},
                                .result = {arena}};
    HF_TAKE(arena, own->half_of, n);
    HF_TAKE(arena, own->met,
            (size_t)integrals->merged->n_atom * (n_orbital / HF_PRODUCT_GROUP + 1));
    HF_TAKE(arena, own->most, n_orbital * n_atom);
    HF_TAKE(arena, own->of_range, n_atom);
    HF_TAKE(arena, own->right, n);
    HF_TAKE(arena, own->step, n);
    HF_TAKE(arena, own->inner, n);
    hf_site_panels_init(arena, integrals->merged, &own->panels);
    hf_local_group_init(integrals, arena, &own->group);
    return HF_OK;
}

static const struct hf_pass of_thread = {.label = "quarters of bras",
                                         .own_bytes = sizeof(struct transformer),
                                         .begin = begin,
                                         .item = do_task};

hf_status hf_local_bras_first(const struct hf_local_integrals *integrals,
                              struct hf_local_blocks blocks[], struct hf_local_result *result,
                              struct hf_error *error)
{
    const struct hf_task_order order = {.grain = HF_GRAIN_SHELL_PAIR,
                                        .quartets = HF_QUARTETS_EVERY_KET,
                                        .bra_functions = BRA_FUNCTIONS};
    return hf_local_run_pass(integrals, &order, &of_thread, &(struct shared){integrals, blocks},
                             result, error);
}
