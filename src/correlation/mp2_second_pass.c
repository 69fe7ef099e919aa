/* The third step of the derivatives of MP2: the second pass over the integrals. */
#include "bra.h"
#include "mp2_response.h"
#include "panel.h"

#include "hf/timer.h"
#include "integrals/engine.h"
#include "integrals/quartet_gradient.h"
#include "text/trace.h"
#include "work/work.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

const struct hf_phase hf_phase_mp2_derivatives = {.name = "MP2: derivatives"};

/** hartree/bohr: quartets whose estimate is below it are left out; primitive ones below a share of it, with the largest
 *  element of the density. */
static const double THRESHOLD = 1e-12, PRIMITIVE_SHARE = 0.01;

/** Data shared by the threads of a rank. i counts the orbitals of the batch of both spins. */
struct second_pass {
    struct hf_mp2 *mp2; /**< borrowed */
    struct hf_mp2_panel panel;
    struct hf_arena arena;
    int n_i;
    size_t length;                 /**< of rows over functions */
    double *occupied;              /**< C_ni [i][length] */
    double *virtuals[HF_MAX_SPIN]; /**< C_na [a][length] */
    double *momentum;              /**< [n_shell] see hf_shell_momentum */
    double most_momentum;
    atomic_llong next;     /**< task */
    pthread_mutex_t mutex; /**< guards the sums of the rank */
};

/** Data of a thread, for one bra RS. */
struct passer {
    struct second_pass *pass;
    struct hf_mp2_bra bra;
    const double *block;      /**< T_ia(rs) of the bra */
    int n_rs, end;            /**< end: first function after the last site of the bra */
    double *plane;            /**< (mn|rs) of one rs */
    double *back;             /**< [i][length] sum_a C_na T_ia(rs) of one rs */
    double *packed, *compact; /**< left matrices */
    double *joined;           /**< left matrix [n][2 n_i]: C_mi, then back_im */
    double *sum;              /**< [i][length] */
    double
        *density; /**< [n][length] G_mnrs + G_nmrs of one rs; it replaces integrals in the strips */
    int *strip_of;      /**< [n_shell][n_shell] strip of a ket; -1: none */
    const double **row; /**< rows of right matrices */
    int64_t (*slope)[3];
    struct hf_gradient_engine *engine;
    struct hf_quartet_density of_quartet[HF_MAX_BATCH];
    double gradient[HF_MAX_BATCH][4][3];
    double largest; /**< element of the density with a ket that the bra has met, 1 at least */
    double n_flop, seconds; /**< for matrix products */
    double integral_seconds, derivative_seconds;
};

static const struct hf_mp2_orbitals *orbitals_of(const struct passer *own, int spin)
{
    return &own->pass->mp2->orbitals[spin];
}

static int n_of_spin(const struct passer *own, int spin)
{
    return own->pass->panel.n_i[spin];
}

/* ---- One rs ---------------------------------------------------------------------------------- */

/** Row over a of T_ia(rs). */
static const double *amplitude_row(const struct passer *own, int spin, int i, int rs)
{
    const struct hf_mp2 *mp2 = own->pass->mp2;
    const size_t n_rs = (size_t)own->n_rs;
    return own->block + hf_mp2_place(mp2, spin, mp2->batch.begin[spin] + i, n_rs) +
           (size_t)rs * mp2->orbitals[spin].length;
}

/** back = sum_a C_na T_ia(rs) of a spin. */
static void transform_back(struct passer *own, int spin, int rs, double *back)
{
    const struct hf_mp2_orbitals *orbitals = orbitals_of(own, spin);
    const int n_i = n_of_spin(own, spin);
    const size_t length = own->pass->length;
    hf_pack(n_i, orbitals->n_virtual, amplitude_row(own, spin, 0, rs),
            (size_t)own->n_rs * orbitals->length, 1, own->packed);
    for (int a = 0; a < orbitals->n_virtual; a++)
        own->row[a] = own->pass->virtuals[spin] + (size_t)a * length;
    own->pass->mp2->multiply(&(struct hf_product){.n_row = n_i,
                                                  .n_inner = orbitals->n_virtual,
                                                  .n_column = length,
                                                  .left = own->packed,
                                                  .right = own->row,
                                                  .to = back,
                                                  .to_step = length});
    own->n_flop += 2.0 * n_i * orbitals->n_virtual * (double)length;
}

/** The rows m of a block, of a matrix [i][n] that is packed as left matrix. */
static const double *select_rows(struct passer *own, int n_i,
                                 const struct hf_mp2_panel_block *block)
{
    const size_t n = (size_t)own->pass->panel.n, group = HF_PRODUCT_GROUP;
    if (block->n_row == own->pass->panel.n) return own->packed;
    if (block->repeats) return own->compact;
    double *to = own->compact;
    for (size_t first = 0; first < (size_t)n_i; first += group)
        for (int k = 0; k < block->n_row; k++, to += group)
            memcpy(to, own->packed + first * n + (size_t)block->row[k] * group, group * sizeof *to);
    return own->compact;
}

/** sum [i][length] += sum_m back_im (mn|rs). */
static void add_occupied(struct passer *own, int spin, const double *back, double *sum)
{
    const struct hf_mp2_panel *panel = &own->pass->panel;
    const int n_i = n_of_spin(own, spin);
    const size_t length = own->pass->length;
    hf_pack(n_i, panel->n, back, length, 1, own->packed);
    for (int b = 0; b < panel->n_block; b++) {
        const struct hf_mp2_panel_block *block = &panel->block[b];
        const double *left = select_rows(own, n_i, block);
        for (int k = 0; k < block->n_row; k++)
            own->row[k] = own->plane + block->place + (size_t)k * (size_t)block->width;
        own->pass->mp2->multiply(
            &(struct hf_product){.n_row = n_i,
                                 .n_inner = block->n_row,
                                 .n_column = (size_t)block->width,
                                 .left = left,
                                 .right = own->row,
                                 .to = sum + (size_t)(b * HF_MP2_PANEL_COLUMNS),
                                 .to_step = length,
                                 .add = true});
    }
    own->n_flop += 2.0 * n_i * panel->n_element;
}

/** First function after the site of function m. */
static int end_of_site(const struct passer *own, int m)
{
    const struct hf_basis *basis = own->pass->mp2->merged;
    const int site = basis->shell[own->pass->panel.shell_of[m]].atom;
    return site + 1 < basis->n_atom ? hf_atom_first_function(basis, site + 1) : basis->n_function;
}

/** G_mn + G_nm = sum_i C_mi back_in + back_im C_ni of one rs, for m up to the last site of the bra and n up to the
 *  site of m: kets after the bra are not differentiated. */
static void make_density(struct passer *own)
{
    const struct second_pass *pass = own->pass;
    const size_t length = pass->length, n_i = (size_t)pass->n_i;
    enum { ROWS = HF_PRODUCT_GROUP };
    for (size_t i = 0; i < n_i; i++) {
        own->row[i] = own->back + i * length;
        own->row[n_i + i] = pass->occupied + i * length;
    }
    for (int m = 0; m < own->end; m += ROWS) {
        const int n_row = m + ROWS < own->end ? ROWS : own->end - m;
        const size_t n_column = hf_padded(end_of_site(own, m + n_row - 1));
        double *left = own->joined + (size_t)m * 2 * n_i;
        hf_pack(n_row, (int)n_i, own->back + m, 1, length, left + ROWS * n_i);
        pass->mp2->multiply(&(struct hf_product){.n_row = n_row,
                                                 .n_inner = 2 * (int)n_i,
                                                 .n_column = n_column,
                                                 .left = left,
                                                 .right = own->row,
                                                 .to = own->density + (size_t)m * length,
                                                 .to_step = length});
        own->n_flop += 4.0 * n_row * (double)n_i * (double)n_column;
    }
}

/* ---- One bra --------------------------------------------------------------------------------- */

/** Adds rows [n_q][length] of functions to Y of the orbitals from number q on. */
static void add_rows(const struct passer *own, int spin, int q, int n_q, const double *rows)
{
    struct second_pass *pass = own->pass;
    const size_t n = (size_t)pass->panel.n;
    int64_t *to = pass->mp2->settings->derivatives->steps[spin] + (size_t)q * n;
    pthread_mutex_lock(&pass->mutex);
    for (int k = 0; k < n_q; k++, to += n, rows += pass->length) hf_mp2_add_steps(n, 1.0, rows, to);
    pthread_mutex_unlock(&pass->mutex);
}

/** Y of a bra whose strips are complete, and its density. */
static void transform(struct passer *own)
{
    const struct second_pass *pass = own->pass;
    const struct hf_mp2_panel *panel = &pass->panel;
    const size_t length = pass->length, n_alpha = (size_t)panel->n_i[0];
    const double start = hf_thread_seconds();
    memset(own->sum, 0, (size_t)pass->n_i * length * sizeof *own->sum);
    for (int rs = 0; rs < own->n_rs; rs++) {
        hf_mp2_panel_fill(panel, &own->bra.strips, (size_t)rs, own->plane);
        for (int spin = 0; spin < pass->mp2->n_spin; spin++) {
            const size_t first = spin > 0 ? n_alpha * length : 0;
            if (panel->n_i[spin] == 0) continue;
            transform_back(own, spin, rs, own->back + first);
            add_occupied(own, spin, own->back + first, own->sum + first);
        }
        make_density(own);
        hf_mp2_strips_replace(&own->bra.strips, (size_t)rs, own->end, own->density, length);
    }
    for (int spin = 0; spin < pass->mp2->n_spin; spin++) {
        if (panel->n_i[spin] == 0) continue;
        add_rows(own, spin, pass->mp2->batch.begin[spin], panel->n_i[spin],
                 own->sum + (spin > 0 ? n_alpha * length : 0));
    }
    own->seconds += hf_thread_seconds() - start;
}

/* ---- Derivatives of its quartets ------------------------------------------------------------- */

/** Finds the strips of all kets. */
static void find_strips(struct passer *own)
{
    const struct hf_basis *basis = own->pass->mp2->merged;
    const size_t n = (size_t)basis->n_shell;
    const int *shell_of = own->pass->panel.shell_of;
    for (size_t k = 0; k < n * n; k++) own->strip_of[k] = -1;
    for (int i = 0; i < own->bra.strips.n_kept; i++) {
        const struct hf_mp2_kept *kept = &own->bra.strips.kept[i];
        const int last_c = shell_of[kept->first_c + kept->n_c - 1],
                  last_d = shell_of[kept->first_d + kept->n_d - 1];
        for (int c = shell_of[kept->first_c]; c <= last_c; c++)
            for (int d = shell_of[kept->first_d]; d <= last_d; d++)
                own->strip_of[(size_t)c * n + (size_t)d] =
                    own->strip_of[(size_t)d * n + (size_t)c] = i;
    }
}

/** Elements of the density with a ket: rs `plane`, functions of its shells `row` and `column` apart. NULL: its integrals
 *  are negligible. */
struct place {
    const double *first;
    size_t plane, row, column;
};

static struct place find_place(const struct passer *own, const struct hf_shell_pair *ket)
{
    const struct hf_basis *basis = own->pass->mp2->merged;
    const int i = own->strip_of[(size_t)ket->a * (size_t)basis->n_shell + (size_t)ket->b];
    if (i < 0) return (struct place){0};
    const struct hf_mp2_kept *kept = &own->bra.strips.kept[i];
    int c = basis->shell[ket->a].first_function - kept->first_c,
        d = basis->shell[ket->b].first_function - kept->first_d;
    const bool turned = c < 0 || c >= kept->n_c || d < 0 || d >= kept->n_d;
    if (turned) {
        c = basis->shell[ket->b].first_function - kept->first_c;
        d = basis->shell[ket->a].first_function - kept->first_d;
    }
    const size_t n_d = (size_t)kept->n_d;
    return (struct place){.first =
                              own->bra.strips.value + kept->place + (size_t)c * n_d + (size_t)d,
                          .plane = (size_t)kept->n_c * n_d,
                          .row = turned ? 1 : n_d,
                          .column = turned ? n_d : 1};
}

/** Largest element of the density with a ket. */
static double find_largest(const struct passer *own, const struct hf_shell_pair *ket)
{
    const struct hf_shell *shell = own->pass->mp2->merged->shell;
    const struct place place = find_place(own, ket);
    double largest = 0.0;
    for (size_t rs = 0; rs < (size_t)own->n_rs && place.first != NULL; rs++)
        for (size_t m = 0; m < (size_t)shell[ket->a].n_function; m++)
            for (size_t n = 0; n < (size_t)shell[ket->b].n_function; n++) {
                const double x =
                    fabs(place.first[rs * place.plane + m * place.row + n * place.column]);
                if (x > largest) largest = x;
            }
    return largest;
}

/** hf_quartet_consumer.bound: kets up to the bra, because the density is the same from both sides. Primitives that are
 *  negligible depend on the largest element of the density that the bra has met. */
static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    struct passer *own = self;
    const double *momentum = own->pass->momentum;
    const double of_bra = fmax(momentum[bra->a], momentum[bra->b]);
    for (int k = 0; k < n; k++) {
        const struct hf_shell_pair *pair = ket[k].pair;
        const double weight = 4.0 * bra->bound * pair->bound *
                              fmax(of_bra, fmax(momentum[pair->a], momentum[pair->b]));
        const double largest = pair <= bra ? find_largest(own, pair) : 0.0;
        own->largest = fmax(own->largest, largest);
        ket[k].wanted = weight * largest >= THRESHOLD;
    }
    hf_gradient_engine_set_threshold(own->engine, PRIMITIVE_SHARE * THRESHOLD /
                                                      (own->pass->most_momentum * own->largest));
}

static void add_to_atom(const struct passer *own, int shell, const double of[3])
{
    hf_slope_add(of, own->slope[own->pass->mp2->merged->shell[shell].atom]);
}

/** hf_quartet_consumer.use */
static void use(void *self, const struct hf_shell_pair *bra, int n,
                const struct hf_shell_pair *const ket[])
{
    struct passer *own = self;
    const struct hf_mp2 *mp2 = own->pass->mp2;
    for (int k = 0; k < n; k++) {
        struct hf_quartet_density *density = &own->of_quartet[k];
        const struct place place = find_place(own, ket[k]);
        density->whole = place.first;
        density->plane = place.plane;
        density->row[HF_BLOCK_CD] = (int)place.row;
        density->column[HF_BLOCK_CD] = (int)place.column;
        density->factor = (mp2->n_spin == 1 ? 2.0 : 1.0) * (ket[k] == bra ? 1.0 : 2.0) *
                          (ket[k]->a == ket[k]->b ? 0.5 : 1.0);
    }
    hf_gradient_engine_compute(own->engine, bra, n, ket, 0, own->of_quartet, own->gradient);
    for (int k = 0; k < n; k++) {
        add_to_atom(own, bra->a, own->gradient[k][0]);
        add_to_atom(own, bra->b, own->gradient[k][1]);
        add_to_atom(own, ket[k]->a, own->gradient[k][2]);
        add_to_atom(own, ket[k]->b, own->gradient[k][3]);
    }
}

static const struct hf_quartet_consumer consumer = {
    .bound = bound,
    .use = use,
};

/* ---- All bras -------------------------------------------------------------------------------- */

static hf_status do_bra(struct passer *own, struct hf_pass_thread *thread, int64_t task,
                        struct hf_error *error)
{
    struct hf_part part = {0};
    const struct hf_mp2 *mp2 = own->pass->mp2;
    const double start = hf_thread_seconds();
    HF_CHECK(hf_mp2_bra_compute(&own->bra, thread->worker, task, error));
    own->integral_seconds += hf_thread_seconds() - start;
    if (own->bra.pair == NULL) return HF_OK;
    own->block = mp2->block[own->bra.pair - mp2->pairs->pair];
    own->n_rs = (int)hf_mp2_n_row(mp2->pairs, own->bra.pair - mp2->pairs->pair);
    const struct hf_shell *shell = mp2->merged->shell;
    const int a = shell[own->bra.pair->a].first_function,
              b = shell[own->bra.pair->b].first_function;
    own->end = end_of_site(own, a > b ? a : b);
    transform(own);
    const double begin = hf_thread_seconds();
    find_strips(own);
    own->largest = 1.0;
    for (int32_t i = 0; hf_work_find_part(thread->worker, task, i, &part); i++)
        if (part.n_ket > 0) HF_CHECK(hf_work_do_part(thread->worker, &consumer, own, &part, error));
    own->derivative_seconds += hf_thread_seconds() - begin;
    hf_work_trace_step(thread->worker, HF_TRACE_TASK, task);
    return HF_OK;
}

/** hf_pass.run: takes the bras whose T this rank has, whoever the scheduler gives them to. */
static hf_status run(void *self, struct hf_pass_thread *thread, struct hf_error *error)
{
    struct passer *own = self;
    struct hf_part part = {0};
    const struct hf_mp2 *mp2 = own->pass->mp2;
    int64_t task;
    while ((task = atomic_fetch_add(&own->pass->next, 1)) < mp2->pairs->n_pair)
        if (hf_work_find_part(thread->worker, task, 0, &part) && mp2->block[part.bra_begin] != NULL)
            HF_CHECK(do_bra(own, thread, task, error));
    return HF_OK;
}

static size_t largest_of(size_t x, size_t y)
{
    return x > y ? x : y;
}

/** Arrays of a thread; may fail. */
static void make_arrays(struct passer *own, struct hf_arena *arena)
{
    const struct second_pass *pass = own->pass;
    const struct hf_mp2 *mp2 = pass->mp2;
    const size_t n = (size_t)pass->panel.n, n_i = (size_t)pass->n_i, length = pass->length;
    size_t v = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        v = largest_of(v, (size_t)mp2->orbitals[spin].n_virtual);
    const size_t left = largest_of(hf_packed_size((int)v, (int)n_i),
                                   hf_packed_size((int)n_i, (int)largest_of(n, v)));
    HF_TAKE(arena, own->plane, pass->panel.plane);
    HF_TAKE(arena, own->back, n_i * length);
    HF_TAKE(arena, own->packed, left);
    HF_TAKE(arena, own->compact, hf_packed_size((int)n_i, (int)n));
    HF_TAKE(arena, own->sum, n_i * length);
    HF_TAKE(arena, own->joined, hf_packed_size((int)n, 2 * (int)n_i));
    HF_TAKE(arena, own->density, n * length);
    HF_TAKE(arena, own->strip_of, (size_t)mp2->merged->n_shell * (size_t)mp2->merged->n_shell);
    HF_TAKE(arena, own->row, largest_of(2 * n_i, largest_of(n, v)));
    HF_TAKE(arena, own->slope, (size_t)mp2->settings->derivatives->n_atom);
    for (size_t m = 0; m < n && own->joined != NULL; m += HF_PRODUCT_GROUP)
        hf_pack((int)(m + HF_PRODUCT_GROUP < n ? HF_PRODUCT_GROUP : n - m), (int)n_i,
                pass->occupied + m, 1, length, own->joined + m * 2 * n_i);
}

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct passer *own = self;
    own->pass = data;
    make_arrays(own, &thread->arena);
    hf_mp2_bra_init(&own->bra, own->pass->mp2, &thread->arena);
    return hf_gradient_engine_create(hf_work_engine(thread->worker), &own->engine, error);
}

/** hf_pass.end */
static void end(void *self, void *data)
{
    struct passer *own = self;
    struct second_pass *pass = data;
    struct hf_mp2 *mp2 = pass->mp2;
    hf_gradient_engine_destroy(&own->engine);
    if (own->slope == NULL) return; /* there was no memory */
    struct hf_mp2_derivatives *result = mp2->settings->derivatives;
    for (int i = 0; i < result->n_atom; i++)
        for (int x = 0; x < 3; x++) result->slope_steps[i][x] += own->slope[i][x];
    mp2->result->n_flop[2] += own->n_flop;
    mp2->result->cpu_seconds[2] += own->seconds;
    mp2->result->integral_seconds += own->integral_seconds;
    mp2->result->derivative_seconds += own->derivative_seconds;
}

static const struct hf_pass of_thread = {.label = "the second pass of MP2",
                                         .own_bytes = sizeof(struct passer),
                                         .begin = begin,
                                         .run = run,
                                         .end = end};

/** hf_round.run */
static hf_status run_thread(void *data, struct hf_worker *worker, struct hf_error *error)
{
    return hf_work_do_pass(worker, &of_thread, data, error);
}

/** Copies the coefficients of the batch. */
static void copy_orbitals(struct second_pass *pass)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    double *occupied = pass->occupied;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
        const size_t n_i = (size_t)pass->panel.n_i[spin], o = (size_t)orbitals->n_occupied;
        for (size_t m = 0; m < (size_t)pass->panel.n; m++) {
            for (size_t i = 0; i < n_i; i++)
                occupied[i * pass->length + m] =
                    orbitals->occupied[m * o + (size_t)mp2->batch.begin[spin] + i];
            for (size_t a = 0; a < (size_t)orbitals->n_virtual; a++)
                pass->virtuals[spin][a * pass->length + m] =
                    orbitals->virtuals[m * orbitals->length + a];
        }
        occupied += n_i * pass->length;
    }
}

/** Local. */
static hf_status init(struct second_pass *pass, struct hf_error *error)
{
    const struct hf_mp2 *mp2 = pass->mp2;
    const struct hf_basis *basis = mp2->merged;
    struct hf_arena *arena = &pass->arena;
    hf_mp2_panel_init(&pass->panel, mp2, arena);
    pass->n_i = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
    pass->length = hf_padded(basis->n_function);
    HF_TAKE(arena, pass->occupied, (size_t)pass->n_i * pass->length);
    HF_TAKE(arena, pass->momentum, (size_t)basis->n_shell);
    for (int spin = 0; spin < mp2->n_spin; spin++)
        HF_TAKE(arena, pass->virtuals[spin], (size_t)mp2->orbitals[spin].n_virtual * pass->length);
    HF_CHECK(hf_arena_check(arena, error));
    copy_orbitals(pass);
    for (int s = 0; s < basis->n_shell; s++) {
        pass->momentum[s] = hf_shell_momentum(&basis->shell[s]);
        pass->most_momentum = fmax(pass->most_momentum, pass->momentum[s]);
    }
    return HF_OK;
}

hf_status hf_mp2_second_pass(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct second_pass pass = {.mp2 = mp2, .arena = hf_mp2_arena(mp2, "panel of a bra")};
    const struct hf_work_settings settings = {
        .schedule = {.name = "static"}, /* nobody asks it */
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .quartets = HF_QUARTETS_EVERY_KET},
        .n_thread = mp2->n_thread,
        .phases = {&hf_phase_mp2_derivatives, &hf_phase_mp2_wait, &hf_phase_mp2_wait},
    };
    pthread_mutex_init(&pass.mutex, NULL);
    HF_TRY(hf_agree(mp2->context->comm, init(&pass, error), error));
    atomic_init(&pass.next, 0);
    hf_trace_begin_batch(mp2->context->trace);
    HF_TRY(hf_mp2_run_work(mp2, &settings, run_thread, &pass, error));
cleanup:
    pthread_mutex_destroy(&pass.mutex);
    hf_arena_done(&pass.arena);
    return status;
}
