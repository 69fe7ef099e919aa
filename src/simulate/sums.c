/* Matrices on their way; see sums.h. */
#include "sums.h"

#include "clock.h"
#include "fock/block_traffic.h"
#include "linalg/grids.h"
#include "linalg/linalg_private.h"
#include "linalg/matrix_blocks.h"
#include "network.h"

#include <math.h>
#include <stdlib.h>

/** Functions of the run for each one here. */
enum { FEWER = 8 };

struct hf_sim_sums {
    const struct hf_sim_rounds *rounds;
    const struct hf_sim_round *round;
    struct hf_context *context;
    struct hf_basis basis; /**< has sites alone */
    struct hf_block_layout *layout;
    struct hf_node_blocks *blocks; /**< NULL: matrices are distributed */
    struct hf_block_traffic traffic;
    struct hf_linalg grid;
    struct hf_matrix matrix;
    double *own, scale; /**< elements of a matrix of the run for each one here */
    double of_rank;     /**< numbers of J and K that a rank has in this round */
};

/* ---- Numbers --------------------------------------------------------------------------------- */

/** What so many ranks have of a block of J and of K together, as parts of one matrix: parts of tasks are dealt to the ranks
 *  at random. */
static double share(const struct hf_sim_sums *self, int i, int j, double n_rank)
{
    const struct hf_sim_round *round = self->round;
    const double n_part = (double)round->n_listed;
    const size_t number = hf_pair_index(i, j);
    double sum = 0.0;
    if (self->rounds->n_added == 0) return HF_SIM_N_SUM;
    for (int k = 0; k < HF_SIM_N_SUM; k++) {
        const double miss = 1.0 - round->n_add[k][number] / n_part;
        if (miss < 1.0)
            sum += miss > 0.0 ? 1.0 - pow(miss, n_part * n_rank / self->context->n_rank) : 1.0;
    }
    return sum;
}

/** Numbers of J and K that a rank has. */
static double numbers_of_rank(const struct hf_sim_sums *self)
{
    double sum = 0.0;
    for (int i = 0; i < self->basis.n_atom; i++)
        for (int j = 0; j <= i; j++)
            sum += share(self, i, j, 1.0) * (double)hf_block_layout_block_size(self->layout, i, j);
    return sum * self->scale;
}

/** Numbers in a message with densities, or with sums of a node or of a row of nodes. */
static double numbers_of_piece(const struct hf_sim_sums *self, const struct hf_piece *piece)
{
    const struct hf_node_blocks *blocks = self->blocks;
    const double n_rank = blocks->n_member * (self->traffic.way > 0 ? blocks->n_column : 1.0);
    double sum = 0.0;
    for (size_t b = piece->begin; b < piece->end; b++) {
        const struct hf_own_block *block = &blocks->block[b];
        sum +=
            (double)block->size * (self->traffic.spread ? self->rounds->n_density
                                                        : share(self, block->i, block->j, n_rank));
    }
    return sum;
}

/** hf_block_traffic_ops.pack */
static size_t pack(void *data, const struct hf_piece *piece, double *buffer)
{
    return (size_t)ceil(numbers_of_piece(data, piece));
}

/** hf_block_traffic_ops.unpack: sums are added up. */
static void unpack(void *data, const struct hf_piece *piece, const double *buffer)
{
    const struct hf_sim_sums *self = data;
    if (!self->traffic.spread)
        hf_sim_compute(numbers_of_piece(self, piece) * self->scale *
                       hf_sim_the_machine()->addition_seconds);
}

/** A rank reads or writes so many numbers in the memory of its node. */
static void touch(double n_number)
{
    hf_sim_compute(n_number * sizeof(double) * hf_sim_the_machine()->node_beta_seconds_per_byte);
}

/* ---- What lives as long as the rounds -------------------------------------------------------- */

/** The grid, and a matrix of order n on it with room for the largest part of a rank. */
static void make_matrix(struct hf_sim_sums *self, int n)
{
    const int rank = self->context->rank, n_rank = self->context->n_rank;
    const struct hf_linalg_grids all = hf_linalg_grids(self->rounds->n_function, n_rank);
    const int block = (all.block + FEWER - 1) / FEWER;
    const int local_row = (n / block / all.n_row + 1) * block;
    const int local_col = (n / block / all.n_col + 1) * block;
    self->grid = (struct hf_linalg){.context = self->context,
                                    .parallel = all.n_row * all.n_col > 1,
                                    .inside = rank / all.n_col < all.n_row,
                                    .n_grid_row = all.n_row,
                                    .n_grid_col = all.n_col,
                                    .grid_row = rank / all.n_col,
                                    .grid_col = rank % all.n_col,
                                    .block = block};
    self->matrix =
        (struct hf_matrix){.linalg = &self->grid, .n_row = n, .n_col = n, .local_row = local_row};
    if (self->grid.inside)
        self->matrix.data = hf_sim_memory((size_t)local_row * (size_t)local_col, sizeof(double));
}

hf_status hf_sim_sums_create(struct hf_context *context, const struct hf_sim_rounds *rounds,
                             struct hf_sim_sums **sums, struct hf_error *error)
{
    struct hf_sim_sums *made = *sums = hf_sim_memory(1, sizeof *made);
    const bool alone = context->n_node_rank == 1;
    const struct hf_node_memory shared = {.comm = alone ? MPI_COMM_SELF : context->node,
                                          .rank = context->node_rank,
                                          .n_rank = context->n_node_rank};
    const int n_site = made->basis.n_atom = rounds->n_site;
    const int n = rounds->n_function / FEWER > n_site ? rounds->n_function / FEWER : n_site;
    int *first = hf_sim_memory((size_t)n_site + 1, sizeof *first);
    for (int i = 0; i <= n_site; i++) first[i] = (int)((int64_t)n * i / n_site);
    made->rounds = rounds;
    made->context = context;
    made->scale = pow((double)rounds->n_function / n, 2);
    hf_block_traffic_create(context, &made->traffic);
    make_matrix(made, n);
    const hf_status status =
        hf_block_layout_create(context, context->n_rank, n_site, first, &made->layout, error);
    free(first);
    if (status != HF_OK) return status;
    made->own = hf_sim_memory(hf_block_layout_local_size(made->layout), sizeof *made->own);
    if (!rounds->replicated) return HF_OK;
    return hf_node_blocks_create(context, &made->basis, made->layout, &shared, &made->blocks,
                                 error);
}

void hf_sim_sums_destroy(struct hf_sim_sums **sums)
{
    struct hf_sim_sums *old = *sums;
    if (old == NULL) return;
    hf_arena_free(&old->blocks);
    hf_block_layout_destroy(&old->layout);
    hf_block_traffic_destroy(&old->traffic);
    free(old->matrix.data);
    free(old->own);
    free(old);
    *sums = NULL;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/** Matrices from the grid to the owners of blocks, or back; on a single node each rank of the grid copies its part. */
static hf_status move(struct hf_sim_sums *self, int n_matrix, bool to_grid, struct hf_error *error)
{
    const double n = self->rounds->n_function;
    const int n_on_grid = self->grid.n_grid_row * self->grid.n_grid_col;
    hf_status status = HF_OK;
    hf_sim_scale((struct hf_sim_scale){self->scale, 1.0});
    for (int k = 0; k < n_matrix && status == HF_OK; k++) {
        if (self->blocks != NULL && self->blocks->n_group == 1)
            touch(self->grid.inside ? n * n / n_on_grid : 0.0);
        else if (to_grid)
            status =
                hf_matrix_set_blocks(&self->matrix, self->layout, self->own, 1.0, HF_OK, error);
        else
            status = hf_matrix_get_blocks(&self->matrix, self->layout, self->own, error);
    }
    if (self->blocks == NULL) hf_sim_scale((struct hf_sim_scale){1.0, 1.0}); /* of tasks' blocks */
    return status;
}

/** Densities to all nodes, or sums to the owners. */
static hf_status travel(struct hf_sim_sums *self, bool spread, struct hf_error *error)
{
    static const struct hf_block_traffic_ops ops = {.pack = pack, .unpack = unpack};
    const int n_plane = spread ? self->rounds->n_density : HF_SIM_N_SUM;
    HF_CHECK(
        hf_block_traffic_begin(&self->traffic, self->blocks, spread, n_plane, &ops, self, error));
    hf_block_traffic_wait(&self->traffic);
    hf_block_traffic_end(&self->traffic);
    return HF_OK;
}

hf_status hf_sim_sums_begin(struct hf_sim_sums *sums, const struct hf_sim_round *round,
                            struct hf_error *error)
{
    double largest = 0.0;
    sums->round = round;
    HF_CHECK(move(sums, sums->rounds->n_density, false, error));
    if (sums->blocks != NULL) HF_CHECK(travel(sums, true, error));
    if (sums->blocks != NULL && !sums->rounds->reads_only) {
        sums->of_rank = numbers_of_rank(sums);
        touch(sums->of_rank); /* sums become zero */
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, sums->context->comm);
    return HF_OK;
}

hf_status hf_sim_sums_finish(struct hf_sim_sums *sums, struct hf_error *error)
{
    const int n_member = sums->blocks != NULL ? sums->blocks->n_member : 1;
    if (sums->rounds->reads_only) return HF_OK;
    if (n_member > 1) { /* each adds up its part of all */
        touch(sums->of_rank);
        hf_sim_compute(sums->of_rank * (n_member - 1) / n_member *
                       hf_sim_the_machine()->addition_seconds);
        MPI_Barrier(sums->context->node);
    }
    if (sums->blocks != NULL) HF_CHECK(travel(sums, false, error));
    return move(sums, HF_SIM_N_SUM, true, error);
}
