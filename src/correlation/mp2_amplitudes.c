/* The second step of the derivatives of MP2: amplitudes of an orbital i with all j, their densities, and T_ia(rs).
 *
 *     round         one orbital i on each rank; if fewer are left than ranks, several ranks share each of them
 *     each block    (ia|rs) is received -> (ia|js) -> (ia|jb) -> t, which is kept
 *     swap          ranks that share i send each other the t_ij^ba of their columns
 *     each block    u -> P; sum_b C_sb u -> T_ia(rs), which is sent back
 *
 * A block has some of the virtual orbitals a of i (hf_mp2_block_width). Sums over a are rounded to steps block by block,
 * so the bits do not depend on who has a block. */
#include "mp2_response.h"

#include "base/threads.h"
#include "hf/interruption.h"
#include "hf/timer.h"

#include <math.h>

const struct hf_phase hf_phase_mp2_amplitudes = {.name = "MP2: amplitudes"};

/** Rows of P_ab that a thread computes at a time; pieces of the sum for P_ij, whose number fixes its bits. */
enum { ROWS = 2 * HF_PRODUCT_GROUP, PIECES = 16 };

/** This step on one rank. Amplitudes of a block: [b][j][a] of each spin of j, a: columns of the block. */
struct amplitudes {
    struct hf_mp2 *mp2;    /**< borrowed */
    struct hf_arena arena; /**< owns all arrays, also those of the exchange */
    struct hf_mp2_exchange exchange;
    int n_joined,
        first[HF_MAX_SPIN + 1]; /**< occupied orbitals of both spins, and before each spin */
    size_t joined_length;
    double *joined;                       /**< [n][joined_length] C_rj */
    double *packed_joined;                /**< the same, packed as left matrix [n][J] */
    double *packed_orbitals;              /**< the same, packed as left matrix [J][n] */
    double *packed_virtuals[HF_MAX_SPIN]; /**< C_sb, packed as left matrix [n][v] */
    double *third; /**< [s][J][a]: (ia|js), then sum_b C_sb u_ij^ab, of a block */
    double *t;     /**< block after block of this rank's columns */
    double *
        swapped; /**< from other ranks, block after block of theirs: [b][j][a], b: columns of this rank */
    double *u;                /**< of a block */
    double *turned;           /**< t of a block, [j][a][b] of each spin */
    double *partial;          /**< [PIECES][o][length of o] of each spin */
    struct hf_mp2_lane *lane; /**< [n_thread] */
    int n_together;           /**< blocks that are exchanged together */
    /** [n_rank] columns of the ranks in this round; those that are exchanged now */
    struct hf_mp2_unit *part, *exchanged;
    struct hf_mp2_unit block;      /**< of this rank */
    const struct hf_mp2_unit *now; /**< the same */
};

static int most(int x, int y)
{
    return x > y ? x : y;
}

static size_t width_of(const struct hf_mp2_unit *unit)
{
    return unit->end - unit->begin;
}

static const struct hf_mp2_orbitals *one(const struct amplitudes *self)
{
    return &self->mp2->orbitals[self->now->spin];
}

/** This rank's part in the round. */
static const struct hf_mp2_unit *own_part(const struct amplitudes *self)
{
    return &self->part[self->mp2->context->rank];
}

static const struct hf_mp2_unit *own_exchanged(const struct amplitudes *self)
{
    return &self->exchanged[self->mp2->context->rank];
}

/** Number of virtual orbitals of i among the columns of a unit. */
static size_t n_virtual_of(const struct amplitudes *self, const struct hf_mp2_unit *unit)
{
    const size_t n = (size_t)self->mp2->orbitals[unit->spin].n_virtual;
    return (unit->end < n ? unit->end : n) - unit->begin;
}

/** Number of pairs jb of the spins before `spin`. */
static size_t n_before(const struct amplitudes *self, int spin)
{
    size_t n = 0;
    for (int s = 0; s < spin; s++)
        n += (size_t)self->mp2->orbitals[s].n_occupied * (size_t)self->mp2->orbitals[s].n_virtual;
    return n;
}

/** t of a block of this rank. */
static double *t_of(const struct amplitudes *self, const struct hf_mp2_unit *block, int spin)
{
    return self->t + (block->begin - own_part(self)->begin) * n_before(self, self->mp2->n_spin) +
           n_before(self, spin) * width_of(block);
}

/** The orbitals j of a spin that a thread computes. */
struct some_j {
    int spin, begin, end;
    size_t step, column; /**< of rows [j][a]; first column in rows over all J */
};

static struct some_j find_j(const struct amplitudes *self, int spin, int thread, int n_thread)
{
    const int n = self->mp2->orbitals[spin].n_occupied, begin = n * thread / n_thread;
    const size_t width = width_of(self->now);
    return (struct some_j){spin, begin, n * (thread + 1) / n_thread, (size_t)n * width,
                           (size_t)(self->first[spin] + begin) * width};
}

/** A product whose columns are [j][a] of the block; its right rows are `step` apart. */
static void multiply(const struct amplitudes *self, struct hf_mp2_lane *own,
                     struct hf_product product, const double *right, size_t step)
{
    for (int k = 0; k < product.n_inner; k++) own->row[k] = right + (size_t)k * step;
    product.right = own->row;
    self->mp2->multiply(&product);
    own->n_flop += 2.0 * product.n_row * product.n_inner * (double)product.n_column *
                   (double)n_virtual_of(self, self->now) / (double)width_of(self->now);
}

/* ---- From (ia|rs) to t ----------------------------------------------------------------------- */

/** hf_thread_work: (ia|js) of all j for some shells S. */
static hf_status third_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    (void)error;
    hf_mp2_third_quarter(&(struct hf_mp2_third){.exchange = &self->exchange,
                                                .unit = own_exchanged(self),
                                                .begin = self->now->begin,
                                                .end = self->now->end,
                                                .n_j = self->n_joined,
                                                .orbitals = self->joined,
                                                .step = self->joined_length,
                                                .packed = self->packed_orbitals,
                                                .to = self->third},
                         thread, n_thread, &self->lane[thread]);
    return HF_OK;
}

/** e_i + e_j - e_b; less e_a it is the denominator. */
static double energy_of(const struct amplitudes *self, int spin, int j, int b)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    return one(self)->occupied_energy[self->now->i] + other->occupied_energy[j] -
           other->virtual_energy[b];
}

/** Divides (ia|jb) of some j by differences of orbital energies. */
static void divide(const struct amplitudes *self, struct some_j j, double *t)
{
    const double *e_a = one(self)->virtual_energy + self->now->begin;
    const size_t n_a = n_virtual_of(self, self->now), width = width_of(self->now);
    for (int b = 0; b < self->mp2->orbitals[j.spin].n_virtual; b++)
        for (int k = j.begin; k < j.end; k++) {
            const double e_ijb = energy_of(self, j.spin, k, b);
            double *row = t + (size_t)b * j.step + (size_t)k * width;
            for (size_t a = 0; a < n_a; a++) row[a] /= e_ijb - e_a[a];
        }
}

/** hf_thread_work: t of some j. */
static hf_status fourth_quarter(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = width_of(self->now);
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct some_j j = find_j(self, spin, thread, n_thread);
        double *t = t_of(self, self->now, spin);
        multiply(self, own,
                 (struct hf_product){.n_row = mp2->orbitals[spin].n_virtual,
                                     .n_inner = mp2->merged->n_function,
                                     .n_column = (size_t)(j.end - j.begin) * width,
                                     .left = mp2->orbitals[spin].packed_virtuals,
                                     .to = t + (size_t)j.begin * width,
                                     .to_step = j.step},
                 self->third + j.column, (size_t)self->n_joined * width);
        divide(self, j, t);
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- u --------------------------------------------------------------------------------------- */

/** Number of rows b of the spin of i, among the columns of this rank, and their numbers in a row of a block. */
static size_t n_swapped(const struct amplitudes *self, const struct hf_mp2_unit *block,
                        const struct hf_mp2_unit *part)
{
    return n_virtual_of(self, part) * (size_t)self->mp2->orbitals[block->spin].n_occupied *
           width_of(block);
}

/** t_ij^ba of a block of columns b and the first row a of this rank's current block. */
static const double *find_swapped(const struct amplitudes *self, const struct hf_mp2_unit *block)
{
    const struct hf_mp2_unit *part = own_part(self);
    const size_t step = (size_t)one(self)->n_occupied * width_of(block);
    if (block->begin >= part->begin && block->end <= part->end)
        return t_of(self, block, block->spin) + self->now->begin * step;
    return self->swapped + block->begin * n_virtual_of(self, part) * (size_t)one(self)->n_occupied +
           (self->now->begin - part->begin) * step;
}

/** Factors of t_ij^ab and t_ij^ba in u; see mp2_derivatives.h. */
struct factors {
    double direct, swapped;
};

static struct factors find_factors(const struct amplitudes *self, int spin)
{
    const struct hf_mp2_derivatives *factors = self->mp2->settings->derivatives;
    const bool alike = spin == self->now->spin;
    const double opposite = self->mp2->n_spin == 1 || !alike ? factors->opposite : 0.0;
    const double same = alike ? factors->same : 0.0;
    return (struct factors){opposite + same, -same};
}

/** Sums of the energy of a pair, over the block. */
struct energies {
    double opposite, same;
};

/** u of one j and the columns b of `columns`, with i and j of the same spin. */
static struct energies weigh_alike(const struct amplitudes *self, int j,
                                   const struct hf_mp2_unit *columns)
{
    const struct factors factor = find_factors(self, self->now->spin);
    const size_t n_a = n_virtual_of(self, self->now), n_b = n_virtual_of(self, columns);
    const size_t width = width_of(self->now), o = (size_t)one(self)->n_occupied;
    const size_t skipped = n_before(self, self->now->spin) * width, step = o * width_of(columns);
    const double *t = t_of(self, self->now, self->now->spin), *e_a = one(self)->virtual_energy;
    const double *swapped = find_swapped(self, columns) + (size_t)j * width_of(columns);
    struct energies sum = {0.0, 0.0};
    for (size_t b = 0; b < n_b; b++) {
        const size_t row = ((columns->begin + b) * o + (size_t)j) * width;
        const double e_ijb = energy_of(self, self->now->spin, j, (int)(columns->begin + b));
        double *u = self->u + skipped + row;
        for (size_t a = 0; a < n_a; a++) {
            const double x = t[row + a], y = swapped[a * step + b];
            const double k = x * (e_ijb - e_a[self->now->begin + a]);
            u[a] = factor.direct * x + factor.swapped * y;
            sum.opposite += k * x;
            sum.same += k * y;
        }
        for (size_t a = n_a; a < width; a++) u[a] = 0.0;
    }
    return sum;
}

/** u of one j of the other spin. */
static struct energies weigh_other(const struct amplitudes *self, int spin, int j)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const double factor = find_factors(self, spin).direct, *e_a = one(self)->virtual_energy;
    const size_t n_a = n_virtual_of(self, self->now), width = width_of(self->now);
    const double *t = t_of(self, self->now, spin);
    double *u = self->u + n_before(self, spin) * width;
    struct energies sum = {0.0, 0.0};
    for (int b = 0; b < other->n_virtual; b++) {
        const size_t row = ((size_t)b * (size_t)other->n_occupied + (size_t)j) * width;
        const double e_ijb = energy_of(self, spin, j, b);
        for (size_t a = 0; a < n_a; a++) {
            const double x = t[row + a];
            sum.opposite += x * x * (e_ijb - e_a[self->now->begin + a]);
            u[row + a] = factor * x;
        }
        for (size_t a = n_a; a < width; a++) u[row + a] = 0.0;
    }
    return sum;
}

/** A multiple of 2^-50 hartree: sums of such energies are exact, so the order of additions does not matter. */
static double on_grid(double energy)
{
    return rint(energy * 0x1p50) * 0x1p-50;
}

/** Adds the block's share of the energy of a pair, which is computed twice if i and j differ. */
static void add_energy(const struct amplitudes *self, int spin, int j, struct energies sum)
{
    const struct hf_mp2_orbital of_i = {self->now->spin, self->now->i}, of_j = {spin, j};
    const double opposite = on_grid(sum.opposite), same = on_grid(sum.same);
    if (spin == of_i.spin && j <= of_i.index)
        hf_mp2_add_energy(self->mp2, of_i, of_j, opposite, same);
    if (of_i.spin < spin) hf_mp2_add_energy(self->mp2, of_j, of_i, opposite, same);
}

/** Block of columns that begins with the column `begin`. */
static struct hf_mp2_unit find_block(const struct amplitudes *self, int spin, size_t begin)
{
    const struct hf_mp2_orbitals *orbitals = &self->mp2->orbitals[spin];
    const size_t width = hf_mp2_block_width(orbitals->n_virtual);
    struct hf_mp2_unit block = {.spin = spin, .begin = begin, .end = begin + width};
    if (block.end > orbitals->length) block.end = orbitals->length;
    return block;
}

/** Turned t of one j. */
static void turn(const struct amplitudes *self, int spin, int j)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const size_t width = width_of(self->now), length = other->length;
    const size_t step = (size_t)other->n_occupied * width;
    const double *from = t_of(self, self->now, spin) + (size_t)j * width;
    double *to = self->turned + (size_t)j * width * length;
    for (int s = 0; s < spin; s++)
        to += (size_t)self->mp2->orbitals[s].n_occupied * width * self->mp2->orbitals[s].length;
    for (size_t b = 0; b < (size_t)other->n_virtual; b++)
        for (size_t a = 0; a < width; a++) to[a * length + b] = from[b * step + a];
}

/** hf_thread_work: u of some j, turned t, energies, and sum_b C_sb u_ij^ab in the place of (ia|js). */
static hf_status weigh(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = width_of(self->now), length = one(self)->length;
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct some_j j = find_j(self, spin, thread, n_thread);
        for (int k = j.begin; k < j.end; k++) {
            struct energies sum = {0.0, 0.0};
            for (size_t b = 0; spin == self->now->spin && b < length;) {
                const struct hf_mp2_unit columns = find_block(self, spin, b);
                const struct energies some = weigh_alike(self, k, &columns);
                sum = (struct energies){sum.opposite + some.opposite, sum.same + some.same};
                b = columns.end;
            }
            if (spin != self->now->spin) sum = weigh_other(self, spin, k);
            add_energy(self, spin, k, sum);
            turn(self, spin, k);
        }
        multiply(self, own,
                 (struct hf_product){.n_row = mp2->merged->n_function,
                                     .n_inner = mp2->orbitals[spin].n_virtual,
                                     .n_column = (size_t)(j.end - j.begin) * width,
                                     .left = self->packed_virtuals[spin],
                                     .to = self->third + j.column,
                                     .to_step = (size_t)self->n_joined * width},
                 self->u + n_before(self, spin) * width + (size_t)j.begin * width, j.step);
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- Densities ------------------------------------------------------------------------------- */

/** hf_thread_work: some rows of P_bb' of each spin, from u_ij^ab and t_ij^ab' of the block's a. */
static hf_status add_virtual(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = width_of(self->now);
    const double *turned = self->turned, *u = self->u;
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *other = &mp2->orbitals[spin];
        const size_t n_inner = (size_t)other->n_occupied * width, length = other->length;
        for (int b = thread * ROWS; b < other->n_virtual; b += n_thread * ROWS) {
            const int n_row = b + ROWS < other->n_virtual ? ROWS : other->n_virtual - b;
            hf_pack(n_row, (int)n_inner, u + (size_t)b * n_inner, n_inner, 1, own->packed);
            multiply(self, own,
                     (struct hf_product){.n_row = n_row,
                                         .n_inner = (int)n_inner,
                                         .n_column = length,
                                         .left = own->packed,
                                         .to = own->product,
                                         .to_step = length},
                     turned, length);
            hf_mp2_add_steps((size_t)n_row * length, 1.0, own->product,
                             mp2->settings->derivatives->of_virtual[spin] + (size_t)b * length);
        }
        turned += n_inner * length;
        u += n_inner * (size_t)other->n_virtual;
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** to [j][j'] = sum_ab u_ij^ab t_ij'^ab of a spin, of the block's a and the b of a piece. */
static void add_occupied_of(const struct amplitudes *self, int spin, int piece,
                            struct hf_mp2_lane *own, double *to)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const size_t width = width_of(self->now), o = (size_t)other->n_occupied, step = o * width;
    const size_t row = hf_padded(other->n_occupied), group = HF_PRODUCT_GROUP;
    const int begin = other->n_virtual * piece / PIECES,
              n_b = other->n_virtual * (piece + 1) / PIECES - begin;
    const size_t n_inner = (size_t)n_b * width;
    const double *u = self->u + n_before(self, spin) * width, *t = t_of(self, self->now, spin);
    for (size_t b = 0; b < (size_t)n_b; b++) {
        const double *from = t + ((size_t)begin + b) * step;
        for (size_t a = 0; a < width; a++)
            for (size_t j = 0; j < row; j++)
                own->product[(b * width + a) * row + j] = j < o ? from[j * width + a] : 0.0;
        for (size_t j = 0; j < o; j += group)
            hf_pack((int)(j + group < o ? group : o - j), (int)width,
                    u + ((size_t)begin + b) * step + j * width, width, 1,
                    own->packed + j * n_inner + b * width * group);
    }
    multiply(self, own,
             (struct hf_product){.n_row = other->n_occupied,
                                 .n_inner = (int)n_inner,
                                 .n_column = row,
                                 .left = own->packed,
                                 .to = to,
                                 .to_step = row},
             own->product, row);
}

/** Numbers of one piece of the sums for P_ij. */
static size_t piece_size(const struct amplitudes *self)
{
    size_t n = 0;
    for (int spin = 0; spin < self->mp2->n_spin; spin++) {
        const int o = self->mp2->orbitals[spin].n_occupied;
        n += (size_t)o * hf_padded(o);
    }
    return n;
}

/** hf_thread_work: some pieces of P_ij of all spins. */
static hf_status add_occupied(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const double start = hf_thread_seconds();
    (void)error;
    for (int piece = thread; piece < PIECES; piece += n_thread) {
        double *sum = self->partial + (size_t)piece * piece_size(self);
        for (int spin = 0; spin < mp2->n_spin; spin++) {
            const int o = mp2->orbitals[spin].n_occupied;
            add_occupied_of(self, spin, piece, &self->lane[thread], sum);
            sum += (size_t)o * hf_padded(o);
        }
    }
    self->lane[thread].seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** Adds the pieces in order. */
static void join_occupied(const struct amplitudes *self)
{
    const size_t piece = piece_size(self);
    double *sum = self->partial;
    for (size_t k = 1; k < PIECES; k++)
        for (size_t i = 0; i < piece; i++) sum[i] += self->partial[k * piece + i];
    for (int spin = 0; spin < self->mp2->n_spin; spin++) {
        const int o = self->mp2->orbitals[spin].n_occupied;
        hf_mp2_add_steps((size_t)o * hf_padded(o), -1.0, sum,
                         self->mp2->settings->derivatives->of_occupied[spin]);
        sum += (size_t)o * hf_padded(o);
    }
}

/* ---- T_ia(rs) -------------------------------------------------------------------------------- */

/** Rows sum_j C_rj u of one s and the functions r from `first` on; functions are in whole groups of packed rows. */
static const double *transform_back(const struct amplitudes *self, struct hf_mp2_lane *own, int s,
                                    int first, int n_r)
{
    const size_t width = width_of(self->now);
    const int group = first / HF_PRODUCT_GROUP, skipped = first - group * HF_PRODUCT_GROUP;
    multiply(self, own,
             (struct hf_product){.n_row = skipped + n_r,
                                 .n_inner = self->n_joined,
                                 .n_column = width,
                                 .left = self->packed_joined +
                                         (size_t)group * HF_PRODUCT_GROUP * (size_t)self->n_joined,
                                 .to = own->product,
                                 .to_step = width},
             self->third + (size_t)s * (size_t)self->n_joined * width, width);
    return own->product + (size_t)skipped * width;
}

/** Writes the rows of shells R >= S, or adds those of R < S. */
static void spread(const struct amplitudes *self, struct hf_mp2_lane *own, int shell, bool lower)
{
    const struct hf_basis *basis = self->mp2->merged;
    const size_t width = width_of(self->now);
    const int split = basis->shell[shell].first_function;
    const int first = lower ? 0 : split, end = lower ? split : basis->n_function;
    if (first == end) return;
    for (int k = 0; k < basis->shell[shell].n_function; k++) {
        const double *row = transform_back(self, own, split + k, first, end - first);
        for (int r = lower ? 0 : shell; r < (lower ? shell : basis->n_shell); r++) {
            size_t step = 0;
            double *to =
                hf_mp2_exchange_rows(&self->exchange, own_exchanged(self), r, shell, k, &step);
            if (to != NULL) to += self->now->begin - own_exchanged(self)->begin;
            for (int m = 0; m < basis->shell[r].n_function; m++, row += width) {
                if (to == NULL) continue;
                for (size_t a = 0; a < width; a++) to[a] = (lower ? to[a] : 0.0) + row[a];
                to += step;
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

/** Does steps for this rank's current block. Local. */
static hf_status do_steps(struct amplitudes *self, int n, hf_thread_work *const step[],
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
static void make_parts(const struct amplitudes *self, int first, int n)
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
static bool find_exchanged(const struct amplitudes *self, int k)
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
static void swap(struct amplitudes *self)
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
            const struct hf_mp2_unit sent = find_block(self, mine->spin, out),
                                     received = find_block(self, source->spin, in);
            const size_t n = sends && out < mine->end ? n_swapped(self, &sent, other) : 0;
            const size_t m = receives && in < source->end ? n_swapped(self, &received, mine) : 0;
            const double *rows = n > 0 ? t_of(self, &sent, mine->spin) +
                                             other->begin * (n / n_virtual_of(self, other))
                                       : NULL;
            double *place = m > 0 ? self->swapped + in * (m / width_of(&received)) : NULL;
            hf_mp2_pass_on(context, to, rows, n, from, place, m);
            self->mp2->result->sent_bytes += (double)(n * sizeof *rows);
            out = sent.end;
            in = received.end;
        }
    }
}

/** Runs steps on each block of the columns that this rank has now. Local. */
static hf_status do_blocks(struct amplitudes *self, int n_step, hf_thread_work *const step[],
                           bool back, struct hf_error *error)
{
    const struct hf_mp2_unit *some = own_exchanged(self);
    for (size_t begin = some->begin; some->i >= 0 && begin < some->end; begin = self->block.end) {
        self->block = find_block(self, some->spin, begin);
        self->block.i = some->i;
        HF_CHECK(do_steps(self, n_step, step, error));
        if (back) join_occupied(self);
    }
    return HF_OK;
}

/** Runs steps on the columns of all ranks; they receive (ia|rs), or send T_ia(rs). Collective. */
static hf_status do_parts(struct amplitudes *self, int n_step, hf_thread_work *const step[],
                          bool back, hf_status status, struct hf_error *error)
{
    struct hf_timers *timers = &self->mp2->context->timers;
    for (int k = 0; find_exchanged(self, k); k++) {
        hf_timer_start(timers, &hf_phase_mp2_exchange);
        if (!back) hf_mp2_exchange_round(&self->exchange, self->exchanged);
        hf_timer_stop(timers, &hf_phase_mp2_exchange);
        hf_timer_start(timers, &hf_phase_mp2_amplitudes);
        if (back && own_exchanged(self)->i >= 0)
            hf_mp2_exchange_point(&self->exchange, own_exchanged(self));
        if (status == HF_OK) status = do_blocks(self, n_step, step, back, error);
        hf_timer_stop(timers, &hf_phase_mp2_amplitudes);
        hf_timer_start(timers, &hf_phase_mp2_exchange);
        if (back) hf_mp2_exchange_return(&self->exchange, self->exchanged);
        hf_timer_stop(timers, &hf_phase_mp2_exchange);
    }
    return status;
}

/** n orbitals from number `first` on. Collective. */
static hf_status do_round(struct amplitudes *self, int first, int n, struct hf_error *error)
{
    static hf_thread_work *const forward[] = {third_quarter, fourth_quarter}, *const back[] = {
                                                                                  weigh,
                                                                                  add_virtual,
                                                                                  add_occupied,
                                                                                  write_rows,
                                                                                  add_rows};
    struct hf_context *context = self->mp2->context;
    struct hf_timers *timers = &context->timers;
    make_parts(self, first, n);
    const struct hf_mp2_unit *part = own_part(self);
    self->swapped = self->t + width_of(part) * n_before(self, self->mp2->n_spin);
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

static void make_orbitals(struct amplitudes *self)
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

static struct sizes find_sizes(const struct amplitudes *self)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const int v = most_virtual(mp2);
    return (struct sizes){hf_mp2_block_width(v), (size_t)v, hf_padded(v),
                          n_before(self, mp2->n_spin)};
}

static void make_buffers(struct amplitudes *self, int n_unit)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const struct sizes size = find_sizes(self);
    const size_t n = (size_t)mp2->merged->n_function, o = (size_t)self->n_joined,
                 row = hf_padded((int)o);
    const size_t of_piece = (size.n_virtual / PIECES + 1) * size.width;
    struct hf_arena *arena = &self->arena;
    HF_TAKE(arena, self->part, (size_t)mp2->context->n_rank);
    HF_TAKE(arena, self->exchanged, (size_t)mp2->context->n_rank);
    HF_TAKE(arena, self->third, n * o * size.width);
    size_t room = 0;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const size_t of_spin = hf_mp2_amplitude_room(size.rows, o, mp2->orbitals[spin].n_virtual,
                                                     mp2->context->n_rank, n_unit);
        if (of_spin > room) room = of_spin;
    }
    HF_TAKE(arena, self->t, room);
    HF_TAKE(arena, self->u, size.rows * size.width);
    HF_TAKE(arena, self->turned, o * size.width * size.length);
    HF_TAKE(arena, self->partial, PIECES * piece_size(self));
    /* orbitals of the third quarter; rows of u; u and t of a piece */
    size_t n_packed = hf_packed_size((int)o, (int)(n > of_piece ? n : of_piece));
    if (n_packed < ROWS * o * size.width) n_packed = ROWS * o * size.width;
    /* rows of all functions; of P_ab; t of a piece */
    const size_t n_product =
        (n + HF_PRODUCT_GROUP) * size.width + ROWS * size.length + of_piece * row;
    const size_t n_row = (n > size.n_virtual ? n : size.n_virtual) + o * size.width + of_piece;
    self->lane = hf_mp2_make_lanes(mp2, n_packed, n_product, n_row, arena);
}

hf_status hf_mp2_amplitudes(struct hf_mp2 *mp2, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = mp2->context;
    struct amplitudes self = {.mp2 = mp2,
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
    for (int first = 0; first < n_unit; first += context->n_rank) {
        const int left = n_unit - first;
        HF_TRY(do_round(&self, first, left < context->n_rank ? left : context->n_rank, error));
        hf_interruption_set_fraction(context->interruption, (double)first / n_unit);
    }
    hf_mp2_add_lanes(mp2, self.lane);
cleanup:
    hf_interruption_set_fraction(context->interruption, 0.0);
    hf_arena_done(&self.arena);
    return status;
}
