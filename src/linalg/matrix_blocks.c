/* Copies between symmetric matrices in blocks and matrices on the process grid. Every element is sent directly from
 * the rank that has it to the rank that needs it.
 *
 * No indices are sent, because both sides go through the blocks in the same order: row after row of the layout's
 * circle, and around each row,
 *
 *     block side   own blocks                               -> element -> rank of the grid
 *     grid side    pairs of parts with rows or columns on this rank  -> owner of the block
 *
 * so the k-th element between two ranks is the same on both. Only lower blocks are stored; to the grid each block is
 * also sent as its mirror image. Of P ranks, each handles about 1/P of the blocks as an owner, and up to 2/P as a
 * member of a square grid. */
#include "linalg/matrix_blocks.h"

#include "base/arena.h"
#include "linalg_private.h"

#include <assert.h>
#include <string.h>

/** Average number of elements per rank in one stage; limits the buffers. */
enum { STAGE_ELEMENTS = 1 << 18 };

/** Local rows or columns of a part. */
struct range {
    int begin, end;
};

/** A part that has rows or columns on this rank of the grid. */
struct local_part {
    int part;
    struct range row, column;
};

/** One direction of one exchange. */
struct exchange {
    struct hf_matrix *matrix;
    const struct hf_block_layout *layout;
    struct hf_arena arena; /**< owns all arrays */
    double *blocks;        /**< this rank's part of the array of the layout */
    bool to_grid;
    double mirror; /**< factor of mirror images: 1, or -1 if the matrix is antisymmetric */
    int n_local;
    struct local_part *local; /**< [n_local], ascending by part */
    int begin, end;           /**< the stage has these rows of the circle */
    /** For each other rank: elements that travel between its grid side and our block side, and between its block side
     *  and our grid side. */
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

/** Number of rows (or columns) before `global` on this process; block-cyclic arithmetic. */
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

/** The local rows and columns of a part; both are empty outside the grid. */
static struct local_part find_local(const struct exchange *self, int part)
{
    const struct hf_linalg *grid = self->matrix->linalg;
    const int *first = hf_block_layout_first(self->layout);
    const int at_row = grid->parallel ? grid->grid_row : 0;
    const int at_column = grid->parallel ? grid->grid_col : 0;
    struct local_part local = {.part = part};
    if (!grid->inside) return local;
    local.row = (struct range){local_before(grid, first[part], at_row, grid->n_grid_row),
                               local_before(grid, first[part + 1], at_row, grid->n_grid_row)};
    local.column = (struct range){local_before(grid, first[part], at_column, grid->n_grid_col),
                                  local_before(grid, first[part + 1], at_column, grid->n_grid_col)};
    return local;
}

static bool is_empty(struct range range)
{
    return range.begin == range.end;
}

/** Lists the parts that have rows or columns on this rank; local. */
static hf_status list_local_parts(struct exchange *self, struct hf_error *error)
{
    const int n_part = hf_block_layout_n_part(self->layout);
    HF_TAKE(&self->arena, self->local, (size_t)n_part);
    if (self->local == NULL) return hf_arena_check(&self->arena, error);
    for (int part = 0; part < n_part; part++) {
        const struct local_part local = find_local(self, part);
        if (!is_empty(local.row) || !is_empty(local.column)) self->local[self->n_local++] = local;
    }
    return HF_OK;
}

/** Goes through an own block, as stored or mirrored: counts the elements for each rank, or copies them from or to the
 *  buffer. Copies runs of columns on one rank at once. */
static void walk_own_block(struct exchange *self, const struct hf_own_block *block, bool mirrored,
                           bool counting)
{
    const struct hf_linalg *grid = self->matrix->linalg;
    const int *first = hf_block_layout_first(self->layout);
    const int i = block->i, j = block->j;
    double *value = self->blocks + block->offset;
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

/** Goes through this rank's elements of a block of any owner, as stored or mirrored. */
static void walk_grid_block(struct exchange *self, const struct local_part *i,
                            const struct local_part *j, bool mirrored, bool counting)
{
    struct hf_matrix *m = self->matrix;
    const struct range outer = mirrored ? i->column : i->row;
    const struct range inner = mirrored ? j->row : j->column;
    const size_t stride = (size_t)m->local_row;
    if (is_empty(outer) || is_empty(inner)) return;
    const int other = hf_block_layout_find(self->layout, i->part, j->part).rank;
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
                *element = (mirrored ? self->mirror : 1.0) * *packed++;
            else
                *packed++ = *element;
        }
    }
    traffic->at[other] = (int)(packed - traffic->buffer);
}

/** Goes around one row of the circle, that of local part `at`, over the local parts. */
static void walk_grid_row(struct exchange *self, int at, bool counting)
{
    const struct local_part *row = &self->local[at];
    const int n_part = hf_block_layout_n_part(self->layout);
    const int length = hf_block_layout_row_length(self->layout, row->part);
    for (int k = 0; k < self->n_local; k++) {
        const struct local_part *other = &self->local[k <= at ? at - k : at - k + self->n_local];
        const bool round = other->part > row->part;
        if (row->part - other->part + (round ? n_part : 0) >= length) break;
        const struct local_part *i = round ? other : row, *j = round ? row : other;
        walk_grid_block(self, i, j, false, counting);
        if (self->to_grid && i != j) walk_grid_block(self, i, j, true, counting);
    }
}

/** Goes through the own blocks of the stage, or on the grid side through its blocks that have elements on this rank. */
static void walk(struct exchange *self, bool block_side, bool counting)
{
    struct hf_own_blocks own = hf_own_blocks_begin_rows(self->layout, self->begin, self->end);
    struct hf_own_block block;
    while (block_side && hf_own_blocks_next(&own, &block)) {
        walk_own_block(self, &block, false, counting);
        if (self->to_grid && block.i != block.j) walk_own_block(self, &block, true, counting);
    }
    for (int at = 0; !block_side && at < self->n_local; at++)
        if (self->local[at].part >= self->begin && self->local[at].part < self->end)
            walk_grid_row(self, at, counting);
}

/** Computes where each rank's elements begin and allocates the buffer; local. */
static hf_status make_room(struct exchange *self, struct traffic *traffic, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    size_t n = 0;
    for (int r = 0; r < context->n_rank; r++) {
        traffic->first[r] = traffic->at[r] = (int)n;
        n += (size_t)traffic->count[r];
    }
    HF_TAKE_UNSET(&self->arena, traffic->buffer, n);
    if (traffic->buffer != NULL && n <= INT32_MAX) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory to redistribute a matrix of order %d",
                   self->matrix->n_row);
}

/** Counts elements and makes buffers for the rows of the stage; local. */
static hf_status prepare_stage(struct exchange *self, struct hf_error *error)
{
    const size_t bytes = (size_t)self->matrix->linalg->context->n_rank * sizeof(int);
    memset(self->block_side.count, 0, bytes);
    memset(self->grid_side.count, 0, bytes);
    walk(self, true, true);
    walk(self, false, true);
    const hf_status status = make_room(self, &self->block_side, error);
    return status == HF_OK ? make_room(self, &self->grid_side, error) : status;
}

/** Moves the elements of a stage. `status` is the status of this rank so far. Collective. */
static hf_status run_stage(struct exchange *self, hf_status status, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    struct traffic *out = self->to_grid ? &self->block_side : &self->grid_side;
    struct traffic *in = self->to_grid ? &self->grid_side : &self->block_side;
    if (status == HF_OK) status = prepare_stage(self, error);
    HF_TRY(hf_agree(context->comm, status, error));
    walk(self, self->to_grid, false);
    MPI_Alltoallv(out->buffer, out->count, out->first, MPI_DOUBLE, in->buffer, in->count, in->first,
                  MPI_DOUBLE, context->comm);
    walk(self, !self->to_grid, false);
cleanup:
    hf_arena_release(&self->arena, self->block_side.buffer);
    hf_arena_release(&self->arena, self->grid_side.buffer);
    self->block_side.buffer = self->grid_side.buffer = NULL;
    return status;
}

/** End of the stage that begins at `begin`: as many rows of blocks as the buffers can hold. */
static int stage_end(const struct exchange *self)
{
    const int n_part = hf_block_layout_n_part(self->layout);
    const double most = (double)STAGE_ELEMENTS * self->matrix->linalg->context->n_rank;
    double sum = 0.0;
    int end = self->begin;
    while (end < n_part && (end == self->begin || sum < most)) {
        sum += (double)hf_block_layout_row_size(self->layout, end);
        end++;
    }
    return end;
}

static struct traffic make_traffic(struct hf_arena *arena, size_t n_rank)
{
    return (struct traffic){.count = hf_arena_take(arena, n_rank, sizeof(int)),
                            .first = hf_arena_take(arena, n_rank, sizeof(int)),
                            .at = hf_arena_take(arena, n_rank, sizeof(int))};
}

static hf_status run_exchange(struct exchange *self, hf_status status, struct hf_error *error)
{
    const struct hf_context *context = self->matrix->linalg->context;
    const size_t n_rank = (size_t)context->n_rank;
    const int n_part = hf_block_layout_n_part(self->layout);
    assert(self->matrix->n_row == self->matrix->n_col);
    assert(self->matrix->n_row == hf_block_layout_first(self->layout)[n_part]);
    self->block_side = make_traffic(&self->arena, n_rank);
    self->grid_side = make_traffic(&self->arena, n_rank);
    if (status == HF_OK) status = hf_arena_check(&self->arena, error);
    if (status == HF_OK) status = list_local_parts(self, error);
    do {
        self->begin = self->end;
        self->end = stage_end(self);
        HF_TRY(run_stage(self, status, error));
    } while (self->end < n_part);
cleanup:
    hf_arena_done(&self->arena);
    return status;
}

static struct exchange new_exchange(struct hf_matrix *matrix, const struct hf_block_layout *layout)
{
    return (struct exchange){.matrix = matrix,
                             .layout = layout,
                             .arena = {.memory = matrix->linalg->context->memory,
                                       .kind = HF_MEMORY_MATRIX,
                                       .label = "matrix exchange"}};
}

hf_status hf_matrix_set_blocks(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               const double blocks[], double mirror, hf_status status,
                               struct hf_error *error)
{
    struct exchange exchange = new_exchange(matrix, layout);
    exchange.mirror = mirror;
    exchange.blocks = (double *)blocks;
    exchange.to_grid = true;
    return run_exchange(&exchange, status, error);
}

hf_status hf_matrix_get_blocks(const struct hf_matrix *matrix, const struct hf_block_layout *layout,
                               double blocks[], struct hf_error *error)
{
    struct exchange exchange = new_exchange((struct hf_matrix *)matrix, layout);
    exchange.blocks = blocks;
    return run_exchange(&exchange, HF_OK, error);
}

/** Sets this rank's elements in the rows of part `i` and columns of part `j`, from block (i,j) or, if i < j, from
 *  block (j,i) times self->mirror. */
static void set_local(const struct exchange *self, const struct local_part *i,
                      const struct local_part *j, const double *block)
{
    struct hf_matrix *m = self->matrix;
    const int *first = hf_block_layout_first(self->layout);
    const bool mirrored = i->part < j->part;
    const double factor = mirrored ? self->mirror : 1.0;
    const size_t n_i = (size_t)(first[i->part + 1] - first[i->part]);
    const size_t n_j = (size_t)(first[j->part + 1] - first[j->part]);
    for (int c = j->column.begin; c < j->column.end; c++) {
        const size_t column = (size_t)(hf_global_col(m, c) - first[j->part]);
        double *to = m->data + (size_t)c * (size_t)m->local_row;
        for (int r = i->row.begin; r < i->row.end; r++) {
            const size_t row = (size_t)(hf_global_row(m, r) - first[i->part]);
            to[r] = factor * block[mirrored ? column * n_i + row : row * n_j + column];
        }
    }
}

hf_status hf_matrix_set_reachable(struct hf_matrix *matrix, const struct hf_block_layout *layout,
                                  hf_find_block_function *find, void *data, double mirror,
                                  struct hf_error *error)
{
    struct exchange of = new_exchange(matrix, layout);
    of.mirror = mirror;
    const hf_status status = list_local_parts(&of, error);
    for (int x = 0; status == HF_OK && x < of.n_local; x++) {
        for (int y = 0; y < of.n_local; y++) {
            const struct local_part *i = &of.local[x], *j = &of.local[y];
            if (is_empty(i->row) || is_empty(j->column)) continue;
            const double *block =
                i->part < j->part ? find(data, j->part, i->part) : find(data, i->part, j->part);
            set_local(&of, i, j, block);
        }
    }
    hf_arena_done(&of.arena);
    return status;
}
