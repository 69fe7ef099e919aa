/* From integrals to (iM|jN) for two shells M and N: a consumer of quartet work. A bra MR meets all kets NS; its
 * integrals wait in a panel that is a left matrix for a product with the orbitals j:
 *
 *     panel    [r m n][s]     -> half     [r][m][n][j]     first quarter, bra by bra
 *     half     [r][m][n][j]   -> result   [i][m][n][j]     second quarter, at the end of the task
 *
 * s counts the functions that have a shell pair with N, r those that have one with M. Each number has one producer and
 * a fixed order of its sum. */
#include "shells.h"

#include "hf/timer.h"
#include "hf/trace.h"
#include "hf/work.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** What all threads share. */
struct pass {
    struct hf_mp2 *mp2;
    struct hf_mp2_half *half;
    atomic_int n_begun;
    int begin, end;            /**< orbitals i of the batch; those before `end` are j */
    size_t length;             /**< of rows over orbitals */
    double *occupied;          /**< [n][length] */
    struct shell_task *thread; /**< [n_thread] */
};

/** The task of a thread. */
struct shell_task {
    struct pass *pass;
    const struct hf_part *part; /**< that is computed now */
    int m, n;                   /**< shells */
    int n_m, n_n;               /**< their functions */
    int *row, *column;          /**< [functions] r and s of a function; -1: none */
    int n_row, n_column;
    int64_t bra;    /**< shell pair whose panel is being filled; -1: none */
    size_t *of_bra; /**< [functions of the bra] its row r m n with n = 0 */
    size_t *place;  /**< [rows of a panel] where a row begins in the packed matrix */
    double *panel, *half, *gathered, *packed, *result;
    double n_flop, seconds; /**< of products */
    const double **right;   /**< [functions] rows of right matrices */
};

/* ---- The consumer ---------------------------------------------------------------------------- */

static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct shell_task *own = self;
    (void)error;
    own->part = part;
    return HF_OK;
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct shell_task *own = self;
    hf_mp2_bound(own->pass->mp2, bra, n, ket);
}

/** Numbers value[n_d] of a function c and functions d from `first_d` on: either c belongs to N or some of d do. A pair
 *  of functions of one site stands in a strip in one order, with zeros in the other. */
static void take_row(const struct shell_task *own, int c, int first_d, int n_d, size_t row,
                     const double value[])
{
    const int first_n = own->pass->mp2->merged->shell[own->n].first_function;
    if (c >= first_n && c < first_n + own->n_n) {
        double *to = own->panel + own->place[row + (size_t)(c - first_n)];
        for (int k = 0; k < n_d; k++) {
            const int column = own->column[first_d + k];
            if (column >= 0) to[(size_t)column * HF_PRODUCT_GROUP] += value[k];
        }
        return;
    }
    const int column = own->column[c], low = first_n > first_d ? first_n : first_d;
    const int high = first_n + own->n_n < first_d + n_d ? first_n + own->n_n : first_d + n_d;
    for (int d = low; d < high && column >= 0; d++)
        own->panel[own->place[row + (size_t)(d - first_n)] + (size_t)column * HF_PRODUCT_GROUP] +=
            value[d - first_d];
}

static void take(void *self, const struct hf_strip *strip)
{
    const struct shell_task *own = self;
    const struct hf_mp2 *mp2 = own->pass->mp2;
    const struct hf_part_ket *kets = &own->part->ket[strip->place];
    const int n_bra = mp2->pairs->class_of[strip->bra->pair_class].n_function;
    const int first_c = hf_atom_first_function(mp2->merged, kets->atom_c) + strip->first_c;
    const int first_d = hf_atom_first_function(mp2->merged, kets->atom_d) + strip->first_d;
    const double *value = strip->value;
    for (int c = first_c; c < first_c + strip->n_c; c++)
        for (int ab = 0; ab < n_bra; ab++, value += strip->n_d)
            take_row(own, c, first_d, strip->n_d, own->of_bra[ab], value);
}

static const struct hf_quartet_consumer transformation = {
    .name = "mp2 of two shells",
    .about = "first half of the transformation for two shells of different electrons",
    .lend = lend,
    .bound = bound,
    .take = take,
};

/* ---- A bra ----------------------------------------------------------------------------------- */

/** Shell R of the bra. */
static const struct hf_shell *other_shell(const struct shell_task *own, int64_t bra)
{
    const struct hf_shell_pair *pair = &own->pass->mp2->pairs->pair[bra];
    return &own->pass->mp2->merged->shell[pair->a == own->m ? pair->b : pair->a];
}

static void begin_bra(struct shell_task *own, int64_t bra)
{
    const struct hf_mp2 *mp2 = own->pass->mp2;
    const struct hf_shell_pair *pair = &mp2->pairs->pair[bra];
    const int n_b = mp2->merged->shell[pair->b].n_function;
    const int n_bra = mp2->pairs->class_of[pair->pair_class].n_function;
    const bool first = pair->a == own->m;
    own->bra = bra;
    for (int ab = 0; ab < n_bra; ab++) {
        const int m = first ? ab / n_b : ab % n_b, r = first ? ab % n_b : ab / n_b;
        own->of_bra[ab] = (size_t)(r * own->n_m + m) * (size_t)own->n_n;
    }
    memset(own->panel, 0, hf_packed_size(n_bra * own->n_n, own->n_column) * sizeof *own->panel);
}

/** First quarter of the bra whose panel is full, if there is one. */
static void end_bra(struct shell_task *own)
{
    const struct pass *pass = own->pass;
    const double start = hf_thread_seconds();
    if (own->bra < 0) return;
    const struct hf_shell *shell = other_shell(own, own->bra);
    const size_t of_r = (size_t)(own->n_m * own->n_n) * pass->length;
    for (int f = 0; f < pass->mp2->merged->n_function; f++)
        if (own->column[f] >= 0)
            own->right[own->column[f]] = pass->occupied + (size_t)f * pass->length;
    pass->mp2->multiply(
        &(struct hf_product){.n_row = shell->n_function * own->n_m * own->n_n,
                             .n_inner = own->n_column,
                             .n_column = pass->length,
                             .left = own->panel,
                             .right = own->right,
                             .to = own->half + (size_t)own->row[shell->first_function] * of_r,
                             .to_step = pass->length});
    own->n_flop += 2.0 * shell->n_function * own->n_m * own->n_n * own->n_column * pass->end;
    own->seconds += hf_thread_seconds() - start;
    own->bra = -1;
}

/* ---- A task ---------------------------------------------------------------------------------- */

/** Numbers the functions of shells that have a pair with `shell`, in their order; the others are -1. Returns how
 *  many there are. */
static int number_partners(const struct shell_task *own, const struct hf_worker *worker, int shell,
                           int number[])
{
    const struct hf_mp2 *mp2 = own->pass->mp2;
    int64_t n_pair;
    const int64_t *list = hf_work_pairs_of_shell(worker, shell, &n_pair);
    int n = 0;
    for (int f = 0; f < mp2->merged->n_function; f++) number[f] = -1;
    for (int64_t k = 0; k < n_pair; k++) {
        const struct hf_shell_pair *pair = &mp2->pairs->pair[list[k]];
        const struct hf_shell *other = &mp2->merged->shell[pair->a == shell ? pair->b : pair->a];
        for (int i = 0; i < other->n_function; i++) number[other->first_function + i] = 0;
    }
    for (int f = 0; f < mp2->merged->n_function; f++)
        if (number[f] >= 0) number[f] = n++;
    return n;
}

static void begin_task(struct shell_task *own, const struct hf_worker *worker, int64_t task)
{
    const struct hf_basis *basis = own->pass->mp2->merged;
    hf_work_shells_of_task(worker, task, &own->m, &own->n);
    own->n_m = basis->shell[own->m].n_function;
    own->n_n = basis->shell[own->n].n_function;
    own->n_row = number_partners(own, worker, own->m, own->row);
    own->n_column = number_partners(own, worker, own->n, own->column);
    own->bra = -1;
    const int n_place = hf_mp2_most_shell(basis) * own->n_m * own->n_n;
    for (int row = 0; row < n_place; row++)
        own->place[row] =
            (size_t)(row / HF_PRODUCT_GROUP) * HF_PRODUCT_GROUP * (size_t)own->n_column +
            (size_t)(row % HF_PRODUCT_GROUP);
}

/** Second quarter: own->half to own->result. */
static void second_quarter(struct shell_task *own)
{
    const struct pass *pass = own->pass;
    const size_t width = (size_t)(own->n_m * own->n_n) * pass->length;
    const double start = hf_thread_seconds();
    for (int f = 0; f < pass->mp2->merged->n_function; f++) {
        const int r = own->row[f];
        if (r < 0) continue;
        memcpy(own->gathered + (size_t)r * pass->length, pass->occupied + (size_t)f * pass->length,
               pass->length * sizeof *own->gathered);
        own->right[r] = own->half + (size_t)r * width;
    }
    hf_pack(pass->end, own->n_row, own->gathered, 1, pass->length, own->packed);
    pass->mp2->multiply(&(struct hf_product){.n_row = pass->end,
                                             .n_inner = own->n_row,
                                             .n_column = width,
                                             .left = own->packed,
                                             .right = own->right,
                                             .to = own->result,
                                             .to_step = width});
    own->n_flop += 2.0 * pass->end * own->n_row * own->n_m * own->n_n * pass->end;
    own->seconds += hf_thread_seconds() - start;
}

/** own->result to the places of pairs of orbitals. */
static void sort_result(const struct shell_task *own, double *to)
{
    const struct pass *pass = own->pass;
    const int n_mn = own->n_m * own->n_n;
    const size_t length = pass->length, width = (size_t)n_mn * length;
    for (int i = pass->begin; i < pass->end; i++)
        for (int j = 0; j <= i; j++) {
            const double *direct = own->result + (size_t)i * width + j;
            const double *turned = own->result + (size_t)j * width + i;
            for (int mn = 0; mn < n_mn; mn++) *to++ = direct[(size_t)mn * length];
            for (int n = 0; n < own->n_n && own->m != own->n; n++)
                for (int m = 0; m < own->n_m; m++)
                    *to++ = turned[(size_t)(m * own->n_n + n) * length];
        }
}

/** Adds the task to those of the rank. */
static hf_status keep_result(const struct shell_task *own, struct hf_error *error)
{
    const struct pass *pass = own->pass;
    struct hf_mp2_half *half = pass->half;
    const size_t n_pair = (size_t)(hf_mp2_triangle(pass->end) - hf_mp2_triangle(pass->begin));
    const size_t size = hf_mp2_shells_size(pass->mp2->merged, own->m, own->n);
    double *value = hf_memory_allocate_unset(pass->mp2->context->memory, HF_MEMORY_STORED,
                                             "integrals (iM|jN)", n_pair * size * sizeof *value);
    bool ok = value != NULL;
    if (ok) sort_result(own, value);
    pthread_mutex_lock(&half->lock);
    if (ok && half->n_task == half->room) {
        const int64_t room = 2 * half->room + 64;
        struct hf_mp2_shells *longer = realloc(half->task, (size_t)room * sizeof *longer);
        ok = longer != NULL;
        if (ok) half->task = longer;
        if (ok) half->room = room;
    }
    if (ok) half->task[half->n_task++] = (struct hf_mp2_shells){own->m, own->n, value};
    pthread_mutex_unlock(&half->lock);
    if (ok) return HF_OK;
    hf_memory_release(pass->mp2->context->memory, value);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for half-transformed integrals");
}

static hf_status do_task(struct shell_task *own, struct hf_worker *worker, int64_t task,
                         struct hf_error *error)
{
    struct hf_part part = {0};
    hf_status status = HF_OK;
    bool any = false;
    begin_task(own, worker, task);
    for (int32_t i = 0; status == HF_OK && hf_work_find_part(worker, task, i, &part); i++) {
        if (part.bra_begin != own->bra) {
            end_bra(own);
            begin_bra(own, part.bra_begin);
        }
        if (part.n_ket > 0) status = hf_work_do_part(worker, &transformation, own, &part, error);
        any = true;
    }
    if (status == HF_OK && any) {
        end_bra(own);
        second_quarter(own);
        status = keep_result(own, error);
    }
    hf_work_trace_step(worker, HF_TRACE_TASK, part.task);
    return status;
}

/** hf_round.run */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct pass *pass = data;
    struct shell_task *own = &pass->thread[atomic_fetch_add(&pass->n_begun, 1)];
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

static void thread_done(struct hf_memory *memory, struct shell_task *own)
{
    hf_memory_release(memory, own->panel);
    hf_memory_release(memory, own->half);
    hf_memory_release(memory, own->gathered);
    hf_memory_release(memory, own->packed);
    hf_memory_release(memory, own->result);
    free(own->row);
    free(own->column);
    free(own->of_bra);
    free(own->place);
    free(own->right);
}

/** Room of one thread. */
static bool make_thread(struct pass *pass, struct shell_task *own)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    struct hf_memory *memory = mp2->context->memory;
    const size_t n = (size_t)mp2->merged->n_function;
    const size_t most_bra =
        (size_t)hf_most_pair_functions(mp2->pairs->n_class, mp2->pairs->class_of);
    const size_t most = (size_t)hf_mp2_most_shell(mp2->merged);
    *own = (struct shell_task){.pass = pass};
    own->panel = hf_memory_allocate_matrix(memory, "panel of two shells",
                                           hf_packed_size((int)(most_bra * most), (int)n), 8);
    own->half = hf_memory_allocate_matrix(memory, "quarter of two shells",
                                          n * most * most * pass->length, 8);
    own->gathered = hf_memory_allocate_matrix(memory, "quarter of two shells", n * pass->length, 8);
    own->packed = hf_memory_allocate_matrix(memory, "quarter of two shells",
                                            hf_packed_size(pass->end, (int)n), 8);
    own->result = hf_memory_allocate_matrix(memory, "quarter of two shells",
                                            (size_t)pass->end * most * most * pass->length, 8);
    own->row = calloc(n, sizeof *own->row);
    own->column = calloc(n, sizeof *own->column);
    own->of_bra = calloc(most_bra, sizeof *own->of_bra);
    own->place = calloc(most * most * most, sizeof *own->place);
    own->right = calloc(n, sizeof *own->right);
    return own->panel != NULL && own->half != NULL && own->gathered != NULL &&
           own->packed != NULL && own->result != NULL && own->row != NULL && own->column != NULL &&
           own->of_bra != NULL && own->place != NULL && own->right != NULL;
}

static hf_status pass_init(struct pass *pass, struct hf_mp2 *mp2, struct hf_mp2_half *half,
                           struct hf_error *error)
{
    bool ok;
    *pass = (struct pass){
        .mp2 = mp2, .half = half, .begin = hf_mp2_batch_begin(mp2), .end = hf_mp2_batch_end(mp2)};
    pass->length = hf_padded(pass->end);
    pass->occupied = hf_mp2_join_orbitals(mp2, pass->length);
    pass->thread = calloc((size_t)mp2->n_thread, sizeof *pass->thread);
    ok = pass->occupied != NULL && pass->thread != NULL;
    for (int t = 0; t < mp2->n_thread && ok; t++) ok = make_thread(pass, &pass->thread[t]);
    return ok ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory for the transformation");
}

static void pass_done(struct pass *pass)
{
    struct hf_memory *memory = pass->mp2->context->memory;
    for (int t = 0; t < pass->mp2->n_thread && pass->thread != NULL; t++) {
        pass->mp2->result->n_flop[0] += pass->thread[t].n_flop;
        pass->mp2->result->cpu_seconds[0] += pass->thread[t].seconds;
        thread_done(memory, &pass->thread[t]);
    }
    free(pass->thread);
    hf_memory_release(memory, pass->occupied);
}

hf_status hf_mp2_shells_first(struct hf_mp2 *mp2, struct hf_mp2_half *half, struct hf_error *error)
{
    hf_status status;
    struct pass pass;
    const struct hf_work_settings settings = {
        .order = {.grain = HF_GRAIN_SHELL_QUARTET, .quartets = HF_QUARTETS_OF_SHELLS},
        .n_thread = mp2->n_thread};
    HF_TRY(hf_agree(mp2->context->comm, pass_init(&pass, mp2, half, error), error));
    HF_TRY(hf_mp2_run_work(mp2, &settings, run, &pass, error));
cleanup:
    pass_done(&pass);
    return status;
}
