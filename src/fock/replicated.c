/* Fock builder with replicated data: every node has the densities, every rank has its own J and K and
 * computes the tasks it gets. At the end J and K are summed over the ranks, block by block, at the owners of
 * the blocks (book Fig. 8.2, where all ranks get the sum). */
#include "coulomb_exchange.h"
#include "fock_private.h"
#include "kept_bounds.h"
#include "node_density.h"
#include "rank_sums.h"

struct replicated {
    const struct hf_basis *basis; /**< merged, borrowed */
    struct hf_node_density density;
    struct hf_rank_sums sums;
    struct hf_kept_bounds kept; /**< if quartets are stored for exchange alone */
};

static void destroy(struct hf_fock_builder *self)
{
    struct replicated *data = self->data;
    if (data->sums.context != NULL) hf_rank_sums_done(&data->sums);
    if (data->density.context != NULL) hf_node_density_done(&data->density);
    hf_node_memory_destroy(&data->kept.shared);
}

/** hf_fock_ops.order: enough kets to fill batches; fewer if ranks would get too few tasks for an even load. */
static struct hf_task_order order(enum hf_grain grain)
{
    const bool atoms = grain == HF_GRAIN_ATOM_QUARTET;
    return (struct hf_task_order){.grain = grain,
                                  .largest_row = atoms ? HF_MOST_PART_KETS : 1,
                                  .most_slices = HF_MOST_SLICES};
}

static hf_status create(struct hf_fock_builder *self, struct hf_error *error)
{
    struct hf_context *context = self->context;
    struct replicated *data = self->data;
    data->basis = self->pairs->basis;
    HF_CHECK(hf_rank_sums_init(&data->sums, context, data->basis, self->layout, error));
    hf_node_density_init(&data->density, context, data->basis, self->layout);
    data->density.exact = self->exact;
    HF_CHECK(hf_node_density_reserve(&data->density, 1, error));
    if (data->density.shared->refused)
        self->note = "no memory shared by the ranks of a node: each holds the densities";
    return HF_OK;
}

/** hf_sums_target.show: the block of each pair of atoms in the whole density. */
static void show_density(void *of_thread, int k, struct hf_quartet_blocks *blocks)
{
    const struct replicated *data = of_thread;
    const struct hf_basis *basis = data->basis;
    const size_t n = (size_t)basis->n_function, n_shell = (size_t)basis->n_shell;
    size_t first[HF_N_ATOM], first_shell[HF_N_ATOM];
    (void)k;
    blocks->has_coulomb = blocks->has_exchange = true;
    for (int x = 0; x < HF_N_ATOM; x++) {
        first[x] = (size_t)hf_atom_first_function(basis, blocks->atom[x]);
        first_shell[x] = (size_t)basis->first_shell_of_atom[blocks->atom[x]];
        blocks->density_columns[x] = basis->n_function;
        blocks->largest_columns[x] = basis->n_shell;
    }
    for (int x = 0; x < HF_N_ATOM; x++) {
        for (int y = 0; y < HF_N_ATOM; y++) {
            blocks->largest[x][y] =
                data->density.bound + (first_shell[x] * n_shell + first_shell[y]) * HF_N_BOUND;
            blocks->density[x][y] = data->density.value + first[x] * n + first[y];
            blocks->density_plane[x][y] = n * n;
        }
    }
}

/** hf_sums_target.add */
static void add_sums(void *of_thread, bool exchange, int row, int column, const double *value)
{
    struct replicated *data = of_thread;
    hf_rank_sums_add(&data->sums, exchange, row, column, value);
}

/** hf_round.factor */
static double find_factor(const void *builder, const struct hf_atom_pair *bra,
                          const struct hf_atom_pair *ket)
{
    const struct hf_fock_builder *self = builder;
    const struct replicated *data = self->data;
    return hf_node_density_factor(&data->density, bra, ket);
}

/** hf_coulomb_target.lend */
static const double *lend_density(void *builder, int k, const struct hf_atom_pair *pair,
                                  int *stride)
{
    const struct hf_fock_builder *self = builder;
    const struct replicated *data = self->data;
    const size_t n = (size_t)data->basis->n_function;
    *stride = data->basis->n_function;
    return data->density.value + (size_t)(self->build.first_coulomb + k) * n * n +
           (size_t)hf_atom_first_function(data->basis, pair->atom_a) * n +
           (size_t)hf_atom_first_function(data->basis, pair->atom_b);
}

/** hf_coulomb_target.add: sums of quartets are four times J, with the mirror images. */
static void add_coulomb(void *builder, int k, const struct hf_atom_pair *pair, double *block)
{
    const struct hf_fock_builder *self = builder;
    struct replicated *data = self->data;
    const int n = hf_atom_n_function(data->basis, pair->atom_a) *
                  hf_atom_n_function(data->basis, pair->atom_b);
    for (int i = 0; i < n; i++) block[i] *= 4.0;
    hf_rank_sums_add_coulomb(&data->sums, k, pair->atom_a, pair->atom_b, block);
}

/** hf_round.run */
static hf_status run(void *builder, struct hf_worker *worker, struct hf_error *error)
{
    struct hf_fock_builder *self = builder;
    const struct hf_sums_target target = {
        .data = self->data, .show = show_density, .add = add_sums};
    struct hf_coulomb_exchange consumer;
    hf_status status = hf_coulomb_exchange_init(&consumer, self, &self->build, &target, error);
    if (status == HF_OK)
        status = hf_work_do_all(worker, &hf_coulomb_exchange_consumer, &consumer, error);
    hf_coulomb_exchange_done(&consumer);
    return status;
}

/** hf_round.idle: sends sums of ranks and nodes that are done. */
static void move_sums(void *builder)
{
    struct hf_fock_builder *self = builder;
    struct replicated *data = self->data;
    hf_rank_sums_progress(&data->sums);
}

/** Brings the densities to all nodes and makes room for sums, J of the Coulomb pass included. Collective. */
static hf_status prepare(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                         struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_job_shape all = self->build.jobs;
    all.first_coulomb = self->build.first_coulomb;
    HF_CHECK(hf_node_density_reserve(&data->density, n_job, error));
    HF_CHECK(hf_node_density_gather(&data->density, &self->build.jobs, job,
                                    &self->build.max_density, error));
    return hf_rank_sums_begin(&data->sums, &all, error);
}

/** Tells the round what to store. For exchange alone, only quartets that matter with similar densities are
 *  stored: in large molecules a small part of all. Collective. */
static hf_status prepare_storing(struct hf_fock_builder *self, struct hf_round *round,
                                 struct hf_error *error)
{
    struct replicated *data = self->data;
    const double threshold = self->settings.store_threshold;
    if (hf_n_coulomb(&self->build.jobs) > 0) return HF_OK;
    if (!hf_work_begins_storing(self->work, threshold, self->build.max_density)) {
        round->lasts = hf_kept_bounds_hold(&data->kept, &data->density);
        return HF_OK;
    }
    round->passing = !hf_density_reaches_out(&data->density);
    if (round->passing) return HF_OK;
    HF_CHECK(hf_kept_bounds_set(&data->kept, self->pairs, &data->density, threshold, error));
    round->lasting = &data->kept.lasting;
    return HF_OK;
}

static hf_status build(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error)
{
    struct replicated *data = self->data;
    struct hf_timers *timers = &self->context->timers;
    hf_timer_start(timers, &hf_phase_fock_reduce);
    hf_status status = prepare(self, n_job, job, error);
    hf_timer_stop(timers, &hf_phase_fock_reduce);
    if (status != HF_OK) return status;
    status = hf_build_coulomb_apart(self, lend_density, add_coulomb, error);
    struct hf_round round = {.threshold = self->build.threshold,
                             .largest = self->build.max_density,
                             .factor = find_factor,
                             .run = run,
                             .idle = move_sums,
                             .data = self};
    if (status == HF_OK && self->build.has_round) status = prepare_storing(self, &round, error);
    if (status == HF_OK && self->build.has_round) status = hf_work_run(self->work, &round, error);
    hf_timer_start(timers, &hf_phase_fock_reduce);
    hf_rank_sums_finish(&data->sums); /* also after a failure: other ranks may wait */
    if (status == HF_OK) status = hf_rank_sums_hand_over(&data->sums, n_job, job, error);
    hf_rank_sums_close(&data->sums);
    hf_timer_stop(timers, &hf_phase_fock_reduce);
    return status;
}

/** hf_fock_ops.memory: J and K of a rank; densities and their bounds by shells of a node. */
static struct hf_fock_memory memory(const struct hf_fock_size *size)
{
    const int n_matrix = size->n_density + size->n_coulomb;
    const double n = size->n_function, n_atom = size->n_atom;
    const double own = 0.5 * n * (n + n / n_atom) / size->n_rank;
    const bool many_nodes = size->n_rank > size->n_node_rank;
    const double moved =
        many_nodes
            ? hf_block_traffic_bytes(
                  own, (size->n_rank + size->n_node_rank - 1) / size->n_node_rank, n_matrix) +
                  size->n_density * own * sizeof(double)
            : 0.0;
    const double tables = 2.0 * hf_node_blocks_bytes(n_atom, size->n_rank, size->n_node_rank);
    const double sums = hf_rank_sums_bytes(n, n_atom, n_matrix);
    return (struct hf_fock_memory){
        .of_rank = sums + moved + tables,
        .kept = tables + (size->n_rank > 1 ? sums : 0.0),
        .of_node = hf_node_density_bytes(n, size->n_shell, n_atom, size->n_density) +
                   hf_kept_bounds_bytes(size->n_shell, n_atom)};
}

const struct hf_fock_ops hf_fock_replicated = {
    .name = "replicated",
    .about = "every rank has whole Coulomb and exchange matrices, every node one density matrix",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 8.2",
    .data_bytes = sizeof(struct replicated),
    .memory = memory,
    .order = order,
    .create = create,
    .build = build,
    .destroy = destroy,
};
