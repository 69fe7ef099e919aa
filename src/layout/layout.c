/* Which rank has which block of a symmetric matrix: rows of half a circle are cut into segments, which are dealt to
 * the ranks; see layout/layout.h. */
#include "layout/layout.h"
#include "base/arena.h"
#include "base/arithmetic.h"
#include "base/growing.h"

#include <assert.h>
#include <stdlib.h>

/* at least this number if there are enough blocks, so that shares are about equal */
enum { SEGMENTS_PER_RANK = 8 };

/** A piece of a row. Each row has `n_segment` segments, with equal numbers of blocks. */
struct segment {
    int rank;
    size_t offset; /**< position of its first element in its rank's part */
};

struct hf_block_layout {
    struct hf_arena arena;
    int n_part, n_segment;   /**< segments per row */
    int n_owner;             /**< number of ranks that have blocks (the first ones) */
    int length;              /**< blocks per segment; the last one of a row may have fewer */
    int *first;              /**< [n_part + 1] */
    struct segment *segment; /**< [n_part][n_segment] */
    int n_own;
    int *own; /**< [n_own] ascending numbers of this rank's segments */
    size_t local_size;
};

/** Number of blocks of row i. If the number of parts is even, the pair of opposite parts belongs to the row with the
 *  higher number. */
static int row_length(int n_part, int i)
{
    const int half = n_part / 2;
    return n_part % 2 == 0 && i < half ? half : half + 1;
}

/** Number of functions of the parts i - begin, i - begin - 1, ... i - end + 1, modulo the number of parts. */
static size_t functions_before(const struct hf_block_layout *self, int i, int begin, int end)
{
    const int *first = self->first, n = self->n_part;
    const int high = i - begin + 1, low = i - end + 1; /* parts low .. high - 1 */
    if (low >= 0) return (size_t)(first[high] - first[low]);
    if (high <= 0) return (size_t)(first[n + high] - first[n + low]);
    return (size_t)(first[high] + first[n] - first[n + low]);
}

static size_t part_size(const struct hf_block_layout *self, int i)
{
    return (size_t)(self->first[i + 1] - self->first[i]);
}

static size_t segment_elements(const struct hf_block_layout *self, int i, int segment)
{
    const int length = row_length(self->n_part, i);
    const int begin = segment * self->length, end = begin + self->length;
    if (begin >= length) return 0;
    return part_size(self, i) * functions_before(self, i, begin, end < length ? end : length);
}

/** Deals the segments, largest first, to the ranks in alternating order (up, then down). */
static void deal(struct hf_block_layout *self, const struct hf_context *context,
                 struct hf_ranked *sorted, size_t *held)
{
    const int n = self->n_part * self->n_segment, n_rank = self->n_owner;
    for (int s = 0; s < n; s++)
        sorted[s] = (struct hf_ranked){
            (double)segment_elements(self, s / self->n_segment, s % self->n_segment), s};
    hf_sort_falling(n, sorted);
    for (int k = 0; k < n; k++) {
        const int turn = k % (2 * n_rank);
        const int rank = turn < n_rank ? turn : 2 * n_rank - 1 - turn;
        self->segment[sorted[k].number] = (struct segment){.rank = rank, .offset = held[rank]};
        held[rank] += (size_t)sorted[k].value;
    }
    self->local_size = held[context->rank];
}

/** Lists the own segments; local. */
static void list_own(struct hf_block_layout *self, int rank)
{
    const int n = self->n_part * self->n_segment;
    for (int s = 0; s < n; s++) self->n_own += self->segment[s].rank == rank;
    HF_TAKE(&self->arena, self->own, (size_t)self->n_own);
    for (int s = 0, k = 0; self->own != NULL && s < n; s++)
        if (self->segment[s].rank == rank) self->own[k++] = s;
}

/** Makes the tables; local. */
static hf_status make(struct hf_block_layout *self, const struct hf_context *context,
                      const int first[], struct hf_error *error)
{
    const size_t n_part = (size_t)self->n_part, n = n_part * (size_t)self->n_segment;
    struct hf_arena *arena = &self->arena;
    HF_TAKE(arena, self->first, n_part + 1);
    HF_TAKE(arena, self->segment, n);
    struct hf_ranked *sorted = HF_TAKE(arena, sorted, n);
    size_t *held = HF_TAKE(arena, held, (size_t)context->n_rank);
    if (!arena->failed) {
        for (size_t i = 0; i <= n_part; i++) self->first[i] = first[i];
        deal(self, context, sorted, held);
        list_own(self, context->rank);
    }
    hf_arena_release(arena, held);
    hf_arena_release(arena, sorted);
    return hf_arena_check(arena, error);
}

hf_status hf_block_layout_create(struct hf_context *context, int n_owner, int n_part,
                                 const int first[], struct hf_block_layout **layout,
                                 struct hf_error *error)
{
    assert(n_part > 0 && (first == NULL || first[0] == 0));
    struct hf_block_layout *made = HF_NEW(made, context->memory, "the layout of blocks");
    hf_status status = hf_arena_check_new(made, error);
    if (status == HF_OK && first == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the parts of a layout");
    if (status == HF_OK) {
        const int longest = n_part / 2 + 1;
        const int wanted = (SEGMENTS_PER_RANK * n_owner + n_part - 1) / n_part;
        const int n_segment = wanted < longest ? wanted : longest;
        made->n_part = n_part;
        made->n_owner = n_owner;
        made->length = (longest + n_segment - 1) / n_segment;
        made->n_segment = (longest + made->length - 1) / made->length;
        status = make(made, context, first, error);
    }
    HF_CHECK(hf_arena_agree_new(context, &made, status, error));
    *layout = made;
    return HF_OK;
}

void hf_block_layout_destroy(struct hf_block_layout **layout)
{
    hf_arena_free(layout);
}

int hf_block_layout_n_part(const struct hf_block_layout *layout)
{
    return layout->n_part;
}

const int *hf_block_layout_first(const struct hf_block_layout *layout)
{
    return layout->first;
}

size_t hf_block_layout_block_size(const struct hf_block_layout *layout, int i, int j)
{
    return part_size(layout, i) * part_size(layout, j);
}

size_t hf_block_layout_local_size(const struct hf_block_layout *layout)
{
    return layout->local_size;
}

int hf_block_layout_row_length(const struct hf_block_layout *layout, int row)
{
    return row_length(layout->n_part, row);
}

size_t hf_block_layout_row_size(const struct hf_block_layout *layout, int row)
{
    const int length = row_length(layout->n_part, row);
    return part_size(layout, row) * functions_before(layout, row, 0, length);
}

struct hf_own_blocks hf_own_blocks_begin_rows(const struct hf_block_layout *layout, int begin,
                                              int end)
{
    int64_t segment; /* the first own one of these rows */
    HF_BISECT(segment, 0, layout->n_own, k, layout->own[k] >= begin * layout->n_segment);
    return (struct hf_own_blocks){.layout = layout, .end = end, .segment = (int)segment};
}

struct hf_own_blocks hf_own_blocks_begin(const struct hf_block_layout *layout)
{
    return hf_own_blocks_begin_rows(layout, 0, layout->n_part);
}

bool hf_own_blocks_next(struct hf_own_blocks *own, struct hf_own_block *block)
{
    const struct hf_block_layout *layout = own->layout;
    while (own->segment < layout->n_own) {
        const int index = layout->own[own->segment], row = index / layout->n_segment;
        const int step = index % layout->n_segment * layout->length + own->step;
        if (row >= own->end) return false;
        if (own->step == layout->length || step >= row_length(layout->n_part, row)) {
            own->segment++;
            own->step = 0;
            own->done = 0;
            continue;
        }
        const int other = step <= row ? row - step : row - step + layout->n_part;
        *block = (struct hf_own_block){
            .i = other > row ? other : row,
            .j = other > row ? row : other,
            .offset = layout->segment[index].offset + own->done,
            .size = hf_block_layout_block_size(layout, row, other),
        };
        own->step++;
        own->done += block->size;
        return true;
    }
    return false;
}

size_t hf_block_layout_whole_size(const struct hf_block_layout *layout)
{
    size_t size = 0;
    for (int i = 0; i < layout->n_part; i++) size += hf_block_layout_row_size(layout, i);
    return size;
}

struct hf_block_place hf_block_layout_find(const struct hf_block_layout *layout, int i, int j)
{
    assert(i >= j && j >= 0 && i < layout->n_part);
    int row = i, step = i - j;
    /* the pair belongs to row j, in which fewer steps lead to it */
    if (step >= row_length(layout->n_part, i)) {
        row = j;
        step = layout->n_part - step;
    }
    const int segment = step / layout->length, begin = segment * layout->length;
    const struct segment *found = &layout->segment[row * layout->n_segment + segment];
    return (struct hf_block_place){
        .rank = found->rank,
        .offset =
            found->offset + part_size(layout, row) * functions_before(layout, row, begin, step),
    };
}

/* ---- Layouts whose parts are atoms ----------------------------------------------------------- */

/** Layout with blocks on the first `n_owner` ranks. Collective. */
static hf_status create_for_atoms(struct hf_context *context, int n_owner,
                                  const struct hf_basis *basis, struct hf_block_layout **layout,
                                  struct hf_error *error)
{
    int *first = malloc(((size_t)basis->n_atom + 1) * sizeof *first);
    for (int a = 0; first != NULL && a <= basis->n_atom; a++) {
        const int shell = basis->first_shell_of_atom[a];
        first[a] = shell < basis->n_shell ? basis->shell[shell].first_function : basis->n_function;
    }
    const hf_status status =
        hf_block_layout_create(context, n_owner, basis->n_atom, first, layout, error);
    free(first);
    return status;
}

hf_status hf_atom_layout_create(struct hf_context *context, const struct hf_basis *basis,
                                struct hf_block_layout **layout, struct hf_error *error)
{
    return create_for_atoms(context, context->n_rank, basis, layout, error);
}

hf_status hf_atom_layout_create_for_sums(struct hf_context *context, const struct hf_basis *basis,
                                         struct hf_block_layout **layout, struct hf_error *error)
{
    return create_for_atoms(context, context->reproducible ? 1 : context->n_rank, basis, layout,
                            error);
}

void hf_mix_own_blocks(const struct hf_basis *merged, bool sums,
                       const struct hf_block_layout *layout, double blocks[])
{
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    if (merged->n_mixing == 0) return;
    while (hf_own_blocks_next(&own, &block))
        hf_mix_block(merged, sums, block.i, block.j, blocks + block.offset);
}
