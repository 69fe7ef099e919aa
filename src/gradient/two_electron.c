/* The two-electron part of the gradient: a consumer of quartet work that differentiates quartets itself. */
#include "gradient/two_electron_gradient.h"

#include "base/slope_sums.h"
#include "base/threads.h"
#include "coulomb_gradient.h"
#include "fock/coulomb_choice.h"
#include "fock/density_loan.h"
#include "fock/fock.h"
#include "integrals/engine.h"
#include "integrals/quartet_gradient.h"
#include "text/trace.h"
#include "work/pass.h"
#include "work/work.h"

#include <math.h>
#include <stdlib.h>

const struct hf_phase hf_phase_gradient_quartets = {"Gradient: quartets"};
const struct hf_phase hf_phase_gradient_wait_blocks = {"Gradient: waiting for blocks"};
const struct hf_phase hf_phase_gradient_wait_task = {"Gradient: waiting for tasks"};
const struct hf_phase hf_phase_gradient_wait_ranks = {"Gradient: waiting for last rank"};
const struct hf_phase hf_phase_gradient_reduce = {"Gradient: moving matrices"};

/** A pass for the Coulomb part is worthwhile up to this hf_exchange_share, a larger one than in a Fock build: of derivatives
 *  the pass takes less time beside quartets (docs/measurements/performance.md). */
static const double PAYING_SHARE = 0.9;

/** What the threads of a rank have in common. */
struct two_electron {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_two_electron_gradient_settings *settings;
    int n_density;
    bool exchange_alone;            /**< quartets are without the Coulomb part */
    struct hf_lent_densities *lent; /**< the spin density, if there is one, before the total one */
    struct hf_shell_place *place;   /**< [n_shell] */
    int n_atom, n_thread;
    double *momentum; /**< [n_shell], see hf_shell_momentum */
    double most_momentum;
    double primitive_threshold; /**< of engines */
    int64_t (*sum)[3];          /**< [n_atom] in steps, of all threads */
    struct hf_arena arena;      /**< has momentum and sum */
};

/** One thread. */
struct differentiator {
    const struct two_electron *all;
    struct hf_gradient_engine *engine;
    struct hf_density_loan loans[2];    /**< of the part that is computed, and of the next one */
    const struct hf_density_loan *loan; /**< the first of these */
    struct hf_part part[2];             /**< their parts; the task is -1 behind the last one */
    const struct hf_part *computed;     /**< the one that is computed */
    int64_t task;                       /**< -1: none */
    int32_t n_found;                    /**< parts of it */
    int64_t (*gradient)[3];             /**< [n_atom] in steps */
    const struct hf_shell_pair *met_by; /**< bra of `met`; NULL: none of this part */
    double *met;                        /**< [n_shell] see find_met */
    struct hf_quartet_density density[HF_MAX_BATCH];
    double of_quartet[HF_MAX_BATCH][4][3];
};

/* ---- Screening ------------------------------------------------------------------------------- */

/** How many of the 8 permutations of a quartet are different. */
static double count_permutations(const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    return (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) *
           (bra == ket ? 1.0 : 2.0);
}

/** The two shells or sites of each block. */
static const int sides[HF_N_QUARTET_BLOCK][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

/** Bounds on |D_ab D_cd|/2 and on the sum of the products of exchange over 8, from those of blocks. */
static void find_weights(const struct two_electron *all,
                         double bound[HF_N_QUARTET_BLOCK][HF_N_BOUND], double *coulomb,
                         double *exchange)
{
    *coulomb = 0.5 * bound[HF_BLOCK_AB][HF_WITH_COULOMB] * bound[HF_BLOCK_CD][HF_WITH_COULOMB];
    if (all->settings->difference)
        *coulomb +=
            0.5 * bound[HF_BLOCK_AB][HF_EXCHANGE_ALONE] * bound[HF_BLOCK_CD][HF_EXCHANGE_ALONE];
    *exchange = 0.0;
    for (int s = 0; s < all->n_density; s++)
        *exchange += 0.125 * (bound[HF_BLOCK_AC][s] * bound[HF_BLOCK_BD][s] +
                              bound[HF_BLOCK_AD][s] * bound[HF_BLOCK_BC][s]);
}

/** The first block that is needed. */
static int first_block(const struct two_electron *all)
{
    return all->exchange_alone ? HF_BLOCK_AC : HF_BLOCK_AB;
}

/** hf_round.factor: of pairs of sites. */
static double find_factor(const void *data, const struct hf_atom_pair *bra,
                          const struct hf_atom_pair *ket)
{
    const struct two_electron *all = data;
    const int site[4] = {bra->atom_a, bra->atom_b, ket->atom_a, ket->atom_b};
    double bound[HF_N_QUARTET_BLOCK][HF_N_BOUND] = {{0.0}}, coulomb, exchange;
    for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++)
        hf_lent_densities_bounds(all->lent, site[sides[k][0]], site[sides[k][1]], bound[k]);
    find_weights(all, bound, &coulomb, &exchange);
    return 8.0 * all->most_momentum * (coulomb + exchange);
}

/** The row of a shell in the bounds of the block that it has with a site: [shells of the site][HF_N_BOUND]. */
static const double *find_largest(const struct differentiator *own,
                                  const struct hf_shell_place *shell, int site)
{
    const struct hf_lent_block *block = hf_lent_block_of(own->loan, shell->atom, site);
    return block->largest + (size_t)shell->index * (size_t)block->n_largest * HF_N_BOUND;
}

/** own->met of the shells of a site: largest elements with one of the bra's. */
static void meet(struct differentiator *own, const struct hf_shell_pair *bra, int site)
{
    const struct two_electron *all = own->all;
    const int *first = all->pairs->basis->first_shell_of_atom;
    const double *of_a = find_largest(own, &all->place[bra->a], site);
    const double *of_b = find_largest(own, &all->place[bra->b], site);
    for (int s = first[site]; s < first[site + 1]; s++, of_a += HF_N_BOUND, of_b += HF_N_BOUND) {
        own->met[s] = 0.0;
        for (int k = 0; k < all->n_density; k++)
            own->met[s] = fmax(own->met[s], fmax(of_a[k], of_b[k]));
    }
}

/** Sets own->met of all shells of kets of the part. */
static void find_met(struct differentiator *own, const struct hf_shell_pair *bra)
{
    const struct hf_part *part = own->computed;
    if (own->met_by == bra) return;
    own->met_by = bra;
    for (int k = 0; k < part->n_ket; k++) {
        const struct hf_atom_pair *ket = part->ket[k].atoms;
        if (k == 0 || ket->atom_a != part->ket[k - 1].atoms->atom_a) meet(own, bra, ket->atom_a);
        if (ket->atom_b != ket->atom_a) meet(own, bra, ket->atom_b);
    }
}

/** hf_quartet_consumer.bound */
static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    struct differentiator *own = self;
    const struct two_electron *all = own->all;
    const double of_bra = fmax(all->momentum[bra->a], all->momentum[bra->b]);
    if (all->exchange_alone) find_met(own, bra);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *pair = ket[i].pair;
        const int shell[4] = {bra->a, bra->b, pair->a, pair->b};
        const double of_ket = fmax(all->momentum[pair->a], all->momentum[pair->b]);
        double of_block[HF_N_QUARTET_BLOCK][HF_N_BOUND] = {{0.0}}, coulomb, exchange;
        ket[i].wanted = false;
        if (all->exchange_alone && 2.0 * all->n_density * own->met[pair->a] * own->met[pair->b] *
                                           fmax(of_bra, of_ket) * bra->bound * pair->bound <
                                       all->settings->threshold)
            continue; /* no more than what follows, from fewer places in memory */
        for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++) {
            const struct hf_shell_place *s = &all->place[shell[sides[k][0]]],
                                        *t = &all->place[shell[sides[k][1]]];
            const double *from = find_largest(own, s, t->atom) + (size_t)t->index * HF_N_BOUND;
            for (int kind = 0; kind < HF_N_BOUND; kind++) of_block[k][kind] = from[kind];
        }
        find_weights(all, of_block, &coulomb, &exchange);
        const double weight = (coulomb + exchange * hf_far_factor(bra, pair)) *
                              count_permutations(bra, pair) * fmax(of_bra, of_ket);
        ket[i].wanted = weight * bra->bound * pair->bound >= all->settings->threshold;
    }
}

/* ---- Derivatives ----------------------------------------------------------------------------- */

/** Where the densities of a quartet are. */
static void find_blocks(const struct differentiator *own, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket, struct hf_quartet_density *to)
{
    const struct two_electron *all = own->all;
    const int shell[4] = {bra->a, bra->b, ket->a, ket->b};
    to->factor = count_permutations(bra, ket);
    for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++) {
        const struct hf_shell_place *s = &all->place[shell[sides[k][0]]],
                                    *t = &all->place[shell[sides[k][1]]];
        const struct hf_lent_block *block = hf_lent_block_of(own->loan, s->atom, t->atom);
        const double *first =
            block->value + (size_t)s->first * (size_t)block->n_column + (size_t)t->first;
        to->row[k] = block->n_column;
        to->column[k] = 1;
        to->total[k] = first + (size_t)(all->n_density - 1) * block->plane;
        to->spin[k] = all->n_density > 1 ? first : NULL;
    }
}

static void add_to_atom(const struct differentiator *own, int shell, const double of[3])
{
    hf_slope_add(of, own->gradient[own->all->pairs->basis->shell[shell].atom]);
}

/** hf_quartet_consumer.use */
static void use(void *self, const struct hf_shell_pair *bra, int n,
                const struct hf_shell_pair *const ket[])
{
    struct differentiator *own = self;
    const struct two_electron *all = own->all;
    for (int i = 0; i < n; i++) find_blocks(own, bra, ket[i], &own->density[i]);
    hf_gradient_engine_compute(own->engine, bra, n, ket, all->n_density, own->density,
                               own->of_quartet);
    for (int i = 0; i < n; i++) {
        add_to_atom(own, bra->a, own->of_quartet[i][0]);
        add_to_atom(own, bra->b, own->of_quartet[i][1]);
        add_to_atom(own, ket[i]->a, own->of_quartet[i][2]);
        add_to_atom(own, ket[i]->b, own->of_quartet[i][3]);
    }
}

static const struct hf_quartet_consumer consumer = {
    .bound = bound,
    .use = use,
};

/** Finds the next part and begins to borrow its blocks. */
static hf_status begin_part(struct differentiator *own, struct hf_worker *worker, int which,
                            struct hf_error *error)
{
    struct hf_part *part = &own->part[which];
    for (bool found = false; !found;) {
        if (own->task < 0) {
            const hf_status status = hf_work_next_task(worker, &own->task, error);
            own->n_found = 0;
            part->task = -1;
            if (status != HF_OK || own->task < 0) return status;
        }
        part->task = own->task;
        part->stored = false;
        found = hf_work_find_part(worker, own->task, own->n_found++, part);
        if (!found) own->task = -1;
        found = found && part->n_ket > 0;
    }
    return hf_density_loan_begin(&own->loans[which], part, error);
}

static hf_status compute_part(struct differentiator *own, struct hf_worker *worker, int which,
                              struct hf_error *error)
{
    const struct hf_part *part = &own->part[which];
    const double start = hf_wall_seconds();
    hf_density_loan_wait(&own->loans[which], worker, part);
    hf_work_trace_wait(worker, &hf_phase_gradient_wait_blocks, start);
    own->loan = &own->loans[which];
    own->computed = part;
    own->met_by = NULL;
    const hf_status status = hf_work_do_part(worker, &consumer, own, part, error);
    hf_work_trace_part(worker, part);
    return status;
}

/** hf_pass.run: blocks of the next part are on their way while one is computed. */
static hf_status run(void *self, struct hf_pass_thread *thread, struct hf_error *error)
{
    struct differentiator *own = self;
    const bool ahead = own->all->settings->distributed; /* else a task in hand helps nobody */
    hf_status status = begin_part(own, thread->worker, 0, error);
    for (int now = 0; status == HF_OK && own->part[now].task >= 0; now = 1 - now) {
        if (ahead) status = begin_part(own, thread->worker, 1 - now, error);
        if (status == HF_OK) status = compute_part(own, thread->worker, now, error);
        if (status == HF_OK && !ahead) status = begin_part(own, thread->worker, 1 - now, error);
    }
    return status;
}

/** hf_pass.begin */
static hf_status begin(void *self, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error)
{
    struct differentiator *own = self;
    const struct two_electron *all = data;
    hf_status status =
        hf_gradient_engine_create(hf_work_engine(thread->worker), &own->engine, error);
    own->all = all;
    own->task = -1;
    HF_TAKE(&thread->arena, own->gradient, (size_t)all->n_atom);
    HF_TAKE(&thread->arena, own->met, (size_t)all->pairs->basis->n_shell);
    for (int k = 0; k < 2 && status == HF_OK; k++)
        status = hf_density_loan_init(&own->loans[k], all->lent, error);
    if (status == HF_OK) hf_gradient_engine_set_threshold(own->engine, all->primitive_threshold);
    if (status == HF_OK && all->settings->difference)
        hf_gradient_engine_set_difference(own->engine);
    return status;
}

/** hf_pass.end */
static void end(void *self, void *data)
{
    struct differentiator *own = self;
    const struct two_electron *all = data;
    for (int i = 0; i < all->n_atom && own->gradient != NULL; i++)
        for (int x = 0; x < 3; x++) all->sum[i][x] += own->gradient[i][x];
    hf_gradient_engine_destroy(&own->engine);
    for (int k = 0; k < 2; k++) hf_density_loan_done(&own->loans[k]);
}

static const struct hf_pass of_thread = {.label = "the gradient",
                                         .own_bytes = sizeof(struct differentiator),
                                         .begin = begin,
                                         .run = run,
                                         .end = end};

/** hf_round.run */
static hf_status run_thread(void *data, struct hf_worker *worker, struct hf_error *error)
{
    return hf_work_do_pass(worker, &of_thread, data, error);
}

/* ---- All quartets ---------------------------------------------------------------------------- */

/** Everything that belongs to this rank alone. */
static hf_status init(struct two_electron *all, struct hf_error *error)
{
    const struct hf_basis *basis = all->pairs->basis;
    HF_TAKE(&all->arena, all->momentum, (size_t)basis->n_shell);
    HF_TAKE(&all->arena, all->sum, (size_t)all->n_atom);
    HF_CHECK(hf_arena_check(&all->arena, error));
    all->place = hf_shell_places(basis);
    if (all->place == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the gradient");
    for (int s = 0; s < basis->n_shell; s++) {
        all->momentum[s] = hf_shell_momentum(&basis->shell[s]);
        all->most_momentum = fmax(all->most_momentum, all->momentum[s]);
    }
    return HF_OK;
}

static enum hf_coulomb_choice choose_coulomb(const struct two_electron *all)
{
    const enum hf_coulomb_choice choice = all->settings->coulomb;
    if (choice != HF_COULOMB_AUTO) return choice;
    return hf_exchange_share(all->pairs, all->settings->threshold) <= PAYING_SHARE
               ? HF_COULOMB_MULTIPOLES
               : HF_COULOMB_EXACT;
}

/** Adds the Coulomb part of a density in a pass of its own. Collective. */
static hf_status add_coulomb_pass(const struct two_electron *all, bool multipoles,
                                  const struct hf_matrix *density, double (*gradient)[3],
                                  struct hf_error *error)
{
    const struct hf_two_electron_gradient_settings *settings = all->settings;
    return hf_coulomb_gradient(all->pairs,
                               &(struct hf_coulomb_settings){
                                   .schedule = settings->schedule,
                                   .n_thread = settings->n_thread,
                                   .single = settings->single,
                                   .multipoles = multipoles,
                               },
                               settings->threshold, density, all->n_atom, gradient, error);
}

static void negate(int n_atom, double (*gradient)[3])
{
    for (int i = 0; i < n_atom; i++)
        for (int x = 0; x < 3; x++) gradient[i][x] = -gradient[i][x];
}

/** Adds the Coulomb part unless it is that of quartets. Collective. */
static hf_status add_coulomb(struct two_electron *all, const struct hf_matrix *const density[],
                             double (*gradient)[3], struct hf_error *error)
{
    const enum hf_coulomb_choice choice = choose_coulomb(all);
    const bool multipoles = choice == HF_COULOMB_MULTIPOLES;
    all->exchange_alone = choice != HF_COULOMB_EXACT;
    if (!all->exchange_alone) return HF_OK;
    if (all->settings->difference) {
        negate(all->n_atom, gradient);
        HF_CHECK(add_coulomb_pass(all, multipoles, density[1], gradient, error));
        negate(all->n_atom, gradient);
    }
    return add_coulomb_pass(all, multipoles, density[0], gradient, error);
}

/** Brings the densities to where threads borrow them. Collective. */
static hf_status lend_densities(struct two_electron *all, const struct hf_matrix *const density[],
                                struct hf_error *error)
{
    struct hf_context *context = all->pairs->context;
    const int n = all->n_density;
    const struct hf_matrix *const order[] = {density[n - 1], density[0]};
    const struct hf_lent_settings settings = {.distributed = all->settings->distributed,
                                              .onesided = all->settings->onesided,
                                              .n = n,
                                              .n_alone = n - 1};
    hf_timer_start(&context->timers, &hf_phase_gradient_reduce);
    const hf_status status =
        hf_lent_densities_create(context, all->pairs->basis, &settings, order, &all->lent, error);
    hf_timer_stop(&context->timers, &hf_phase_gradient_reduce);
    return status;
}

/** The round of all quartets. Collective. */
static hf_status do_quartets(struct two_electron *all, struct hf_work *work, struct hf_error *error)
{
    static const double PRIMITIVE_SHARE = 0.1; /* of the threshold */
    struct hf_context *context = all->pairs->context;
    struct hf_timers *timers = &context->timers;
    /* of two pairs of sites with the largest elements of all */
    const double element = hf_lent_densities_largest(all->lent),
                 of_coulomb = all->exchange_alone         ? 0.0
                              : all->settings->difference ? 1.0
                                                          : 0.5,
                 largest = 8.0 * all->most_momentum * (of_coulomb + 0.25 * all->n_density) *
                           element * element;
    all->primitive_threshold = PRIMITIVE_SHARE * all->settings->threshold / largest;
    hf_trace_begin_batch(context->trace);
    const hf_status status = hf_work_run(work,
                                         &(struct hf_round){.threshold = all->settings->threshold,
                                                            .largest = largest,
                                                            .factor = find_factor,
                                                            .run = run_thread,
                                                            .data = all},
                                         error);
    hf_trace_end_build(context->trace);
    const double waited = hf_lent_densities_waited(all->lent) / all->n_thread;
    hf_timer_add(timers, &hf_phase_gradient_wait_blocks, waited);
    hf_timer_add(timers, &hf_phase_gradient_quartets, -waited);
    return status;
}

/** Tasks as the Fock builder with densities there has them. */
static struct hf_task_order find_order(bool distributed)
{
    const struct hf_fock_ops *const *ops = hf_fock_list;
    while ((*ops)->distributed != distributed) ops++;
    return (*ops)->order(HF_GRAIN_ATOM_QUARTET);
}

hf_status hf_two_electron_gradient(const struct hf_shell_pairs *pairs,
                                   const struct hf_two_electron_gradient_settings *settings,
                                   int n_density, const struct hf_matrix *const density[],
                                   int n_atom, double (*gradient)[3], struct hf_error *error)
{
    struct hf_context *context = pairs->context;
    struct two_electron all = {.pairs = pairs,
                               .settings = settings,
                               .n_density = n_density,
                               .n_atom = n_atom,
                               .n_thread = settings->n_thread > 1 ? settings->n_thread : 1,
                               .arena = {.label = "the gradient"}};
    if (settings->distributed && !hf_mpi_takes_threads())
        all.n_thread = 1; /* any of them gets blocks, while another asks for tasks */
    const struct hf_work_settings work_settings = {.schedule = settings->schedule,
                                                   .order = find_order(settings->distributed),
                                                   .tasks_for = settings->tasks_for,
                                                   .n_thread = all.n_thread,
                                                   .phases = {&hf_phase_gradient_quartets,
                                                              &hf_phase_gradient_wait_task,
                                                              &hf_phase_gradient_wait_ranks}};
    struct hf_work *work = NULL;
    hf_status status;
    HF_TRY(add_coulomb(&all, density, gradient, error));
    HF_TRY(lend_densities(&all, density, error));
    HF_TRY(hf_agree(context->comm, init(&all, error), error));
    HF_TRY(hf_work_create(context, pairs, &work_settings, &work, error));
    HF_TRY(do_quartets(&all, work, error));
    hf_slope_sums_add(context->comm, n_atom, all.sum, gradient);
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    hf_lent_densities_destroy(&all.lent);
    free(all.place);
    hf_arena_done(&all.arena);
    return status;
}
