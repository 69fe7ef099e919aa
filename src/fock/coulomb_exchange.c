/* J and K as a consumer of quartet work; see coulomb_exchange.h. */
#include "coulomb_exchange.h"

#include "base/arithmetic.h"
#include "base/simd.h"
#include "integrals/engine.h"

#include <math.h>
#include <stdlib.h>

/** What quartets contribute to. */
enum {
    WANTED_COULOMB = 1,
    WANTED_EXCHANGE = 2, /**< of the group HF_WITH_COULOMB */
    WANTED_EXCHANGE_ALONE = 4,
};

/** The flag of exchange for each kind of density. */
static const uint8_t wanted_of_kind[HF_N_BOUND] = {
    [HF_WITH_COULOMB] = WANTED_EXCHANGE, [HF_EXCHANGE_ALONE] = WANTED_EXCHANGE_ALONE};

hf_digest_strip_function *hf_digest_choose(bool exact)
{
    static hf_digest_strip_function *const any[] = {
        HF_KERNELS_BUILT(hf_digest_strip_portable, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    static hf_digest_strip_function *const of_exact[] = {HF_KERNELS_BUILT(
        hf_digest_strip_portable_exact, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    return exact ? HF_BEST_KERNELS(of_exact) : HF_BEST_KERNELS(any);
}

hf_status hf_coulomb_exchange_init(struct hf_coulomb_exchange *self,
                                   const struct hf_fock_builder *builder,
                                   const struct hf_build *build,
                                   const struct hf_sums_target *target, struct hf_error *error)
{
    const struct hf_basis *basis = builder->pairs->basis;
    *self = (struct hf_coulomb_exchange){.arena = {.label = "the digestion of quartets"},
                                         .pairs = builder->pairs,
                                         .threshold = build->threshold,
                                         .list_threshold = build->threshold,
                                         .single = build->single,
                                         .digest = hf_digest_choose(builder->exact != NULL)};
    if (builder->exact != NULL) {
        /* Atoms and lists are screened in several ways, single quartets in one way. The margin makes sure
         * that the former leave out no quartet that the latter keeps. */
        const double beyond_rounding = 1.0 + 1e-9;
        self->threshold *= beyond_rounding;
        self->origin = hf_exact_sums_origin(builder->exact);
    }
    self->place = hf_shell_places(basis);
    HF_TAKE(&self->arena, self->shell_of_function, (size_t)basis->n_function);
    HF_TAKE(&self->arena, self->job, (size_t)build->jobs.n + 1);
    for (int i = 0; i < 2 * HF_N_BOUND; i++)
        HF_TAKE(&self->arena, self->met.exchange[i / HF_N_BOUND][i % HF_N_BOUND],
                (size_t)hf_most_shells_of_atom(basis));
    HF_CHECK(hf_arena_check(&self->arena, error));
    if (self->place == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the places of shells");
    for (int i = 0; i < basis->n_shell; i++)
        for (int k = 0; k < basis->shell[i].n_function; k++)
            self->shell_of_function[basis->shell[i].first_function + k] = self->place[i].index;
    return hf_local_sums_create(builder->context, basis, &build->jobs, target, &self->sums, error);
}

void hf_coulomb_exchange_done(struct hf_coulomb_exchange *self)
{
    hf_local_sums_destroy(&self->sums);
    free(self->place);
    hf_arena_done(&self->arena);
    *self = (struct hf_coulomb_exchange){0};
}

/* ---- Screening ------------------------------------------------------------------------------- */

/** Position of an atom of the bra: A or B. */
static int bra_atom(const struct hf_quartet_blocks *blocks, const struct hf_shell_place *place)
{
    return place->atom == blocks->atom[HF_ATOM_A] ? HF_ATOM_A : HF_ATOM_B;
}

/** Row `x` of the bounds with atom y, of shell `place` of atom x. */
static const double *bound_row(const struct hf_quartet_blocks *blocks, int x, int y, int index)
{
    return blocks->largest[x][y] + (size_t)index * (size_t)blocks->largest_columns[y] * HF_N_BOUND;
}

/** Larger ones of two rows of bounds, of `kind`; returns the largest. */
static double join_rows(const double *x, const double *y, int n, int kind, double *to)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        to[i] = hf_larger(x[i * HF_N_BOUND + kind], y[i * HF_N_BOUND + kind]);
        largest = hf_larger(largest, to[i]);
    }
    return largest;
}

/** Finds what the screening of a bra with a pair of atoms needs, unless it is known. */
static void find_met(struct hf_coulomb_exchange *self, const struct hf_shell_pair *bra, int place)
{
    struct hf_met_densities *met = &self->met;
    const struct hf_quartet_blocks *blocks = &self->blocks[place];
    const struct hf_job_shape *jobs = blocks->jobs;
    const struct hf_shell_place *a = &self->place[bra->a], *b = &self->place[bra->b];
    const int at_a = bra_atom(blocks, a), at_b = bra_atom(blocks, b);
    if (met->bra == bra && met->place == place) return;
    met->bra = bra;
    met->place = place;
    met->possible = 0;
    met->largest_exchange = 0.0;
    if (blocks->has_coulomb) {
        met->possible = WANTED_COULOMB;
        met->coulomb_ab =
            bound_row(blocks, at_a, at_b, a->index)[b->index * HF_N_BOUND + HF_WITH_COULOMB];
        met->coulomb_cd = bound_row(blocks, HF_ATOM_C, HF_ATOM_D, 0) + HF_WITH_COULOMB;
        met->columns = blocks->largest_columns[HF_ATOM_D] * HF_N_BOUND;
    }
    if (!blocks->has_exchange) return;
    if (jobs->n_exchange > jobs->n_alone) met->possible |= WANTED_EXCHANGE;
    if (jobs->n_alone > 0) met->possible |= WANTED_EXCHANGE_ALONE;
    for (int x = HF_ATOM_C; x <= HF_ATOM_D; x++) {
        const double *row_a = bound_row(blocks, at_a, x, a->index);
        const double *row_b = bound_row(blocks, at_b, x, b->index);
        const int *first_shell = &self->pairs->basis->first_shell_of_atom[blocks->atom[x]];
        for (int kind = 0; kind < HF_N_BOUND; kind++) {
            if ((met->possible & wanted_of_kind[kind]) == 0) continue; /* all of it is zero */
            const double largest = join_rows(row_a, row_b, first_shell[1] - first_shell[0], kind,
                                             met->exchange[x - HF_ATOM_C][kind]);
            met->largest_exchange = hf_larger(met->largest_exchange, largest);
        }
    }
}

/** hf_quartet_consumer.least_bound; 0 with J, whose screening depends on single pairs of shells. */
static double least_bound(void *data, const struct hf_shell_pair *bra, int place)
{
    struct hf_coulomb_exchange *self = data;
    find_met(self, bra, place);
    if ((self->met.possible & WANTED_COULOMB) != 0) return 0.0;
    const double met = bra->bound * self->met.largest_exchange;
    return met > 0.0 ? self->list_threshold / met : HUGE_VAL;
}

/** Largest density elements that quartets are multiplied by in J, and in K of each kind; 0 if the sum is not
 *  possible. */
struct met_largest {
    double coulomb, exchange[HF_N_BOUND];
};

/** Of shells c .. c_end-1 with d .. d_end-1 (the six blocks of book Fig. 8.2). `possible` is that of `met`, which a
 *  caller may know as a constant. */
static inline __attribute__((always_inline)) struct met_largest
find_largest(const struct hf_met_densities *met, uint8_t possible, int c, int c_end, int d,
             int d_end)
{
    struct met_largest largest = {0.0, {0.0}};
    if ((possible & WANTED_COULOMB) != 0) {
        largest.coulomb = met->coulomb_ab;
        for (int i = c; i < c_end; i++)
            for (int j = d; j < d_end; j++)
                largest.coulomb =
                    hf_larger(largest.coulomb, met->coulomb_cd[i * met->columns + j * HF_N_BOUND]);
    }
    for (int kind = 0; kind < HF_N_BOUND; kind++) {
        if ((possible & wanted_of_kind[kind]) == 0) continue;
        const double *of_c = met->exchange[0][kind], *of_d = met->exchange[1][kind];
        double most = hf_larger(of_c[c], of_d[d]);
        for (int i = c + 1; i < c_end; i++) most = hf_larger(most, of_c[i]);
        for (int i = d + 1; i < d_end; i++) most = hf_larger(most, of_d[i]);
        largest.exchange[kind] = most;
    }
    return largest;
}

/** What of the `possible` quartets contribute to, if they are at most `for_coulomb` in J and `for_exchange` in K. */
static inline __attribute__((always_inline)) uint8_t screen(double threshold, uint8_t possible,
                                                            const struct met_largest *largest,
                                                            double for_coulomb, double for_exchange)
{
    int wanted = 0;
    if ((possible & WANTED_COULOMB) != 0)
        wanted |= (for_coulomb * largest->coulomb >= threshold) * WANTED_COULOMB;
    for (int kind = 0; kind < HF_N_BOUND; kind++)
        if ((possible & wanted_of_kind[kind]) != 0)
            wanted |= (for_exchange * largest->exchange[kind] >= threshold) * wanted_of_kind[kind];
    return (uint8_t)wanted;
}

/** Most kets that are screened together. */
enum { MOST_TOGETHER = 64 };

/** hf_far_factor of each ket [n]: in a loop of its own, which becomes vectors. */
static void find_far_factors(const struct hf_shell_pair *bra, int n,
                             const struct hf_waiting_ket ket[], float far[MOST_TOGETHER])
{
    float square[MOST_TOGETHER], reach[MOST_TOGETHER], charges[MOST_TOGETHER];
    const float own = bra->reach;
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *pair = ket[i].pair;
        square[i] = hf_square_between(bra, pair);
        reach[i] = pair->reach;
        charges[i] = bra->charge * pair->charge;
    }
    for (int i = 0; i < n; i++) far[i] = hf_far_factor_of(square[i], own, reach[i], charges[i]);
}

/** Whether kets [n] of one bra and pair of atoms are needed for what is `possible`, and may be computed in single
 *  precision. Integrals of pairs that are far from each other are smaller than their bounds: exchange uses that.
 *  The many quartets for J have one sign, and are screened by their bounds.
 *  No branch depends on a ket, since half of them would be guessed wrong; what is read again and again has a name,
 *  since bytes are written. */
static inline __attribute__((always_inline)) void
screen_together(const struct hf_coulomb_exchange *self, const struct hf_shell_pair *bra, int n,
                struct hf_waiting_ket ket[], const uint8_t possible)
{
    const struct hf_met_densities met = self->met;
    const double threshold = self->threshold, bra_bound = bra->bound;
    const bool may_be_single = self->single;
    float far[MOST_TOGETHER];
    find_far_factors(bra, n, ket, far);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *pair = ket[i].pair;
        const int c = ket[i].c, d = ket[i].d;
        const double most = bra_bound * pair->bound, single = hf_single_bound(bra, pair);
        const struct met_largest largest = find_largest(&met, possible, c, c + 1, d, d + 1);
        ket[i].wanted = screen(threshold, possible, &largest, most, most * (double)far[i]);
        /* rounding errors are screened as quartets are, more strictly */
        ket[i].single = may_be_single && screen(threshold, possible, &largest, single, single) == 0;
    }
}

static void bound(void *data, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    struct hf_coulomb_exchange *self = data;
    for (int begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && end < begin + MOST_TOGETHER && ket[end].place == ket[begin].place) end++;
        find_met(self, bra, ket[begin].place);
        const uint8_t possible = self->met.possible;
        switch (possible) { /* the usual ones as constants */
        case WANTED_EXCHANGE_ALONE:
            screen_together(self, bra, end - begin, ket + begin, WANTED_EXCHANGE_ALONE);
            break;
        case WANTED_COULOMB | WANTED_EXCHANGE:
            screen_together(self, bra, end - begin, ket + begin, WANTED_COULOMB | WANTED_EXCHANGE);
            break;
        default: screen_together(self, bra, end - begin, ket + begin, possible);
        }
    }
}

/** The shells of functions first .. first + n - 1 of an atom. */
static void find_range(const struct hf_coulomb_exchange *self, int atom, int first, int n,
                       int *begin, int *end)
{
    const int *shell = self->shell_of_function + hf_atom_first_function(self->pairs->basis, atom);
    *begin = shell[first];
    *end = shell[first + n - 1] + 1;
}

static uint8_t bound_strip(void *data, const struct hf_strip *strip, double bound)
{
    struct hf_coulomb_exchange *self = data;
    const struct hf_quartet_blocks *blocks = &self->blocks[strip->place];
    int c, c_end, d, d_end;
    find_met(self, strip->bra, strip->place);
    find_range(self, blocks->atom[HF_ATOM_C], strip->first_c, strip->n_c, &c, &c_end);
    find_range(self, blocks->atom[HF_ATOM_D], strip->first_d, strip->n_d, &d, &d_end);
    const uint8_t possible = self->met.possible;
    const struct met_largest largest = find_largest(&self->met, possible, c, c_end, d, d_end);
    return screen(self->threshold, possible, &largest, bound, bound);
}

/* ---- Digestion ------------------------------------------------------------------------------- */

static hf_status lend(void *data, const struct hf_part *part, struct hf_error *error)
{
    struct hf_coulomb_exchange *self = data;
    (void)error;
    self->blocks = hf_local_sums_begin(self->sums, part);
    self->bra.pair = NULL;
    self->met.bra = NULL;
    return HF_OK;
}

/** Sets self->bra. */
static void find_bra(struct hf_coulomb_exchange *self, const struct hf_quartet_blocks *blocks,
                     const struct hf_shell_pair *pair)
{
    const struct hf_shell_place *a = &self->place[pair->a], *b = &self->place[pair->b];
    self->bra = (struct hf_strip_bra){.pair = pair,
                                      .n_a = a->n,
                                      .n_b = b->n,
                                      .a = bra_atom(blocks, a),
                                      .b = bra_atom(blocks, b),
                                      .first_a = a->first,
                                      .first_b = b->first};
}

/** Element (row, column) of a block of two atoms in density `job`. */
static const double *density(const struct hf_quartet_blocks *blocks, int job, int x, int row, int y,
                             int column)
{
    return blocks->density[x][y] + (size_t)job * blocks->density_plane[x][y] +
           (size_t)row * (size_t)blocks->density_columns[y] + (size_t)column;
}

/** The same in the sums of job number `job`. */
static double *sum(const struct hf_quartet_blocks *blocks,
                   double *const block[HF_N_ATOM][HF_N_ATOM], int job, int x, int row, int y,
                   int column)
{
    const size_t n = (size_t)blocks->n[y];
    return block[x][y] + ((size_t)job * (size_t)blocks->n[x] + (size_t)row) * n + (size_t)column;
}

static void set_coulomb(const struct hf_quartet_blocks *blocks, const struct hf_strip_bra *bra,
                        const struct hf_strip *strip, int job, struct hf_strip_job *to)
{
    enum { C = HF_ATOM_C, D = HF_ATOM_D };
    const int a = bra->a, b = bra->b, i = bra->first_a, j = bra->first_b;
    const int k = strip->first_c, l = strip->first_d, of = job - blocks->jobs->first_coulomb;
    to->D_ab = density(blocks, job, a, i, b, j);
    to->D_cd = density(blocks, job, C, k, D, l);
    to->J_ab = sum(blocks, blocks->coulomb, of, a, i, b, j);
    to->J_cd = sum(blocks, blocks->coulomb, of, C, k, D, l);
}

static void set_exchange(const struct hf_quartet_blocks *blocks, const struct hf_strip_bra *bra,
                         const struct hf_strip *strip, int job, struct hf_strip_job *to)
{
    enum { C = HF_ATOM_C, D = HF_ATOM_D };
    const int a = bra->a, b = bra->b, i = bra->first_a, j = bra->first_b;
    const int k = strip->first_c, l = strip->first_d;
    to->D_ac = density(blocks, job, a, i, C, k);
    to->D_ad = density(blocks, job, a, i, D, l);
    to->D_bc = density(blocks, job, b, j, C, k);
    to->D_bd = density(blocks, job, b, j, D, l);
    to->K_ac = sum(blocks, blocks->exchange, job, a, i, C, k);
    to->K_ad = sum(blocks, blocks->exchange, job, a, i, D, l);
    to->K_bc = sum(blocks, blocks->exchange, job, b, j, C, k);
    to->K_bd = sum(blocks, blocks->exchange, job, b, j, D, l);
}

static void take(void *data, const struct hf_strip *strip)
{
    struct hf_coulomb_exchange *self = data;
    const struct hf_quartet_blocks *blocks = &self->blocks[strip->place];
    const struct hf_job_shape *jobs = blocks->jobs;
    if (strip->bra != self->bra.pair) find_bra(self, blocks, strip->bra);
    struct hf_digest_strip to_kernel = {
        .value = strip->value,
        .single = strip->single,
        .n_a = self->bra.n_a,
        .n_b = self->bra.n_b,
        .n_c = strip->n_c,
        .n_d = strip->n_d,
        .density_leading_b = (size_t)blocks->density_columns[self->bra.b],
        .density_leading_c = (size_t)blocks->density_columns[HF_ATOM_C],
        .density_leading_d = (size_t)blocks->density_columns[HF_ATOM_D],
        .leading_b = (size_t)blocks->n[self->bra.b],
        .leading_c = (size_t)blocks->n[HF_ATOM_C],
        .leading_d = (size_t)blocks->n[HF_ATOM_D],
        .origin = self->origin,
        .job = self->job};
    for (int i = 0; i < jobs->n; i++) {
        const bool coulomb = i >= jobs->first_coulomb && (strip->wanted & WANTED_COULOMB) != 0;
        const bool exchange =
            i < jobs->n_exchange && (strip->wanted & wanted_of_kind[hf_group_of_job(jobs, i)]) != 0;
        struct hf_strip_job *job = &self->job[to_kernel.n_job];
        *job = (struct hf_strip_job){0};
        if (coulomb) set_coulomb(blocks, &self->bra, strip, i, job);
        if (exchange) set_exchange(blocks, &self->bra, strip, i, job);
        if (coulomb || exchange) to_kernel.n_job++;
    }
    hf_local_sums_touch(self->sums, strip->place, (strip->wanted & WANTED_COULOMB) != 0,
                        (strip->wanted & ~WANTED_COULOMB) != 0);
    self->digest(&to_kernel);
}

static hf_status finish(void *data, const struct hf_part *part, struct hf_error *error)
{
    const struct hf_coulomb_exchange *self = data;
    (void)part;
    return hf_local_sums_end(self->sums, error);
}

const struct hf_quartet_consumer hf_coulomb_exchange_consumer = {
    .lend = lend,
    .least_bound = least_bound,
    .bound = bound,
    .bound_strip = bound_strip,
    .take = take,
    .finish = finish,
};
