/* Exchange between symmetric matrices in blocks and matrices on the process grid: every element
 * goes straight from the rank that has it to the one that wants it.
 *
 * Nobody sends indices. Both sides go through the blocks in the same order, row by row,
 *
 *     block side   own blocks        -> element -> rank of the grid that has it
 *     grid side    all blocks, owner -> my rows and columns of it
 *
 * so that the k-th element for a pair of ranks is the same one on both. Only lower blocks are
 * stored; on the way to the grid each also goes out as its mirror image. */
#include "linalg_private.h"

#include <assert.h>
#include <string.h>

/** Elements per rank, on average, that travel at a time: bounds the buffers. */
enum { STAGE_ELEMENTS = 1 << 18 };

/** One direction of one exchange. */
struct exchange {
    struct hf_matrix *matrix;
    const struct hf_block_layout *layout;
    double *blocks; /**< this rank's part of the array of the layout */
    bool to_grid;
    int begin, end; /**< row parts of the stage */
    /** Per other rank: what goes between its grid side and our block side, and the reverse. */
    struct traffic {
        int *count, *first, *at; /**< [n_rank] */
        double *buffer;
    } block_side, grid_side;
};

/** Rank of the grid that holds an element. */
static int grid_rank(const struct hf_linalg *grid, int row, int col)
{
    return row / grid->block % grid->n_grid_row * grid->n_grid_col +
           col / grid->block % grid->n_grid_col;
}

/** Rows (or columns) before `global` that are on this process; block-cyclic arithmetic. */
static int local_before(const struct hf_linalg *grid, int global, int coordinate, int n_process)
{
    const int n_full = global / grid->block, rest = global % grid->block;
    int n = n_full / n_process * grid->block;
    const int extra = n_full % n_process;
    if (coordinate < extra)
        n += grid->block;
    else if (coordinate == extra)
        n += rest;
    return n;
}

/** Local rows or columns of a part. */
struct range {
    int begin, end;
};

static struct range local_rows(const struct exchange *self, int part)
{
    const struct hf_linalg *grid = self->matrix->linalg;
    const int *first = hf_block_layout_first(self->layout);
    if (!grid->inside) return (struct range){0, 0};
    const int at = grid->parallel ? grid->grid_row : 0;
    return (struct range){local_before(grid, first[part], at, grid->n_grid_row),
                          local_before(grid, first[part + 1], at, grid->n_grid_row)};
}

static struct range local_columns(const struct exchange *self, int part)
{
    const struct hf_linalg *grid = self->matrix->linalg;
    const int *first = hf_block_layout_first(self->layout);
    if (!grid->inside) return (struct range){0, 0};
    const int at = grid->parallel ? grid->grid_col : 0;
    return (struct range){local_before(grid, first[part], at, grid->n_grid_col),
                          local_before(grid, first[part + 1], at, grid->n_grid_col)};
}

/** One own block, as it stands or mirrored: counts what goes to whom, or copies it from or to the
 *  buffer. Runs of columns on one rank go at a time. */
static void walk_own_block(struct exchange *self, int i, int j, bool mirrored, bool counting)
{
    const struct hf_linalg *grid = self->matrix->linalg;
    const int *first = hf_block_layout_first(self->layout);
    double *value = self->blocks + hf_block_layout_find(self->layout, i, j).offset;
    struct traffic *traffic = &self->block_side;
    for (int r = first[i]; r < first[i + 1]; r++) {
        for (int c = first[j], next; c < first[j + 1]; c = next) {
            next = (c / grid->block + 1) * grid->block;
            if (next > first[j + 1]) next = first[j + 1];
            const int other = mirrored ? grid_rank(grid, c, r) : grid_rank(grid, r, c);
            const int length = next - c;
            if (counting) {
                traffic->count[other] += length;
                continue;
            }
            double *packed = traffic->buffer + traffic->at[other];
            if (self->to_grid)
                memcpy(packed, value, (size_t)length * sizeof *packed);
            else
                memcpy(value, packed, (size_t)length * sizeof *packed);
            traffic->at[other] += length;
            value += length;
        }
    }
}

/** Our elements of one block of any rank, as it stands or mirrored. */
static void walk_grid_block(struct exchange *self, int i, int j, bool mirrored, bool counting)
{
    struct hf_matrix *m = self->matrix;
    const struct range outer = mirrored ? local_columns(self, i) : local_rows(self, i);
    const struct range inner = mirrored ? local_rows(self, j) : local_columns(self, j);
    const size_t stride = (size_t)m->local_row;
    if (outer.begin == outer.end || inner.begin == inner.end) return;
    const int other = hf_block_layout_find(self->layout, i, j).rank;
    struct traffic *traffic = &self->grid_side;
    if (counting) {
        traffic->count[other] += (outer.end - outer.begin) * (inner.end - inner.begin);
        return;
    }
    double *packed = traffic->buffer + traffic->at[other];
    for (int x = outer.begin; x < outer.end; x++) {
        for (int y = inner.begin; y < inner.end; y++) {
            const size_t row = (size_t)(mirrored ? y : x), column = (size_t)(mirrored ? x : y);
            double *element = &m->data[column * stride + row];
            if (self->to_grid)
                *element = *packed++;
            else
                *packed++ = *element;
        }
    }
    traffic->at[other] = (int)(packed - traffic->buffer);
}

/** Goes through the blocks of the stage on both sides. */
static void walk(struct exchange *self, bool block_side, bool counting)
{
    const int rank = self->matrix->linalg->context->rank;
    for (int i = self->begin; i < self->end; i++) {
        for (int j = 0; j <= i; j++) {
            const bool own = hf_block_layout_find(self->layout, i, j).rank == rank;
            const bool mirror = self->to_grid && i != j;
            if (block_side && !own) continue;
            if (block_side) {
                walk_own_block(self, i, j, false, counting);
                if (mirror) walk_own_block(self, i, j, true, counting);
            } else {
                walk_grid_block(self, i, j, false, counting);
                if (mirror) walk_grid_block(self, i, j, true, counting);
            }
        }
    }
}

/** Where each rank's elements begin; local. */
static hf_status make_room(struct exchange *self, struct traffic *traffic, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    size_t n = 0;
    for (int r = 0; r < context->n_rank; r++) {
        traffic->first[r] = traffic->at[r] = (int)n;
        n += (size_t)traffic->count[r];
    }
    traffic->buffer =
        hf_memory_allocate_matrix(context->memory, "matrix exchange", n, sizeof *traffic->buffer);
    if (traffic->buffer != NULL && n <= INT32_MAX) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory to redistribute a matrix of order %d",
                   self->matrix->n_row);
}

/** Moves the elements of the parts begin .. end-1. Collective. */
static hf_status run_stage(struct exchange *self, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    const size_t bytes = (size_t)context->n_rank * sizeof(int);
    struct traffic *out = self->to_grid ? &self->block_side : &self->grid_side;
    struct traffic *in = self->to_grid ? &self->grid_side : &self->block_side;
    memset(self->block_side.count, 0, bytes);
    memset(self->grid_side.count, 0, bytes);
    walk(self, true, true);
    walk(self, false, true);
    hf_status status = make_room(self, &self->block_side, error);
    if (status == HF_OK) status = make_room(self, &self->grid_side, error);
    HF_TRY(hf_agree(context->comm, status, error));
    walk(self, self->to_grid, false);
    MPI_Alltoallv(out->buffer, out->count, out->first, MPI_DOUBLE, in->buffer, in->count, in->first,
                  MPI_DOUBLE, context->comm);
    walk(self, !self->to_grid, false);
cleanup:
    hf_memory_release(context->memory, self->block_side.buffer);
    hf_memory_release(context->memory, self->grid_side.buffer);
    self->block_side.buffer = self->grid_side.buffer = NULL;
    return status;
}

/** The end of the stage that begins at `begin`: as many rows of blocks as the buffers may hold. */
static int stage_end(const struct exchange *self)
{
    const int n_part = hf_block_layout_n_part(self->layout);
    const int *first = hf_block_layout_first(self->layout);
    const double most = (double)STAGE_ELEMENTS * self->matrix->linalg->context->n_rank;
    double sum = 0.0;
    int end = self->begin;
    while (end < n_part && (end == self->begin || sum < most)) {
        sum += (double)(first[end + 1] - first[end]) * first[end + 1];
        end++;
    }
    return end;
}

static hf_status run_exchange(struct exchange *self, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    const size_t n_rank = (size_t)context->n_rank;
    const int n_part = hf_block_layout_n_part(self->layout);
    assert(self->matrix->n_row == self->matrix->n_col);
    assert(self->matrix->n_row == hf_block_layout_first(self->layout)[n_part]);
    hf_status status = HF_OK;
    int *counts =
        hf_memory_allocate(context->memory, "matrix exchange", 6 * n_rank, sizeof *counts);
    if (counts == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory to redistribute a matrix");
    HF_TRY(hf_agree(context->comm, status, error));
    self->block_side = (struct traffic){counts, counts + n_rank, counts + 2 * n_rank, NULL};
    self->grid_side =
        (struct traffic){counts + 3 * n_rank, counts + 4 * n_rank, counts + 5 * n_rank, NULL};
    for (self->begin = 0; self->begin < n_part; self->begin = self->end) {
        self->end = stage_end(self);
        HF_TRY(run_stage(self, error));
    }
cleanup:
    hf_memory_release(context->memory, counts);
    return status;
}

hf_status hf_matrix_set_blocks(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               const double blocks[], struct hf_error *error)
{
    struct exchange exchange = {
        .matrix = matrix, .layout = layout, .blocks = (double *)blocks, .to_grid = true};
    return run_exchange(&exchange, error);
}

hf_status hf_matrix_get_blocks(const struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               double blocks[], struct hf_error *error)
{
    struct exchange exchange = {
        .matrix = (struct hf_matrix *)matrix, .layout = layout, .blocks = blocks, .to_grid = false};
    return run_exchange(&exchange, error);
}
