/* Matrices in blocks: how they are filled, sorted and read. */
#include "localise/sparse_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hf_parts_size(const int first[], struct hf_parts parts)
{
    int n = 0;
    for (int k = 0; k < parts.n; k++) n += first[parts.part[k] + 1] - first[parts.part[k]];
    return n;
}

const double *hf_sparse_find(const struct hf_sparse_matrix *matrix, int row_part, int column_part)
{
    int low = matrix->begin[column_part], high = matrix->begin[column_part + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (matrix->row[middle] < row_part)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == matrix->begin[column_part + 1] || matrix->row[low] != row_part) return NULL;
    return matrix->value + matrix->offset[low];
}

void hf_sparse_get(const struct hf_sparse_matrix *matrix, struct hf_parts rows,
                   struct hf_parts columns, double to[])
{
    const size_t step = (size_t)hf_parts_size(matrix->column_first, columns);
    double *band = to;
    for (int k = 0; k < rows.n; k++) {
        const int part = rows.part[k];
        const int n_row = matrix->row_first[part + 1] - matrix->row_first[part];
        double *block = band;
        for (int l = 0; l < columns.n; l++) {
            const int other = columns.part[l];
            const size_t n =
                (size_t)(matrix->column_first[other + 1] - matrix->column_first[other]);
            const double *from = hf_sparse_find(matrix, part, other);
            for (int r = 0; r < n_row; r++) {
                double *row = block + (size_t)r * step;
                if (from != NULL)
                    memcpy(row, from + (size_t)r * n, n * sizeof *row);
                else
                    memset(row, 0, n * sizeof *row);
            }
            block += n;
        }
        band += (size_t)n_row * step;
    }
}

/* ---- Filling --------------------------------------------------------------------------------- */

static int *make_first(struct hf_arena *arena, int n, const int first[])
{
    int *made = HF_TAKE(arena, made, (size_t)n + 1);
    for (int k = 0; k <= n && made != NULL; k++) made[k] = first != NULL ? first[k] : k;
    return made;
}

struct hf_sparse_matrix *hf_sparse_create(struct hf_memory *memory, const char *label,
                                          int n_row_part, const int row_first[], int n_column_part,
                                          const int column_first[])
{
    struct hf_arena arena = {.memory = memory, .kind = HF_MEMORY_MATRIX, .label = label};
    struct hf_sparse_matrix *self = HF_TAKE(&arena, self, 1);
    if (self == NULL) return NULL;
    self->n_row_part = n_row_part;
    self->n_column_part = n_column_part;
    self->n_offset_room = 1;
    self->row_first = make_first(&arena, n_row_part, row_first);
    self->column_first = make_first(&arena, n_column_part, column_first);
    HF_TAKE(&arena, self->begin, (size_t)n_column_part + 1);
    HF_TAKE(&arena, self->offset, 1);
    self->arena = arena;
    if (arena.failed) hf_sparse_destroy(&self);
    return self;
}

/** Room for one block more, and for the offset behind it. */
static bool grow_blocks(struct hf_sparse_matrix *self)
{
    struct hf_arena *arena = &self->arena;
    const int64_t n = self->n_block + 1;
    int64_t room = self->n_block_room;
    return hf_arena_grow(arena, &self->row, n, &room, sizeof *self->row) &&
           hf_arena_grow(arena, &self->column, n, &self->n_block_room, sizeof *self->column) &&
           hf_arena_grow(arena, &self->offset, n + 1, &self->n_offset_room, sizeof *self->offset);
}

static bool matters(double threshold, int n_row, int n_column, const double *from, size_t step)
{
    if (threshold <= 0.0) return true;
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++)
            if (fabs(from[(size_t)r * step + (size_t)c]) > threshold) return true;
    return false;
}

void hf_sparse_add(struct hf_sparse_matrix *self, int row_part, int column_part, double threshold,
                   const double *from, size_t step)
{
    if (self == NULL || self->arena.failed) return;
    const int n_row = self->row_first[row_part + 1] - self->row_first[row_part];
    const int n_column = self->column_first[column_part + 1] - self->column_first[column_part];
    if (!matters(threshold, n_row, n_column, from, step) || !grow_blocks(self)) return;
    const size_t offset = self->offset[self->n_block];
    const size_t end = offset + (size_t)n_row * (size_t)n_column;
    if (!hf_arena_grow(&self->arena, &self->value, (int64_t)end, &self->n_value_room,
                       sizeof *self->value))
        return;
    for (int r = 0; r < n_row; r++)
        memcpy(self->value + offset + (size_t)r * (size_t)n_column, from + (size_t)r * step,
               (size_t)n_column * sizeof *from);
    self->row[self->n_block] = row_part;
    self->column[self->n_block] = column_part;
    self->offset[++self->n_block] = end;
}

/** A block on its way to its place in the order. */
struct place {
    int row, column, from;
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

hf_status hf_sparse_finish(struct hf_sparse_matrix *self, struct hf_error *error)
{
    if (self == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for matrices in blocks");
    struct hf_arena *arena = &self->arena;
    const size_t n = (size_t)self->n_block, n_value = self->offset[n];
    struct place *place = HF_TAKE(arena, place, n);
    size_t *offset = HF_TAKE(arena, offset, n + 1);
    double *value = HF_TAKE_UNSET(arena, value, n_value);
    if (arena->failed) return hf_arena_check(arena, error);
    for (size_t k = 0; k < n; k++) place[k] = (struct place){self->row[k], self->column[k], (int)k};
    qsort(place, n, sizeof *place, compare);
    for (size_t k = 0; k < n; k++) {
        const size_t first = self->offset[place[k].from];
        const size_t size = self->offset[place[k].from + 1] - first;
        memcpy(value + offset[k], self->value + first, size * sizeof *value);
        offset[k + 1] = offset[k] + size;
        self->row[k] = place[k].row;
        self->column[k] = place[k].column;
        self->begin[place[k].column + 1]++;
    }
    for (int c = 0; c < self->n_column_part; c++) self->begin[c + 1] += self->begin[c];
    hf_arena_release(arena, place);
    hf_arena_release(arena, self->offset);
    hf_arena_release(arena, self->value);
    self->offset = offset;
    self->value = value;
    self->n_value_room = (int64_t)n_value;
    self->n_offset_room = (int64_t)n + 1;
    return HF_OK;
}

void hf_sparse_destroy(struct hf_sparse_matrix **matrix)
{
    if (*matrix != NULL) hf_arena_done(&(*matrix)->arena);
    *matrix = NULL;
}
