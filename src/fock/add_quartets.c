/* Computed quartets added to the sums; see add_quartets.h. */
#include "add_quartets.h"

#include "hf/simd.h"

#include <stdlib.h>
#include <string.h>

static const struct hf_digest_kernels *choose_kernels(void)
{
    switch (hf_instruction_set()) {
#ifdef HF_HAVE_X86_KERNELS
    case HF_AVX512: return &hf_digest_avx512;
    case HF_AVX2: return &hf_digest_avx2;
#endif
    default: return &hf_digest_portable;
    }
}

/** Functions of the largest pair of shells. */
static size_t largest_pair(const struct hf_shell_pairs *pairs)
{
    size_t largest = 1;
    for (int i = 0; i < pairs->n_class; i++)
        if ((size_t)pairs->class_of[i].n_function > largest)
            largest = (size_t)pairs->class_of[i].n_function;
    return largest;
}

hf_status hf_digestion_init(struct hf_digestion *self, const struct hf_shell_pairs *pairs,
                            struct hf_error *error)
{
    const size_t n = largest_pair(pairs);
    *self = (struct hf_digestion){.basis = pairs->basis, .kernels = choose_kernels()};
    self->lanes = calloc(1, sizeof *self->lanes);
    self->scratch = calloc(n * n, sizeof *self->scratch);
    self->work = aligned_alloc(HF_LANES * sizeof(double), HF_LANE_WORK * sizeof(double));
    if (self->lanes != NULL && self->scratch != NULL && self->work != NULL) return HF_OK;
    hf_digestion_done(self);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the digestion of quartets");
}

void hf_digestion_done(struct hf_digestion *self)
{
    free(self->lanes);
    free(self->scratch);
    free(self->work);
    self->lanes = NULL;
    self->scratch = NULL;
    self->work = NULL;
}

/** Elements from the start of a block of sums to that of two shells. */
static size_t offset(const struct hf_quartet_blocks *blocks, const struct hf_place *row,
                     const struct hf_place *column)
{
    return (size_t)row->row * (size_t)blocks->sum_shape.columns[column->atom] + (size_t)column->row;
}

/** Densities of two shells. */
static const double *density(const struct hf_quartet_blocks *blocks, const struct hf_place *row,
                             const struct hf_place *column)
{
    const size_t at =
        (size_t)row->density_row * (size_t)blocks->density_shape.columns[column->atom] +
        (size_t)column->density_row;
    return blocks->density[row->atom][column->atom] + at * (size_t)blocks->jobs->n;
}

static double *coulomb(const struct hf_quartet_blocks *blocks, const struct hf_place *row,
                       const struct hf_place *column)
{
    return blocks->coulomb[row->atom][column->atom] +
           offset(blocks, row, column) * (size_t)hf_n_coulomb(blocks->jobs);
}

static double *exchange(const struct hf_quartet_blocks *blocks, const struct hf_place *row,
                        const struct hf_place *column)
{
    return blocks->exchange[row->atom][column->atom] +
           offset(blocks, row, column) * (size_t)blocks->jobs->n_exchange;
}

static double degeneracy(const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    return (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) *
           (bra == ket ? 1.0 : 2.0);
}

/* ---- One quartet ---------------------------------------------------------------------------- */

/** Adds the blocks of J of a job; [0] to [3] are a to d. */
static void set_coulomb(const struct hf_quartet_blocks *blocks, const struct hf_place *const p[4],
                        int job, struct hf_digest_blocks *to)
{
    const int sum = job - blocks->jobs->first_coulomb;
    to->D_ab = density(blocks, p[0], p[1]) + job;
    to->D_cd = density(blocks, p[2], p[3]) + job;
    to->J_ab = coulomb(blocks, p[0], p[1]) + sum;
    to->J_cd = coulomb(blocks, p[2], p[3]) + sum;
}

/** Likewise of K. */
static void set_exchange(const struct hf_quartet_blocks *blocks, const struct hf_place *const p[4],
                         int job, struct hf_digest_blocks *to)
{
    to->D_ac = density(blocks, p[0], p[2]) + job;
    to->D_ad = density(blocks, p[0], p[3]) + job;
    to->D_bc = density(blocks, p[1], p[2]) + job;
    to->D_bd = density(blocks, p[1], p[3]) + job;
    to->K_ac = exchange(blocks, p[0], p[2]) + job;
    to->K_ad = exchange(blocks, p[0], p[3]) + job;
    to->K_bc = exchange(blocks, p[1], p[2]) + job;
    to->K_bd = exchange(blocks, p[1], p[3]) + job;
}

/** The quartet to J and K of a build's only density. */
static void digest_lone(const struct hf_digestion *self, const struct hf_quartet_to_add *wanted,
                        const struct hf_digest_quartet *quartet, const struct hf_place *const p[4])
{
    struct hf_digest_blocks to = {0};
    if (wanted->coulomb) set_coulomb(wanted->blocks, p, 0, &to);
    if (wanted->exchange[hf_group_of_job(wanted->blocks->jobs, 0)])
        set_exchange(wanted->blocks, p, 0, &to);
    self->kernels->digest(quartet, &to);
}

/** Of several: J one by one, K two by two. */
static void digest_several(const struct hf_digestion *self, const struct hf_quartet_to_add *wanted,
                           const struct hf_digest_quartet *quartet,
                           const struct hf_place *const p[4])
{
    const struct hf_job_shape *jobs = wanted->blocks->jobs;
    for (int i = jobs->first_coulomb; i < jobs->n && wanted->coulomb; i++) {
        struct hf_digest_blocks to = {0};
        set_coulomb(wanted->blocks, p, i, &to);
        self->kernels->digest(quartet, &to);
    }
    for (int i = 0; i < jobs->n_exchange; i++) {
        struct hf_digest_blocks to = {0};
        if (!wanted->exchange[hf_group_of_job(jobs, i)]) continue;
        set_exchange(wanted->blocks, p, i, &to);
        if (i + 1 < jobs->n_exchange && wanted->exchange[hf_group_of_job(jobs, i + 1)]) {
            self->kernels->digest_two(quartet, &to);
            i++;
        } else {
            self->kernels->digest(quartet, &to);
        }
    }
}

/** Adds a quartet [a][b][c][d] to the sums of every density. */
static void digest_one(struct hf_digestion *self, const struct hf_quartet_to_add *wanted,
                       struct hf_digest_quartet *quartet, const struct hf_place p[4])
{
    const struct hf_quartet_blocks *blocks = wanted->blocks;
    const struct hf_job_shape *jobs = blocks->jobs;
    const bool flip = p[3].n == 1; /* [c][1] is [1][c]: keep the loop over d the long one */
    const struct hf_place *ordered[4] = {&p[0], &p[1], &p[flip ? 3 : 2], &p[flip ? 2 : 3]};
    quartet->density_step = (size_t)jobs->n;
    quartet->coulomb_step = (size_t)hf_n_coulomb(jobs);
    quartet->exchange_step = (size_t)jobs->n_exchange;
    for (int k = 0; k < 4; k++) {
        quartet->n[k] = ordered[k]->n;
        quartet->density_leading[k] = (size_t)blocks->density_shape.columns[ordered[k]->atom];
        quartet->leading[k] = (size_t)blocks->sum_shape.columns[ordered[k]->atom];
    }
    (jobs->n == 1 ? digest_lone : digest_several)(self, wanted, quartet, ordered);
}

/** The numbers in double precision, `lane` of `n_lane` side by side. */
static const double *extract(struct hf_digestion *self, const struct hf_quartet_values *values,
                             int lane, int n_lane)
{
    if (values->value != NULL && n_lane == 1) return values->value;
    for (int i = 0; i < values->n; i++) {
        const size_t at = (size_t)i * (size_t)n_lane + (size_t)lane;
        self->scratch[i] = values->value != NULL ? values->value[at] : (double)values->single[at];
    }
    return self->scratch;
}

static bool adds(const struct hf_quartet_to_add *quartet)
{
    return quartet->coulomb || quartet->exchange[HF_WITH_COULOMB] ||
           quartet->exchange[HF_EXCHANGE_ALONE];
}

static void add_lane(struct hf_digestion *self, const struct hf_shell_pair *bra,
                     const struct hf_quartet_to_add *quartet, bool bra_is_row,
                     const struct hf_quartet_values *values, int lane, int n_lane)
{
    if (!adds(quartet)) return;
    const struct hf_shell_pair *ket = quartet->ket;
    const struct hf_place a = hf_find_place(self->basis, quartet->blocks, bra->a, HF_ATOM_A);
    const struct hf_place b = hf_find_place(self->basis, quartet->blocks, bra->b, HF_ATOM_A);
    const struct hf_place c = hf_find_place(self->basis, quartet->blocks, ket->a, HF_ATOM_C);
    const struct hf_place d = hf_find_place(self->basis, quartet->blocks, ket->b, HF_ATOM_C);
    const struct hf_place as_computed[2][4] = {{c, d, a, b}, {a, b, c, d}};
    struct hf_digest_quartet to_kernel = {.value = extract(self, values, lane, n_lane),
                                          .degeneracy = degeneracy(bra, ket)};
    digest_one(self, quartet, &to_kernel, as_computed[bra_is_row]);
}

void hf_add_quartet(struct hf_digestion *self, const struct hf_shell_pair *bra,
                    const struct hf_quartet_to_add *quartet, bool bra_is_row,
                    const struct hf_quartet_values *values)
{
    add_lane(self, bra, quartet, bra_is_row, values, 0, 1);
}

/* ---- Quartets side by side ------------------------------------------------------------------ */

/** Where the shells of one lane are. */
struct lane_place {
    struct hf_place c, d;
};

/** Block of rows `row` and columns `column` of lane l; `step` doubles are an element of its sums. */
static void set_block(struct hf_lane_blocks *block, int l, const struct hf_quartet_blocks *blocks,
                      const struct hf_place *row, const struct hf_place *column, double *sum,
                      int step)
{
    block->density[l] = density(blocks, row, column);
    block->sum[l] = sum;
    block->density_leading[l] =
        (size_t)blocks->density_shape.columns[column->atom] * (size_t)blocks->jobs->n;
    block->leading[l] = (size_t)blocks->sum_shape.columns[column->atom] * (size_t)step;
}

/** J and K of one lane. */
static void set_lane(struct hf_digest_lanes *lanes, int l, const struct hf_quartet_to_add *quartet,
                     const struct hf_place *a, const struct hf_place *b,
                     const struct lane_place *place, double degeneracy)
{
    const struct hf_quartet_blocks *blocks = quartet->blocks;
    const struct hf_place *c = &place->c, *d = &place->d;
    const int n_coulomb = hf_n_coulomb(&lanes->jobs), n_exchange = lanes->jobs.n_exchange;
    struct hf_lane_blocks *block = lanes->block;
    if (quartet->coulomb) {
        lanes->degeneracy[l] = degeneracy;
        set_block(&block[HF_BLOCK_CD], l, blocks, c, d, coulomb(blocks, c, d), n_coulomb);
        lanes->D_ab = density(blocks, a, b);
        lanes->J_ab = coulomb(blocks, a, b);
        lanes->density_leading =
            (size_t)blocks->density_shape.columns[b->atom] * (size_t)lanes->jobs.n;
        lanes->leading = (size_t)blocks->sum_shape.columns[b->atom] * (size_t)n_coulomb;
    }
    for (int g = 0; g < HF_N_BOUND; g++) {
        lanes->exchange[g] = lanes->exchange[g] || quartet->exchange[g];
        lanes->exchange_degeneracy[g][l] = quartet->exchange[g] ? degeneracy : 0.0;
    }
    if (!quartet->exchange[HF_WITH_COULOMB] && !quartet->exchange[HF_EXCHANGE_ALONE]) return;
    set_block(&block[HF_BLOCK_CA], l, blocks, c, a, exchange(blocks, c, a), n_exchange);
    set_block(&block[HF_BLOCK_CB], l, blocks, c, b, exchange(blocks, c, b), n_exchange);
    set_block(&block[HF_BLOCK_DA], l, blocks, d, a, exchange(blocks, d, a), n_exchange);
    set_block(&block[HF_BLOCK_DB], l, blocks, d, b, exchange(blocks, d, b), n_exchange);
}

void hf_add_quartets(struct hf_digestion *self, const struct hf_shell_pair *bra, int n,
                     const struct hf_quartet_to_add quartet[],
                     const struct hf_quartet_values *values)
{
    enum { FEW = 2 }; /* not worth the gathering of all lanes */
    struct hf_digest_lanes *lanes = self->lanes;
    const struct hf_basis *basis = self->basis;
    const struct hf_place a = hf_find_place(basis, quartet[0].blocks, bra->a, HF_ATOM_A);
    const struct hf_place b = hf_find_place(basis, quartet[0].blocks, bra->b, HF_ATOM_A);
    const int n_c = basis->shell[quartet[0].ket->a].n_function;
    const int n_d = basis->shell[quartet[0].ket->b].n_function;
    if (n <= FEW || a.n > HF_MAX_LANE_FUNCTION || b.n > HF_MAX_LANE_FUNCTION ||
        n_c > HF_MAX_LANE_FUNCTION || n_d > HF_MAX_LANE_FUNCTION) {
        for (int l = 0; l < n; l++) add_lane(self, bra, &quartet[l], false, values, l, HF_LANES);
        return;
    }
    *lanes = (struct hf_digest_lanes){.jobs = *quartet[0].blocks->jobs,
                                      .work = self->work,
                                      .value = values->value,
                                      .single = values->single,
                                      .n = {a.n, b.n, n_c, n_d}};
    for (int l = 0; l < n; l++) {
        const struct lane_place place = {
            .c = hf_find_place(basis, quartet[l].blocks, quartet[l].ket->a, HF_ATOM_C),
            .d = hf_find_place(basis, quartet[l].blocks, quartet[l].ket->b, HF_ATOM_C)};
        set_lane(lanes, l, &quartet[l], &a, &b, &place, degeneracy(bra, quartet[l].ket));
    }
    self->kernels->digest_lanes(lanes);
}
