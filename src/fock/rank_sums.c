/* The sums of a rank, and the sum over the ranks; see rank_sums.h. */
#include "rank_sums.h"

#include "linalg/matrix_blocks.h"
#include "text/trace.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

static const double COULOMB_FACTOR = 0.25, EXCHANGE_FACTOR = 0.125;

static size_t n_pair(const struct hf_rank_sums *self)
{
    return hf_pair_index(self->basis->n_atom, 0);
}

static unsigned char *member_memory(const struct hf_rank_sums *self, int member)
{
    return (unsigned char *)self->shared->data + (size_t)member * self->member_bytes;
}

/** The last build for which a member has added all it will. */
static _Atomic int64_t *member_ended(const struct hf_rank_sums *self, int member)
{
    return (_Atomic int64_t *)(void *)member_memory(self, member);
}

static unsigned char *member_flags(const struct hf_rank_sums *self, int member)
{
    return member_memory(self, member) + LINE;
}

static double *member_values(const struct hf_rank_sums *self, int member)
{
    return (double *)(void *)(member_flags(self, member) + hf_whole_lines(n_pair(self)));
}

static int n_plane(const struct hf_rank_sums *self)
{
    return self->n_coulomb + self->n_exchange;
}

/** Where plane 0 of a block begins among the values; *stride: from plane to plane. */
static size_t find_block(const struct hf_rank_sums *self, int i, int j, size_t *stride)
{
    const struct hf_block_place *place = &self->blocks->place[hf_pair_index(i, j)];
    *stride = hf_portion_size(self->blocks, place->rank);
    return (size_t)n_plane(self) * self->blocks->first[place->rank] + place->offset;
}

/** Planes of the sums that a flag stands for. */
struct planes {
    int begin, end;
};

static struct planes planes_of(const struct hf_rank_sums *self, bool exchange)
{
    if (exchange) return (struct planes){self->n_coulomb, n_plane(self)};
    return (struct planes){0, self->n_coulomb};
}

/** The counts of a build to the trace. */
static void trace_counts(struct hf_rank_sums *self)
{
    static const int kind[2] = {HF_TRACE_ADDS_J, HF_TRACE_ADDS_K};
    struct hf_trace *trace = self->context->trace;
    for (int i = 0; self->n_add != NULL && i < self->basis->n_atom; i++) {
        for (int j = 0; j <= i; j++) {
            const double bytes =
                (double)hf_block_layout_block_size(self->layout, i, j) * sizeof(double);
            uint32_t *n = &self->n_add[2 * hf_pair_index(i, j)];
            for (int k = 0; k < 2; k++)
                if (n[k] > 0) hf_trace_add_block(trace, 0, kind[k], n[k], i, j, bytes);
            n[0] = n[1] = 0;
        }
    }
}

hf_status hf_rank_sums_init(struct hf_rank_sums *sums, struct hf_context *context,
                            const struct hf_basis *merged, const struct hf_block_layout *layout,
                            struct hf_error *error)
{
    *sums = (struct hf_rank_sums){.context = context,
                                  .basis = merged,
                                  .layout = layout,
                                  .arena = {.label = "the sums of a rank"}};
    hf_block_traffic_create(context, &sums->traffic);
    if (HF_TAKE(&sums->arena, sums->lock, (size_t)merged->n_atom) != NULL)
        for (int i = 0; i < merged->n_atom; i++) pthread_mutex_init(&sums->lock[i], NULL);
    return hf_agree(context->comm, hf_arena_check(&sums->arena, error), error);
}

/** Collective. */
static void free_memory(struct hf_rank_sums *self)
{
    hf_node_memory_destroy(&self->shared);
    hf_arena_free(&self->blocks);
    self->n_room = 0;
}

void hf_rank_sums_done(struct hf_rank_sums *sums)
{
    free_memory(sums);
    hf_block_traffic_destroy(&sums->traffic);
    for (int i = 0; sums->lock != NULL && i < sums->basis->n_atom; i++)
        pthread_mutex_destroy(&sums->lock[i]);
    hf_arena_done(&sums->arena);
    *sums = (struct hf_rank_sums){0};
}

/** Zeroes what this rank added to, or received, in the build before. */
static void clear(struct hf_rank_sums *self)
{
    const int n_atom = self->basis->n_atom;
    for (int i = 0; i < n_atom; i++) {
        for (int j = 0; j <= i; j++) {
            unsigned char *flag = &self->flag[hf_pair_index(i, j)];
            size_t stride, at = find_block(self, i, j, &stride);
            if (*flag == 0) continue;
            *flag = 0;
            const size_t n = hf_block_layout_block_size(self->layout, i, j);
            for (int k = 0; k < n_plane(self); k++, at += stride)
                memset(self->value + at, 0, n * sizeof *self->value);
        }
    }
}

/** Makes zeroed room for the matrices of a build, kept for the next ones: windows are expensive.
 *  Collective. */
static hf_status make_room(struct hf_rank_sums *self, int n_matrix, struct hf_error *error)
{
    const size_t n_element = hf_block_layout_whole_size(self->layout);
    free_memory(self);
    self->round = 0;
    self->member_bytes = LINE + hf_whole_lines(n_pair(self)) +
                         hf_whole_lines((size_t)n_matrix * n_element * sizeof(double));
    HF_CHECK(hf_node_memory_create(self->context, HF_MEMORY_MATRIX, "replicated J and K",
                                   self->member_bytes * (size_t)self->context->n_node_rank,
                                   &self->shared, error));
    HF_CHECK(hf_node_blocks_create(self->context, self->basis, self->layout, self->shared,
                                   &self->blocks, error));
    self->n_room = n_matrix;
    self->flag = member_flags(self, self->blocks->member);
    self->value = member_values(self, self->blocks->member);
    return HF_OK;
}

/** Factor of mirror images in a plane. */
static double mirror_factor(const struct hf_rank_sums *self, int plane)
{
    return plane < self->n_coulomb
               ? 1.0
               : hf_mirror_factor(self->n_antisymmetric, plane - self->n_coulomb);
}

/** to += factor from, transposed. */
static void add_transposed(size_t n_row, size_t n_column, double factor,
                           const double *restrict from, double *restrict to)
{
    for (size_t c = 0; c < n_column; c++)
        for (size_t r = 0; r < n_row; r++) to[c * n_row + r] += factor * from[r * n_column + c];
}

static void add_elements(size_t n, const double *restrict from, double *restrict to)
{
    for (size_t k = 0; k < n; k++) to[k] += from[k];
}

/** Adds blocks to planes of J or K, as `flag` says. */
static void add_planes(struct hf_rank_sums *sums, struct planes planes, unsigned char flag, int row,
                       int column, const double *value)
{
    const struct hf_basis *basis = sums->basis;
    const int high = row > column ? row : column, low = row > column ? column : row;
    const size_t n_row = (size_t)hf_atom_n_function(basis, row);
    const size_t n_column = (size_t)hf_atom_n_function(basis, column);
    size_t stride, at = find_block(sums, high, low, &stride);
    double *to = sums->value + at + (size_t)planes.begin * stride;
    pthread_mutex_lock(&sums->lock[high]);
    for (int k = planes.begin; k < planes.end; k++, to += stride, value += n_row * n_column) {
        if (row == high)
            add_elements(n_row * n_column, value, to);
        else
            add_transposed(n_row, n_column, mirror_factor(sums, k), value, to);
    }
    sums->flag[hf_pair_index(high, low)] |= flag;
    if (sums->n_add != NULL)
        sums->n_add[2 * hf_pair_index(high, low) + (flag == HF_HAS_EXCHANGE)]++;
    pthread_mutex_unlock(&sums->lock[high]);
}

void hf_rank_sums_add(struct hf_rank_sums *sums, bool exchange, int row, int column,
                      const double *value)
{
    add_planes(sums, planes_of(sums, exchange), exchange ? HF_HAS_EXCHANGE : HF_HAS_COULOMB, row,
               column, value);
}

void hf_rank_sums_add_coulomb(struct hf_rank_sums *sums, int k, int row, int column,
                              const double *value)
{
    add_planes(sums, (struct planes){k, k + 1}, HF_HAS_COULOMB, row, column, value);
}

/* ---- The sum over the ranks ------------------------------------------------------------------ */

/** Whether all members of the group have added all they will. */
static bool has_group_ended(const struct hf_rank_sums *self)
{
    for (int m = 0; m < self->blocks->n_member; m++)
        if (atomic_load_explicit(member_ended(self, m), memory_order_acquire) < self->round)
            return false;
    return true;
}

/** Adds a member's planes of a block, from number `first` on, to planes at `to`, `stride` apart. */
static void add_member(const struct hf_rank_sums *self, int member,
                       const struct hf_own_block *block, int first, size_t stride, double *to)
{
    size_t member_stride;
    const unsigned char flag = member_flags(self, member)[hf_pair_index(block->i, block->j)];
    const double *from =
        member_values(self, member) + find_block(self, block->i, block->j, &member_stride);
    for (int x = 0; x < 2; x++) {
        const struct planes planes = planes_of(self, x == 1);
        if ((flag & (x == 1 ? HF_HAS_EXCHANGE : HF_HAS_COULOMB)) == 0) continue;
        for (int k = planes.begin; k < planes.end; k++)
            add_elements(block->size, from + (size_t)k * member_stride,
                         to + (size_t)(k - first) * stride);
    }
}

/** Adds up the own portion over the group, in this rank's memory. */
static void add_up_own(struct hf_rank_sums *self)
{
    const struct hf_node_blocks *blocks = self->blocks;
    for (size_t b = 0; b < blocks->n_own; b++) {
        const struct hf_own_block *block = &blocks->block[b];
        const size_t pair = hf_pair_index(block->i, block->j);
        size_t stride, at = find_block(self, block->i, block->j, &stride);
        for (int m = 0; m < blocks->n_member; m++) {
            const unsigned char flag = member_flags(self, m)[pair];
            if (m == blocks->member || flag == 0) continue;
            add_member(self, m, block, 0, stride, self->value + at);
            self->flag[pair] |= flag;
        }
    }
}

/** hf_block_traffic_ops.pack: a flag for each block, then the sums of the group for blocks that are not zero;
 *  without the planes of J or of K if the flag lacks them. */
static size_t pack(void *data, const struct hf_piece *piece, double *buffer)
{
    const struct hf_rank_sums *self = data;
    const struct hf_node_blocks *blocks = self->blocks;
    double *to = buffer + (piece->end - piece->begin);
    for (size_t b = piece->begin; b < piece->end; b++) {
        const struct hf_own_block *block = &blocks->block[b];
        const size_t pair = hf_pair_index(block->i, block->j);
        unsigned char all = 0;
        for (int m = 0; m < blocks->n_member; m++) all |= member_flags(self, m)[pair];
        buffer[b - piece->begin] = all;
        if (all == 0) continue;
        const bool coulomb = (all & HF_HAS_COULOMB) != 0, exchange = (all & HF_HAS_EXCHANGE) != 0;
        const struct planes planes = {coulomb ? 0 : self->n_coulomb,
                                      exchange ? n_plane(self) : self->n_coulomb};
        const size_t n = (size_t)(planes.end - planes.begin) * block->size;
        memset(to, 0, n * sizeof *to);
        for (int m = 0; m < blocks->n_member; m++)
            add_member(self, m, block, planes.begin, block->size, to);
        to += n;
    }
    return (size_t)(to - buffer);
}

/** hf_block_traffic_ops.unpack: into this rank's sums. */
static void unpack(void *data, const struct hf_piece *piece, const double *buffer)
{
    struct hf_rank_sums *self = data;
    const double *from = buffer + (piece->end - piece->begin);
    for (size_t b = piece->begin; b < piece->end; b++) {
        const struct hf_own_block *block = &self->blocks->block[b];
        const unsigned char all = (unsigned char)buffer[b - piece->begin];
        size_t stride, at = find_block(self, block->i, block->j, &stride);
        self->flag[hf_pair_index(block->i, block->j)] |= all;
        for (int x = 0; x < 2; x++) {
            const struct planes planes = planes_of(self, x == 1);
            if ((all & (x == 1 ? HF_HAS_EXCHANGE : HF_HAS_COULOMB)) == 0) continue;
            for (int k = planes.begin; k < planes.end; k++, from += block->size)
                add_elements(block->size, from, self->value + at + (size_t)k * stride);
        }
    }
}

static const struct hf_block_traffic_ops traffic_ops = {.pack = pack, .unpack = unpack};

hf_status hf_rank_sums_begin(struct hf_rank_sums *sums, const struct hf_job_shape *jobs,
                             struct hf_error *error)
{
    const int n_matrix = hf_n_coulomb(jobs) + jobs->n_exchange;
    hf_status status = HF_OK;
    if (n_matrix > sums->n_room)
        HF_TRY(make_room(sums, n_matrix, error));
    else
        clear(sums);
    sums->n_coulomb = hf_n_coulomb(jobs);
    sums->n_exchange = jobs->n_exchange;
    sums->n_antisymmetric = jobs->n_antisymmetric;
    sums->ended = sums->moving = false;
    sums->round++;
    status = hf_block_traffic_begin(&sums->traffic, sums->blocks, false, n_matrix, &traffic_ops,
                                    sums, error);
    if (sums->context->trace != NULL && sums->n_add == NULL)
        HF_TAKE(&sums->arena, sums->n_add, 2 * n_pair(sums));
    if (status == HF_OK) status = hf_arena_check(&sums->arena, error);
    HF_TRY(hf_agree(sums->context->comm, status, error));
    return HF_OK;
cleanup:
    hf_block_traffic_end(&sums->traffic);
    return status;
}

/** True: this rank has nothing more to do. */
static bool progress(struct hf_rank_sums *self)
{
    if (!self->ended)
        atomic_store_explicit(member_ended(self, self->blocks->member), self->round,
                              memory_order_release);
    self->ended = true;
    if (!self->moving) {
        if (!has_group_ended(self)) return false;
        add_up_own(self);
        self->moving = true;
    }
    return hf_block_traffic_progress(&self->traffic);
}

void hf_rank_sums_progress(struct hf_rank_sums *sums)
{
    (void)progress(sums);
}

/** The own block i = i plus the factor times its mirror image. */
static void add_mirror(size_t n, double factor, double *value)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c <= r; c++) {
            const double sum = value[r * n + c] + factor * value[c * n + r];
            value[r * n + c] = sum;
            value[c * n + r] = factor * sum;
        }
    }
}

/** Adds mirror images, multiplies by factors, transforms to published functions. */
static void complete_own(struct hf_rank_sums *self)
{
    const struct hf_node_blocks *blocks = self->blocks;
    for (size_t b = 0; b < blocks->n_own; b++) {
        const struct hf_own_block *block = &blocks->block[b];
        size_t stride, at = find_block(self, block->i, block->j, &stride);
        if (self->flag[hf_pair_index(block->i, block->j)] == 0) continue;
        for (int k = 0; k < n_plane(self); k++, at += stride) {
            const double factor = k < self->n_coulomb ? COULOMB_FACTOR : EXCHANGE_FACTOR;
            double *value = self->value + at;
            if (block->i == block->j)
                add_mirror((size_t)hf_atom_n_function(blocks->basis, block->i),
                           mirror_factor(self, k), value);
            for (size_t x = 0; x < block->size; x++) value[x] *= factor;
            hf_mix_block(blocks->basis, true, block->i, block->j, value);
        }
    }
}

void hf_rank_sums_finish(struct hf_rank_sums *sums)
{
    while (!progress(sums)) sched_yield();
    complete_own(sums);
    trace_counts(sums);
    if (sums->blocks->n_group == 1) hf_node_memory_sync(sums->shared);
}

/** One matrix of the sums. */
struct plane {
    const struct hf_rank_sums *sums;
    int number;
};

/** hf_find_block_function: where its owner has a block, in the memory of this group. */
static const double *find_in_group(void *data, int i, int j)
{
    const struct plane *plane = data;
    const struct hf_rank_sums *self = plane->sums;
    const int owner = self->blocks->place[hf_pair_index(i, j)].rank;
    size_t stride;
    const size_t at = find_block(self, i, j, &stride);
    return member_values(self, owner) + at + (size_t)plane->number * stride;
}

/** Matrix `number` of the sums to one of the caller. Collective over the ranks of several groups, else local. */
static hf_status hand_over(struct hf_rank_sums *self, int number, struct hf_matrix *matrix,
                           struct hf_error *error)
{
    const struct hf_node_blocks *blocks = self->blocks;
    const int rank = self->context->rank;
    const double *own = self->value + (size_t)n_plane(self) * blocks->first[rank] +
                        (size_t)number * hf_portion_size(blocks, rank);
    const double mirror = mirror_factor(self, number);
    struct plane plane = {.sums = self, .number = number};
    if (blocks->n_group > 1)
        return hf_matrix_set_blocks(matrix, self->layout, own, mirror, HF_OK, error);
    return hf_matrix_set_reachable(matrix, self->layout, find_in_group, &plane, mirror, error);
}

hf_status hf_rank_sums_hand_over(struct hf_rank_sums *sums, int n_job,
                                 const struct hf_fock_job job[], struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0, coulomb = 0; i < n_job && status == HF_OK; i++) {
        if (job[i].exchange != NULL)
            status = hand_over(sums, sums->n_coulomb + i, job[i].exchange, error);
        if (job[i].coulomb != NULL && status == HF_OK)
            status = hand_over(sums, coulomb++, job[i].coulomb, error);
    }
    return sums->blocks->n_group > 1 ? status : hf_agree(sums->context->comm, status, error);
}

void hf_rank_sums_close(struct hf_rank_sums *sums)
{
    hf_block_traffic_end(&sums->traffic);
    if (sums->context->n_rank == 1) free_memory(sums);
}

double hf_rank_sums_bytes(double n_function, double n_atom, int n_matrix)
{
    const double n_pair = 0.5 * n_atom * (n_atom + 1.0);
    return n_matrix * 0.5 * n_function * n_function * (1.0 + 1.0 / n_atom) * sizeof(double) +
           n_pair;
}
