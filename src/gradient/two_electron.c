/* The two-electron part of the gradient: a consumer of quartet work that differentiates quartets itself. */
#include "hf/two_electron_gradient.h"

#include "hf/engine.h"
#include "hf/quartet_gradient.h"
#include "hf/work.h"
#include "two_electron_density.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

const struct hf_phase hf_phase_gradient_quartets = {"Gradient: quartets"};
const struct hf_phase hf_phase_gradient_wait = {"Gradient: waiting"};

struct differentiator;

/** What the threads of a rank have in common. */
struct two_electron {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_two_electron_gradient_settings *settings;
    struct hf_gradient_density density;
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
    double (*gradient)[3]; /**< [n_atom] */
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

/** hf_round.factor: of pairs of sites. */
static double find_factor(const void *data, const struct hf_atom_pair *bra,
                          const struct hf_atom_pair *ket)
{
    const struct two_electron *all = data;
    double coulomb, exchange;
    hf_gradient_weights(all->density.n_density, (size_t)all->pairs->basis->n_atom,
                        all->density.atom_bound, bra->atom_a, bra->atom_b, ket->atom_a, ket->atom_b,
                        &coulomb, &exchange);
    return 8.0 * all->most_momentum * (coulomb + exchange);
}

/** hf_quartet_consumer.bound */
static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct differentiator *own = self;
    const struct two_electron *all = own->all;
    const size_t n_shell = (size_t)all->pairs->basis->n_shell;
    const double of_bra = fmax(all->momentum[bra->a], all->momentum[bra->b]);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *pair = ket[i].pair;
        const double of_ket = fmax(all->momentum[pair->a], all->momentum[pair->b]);
        double coulomb, exchange;
        hf_gradient_weights(all->density.n_density, n_shell, all->density.bound, bra->a, bra->b,
                            pair->a, pair->b, &coulomb, &exchange);
        const double weight = (coulomb + exchange * hf_far_factor(bra, pair)) *
                              count_permutations(bra, pair) * fmax(of_bra, of_ket);
        ket[i].wanted = weight * bra->bound * pair->bound >= all->settings->threshold;
    }
}

/* ---- Derivatives ----------------------------------------------------------------------------- */

/** Where the densities of a quartet are. */
static void find_blocks(const struct two_electron *all, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket, struct hf_quartet_density *to)
{
    static const int side[HF_N_QUARTET_BLOCK][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    const struct hf_basis *basis = all->pairs->basis;
    const size_t n = (size_t)basis->n_function;
    const size_t first[4] = {
        (size_t)basis->shell[bra->a].first_function, (size_t)basis->shell[bra->b].first_function,
        (size_t)basis->shell[ket->a].first_function, (size_t)basis->shell[ket->b].first_function};
    to->factor = count_permutations(bra, ket);
    for (int k = 0; k < HF_N_QUARTET_BLOCK; k++) {
        to->step[k] = basis->n_function;
        to->total[k] = all->density.value + first[side[k][0]] * n + first[side[k][1]];
        to->spin[k] = all->density.n_density > 1 ? to->total[k] + n * n : NULL;
    }
}

static void add_to_atom(const struct differentiator *own, int shell, const double of[3])
{
    double *to = own->gradient[own->all->pairs->basis->shell[shell].atom];
    for (int x = 0; x < 3; x++) to[x] += of[x];
}

/** hf_quartet_consumer.use */
static void use(void *self, const struct hf_shell_pair *bra, int n,
                const struct hf_shell_pair *const ket[])
{
    struct differentiator *own = self;
    const struct two_electron *all = own->all;
    for (int i = 0; i < n; i++) find_blocks(all, bra, ket[i], &own->density[i]);
    hf_gradient_engine_compute(own->engine, bra, n, ket, all->density.n_density, own->density,
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
        free(all->thread[t].gradient);
    }
    hf_gradient_density_done(&all->density);
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
        if (status == HF_OK && own->gradient == NULL)
            status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the gradient");
    }
    return status;
}

/** The largest factor of bounds of a quartet: that of two pairs of sites with the largest elements of all. */
static double largest_factor(const struct two_electron *all)
{
    const size_t n = (size_t)all->pairs->basis->n_atom;
    double coulomb = 0.0, exchange = 0.0;
    for (int k = 0; k < all->density.n_density; k++) {
        double largest = 0.0;
        for (size_t i = 0; i < n * n; i++)
            largest = fmax(largest, all->density.atom_bound[(size_t)k * n * n + i]);
        if (k == 0) coulomb = 0.5 * largest * largest;
        exchange += 0.25 * largest * largest;
    }
    return 8.0 * all->most_momentum * (coulomb + exchange);
}

/** Sums of all threads, in their order, and of all ranks. */
static hf_status add_up(const struct two_electron *all, double (*gradient)[3],
                        struct hf_error *error)
{
    const size_t n = 3 * (size_t)all->n_atom;
    MPI_Comm comm = all->pairs->context->comm;
    double *sum = calloc(n + 1, sizeof *sum);
    hf_status status = HF_OK;
    if (sum == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the gradient");
    HF_TRY(hf_agree(comm, status, error));
    for (int t = 0; t < all->n_thread; t++)
        for (size_t i = 0; i < n; i++) sum[i] += all->thread[t].gradient[i / 3][i % 3];
    hf_sum_over_ranks(comm, n, sum);
    for (size_t i = 0; i < n; i++) gradient[i / 3][i % 3] += sum[i];
cleanup:
    free(sum);
    return status;
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
                               .n_atom = n_atom,
                               .n_thread = settings->n_thread > 1 ? settings->n_thread : 1};
    const struct hf_work_settings work_settings = {
        .schedule = settings->schedule,
        .order = {.grain = HF_GRAIN_ATOM_QUARTET,
                  .largest_row = HF_MOST_PART_KETS,
                  .most_slices = HF_MOST_SLICES},
        .n_thread = all.n_thread,
        .phases = {&hf_phase_gradient_quartets, &hf_phase_gradient_wait, &hf_phase_gradient_wait}};
    struct hf_work *work = NULL;
    hf_status status;
    HF_TRY(hf_agree(context->comm, init(&all, error), error));
    HF_TRY(
        hf_gradient_density_init(&all.density, context, pairs->basis, n_density, density, error));
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
    HF_TRY(add_up(&all, gradient, error));
cleanup:
    if (work != NULL) hf_work_destroy(&work);
    done(&all);
    return status;
}
