/* The two-electron part of the gradient: a consumer of quartet work that differentiates quartets itself. */
#include "hf/two_electron_gradient.h"

#include "coulomb_gradient.h"
#include "hf/engine.h"
#include "hf/fock.h"
#include "hf/quartet_gradient.h"
#include "hf/threads.h"
#include "hf/work.h"
#include "slope_sums.h"
#include "two_electron_blocks.h"
#include "two_electron_density.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const struct hf_phase hf_phase_gradient_quartets = {"Gradient: quartets"};
const struct hf_phase hf_phase_gradient_wait = {"Gradient: waiting"};

/** A pass for the Coulomb part is worthwhile up to this hf_exchange_share, a larger one than in a Fock build: of derivatives
 *  the pass takes less time beside quartets (docs/measurements/performance.md). */
static const double PAYING_SHARE = 0.9;

struct differentiator;

/** What the threads of a rank have in common. */
struct two_electron {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_two_electron_gradient_settings *settings;
    int n_density;
    bool exchange_alone;                /**< quartets are without the Coulomb part */
    struct hf_gradient_density density; /**< of nodes */
    struct hf_gradient_blocks blocks;   /**< of owners, if the densities are distributed */
    int n_atom, n_thread;
    double *momentum; /**< [n_shell], see find_momentum */
    double most_momentum;
    atomic_int n_begun;
    struct differentiator *thread; /**< [n_thread] */
};

/** One thread. */
struct differentiator {
    const struct two_electron *all;
    struct hf_gradient_engine *engine;
    struct hf_gradient_loan loan;       /**< of distributed densities */
    int64_t (*gradient)[3];             /**< [n_atom] in steps */
    const struct hf_shell_pair *met_by; /**< bra of `met`; NULL: none yet */
    double *met;                        /**< [n_shell] see find_met */
    struct hf_quartet_density density[HF_MAX_BATCH];
    double of_quartet[HF_MAX_BATCH][4][3];
};

/* ---- Screening ------------------------------------------------------------------------------- */

/** (<p^2>)^(1/2) of a shell, the largest of its parts: by how much its derivatives are larger than its functions. */
static double find_momentum(const struct hf_shell *shell)
{
    double largest = 0.0;
    for (int k = 0; k < hf_shell_n_part(shell); k++) {
        const struct hf_shell_part part = hf_shell_get_part(shell, k);
        double norm = 0.0, square = 0.0;
        for (int i = 0; i < shell->n_primitive; i++)
            for (int j = 0; j < shell->n_primitive; j++) {
                const double sum = shell->exponent[i] + shell->exponent[j];
                const double overlap =
                    part.coefficient[i] * part.coefficient[j] * pow(sum, -part.l - 1.5);
                norm += overlap;
                square += overlap * 2.0 * (2 * part.l + 3) * shell->exponent[i] *
                          shell->exponent[j] / sum;
            }
        largest = fmax(largest, sqrt(square / norm));
    }
    return largest;
}

/** How many of the 8 permutations of a quartet are different. */
static double count_permutations(const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    return (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) *
           (bra == ket ? 1.0 : 2.0);
}

/** The two shells or sites of each block. */
static const int sides[HF_N_QUARTET_BLOCK][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

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
    double bound[HF_N_QUARTET_BLOCK][2] = {{0.0}}, coulomb, exchange;
    for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++) {
        const int i = site[sides[k][0]], j = site[sides[k][1]];
        if (all->settings->distributed)
            bound[k][0] = bound[k][1] = hf_density_bound(&all->blocks.bounds, i, j);
        else
            hf_gradient_bounds(all->n_density, (size_t)all->pairs->basis->n_atom,
                               all->density.atom_bound, i, j, bound[k]);
    }
    hf_gradient_weights(all->n_density, bound, &coulomb, &exchange);
    return 8.0 * all->most_momentum * (coulomb + exchange);
}

/** Sets own->met: largest elements of all shells with one of the bra's. Replicated densities. */
static void find_met(struct differentiator *own, const struct hf_shell_pair *bra)
{
    const struct two_electron *all = own->all;
    const size_t n = (size_t)all->pairs->basis->n_shell;
    if (own->met_by == bra) return;
    own->met_by = bra;
    memset(own->met, 0, n * sizeof *own->met);
    for (size_t k = 0; k < (size_t)all->n_density; k++) {
        const double *a = all->density.bound + (k * n + (size_t)bra->a) * n;
        const double *b = all->density.bound + (k * n + (size_t)bra->b) * n;
        for (size_t s = 0; s < n; s++) {
            const double larger = a[s] > b[s] ? a[s] : b[s];
            if (larger > own->met[s]) own->met[s] = larger;
        }
    }
}

/** hf_quartet_consumer.bound */
static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    struct differentiator *own = self;
    const struct two_electron *all = own->all;
    const size_t n_shell = (size_t)all->pairs->basis->n_shell;
    const double of_bra = fmax(all->momentum[bra->a], all->momentum[bra->b]);
    const bool quick = all->exchange_alone && !all->settings->distributed;
    if (quick) find_met(own, bra);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *pair = ket[i].pair;
        const int shell[4] = {bra->a, bra->b, pair->a, pair->b};
        const double of_ket = fmax(all->momentum[pair->a], all->momentum[pair->b]);
        double of_block[HF_N_QUARTET_BLOCK][2] = {{0.0}}, coulomb, exchange;
        ket[i].wanted = false;
        if (quick && 2.0 * all->n_density * own->met[pair->a] * own->met[pair->b] *
                             fmax(of_bra, of_ket) * bra->bound * pair->bound <
                         all->settings->threshold)
            continue; /* no more than what follows, from fewer places in memory */
        for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++) {
            const int s = shell[sides[k][0]], t = shell[sides[k][1]];
            if (all->settings->distributed)
                hf_gradient_loan_bounds(&own->loan, s, t, of_block[k]);
            else
                hf_gradient_bounds(all->n_density, n_shell, all->density.bound, s, t, of_block[k]);
        }
        hf_gradient_weights(all->n_density, of_block, &coulomb, &exchange);
        const double weight = (coulomb + exchange * hf_far_factor(bra, pair)) *
                              count_permutations(bra, pair) * fmax(of_bra, of_ket);
        ket[i].wanted = weight * bra->bound * pair->bound >= all->settings->threshold;
    }
}

/* ---- Derivatives ----------------------------------------------------------------------------- */

/** hf_quartet_consumer.lend */
static hf_status lend(void *self, const struct hf_part *part, struct hf_error *error)
{
    struct differentiator *own = self;
    if (!own->all->settings->distributed) return HF_OK;
    return hf_gradient_loan_get(&own->loan, part, error);
}

/** Where the densities of a quartet are. */
static void find_blocks(const struct differentiator *own, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket, struct hf_quartet_density *to)
{
    const struct two_electron *all = own->all;
    const struct hf_basis *basis = all->pairs->basis;
    const size_t n = (size_t)basis->n_function;
    const int shell[4] = {bra->a, bra->b, ket->a, ket->b};
    to->factor = count_permutations(bra, ket);
    for (int k = first_block(all); k < HF_N_QUARTET_BLOCK; k++) {
        const int s = shell[sides[k][0]], t = shell[sides[k][1]];
        if (all->settings->distributed) {
            hf_gradient_loan_find(&own->loan, s, t, k, to);
            continue;
        }
        to->row[k] = basis->n_function;
        to->column[k] = 1;
        to->total[k] = all->density.value + (size_t)basis->shell[s].first_function * n +
                       (size_t)basis->shell[t].first_function;
        to->spin[k] = all->n_density > 1 ? to->total[k] + n * n : NULL;
    }
}

static void add_to_atom(const struct differentiator *own, int shell, const double of[3])
{
    int64_t *to = own->gradient[own->all->pairs->basis->shell[shell].atom];
    for (int x = 0; x < 3; x++) to[x] += hf_slope_steps(of[x]);
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
    .name = "gradient",
    .about = "derivatives of two-electron integrals with densities",
    .cite = "S. Obara, A. Saika, J. Chem. Phys. 84, 3963 (1986)",
    .lend = lend,
    .bound = bound,
    .use = use,
};

/** hf_round.run */
static hf_status run(void *data, struct hf_worker *worker, struct hf_error *error)
{
    struct two_electron *all = data;
    return hf_work_do_all(worker, &consumer, &all->thread[atomic_fetch_add(&all->n_begun, 1)],
                          error);
}

/* ---- All quartets ---------------------------------------------------------------------------- */

static void done(struct two_electron *all)
{
    for (int t = 0; t < all->n_thread && all->thread != NULL; t++) {
        hf_gradient_engine_destroy(&all->thread[t].engine);
        hf_gradient_loan_done(&all->thread[t].loan);
        free(all->thread[t].gradient);
        free(all->thread[t].met);
    }
    hf_gradient_density_done(&all->density);
    hf_gradient_blocks_done(&all->blocks);
    free(all->thread);
    free(all->momentum);
}

/** Everything that belongs to this rank alone. */
static hf_status init(struct two_electron *all, struct hf_error *error)
{
    const struct hf_basis *basis = all->pairs->basis;
    hf_status status = HF_OK;
    all->momentum = malloc(((size_t)basis->n_shell + 1) * sizeof *all->momentum);
    all->thread = calloc((size_t)all->n_thread, sizeof *all->thread);
    if (all->momentum == NULL || all->thread == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the gradient");
    for (int s = 0; s < basis->n_shell; s++) {
        all->momentum[s] = find_momentum(&basis->shell[s]);
        all->most_momentum = fmax(all->most_momentum, all->momentum[s]);
    }
    for (int t = 0; t < all->n_thread && status == HF_OK; t++) {
        struct differentiator *own = &all->thread[t];
        own->all = all;
        own->gradient = calloc((size_t)all->n_atom, sizeof *own->gradient);
        status = hf_gradient_engine_create(all->pairs, &own->engine, error);
        if (status == HF_OK && all->settings->distributed)
            status =
                hf_gradient_loan_init(&own->loan, &all->blocks, all->pairs, all->n_density, error);
        own->met = malloc(((size_t)basis->n_shell + 1) * sizeof *own->met);
        if (status == HF_OK && (own->gradient == NULL || own->met == NULL))
            status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the gradient");
    }
    return status;
}

/** The largest factor of bounds of a quartet: that of two pairs of sites with the largest elements of all. */
static double largest_factor(const struct two_electron *all)
{
    const size_t n = (size_t)all->pairs->basis->n_atom * (size_t)all->pairs->basis->n_atom;
    double largest = 0.0;
    if (all->settings->distributed)
        largest = all->blocks.bounds.largest;
    else
        for (size_t i = 0; i < (size_t)all->n_density * n; i++)
            largest = fmax(largest, all->density.atom_bound[i]);
    const double coulomb = all->exchange_alone ? 0.0 : 0.5;
    return 8.0 * all->most_momentum * (coulomb + 0.25 * all->n_density) * largest * largest;
}

/** Sums of all threads and ranks; those of the threads are overwritten. Collective. */
static void add_up(const struct two_electron *all, double (*gradient)[3])
{
    int64_t(*sum)[3] = all->thread[0].gradient;
    for (int t = 1; t < all->n_thread; t++)
        for (int i = 0; i < all->n_atom; i++)
            for (int x = 0; x < 3; x++) sum[i][x] += all->thread[t].gradient[i][x];
    hf_slope_sums_add(all->pairs->context->comm, all->n_atom, sum, gradient);
}

static enum hf_coulomb_choice choose_coulomb(const struct two_electron *all)
{
    const enum hf_coulomb_choice choice = all->settings->coulomb;
    if (choice != HF_COULOMB_AUTO) return choice;
    return hf_exchange_share(all->pairs, all->settings->threshold) <= PAYING_SHARE
               ? HF_COULOMB_MULTIPOLES
               : HF_COULOMB_EXACT;
}

/** Adds the Coulomb part unless it is that of quartets. Collective. */
static hf_status add_coulomb(struct two_electron *all, const struct hf_matrix *density,
                             double (*gradient)[3], struct hf_error *error)
{
    const struct hf_two_electron_gradient_settings *settings = all->settings;
    const enum hf_coulomb_choice choice = choose_coulomb(all);
    all->exchange_alone = choice != HF_COULOMB_EXACT;
    if (!all->exchange_alone) return HF_OK;
    return hf_coulomb_gradient(all->pairs,
                               &(struct hf_coulomb_settings){
                                   .schedule = settings->schedule,
                                   .n_thread = settings->n_thread,
                                   .single = settings->single,
                                   .multipoles = choice == HF_COULOMB_MULTIPOLES,
                               },
                               settings->threshold, density, all->n_atom, gradient, error);
}

hf_status hf_two_electron_gradient(const struct hf_shell_pairs *pairs,
                                   const struct hf_two_electron_gradient_settings *settings,
                                   int n_density, const struct hf_matrix *const density[],
                                   int n_atom, double (*gradient)[3], struct hf_error *error)
{
    static const double PRIMITIVE_SHARE = 0.1; /* of the threshold */
    struct hf_context *context = pairs->context;
    struct two_electron all = {.pairs = pairs,
                               .settings = settings,
                               .n_density = n_density,
                               .n_atom = n_atom,
                               .n_thread = settings->n_thread > 1 ? settings->n_thread : 1};
    if (settings->distributed && !hf_mpi_takes_threads())
        all.n_thread = 1; /* any of them gets blocks, while another asks for tasks */
    const struct hf_work_settings work_settings = {
        .schedule = settings->schedule,
        .order = {.grain = HF_GRAIN_ATOM_QUARTET,
                  .largest_row = HF_MOST_PART_KETS,
                  .most_slices = HF_MOST_SLICES},
        .n_thread = all.n_thread,
        .phases = {&hf_phase_gradient_quartets, &hf_phase_gradient_wait, &hf_phase_gradient_wait}};
    struct hf_work *work = NULL;
    hf_status status;
    HF_TRY(add_coulomb(&all, density[0], gradient, error));
    HF_TRY(hf_agree(context->comm, init(&all, error), error));
    if (settings->distributed)
        HF_TRY(hf_gradient_blocks_init(&all.blocks, context, pairs->basis, &settings->onesided,
                                       n_density, density, error));
    else
        HF_TRY(hf_gradient_density_init(&all.density, context, pairs->basis, n_density, density,
                                        error));
    HF_TRY(hf_work_create(context, pairs, &work_settings, &work, error));
    const double largest = largest_factor(&all);
    for (int t = 0; t < all.n_thread; t++)
        hf_gradient_engine_set_threshold(all.thread[t].engine,
                                         PRIMITIVE_SHARE * settings->threshold / largest);
    HF_TRY(hf_work_run(work,
                       &(struct hf_round){.threshold = settings->threshold,
                                          .largest = largest,
                                          .factor = find_factor,
                                          .run = run,
                                          .data = &all},
                       error));
    add_up(&all, gradient);
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    done(&all);
    return status;
}
