/* Derivatives of quartets with respect to their centres, contracted with a density. Part of kernels.c.
 *
 * The density of functions is first transformed to the levels of the vertical recurrence (to_levels.h): E = sum
 * G_ef [e|f] over primitives. At fixed P, [e|f] depends on A and B through PA = -beta/zeta AB and the
 * exponential factor. At fixed PA, it depends on P through Q - P alone. The recurrence gives
 *
 *     d/dPA_x [e|f]^m = e_x [e-1x|f]^m
 *     d/dP_x  [e|f]^0 = 2 zeta WP_x [e|f]^1 - rho/zeta e_x [e-1x|f]^1 + rho/eta f_x [e|f-1x]^1
 *
 * So derivatives need no higher levels, only the same levels with m = 0 and 1. For each primitive quartet these
 * are summed with the density (struct level_sums):
 *
 *     E^m = sum G_ef [e|f]^m     l^m_x = sum G_ef e_x [e-1x|f]^m     k^m_x = sum G_ef f_x [e|f-1x]^m
 *     p_x = 2 zeta WP_x E^1 - rho/zeta l^1_x + rho/eta k^1_x                                 (d/dA + d/dB)
 *     dE/dA_x = alpha/zeta p_x - beta/zeta (l^0_x + 2 alpha AB_x E^0) + h_x
 *     dE/dC_x = -gamma/eta p_x - delta/eta (k^0_x + 2 gamma CD_x E^0) + h'_x
 *
 * Translational invariance gives the derivatives by B and D. h and h' are the derivatives of the horizontal
 * recurrence by AB and CD, computed once for a quartet from its contracted levels.
 *
 * For many ranges of levels there is straight-line code for one order of bra and ket only
 * (make_recurrences.py). Otherwise bra and ket are exchanged (`exchanged`), and arrays [e][f] below are [f][e],
 * also densities.
 *
 * Additions and multiplications of a primitive quartet (make_recurrences.py counts them), and other methods:
 *
 *                                                  (ss|ss)  (ps|ss)  (pp|pp)  (dp|dp)
 *     integrals alone                                   0        9      610     2829
 *     sums with m = 0 and 1                             4       42     2272     9519
 *     the recurrence backwards (adjoint)                4       37     1940     8693    with all values kept for it
 *     levels one higher on each side                   32      125     4087    14964
 */
#ifndef HF_GRADIENT_H
#define HF_GRADIENT_H

#include "boys/boys_lanes.h"
#include "contraction.h"
#include "expansion.h"
#include "gradient_density.h"
#include "gradient_levels.h"
#include "lane_quartet.h"
#include "recurrence.h"
#include "to_levels.h"

/** Sums over primitives of derivatives with respect to A, to A and B together, and to C. */
struct centre_sums {
    lanes of_a[3], of_bra[3], of_c[3];
};

/* ---- Levels of one vector of primitive quartets ---------------------------------------------- */

/** [e|f]^m of component c of e with all of f. */
static inline const lanes *level_row(const struct recurrence_work *work, int e, int f, int m, int c)
{
    return work->level[e][f] + (m * hf_n_cartesian(e) + c) * hf_n_cartesian(f);
}

static inline lanes dot(int n, const lanes *x, const lanes *y)
{
    lanes sum = broadcast(0);
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/** Adds component c of e with all components of f, weighted with their density. */
static inline void add_row(const struct recurrence_work *work, int e, int f, int c,
                           const lanes *density, struct level_sums *sums)
{
    const struct hf_cartesian *row = &work->cartesian->component[e][c];
    const struct hf_cartesian *column = work->cartesian->component[f];
    const int n = hf_n_cartesian(f);
    for (int m = 0; m < 2; m++) {
        sums->energy[m] += dot(n, density, level_row(work, e, f, m, c));
        for (int d = 0; d < 3; d++)
            if (row->power[d] > 0)
                sums->bra[m][d] += (real)row->power[d] *
                                   dot(n, density, level_row(work, e - 1, f, m, row->lower[d]));
        const lanes *below = f > 0 ? level_row(work, e, f - 1, m, c) : NULL;
        for (int k = 0; k < n; k++)
            for (int d = 0; d < 3; d++)
                if (column[k].power[d] > 0)
                    sums->ket[m][d] +=
                        (real)column[k].power[d] * (density[k] * below[column[k].lower[d]]);
    }
}

/** Computes the levels in loops, sums the wanted ones with their density [e][f], and writes them to `to`. */
static __attribute__((noinline)) void gradient_in_loops(const struct recurrence_work *work,
                                                        int e_low, int e_max, int f_low, int f_max,
                                                        const struct lane_quartet *q,
                                                        const lanes *density,
                                                        struct level_sums *sums, lanes *to)
{
    memset(sums, 0, sizeof *sums);
    recur(work, e_max, f_max, 1, q);
    for (int e = e_low; e <= e_max; e++)
        for (int c = 0; c < hf_n_cartesian(e); c++)
            for (int f = f_low; f <= f_max; f++) {
                const int n = hf_n_cartesian(f);
                const lanes *from = level_row(work, e, f, 0, c);
                add_row(work, e, f, c, density, sums);
                for (int k = 0; k < n; k++) to[k] = from[k];
                density += n;
                to += n;
            }
}

/* ---- Densities ------------------------------------------------------------------------------- */

/** Densities of a quartet; see make_densities. */
struct gradient_densities {
    lanes *levels; /**< [parts of bra][parts of ket][e][f], as contracted levels */
    lanes *moved_bra[3],
        *moved_ket[3]; /**< the same without the highest e, or f; see to_levels.h */
    lanes *half;       /**< contracted over the ket: [parts of bra][e][all f of the class] */
    lanes *primitive;  /**< contracted over both: [all e][all f] */
};

/** Levels of a part without the highest. */
static inline int n_lower_level(const struct hf_pair_part *part)
{
    return hf_n_levels(part->l_a, part->l_a + part->l_b - 1);
}

/** Transforms the ket's functions to levels, for all function pairs of the bra: [ab][f of all parts], and
 *  `moved` [x][ab][f]. */
static inline void levels_of_ket(const struct hf_quartet *quartet, const lanes shift[3],
                                 const lanes *density, int n_level, int n_lower, lanes *levels,
                                 lanes *moved)
{
    const struct hf_pair_class *ket = quartet->ket_class;
    const size_t n_ab = (size_t)quartet->bra_class->n_function;
    for (int k = 0; k < ket->n_part; k++) {
        const struct hf_pair_part *part = &ket->part[k];
        struct level_columns columns = {.quartet = quartet,
                                        .part = part,
                                        .n = (int)n_ab,
                                        .in = density + part->first_a * ket->n_b + part->first_b,
                                        .in_a = (size_t)ket->n_b,
                                        .in_b = 1,
                                        .in_column = (size_t)ket->n_function,
                                        .out = levels,
                                        .out_row = 1,
                                        .out_column = (size_t)n_level,
                                        .moved_row = 1,
                                        .moved_column = (size_t)n_lower};
        for (int x = 0; x < 3; x++) columns.moved[x] = moved + (size_t)x * n_ab * (size_t)n_lower;
        find_levels(part)(&columns, shift);
        levels += hf_part_n_level(part);
        moved += n_lower_level(part);
    }
}

/** Transforms the functions of a part of the bra, with n numbers of the ket each, to levels. */
static inline void levels_of_bra(const struct hf_quartet *quartet, const struct hf_pair_part *part,
                                 bool exchanged, const lanes shift[3], const lanes *in, int n,
                                 int stride, lanes *out, lanes *const moved[3])
{
    const size_t n_b = (size_t)quartet->bra_class->n_b, row = exchanged ? 1 : (size_t)n;
    struct level_columns columns = {
        .quartet = quartet,
        .part = part,
        .n = n,
        .in = in + ((size_t)part->first_a * n_b + (size_t)part->first_b) * (size_t)stride,
        .in_a = n_b * (size_t)stride,
        .in_b = (size_t)stride,
        .in_column = 1,
        .out = out,
        .out_row = row,
        .out_column = exchanged ? (size_t)hf_part_n_level(part) : 1,
        .moved_row = row,
        .moved_column = exchanged ? (size_t)n_lower_level(part) : 1};
    for (int x = 0; x < 3 && moved != NULL; x++) columns.moved[x] = moved[x];
    find_levels(part)(&columns, shift);
}

/** Numbers of all levels, and of all but the highest, of the parts of a class. */
static inline void count_levels(const struct hf_pair_class *kind, int *n_level, int *n_lower)
{
    *n_level = *n_lower = 0;
    for (int k = 0; k < kind->n_part; k++) {
        *n_level += hf_part_n_level(&kind->part[k]);
        *n_lower += n_lower_level(&kind->part[k]);
    }
}

/** Makes the densities of levels from the density of functions [ab][cd]; the memory behind it is scratch. */
static __attribute__((noinline)) void make_densities(const struct hf_quartet *quartet,
                                                     bool exchanged, const lanes shift[2][3],
                                                     lanes *functions,
                                                     const struct gradient_densities *densities)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    struct gradient_densities to = *densities;
    int n_level, n_lower;
    count_levels(ket, &n_level, &n_lower);
    lanes *levels = functions + bra->n_function * ket->n_function;
    lanes *moved = levels + bra->n_function * n_level;
    levels_of_ket(quartet, shift[1], functions, n_level, n_lower, levels, moved);
    for (int b = 0; b < bra->n_part; b++) {
        const struct hf_pair_part *part = &bra->part[b];
        int first = 0, first_lower = 0;
        for (int k = 0; k < ket->n_part; k++) {
            const int n = hf_part_n_level(&ket->part[k]), n_l = n_lower_level(&ket->part[k]);
            levels_of_bra(quartet, part, exchanged, shift[0], levels + first, n, n_level, to.levels,
                          to.moved_bra);
            for (int x = 0; x < 3; x++) {
                levels_of_bra(quartet, part, exchanged, shift[0],
                              moved + x * bra->n_function * n_lower + first_lower, n_l, n_lower,
                              to.moved_ket[x], NULL);
                to.moved_bra[x] += n_lower_level(part) * n;
                to.moved_ket[x] += hf_part_n_level(part) * n_l;
            }
            to.levels += hf_part_n_level(part) * n;
            first += n;
            first_lower += n_l;
        }
    }
}

/* ---- Primitives ------------------------------------------------------------------------------ */

/** State of the loop over primitives. */
struct gradient_work {
    const struct hf_quartet *quartet;
    const struct hf_gradient_input *input;
    gradient_function *straight; /**< straight-line code for these levels; NULL: loops */
    bool exchanged;              /**< bra and ket are exchanged for it */
    struct recurrence_work recurrence;
    bool moves;                     /**< there are h or h' */
    struct contraction contraction; /**< of the levels with m = 0, for h and h' */
    struct gradient_densities densities;
    const lanes *half; /**< density for the current primitive of the ket */
    lanes shift[2][3]; /**< A - B, C - D */
    lanes delta;       /**< exponents of the second shells of the kets */
    struct centre_sums sums;
};

/** Adds the derivatives of primitive i of the bra with a vector of the ket. */
static inline __attribute__((always_inline)) void
add_primitives(struct gradient_work *self, bool exchanged, int i, const lanes ket[],
               const struct lane_quartet *q, const struct level_sums *of)
{
    const struct hf_quartet *quartet = self->quartet;
    const double zeta = hf_pair_row(quartet->bra, HF_ROW_ZETA)[i];
    const double beta = self->input->bra_exponent[i], share_b = beta / zeta;
    const lanes share_d = self->delta * (2.0 * ket[HF_ROW_ONE_OVER_TWO_ZETA]);
    const lanes energy_bra = 2.0 * (zeta - beta) * of->energy[0];
    const lanes energy_ket = 2.0 * (ket[HF_ROW_ZETA] - self->delta) * of->energy[0];
    const lanes(*of_bra)[3] = exchanged ? of->ket : of->bra;
    const lanes(*of_ket)[3] = exchanged ? of->bra : of->ket;
    const lanes over_zeta = exchanged ? q->rho_over_eta : q->rho_over_zeta;
    const lanes over_eta = exchanged ? q->rho_over_zeta : q->rho_over_eta;
    struct centre_sums *sums = &self->sums;
    for (int x = 0; x < 3; x++) {
        const lanes wp = exchanged ? wq_of(q, x) : wp_of(q, x);
        const lanes moves_pair =
            2.0 * zeta * wp * of->energy[1] - over_zeta * of_bra[1][x] + over_eta * of_ket[1][x];
        sums->of_bra[x] += moves_pair;
        sums->of_a[x] += (1.0 - share_b) * moves_pair -
                         share_b * (of_bra[0][x] + self->shift[0][x] * energy_bra);
        sums->of_c[x] -= (1.0 - share_d) * moves_pair +
                         share_d * (of_ket[0][x] + self->shift[1][x] * energy_ket);
    }
}

/** Sets up primitives first .. first+n-1 of the bra with a vector of the ket for the recurrences. */
static __attribute__((noinline)) void set_up_gradient(const struct hf_quartet *quartet, int first,
                                                      int n, const lanes ket[HF_N_SINGLE_ROW],
                                                      struct lane_quartet quartet_of[])
{
    struct boys_argument boys[HF_MOST_CHUNK];
    set_up_some(quartet, first, n, true, true, ket, quartet_of, boys);
    boys_of_quartets(tables_of(quartet),
                     quartet->bra_class->l_high + quartet->ket_class->l_high + 1, n, boys,
                     quartet_of);
}

/** Exchanges bra and ket in n vectors of primitive quartets. */
static __attribute__((noinline)) void exchange_sides(int n, struct lane_quartet quartet_of[])
{
    for (struct lane_quartet *q = quartet_of; q < quartet_of + n; q++) {
        const lanes rho_over_zeta = q->rho_over_zeta;
        for (int x = 0; x < 3; x++) q->qp[x] = -q->qp[x];
        q->rho_over_zeta = q->rho_over_eta;
        q->rho_over_eta = rho_over_zeta;
    }
}

/** Straight-line code for one vector. */
static inline __attribute__((always_inline)) void
gradient_straight(const struct gradient_work *self, bool exchanged, const struct lane_quartet *q,
                  const lanes ket[4], const lanes *density, struct level_sums *sums, lanes *to)
{
    lanes bra[4];
    if (self->quartet->bra_class->l_high > 0) {
        for (int x = 0; x < 3; x++) bra[x] = pa_of(q, x);
        bra[3] = one_over_two_zeta_of(q);
    }
    self->straight(exchanged ? ket : bra, exchanged ? bra : ket, q, density, sums, to);
}

/** Computes primitives 0 .. n-1 of the bra with a vector of the ket. */
static inline __attribute__((always_inline)) void
gradient_over_bra(struct gradient_work *self, bool exchanged, int n,
                  const lanes row[HF_N_SINGLE_ROW])
{
    const struct hf_quartet *quartet = self->quartet;
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    struct contraction *contraction = &self->contraction;
    struct lane_quartet lane[HF_MOST_CHUNK];
    const lanes of_ket[4] = {row[HF_ROW_PA_X], row[HF_ROW_PA_Y], row[HF_ROW_PA_Z],
                             row[HF_ROW_ONE_OVER_TWO_ZETA]};
    struct level_sums sums;
    const int most = contraction->plan->n_chunk;
    const lanes *density = self->half;
    for (int i = 0; i < (n < most ? n : most); i++) set_up_ket(row, &lane[i]);
    for (int first = 0; first < n; first += most) {
        const int n_here = n - first < most ? n - first : most;
        lanes *to = place_of_first(contraction);
        set_up_gradient(quartet, first, n_here, row, lane);
        if (exchanged) exchange_sides(n_here, lane);
        for (int i = 0; i < n_here; i++, to = contraction->chunk + i * contraction->plan->n_level) {
            if (bra->n_part > 1) {
                weigh_bra(contraction->plan, exchanged, self->half, quartet->bra, first + i,
                          self->densities.primitive);
                density = self->densities.primitive;
            }
            if (self->straight != NULL)
                gradient_straight(self, exchanged, &lane[i], of_ket, density, &sums, to);
            else
                gradient_in_loops(&self->recurrence, bra->l_low, bra->l_high, ket->l_low,
                                  ket->l_high, &lane[i], density, &sums, to);
            add_primitives(self, exchanged, first + i, row, &lane[i], &sums);
        }
        if (self->moves) end_chunk(contraction, exchanged, quartet->bra, first, n_here);
    }
}

/** Exponents of the second shells of the kets' primitives. */
static inline lanes second_exponents(const struct hf_gradient_input *input,
                                     const struct ket_cursor *cursor)
{
    lanes exponent;
    for (int l = 0; l < HF_WIDTH; l++) {
        const stored_primitive *primitive = (const void *)(intptr_t)cursor->primitive[l];
        exponent[l] = input->ket_exponent[l][primitive->j];
    }
    return exponent;
}

/** Loops over the primitives of HF_WIDTH quartets; returns their number in a lane. */
static __attribute__((noinline)) int gradient_over_primitives(struct gradient_work *self)
{
    const struct hf_quartet *quartet = self->quartet;
    const struct hf_pair_group *ket = self->input->ket;
    struct ket_cursor cursor;
    int n = quartet->bra->n_primitive, n_done = 0;
    start_kets(quartet->pairs, ket, &cursor);
    for (int j = 0; j < ket->most_primitive; j++) {
        lanes row[HF_N_SINGLE_ROW];
        expand_lanes(ket, &cursor, j, row);
        n = n_that_matter(quartet, n, row[HF_ROW_BOUND]);
        if (n == 0) break;
        n_done += n;
        self->delta = second_exponents(self->input, &cursor);
        lanes *coefficient = begin_ket_primitive(&self->contraction);
        if (coefficient != NULL) {
            expand_coefficients(ket, &cursor, quartet->plan->n_ket, coefficient);
            weigh_ket(quartet->plan, self->exchanged, self->densities.levels, coefficient,
                      self->densities.half);
        }
        advance_kets(quartet->pairs, ket, j, &cursor);
        if (self->exchanged)
            gradient_over_bra(self, true, n, row);
        else
            gradient_over_bra(self, false, n, row);
        if (self->moves) end_ket_primitive(&self->contraction, self->exchanged);
    }
    if (self->moves) end_contraction(&self->contraction, self->exchanged);
    return n_done;
}

/** Scalar product of adjacent rows of n numbers with the first n numbers of each row of levels. */
static inline lanes dot_of_rows(int n_row, int n, const lanes *x, const lanes *level, int step)
{
    lanes sum = broadcast(0);
    if (n == step) return dot(n_row * n, x, level);
    for (int row = 0; row < n_row; row++) sum += dot(n, x + row * n, level + row * step);
    return sum;
}

/** Adds h and h', from contracted levels. */
static __attribute__((noinline)) void add_moved(struct gradient_work *self)
{
    const struct hf_pair_class *bra = self->quartet->bra_class, *ket = self->quartet->ket_class;
    struct gradient_densities *from = &self->densities;
    const lanes *level = self->contraction.sum;
    for (int b = 0; b < bra->n_part; b++) {
        const int n_e = hf_part_n_level(&bra->part[b]), n_e_low = n_lower_level(&bra->part[b]);
        for (int k = 0; k < ket->n_part; k++) {
            const int n_f = hf_part_n_level(&ket->part[k]), n_f_low = n_lower_level(&ket->part[k]);
            for (int x = 0; x < 3; x++) {
                lanes *of_bra = from->moved_bra[x], *of_ket = from->moved_ket[x];
                if (self->exchanged) {
                    self->sums.of_a[x] += dot_of_rows(n_f, n_e_low, of_bra, level, n_e);
                    self->sums.of_c[x] += dot_of_rows(n_f_low, n_e, of_ket, level, n_e);
                } else {
                    self->sums.of_a[x] += dot_of_rows(n_e_low, n_f, of_bra, level, n_f);
                    self->sums.of_c[x] += dot_of_rows(n_e, n_f_low, of_ket, level, n_f);
                }
                from->moved_bra[x] += n_e_low * n_f;
                from->moved_ket[x] += n_e * n_f_low;
            }
            level += n_e * n_f;
        }
    }
}

/* ---- Quartets -------------------------------------------------------------------------------- */

/** Divides the scratch; returns the unused rest. */
static inline lanes *lay_out_densities(const struct hf_quartet *quartet, lanes *scratch,
                                       struct gradient_densities *densities)
{
    const struct hf_contraction_plan *plan = quartet->plan;
    const int n_half = plan->n_ket > 1 ? plan->n_half : 0;
    densities->levels = scratch;
    scratch += plan->n_sum;
    for (int x = 0; x < 3; x++, scratch += 2 * plan->n_sum) {
        densities->moved_bra[x] = scratch;
        densities->moved_ket[x] = scratch + plan->n_sum;
    }
    densities->half = scratch;
    densities->primitive = scratch + n_half;
    return densities->primitive + plan->n_level;
}

/** See struct hf_kernels. */
static int gradient(const struct hf_quartet *quartet, const struct hf_gradient_input *input,
                    void *scratch, double *out)
{
    const struct hf_pair_class *bra = quartet->bra_class, *ket = quartet->ket_class;
    struct gradient_work self = {.quartet = quartet, .input = input};
    lanes *next = lay_out_densities(quartet, scratch, &self.densities);
    lanes *const functions = next, *to = (lanes *)(void *)out;
    for (int x = 0; x < 3; x++) {
        self.shift[0][x] = broadcast(quartet->bra->ab[x]);
        self.shift[1][x] = load(input->ket->shift.plain + (size_t)x * HF_WIDTH);
    }
    self.straight = find_gradient(bra->l_low, bra->l_high, ket->l_low, ket->l_high);
    if (self.straight == NULL) {
        self.straight = find_gradient(ket->l_low, ket->l_high, bra->l_low, bra->l_high);
        self.exchanged = self.straight != NULL;
    }
    fill_density(quartet, input, functions + bra->n_function * ket->n_function, functions);
    make_densities(quartet, self.exchanged, (const lanes(*)[3])self.shift, functions,
                   &self.densities);
    self.half = self.densities.levels;
    if (ket->n_part > 1) self.half = self.densities.half;
    next = start_contraction(&self.contraction, quartet->plan, next);
    self.recurrence.cartesian = quartet->cartesian;
    self.recurrence.e_low = bra->l_low > 0 ? bra->l_low - 1 : 0;
    self.recurrence.f_low = ket->l_low > 0 ? ket->l_low - 1 : 0;
    self.moves = bra->l_low < bra->l_high || ket->l_low < ket->l_high;
    if (self.straight == NULL) lay_out(&self.recurrence, bra->l_high, ket->l_high, 1, next);
    const int n_done = gradient_over_primitives(&self);
    if (self.moves) add_moved(&self);
    for (int x = 0; x < 3; x++) {
        to[x] = self.sums.of_a[x];
        to[3 + x] = self.sums.of_bra[x] - self.sums.of_a[x];
        to[6 + x] = self.sums.of_c[x];
        to[9 + x] = -(self.sums.of_bra[x] + self.sums.of_c[x]);
    }
    return n_done;
}

#endif
