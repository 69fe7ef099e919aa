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
    if (self->lanes != NULL && self->scratch != NULL) return HF_OK;
    hf_digestion_done(self);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the digestion of quartets");
}

void hf_digestion_done(struct hf_digestion *self)
{
    free(self->lanes);
    free(self->scratch);
    self->lanes = NULL;
    self->scratch = NULL;
}

/** From the start of a block of sums to that of two shells. */
static size_t offset(const struct hf_quartet_blocks *blocks, const struct hf_place *row,
                     const struct hf_place *column)
{
    return (size_t)row->row * (size_t)blocks->sum.columns[column->atom] + (size_t)column->row;
}

/** The same in a density. */
static const double *density(const struct hf_quartet_blocks *blocks,
                             const struct hf_job_blocks *job, const struct hf_place *row,
                             const struct hf_place *column)
{
    return job->density[row->atom][column->atom] +
           (size_t)row->density_row * (size_t)blocks->density.columns[column->atom] +
           (size_t)column->density_row;
}

static double degeneracy(const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    return (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) *
           (bra == ket ? 1.0 : 2.0);
}

/* ---- One quartet ---------------------------------------------------------------------------- */

/** Adds a quartet [a][b][c][d] to the sums of every density. */
static void digest_one(struct hf_digestion *self, const struct hf_quartet_to_add *wanted,
                       struct hf_digest_quartet *quartet, const struct hf_place p[4])
{
    const struct hf_quartet_blocks *blocks = wanted->blocks;
    const struct hf_place *a = &p[0], *b = &p[1], *c = &p[2], *d = &p[3];
    if (d->n == 1) { /* [c][1] is [1][c]: keep the loop over d the long one */
        c = &p[3];
        d = &p[2];
    }
    const struct hf_place *ordered[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) {
        quartet->n[k] = ordered[k]->n;
        quartet->density_leading[k] = (size_t)blocks->density.columns[ordered[k]->atom];
        quartet->leading[k] = (size_t)blocks->sum.columns[ordered[k]->atom];
    }
    for (int i = 0; i < blocks->n_job; i++) {
        const struct hf_job_blocks *job = &blocks->job[i];
        struct hf_digest_blocks to = {0};
        if (wanted->coulomb && job->coulomb[a->atom][b->atom] != NULL) {
            to.D_ab = density(blocks, job, a, b);
            to.D_cd = density(blocks, job, c, d);
            to.J_ab = job->coulomb[a->atom][b->atom] + offset(blocks, a, b);
            to.J_cd = job->coulomb[c->atom][d->atom] + offset(blocks, c, d);
        }
        if (wanted->exchange && job->exchange[a->atom][c->atom] != NULL) {
            to.D_ac = density(blocks, job, a, c);
            to.D_ad = density(blocks, job, a, d);
            to.D_bc = density(blocks, job, b, c);
            to.D_bd = density(blocks, job, b, d);
            to.K_ac = job->exchange[a->atom][c->atom] + offset(blocks, a, c);
            to.K_ad = job->exchange[a->atom][d->atom] + offset(blocks, a, d);
            to.K_bc = job->exchange[b->atom][c->atom] + offset(blocks, b, c);
            to.K_bd = job->exchange[b->atom][d->atom] + offset(blocks, b, d);
        }
        if (to.J_ab != NULL || to.K_ac != NULL) self->kernels->digest(quartet, &to);
    }
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

static void add_lane(struct hf_digestion *self, const struct hf_shell_pair *bra,
                     const struct hf_quartet_to_add *quartet, bool bra_is_row,
                     const struct hf_quartet_values *values, int lane, int n_lane)
{
    if (!quartet->coulomb && !quartet->exchange) return;
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

/** Block of rows `row` and columns `column` of lane l. */
static void set_block(struct hf_lane_blocks *block, int l, const struct hf_quartet_blocks *blocks,
                      const struct hf_job_blocks *job, const struct hf_place *row,
                      const struct hf_place *column, double *sum)
{
    block->density[l] = density(blocks, job, row, column);
    block->sum[l] = sum + offset(blocks, row, column);
    block->density_leading[l] = (size_t)blocks->density.columns[column->atom];
    block->leading[l] = (size_t)blocks->sum.columns[column->atom];
}

/** J and K of one lane in one job. */
static void set_lane(struct hf_digest_lanes *lanes, int l, const struct hf_quartet_to_add *quartet,
                     const struct hf_job_blocks *job, const struct hf_place *a,
                     const struct hf_place *b, const struct lane_place *place)
{
    const struct hf_quartet_blocks *blocks = quartet->blocks;
    const struct hf_place *c = &place->c, *d = &place->d;
    double *const *K_c = job->exchange[c->atom], *const *K_d = job->exchange[d->atom];
    if (quartet->coulomb && job->coulomb[c->atom][d->atom] != NULL) {
        set_block(&lanes->block[HF_BLOCK_CD], l, blocks, job, c, d, job->coulomb[c->atom][d->atom]);
        lanes->D_ab = density(blocks, job, a, b);
        lanes->J_ab = job->coulomb[a->atom][b->atom] + offset(blocks, a, b);
        lanes->density_leading = (size_t)blocks->density.columns[b->atom];
        lanes->leading = (size_t)blocks->sum.columns[b->atom];
    }
    if (quartet->exchange && K_c[a->atom] != NULL) {
        lanes->exchange = true;
        set_block(&lanes->block[HF_BLOCK_CA], l, blocks, job, c, a, K_c[a->atom]);
        set_block(&lanes->block[HF_BLOCK_CB], l, blocks, job, c, b, K_c[b->atom]);
        set_block(&lanes->block[HF_BLOCK_DA], l, blocks, job, d, a, K_d[a->atom]);
        set_block(&lanes->block[HF_BLOCK_DB], l, blocks, job, d, b, K_d[b->atom]);
    }
}

/** All lanes of one job without blocks. */
static void clear_lanes(struct hf_digest_lanes *lanes)
{
    lanes->D_ab = NULL;
    lanes->J_ab = NULL;
    lanes->exchange = false;
    for (int k = 0; k < HF_N_LANE_BLOCK; k++) {
        memset(lanes->block[k].density, 0, sizeof lanes->block[k].density);
        memset(lanes->block[k].sum, 0, sizeof lanes->block[k].sum);
    }
}

void hf_add_quartets(struct hf_digestion *self, const struct hf_shell_pair *bra, int n,
                     const struct hf_quartet_to_add quartet[],
                     const struct hf_quartet_values *values)
{
    enum { FEW = 2 }; /* not worth the gathering of all lanes */
    struct hf_digest_lanes *lanes = self->lanes;
    struct lane_place place[HF_LANES];
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
    *lanes = (struct hf_digest_lanes){
        .value = values->value, .single = values->single, .n = {a.n, b.n, n_c, n_d}};
    for (int l = 0; l < n; l++) {
        lanes->degeneracy[l] = degeneracy(bra, quartet[l].ket);
        place[l].c = hf_find_place(basis, quartet[l].blocks, quartet[l].ket->a, HF_ATOM_C);
        place[l].d = hf_find_place(basis, quartet[l].blocks, quartet[l].ket->b, HF_ATOM_C);
    }
    for (int i = 0; i < quartet[0].blocks->n_job; i++) {
        clear_lanes(lanes);
        for (int l = 0; l < n; l++)
            set_lane(lanes, l, &quartet[l], &quartet[l].blocks->job[i], &a, &b, &place[l]);
        self->kernels->digest_lanes(lanes);
    }
}
