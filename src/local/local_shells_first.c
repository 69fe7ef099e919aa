/* From integrals to (iM|jN) of pairs ij that are kept, for two shells M and N (local_shells.h, shell_panel.h):
 *
 *     panel    [r m n][s]     -> half     [r][m][n][j]     first quarter, bra by bra
 *     half     [r][m][n][j]   -> result   [i][m][n][j]     second quarter, at the end of the task
 *
 * i and j are those orbitals only that have weights with M and N. Each number has one producer and a fixed order of
 * its sum. */
#include "hf/shell_panel.h"
#include "hf/trace.h"
#include "local_shells.h"

#include <math.h>
#include <string.h>

/** Some orbitals. */
struct orbitals {
    int n;
    size_t length; /**< n, padded */
    int *orbital;  /**< [n] rising */
    int *number;   /**< [n_orbital] place in `orbital`; -1: not among them */
};

/** What all threads share. */
struct shared {
    const struct hf_local_integrals *integrals;
    struct hf_local_blocks *blocks; /**< [n_thread] */
};

/** The task of a thread. */
struct shell_task {
    const struct hf_local_integrals *integrals;
    struct hf_local_blocks *blocks;
    struct hf_shell_panel panel;
    bool any;             /**< the panel is not zero */
    struct orbitals i, j; /**< that go with M, N */
    double *reach,
        most; /**< [n_orbital] of the bra: largest |L_Ri| c_ij of each j; largest of all */
    double *p_m[2], *p_n[2]; /**< [n_orbital] |P| of M, N and domains as in p_of_shell */
    const double **right;    /**< [functions] rows of right matrices */
    struct hf_scratch coefficients, half, gathered, packed, result;
    struct hf_scratch factor; /**< c [i][j] */
};

/* ---- The consumer ---------------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct shell_task *own = self;
    (void)error;
    own->panel.part = part;
    return HF_OK;
}

/** Largest |L_Sj| of an item times the reach of j, or anything not below `enough`. */
static double largest_product(const struct shell_task *own, const struct hf_local_weights *l,
                              int item, double enough)
{
    double largest = 0.0;
    for (int64_t k = l->first[item]; k < l->first[item + 1]; k++) {
        const double left = l->weight[k], product = left * own->reach[l->orbital[k]];
        if (left * own->most <= largest || largest >= enough) break;
        if (product > largest) largest = product;
    }
    return largest;
}

/** hf_quartet_consumer.least_bound: shell S is in one of the two sites. */
static double least_bound(void *self, const struct hf_shell_pair *bra, int place)
{
    const struct shell_task *own = self;
    const struct hf_part_ket *kets = &own->panel.part->ket[place];
    const struct hf_local_weights *l = &own->integrals->l_of_site;
    const double largest = fmax(largest_product(own, l, kets->atom_c, HUGE_VAL),
                                largest_product(own, l, kets->atom_d, HUGE_VAL));
    if (largest == 0.0) return HUGE_VAL;
    return own->integrals->local->settings->threshold / (bra->bound * largest);
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct shell_task *own = self;
    const double threshold = own->integrals->local->settings->threshold;
    for (int q = 0; q < n; q++) {
        const struct hf_shell_pair *pair = ket[q].pair;
        const int s = pair->a == own->panel.n ? pair->b : pair->a;
        const double enough = threshold / (bra->bound * pair->bound * hf_far_factor(bra, pair));
        const double largest = largest_product(own, &own->integrals->l_of_shell, s, enough);
        ket[q].wanted = largest > 0.0 && largest >= enough;
    }
}

static void take(void *self, const struct hf_strip *strip)
{
    struct shell_task *own = self;
    own->any = true;
    hf_shell_panel_take(&own->panel, strip);
}

static const struct hf_quartet_consumer transformation = {
    .name = "local mp2 of two shells",
    .about = "first half of the local transformation for two shells of different electrons",
    .lend = lend,
    .least_bound = least_bound,
    .bound = bound,
    .take = take,
};

/* ---- Orbitals of a task ---------------------------------------------------------------------- */

/** Whether a pair of shells has an orbital. */
static bool has_orbital(const void *data, int64_t pair)
{
    const struct hf_local_weights *of_pair = &((const struct hf_local_integrals *)data)->of_pair;
    return of_pair->first[pair + 1] > of_pair->first[pair];
}

/** Marks (number 0) the orbitals that have a weight with a shell. */
static void mark_orbitals(const struct hf_local_integrals *integrals,
                          const struct hf_worker *worker, int shell, struct orbitals *orbitals)
{
    const struct hf_local_weights *of_pair = &integrals->of_pair;
    int64_t n_pair;
    const int64_t *list = hf_work_pairs_of_shell(worker, shell, &n_pair);
    for (int i = 0; i < integrals->local->n_orbital; i++) orbitals->number[i] = -1;
    for (int64_t q = 0; q < n_pair; q++)
        for (int64_t k = of_pair->first[list[q]]; k < of_pair->first[list[q] + 1]; k++)
            orbitals->number[of_pair->orbital[k]] = 0;
}

/** Numbers the marked orbitals that have a pair with one of the `other` marked ones. */
static void number_orbitals(const struct hf_local *local, const struct orbitals *other,
                            struct orbitals *orbitals)
{
    orbitals->n = 0;
    for (int i = 0; i < local->n_orbital; i++) {
        bool any = false;
        if (orbitals->number[i] < 0) continue;
        for (int k = local->first_partner[i]; k < local->first_partner[i + 1] && !any; k++)
            any = other->number[local->partner[k].orbital] >= 0;
        orbitals->number[i] = any ? orbitals->n : -1;
        if (any) orbitals->orbital[orbitals->n++] = i;
    }
    orbitals->length = hf_padded(orbitals->n);
}

/** Coefficients [functions that have a number][orbitals], padded, to own->coefficients. */
static bool gather(struct shell_task *own, const struct orbitals *orbitals, const int *number,
                   int n, struct hf_scratch *to)
{
    const struct hf_sparse_matrix *matrix = own->integrals->orbitals;
    double *value = hf_scratch_reserve(to, (size_t)n * orbitals->length);
    if (value == NULL) return false;
    memset(value, 0, (size_t)n * orbitals->length * sizeof *value);
    for (int o = 0; o < orbitals->n; o++) {
        const int i = orbitals->orbital[o];
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; k++) {
            const double *from = matrix->value + matrix->offset[k];
            const int first = matrix->row_first[matrix->row[k]];
            for (int f = first; f < matrix->row_first[matrix->row[k] + 1]; f++)
                if (number[f] >= 0)
                    value[(size_t)number[f] * orbitals->length + (size_t)o] = from[f - first];
        }
    }
    return true;
}

/** Largest |P| of a shell for all orbitals. */
static void find_paos(const struct shell_task *own, int shell, double *const p[2])
{
    for (int wide = 0; wide < 2; wide++) {
        const struct hf_local_weights *weights = &own->integrals->p_of_shell[wide];
        memset(p[wide], 0, (size_t)own->integrals->local->n_orbital * sizeof *p[wide]);
        for (int64_t k = weights->first[shell]; k < weights->first[shell + 1]; k++)
            p[wide][weights->orbital[k]] = weights->weight[k];
    }
}

/** c_ij = max(P_Mi, P_Mj) max(P_Ni, P_Nj) of pairs of the task's orbitals, so that a quartet (MR|NS) adds no more than
 *  its bounds times |L_Ri| |L_Sj| c_ij to integrals (ia|jb). False: no memory. */
static bool find_factors(struct shell_task *own)
{
    const struct hf_local *local = own->integrals->local;
    const size_t n = (size_t)own->i.n * (size_t)own->j.n;
    double *factor = hf_scratch_reserve(&own->factor, n);
    if (factor == NULL) return false;
    memset(factor, 0, n * sizeof *factor);
    for (int o = 0; o < own->i.n; o++, factor += own->j.n) {
        const int i = own->i.orbital[o];
        for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
            const int j = local->partner[k].orbital;
            const bool wide = own->integrals->wide[local->partner[k].pair];
            const double *p_m = own->p_m[wide], *p_n = own->p_n[wide];
            if (own->j.number[j] >= 0)
                factor[own->j.number[j]] = fmax(p_m[i], p_m[j]) * fmax(p_n[i], p_n[j]);
        }
    }
    return true;
}

/** Orbitals, coefficients of j and room of a task. False: no memory. */
static bool begin_task(struct shell_task *own, const struct hf_worker *worker, int64_t task)
{
    const struct hf_local *local = own->integrals->local;
    struct hf_shell_panel *panel = &own->panel;
    int m, n;
    hf_work_shells_of_task(worker, task, &m, &n);
    mark_orbitals(own->integrals, worker, m, &own->i);
    mark_orbitals(own->integrals, worker, n, &own->j);
    number_orbitals(local, &own->j, &own->i);
    number_orbitals(local, &own->i, &own->j);
    if (own->i.n == 0 || own->j.n == 0) return true;
    find_paos(own, m, own->p_m);
    find_paos(own, n, own->p_n);
    if (!find_factors(own)) return false;
    hf_shell_panel_begin_task(panel, worker, task, has_orbital, own->integrals);
    const size_t width = (size_t)(panel->n_m * panel->n_n) * own->j.length;
    return hf_scratch_reserve(&own->half, (size_t)panel->n_row * width) != NULL &&
           hf_scratch_reserve(&own->result, (size_t)own->i.n * width) != NULL &&
           hf_scratch_reserve(&own->packed, hf_packed_size(own->i.n, panel->n_row)) != NULL &&
           gather(own, &own->j, panel->column, panel->n_column, &own->coefficients) &&
           gather(own, &own->i, panel->row, panel->n_row, &own->gathered);
}

/* ---- The quarters ---------------------------------------------------------------------------- */

/** First quarter of the bra whose panel is full, if there is one. */
static void end_bra(struct shell_task *own)
{
    struct hf_shell_panel *panel = &own->panel;
    if (panel->bra < 0) return;
    const struct hf_shell *shell = hf_shell_panel_other(panel);
    const size_t length = own->j.length, of_r = (size_t)(panel->n_m * panel->n_n) * length;
    double *to = own->half.value + (size_t)panel->row[shell->first_function] * of_r;
    for (int s = 0; s < panel->n_column; s++)
        own->right[s] = own->coefficients.value + (size_t)s * length;
    if (own->any)
        own->integrals->multiply(
            &(struct hf_product){.n_row = shell->n_function * panel->n_m * panel->n_n,
                                 .n_inner = panel->n_column,
                                 .n_column = length,
                                 .left = panel->panel,
                                 .right = own->right,
                                 .to = to,
                                 .to_step = length});
    else
        memset(to, 0, (size_t)shell->n_function * of_r * sizeof *to);
    panel->bra = -1;
}

static void begin_bra(struct shell_task *own, int64_t bra)
{
    const struct hf_local_weights *l = &own->integrals->l_of_shell;
    hf_shell_panel_begin_bra(&own->panel, bra);
    const int r = (int)(hf_shell_panel_other(&own->panel) - own->integrals->merged->shell);
    own->any = false;
    own->most = 0.0;
    memset(own->reach, 0, (size_t)own->integrals->local->n_orbital * sizeof *own->reach);
    for (int64_t k = l->first[r]; k < l->first[r + 1]; k++) {
        const int i = own->i.number[l->orbital[k]];
        if (i < 0) continue;
        const double *factor = own->factor.value + (size_t)i * (size_t)own->j.n;
        for (int o = 0; o < own->j.n; o++) {
            const double product = l->weight[k] * factor[o];
            double *reach = &own->reach[own->j.orbital[o]];
            if (product > *reach) *reach = product;
            if (product > own->most) own->most = product;
        }
    }
}

/** Second quarter: own->half to own->result. */
static void second_quarter(struct shell_task *own)
{
    const struct hf_shell_panel *panel = &own->panel;
    const size_t width = (size_t)(panel->n_m * panel->n_n) * own->j.length;
    for (int r = 0; r < panel->n_row; r++) own->right[r] = own->half.value + (size_t)r * width;
    hf_pack(own->i.n, panel->n_row, own->gathered.value, 1, own->i.length, own->packed.value);
    own->integrals->multiply(&(struct hf_product){.n_row = own->i.n,
                                                  .n_inner = panel->n_row,
                                                  .n_column = width,
                                                  .left = own->packed.value,
                                                  .right = own->right,
                                                  .to = own->result.value,
                                                  .to_step = width});
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/** Adds (im|jn) of two orbitals to a pair, [m][n] or, `turned`, [n][m], unless all are negligible. */
static bool add_block(struct shell_task *own, int i, int j, int pair, bool turned)
{
    const struct hf_shell_panel *panel = &own->panel;
    const int n_m = panel->n_m, n_n = panel->n_n, n = n_m * n_n;
    const double *from =
        own->result.value + (size_t)own->i.number[i] * (size_t)n * own->j.length + own->j.number[j];
    const bool wide = own->integrals->wide[pair];
    const double *p_m = own->p_m[wide], *p_n = own->p_n[wide];
    double largest = 0.0;
    for (int mn = 0; mn < n; mn++) largest = fmax(largest, fabs(from[(size_t)mn * own->j.length]));
    if (largest == 0.0 || largest * fmax(p_m[i], p_m[j]) * fmax(p_n[i], p_n[j]) <
                              own->integrals->local->settings->threshold)
        return true;
    double *to = turned ? hf_local_blocks_add(own->blocks, pair, panel->n, panel->m, n)
                        : hf_local_blocks_add(own->blocks, pair, panel->m, panel->n, n);
    if (to == NULL) return false;
    for (int x = 0; x < n_m; x++)
        for (int y = 0; y < n_n; y++)
            to[turned ? y * n_m + x : x * n_n + y] = from[(size_t)(x * n_n + y) * own->j.length];
    return true;
}

/** Blocks of all pairs of the task's orbitals. A pair i > j gets M with i, and the other way round. */
static bool add_blocks(struct shell_task *own)
{
    const struct hf_local *local = own->integrals->local;
    const bool same = own->panel.m == own->panel.n;
    bool ok = true;
    for (int o = 0; o < own->i.n; o++) {
        const int i = own->i.orbital[o];
        for (int k = local->first_partner[i]; k < local->first_partner[i + 1] && ok; k++) {
            const int j = local->partner[k].orbital, pair = local->partner[k].pair;
            if (own->j.number[j] < 0 || (same && i < j)) continue;
            ok = add_block(own, i, j, pair, i < j);
            if (ok && i == j && !same) ok = add_block(own, i, j, pair, true);
        }
    }
    return ok;
}

/* ---- A task ---------------------------------------------------------------------------------- */

static hf_status out_of_memory(struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
}

/** hf_pass.item */
static hf_status do_task(void *self, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    struct shell_task *own = self;
    struct hf_worker *worker = thread->worker;
    struct hf_part part = {0};
    hf_status status = HF_OK;
    bool any = false;
    if (!begin_task(own, worker, task)) return out_of_memory(error);
    if (own->i.n == 0 || own->j.n == 0) return HF_OK;
    for (int32_t q = 0; status == HF_OK && hf_work_find_part(worker, task, q, &part); q++) {
        if (!has_orbital(own->integrals, part.bra_begin)) continue;
        if (part.bra_begin != own->panel.bra) {
            end_bra(own);
            begin_bra(own, part.bra_begin);
        }
        if (part.n_ket > 0) status = hf_work_do_part(worker, &transformation, own, &part, error);
        any = any || own->any;
    }
    if (status == HF_OK && any) {
        end_bra(own);
        second_quarter(own);
        if (!add_blocks(own)) status = out_of_memory(error);
    }
    hf_work_trace_step(worker, HF_TRACE_TASK, task);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void orbitals_init(int n_orbital, struct hf_arena *arena, struct orbitals *orbitals)
{
    orbitals->orbital = hf_arena_take(arena, (size_t)n_orbital, sizeof *orbitals->orbital);
    orbitals->number = hf_arena_take(arena, (size_t)n_orbital, sizeof *orbitals->number);
}

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct shell_task *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct shared *shared = data;
    const struct hf_local_integrals *integrals = shared->integrals;
    const int n_orbital = integrals->local->n_orbital;
    (void)error;
    *own = (struct shell_task){.integrals = integrals,
                               .blocks = &shared->blocks[thread->number],
                               .coefficients = {arena},
                               .half = {arena},
                               .gathered = {arena},
                               .packed = {arena},
                               .result = {arena},
                               .factor = {arena}};
    for (int k = 0; k < 2; k++) {
        own->p_m[k] = hf_arena_take(arena, (size_t)n_orbital, sizeof(double));
        own->p_n[k] = hf_arena_take(arena, (size_t)n_orbital, sizeof(double));
    }
    own->reach = hf_arena_take(arena, (size_t)n_orbital, sizeof *own->reach);
    own->right = hf_arena_take(arena, (size_t)integrals->merged->n_function, sizeof *own->right);
    hf_shell_panel_init(arena, integrals->pairs, &own->panel);
    orbitals_init(n_orbital, arena, &own->i);
    orbitals_init(n_orbital, arena, &own->j);
    return HF_OK;
}

static const struct hf_pass of_thread = {.label = "quarters of two shells",
                                         .own_bytes = sizeof(struct shell_task),
                                         .begin = begin,
                                         .item = do_task};

hf_status hf_local_shells_first(const struct hf_local_integrals *integrals,
                                struct hf_local_blocks blocks[], struct hf_local_result *result,
                                struct hf_error *error)
{
    const struct hf_task_order order = {.grain = HF_GRAIN_SHELL_QUARTET,
                                        .quartets = HF_QUARTETS_OF_SHELLS};
    return hf_local_run_pass(integrals, &order, &of_thread, &(struct shared){integrals, blocks},
                             result, error);
}
