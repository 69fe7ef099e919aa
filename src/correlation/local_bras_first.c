/* From integrals to (ia|rs) of a bra RS (local_bras.h, site_panels.h):
 *
 *     panel      [m][n][rs]  ->  half     [n][i][rs]     first quarter, site by site of n
 *     half       [n][i][rs]  ->  result   [a][i][rs]     second quarter, atom by atom of a
 *
 * i are the orbitals that meet the bra, in order of their places, so that those that matter for a site or an atom are
 * near each other. rs is padded. Each number has one producer and a fixed order of its sum. */
#include "local_bras.h"
#include "local_screen.h"
#include "site_panels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** Items begin .. end-1 of a list. */
struct range {
    int begin, end;
};

/** What all threads share. */
struct pass {
    const struct hf_local_integrals *integrals;
    atomic_int n_begun;
    struct transformer *thread; /**< [n_thread] */
};

/** A thread and its bra. */
struct transformer {
    const struct hf_local_integrals *integrals;
    struct hf_local_blocks *blocks;
    struct hf_site_panels panels;
    int64_t bra;
    struct hf_local_screen screen;
    float *needed; /**< [n_orbital][n_atom] largest X_j of the bra for (ia|rs); 0: not needed */
    int n_half;    /**< rows of `half` */
    int *function; /**< [n_half] their functions n */
    int *half_of;  /**< [n_function] the row of a function; -1 */
    const double **right; /**< [n_function] */
    struct hf_local_scratch left, packed, half, result;
};

/* ---- The consumer ---------------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct transformer *own = self;
    (void)error;
    hf_site_panels_begin_part(&own->panels, part);
    return HF_OK;
}

static double least_bound(void *self, const struct hf_shell_pair *bra, int place)
{
    const struct transformer *own = self;
    (void)bra;
    return hf_local_screen_least_bound(&own->screen, &own->panels.part->ket[place]);
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct transformer *own = self;
    (void)bra;
    hf_local_screen_bound(&own->screen, n, ket);
}

static void take(void *self, const struct hf_strip *strip)
{
    struct transformer *own = self;
    hf_site_panels_take(&own->panels, strip);
}

static const struct hf_quartet_consumer transformation = {
    .name = "local mp2 of a bra",
    .about = "first half of the local transformation, a bra at a time",
    .lend = lend,
    .least_bound = least_bound,
    .bound = bound,
    .take = take,
};

/* ---- A bra ----------------------------------------------------------------------------------- */

/** Orbitals of the bra, and which (ia|rs) their pairs need. */
static bool begin_bra(struct transformer *own, int64_t bra)
{
    const struct hf_local *local = own->integrals->local;
    const struct hf_local_screen *screen = &own->screen;
    const size_t n_atom = (size_t)own->integrals->paos->n_column_part;
    own->bra = bra;
    if (!hf_local_screen_begin(&own->screen, bra)) return false;
    memset(own->needed, 0, (size_t)screen->n * n_atom * sizeof *own->needed);
    for (int l = 0; l < screen->n_link; l++) {
        const struct hf_local_link *link = &screen->link[l];
        const struct hf_parts atoms = hf_local_pair_domain(local, &local->pair[link->pair])->atoms;
        float *needed = own->needed + (size_t)screen->number[link->i] * n_atom;
        for (int a = 0; a < atoms.n; a++)
            if ((float)link->x > needed[atoms.part[a]]) needed[atoms.part[a]] = (float)link->x;
    }
    hf_site_panels_begin_bra(&own->panels,
                             own->integrals->pairs->class_of[screen->bra->pair_class].n_function);
    return true;
}

/* ---- First quarter --------------------------------------------------------------------------- */

/** Widens a range to the orbitals that matter for m and n of a panel. */
static void add_orbitals(const struct transformer *own, const struct hf_site_panel *panel,
                         struct range *range)
{
    const struct hf_local_weights *l = &own->integrals->l_of_site;
    const double least =
        own->integrals->local->settings->threshold / (panel->atoms->bound * own->screen.bra->bound);
    for (int64_t k = l->first[panel->site_m]; k < l->first[panel->site_m + 1]; k++) {
        const int i = own->screen.number[l->orbital[k]];
        if (i < 0 || l->weight[k] * hf_local_screen_site(&own->screen, panel->site_n, i) < least)
            continue;
        if (i < range->begin) range->begin = i;
        if (i + 1 > range->end) range->end = i + 1;
    }
}

/** Coefficients of the functions of site m in orbitals of a range, to `to` [m][orbitals]. */
static void gather_orbitals(const struct transformer *own, int site, struct range range, double *to)
{
    const struct hf_basis *basis = own->integrals->merged;
    const struct hf_sparse_matrix *matrix = own->integrals->orbitals;
    const int n = range.end - range.begin, first = hf_atom_first_function(basis, site);
    memset(to, 0, (size_t)(hf_atom_n_function(basis, site) * n) * sizeof *to);
    for (int k = 0; k < n; k++) {
        const double *block = NULL;
        for (int s = basis->first_shell_of_atom[site], atom = -1;
             s < basis->first_shell_of_atom[site + 1]; s++) {
            const struct hf_shell *shell = &basis->shell[s];
            if (shell->atom != atom)
                block = hf_sparse_find(matrix, shell->atom, own->screen.orbital[range.begin + k]);
            atom = shell->atom;
            if (block == NULL) continue;
            const double *from = block + (shell->first_function - matrix->row_first[atom]);
            double *row = to + (size_t)((shell->first_function - first) * n + k);
            for (int f = 0; f < shell->n_function; f++) row[(size_t)(f * n)] = from[f];
        }
    }
}

/** Rows of the first function n of some panels. */
static void set_rows(const struct transformer *own, int n_panel, const int list[])
{
    const double **row = own->right;
    for (int k = 0; k < n_panel; k++) {
        const struct hf_site_panel *panel = &own->panels.panel[list[k]];
        const int n_m = hf_atom_n_function(own->integrals->merged, panel->site_m);
        for (int m = 0; m < n_m; m++) *row++ = hf_site_panel_row(&own->panels, panel, m);
    }
}

/** The panels of site n, which are list[n_panel], to rows of own->half. */
static bool transform_site(struct transformer *own, int site, int n_panel, const int list[])
{
    const struct hf_basis *basis = own->integrals->merged;
    const struct hf_site_panels *panels = &own->panels;
    const size_t length = panels->length, width = (size_t)own->screen.n * length;
    struct range range = {.begin = own->screen.n};
    int n_m = 0, at = 0;
    for (int k = 0; k < n_panel; k++) {
        add_orbitals(own, &panels->panel[list[k]], &range);
        n_m += hf_atom_n_function(basis, panels->panel[list[k]].site_m);
    }
    const int n_i = range.end - range.begin, n_n = hf_atom_n_function(basis, site);
    if (n_i <= 0) return true;
    double *left = hf_local_reserve(&own->left, (size_t)n_m * (size_t)n_i);
    double *packed = hf_local_reserve(&own->packed, hf_packed_size(n_i, n_m));
    if (left == NULL || packed == NULL ||
        !hf_local_extend(&own->half, (size_t)own->n_half * width,
                         (size_t)(own->n_half + n_n) * width))
        return false;
    for (int k = 0; k < n_panel; k++) {
        const int site_m = panels->panel[list[k]].site_m;
        gather_orbitals(own, site_m, range, left + (size_t)at * (size_t)n_i);
        at += hf_atom_n_function(basis, site_m);
    }
    hf_pack(n_i, n_m, left, 1, (size_t)n_i, packed);
    set_rows(own, n_panel, list);
    for (int f = 0; f < n_n; f++, own->n_half++) {
        double *to = own->half.value + (size_t)own->n_half * width;
        const size_t begin = (size_t)range.begin * length, end = (size_t)range.end * length;
        memset(to, 0, begin * sizeof *to);
        memset(to + end, 0, (width - end) * sizeof *to);
        own->function[own->n_half] = hf_atom_first_function(basis, site) + f;
        own->integrals->multiply(&(struct hf_product){.n_row = n_i,
                                                      .n_inner = n_m,
                                                      .n_column = length,
                                                      .left = packed,
                                                      .right = own->right,
                                                      .to = to + begin,
                                                      .to_step = length});
        for (int m = 0; m < n_m; m++) own->right[m] += length;
    }
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
    int *list = malloc(((size_t)panels->n + 1) * sizeof *list);
    if (list == NULL) return false;
    qsort(panels->panel, (size_t)panels->n, sizeof *panels->panel, by_site);
    for (int k = 0; k < panels->n; k++) list[k] = k;
    own->n_half = 0;
    for (int k = 0, end; k < panels->n && ok; k = end) {
        for (end = k; end < panels->n && panels->panel[end].site_n == panels->panel[k].site_n;)
            end++;
        ok = transform_site(own, panels->panel[k].site_n, end - k, list + k);
    }
    free(list);
    return ok;
}

/* ---- Second quarter -------------------------------------------------------------------------- */

/** The largest magnitude of n numbers and `largest`. */
static double larger(double largest, int n, const double *from)
{
#pragma omp simd reduction(max : largest)
    for (int k = 0; k < n; k++) largest = fabs(from[k]) > largest ? fabs(from[k]) : largest;
    return largest;
}

/** Adds (ia|rs) of an atom for the orbitals of a range, unless all are negligible. */
static bool add_blocks(struct transformer *own, int atom, int n_a, struct range range)
{
    const struct hf_local *local = own->integrals->local;
    const size_t length = own->panels.length, width = (size_t)(range.end - range.begin) * length;
    const size_t n_atom = (size_t)own->integrals->paos->n_column_part;
    const int n_rs = own->panels.n_rs;
    for (int i = range.begin; i < range.end; i++) {
        const double needed = own->needed[(size_t)i * n_atom + (size_t)atom];
        const double *from = own->result.value + (size_t)(i - range.begin) * length;
        double largest = 0.0;
        if (needed == 0.0) continue;
        for (int a = 0; a < n_a; a++) largest = larger(largest, n_rs, from + (size_t)a * width);
        if (largest == 0.0 || largest * needed < local->settings->threshold) continue;
        double *to = hf_local_blocks_add(own->blocks, own->screen.orbital[i], (int)own->bra, atom,
                                         n_a * n_rs);
        if (to == NULL) return false;
        for (int a = 0; a < n_a; a++)
            memcpy(to + (size_t)(a * n_rs), from + (size_t)a * width, (size_t)n_rs * sizeof *to);
    }
    return true;
}

/** own->half to the PAOs of an atom. */
static bool transform_atom(struct transformer *own, int atom, struct range range)
{
    const struct hf_sparse_matrix *paos = own->integrals->paos;
    const int n_a = paos->column_first[atom + 1] - paos->column_first[atom];
    const size_t length = own->panels.length, n_i = (size_t)(range.end - range.begin);
    int n_inner = 0;
    double *left = hf_local_reserve(&own->left, (size_t)own->n_half * (size_t)n_a);
    double *packed = hf_local_reserve(&own->packed, hf_packed_size(n_a, own->n_half));
    double *result = hf_local_reserve(&own->result, (size_t)n_a * n_i * length);
    if (left == NULL || packed == NULL || result == NULL) return false;
    for (int k = paos->begin[atom]; k < paos->begin[atom + 1]; k++) {
        const int first = paos->row_first[paos->row[k]];
        for (int f = first; f < paos->row_first[paos->row[k] + 1]; f++) {
            if (own->half_of[f] < 0) continue;
            memcpy(left + (size_t)(n_inner * n_a),
                   paos->value + paos->offset[k] + (size_t)((f - first) * n_a),
                   (size_t)n_a * sizeof *left);
            own->right[n_inner++] =
                own->half.value +
                ((size_t)own->half_of[f] * (size_t)own->screen.n + (size_t)range.begin) * length;
        }
    }
    if (n_inner == 0) return true;
    hf_pack(n_a, n_inner, left, 1, (size_t)n_a, packed);
    own->integrals->multiply(&(struct hf_product){.n_row = n_a,
                                                  .n_inner = n_inner,
                                                  .n_column = n_i * length,
                                                  .left = packed,
                                                  .right = own->right,
                                                  .to = result,
                                                  .to_step = n_i * length});
    return add_blocks(own, atom, n_a, range);
}

/** The bra whose panels are full. */
static bool end_bra(struct transformer *own)
{
    const int n_atom = own->integrals->paos->n_column_part;
    bool ok = !own->panels.failed && first_quarter(own);
    if (!ok) return false;
    for (int k = 0; k < own->n_half; k++) own->half_of[own->function[k]] = k;
    for (int atom = 0; atom < n_atom && ok; atom++) {
        struct range range = {.begin = own->screen.n};
        for (int i = 0; i < own->screen.n; i++) {
            if (own->needed[(size_t)i * (size_t)n_atom + (size_t)atom] == 0.0F) continue;
            if (i < range.begin) range.begin = i;
            range.end = i + 1;
        }
        if (range.begin < range.end) ok = transform_atom(own, atom, range);
    }
    for (int k = 0; k < own->n_half; k++) own->half_of[own->function[k]] = -1;
    return ok;
}

static hf_status out_of_memory(struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
}

static hf_status do_task(struct transformer *own, struct hf_worker *worker, int64_t task,
                         struct hf_error *error)
{
    struct hf_part part = {0};
    hf_status status = HF_OK;
    for (int32_t q = 0; status == HF_OK && hf_work_find_part(worker, task, q, &part); q++) {
        if (q == 0 && !begin_bra(own, part.bra_begin)) return out_of_memory(error);
        if (own->screen.n == 0) break;
        if (part.n_ket > 0) status = hf_work_do_part(worker, &transformation, own, &part, error);
    }
    if (status == HF_OK && own->screen.n > 0 && !end_bra(own)) status = out_of_memory(error);
    hf_work_trace_part(worker, &part);
    return status;
}

/** hf_round.run */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct pass *pass = data;
    struct transformer *own = &pass->thread[atomic_fetch_add(&pass->n_begun, 1)];
    hf_status status = HF_OK;
    while (status == HF_OK) {
        int64_t task;
        status = hf_work_next_task(worker, &task, error);
        if (status != HF_OK || task < 0) break;
        status = do_task(own, worker, task, error);
    }
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool make_thread(const struct hf_local_integrals *integrals, struct hf_local_blocks *blocks,
                        struct transformer *own)
{
    struct hf_memory *memory = integrals->local->context->memory;
    const struct hf_local_scratch none = {.memory = memory, .label = "quarters of a bra"};
    const size_t n = (size_t)integrals->merged->n_function;
    const size_t n_orbital = (size_t)integrals->local->n_orbital;
    *own = (struct transformer){.integrals = integrals,
                                .blocks = blocks,
                                .left = none,
                                .packed = none,
                                .half = none,
                                .result = none};
    own->needed = calloc(n_orbital * (size_t)integrals->paos->n_column_part, sizeof *own->needed);
    own->function = calloc(n, sizeof *own->function);
    own->half_of = malloc(n * sizeof *own->half_of);
    own->right = calloc(n, sizeof *own->right);
    for (size_t f = 0; f < n && own->half_of != NULL; f++) own->half_of[f] = -1;
    return hf_site_panels_init(memory, integrals->merged, &own->panels) &&
           hf_local_screen_init(integrals, &own->screen) && own->needed != NULL &&
           own->function != NULL && own->half_of != NULL && own->right != NULL;
}

static void thread_done(struct transformer *own)
{
    struct hf_local_scratch *scratch[] = {&own->left, &own->packed, &own->half, &own->result};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++)
        hf_local_scratch_done(scratch[k]);
    hf_site_panels_done(&own->panels);
    hf_local_screen_done(&own->screen);
    free(own->needed);
    free(own->function);
    free(own->half_of);
    free(own->right);
}

hf_status hf_local_bras_first(const struct hf_local_integrals *integrals,
                              struct hf_local_blocks blocks[], struct hf_local_result *result,
                              struct hf_error *error)
{
    hf_status status;
    const struct hf_local *local = integrals->local;
    const struct hf_task_order order = {.grain = HF_GRAIN_SHELL_PAIR,
                                        .quartets = HF_QUARTETS_EVERY_KET};
    struct pass pass = {.integrals = integrals};
    pass.thread = calloc((size_t)local->n_thread, sizeof *pass.thread);
    bool ok = pass.thread != NULL;
    for (int t = 0; t < local->n_thread && ok; t++)
        ok = make_thread(integrals, &blocks[t], &pass.thread[t]);
    status = ok ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory for the transformation");
    HF_TRY(hf_agree(local->context->comm, status, error));
    HF_TRY(hf_local_run_work(integrals, &order, run, &pass, result, error));
cleanup:
    for (int t = 0; t < local->n_thread && pass.thread != NULL; t++) thread_done(&pass.thread[t]);
    free(pass.thread);
    return status;
}
