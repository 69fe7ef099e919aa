/* Steps of a block of amplitudes; see mp2_block.h. */
#include "mp2_block.h"

#include "hf/timer.h"

#include <math.h>

static const struct hf_mp2_orbitals *one(const struct hf_mp2_amplitudes *self)
{
    return &self->mp2->orbitals[self->now->spin];
}

/** The orbitals j of a spin that a thread computes. */
struct some_j {
    int spin, begin, end;
    size_t step, column; /**< of rows [j][a]; first column in rows over all J */
};

static struct some_j find_j(const struct hf_mp2_amplitudes *self, int spin, int thread,
                            int n_thread)
{
    const int n = self->mp2->orbitals[spin].n_occupied, begin = n * thread / n_thread;
    const size_t width = hf_mp2_width(self->now);
    return (struct some_j){spin, begin, n * (thread + 1) / n_thread, (size_t)n * width,
                           (size_t)(self->first[spin] + begin) * width};
}

/** A product whose columns are [j][a] of the block; its right rows are `step` apart. */
static void multiply(const struct hf_mp2_amplitudes *self, struct hf_mp2_lane *own,
                     struct hf_product product, const double *right, size_t step)
{
    for (int k = 0; k < product.n_inner; k++) own->row[k] = right + (size_t)k * step;
    product.right = own->row;
    self->mp2->multiply(&product);
    own->n_flop += 2.0 * product.n_row * product.n_inner * (double)product.n_column *
                   (double)hf_mp2_columns_used(self, self->now) / (double)hf_mp2_width(self->now);
}

/* ---- From (ia|rs) to t ----------------------------------------------------------------------- */

/** hf_thread_work: (ia|js) of all j for some shells S. */
hf_status hf_mp2_block_third(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_mp2_amplitudes *self = data;
    (void)error;
    hf_mp2_third_quarter(&(struct hf_mp2_third){.exchange = &self->exchange,
                                                .unit = hf_mp2_own_exchanged(self),
                                                .begin = self->now->begin,
                                                .end = self->now->end,
                                                .n_j = self->n_joined,
                                                .orbitals = self->joined,
                                                .step = self->joined_length,
                                                .packed = self->packed_orbitals,
                                                .to = hf_mp2_third_of(self, self->now)},
                         thread, n_thread, &self->lane[thread]);
    return HF_OK;
}

/** e_i + e_j - e_b; less e_a it is the denominator. */
static double energy_of(const struct hf_mp2_amplitudes *self, int spin, int j, int b)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    return one(self)->occupied_energy[self->now->i] + other->occupied_energy[j] -
           other->virtual_energy[b];
}

/** Divides (ia|jb) of some j by differences of orbital energies. */
static void divide(const struct hf_mp2_amplitudes *self, struct some_j j, double *t)
{
    const double *e_a = one(self)->virtual_energy + self->now->begin;
    const size_t n_a = hf_mp2_columns_used(self, self->now), width = hf_mp2_width(self->now);
    for (int b = 0; b < self->mp2->orbitals[j.spin].n_virtual; b++)
        for (int k = j.begin; k < j.end; k++) {
            const double e_ijb = energy_of(self, j.spin, k, b);
            double *row = t + (size_t)b * j.step + (size_t)k * width;
            for (size_t a = 0; a < n_a; a++) row[a] /= e_ijb - e_a[a];
        }
}

/** hf_thread_work: t of some j. */
hf_status hf_mp2_block_fourth(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_mp2_amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = hf_mp2_width(self->now);
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct some_j j = find_j(self, spin, thread, n_thread);
        double *t = hf_mp2_t_of(self, self->now, spin);
        multiply(self, own,
                 (struct hf_product){.n_row = mp2->orbitals[spin].n_virtual,
                                     .n_inner = mp2->merged->n_function,
                                     .n_column = (size_t)(j.end - j.begin) * width,
                                     .left = mp2->orbitals[spin].packed_virtuals,
                                     .to = t + (size_t)j.begin * width,
                                     .to_step = j.step},
                 hf_mp2_third_of(self, self->now) + j.column, (size_t)self->n_joined * width);
        divide(self, j, t);
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- u --------------------------------------------------------------------------------------- */

/** t_ij^ba of a block of columns b and the first row a of this rank's current block. */
static const double *find_swapped(const struct hf_mp2_amplitudes *self,
                                  const struct hf_mp2_unit *block)
{
    const struct hf_mp2_unit *part = hf_mp2_own_part(self);
    const size_t step = (size_t)one(self)->n_occupied * hf_mp2_width(block);
    if (block->begin >= part->begin && block->end <= part->end)
        return hf_mp2_t_of(self, block, block->spin) + self->now->begin * step;
    return self->swapped +
           block->begin * hf_mp2_columns_used(self, part) * (size_t)one(self)->n_occupied +
           (self->now->begin - part->begin) * step;
}

/** Factors of t_ij^ab and t_ij^ba in u; see mp2_derivatives.h. */
struct factors {
    double direct, swapped;
};

static struct factors find_factors(const struct hf_mp2_amplitudes *self, int spin)
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
static struct energies weigh_alike(const struct hf_mp2_amplitudes *self, int j,
                                   const struct hf_mp2_unit *columns)
{
    const struct factors factor = find_factors(self, self->now->spin);
    const size_t n_a = hf_mp2_columns_used(self, self->now),
                 n_b = hf_mp2_columns_used(self, columns);
    const size_t width = hf_mp2_width(self->now), o = (size_t)one(self)->n_occupied;
    const size_t skipped = hf_mp2_n_before(self, self->now->spin) * width,
                 step = o * hf_mp2_width(columns);
    const double *t = hf_mp2_t_of(self, self->now, self->now->spin),
                 *e_a = one(self)->virtual_energy;
    const double *swapped = find_swapped(self, columns) + (size_t)j * hf_mp2_width(columns);
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
static struct energies weigh_other(const struct hf_mp2_amplitudes *self, int spin, int j)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const double factor = find_factors(self, spin).direct, *e_a = one(self)->virtual_energy;
    const size_t n_a = hf_mp2_columns_used(self, self->now), width = hf_mp2_width(self->now);
    const double *t = hf_mp2_t_of(self, self->now, spin);
    double *u = self->u + hf_mp2_n_before(self, spin) * width;
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
static void add_energy(const struct hf_mp2_amplitudes *self, int spin, int j, struct energies sum)
{
    const struct hf_mp2_orbital of_i = {self->now->spin, self->now->i}, of_j = {spin, j};
    const double opposite = on_grid(sum.opposite), same = on_grid(sum.same);
    if (spin == of_i.spin && j <= of_i.index)
        hf_mp2_add_energy(self->mp2, of_i, of_j, opposite, same);
    if (of_i.spin < spin) hf_mp2_add_energy(self->mp2, of_j, of_i, opposite, same);
}

/** Turned t and (ia|js) of one j. */
static void turn(const struct hf_mp2_amplitudes *self, int spin, int j)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const size_t width = hf_mp2_width(self->now), length = hf_mp2_turned_length(self, spin);
    const double *third =
        hf_mp2_third_of(self, self->now) + (size_t)(self->first[spin] + j) * width;
    double *to = self->turned + (size_t)j * width * length;
    for (int s = 0; s < spin; s++)
        to += (size_t)self->mp2->orbitals[s].n_occupied * width * hf_mp2_turned_length(self, s);
    hf_transpose((size_t)other->n_virtual, width,
                 hf_mp2_t_of(self, self->now, spin) + (size_t)j * width,
                 (size_t)other->n_occupied * width, to, length);
    hf_transpose((size_t)self->mp2->merged->n_function, width, third,
                 (size_t)self->n_joined * width, to + other->length, length);
}

/** hf_thread_work: u of some j, turned t, energies, and sum_b C_sb u_ij^ab instead of (ia|js). */
hf_status hf_mp2_block_weigh(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_mp2_amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = hf_mp2_width(self->now), length = one(self)->length;
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct some_j j = find_j(self, spin, thread, n_thread);
        for (int k = j.begin; k < j.end; k++) {
            struct energies sum = {0.0, 0.0};
            for (size_t b = 0; spin == self->now->spin && b < length;) {
                const struct hf_mp2_unit columns = hf_mp2_find_block(self, spin, b);
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
                                     .to = self->back + j.column,
                                     .to_step = (size_t)self->n_joined * width},
                 self->u + hf_mp2_n_before(self, spin) * width + (size_t)j.begin * width, j.step);
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/* ---- Densities ------------------------------------------------------------------------------- */

/** hf_thread_work: some rows of P_bb' and Y_sb of each spin, from u_ij^ab, t_ij^ab' and (ia|js) of the block's a. */
hf_status hf_mp2_block_add_virtual(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_mp2_amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t width = hf_mp2_width(self->now);
    const double *turned = self->turned, *u = self->u;
    struct hf_mp2_lane *own = &self->lane[thread];
    const double start = hf_thread_seconds();
    (void)error;
    for (int spin = 0; spin < mp2->n_spin; spin++) {
        const struct hf_mp2_orbitals *other = &mp2->orbitals[spin];
        const struct hf_mp2_derivatives *sums = mp2->settings->derivatives;
        const size_t n_inner = (size_t)other->n_occupied * width,
                     length = hf_mp2_turned_length(self, spin), n = (size_t)mp2->merged->n_function;
        for (int b = thread * HF_MP2_ROWS; b < other->n_virtual; b += n_thread * HF_MP2_ROWS) {
            const int n_row =
                b + HF_MP2_ROWS < other->n_virtual ? HF_MP2_ROWS : other->n_virtual - b;
            hf_pack(n_row, (int)n_inner, u + (size_t)b * n_inner, n_inner, 1, own->packed);
            multiply(self, own,
                     (struct hf_product){.n_row = n_row,
                                         .n_inner = (int)n_inner,
                                         .n_column = length,
                                         .left = own->packed,
                                         .to = own->product,
                                         .to_step = length},
                     turned, length);
            for (int k = 0; k < n_row; k++) {
                const double *row = own->product + (size_t)k * length;
                hf_mp2_add_steps((size_t)other->n_virtual, 1.0, row,
                                 sums->of_virtual[spin] + (size_t)(b + k) * other->length);
                hf_mp2_add_steps(n, 1.0, row + other->length,
                                 sums->steps[spin] + (size_t)(other->n_occupied + b + k) * n);
            }
        }
        turned += n_inner * length;
        u += n_inner * (size_t)other->n_virtual;
    }
    own->seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** to [j][j'] = sum_ab u_ij^ab t_ij'^ab of a spin, of the block's a and the b of a piece. */
static void add_occupied_of(const struct hf_mp2_amplitudes *self, int spin, int piece,
                            struct hf_mp2_lane *own, double *to)
{
    const struct hf_mp2_orbitals *other = &self->mp2->orbitals[spin];
    const size_t width = hf_mp2_width(self->now), o = (size_t)other->n_occupied, step = o * width;
    const size_t row = hf_padded(other->n_occupied), group = HF_PRODUCT_GROUP;
    const int begin = other->n_virtual * piece / HF_MP2_PIECES,
              n_b = other->n_virtual * (piece + 1) / HF_MP2_PIECES - begin;
    const size_t n_inner = (size_t)n_b * width;
    const double *u = self->u + hf_mp2_n_before(self, spin) * width,
                 *t = hf_mp2_t_of(self, self->now, spin);
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

/** hf_thread_work: some pieces of P_ij of all spins. */
hf_status hf_mp2_block_add_occupied(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_mp2_amplitudes *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const double start = hf_thread_seconds();
    (void)error;
    for (int piece = thread; piece < HF_MP2_PIECES; piece += n_thread) {
        double *sum = self->partial + (size_t)piece * hf_mp2_piece_size(self);
        for (int spin = 0; spin < mp2->n_spin; spin++) {
            const int o = mp2->orbitals[spin].n_occupied;
            add_occupied_of(self, spin, piece, &self->lane[thread], sum);
            sum += (size_t)o * hf_padded(o);
        }
    }
    self->lane[thread].seconds += hf_thread_seconds() - start;
    return HF_OK;
}

void hf_mp2_block_join(const struct hf_mp2_amplitudes *self)
{
    const size_t piece = hf_mp2_piece_size(self);
    double *sum = self->partial;
    for (size_t k = 1; k < HF_MP2_PIECES; k++)
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
static const double *transform_back(const struct hf_mp2_amplitudes *self, struct hf_mp2_lane *own,
                                    int s, int first, int n_r)
{
    const size_t width = hf_mp2_width(self->now);
    const int group = first / HF_PRODUCT_GROUP, skipped = first - group * HF_PRODUCT_GROUP;
    multiply(self, own,
             (struct hf_product){.n_row = skipped + n_r,
                                 .n_inner = self->n_joined,
                                 .n_column = width,
                                 .left = self->packed_joined +
                                         (size_t)group * HF_PRODUCT_GROUP * (size_t)self->n_joined,
                                 .to = own->product,
                                 .to_step = width},
             self->back + (size_t)s * (size_t)self->n_joined * width, width);
    return own->product + (size_t)skipped * width;
}

/** Writes the rows of shells R >= S, or adds those of R < S. */
static void spread(const struct hf_mp2_amplitudes *self, struct hf_mp2_lane *own, int shell,
                   bool lower)
{
    const struct hf_basis *basis = self->mp2->merged;
    const size_t width = hf_mp2_width(self->now);
    const int split = basis->shell[shell].first_function;
    const int first = lower ? 0 : split, end = lower ? split : basis->n_function;
    if (first == end) return;
    for (int k = 0; k < basis->shell[shell].n_function; k++) {
        const double *row = transform_back(self, own, split + k, first, end - first);
        for (int r = lower ? 0 : shell; r < (lower ? shell : basis->n_shell); r++) {
            size_t step = 0;
            double *to = hf_mp2_exchange_rows(&self->exchange, hf_mp2_own_exchanged(self), r, shell,
                                              k, &step);
            if (to != NULL) to += self->now->begin - hf_mp2_own_exchanged(self)->begin;
            for (int m = 0; m < basis->shell[r].n_function; m++, row += width) {
                if (to == NULL) continue;
                for (size_t a = 0; a < width; a++) to[a] = (lower ? to[a] : 0.0) + row[a];
                to += step;
            }
        }
    }
}

/** One thread's shells; see spread. */
static hf_status spread_shells(const struct hf_mp2_amplitudes *self, int thread, int n_thread,
                               bool lower)
{
    const double start = hf_thread_seconds();
    for (int shell = thread; shell < self->mp2->merged->n_shell; shell += n_thread)
        spread(self, &self->lane[thread], shell, lower);
    self->lane[thread].seconds += hf_thread_seconds() - start;
    return HF_OK;
}

/** hf_thread_work */
hf_status hf_mp2_block_write_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    (void)error;
    return spread_shells(data, thread, n_thread, false);
}

/** hf_thread_work */
hf_status hf_mp2_block_add_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    (void)error;
    return spread_shells(data, thread, n_thread, true);
}
