/* The front of the Coulomb pass: from densities to H, from V to the Coulomb matrix. */
#include "coulomb_private.h"
#include "far_field_private.h"

#include "base/threads.h"
#include "multipole/translation.h"
#include "text/json.h"

#include <string.h>

/** Single precision does where the product of the norms, times this, is below the threshold: four times the
 *  unit of rounding, as for quartets (docs/numerics.md). */
static const double ROUNDING = 4.0 * 0x1p-24;

/* ---- What lives as long as the pass ---------------------------------------------------------- */

/** Tables, scratch of the threads. Local. */
static hf_status make_tables(struct hf_coulomb *coulomb, struct hf_error *error)
{
    const struct hf_products *products = coulomb->products;
    struct hf_arena *arena = &coulomb->arena;
    const size_t most = (size_t)hf_most_functions_of_atom(coulomb->pairs->basis);
    hf_coulomb_tables_init(&coulomb->tables, coulomb->pairs->boys, coulomb->pairs->boys_single);
    HF_TAKE(arena, coulomb->worker, (size_t)coulomb->n_worker);
    for (int t = 0; coulomb->worker != NULL && t < coulomb->n_worker; t++) {
        hf_hermite_init(&coulomb->worker[t].hermite, products);
        coulomb->worker[t].block = hf_arena_take(arena, most * most, sizeof(double));
    }
    return hf_arena_check(arena, error);
}

/** Room for H and V. Collective. */
static hf_status share_vectors(struct hf_coulomb *coulomb, struct hf_error *error)
{
    const int64_t n = coulomb->products->n_component;
    const struct hf_node_array array[] = {HF_NODE_ARRAY(coulomb->h, n),
                                          HF_NODE_ARRAY(coulomb->v, n),
                                          HF_NODE_ARRAY(coulomb->done, coulomb->most_tasks)};
    const hf_status status = hf_node_memory_create_unset(
        coulomb->context, HF_MEMORY_PAIRS, "densities of the Coulomb pass",
        hf_node_arrays_bytes(3, array), &coulomb->shared, error);
    if (status == HF_OK) hf_node_arrays_place(coulomb->shared, 3, array);
    return status;
}

/** Lists this rank's pairs of atoms. Local. */
static hf_status list_own(struct hf_coulomb *coulomb, struct hf_error *error)
{
    const struct hf_pair_owner *owner = &coulomb->settings.owner;
    const int n = coulomb->pairs->n_atom_pair;
    unsigned char *mine = hf_arena_take(&coulomb->arena, (size_t)n, 1);
    for (int i = 0; mine != NULL && i < n; i++) {
        mine[i] = owner->rank(owner->data, i) == coulomb->context->rank;
        coulomb->n_own += mine[i];
    }
    HF_TAKE(&coulomb->arena, coulomb->own, (size_t)coulomb->n_own);
    for (int i = 0, k = 0; !coulomb->arena.failed && i < n; i++)
        if (mine[i] != 0) coulomb->own[k++] = i;
    hf_arena_release(&coulomb->arena, mine);
    return hf_arena_check(&coulomb->arena, error);
}

/** Numbers of a product, with its own number before them. */
static int64_t with_number(const struct hf_products *products, int64_t product)
{
    return 1 + hf_product_size(products, product);
}

/** Finds what the nodes send each other, on the first rank of each node. Local. */
static hf_status plan_parcels(struct hf_coulomb *coulomb, struct hf_error *error)
{
    enum { TAG_H = 1, TAG_V };
    const struct hf_products *products = coulomb->products;
    const int node = products->shares->node;
    int64_t n_h = 0, n_v = 0;
    if (products->shares->firsts == MPI_COMM_NULL || products->shares->n_node == 1) return HF_OK;
    for (int leaf = 0; leaf < products->n_leaf; leaf++) {
        const bool mine = hf_node_of_leaf(products, leaf) == node;
        for (int64_t i = hf_leaf_begin(&products->leaf[leaf]);
             i < hf_leaf_end(&products->leaf[leaf]); i++) {
            const bool own = products->owner[i] == node;
            if (mine && !own) n_h += with_number(products, i);
            if (mine && !own) coulomb->n_h_expected += hf_product_size(products, i);
            if (own) n_v += with_number(products, i);
            if (own) coulomb->n_own_component += hf_product_size(products, i);
        }
    }
    HF_CHECK(hf_parcels_create(products, TAG_H, n_h, &coulomb->to_leaves, error));
    HF_CHECK(hf_parcels_create(products, TAG_V, n_v, &coulomb->to_owners, error));
    for (int leaf = 0; leaf < products->n_leaf; leaf++) {
        const int to = hf_node_of_leaf(products, leaf);
        for (int64_t i = hf_leaf_begin(&products->leaf[leaf]);
             i < hf_leaf_end(&products->leaf[leaf]) && to != node; i++)
            if (products->owner[i] == node) hf_parcels_add(coulomb->to_leaves, i, to);
    }
    return hf_parcels_pack(coulomb->to_leaves, coulomb->h, error); /* is there enough memory? */
}

/** Everything that a rank makes by itself. */
static hf_status make_own(struct hf_coulomb *coulomb, struct hf_error *error)
{
    HF_CHECK(make_tables(coulomb, error));
    HF_CHECK(hf_coulomb_make_tasks(coulomb, error));
    HF_CHECK(list_own(coulomb, error));
    return plan_parcels(coulomb, error);
}

hf_status hf_coulomb_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                            const struct hf_coulomb_settings *settings, struct hf_coulomb **coulomb,
                            struct hf_error *error)
{
    hf_status status;
    struct hf_coulomb *made = HF_NEW(made, context->memory, "the Coulomb pass");
    if (made != NULL) pthread_mutex_init(&made->lock, NULL);
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    made->context = context;
    made->pairs = pairs;
    made->settings = *settings;
    made->plain = hf_coulomb_kernels(false);
    made->single = hf_coulomb_kernels(true);
    made->n_worker = settings->n_thread > 1 ? settings->n_thread : 1;
    HF_TRY(hf_products_create(context, pairs, &made->settings.owner, settings->derivatives ? 1 : 0,
                              &made->products, error));
    HF_TRY(hf_kets_create(made->products, settings->single, &made->kets, error));
    made->most_tasks = hf_coulomb_most_tasks(made);
    HF_TRY(share_vectors(made, error));
    if (settings->multipoles)
        HF_TRY(hf_far_field_create(made->products, made->n_worker, &made->far, error));
    HF_TRY(hf_agree(context->comm, make_own(made, error), error));
    made->settings.schedule.context = context;
    HF_TRY(hf_scheduler_create(context->comm, &made->settings.schedule, &made->scheduler, error));
    *coulomb = made;
    return HF_OK;
cleanup:
    hf_coulomb_destroy(&made);
    return status;
}

void hf_coulomb_destroy(struct hf_coulomb **coulomb)
{
    struct hf_coulomb *old = *coulomb;
    if (old == NULL) return;
    if (old->scheduler != NULL) hf_scheduler_destroy(&old->scheduler);
    hf_arena_free(&old->to_leaves);
    hf_arena_free(&old->to_owners);
    hf_far_field_destroy(&old->far);
    hf_node_memory_destroy(&old->shared);
    hf_kets_destroy(&old->kets);
    hf_products_destroy(&old->products);
    pthread_mutex_destroy(&old->lock);
    hf_arena_free(coulomb);
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/** One density on its way. */
struct job {
    struct hf_coulomb *coulomb;
    const struct hf_coulomb_target *target;
    int k;
};

/** What the threads do with a density: a step of the trace. */
struct step {
    struct job *job;
    void (*walk)(const struct step *step, int thread); /**< over the thread's items */
    enum hf_coulomb_step name;
    /** Uses a pair of shells, whose block of the density lies at `place` in the block of its atoms; or a leaf. */
    void (*use_density)(const struct job *job, struct hf_coulomb_worker *worker,
                        const struct hf_shell_pair *pair, const double *density,
                        struct hf_block_place place);
    void (*use_leaf)(struct hf_coulomb *coulomb, int leaf);
};

/** hf_thread_work */
static hf_status do_step(void *self, int thread, int n_thread, struct hf_error *error)
{
    const struct step *step = self;
    (void)n_thread;
    (void)error;
    step->walk(step, thread);
    return HF_OK;
}

static void run_step(struct step step)
{
    (void)!hf_threads_run(step.job->coulomb->n_worker, do_step, &step, NULL); /* never fails */
}

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

/** All shells of the thread's pairs of atoms, with their densities. */
static void walk_densities(const struct step *step, int thread)
{
    const struct job *job = step->job;
    const struct hf_coulomb *coulomb = job->coulomb;
    const struct hf_shell_pairs *pairs = coulomb->pairs;
    const struct hf_trace_span span = hf_trace_begin_span(coulomb->context->trace);
    for (int i = thread; i < coulomb->n_own; i += coulomb->n_worker) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[coulomb->own[i]];
        int stride;
        const double *density = job->target->lend(job->target->data, job->k, atoms, &stride);
        for (int j = atoms->first_pair; j < atoms->first_pair + atoms->n_pair; j++)
            step->use_density(job, &coulomb->worker[thread], &pairs->pair[j], density,
                              find_block(pairs->basis, atoms, &pairs->pair[j], stride));
    }
    hf_coulomb_end_step(coulomb->context->trace, thread, step->name, pairs->n_atom_pair, span);
}

/** step.use_density: H of the pair. */
static void set_density(const struct job *job, struct hf_coulomb_worker *worker,
                        const struct hf_shell_pair *pair, const double *density,
                        struct hf_block_place place)
{
    hf_hermite_clear(&worker->hermite, pair, job->coulomb->h);
    hf_hermite_add_density(&worker->hermite, pair, density, place, job->coulomb->h);
}

/** step.use_density: derivatives by the shells of the pair. */
static void move_shells(const struct job *job, struct hf_coulomb_worker *worker,
                        const struct hf_shell_pair *pair, const double *density,
                        struct hf_block_place place)
{
    double slope[2][3] = {{0.0}};
    hf_hermite_add_derivatives(&worker->hermite, pair, density, place, job->coulomb->v, slope);
    job->target->move(job->target->data, job->k, pair, (const double(*)[3])slope);
}

/** step.walk: the Coulomb matrix of the thread's pairs of atoms. */
static void walk_matrices(const struct step *step, int thread)
{
    const struct job *job = step->job;
    const struct hf_coulomb *coulomb = job->coulomb;
    const struct hf_shell_pairs *pairs = coulomb->pairs;
    struct hf_coulomb_worker *worker = &coulomb->worker[thread];
    const struct hf_trace_span span = hf_trace_begin_span(coulomb->context->trace);
    for (int i = thread; i < coulomb->n_own; i += coulomb->n_worker) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[coulomb->own[i]];
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
    hf_coulomb_end_step(coulomb->context->trace, thread, step->name, pairs->n_atom_pair, span);
}

/** step.walk: this rank's leaves, those of the thread. */
static void walk_leaves(const struct step *step, int thread)
{
    struct hf_coulomb *coulomb = step->job->coulomb;
    const struct hf_products *products = coulomb->products;
    const int n_share = products->shares->n_share;
    const struct hf_trace_span span = hf_trace_begin_span(coulomb->context->trace);
    for (int leaf = products->shares->share + thread * n_share; leaf < products->n_leaf;
         leaf += coulomb->n_worker * n_share)
        step->use_leaf(coulomb, leaf);
    hf_coulomb_end_step(coulomb->context->trace, thread, step->name, products->n_leaf, span);
}

/** step.use_leaf: weights of its kets, then the kets. */
static void weigh_leaf(struct hf_coulomb *coulomb, int leaf)
{
    hf_kets_weigh(coulomb->kets, leaf, &coulomb->limits, coulomb->h);
}

static void fill_leaf(struct hf_coulomb *coulomb, int leaf)
{
    hf_kets_fill(coulomb->kets, leaf, coulomb->h);
}

/** Kets of all leaves. Collective. */
static void make_kets(struct job *job)
{
    const struct hf_products *products = job->coulomb->products;
    struct hf_kets *kets = job->coulomb->kets;
    run_step((struct step){job, walk_leaves, HF_COULOMB_KETS, .use_leaf = weigh_leaf});
    hf_kets_place(kets);
    run_step((struct step){job, walk_leaves, HF_COULOMB_KETS, .use_leaf = fill_leaf});
    hf_shares_gather_sizes(products->shares, kets->shared, &products->leaves, kets->begin,
                           (double *)(void *)kets->data);
}

/** Brings H of this node's leaves here. Collective. */
static hf_status exchange_densities(struct hf_coulomb *coulomb, struct hf_error *error)
{
    hf_status status = HF_OK;
    hf_node_memory_sync(coulomb->shared);
    if (coulomb->to_leaves != NULL) {
        status = hf_parcels_pack(coulomb->to_leaves, coulomb->h, error); /* fits, as once before */
        hf_parcels_exchange(coulomb->to_leaves, coulomb->n_h_expected, coulomb->h);
    }
    hf_node_memory_sync(coulomb->shared);
    return status;
}

/** Kets and expansions. Collective; each rank returns its own outcome. */
static hf_status prepare(struct job *job, struct hf_error *error)
{
    struct hf_coulomb *coulomb = job->coulomb;
    hf_status status = exchange_densities(coulomb, error), other = HF_OK;
    make_kets(job);
    if (coulomb->far != NULL)
        other = hf_far_field_build(coulomb->far, coulomb->h, HF_COULOMB_SHARE * coulomb->threshold,
                                   error);
    return status != HF_OK ? status : other;
}

/** Collective. Where preparations failed, the expansions are those of the build before, or zero. */
static hf_status build_one(struct job *job, struct hf_error *error)
{
    struct hf_coulomb *coulomb = job->coulomb;
    if (coulomb->shared->rank == 0) memset(coulomb->done, 0, (size_t)coulomb->most_tasks);
    run_step((struct step){job, walk_densities, HF_COULOMB_DENSITIES, .use_density = set_density});
    const hf_status before = prepare(job, error);
    const hf_status status = hf_coulomb_potentials(coulomb, before, error); /* ranks agree */
    if (status != HF_OK) return status;
    run_step(
        coulomb->settings.derivatives
            ? (struct step){job, walk_densities, HF_COULOMB_MATRICES, .use_density = move_shells}
            : (struct step){.job = job, .walk = walk_matrices, .name = HF_COULOMB_MATRICES});
    return HF_OK;
}

hf_status hf_coulomb_build(struct hf_coulomb *coulomb, int n_density, double threshold,
                           const struct hf_coulomb_target *target, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_timers *timers = &coulomb->context->timers;
    coulomb->threshold = threshold;
    coulomb->limits =
        (struct hf_ket_limits){.least = HF_COULOMB_SHARE * threshold, .fine = threshold / ROUNDING};
    coulomb->account = (struct hf_coulomb_account){.n_task = 0};
    hf_timer_start(timers, coulomb->settings.phase);
    for (int t = 0; t < coulomb->n_worker; t++)
        coulomb->worker[t].n_pair = coulomb->worker[t].n_single = 0;
    for (int k = 0; k < n_density && status == HF_OK; k++) {
        struct job job = {.coulomb = coulomb, .target = target, .k = k};
        status = build_one(&job, error);
        coulomb->account.n_task += coulomb->n_task;
        coulomb->account.n_ket += hf_kets_size(coulomb->kets);
        coulomb->account.n_sent += 2 * coulomb->products->n_component;
        coulomb->account.n_product += coulomb->products->n;
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
    return n_primitive * (double)sizeof(struct hf_cell_point);
}

void hf_coulomb_put_model(struct hf_json to)
{
    static const char *const names[] = {"densities", "kets", "leaves",   "up",       "bounds",
                                        "across",    "down", "matrices", "to leaves"};
    const struct hf_json steps = hf_json_array(to, "steps", NULL, "kinds of steps");
    for (int i = 0; i < HF_COUNT(steps, HF_COULOMB_TO_LEAVES + 1); i++) HF_APPEND(steps, names[i]);
    HF_PUT(to, "lanes", HF_TRANSLATION_MOST_LANES, NULL, "expansions at a time");
    HF_PUT(to, "unit", HF_COULOMB_UNIT, NULL,
           "a step's record is its kind and so many times its units");
    HF_PUT(to, "numbers_of_kets", HF_MAX_PAIR_L + 1, NULL, "numbers of kets of a leaf");
    HF_PUT(to, "numbers_of_expansion", HF_FAR_SIZE, NULL, "numbers of an expansion");
    HF_PUT(to, "numbers_of_moments", HF_FAR_MOMENTS, NULL, "numbers of the moments of a cell");
    HF_PUT(to, "numbers_of_leaf", HF_FAR_LEAF, NULL, "numbers of a leaf for other nodes");
}
