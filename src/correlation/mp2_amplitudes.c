/* The second step of the derivatives of MP2: amplitudes of an orbital i with all j, their densities, and T_ia(rs).
 *
 *     round         one orbital i on each rank; if fewer are left than ranks, several ranks share each of some of them
 *     each block    (ia|rs) is received -> (ia|js) -> (ia|jb) -> t, which is kept
 *     swap          ranks that share i send each other the t_ij^ba of their columns
 *     each block    u -> P, Y of virtual orbitals; sum_b C_sb u -> T_ia(rs), which is sent back
 *
 * A block has some of the virtual orbitals a of i (hf_mp2_block_width). Sums over a are rounded to steps block by block,
 * so the bits do not depend on who has a block. */
#include "mp2_block.h"

#include "hf/interruption.h"
#include "hf/timer.h"
#include "text/trace.h"

const struct hf_phase hf_phase_mp2_amplitudes = {.name = "MP2: amplitudes"};

static int most(int x, int y)
{
    return x > y ? x : y;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/** Does steps for this rank's current block. Local. */
static hf_status do_steps(struct hf_mp2_amplitudes *self, int n, hf_thread_work *const step[],
                          struct hf_error *error)
{
    for (int k = 0; k < n; k++) HF_CHECK(hf_threads_run(self->mp2->n_thread, step[k], self, error));
    return HF_OK;
}

/** Orbital number `number` of the batch. */
static struct hf_mp2_unit find_unit(const struct hf_mp2 *mp2, int number)
{
    const int n_alpha = mp2->batch.end[0] - mp2->batch.begin[0], spin = number >= n_alpha;
    return (struct hf_mp2_unit){.spin = spin,
                                .i = mp2->batch.begin[spin] + number - spin * n_alpha};
}

/** Divides the ranks among n <= n_rank orbitals from number `first` on, and the blocks of each among its ranks. */
static void make_parts(const struct hf_mp2_amplitudes *self, int first, int n)
{
    const int n_rank = self->mp2->context->n_rank;
    for (int k = 0; k < n; k++) {
        const int begin = (int)((int64_t)n_rank * k / n),
                  n_part = (int)((int64_t)n_rank * (k + 1) / n) - begin;
        const struct hf_mp2_unit unit = find_unit(self->mp2, first + k);
        const size_t length = self->mp2->orbitals[unit.spin].length;
        for (int p = 0; p < n_part; p++) {
            struct hf_mp2_unit *part = &self->part[begin + p];
            *part = unit;
            part->begin = hf_mp2_part_begin(self->mp2->orbitals[unit.spin].n_virtual, p, n_part);
            part->end = hf_mp2_part_begin(self->mp2->orbitals[unit.spin].n_virtual, p + 1, n_part);
            if (part->end > length) part->end = length;
            if (part->begin == part->end) part->i = -1;
        }
    }
}

/** Columns number k of each rank's part that are exchanged together. Returns whether there are any. */
static bool find_exchanged(const struct hf_mp2_amplitudes *self, int k)
{
    bool any = false;
    for (int r = 0; r < self->mp2->context->n_rank; r++) {
        const struct hf_mp2_unit *part = &self->part[r];
        const size_t width = (size_t)self->n_together *
                             hf_mp2_block_width(self->mp2->orbitals[part->spin].n_virtual);
        struct hf_mp2_unit *some = &self->exchanged[r];
        *some = *part;
        some->begin += (size_t)k * width;
        if (some->end > some->begin + width) some->end = some->begin + width;
        if (some->begin >= part->end) *some = (struct hf_mp2_unit){.i = -1, .spin = part->spin};
        any = any || some->i >= 0;
    }
    return any;
}

/** Sends the rows b of each block of this rank to the ranks of the same i that have the columns b. Collective. */
static void swap(struct hf_mp2_amplitudes *self)
{
    struct hf_context *context = self->mp2->context;
    const int rank = context->rank, n_rank = context->n_rank;
    const struct hf_mp2_unit *mine = &self->part[rank];
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const struct hf_mp2_unit *other = &self->part[to], *source = &self->part[from];
        const bool sends = mine->i >= 0 && other->i == mine->i && other->spin == mine->spin;
        const bool receives = mine->i >= 0 && source->i == mine->i && source->spin == mine->spin;
        for (size_t out = mine->begin, in = source->begin;
             (sends && out < mine->end) || (receives && in < source->end);) {
            const struct hf_mp2_unit sent = hf_mp2_find_block(self, mine->spin, out),
                                     received = hf_mp2_find_block(self, source->spin, in);
            const size_t n = sends && out < mine->end ? hf_mp2_n_swapped(self, &sent, other) : 0;
            const size_t m =
                receives && in < source->end ? hf_mp2_n_swapped(self, &received, mine) : 0;
            const double *rows = n > 0 ? hf_mp2_t_of(self, &sent, mine->spin) +
                                             other->begin * (n / hf_mp2_columns_used(self, other))
                                       : NULL;
            double *place = m > 0 ? self->swapped + in * (m / hf_mp2_width(&received)) : NULL;
            hf_mp2_pass_on(context, to, rows, n, from, place, m);
            self->mp2->result->sent_bytes += (double)(n * sizeof *rows);
            out = sent.end;
            in = received.end;
        }
    }
}

/** Number of this rank's current block among those of all orbitals, for the trace. */
static int64_t find_number(const struct hf_mp2_amplitudes *self)
{
    int64_t n = 0;
    for (int spin = 0; spin <= self->block.spin; spin++) {
        const struct hf_mp2_orbitals *orbitals = &self->mp2->orbitals[spin];
        const size_t width = hf_mp2_block_width(orbitals->n_virtual);
        const int64_t n_block = (int64_t)((orbitals->length + width - 1) / width);
        n += n_block * (spin < self->block.spin ? orbitals->n_occupied : self->block.i);
        if (spin == self->block.spin) n += (int64_t)(self->block.begin / width);
    }
    return n;
}

/** Runs steps on each block of the columns that this rank has now. Local. */
static hf_status do_blocks(struct hf_mp2_amplitudes *self, int n_step, hf_thread_work *const step[],
                           bool back, struct hf_error *error)
{
    const struct hf_mp2_unit *some = hf_mp2_own_exchanged(self);
    for (size_t begin = some->begin; some->i >= 0 && begin < some->end; begin = self->block.end) {
        self->block = hf_mp2_find_block(self, some->spin, begin);
        self->block.i = some->i;
        const struct hf_trace_span span = hf_trace_begin_span(self->mp2->context->trace);
        HF_CHECK(do_steps(self, n_step, step, error));
        if (back) hf_mp2_block_join(self);
        hf_trace_end_span(self->mp2->context->trace, 0, HF_TRACE_PAIR_TASK,
                          2 * find_number(self) + back, span);
    }
    return HF_OK;
}

/** Runs steps on the columns of all ranks; they receive (ia|rs), or send T_ia(rs). Collective. */
static hf_status do_parts(struct hf_mp2_amplitudes *self, int n_step, hf_thread_work *const step[],
                          bool back, hf_status status, struct hf_error *error)
{
    struct hf_timers *timers = &self->mp2->context->timers;
    for (int k = 0; find_exchanged(self, k); k++) {
        hf_timer_start(timers, &hf_phase_mp2_exchange);
        if (!back) hf_mp2_exchange_round(&self->exchange, self->exchanged);
        hf_timer_stop(timers, &hf_phase_mp2_exchange);
        hf_timer_start(timers, &hf_phase_mp2_amplitudes);
        if (back && hf_mp2_own_exchanged(self)->i >= 0)
            hf_mp2_exchange_point(&self->exchange, hf_mp2_own_exchanged(self));
        if (status == HF_OK) status = do_blocks(self, n_step, step, back, error);
        hf_timer_stop(timers, &hf_phase_mp2_amplitudes);
        hf_timer_start(timers, &hf_phase_mp2_exchange);
        if (back) hf_mp2_exchange_return(&self->exchange, self->exchanged);
        hf_timer_stop(timers, &hf_phase_mp2_exchange);
    }
    return status;
}

/** n orbitals from number `first` on. Collective. */
static hf_status do_round(struct hf_mp2_amplitudes *self, int first, int n, struct hf_error *error)
{
    static hf_thread_work *const forward[] = {hf_mp2_block_third, hf_mp2_block_fourth},
                                 *const back[] = {hf_mp2_block_weigh, hf_mp2_block_add_virtual,
                                                  hf_mp2_block_add_occupied,
                                                  hf_mp2_block_write_rows, hf_mp2_block_add_rows};
    struct hf_context *context = self->mp2->context;
    struct hf_timers *timers = &context->timers;
    make_parts(self, first, n);
    const struct hf_mp2_unit *part = hf_mp2_own_part(self);
    self->swapped = self->t + hf_mp2_width(part) * hf_mp2_n_before(self, self->mp2->n_spin);
    hf_status status = do_parts(self, 2, forward, false, HF_OK, error);
    hf_timer_start(timers, &hf_phase_mp2_exchange);
    swap(self);
    hf_timer_stop(timers, &hf_phase_mp2_exchange);
    status = do_parts(self, 5, back, true, status, error);
    hf_timer_start(timers, &hf_phase_mp2_wait);
    status = hf_agree_to_go_on(context, status, error);
    hf_timer_stop(timers, &hf_phase_mp2_wait);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void make_orbitals(struct hf_mp2_amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const int n = mp2->merged->n_function, o = self->n_joined;
    struct hf_arena *arena = &self->arena;
    self->joined_length = hf_padded(o);
    self->joined = hf_mp2_join_orbitals(mp2, self->joined_length, arena);
    HF_TAKE(arena, self->packed_joined, hf_packed_size(n, o));
    HF_TAKE(arena, self->packed_orbitals, hf_packed_size(o, n));
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        self->first[spin + 1] = self->first[spin] + mp2->orbitals[spin].n_occupied;
        HF_TAKE(arena, self->packed_virtuals[spin],
                hf_packed_size(n, mp2->orbitals[spin].n_virtual));
    }
    if (arena->failed) return;
    hf_pack(n, o, self->joined, self->joined_length, 1, self->packed_joined);
    hf_pack(o, n, self->joined, 1, self->joined_length, self->packed_orbitals);
    for (int spin = 0; spin < mp2->n_spin; spin++)
        hf_pack(n, mp2->orbitals[spin].n_virtual, mp2->orbitals[spin].virtuals,
                mp2->orbitals[spin].length, 1, self->packed_virtuals[spin]);
}

/** Largest sizes of blocks and matrices, for both spins. */
struct sizes {
    size_t width, n_virtual, length, rows; /**< rows: pairs jb */
};

static int most_virtual(const struct hf_mp2 *mp2)
{
    return most(mp2->orbitals[0].n_virtual, mp2->orbitals[mp2->n_spin - 1].n_virtual);
}

static struct sizes find_sizes(const struct hf_mp2_amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const int v = most_virtual(mp2);
    return (struct sizes){hf_mp2_block_width(v), (size_t)v, hf_padded(v),
                          hf_mp2_n_before(self, mp2->n_spin)};
}

static void make_buffers(struct hf_mp2_amplitudes *self, int n_unit)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const struct sizes size = find_sizes(self);
    const size_t n = (size_t)mp2->merged->n_function, o = (size_t)self->n_joined,
                 row = hf_padded((int)o);
    const size_t of_piece = (size.n_virtual / HF_MP2_PIECES + 1) * size.width;
    struct hf_arena *arena = &self->arena;
    HF_TAKE(arena, self->part, (size_t)mp2->context->n_rank);
    HF_TAKE(arena, self->exchanged, (size_t)mp2->context->n_rank);
    HF_TAKE(arena, self->back, n * o * size.width);
    size_t room = 0, third = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const int v = mp2->orbitals[spin].n_virtual, n_rank = mp2->context->n_rank;
        const size_t of_spin =
                         hf_mp2_amplitude_room(size.rows, o, v, most_virtual(mp2), n_rank, n_unit),
                     third_of_spin =
                         hf_mp2_amplitude_room(n * o, 0, v, most_virtual(mp2), n_rank, n_unit);
        if (of_spin > room) room = of_spin;
        if (third_of_spin > third) third = third_of_spin;
    }
    HF_TAKE(arena, self->third, third);
    HF_TAKE(arena, self->t, room);
    HF_TAKE(arena, self->u, size.rows * size.width);
    HF_TAKE(arena, self->turned, o * size.width * (size.length + hf_padded((int)n)));
    HF_TAKE(arena, self->partial, HF_MP2_PIECES * hf_mp2_piece_size(self));
    /* orbitals of the third quarter; rows of u; u and t of a piece */
    size_t n_packed = hf_packed_size((int)o, (int)(n > of_piece ? n : of_piece));
    if (n_packed < HF_MP2_ROWS * o * size.width) n_packed = HF_MP2_ROWS * o * size.width;
    /* rows of all functions; of P_ab and Y; t of a piece */
    const size_t n_product = (n + HF_PRODUCT_GROUP) * size.width +
                             HF_MP2_ROWS * (size.length + hf_padded((int)n)) + of_piece * row;
    const size_t n_row = (n > size.n_virtual ? n : size.n_virtual) + o * size.width + of_piece;
    self->lane = hf_mp2_make_lanes(mp2, n_packed, n_product, n_row, arena);
}

hf_status hf_mp2_amplitudes(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = mp2->context;
    struct hf_mp2_amplitudes self = {.mp2 = mp2,
                                     .arena = hf_mp2_arena(mp2, "the amplitudes of MP2"),
                                     .n_joined = hf_mp2_n_joined(mp2)};
    const int n_unit = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
    make_orbitals(&self);
    make_buffers(&self, n_unit);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&self.arena, error), error));
    self.n_together = hf_mp2_blocks_together(most_virtual(mp2), context->n_rank, n_unit);
    HF_TRY(hf_mp2_exchange_init(&self.exchange, mp2,
                                (size_t)self.n_together * find_sizes(&self).width, &self.arena,
                                error));
    self.now = &self.block;
    for (int first = 0, n; first < n_unit; first += n) {
        n = hf_mp2_orbitals_together(most_virtual(mp2), context->n_rank, n_unit - first);
        HF_TRY(do_round(&self, first, n, error));
        hf_interruption_set_fraction(context->interruption, (double)first / n_unit);
    }
    hf_mp2_add_lanes(mp2, self.lane);
cleanup:
    hf_interruption_set_fraction(context->interruption, 0.0);
    hf_arena_done(&self.arena);
    return status;
}
