/* Fock builder with distributed data (book Fig. 8.4): density, J and K are in atom blocks over all
 * ranks; a rank gets the blocks its tasks need and sends its sums to their owners.
 *
 *     tasks -> steps (one pair of atoms with several) -> | ring of steps, blocks on their way |
 *                                      -> wait, compute -> add to the sums in the cache
 *
 * Several steps may be under way, since a step of light atoms takes less time than a message. A lock
 * protects blocks and sums; a thread that holds it does not wait for messages or tasks, does not send and
 * does not screen. */
#include "distributed_state.h"

#include "base/threads.h"

#include <math.h>
#include <string.h>

/** Sets the density block of atoms x and y of a quartet, in both orders. */
static void show_block(const struct hf_distributed *data, const struct hf_cached_block *density,
                       int x, int y, struct hf_quartet_blocks *blocks)
{
    const int order[2][2] = {{x, y}, {y, x}};
    const size_t n_bound =
        (size_t)blocks->largest_columns[x] * (size_t)blocks->largest_columns[y] * HF_N_BOUND;
    for (int o = 0; o < 2; o++) {
        const int row = order[o][0], column = order[o][1], atom = blocks->atom[row];
        blocks->largest[row][column] = density->largest + (atom == density->i ? 0 : n_bound);
        blocks->density[row][column] = hf_cached_value(density, atom);
        blocks->density_plane[row][column] = density->size / (size_t)data->jobs.n;
    }
}

/** hf_sums_target.show: the cached density blocks of ket k. */
static void show_density(void *of_thread, int k, struct hf_quartet_blocks *blocks)
{
    const struct hf_step_thread *view = of_thread;
    const struct hf_distributed *data = view->data;
    const int *first = view->basis->first_shell_of_atom;
    blocks->has_coulomb = view->step.coulomb[k];
    blocks->has_exchange = view->step.exchange[k];
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->density_columns[x] = blocks->n[x];
        blocks->largest_columns[x] = first[blocks->atom[x] + 1] - first[blocks->atom[x]];
    }
    for (int c = 0; c < HF_N_COMBINATION; c++) {
        const struct hf_cached_block *density = view->step.density[k][c];
        if (density == NULL) continue;
        const int x = hf_combination[c][0], y = hf_combination[c][1];
        show_block(data, density, x, y, blocks);
        /* shells of a pair within one atom count as shells of its first position */
        if (hf_is_coulomb(c) && blocks->atom[x] == blocks->atom[y])
            show_block(data, density, x, x, blocks);
    }
}

/** Sends if the outbox is full. The lock can be released here, because no sums are pinned between two blocks of
 *  a step. If threads sent only after a step, all blocks that it evicts would wait. */
static void send_if_full(struct hf_distributed *data)
{
    if (!hf_outbox_is_full(&data->outbox)) return;
    pthread_mutex_unlock(&data->lock);
    hf_outbox_send(&data->outbox);
    pthread_mutex_lock(&data->lock);
}

/** hf_sums_target.add: to the cached sums. */
static void add_sums(void *of_thread, bool exchange, int row, int column, const double *value)
{
    const struct hf_step_thread *view = of_thread;
    struct hf_block_cache *cache = exchange ? view->data->exchange : view->data->coulomb;
    struct hf_cached_block *block = hf_block_cache_pin(cache, row, column);
    if (block == NULL) {
        view->data->sums_failed = true;
        return;
    }
    double *to = hf_cached_value(block, row);
    for (size_t x = 0; x < block->size; x++) to[x] += value[x];
    block->touched = true;
    hf_block_cache_unpin(cache, block);
    send_if_full(view->data);
}

/** hf_sums_target.begin_adding */
static void begin_adding(void *of_thread)
{
    const struct hf_step_thread *view = of_thread;
    pthread_mutex_lock(&view->data->lock);
}

/** hf_sums_target.end_adding: the step is done. */
static hf_status end_adding(void *of_thread, struct hf_error *error)
{
    struct hf_step_thread *view = of_thread;
    hf_step_end(view->data, &view->step);
    const bool failed = view->data->sums_failed;
    pthread_mutex_unlock(&view->data->lock);
    hf_outbox_send(&view->data->outbox);
    return failed ? hf_fail(error, HF_NO_RESOURCE, "out of memory for cached blocks") : HF_OK;
}

/** Computes all steps that one thread takes. */
static hf_status compute_steps(struct hf_fock_builder *self, struct hf_worker *worker,
                               struct hf_step_thread *view, struct hf_coulomb_exchange *consumer,
                               struct hf_error *error)
{
    for (;;) {
        hf_status status = hf_step_take(self, worker, view, error);
        if (status != HF_OK || view->step.part.task < 0) return status;
        hf_step_trace(self, worker, &view->step);
        status = hf_work_do_part(worker, &hf_coulomb_exchange_consumer, consumer, &view->step.part,
                                 error);
        if (status != HF_OK) return status;
        hf_work_trace_part(worker, &view->step.part);
    }
}

/** hf_round.run */
static hf_status run(void *builder, struct hf_worker *worker, struct hf_error *error)
{
    struct hf_fock_builder *self = builder;
    struct hf_distributed *data = self->data;
    struct hf_step_thread view = {.data = data, .basis = self->pairs->basis};
    const struct hf_sums_target target = {.data = &view,
                                          .show = show_density,
                                          .add = add_sums,
                                          .begin_adding = begin_adding,
                                          .end_adding = end_adding};
    struct hf_coulomb_exchange consumer;
    hf_status status = hf_coulomb_exchange_init(&consumer, self, &self->build, &target, error);
    if (status == HF_OK) status = compute_steps(self, worker, &view, &consumer, error);
    if (status != HF_OK) hf_steps_give_up(data, worker, &view);
    hf_coulomb_exchange_done(&consumer);
    return status;
}

/** hf_round.idle: otherwise requests of other ranks would wait until the communication thread has napped. */
static void serve_others(void *builder)
{
    const struct hf_distributed *data = ((struct hf_fock_builder *)builder)->data;
    hf_onesided_poke(data->onesided);
}

/** Runs the round and sends the sums in the caches to their owners. Collective. */
static hf_status run_round(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    const int n_thread = hf_work_n_thread(self->work);
    data->apart = hf_mpi_takes_threads();
    data->outbox.in_turn = data->apart ? NULL : &data->in_turn;
    data->ended = data->sums_failed = false;
    data->ring.first = data->ring.n = data->ring.n_calm = data->ring.coming = 0;
    data->ring.least = HF_LEAST_DEPTH > n_thread ? HF_LEAST_DEPTH : n_thread;
    if (data->ring.least > HF_MAX_DEPTH) data->ring.least = HF_MAX_DEPTH;
    data->ring.depth = data->ring.least;
    const hf_status status = hf_work_run(self->work,
                                         &(struct hf_round){.threshold = self->build.threshold,
                                                            .largest = self->build.max_density,
                                                            .run = run,
                                                            .data = self,
                                                            .idle = serve_others},
                                         error);
    const double waited = (hf_block_cache_account(data->density).wait_seconds +
                           hf_block_cache_account(data->coulomb).wait_seconds +
                           hf_block_cache_account(data->exchange).wait_seconds) /
                          n_thread;
    hf_timer_add(timers, &hf_phase_fock_wait_blocks, waited);
    hf_timer_add(timers, &hf_phase_fock_compute, -waited);
    if (status != HF_OK) return status;
    hf_timer_start(timers, &hf_phase_fock_wait_blocks);
    hf_block_cache_flush(data->coulomb);
    hf_block_cache_flush(data->exchange);
    hf_timer_stop(timers, &hf_phase_fock_wait_blocks);
    return HF_OK;
}

/** Share of the budget that sums in the outbox may take before threads wait for the sending thread. */
static const double MOST_LEAVING = 0.125;

/** hf_fock_ops.memory: this rank's blocks of density, J and K for atoms A >= B, and the caches. */
static struct hf_fock_memory memory(const struct hf_fock_size *size)
{
    const double n = size->n_function, n_atom = size->n_atom;
    const double own = 0.5 * n * n * (1.0 + 1.0 / n_atom) / size->n_rank * sizeof(double);
    const double cached = hf_block_cache_budget(size->n_function, size->n_rank, size->n_node_rank);
    const double n_matrix = 2.0 * size->n_density + size->n_coulomb;
    const double bounds = 0.5 * n_atom * (n_atom + 1.0);
    return (struct hf_fock_memory){.of_rank =
                                       n_matrix * own + (3.0 + MOST_LEAVING) * cached + bounds,
                                   .kept = bounds + (size->n_rank > 1 ? n_matrix * own : 0.0)};
}

/** hf_coulomb_target.lend */
static const double *lend_density(void *builder, int k, const struct hf_atom_pair *pair,
                                  int *stride)
{
    const struct hf_fock_builder *self = builder;
    const struct hf_distributed *data = self->data;
    *stride = hf_atom_n_function(self->pairs->basis, pair->atom_b);
    return hf_window_local(data->D[self->build.first_coulomb + k]) +
           hf_block_layout_find(data->layout, pair->atom_a, pair->atom_b).offset;
}

/** hf_coulomb_target.add: for two atoms only one block is stored; for an atom with itself the transpose is
 *  added too. */
static void add_coulomb(void *builder, int k, const struct hf_atom_pair *pair, double *block)
{
    const struct hf_fock_builder *self = builder;
    const struct hf_distributed *data = self->data;
    const int n_row = hf_atom_n_function(self->pairs->basis, pair->atom_a);
    const int n_column = hf_atom_n_function(self->pairs->basis, pair->atom_b);
    const bool own = pair->atom_a == pair->atom_b;
    double *to = hf_window_local(data->J[self->build.first_coulomb + k]) +
                 hf_block_layout_find(data->layout, pair->atom_a, pair->atom_b).offset;
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++)
            to[r * n_column + c] += block[r * n_column + c] + (own ? block[c * n_column + r] : 0.0);
}

/** Local. */
static hf_status create_caches(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_block_cache_settings settings = {
        .context = self->context,
        .basis = self->pairs->basis,
        .layout = data->layout,
        .n_layer = data->jobs.n,
        .n_alone = data->jobs.n_alone,
        .n_antisymmetric = data->jobs.n_antisymmetric,
        .array = data->D,
        .budget_bytes = (size_t)hf_block_cache_budget(
            self->pairs->basis->n_function, self->context->n_rank, self->context->n_node_rank),
    };
    HF_CHECK(hf_block_cache_create(&settings, &data->density, error));
    data->outbox.most_bytes = (size_t)(MOST_LEAVING * (double)settings.budget_bytes);
    settings.sums = true;
    settings.outbox = &data->outbox;
    settings.n_antisymmetric = 0;
    settings.n_layer = hf_n_coulomb(&data->jobs);
    settings.array = data->J + data->jobs.first_coulomb;
    settings.factor = 0.25;
    HF_CHECK(hf_block_cache_create(&settings, &data->coulomb, error));
    settings.n_antisymmetric = data->jobs.n_antisymmetric;
    settings.n_layer = data->jobs.n_exchange;
    settings.array = data->K;
    settings.factor = 0.125;
    return hf_block_cache_create(&settings, &data->exchange, error);
}

/** Adds the counts of the caches to the account. */
static void book_blocks(struct hf_fock_builder *self)
{
    const struct hf_distributed *data = self->data;
    const struct hf_block_cache_account density = hf_block_cache_account(data->density);
    int64_t count[4] = {density.n_asked, density.n_found, density.n_own,
                        hf_block_cache_account(data->coulomb).n_sent +
                            hf_block_cache_account(data->exchange).n_sent};
    MPI_Allreduce(MPI_IN_PLACE, count, 4, MPI_INT64_T, MPI_SUM, self->context->comm);
    self->account.blocks.n_asked += count[0];
    self->account.blocks.n_cached += count[1];
    self->account.blocks.n_own += count[2];
    self->account.blocks.n_sent += count[3];
}

static void release_caches(struct hf_distributed *data)
{
    hf_outbox_drop(&data->outbox);
    hf_block_cache_destroy(&data->density);
    hf_block_cache_destroy(&data->coulomb);
    hf_block_cache_destroy(&data->exchange);
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_context *context = self->context;
    data->jobs = self->build.jobs;
    hf_timer_start(&context->timers, &hf_phase_fock_reduce);
    hf_status status = hf_distributed_open_arrays(self, job, error);
    if (status == HF_OK)
        hf_density_bounds_find(&data->bounds, context, data->layout, n_job, data->D);
    hf_timer_stop(&context->timers, &hf_phase_fock_reduce);
    if (status != HF_OK) goto cleanup;
    self->build.max_density = data->bounds.largest;
    HF_TRY(hf_build_coulomb_apart(self, lend_density, add_coulomb, error));
    if (self->build.has_round) {
        HF_TRY(hf_agree(context->comm, create_caches(self, error), error));
        HF_TRY(run_round(self, error));
        book_blocks(self);
        release_caches(data);
    }

    hf_timer_start(&context->timers, &hf_phase_fock_reduce);
    status = hf_distributed_collect(self, job, error);
    hf_timer_stop(&context->timers, &hf_phase_fock_reduce);
cleanup:
    release_caches(data);
    hf_distributed_close_arrays(data, context->n_rank, status != HF_OK);
    return status;
}

/** hf_fock_ops.order: large tasks are square, so that they need few blocks; small ones are one bra with many
 *  kets, to fill batches. */
static struct hf_task_order order(enum hf_grain grain)
{
    return (struct hf_task_order){.grain = grain,
                                  .largest_row = HF_MOST_PART_KETS,
                                  .most_slices = HF_MOST_SLICES,
                                  .largest_side = 12,
                                  .scatter = true};
}

static void destroy(struct hf_fock_builder *self)
{
    struct hf_distributed *data = self->data;
    if (data->layout == NULL) return; /* create was not called */
    hf_outbox_done(&data->outbox);
    pthread_mutex_destroy(&data->in_turn);
    pthread_mutex_destroy(&data->lock);
    hf_distributed_destroy_arrays(data);
    hf_onesided_destroy(&data->onesided);
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_context *context = self->context;
    struct hf_distributed *data = self->data;
    data->layout = self->layout;
    pthread_mutex_init(&data->lock, NULL);
    pthread_mutex_init(&data->in_turn, NULL);
    hf_outbox_init(&data->outbox);
    hf_density_bounds_init(&data->bounds, self->pairs->basis->n_atom, &self->arena);
    HF_CHECK(hf_agree(context->comm, hf_arena_check(&self->arena, error), error));
    HF_CHECK(hf_onesided_create(context, &self->settings.onesided, &data->onesided, error));
    self->account.transport = hf_onesided_transport(data->onesided);
    self->note = hf_onesided_note(data->onesided);
    return HF_OK;
}

const struct hf_fock_ops hf_fock_distributed = {
    .name = "distributed",
    .about = "matrices in blocks over all ranks, reached by one-sided communication",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 8.4 and 8.5",
    .distributed = true,
    .data_bytes = sizeof(struct hf_distributed),
    .memory = memory,
    .order = order,
    .create = create,
    .build = build,
    .destroy = destroy,
};
