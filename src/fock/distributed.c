/* Fock builder with distributed data (book Fig. 8.4): density, J and K are in atom blocks over all
 * ranks; a rank gets the blocks its tasks need and sends its sums to their owners.
 *
 *     tasks -> steps (one atom quartet each) -> | ring of steps whose blocks are on their way |
 *                                                 -> wait, compute -> sums stay in the cache
 *
 * Several steps may be under way, since a step of light atoms takes less time than a message. */
#include "distributed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The six pairs of atoms of a quartet: the first two carry J, the others K. */
static const int combination[HF_N_COMBINATION][2] = {
    {HF_ATOM_A, HF_ATOM_B}, {HF_ATOM_C, HF_ATOM_D}, {HF_ATOM_A, HF_ATOM_C},
    {HF_ATOM_A, HF_ATOM_D}, {HF_ATOM_B, HF_ATOM_C}, {HF_ATOM_B, HF_ATOM_D}};

static bool is_coulomb(int k)
{
    return k < 2;
}

/** Pins one block of a step, by way of the step before when that has it. False: no memory. */
static bool pin(struct hf_block_cache *cache, struct hf_cached_block *const before, int i, int j,
                struct hf_cached_block **block)
{
    const int high = i > j ? i : j, low = i > j ? j : i;
    if (before != NULL && before->i == high && before->j == low) {
        hf_block_cache_pin_again(cache, before);
        *block = before;
    } else {
        *block = hf_block_cache_pin(cache, i, j);
    }
    return *block != NULL;
}

/** Pins the blocks of a step, which asks for those that are not here. `before`: the step before, or
 *  NULL. On failure the blocks pinned so far stay in the step. */
static bool begin_step(struct hf_distributed *data, struct hf_step *step,
                       const struct hf_step *before)
{
    for (int k = 0; k < HF_N_COMBINATION; k++) {
        const int i = step->atom[combination[k][0]], j = step->atom[combination[k][1]];
        if (!(is_coulomb(k) ? step->coulomb : step->exchange)) continue;
        struct hf_block_cache *sums = is_coulomb(k) ? data->coulomb : data->exchange;
        if (!pin(data->density, before != NULL ? before->density[k] : NULL, i, j,
                 &step->density[k]) ||
            !pin(sums, before != NULL ? before->sum[k] : NULL, i, j, &step->sum[k]))
            return false;
    }
    return true;
}

static void end_step(struct hf_distributed *data, struct hf_step *step)
{
    for (int k = 0; k < HF_N_COMBINATION; k++) {
        if (step->density[k] != NULL) hf_block_cache_unpin(data->density, step->density[k]);
        if (step->sum[k] != NULL)
            hf_block_cache_unpin(is_coulomb(k) ? data->coulomb : data->exchange, step->sum[k]);
    }
}

/** Shows one pair of atoms (x, y) of the quartet the blocks of it, in both orders. */
static void show_blocks(struct hf_distributed *data, const struct hf_step *step, int k, int x,
                        int y)
{
    struct hf_quartet_blocks *blocks = &data->blocks;
    const struct hf_cached_block *density = step->density[k], *sum = step->sum[k];
    const int order[2][2] = {{x, y}, {y, x}};
    const size_t n_bound =
        (size_t)blocks->n_shell[x] * (size_t)blocks->n_shell[y]; /* of either order */
    for (int o = 0; o < 2; o++) {
        const int row = order[o][0], column = order[o][1], atom = step->atom[row];
        blocks->largest[row][column] = density->largest + (atom == density->i ? 0 : n_bound);
        for (int i = 0; i < blocks->n_job; i++) {
            struct hf_job_blocks *job = &data->job[i];
            const bool wanted = (is_coulomb(k) ? data->J : data->K)[i] != NULL;
            double *value = wanted ? hf_cached_value(sum, i, atom) : NULL;
            job->density[row][column] = hf_cached_value(density, i, atom);
            (is_coulomb(k) ? job->coulomb : job->exchange)[row][column] = value;
        }
    }
}

/** Points the blocks of the builder at those of a step. */
static void show_step(struct hf_fock_builder *self, const struct hf_step *step)
{
    struct hf_distributed *data = self->data;
    const struct hf_basis *basis = self->pairs->basis;
    const int *first = hf_block_layout_first(data->layout);
    struct hf_quartet_blocks *blocks = &data->blocks;
    for (int x = 0; x < HF_N_ATOM; x++) {
        const int atom = step->atom[x];
        blocks->atom[x] = atom;
        blocks->sum.first[x] = first[atom];
        blocks->sum.columns[x] = first[atom + 1] - first[atom];
        blocks->first_shell[x] = basis->first_shell_of_atom[atom];
        blocks->n_shell[x] =
            basis->first_shell_of_atom[atom + 1] - basis->first_shell_of_atom[atom];
    }
    blocks->density = blocks->sum;
    blocks->coulomb = step->coulomb;
    blocks->exchange = step->exchange;
    memset(data->job, 0, (size_t)blocks->n_job * sizeof *data->job);
    for (int k = 0; k < HF_N_COMBINATION; k++) {
        if (step->density[k] == NULL) continue;
        const int x = combination[k][0], y = combination[k][1];
        show_blocks(data, step, k, x, y);
        /* shells of AA all count as on the first A */
        if (is_coulomb(k) && step->atom[x] == step->atom[y]) show_blocks(data, step, k, x, x);
    }
}

/** One more step under way when this one had to wait for its blocks; one fewer after many that had
 *  not, since every step under way pins blocks. */
static void adapt_depth(struct hf_step_ring *ring, double waited)
{
    enum { CALM = 256 };
    static const double NOTICED_SECONDS = 5e-6;
    if (waited > NOTICED_SECONDS) {
        if (ring->depth < HF_MAX_DEPTH) ring->depth++;
        ring->n_calm = 0;
    } else if (++ring->n_calm == CALM) {
        if (ring->depth > HF_LEAST_DEPTH) ring->depth--;
        ring->n_calm = 0;
    }
}

static void compute_step(struct hf_fock_builder *self, struct hf_step *step)
{
    struct hf_distributed *data = self->data;
    const double start = hf_wall_seconds();
    for (int k = 0; k < HF_N_COMBINATION; k++)
        if (step->density[k] != NULL) hf_block_cache_wait(data->density, step->density[k]);
    adapt_depth(&data->ring, hf_wall_seconds() - start);
    show_step(self, step);
    struct hf_quartet_work *work = &self->worker[0].work;
    const int64_t before = work->n_computed;
    step->kets.blocks = &data->blocks;
    hf_quartets_compute(work, step->bra_begin, step->bra_end, 1, &step->kets);
    if (work->n_computed == before) return;
    for (int k = 0; k < HF_N_COMBINATION; k++)
        if (step->sum[k] != NULL) step->sum[k]->touched = true;
}

/** Fills the ring with steps whose blocks are asked for. False at the end of the tasks. */
static bool fill_ring(struct hf_fock_builder *self, hf_status *status, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_step_ring *ring = &data->ring;
    while (ring->n < ring->depth) {
        struct hf_step *step = &ring->step[(ring->first + ring->n) % HF_MAX_DEPTH];
        const struct hf_step *before =
            ring->n > 0 ? &ring->step[(ring->first + ring->n - 1) % HF_MAX_DEPTH] : NULL;
        *step = (struct hf_step){0};
        if (!hf_step_next(self, &data->source, step, status, error)) return false;
        ring->n++;
        if (begin_step(data, step, before)) continue;
        *status = hf_fail(error, HF_NO_RESOURCE, "out of memory for cached blocks");
        hf_scheduler_abandon(self->scheduler);
        return false;
    }
    return true;
}

static hf_status compute_tasks(struct hf_fock_builder *self, struct hf_fock_worker *worker,
                               struct hf_error *error)
{
    (void)worker;
    struct hf_distributed *data = self->data;
    struct hf_step_ring *ring = &data->ring;
    hf_status status = HF_OK;
    bool more = true;
    data->source = (struct hf_step_source){0};
    *ring = (struct hf_step_ring){.depth = HF_LEAST_DEPTH};
    for (;;) {
        if (more) more = fill_ring(self, &status, error);
        if (ring->n == 0) break;
        struct hf_step *step = &ring->step[ring->first];
        if (status == HF_OK) compute_step(self, step);
        end_step(data, step);
        ring->first = (ring->first + 1) % HF_MAX_DEPTH;
        ring->n--;
        hf_onesided_poke(data->onesided);
    }
    if (status == HF_OK) {
        hf_block_cache_flush(data->coulomb);
        hf_block_cache_flush(data->exchange);
    }
    const double waited = hf_block_cache_account(data->density).wait_seconds +
                          hf_block_cache_account(data->coulomb).wait_seconds +
                          hf_block_cache_account(data->exchange).wait_seconds;
    hf_timer_add(&self->context->timers, HF_PHASE_FOCK_WAIT_BLOCKS, waited);
    return status;
}

/** Room for arrays of one build; local. */
static hf_status allocate_lists(struct hf_distributed *data, int n_job, struct hf_error *error)
{
    const size_t n = (size_t)n_job;
    data->blocks = (struct hf_quartet_blocks){.n_job = n_job};
    data->job = calloc(n, sizeof *data->job);
    data->D = calloc(n, sizeof(void *));
    data->J = calloc(n, sizeof(void *));
    data->K = calloc(n, sizeof(void *));
    if (data->job == NULL || data->D == NULL || data->J == NULL || data->K == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock matrices");
    data->blocks.job = data->job;
    return HF_OK;
}

/** The arrays of the build, the densities filled in. Collective. */
static hf_status create_arrays(struct hf_distributed *data, const struct hf_fock_job job[],
                               struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < data->blocks.n_job; i++) {
        HF_TRY(hf_block_array_create(data->onesided, data->layout, "density blocks", &data->D[i],
                                     error));
        if (job[i].coulomb != NULL)
            HF_TRY(hf_block_array_create(data->onesided, data->layout, "Coulomb blocks",
                                         &data->J[i], error));
        if (job[i].exchange != NULL)
            HF_TRY(hf_block_array_create(data->onesided, data->layout, "exchange blocks",
                                         &data->K[i], error));
        HF_TRY(hf_matrix_get_blocks(job[i].density, data->layout, hf_block_array_local(data->D[i]),
                                    error));
        hf_block_array_fence(data->D[i]);
    }
cleanup:
    return status;
}

/** Bytes of the blocks that one kind of cache may keep: no more than half of a matrix, and than
 * about the share of a rank once there are many. */
static double cache_budget(int n_function, int n_rank)
{
    static const double LEAST_BYTES = 8.0 * 1024.0 * 1024.0;
    const double whole = (double)n_function * n_function * sizeof(double);
    return fmin(0.5 * whole, fmax(whole / n_rank, LEAST_BYTES));
}

/** Density, J and K. */
static double cache_bytes(int n_function, int n_rank)
{
    return 3.0 * cache_budget(n_function, n_rank);
}

/** Local. */
static hf_status create_caches(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_block_cache_settings settings = {
        .context = self->context,
        .basis = self->pairs->basis,
        .layout = data->layout,
        .n_layer = data->blocks.n_job,
        .array = data->D,
        .budget_bytes = (size_t)cache_budget(self->pairs->basis->n_function, self->context->n_rank),
    };
    hf_status status;
    HF_TRY(hf_block_cache_create(&settings, &data->density, error));
    settings.sums = true;
    settings.array = data->J;
    settings.factor = 0.25;
    HF_TRY(hf_block_cache_create(&settings, &data->coulomb, error));
    settings.array = data->K;
    settings.factor = 0.125;
    HF_TRY(hf_block_cache_create(&settings, &data->exchange, error));
cleanup:
    return status;
}

/** Books what the caches did in this build. */
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

/** J and K to the matrices of the caller. Collective. */
static hf_status collect_results(struct hf_distributed *data, const struct hf_fock_job job[],
                                 struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < data->blocks.n_job; i++) {
        if (data->J[i] != NULL) {
            hf_block_array_fence(data->J[i]);
            HF_TRY(hf_matrix_set_blocks(job[i].coulomb, data->layout,
                                        hf_block_array_local(data->J[i]), error));
            hf_block_array_destroy(&data->J[i]);
        }
        if (data->K[i] != NULL) {
            hf_block_array_fence(data->K[i]);
            HF_TRY(hf_matrix_set_blocks(job[i].exchange, data->layout,
                                        hf_block_array_local(data->K[i]), error));
            hf_block_array_destroy(&data->K[i]);
        }
    }
cleanup:
    return status;
}

static void release_caches(struct hf_distributed *data)
{
    hf_block_cache_destroy(&data->density);
    hf_block_cache_destroy(&data->coulomb);
    hf_block_cache_destroy(&data->exchange);
}

/** Collective. */
static void release_build(struct hf_distributed *data)
{
    release_caches(data);
    for (int i = 0; i < data->blocks.n_job; i++) {
        if (data->D != NULL) hf_block_array_destroy(&data->D[i]);
        if (data->J != NULL) hf_block_array_destroy(&data->J[i]);
        if (data->K != NULL) hf_block_array_destroy(&data->K[i]);
    }
    free(data->job);
    free(data->D);
    free(data->J);
    free(data->K);
    data->job = NULL;
    data->D = data->J = data->K = NULL;
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_context *context = self->context;
    hf_status status = allocate_lists(data, n_job, error);
    HF_TRY(hf_agree(context->comm, status, error));

    hf_timer_start(&context->timers, HF_PHASE_FOCK_REDUCE);
    status = create_arrays(data, job, error);
    if (status == HF_OK)
        hf_density_bounds_find(&data->bounds, context, data->layout, n_job, data->D);
    hf_timer_stop(&context->timers, HF_PHASE_FOCK_REDUCE);
    if (status != HF_OK) goto cleanup;
    self->screening.max_density = data->bounds.largest;
    HF_TRY(hf_agree(context->comm, create_caches(self, error), error));
    HF_TRY(hf_fock_run_round(self, compute_tasks, error));
    book_blocks(self);
    release_caches(data);

    hf_timer_start(&context->timers, HF_PHASE_FOCK_REDUCE);
    for (int i = 0; i < n_job; i++) hf_block_array_destroy(&data->D[i]);
    status = collect_results(data, job, error);
    hf_timer_stop(&context->timers, HF_PHASE_FOCK_REDUCE);
cleanup:
    release_build(data);
    return status;
}

/** Tiles of so many units that their tasks still even out the load: some hundreds per rank. */
static int tile_size(const struct hf_fock_builder *self)
{
    enum { TASKS_PER_RANK = 200, LARGEST_TILE = 12 };
    const double n_unit = self->settings.grain == HF_GRAIN_ATOM_QUARTET
                              ? (double)self->pairs->n_atom_pair
                              : (double)self->pairs->n_pair;
    const double n_pair = 0.5 * n_unit * n_unit;
    const double side = sqrt(n_pair / ((double)TASKS_PER_RANK * self->context->n_rank));
    return side < 1.0 ? 1 : side > LARGEST_TILE ? LARGEST_TILE : (int)side;
}

static void destroy(struct hf_fock_builder *self)
{
    struct hf_distributed *data = self->data;
    if (data == NULL) return;
    hf_density_bounds_done(&data->bounds);
    hf_onesided_destroy(&data->onesided);
    hf_block_layout_destroy(&data->layout);
    free(data);
    self->data = NULL;
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_context *context = self->context;
    const struct hf_task_order order = {
        .grain = self->settings.grain, .tile = tile_size(self), .scatter = true};
    hf_status status = HF_OK;
    struct hf_distributed *data = self->data = calloc(1, sizeof *data);
    if (data == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock builder");
    if (status == HF_OK)
        status = hf_density_bounds_init(&data->bounds, context, self->pairs->basis->n_atom, error);
    if (status == HF_OK)
        status = hf_task_list_create(context, self->pairs, &order, &self->tasks, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_atom_layout_create(context, self->pairs->basis, &data->layout, error));
    HF_TRY(hf_onesided_create(context, &self->settings.onesided, &data->onesided, error));
    self->account.transport = hf_onesided_transport(data->onesided);
    self->note = hf_onesided_note(data->onesided);
cleanup:
    return status;
}

const struct hf_fock_ops hf_fock_distributed = {
    .name = "distributed",
    .about = "density, Coulomb and exchange matrix in blocks over all ranks, one-sided access",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Figs. 8.4 and 8.5",
    .distributed = true,
    .cache_bytes = cache_bytes,
    .create = create,
    .build = build,
    .destroy = destroy,
};
