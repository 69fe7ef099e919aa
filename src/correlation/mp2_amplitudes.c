/* The second step of the derivatives of MP2: amplitudes of an orbital i with all j, their densities, and T_ia(rs). */
#include "mp2_response.h"

#include "base/threads.h"
#include "hf/interruption.h"
#include "hf/timer.h"
#include "text/trace.h"

#include <string.h>

const struct hf_phase hf_phase_mp2_amplitudes = {.name = "MP2: amplitudes"};

/** Rows of P_ab that a thread computes at a time; pieces of the sum for P_ij, whose number fixes its bits. */
enum { ROWS = 2 * HF_PRODUCT_GROUP, PIECES = 16 };

/** Data of a thread. */
struct lane {
    double *packed;     /**< a left matrix */
    double *product;    /**< [n][length] */
    const double **row; /**< [n] */
    int *function;      /**< [n] function of each row */
    double n_flop, seconds;
};

/** This step on one rank. Rows over a have the length of the spin of i. */
struct amplitudes {
    struct hf_mp2 *mp2;    /**< borrowed */
    struct hf_arena arena; /**< owns all arrays, also those of the exchange */
    struct hf_mp2_exchange exchange;
    int64_t *pair_of; /**< [n_shell][n_shell] shell pair; -1: none */
    int n_joined;
    size_t joined_length;
    double *joined;                       /**< [n][joined_length] C_rj */
    double *packed_joined;                /**< the same, packed as left matrix [n][J] */
    double *packed_virtuals[HF_MAX_SPIN]; /**< C_sb, packed as left matrix [n][v] */
    size_t *first;                        /**< [J + 1] row (j, b) with b = 0 in t and u */
    double *third;                        /**< [s][J][a]: (ia|js), then sum_b C_sb u_ij^ab */
    double *t, *u;                        /**< [J][b][a] */
    double *partial;                      /**< [PIECES][o][length of o] */
    struct lane *lane;                    /**< [n_thread] */
    const struct hf_mp2_unit *now;        /**< current i */
};

static int spin_of(const struct amplitudes *self, int j)
{
    return hf_mp2_orbital(self->mp2, j).spin;
}

static size_t length_now(const struct amplitudes *self)
{
    return self->mp2->orbitals[self->now->spin].length;
}

/* ---- (ia|js) --------------------------------------------------------------------------------- */

/** Place of the row (r, s) of two shells in the rows of their pair; m, k: numbers of r and s in their shells. */
static size_t place_of(const struct amplitudes *self, int64_t pair, int r, int s, int m, int k)
{
    const struct hf_basis *basis = self->mp2->merged;
    const int n_r = basis->shell[r].n_function, n_s = basis->shell[s].n_function;
    return (size_t)(self->mp2->pairs->pair[pair].a == r ? m * n_s + k : k * n_r + m);
}

static int64_t find_pair(const struct amplitudes *self, int r, int s)
{
    return self->pair_of[(size_t)r * (size_t)self->mp2->merged->n_shell + (size_t)s];
}

/** Finds the rows over a of (ia|rs) for function k of a shell and all r that have integrals with it. */
static int find_rows(const struct amplitudes *self, int shell, int k, struct lane *own)
{
    const struct hf_basis *basis = self->mp2->merged;
    int n = 0;
    for (int r = 0; r < basis->n_shell; r++) {
        const int64_t pair = find_pair(self, r, shell);
        const double *from = pair >= 0 ? self->exchange.where[pair] : NULL;
        for (int m = 0; m < basis->shell[r].n_function && from != NULL; m++) {
            own->function[n] = basis->shell[r].first_function + m;
            own->row[n++] = from + place_of(self, pair, r, shell, m, k) * length_now(self);
        }
    }
    return n;
}

/** hf_thread_work: (ia|js) of all j for some shells S. */
static hf_status third_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_basis *basis = self->mp2->merged;
    const size_t length = length_now(self), n_joined = (size_t)self->n_joined;
    struct lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int shell = thread; shell < basis->n_shell; shell += n_thread)
        for (int k = 0; k < basis->shell[shell].n_function; k++) {
            const size_t s = (size_t)(basis->shell[shell].first_function + k);
            const int n_row = find_rows(self, shell, k, own);
            if (k == 0)
                hf_pack_rows(self->n_joined, n_row, own->function, self->joined,
                             self->joined_length, own->packed);
            self->mp2->multiply(&(struct hf_product){.n_row = self->n_joined,
                                                     .n_inner = n_row,
                                                     .n_column = length,
                                                     .left = own->packed,
                                                     .right = own->row,
                                                     .to = self->third + s * n_joined * length,
                                                     .to_step = length});
            own->n_flop += 2.0 * self->n_joined * n_row * (double)length;
        }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- Amplitudes ------------------------------------------------------------------------------ */

/** Divides (ia|jb) [b][a] in t by differences of orbital energies. */
static void divide(const struct amplitudes *self, int j, double *t)
{
    const struct hf_mp2_orbital of_j = hf_mp2_orbital(self->mp2, j);
    const struct hf_mp2_orbitals *one = &self->mp2->orbitals[self->now->spin],
                                 *other = &self->mp2->orbitals[of_j.spin];
    const double e_ij = one->occupied_energy[self->now->i] + other->occupied_energy[of_j.index];
    for (int b = 0; b < other->n_virtual; b++) {
        const double e_ijb = e_ij - other->virtual_energy[b];
        double *row = t + (size_t)b * one->length;
        for (int a = 0; a < one->n_virtual; a++) row[a] /= e_ijb - one->virtual_energy[a];
    }
}

/** u [b][a] from t; see mp2_derivatives.h. */
static void weigh(const struct amplitudes *self, int j, const double *t, double *u)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const struct hf_mp2_derivatives *factors = mp2->settings->derivatives;
    const struct hf_mp2_orbitals *one = &mp2->orbitals[self->now->spin];
    const bool alike = spin_of(self, j) == self->now->spin;
    const int n_row = mp2->orbitals[spin_of(self, j)].n_virtual;
    const double opposite = mp2->n_spin == 1 || !alike ? factors->opposite : 0.0;
    const double same = alike ? factors->same : 0.0;
    const size_t length = one->length;
    memset(u, 0, (size_t)n_row * length * sizeof *u);
    for (size_t b = 0; b < (size_t)n_row; b++)
        for (size_t a = 0; a < (size_t)one->n_virtual; a++) {
            u[b * length + a] = (opposite + same) * t[b * length + a];
            if (alike) u[b * length + a] -= same * t[a * length + b];
        }
}

/** The energy of the pair from its (ia|jb) [b][a], once for each pair. */
static void add_energy(const struct amplitudes *self, int j, const double *k_ba)
{
    const struct hf_mp2_orbital of_i = {self->now->spin, self->now->i},
                                of_j = hf_mp2_orbital(self->mp2, j);
    if (of_i.spin == of_j.spin && of_j.index <= of_i.index)
        hf_mp2_add_pair(self->mp2, of_i, of_j, k_ba); /* the same for [a][b] */
    if (of_i.spin < of_j.spin) hf_mp2_add_pair(self->mp2, of_j, of_i, k_ba);
}

/** hf_thread_work: t and u of some j, and sum_b C_sb u_ij^ab in the place of (ia|js). */
static hf_status fourth_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct amplitudes *self = data;
    struct hf_mp2 *mp2 = self->mp2;
    const int n = mp2->merged->n_function;
    const size_t length = length_now(self), step = (size_t)self->n_joined * length;
    struct lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int j = thread; j < self->n_joined; j += n_thread) {
        const struct hf_mp2_orbitals *other = &mp2->orbitals[spin_of(self, j)];
        double *t = self->t + self->first[j] * length, *u = self->u + self->first[j] * length;
        double *of_j = self->third + (size_t)j * length;
        for (size_t s = 0; s < (size_t)n; s++) own->row[s] = of_j + s * step;
        mp2->multiply(&(struct hf_product){.n_row = other->n_virtual,
                                           .n_inner = n,
                                           .n_column = length,
                                           .left = other->packed_virtuals,
                                           .right = own->row,
                                           .to = t,
                                           .to_step = length});
        add_energy(self, j, t);
        divide(self, j, t);
        weigh(self, j, t, u);
        for (int b = 0; b < other->n_virtual; b++) own->row[b] = u + (size_t)b * length;
        mp2->multiply(&(struct hf_product){.n_row = n,
                                           .n_inner = other->n_virtual,
                                           .n_column = length,
                                           .left = self->packed_virtuals[spin_of(self, j)],
                                           .right = own->row,
                                           .to = of_j,
                                           .to_step = step});
        own->n_flop += 4.0 * n * other->n_virtual * (double)length;
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- Densities ------------------------------------------------------------------------------- */

/** hf_thread_work: some rows of P_ab. */
static hf_status add_virtual(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    struct hf_mp2 *mp2 = self->mp2;
    const int spin = self->now->spin, n_virtual = mp2->orbitals[spin].n_virtual;
    const size_t length = length_now(self);
    struct lane *own = &self->lane[thread];
    double *sum = own->product, *product = own->product + ROWS * length;
    const double start = hf_thread_seconds();
    (void)error;
    for (int a = thread * ROWS; a < n_virtual; a += n_thread * ROWS) {
        const int n_row = a + ROWS < n_virtual ? ROWS : n_virtual - a;
        memset(sum, 0, ROWS * length * sizeof *sum);
        for (int j = 0; j < self->n_joined; j++) {
            const int n_c = mp2->orbitals[spin_of(self, j)].n_virtual;
            const double *t = self->t + self->first[j] * length;
            hf_pack(n_row, n_c, self->u + self->first[j] * length + a, 1, length, own->packed);
            for (int c = 0; c < n_c; c++) own->row[c] = t + (size_t)c * length;
            mp2->multiply(&(struct hf_product){.n_row = n_row,
                                               .n_inner = n_c,
                                               .n_column = length,
                                               .left = own->packed,
                                               .right = own->row,
                                               .to = product,
                                               .to_step = length});
            for (size_t k = 0; k < (size_t)n_row * length; k++) sum[k] += product[k];
            own->n_flop += 2.0 * n_row * n_c * (double)length;
        }
        hf_mp2_add_steps((size_t)n_row * length, 1.0, sum,
                         mp2->sums->of_virtual[spin] + (size_t)a * length);
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** Adds sum_a u_ij^ac t_ij'^ac of one c to the sum [j][j'] of orbitals j of a spin. `first`: of the spin in t and u. */
static void add_occupied_of(const struct amplitudes *self, int spin, size_t first, int c,
                            struct lane *own, double *sum)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const struct hf_mp2_orbitals *other = &mp2->orbitals[spin];
    const int n_j = other->n_occupied, n_a = mp2->orbitals[self->now->spin].n_virtual;
    const size_t length = length_now(self), step = (size_t)other->n_virtual * length;
    const size_t row = hf_padded(n_j), begin = (first + (size_t)c) * length;
    double *turned = own->product, *product = turned + (size_t)n_a * row;
    for (size_t a = 0; a < (size_t)n_a; a++) {
        for (size_t j = 0; j < row; j++)
            turned[a * row + j] = j < (size_t)n_j ? self->t[begin + j * step + a] : 0.0;
        own->row[a] = turned + a * row;
    }
    hf_pack(n_j, n_a, self->u + begin, step, 1, own->packed);
    mp2->multiply(&(struct hf_product){.n_row = n_j,
                                       .n_inner = n_a,
                                       .n_column = row,
                                       .left = own->packed,
                                       .right = own->row,
                                       .to = product,
                                       .to_step = row});
    for (size_t k = 0; k < (size_t)n_j * row; k++) sum[k] += product[k];
    own->n_flop += 2.0 * n_j * n_j * n_a;
}

/** hf_thread_work: some pieces of P_ij of all spins. */
static hf_status add_occupied(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const double start = hf_thread_seconds();
    (void)error;
    for (int piece = thread; piece < PIECES; piece += n_thread) {
        double *sum = self->partial + (size_t)piece * hf_padded(self->n_joined) *
                                          (hf_padded(self->n_joined) + HF_PRODUCT_STEP);
        size_t first = 0;
        for (int spin = 0; spin < mp2->n_spin; spin++) {
            const struct hf_mp2_orbitals *other = &mp2->orbitals[spin];
            const size_t n = (size_t)other->n_occupied * hf_padded(other->n_occupied);
            memset(sum, 0, n * sizeof *sum);
            for (int c = other->n_virtual * piece / PIECES;
                 c < other->n_virtual * (piece + 1) / PIECES; c++)
                add_occupied_of(self, spin, first, c, &self->lane[thread], sum);
            first += (size_t)other->n_occupied * (size_t)other->n_virtual;
            sum += n;
        }
    }
    self->lane[thread].seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** Adds the pieces in order. */
static void join_occupied(const struct amplitudes *self)
{
    const size_t piece = hf_padded(self->n_joined) * (hf_padded(self->n_joined) + HF_PRODUCT_STEP);
    double *sum = self->partial;
    for (size_t k = 1; k < PIECES; k++)
        for (size_t i = 0; i < piece; i++) sum[i] += self->partial[k * piece + i];
    for (int spin = 0; spin < self->mp2->n_spin; spin++) {
        const int o = self->mp2->orbitals[spin].n_occupied;
        hf_mp2_add_steps((size_t)o * hf_padded(o), -1.0, sum, self->mp2->sums->of_occupied[spin]);
        sum += (size_t)o * hf_padded(o);
    }
}

/* ---- T_ia(rs) -------------------------------------------------------------------------------- */

/** Rows sum_j C_rj u of one s and the functions r from `first` on; functions are in whole groups of packed rows. */
static const double *transform_back(const struct amplitudes *self, struct lane *own, int s,
                                    int first, int n_r)
{
    const size_t length = length_now(self);
    const double *of_s = self->third + (size_t)s * (size_t)self->n_joined * length;
    const int group = first / HF_PRODUCT_GROUP, skipped = first - group * HF_PRODUCT_GROUP;
    for (int j = 0; j < self->n_joined; j++) own->row[j] = of_s + (size_t)j * length;
    self->mp2->multiply(&(struct hf_product){
        .n_row = skipped + n_r,
        .n_inner = self->n_joined,
        .n_column = length,
        .left = self->packed_joined + (size_t)group * HF_PRODUCT_GROUP * (size_t)self->n_joined,
        .right = own->row,
        .to = own->product,
        .to_step = length});
    own->n_flop += 2.0 * self->n_joined * n_r * (double)length;
    return own->product + (size_t)skipped * length;
}

/** Writes the rows of shells R >= S, or adds those of R < S. */
static void spread(const struct amplitudes *self, struct lane *own, int shell, bool lower)
{
    const struct hf_basis *basis = self->mp2->merged;
    const size_t length = length_now(self);
    const int split = basis->shell[shell].first_function;
    const int first = lower ? 0 : split, end = lower ? split : basis->n_function;
    if (first == end) return;
    for (int k = 0; k < basis->shell[shell].n_function; k++) {
        const double *from =
            transform_back(self, own, basis->shell[shell].first_function + k, first, end - first);
        for (int r = lower ? 0 : shell; r < (lower ? shell : basis->n_shell); r++) {
            const int64_t pair = find_pair(self, r, shell);
            /* the rows are those of `block` or `received`, which belong to this rank */
            double *rows = pair >= 0 ? (double *)(uintptr_t)self->exchange.where[pair] : NULL;
            for (int m = 0; m < basis->shell[r].n_function && rows != NULL; m++) {
                double *to = rows + place_of(self, pair, r, shell, m, k) * length;
                const double *row =
                    from + (size_t)(basis->shell[r].first_function + m - first) * length;
                for (size_t a = 0; a < length; a++) to[a] = (lower ? to[a] : 0.0) + row[a];
            }
        }
    }
}

/** One thread's shells; see spread. */
static hf_status spread_shells(const struct amplitudes *self, int thread, int n_thread, bool lower)
{
    const double start = hf_thread_seconds();
    for (int shell = thread; shell < self->mp2->merged->n_shell; shell += n_thread)
        spread(self, &self->lane[thread], shell, lower);
    self->lane[thread].seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** hf_thread_work */
static hf_status write_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    (void)error;
    return spread_shells(data, thread, n_thread, false);
}

/** hf_thread_work */
static hf_status add_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    (void)error;
    return spread_shells(data, thread, n_thread, true);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static hf_status finish_unit(struct amplitudes *self, const struct hf_mp2_unit *unit,
                             struct hf_error *error)
{
    static hf_thread_work *const step[] = {third_quarter, fourth_quarter, add_virtual,
                                           add_occupied,  write_rows,     add_rows};
    self->now = unit;
    for (size_t k = 0; k < sizeof step / sizeof *step; k++)
        HF_CHECK(hf_threads_run(self->mp2->n_thread, step[k], self, error));
    join_occupied(self);
    return HF_OK;
}

/** Copies rows that came back to the blocks of this rank. */
static void store(const struct hf_mp2_exchange *exchange, const struct hf_mp2_unit *unit)
{
    const struct hf_mp2 *mp2 = exchange->mp2;
    const size_t length = mp2->orbitals[unit->spin].length;
    const double *from = exchange->sent;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++) {
        if (mp2->block[k] == NULL) continue;
        const size_t n = hf_mp2_n_row(mp2->pairs, k) * length;
        memcpy(mp2->block[k] + hf_mp2_place(mp2, unit->spin, unit->i, n / length), from,
               n * sizeof *from);
        from += n;
    }
}

/** Sends the rows of this rank's unit back to where they came from. Collective. */
static void send_back(struct hf_mp2_exchange *exchange, const struct hf_mp2_unit unit[])
{
    struct hf_mp2 *mp2 = exchange->mp2;
    const int rank = mp2->context->rank, n_rank = mp2->context->n_rank;
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const size_t out = unit[rank].i < 0 ? 0 : mp2->orbitals[unit[rank].spin].length;
        const size_t in = unit[from].i < 0 ? 0 : mp2->orbitals[unit[from].spin].length;
        const size_t n = exchange->n_row[to] * out, m = exchange->n_row[rank] * in;
        hf_mp2_pass_on(mp2->context, to, exchange->received + exchange->first_of_rank[to] * out, n,
                       from, exchange->sent, m);
        if (m > 0) store(exchange, &unit[from]);
        mp2->result->sent_bytes += (double)(n * sizeof *exchange->sent);
    }
}

/** The unit of a rank in a round; negative i: none. */
static struct hf_mp2_unit find_unit(const struct hf_mp2 *mp2, int number)
{
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const int begin = mp2->batch.begin[spin], n = mp2->batch.end[spin] - begin;
        if (number < n) return (struct hf_mp2_unit){.spin = spin, .i = begin + number};
        number -= n;
    }
    return (struct hf_mp2_unit){.i = -1};
}

/** One unit on each rank. Collective. */
static hf_status do_round(struct amplitudes *self, int first, struct hf_mp2_unit unit[],
                          struct hf_error *error)
{
    struct hf_context *context = self->mp2->context;
    struct hf_timers *timers = &context->timers;
    hf_status status = HF_OK;
    for (int r = 0; r < context->n_rank; r++) unit[r] = find_unit(self->mp2, first + r);
    hf_timer_start(timers, &hf_phase_mp2_exchange);
    hf_mp2_exchange_round(&self->exchange, unit);
    hf_timer_stop(timers, &hf_phase_mp2_exchange);
    hf_timer_start(timers, &hf_phase_mp2_amplitudes);
    if (unit[context->rank].i >= 0) status = finish_unit(self, &unit[context->rank], error);
    hf_timer_stop(timers, &hf_phase_mp2_amplitudes);
    hf_timer_start(timers, &hf_phase_mp2_wait);
    status = hf_agree_to_go_on(context, status, error);
    hf_timer_stop(timers, &hf_phase_mp2_wait);
    hf_timer_start(timers, &hf_phase_mp2_exchange);
    if (status == HF_OK) send_back(&self->exchange, unit);
    hf_timer_stop(timers, &hf_phase_mp2_exchange);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int most(int x, int y)
{
    return x > y ? x : y;
}

/** Most virtual orbitals of a spin. */
static int most_virtual(const struct hf_mp2 *mp2)
{
    return most(mp2->orbitals[0].n_virtual, mp2->orbitals[mp2->n_spin - 1].n_virtual);
}

static void make_lanes(struct amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const int n = mp2->merged->n_function, v = most_virtual(mp2), o = self->n_joined;
    const size_t length = hf_mp2_longest(mp2), row = hf_padded(o);
    /* rows of all functions; two of ROWS; transposed amplitudes and a block of P_ij */
    const size_t room =
        ((size_t)n + HF_PRODUCT_GROUP + 2 * ROWS) * length + ((size_t)v + (size_t)o) * row;
    HF_TAKE(&self->arena, self->lane, (size_t)mp2->n_thread);
    for (int t = 0; t < mp2->n_thread && self->lane != NULL; t++) {
        struct lane *lane = &self->lane[t];
        HF_TAKE(&self->arena, lane->packed, hf_packed_size(most(o, ROWS), most(n, v)));
        HF_TAKE(&self->arena, lane->product, room);
        HF_TAKE(&self->arena, lane->row, (size_t)most(n, most(o, v)));
        HF_TAKE(&self->arena, lane->function, (size_t)n);
    }
}

static void make_orbitals(struct amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const int n = mp2->merged->n_function;
    struct hf_arena *arena = &self->arena;
    self->joined_length = hf_padded(self->n_joined);
    self->joined = hf_mp2_join_orbitals(mp2, self->joined_length, arena);
    HF_TAKE(arena, self->packed_joined, hf_packed_size(n, self->n_joined));
    HF_TAKE(arena, self->first, (size_t)self->n_joined + 1);
    for (int spin = 0; spin < mp2->n_spin; spin++)
        HF_TAKE(arena, self->packed_virtuals[spin],
                hf_packed_size(n, mp2->orbitals[spin].n_virtual));
    if (arena->failed) return;
    hf_pack(n, self->n_joined, self->joined, self->joined_length, 1, self->packed_joined);
    for (int spin = 0; spin < mp2->n_spin; spin++)
        hf_pack(n, mp2->orbitals[spin].n_virtual, mp2->orbitals[spin].virtuals,
                mp2->orbitals[spin].length, 1, self->packed_virtuals[spin]);
    for (int j = 0; j < self->n_joined; j++)
        self->first[j + 1] = self->first[j] + (size_t)mp2->orbitals[spin_of(self, j)].n_virtual;
}

static void make_buffers(struct amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t n = (size_t)mp2->merged->n_function, longest = hf_mp2_longest(mp2);
    const size_t o = (size_t)self->n_joined, n_shell = (size_t)mp2->merged->n_shell;
    const size_t rows = o * (size_t)most_virtual(mp2);
    make_orbitals(self);
    make_lanes(self);
    HF_TAKE(&self->arena, self->third, n * o * longest);
    HF_TAKE(&self->arena, self->t, rows * longest);
    HF_TAKE(&self->arena, self->u, rows * longest);
    HF_TAKE(&self->arena, self->partial,
            PIECES * hf_padded((int)o) * (hf_padded((int)o) + HF_PRODUCT_STEP));
    HF_TAKE(&self->arena, self->pair_of, n_shell * n_shell);
    if (self->pair_of == NULL) return;
    for (size_t i = 0; i < n_shell * n_shell; i++) self->pair_of[i] = -1;
    for (int64_t k = 0; k < mp2->pairs->n_pair; k++) {
        const size_t a = (size_t)mp2->pairs->pair[k].a, b = (size_t)mp2->pairs->pair[k].b;
        self->pair_of[a * n_shell + b] = self->pair_of[b * n_shell + a] = k;
    }
}

hf_status hf_mp2_amplitudes(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = mp2->context;
    struct amplitudes self = {.mp2 = mp2,
                              .arena = hf_mp2_arena(mp2, "the amplitudes of MP2"),
                              .n_joined = hf_mp2_n_joined(mp2)};
    struct hf_mp2_unit *unit = HF_TAKE(&self.arena, unit, (size_t)context->n_rank);
    const int n_unit = hf_mp2_batch_end(mp2) - hf_mp2_batch_begin(mp2);
    make_buffers(&self);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&self.arena, error), error));
    HF_TRY(hf_mp2_exchange_init(&self.exchange, mp2, &self.arena, error));
    for (int first = 0; first < n_unit; first += context->n_rank) {
        HF_TRY(do_round(&self, first, unit, error));
        hf_interruption_set_fraction(context->interruption, (double)first / n_unit);
    }
    for (int t = 0; t < mp2->n_thread; t++) {
        mp2->result->n_flop[1] += self.lane[t].n_flop;
        mp2->result->cpu_seconds[1] += self.lane[t].seconds;
    }
cleanup:
    hf_interruption_set_fraction(context->interruption, 0.0);
    hf_arena_done(&self.arena);
    return status;
}
