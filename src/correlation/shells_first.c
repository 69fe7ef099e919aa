/* Computes (iM|jN) for two shells M and N from integrals (a consumer of quartet work, shell_panel.h).
 *
 *     panel    [r m n][s]     -> half     [r][m][n][j]     first quarter, bra by bra
 *     half     [r][m][n][j]   -> result   [i][m][n][j]     second quarter, at the end of the task
 *
 * Each number is computed by one thread, with a fixed order of its sum. */
#include "shells.h"
#include "work/pass.h"
#include "work/shell_panel.h"

#include "hf/timer.h"
#include "text/trace.h"
#include "work/work.h"

#include <string.h>

/** Data shared by all threads. */
struct pass {
    struct hf_mp2 *mp2;
    struct hf_mp2_half *half;
    int begin, end;   /**< orbitals i of the batch; all before `end` are j */
    size_t length;    /**< length of rows over orbitals */
    double *occupied; /**< [n][length] */
};

/** The task of a thread. */
struct shell_task {
    const struct pass *pass;
    struct hf_shell_panel panel;
    double *half, *gathered, *packed, *result;
    double n_flop, seconds; /**< for matrix products */
    const double **right;   /**< [functions] rows of right matrices */
};

/* ---- The consumer ---------------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct shell_task *own = self;
    (void)error;
    own->panel.part = part;
    return HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct shell_task *own = self;
    hf_mp2_bound(own->pass->mp2, bra, n, ket);
}

static void take(void *self, const struct hf_strip *strip)
{
    struct shell_task *own = self;
    hf_shell_panel_take(&own->panel, strip);
}

static const struct hf_quartet_consumer transformation = {
    .lend = lend,
    .bound = bound,
    .take = take,
};

/* ---- A bra ----------------------------------------------------------------------------------- */

/** Does the first quarter of the bra whose panel is full, if there is one. */
static void end_bra(struct shell_task *own)
{
    const struct pass *pass = own->pass;
    struct hf_shell_panel *panel = &own->panel;
    const double start = hf_thread_seconds();
    if (panel->bra < 0) return;
    const struct hf_shell *shell = hf_shell_panel_other(panel);
    const size_t of_r = (size_t)(panel->n_m * panel->n_n) * pass->length;
    for (int f = 0; f < pass->mp2->merged->n_function; f++)
        if (panel->column[f] >= 0)
            own->right[panel->column[f]] = pass->occupied + (size_t)f * pass->length;
    pass->mp2->multiply(
        &(struct hf_product){.n_row = shell->n_function * panel->n_m * panel->n_n,
                             .n_inner = panel->n_column,
                             .n_column = pass->length,
                             .left = panel->panel,
                             .right = own->right,
                             .to = own->half + (size_t)panel->row[shell->first_function] * of_r,
                             .to_step = pass->length});
    own->n_flop += 2.0 * shell->n_function * panel->n_m * panel->n_n * panel->n_column * pass->end;
    own->seconds += hf_thread_seconds() - start;
    panel->bra = -1;
}

/* ---- A task ---------------------------------------------------------------------------------- */

/** Second quarter: from own->half to own->result. */
static void second_quarter(struct shell_task *own)
{
    const struct pass *pass = own->pass;
    const double start = hf_thread_seconds();
    const size_t width = (size_t)(own->panel.n_m * own->panel.n_n) * pass->length;
    for (int f = 0; f < pass->mp2->merged->n_function; f++) {
        const int r = own->panel.row[f];
        if (r < 0) continue;
        memcpy(own->gathered + (size_t)r * pass->length, pass->occupied + (size_t)f * pass->length,
               pass->length * sizeof *own->gathered);
        own->right[r] = own->half + (size_t)r * width;
    }
    hf_pack(pass->end, own->panel.n_row, own->gathered, 1, pass->length, own->packed);
    pass->mp2->multiply(&(struct hf_product){.n_row = pass->end,
                                             .n_inner = own->panel.n_row,
                                             .n_column = width,
                                             .left = own->packed,
                                             .right = own->right,
                                             .to = own->result,
                                             .to_step = width});
    own->n_flop += 2.0 * pass->end * own->panel.n_row * own->panel.n_m * own->panel.n_n * pass->end;
    own->seconds += hf_thread_seconds() - start;
}

/** Copies own->result to the places of pairs of orbitals. */
static void sort_result(const struct shell_task *own, double *to)
{
    const struct pass *pass = own->pass;
    const int n_mn = own->panel.n_m * own->panel.n_n;
    const size_t length = pass->length, width = (size_t)n_mn * length;
    for (int i = pass->begin; i < pass->end; i++)
        for (int j = 0; j <= i; j++) {
            const double *direct = own->result + (size_t)i * width + j;
            const double *turned = own->result + (size_t)j * width + i;
            for (int mn = 0; mn < n_mn; mn++) *to++ = direct[(size_t)mn * length];
            for (int n = 0; n < own->panel.n_n && own->panel.m != own->panel.n; n++)
                for (int m = 0; m < own->panel.n_m; m++)
                    *to++ = turned[(size_t)(m * own->panel.n_n + n) * length];
        }
}

/** Adds the task's result to those of the rank. */
static hf_status keep_result(const struct shell_task *own, struct hf_error *error)
{
    const struct pass *pass = own->pass;
    struct hf_mp2_half *half = pass->half;
    struct hf_arena *arena = &pass->mp2->stored;
    const size_t n_pair = (size_t)(hf_mp2_triangle(pass->end) - hf_mp2_triangle(pass->begin));
    const size_t size = hf_mp2_shells_size(pass->mp2->merged, own->panel.m, own->panel.n);
    pthread_mutex_lock(&half->lock);
    double *value = HF_TAKE_UNSET(arena, value, n_pair * size);
    if (hf_arena_grow(arena, &half->task, half->n_task + 1, &half->room, sizeof *half->task))
        half->task[half->n_task++] = (struct hf_mp2_shells){own->panel.m, own->panel.n, value};
    const hf_status status = hf_arena_check(arena, error);
    pthread_mutex_unlock(&half->lock);
    if (status == HF_OK) sort_result(own, value);
    return status;
}

/** hf_pass.item */
static hf_status do_task(void *self, struct hf_pass_thread *thread, int64_t task,
                         struct hf_error *error)
{
    struct shell_task *own = self;
    struct hf_worker *worker = thread->worker;
    struct hf_part part = {0};
    bool any = false;
    hf_shell_panel_begin_task(&own->panel, worker, task, NULL, NULL);
    for (int32_t i = 0; hf_work_find_part(worker, task, i, &part); i++) {
        if (part.bra_begin != own->panel.bra) {
            end_bra(own);
            hf_shell_panel_begin_bra(&own->panel, part.bra_begin);
        }
        if (part.n_ket > 0) HF_CHECK(hf_work_do_part(worker, &transformation, own, &part, error));
        any = true;
    }
    if (any) {
        end_bra(own);
        second_quarter(own);
        HF_CHECK(keep_result(own, error));
    }
    hf_work_trace_step(worker, HF_TRACE_TASK, task);
    return HF_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct shell_task *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct pass *pass = data;
    const size_t n = (size_t)pass->mp2->merged->n_function;
    const size_t most = (size_t)hf_most_functions_of_shell(pass->mp2->merged);
    (void)error;
    own->pass = pass;
    hf_shell_panel_init(arena, pass->mp2->pairs, &own->panel);
    HF_TAKE(arena, own->half, n * most * most * pass->length);
    HF_TAKE(arena, own->gathered, n * pass->length);
    HF_TAKE(arena, own->packed, hf_packed_size(pass->end, (int)n));
    HF_TAKE(arena, own->result, (size_t)pass->end * most * most * pass->length);
    HF_TAKE(arena, own->right, n);
    return HF_OK;
}

/** hf_pass.end */
static void end(void *self, void *data)
{
    const struct shell_task *own = self;
    const struct pass *pass = data;
    pass->mp2->result->n_flop[0] += own->n_flop;
    pass->mp2->result->cpu_seconds[0] += own->seconds;
}

static const struct hf_pass of_thread = {.label = "quarters of two shells",
                                         .own_bytes = sizeof(struct shell_task),
                                         .begin = begin,
                                         .item = do_task,
                                         .end = end};

hf_status hf_mp2_shells_first(struct hf_mp2 *mp2, struct hf_mp2_half *half, struct hf_error *error)
{
    hf_status status;
    struct pass pass = {
        .mp2 = mp2, .half = half, .begin = hf_mp2_batch_begin(mp2), .end = hf_mp2_batch_end(mp2)};
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_QUARTET, .quartets = HF_QUARTETS_OF_SHELLS},
        .n_thread = mp2->n_thread};
    struct hf_arena arena = hf_mp2_arena(mp2, "orbitals of MP2");
    pass.length = hf_padded(pass.end);
    pass.occupied = hf_mp2_join_orbitals(mp2, pass.length, &arena);
    HF_TRY(hf_agree(mp2->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_mp2_run_pass(mp2, &settings, &of_thread, &pass, error));
cleanup:
    hf_arena_done(&arena);
    return status;
}
