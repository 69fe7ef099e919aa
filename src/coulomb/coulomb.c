/* The front of the Coulomb pass: from densities to H, from V to the Coulomb matrix. */
#include "coulomb_private.h"

#include "hf/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What lives as long as the pass ---------------------------------------------------------- */

/** Pieces of leaves that make enough tasks, as far as that goes. */
static int choose_pieces(const struct hf_coulomb *coulomb)
{
    enum { TASKS_PER_THREAD = 30, MOST = 16 }; /* a piece has to find the near leaves again */
    const int asked = coulomb->settings.tasks_for;
    const double n_rank = asked > 0 ? asked : coulomb->context->n_rank;
    const double wanted = TASKS_PER_THREAD * n_rank * coulomb->n_worker;
    const double n = ceil(wanted / fmax(1.0, coulomb->products->n_leaf));
    return n < MOST ? (int)n : MOST;
}

/** Estimated cost of a task: its bras, each by what a ket costs it. */
static double cost_of(const struct hf_products *products, const struct hf_leaf_piece *piece)
{
    double cost = 0.0;
    for (int order = 0; order <= products->max_order; order++) {
        struct hf_piece_rows rows = hf_piece_rows(&products->leaf[piece->leaf], piece, order);
        while (hf_next_piece_row(&rows))
            cost += (double)(rows.end - rows.begin) * (2.0 + hf_n_hermite(order));
    }
    return cost;
}

/** Tables, scratch of the threads, costs. Local. */
static hf_status make_tables(struct hf_coulomb *coulomb, struct hf_error *error)
{
    const struct hf_products *products = coulomb->products;
    struct hf_memory *memory = coulomb->context->memory;
    const size_t most = (size_t)hf_most_functions_of_atom(coulomb->pairs->basis);
    coulomb->n_piece = choose_pieces(coulomb);
    coulomb->n_task = (int64_t)products->n_leaf * coulomb->n_piece;
    coulomb->tables = hf_coulomb_tables_create(products->max_order);
    coulomb->worker = hf_memory_allocate(memory, "threads of the Coulomb pass",
                                         (size_t)coulomb->n_worker, sizeof *coulomb->worker);
    coulomb->cost = hf_memory_allocate(memory, "tasks of the Coulomb pass", (size_t)coulomb->n_task,
                                       sizeof *coulomb->cost);
    bool made = coulomb->tables != NULL && coulomb->worker != NULL && coulomb->cost != NULL;
    for (int t = 0; made && t < coulomb->n_worker; t++) {
        hf_hermite_init(&coulomb->worker[t].hermite, products);
        coulomb->worker[t].block =
            hf_memory_allocate(memory, "threads of the Coulomb pass", most * most, sizeof(double));
        made = coulomb->worker[t].block != NULL;
    }
    if (!made) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Coulomb pass");
    for (int64_t i = 0; i < coulomb->n_task; i++)
        coulomb->cost[i] =
            cost_of(products, &(struct hf_leaf_piece){.leaf = (int)(i / coulomb->n_piece),
                                                      .number = (int)(i % coulomb->n_piece),
                                                      .n = coulomb->n_piece});
    return HF_OK;
}

/** Room for H and V. Collective. */
static hf_status share_vectors(struct hf_coulomb *coulomb, struct hf_error *error)
{
    const size_t bytes = hf_whole_lines((size_t)coulomb->products->n_component * sizeof(double));
    const hf_status status =
        hf_node_memory_create(coulomb->context, HF_MEMORY_PAIRS, "densities of the Coulomb pass",
                              2 * bytes, &coulomb->shared, error);
    if (status != HF_OK) return status;
    coulomb->h = coulomb->shared->data;
    coulomb->v = coulomb->h + bytes / sizeof(double);
    return HF_OK;
}

hf_status hf_coulomb_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                            const struct hf_coulomb_settings *settings, struct hf_coulomb **coulomb,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_coulomb *made = calloc(1, sizeof *made);
    if (made == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the Coulomb pass");
    HF_TRY(hf_agree(context->comm, status, error));
    *made = (struct hf_coulomb){.context = context,
                                .pairs = pairs,
                                .settings = *settings,
                                .plain = hf_coulomb_kernels(false),
                                .single = hf_coulomb_kernels(true),
                                .n_worker = settings->n_thread > 1 ? settings->n_thread : 1};
    pthread_mutex_init(&made->lock, NULL);
    HF_TRY(hf_products_create(context, pairs, &made->products, error));
    HF_TRY(hf_kets_create(made->products, &made->kets, error));
    HF_TRY(share_vectors(made, error));
    if (settings->multipoles)
        HF_TRY(hf_far_field_create(made->products, made->n_worker, &made->far, error));
    HF_TRY(hf_agree(context->comm, make_tables(made, error), error));
    HF_TRY(hf_scheduler_create(context->comm, &settings->schedule, &made->scheduler, error));
    *coulomb = made;
    return HF_OK;
cleanup:
    hf_coulomb_destroy(&made);
    return status;
}

void hf_coulomb_destroy(struct hf_coulomb **coulomb)
{
    struct hf_coulomb *old = *coulomb;
    *coulomb = NULL;
    if (old == NULL) return;
    struct hf_memory *memory = old->context->memory;
    if (old->scheduler != NULL) hf_scheduler_destroy(&old->scheduler);
    for (int t = 0; old->worker != NULL && t < old->n_worker; t++)
        hf_memory_release(memory, old->worker[t].block);
    hf_memory_release(memory, old->worker);
    hf_memory_release(memory, old->cost);
    hf_coulomb_tables_destroy(&old->tables);
    hf_far_field_destroy(&old->far);
    hf_node_memory_destroy(&old->shared);
    hf_kets_destroy(&old->kets);
    hf_products_destroy(&old->products);
    pthread_mutex_destroy(&old->lock);
    free(old);
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/** One density on its way. */
struct job {
    struct hf_coulomb *coulomb;
    const struct hf_coulomb_target *target;
    int k;
};

/** Where the block of a pair of shells is in the block of its two atoms, [a][b]. */
static struct hf_block_place find_block(const struct hf_basis *basis,
                                        const struct hf_atom_pair *atoms,
                                        const struct hf_shell_pair *pair, int stride)
{
    const int begin = basis->first_shell_of_atom[atoms->atom_a];
    const int end = basis->first_shell_of_atom[atoms->atom_a + 1];
    const bool turned = pair->a < begin || pair->a >= end; /* its first shell is of atom B */
    const int row = basis->shell[turned ? pair->b : pair->a].first_function -
                    hf_atom_first_function(basis, atoms->atom_a);
    const int column = basis->shell[turned ? pair->a : pair->b].first_function -
                       hf_atom_first_function(basis, atoms->atom_b);
    return (struct hf_block_place){.first = (size_t)row * (size_t)stride + (size_t)column,
                                   .row = turned ? 1 : (size_t)stride,
                                   .column = turned ? (size_t)stride : 1};
}

/** Goes on to the next pair of atoms that is this rank's and this thread's; `seen` counts those of the
 *  rank. False: there is none. */
static bool next_own(const struct job *job, int thread, int *i, int *seen)
{
    const struct hf_coulomb *coulomb = job->coulomb;
    while (++*i < coulomb->pairs->n_atom_pair) {
        if (job->target->owner(job->target->data, *i) != coulomb->context->rank) continue;
        if ((*seen)++ % coulomb->n_worker == thread) return true;
    }
    return false;
}

/** hf_thread_work: H of the thread's pairs of atoms. */
static hf_status make_densities(void *self, int thread, int n_thread, struct hf_error *error)
{
    const struct job *job = self;
    const struct hf_coulomb *coulomb = job->coulomb;
    const struct hf_shell_pairs *pairs = coulomb->pairs;
    (void)n_thread;
    (void)error;
    for (int i = -1, seen = 0; next_own(job, thread, &i, &seen);) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[i];
        int stride;
        const double *density = job->target->lend(job->target->data, job->k, atoms, &stride);
        for (int j = atoms->first_pair; j < atoms->first_pair + atoms->n_pair; j++) {
            const struct hf_shell_pair *pair = &pairs->pair[j];
            hf_hermite_add_density(&coulomb->worker[thread].hermite, pair, density,
                                   find_block(pairs->basis, atoms, pair, stride), coulomb->h);
        }
    }
    return HF_OK;
}

/** hf_thread_work: the Coulomb matrix of the thread's pairs of atoms. */
static hf_status make_matrices(void *self, int thread, int n_thread, struct hf_error *error)
{
    const struct job *job = self;
    const struct hf_coulomb *coulomb = job->coulomb;
    const struct hf_shell_pairs *pairs = coulomb->pairs;
    struct hf_coulomb_worker *worker = &coulomb->worker[thread];
    (void)n_thread;
    (void)error;
    for (int i = -1, seen = 0; next_own(job, thread, &i, &seen);) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[i];
        const int n_row = hf_atom_n_function(pairs->basis, atoms->atom_a);
        const int n_column = hf_atom_n_function(pairs->basis, atoms->atom_b);
        memset(worker->block, 0, (size_t)n_row * (size_t)n_column * sizeof *worker->block);
        for (int j = atoms->first_pair; j < atoms->first_pair + atoms->n_pair; j++) {
            const struct hf_shell_pair *pair = &pairs->pair[j];
            hf_hermite_add_coulomb(&worker->hermite, pair, coulomb->v,
                                   pair->a == pair->b ? 0.5 : 1.0,
                                   find_block(pairs->basis, atoms, pair, n_column), worker->block);
        }
        job->target->add(job->target->data, job->k, atoms, worker->block);
    }
    return HF_OK;
}

/** hf_thread_work: kets of the leaves of this rank among those that share them. */
static hf_status fill_kets(void *self, int thread, int n_thread, struct hf_error *error)
{
    struct hf_coulomb *coulomb = self;
    const int n_rank = coulomb->kets->shared->n_rank;
    (void)n_thread;
    (void)error;
    for (int leaf = coulomb->kets->shared->rank + thread * n_rank; leaf < coulomb->products->n_leaf;
         leaf += coulomb->n_worker * n_rank)
        hf_kets_fill(coulomb->kets, leaf, coulomb->h);
    return HF_OK;
}

/** Collective. */
static hf_status build_one(struct job *job, struct hf_error *error)
{
    struct hf_coulomb *coulomb = job->coulomb;
    struct hf_context *context = coulomb->context;
    const size_t n = (size_t)coulomb->products->n_component;
    hf_status status;
    hf_node_memory_clear(coulomb->shared, (size_t)(coulomb->v - coulomb->h) + n, coulomb->h);
    HF_TRY(hf_threads_run(coulomb->n_worker, make_densities, job, error)); /* never fails */
    hf_node_memory_sum(context, coulomb->shared, n, coulomb->h);
    HF_TRY(hf_threads_run(coulomb->n_worker, fill_kets, coulomb, error)); /* never fails */
    hf_node_memory_sync(coulomb->kets->shared);
    if (coulomb->far != NULL)
        HF_TRY(hf_far_field_build(coulomb->far, coulomb->h, HF_COULOMB_SHARE * coulomb->threshold,
                                  error));
    HF_TRY(hf_coulomb_potentials(coulomb, error));
    hf_node_memory_sum(context, coulomb->shared, n, coulomb->v);
    HF_TRY(hf_threads_run(coulomb->n_worker, make_matrices, job, error)); /* never fails */
cleanup:
    return status;
}

hf_status hf_coulomb_build(struct hf_coulomb *coulomb, int n_density, double threshold,
                           const struct hf_coulomb_target *target, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_timers *timers = &coulomb->context->timers;
    coulomb->threshold = threshold;
    coulomb->account = (struct hf_coulomb_account){.n_task = 0};
    hf_timer_start(timers, coulomb->settings.phase);
    for (int t = 0; t < coulomb->n_worker; t++)
        coulomb->worker[t].n_pair = coulomb->worker[t].n_single = 0;
    for (int k = 0; k < n_density && status == HF_OK; k++) {
        struct job job = {.coulomb = coulomb, .target = target, .k = k};
        status = build_one(&job, error);
        coulomb->account.n_task += coulomb->n_task;
        coulomb->account.n_summed += 2 * coulomb->products->n_component;
        if (coulomb->far != NULL) coulomb->account.n_summed += hf_far_field_summed(coulomb->far);
    }
    for (int t = 0; t < coulomb->n_worker; t++) {
        coulomb->account.n_pair += coulomb->worker[t].n_pair;
        coulomb->account.n_single += coulomb->worker[t].n_single;
    }
    hf_timer_stop(timers, coulomb->settings.phase);
    return status;
}

struct hf_coulomb_account hf_coulomb_account(const struct hf_coulomb *coulomb)
{
    return coulomb->account;
}

double hf_coulomb_node_bytes(double n_primitive, double n_component)
{
    return hf_products_bytes(n_primitive) + hf_far_field_bytes(n_primitive) +
           hf_kets_bytes(n_primitive, n_component) + 2.0 * n_component * sizeof(double);
}

double hf_coulomb_thread_bytes(void)
{
    return (double)sizeof(struct hf_coulomb_worker) + hf_far_field_thread_bytes();
}

double hf_coulomb_made_bytes(double n_primitive)
{
    return n_primitive * (double)(sizeof(int64_t) + sizeof(struct hf_cell_point));
}
