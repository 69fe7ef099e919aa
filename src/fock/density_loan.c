/* Lends densities to threads: from the memory of a node, or from a cache of distributed blocks. */
#include "fock/density_loan.h"

#include "block_cache.h"
#include "fock/density_bounds.h"
#include "fock_private.h"
#include "linalg/matrix_blocks.h"
#include "node_density.h"
#include "text/trace.h"

#include <pthread.h>
#include <sched.h>

/** Where densities are lent from. */
struct source {
    /** Collective. */
    hf_status (*fill)(struct hf_lent_densities *self, const struct hf_matrix *const density[],
                      struct hf_error *error);
    void (*bounds)(const struct hf_lent_densities *self, int i, int j, double bound[HF_N_BOUND]);
    /** Begins to borrow a block; false: no memory. NULL, as the next and the last: nothing to do. */
    bool (*begin)(struct hf_lent_densities *self, struct hf_loan_entry *entry);
    /** Waits for the blocks of entry[n]. */
    void (*wait)(struct hf_lent_densities *self, int n, const struct hf_loan_entry entry[]);
    /** Describes a block that has arrived, with the functions of i as rows. */
    void (*show)(const struct hf_lent_densities *self, const struct hf_loan_entry *entry, int i,
                 int j, struct hf_lent_block *block);
    void (*give_back)(struct hf_lent_densities *self, int n, const struct hf_loan_entry entry[]);
};

struct hf_lent_densities {
    struct hf_arena arena;
    const struct source *source;
    struct hf_context *context;   /**< borrowed */
    const struct hf_basis *basis; /**< merged, borrowed */
    struct hf_lent_settings set;
    struct hf_block_layout *layout;
    double largest;
    struct hf_node_density node; /**< context NULL: distributed */
    /* distributed */
    struct hf_onesided *onesided;
    struct hf_window **array; /**< [n] */
    struct hf_density_bounds bounds;
    struct hf_block_cache *cache;
    pthread_mutex_t lock; /**< of the cache */
};

/* ---- Once on each node ----------------------------------------------------------------------- */

static hf_status fill_node(struct hf_lent_densities *self, const struct hf_matrix *const density[],
                           struct hf_error *error)
{
    const struct hf_job_shape jobs = {
        .n = self->set.n, .n_exchange = self->set.n, .n_alone = self->set.n_alone};
    struct hf_fock_job *job = HF_TAKE(&self->arena, job, (size_t)self->set.n);
    HF_CHECK(hf_agree(self->context->comm, hf_arena_check(&self->arena, error), error));
    for (int k = 0; k < self->set.n; k++) job[k].density = density[k];
    hf_node_density_init(&self->node, self->context, self->basis, self->layout);
    self->node.lower = true; /* distributed densities also come from the lower half */
    HF_CHECK(hf_node_density_reserve(&self->node, self->set.n, error));
    return hf_node_density_gather(&self->node, &jobs, job, &self->largest, error);
}

static void bounds_of_node(const struct hf_lent_densities *self, int i, int j,
                           double bound[HF_N_BOUND])
{
    const double *from =
        self->node.atom_bound + ((size_t)i * (size_t)self->basis->n_atom + (size_t)j) * HF_N_BOUND;
    for (int kind = 0; kind < HF_N_BOUND; kind++) bound[kind] = from[kind];
}

static void show_node(const struct hf_lent_densities *self, const struct hf_loan_entry *entry,
                      int i, int j, struct hf_lent_block *block)
{
    const struct hf_basis *basis = self->basis;
    const size_t n = (size_t)basis->n_function, n_shell = (size_t)basis->n_shell;
    const size_t row = (size_t)basis->first_shell_of_atom[i];
    (void)entry;
    *block = (struct hf_lent_block){
        .value = self->node.value + (size_t)hf_atom_first_function(basis, i) * n +
                 (size_t)hf_atom_first_function(basis, j),
        .plane = n * n,
        .n_column = basis->n_function,
        .n_largest = basis->n_shell,
        .largest = self->node.bound +
                   (row * n_shell + (size_t)basis->first_shell_of_atom[j]) * HF_N_BOUND};
}

static const struct source of_node = {
    .fill = fill_node, .bounds = bounds_of_node, .show = show_node};

/* ---- At their owners ------------------------------------------------------------------------- */

/** Copies one density to its array, in merged functions. Collective. */
static hf_status fill_array(struct hf_lent_densities *self, const struct hf_matrix *density,
                            struct hf_window *array, struct hf_error *error)
{
    double *local = hf_window_local(array);
    HF_CHECK(hf_matrix_get_blocks(density, self->layout, local, error));
    hf_mix_own_blocks(self->basis, false, self->layout, local);
    hf_window_fence(array);
    return HF_OK;
}

/** Local. */
static hf_status prepare_owners(struct hf_lent_densities *self, struct hf_error *error)
{
    struct hf_context *context = self->context;
    HF_TAKE(&self->arena, self->array, (size_t)self->set.n);
    hf_density_bounds_init(&self->bounds, self->basis->n_atom, &self->arena);
    HF_CHECK(hf_arena_check(&self->arena, error));
    const struct hf_block_cache_settings settings = {
        .context = context,
        .basis = self->basis,
        .layout = self->layout,
        .n_layer = self->set.n,
        .n_alone = self->set.n_alone,
        .array = self->array,
        .budget_bytes = (size_t)hf_block_cache_budget(self->basis->n_function, context->n_rank,
                                                      context->n_node_rank)};
    return hf_block_cache_create(&settings, &self->cache, error);
}

static hf_status fill_owners(struct hf_lent_densities *self,
                             const struct hf_matrix *const density[], struct hf_error *error)
{
    HF_CHECK(hf_agree(self->context->comm, prepare_owners(self, error), error));
    HF_CHECK(hf_onesided_create(self->context, &self->set.onesided, &self->onesided, error));
    for (int k = 0; k < self->set.n; k++) {
        HF_CHECK(hf_window_create(self->onesided, hf_block_layout_local_size(self->layout),
                                  "density blocks", &self->array[k], error));
        HF_CHECK(fill_array(self, density[k], self->array[k], error));
    }
    hf_density_bounds_find(&self->bounds, self->context, self->layout, self->set.n, self->array);
    self->largest = self->bounds.largest;
    return HF_OK;
}

static void bounds_of_owners(const struct hf_lent_densities *self, int i, int j,
                             double bound[HF_N_BOUND])
{
    const double of_all = hf_density_bound(&self->bounds, i, j);
    for (int kind = 0; kind < HF_N_BOUND; kind++) bound[kind] = of_all;
}

static bool begin_owners(struct hf_lent_densities *self, struct hf_loan_entry *entry)
{
    pthread_mutex_lock(&self->lock);
    entry->cached = hf_block_cache_pin(self->cache, entry->i, entry->j);
    pthread_mutex_unlock(&self->lock);
    return entry->cached != NULL;
}

/** Whether all blocks have arrived. */
static bool are_there(struct hf_lent_densities *self, int n, const struct hf_loan_entry entry[])
{
    bool all = true;
    pthread_mutex_lock(&self->lock);
    for (int b = 0; b < n && all; b++) all = hf_block_cache_test(self->cache, entry[b].cached);
    pthread_mutex_unlock(&self->lock);
    return all;
}

static void wait_for_owners(struct hf_lent_densities *self, int n,
                            const struct hf_loan_entry entry[])
{
    const double start = hf_wall_seconds();
    while (!are_there(self, n, entry)) {
        hf_onesided_poke(self->onesided);
        sched_yield();
    }
    pthread_mutex_lock(&self->lock);
    hf_block_cache_book_wait(self->cache, hf_wall_seconds() - start);
    pthread_mutex_unlock(&self->lock);
}

static void show_owners(const struct hf_lent_densities *self, const struct hf_loan_entry *entry,
                        int i, int j, struct hf_lent_block *block)
{
    const struct hf_cached_block *cached = entry->cached;
    const int *first = self->basis->first_shell_of_atom;
    const int n_row = first[i + 1] - first[i], n_column = first[j + 1] - first[j];
    const size_t mirror = (size_t)n_row * (size_t)n_column * HF_N_BOUND;
    *block = (struct hf_lent_block){.value = hf_cached_value(cached, i),
                                    .plane = cached->size / (size_t)self->set.n,
                                    .n_column = hf_atom_n_function(self->basis, j),
                                    .n_largest = n_column,
                                    .largest = cached->largest + (i == cached->i ? 0 : mirror)};
}

static void give_back_owners(struct hf_lent_densities *self, int n,
                             const struct hf_loan_entry entry[])
{
    pthread_mutex_lock(&self->lock);
    for (int b = 0; b < n; b++) hf_block_cache_unpin(self->cache, entry[b].cached);
    pthread_mutex_unlock(&self->lock);
}

static const struct source of_owners = {.fill = fill_owners,
                                        .bounds = bounds_of_owners,
                                        .begin = begin_owners,
                                        .wait = wait_for_owners,
                                        .show = show_owners,
                                        .give_back = give_back_owners};

/* ---- Both ------------------------------------------------------------------------------------ */

hf_status hf_lent_densities_create(struct hf_context *context, const struct hf_basis *merged,
                                   const struct hf_lent_settings *settings,
                                   const struct hf_matrix *const density[],
                                   struct hf_lent_densities **lent, struct hf_error *error)
{
    struct hf_lent_densities *made = HF_NEW(*lent, context->memory, "the densities");
    hf_status status;
    if (made != NULL) {
        made->source = settings->distributed ? &of_owners : &of_node;
        made->context = context;
        made->basis = merged;
        made->set = *settings;
        pthread_mutex_init(&made->lock, NULL);
    }
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    HF_TRY(hf_atom_layout_create(context, merged, &made->layout, error));
    HF_TRY(made->source->fill(made, density, error));
cleanup:
    if (status != HF_OK) hf_lent_densities_destroy(lent);
    return status;
}

void hf_lent_densities_destroy(struct hf_lent_densities **lent)
{
    struct hf_lent_densities *old = *lent;
    if (old == NULL) return;
    hf_block_cache_destroy(&old->cache);
    for (int k = 0; k < old->set.n && old->array != NULL; k++) {
        if (old->array[k] != NULL) hf_window_fence(old->array[k]); /* others may still read */
        hf_window_destroy(&old->array[k]);
    }
    if (old->node.context != NULL) hf_node_density_done(&old->node);
    hf_onesided_destroy(&old->onesided);
    hf_block_layout_destroy(&old->layout);
    pthread_mutex_destroy(&old->lock);
    hf_arena_free(lent);
}

double hf_lent_densities_largest(const struct hf_lent_densities *lent)
{
    return lent->largest;
}

void hf_lent_densities_bounds(const struct hf_lent_densities *lent, int i, int j,
                              double bound[HF_N_BOUND])
{
    lent->source->bounds(lent, i, j, bound);
}

double hf_lent_densities_waited(const struct hf_lent_densities *lent)
{
    return lent->cache != NULL ? hf_block_cache_account(lent->cache).wait_seconds : 0.0;
}

struct hf_fock_memory hf_lent_densities_memory(const struct hf_fock_size *size, bool distributed)
{
    const double n = size->n_function, n_atom = size->n_atom;
    const double own = 0.5 * n * n * (1.0 + 1.0 / n_atom) / size->n_rank * sizeof(double);
    const bool many_nodes = size->n_rank > size->n_node_rank;
    const int n_node = (size->n_rank + size->n_node_rank - 1) / size->n_node_rank;
    if (distributed)
        return (struct hf_fock_memory){
            .of_rank = size->n_density * own + 0.5 * n_atom * (n_atom + 1.0) +
                       hf_block_cache_budget(size->n_function, size->n_rank, size->n_node_rank)};
    return (struct hf_fock_memory){
        .of_rank =
            hf_node_blocks_bytes(n_atom, size->n_rank, size->n_node_rank) +
            (many_nodes ? hf_block_traffic_bytes(own / sizeof(double), n_node, size->n_density) +
                              size->n_density * own
                        : 0.0),
        .of_node = hf_node_density_bytes(n, size->n_shell, n_atom, size->n_density)};
}

/* ---- Loans ----------------------------------------------------------------------------------- */

hf_status hf_density_loan_init(struct hf_density_loan *loan, struct hf_lent_densities *lent,
                               struct hf_error *error)
{
    *loan = (struct hf_density_loan){.of = lent, .arena = {.label = "the blocks of a thread"}};
    HF_TAKE(&loan->arena, loan->number, (size_t)lent->basis->n_atom);
    return hf_arena_check(&loan->arena, error);
}

static void give_back(struct hf_density_loan *loan)
{
    const struct source *source = loan->of->source;
    if (loan->n_block > 0 && source->give_back != NULL)
        source->give_back(loan->of, loan->n_block, loan->entry);
    loan->n_block = 0;
}

void hf_density_loan_done(struct hf_density_loan *loan)
{
    give_back(loan);
    hf_arena_done(&loan->arena);
}

/** Gives a site a number, unless it has one in this part. */
static void add_site(struct hf_density_loan *loan, int site)
{
    for (int k = 0; k < loan->n_site; k++)
        if (loan->site[k] == site) return;
    loan->number[site] = loan->n_site;
    loan->site[loan->n_site++] = site;
}

/** Begins to borrow a block, unless the part has it; false: no memory. */
static bool add_block(struct hf_density_loan *loan, int i, int j)
{
    struct hf_loan_entry *entry = &loan->entry[loan->n_block];
    struct hf_lent_block *seen = &loan->block[loan->number[i]][loan->number[j]];
    if (seen->n_column > 0) return true;
    *entry = (struct hf_loan_entry){.i = i, .j = j};
    if (loan->of->source->begin != NULL && !loan->of->source->begin(loan->of, entry)) return false;
    seen->n_column = loan->block[loan->number[j]][loan->number[i]].n_column = 1;
    loan->n_block++;
    return true;
}

/** Begins to borrow the blocks of a part; false: no memory. */
static bool begin(struct hf_density_loan *loan, const struct hf_part *part)
{
    const int bra[2] = {part->bra->atom_a, part->bra->atom_b};
    loan->n_site = 0;
    for (int x = 0; x < 2; x++) add_site(loan, bra[x]);
    for (int k = 0; k < part->n_ket; k++) {
        add_site(loan, part->ket[k].atoms->atom_a);
        add_site(loan, part->ket[k].atoms->atom_b);
    }
    for (int i = 0; i < loan->n_site; i++)
        for (int j = 0; j < loan->n_site; j++) loan->block[i][j].n_column = 0;
    if (!add_block(loan, bra[0], bra[1])) return false;
    for (int k = 0; k < part->n_ket; k++) {
        const int ket[2] = {part->ket[k].atoms->atom_a, part->ket[k].atoms->atom_b};
        if (!add_block(loan, ket[0], ket[1])) return false;
        for (int x = 0; x < 4; x++)
            if (!add_block(loan, bra[x / 2], ket[x % 2])) return false;
    }
    return true;
}

hf_status hf_density_loan_begin(struct hf_density_loan *loan, const struct hf_part *part,
                                struct hf_error *error)
{
    give_back(loan);
    if (begin(loan, part)) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for density blocks");
}

void hf_density_loan_wait(struct hf_density_loan *loan, struct hf_worker *worker,
                          const struct hf_part *part)
{
    struct hf_lent_densities *lent = loan->of;
    if (lent->source->wait != NULL) lent->source->wait(lent, loan->n_block, loan->entry);
    for (int b = 0; b < loan->n_block; b++) {
        const struct hf_loan_entry *entry = &loan->entry[b];
        const int i = loan->number[entry->i], j = loan->number[entry->j];
        lent->source->show(lent, entry, entry->i, entry->j, &loan->block[i][j]);
        lent->source->show(lent, entry, entry->j, entry->i, &loan->block[j][i]);
        if (entry->cached != NULL && lent->context->trace != NULL)
            hf_work_trace_block(worker, HF_TRACE_BLOCK_K, part->task, entry->i, entry->j,
                                (double)(entry->cached->size * sizeof(double)));
    }
}
