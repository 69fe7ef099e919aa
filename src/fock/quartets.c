/* The shell quartets of two lists of shell pairs; see quartets.h. */
#include "quartets.h"

#include <math.h>

const struct hf_digest_kernels *hf_digest_kernels_best(void)
{
#ifdef HF_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &hf_digest_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &hf_digest_avx2;
#endif
    return &hf_digest_portable;
}

/** A shell and where it is in the blocks. */
struct place {
    int atom;  /**< its position in the atom quartet */
    int row;   /**< of its first function */
    int bound; /**< of the shell in hf_quartet_blocks.largest */
    int n;     /**< functions */
};

/** `first` is the position of the pair that the shell belongs to: A or C. */
static struct place find_place(const struct hf_quartet_work *work,
                               const struct hf_quartet_blocks *blocks, int shell, int first)
{
    const struct hf_shell *s = &work->pairs->basis->shell[shell];
    const int atom = s->atom == blocks->atom[first] ? first : first + 1;
    return (struct place){.atom = atom,
                          .row = s->first_function - blocks->first_function[atom],
                          .bound = shell - blocks->first_shell[atom],
                          .n = s->n_function};
}

static size_t offset(const struct hf_quartet_blocks *blocks, const struct place *row,
                     const struct place *column)
{
    return (size_t)row->row * (size_t)blocks->n_function[column->atom] + (size_t)column->row;
}

/** Adds one computed quartet to the sums of every density. */
static void digest_quartet(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                           struct hf_digest_quartet *quartet, const struct place p[4])
{
    const struct place *a = &p[0], *b = &p[1], *c = &p[2], *d = &p[3];
    if (d->n == 1) { /* [c][1] is [1][c]: keep the loop over d the long one */
        c = &p[3];
        d = &p[2];
    }
    const struct place *ordered[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) {
        quartet->n[k] = ordered[k]->n;
        quartet->leading[k] = (size_t)blocks->n_function[ordered[k]->atom];
    }
    const size_t ab = offset(blocks, a, b), cd = offset(blocks, c, d), ac = offset(blocks, a, c);
    const size_t ad = offset(blocks, a, d), bc = offset(blocks, b, c), bd = offset(blocks, b, d);
    for (int i = 0; i < blocks->n_job; i++) {
        const struct hf_job_blocks *job = &blocks->job[i];
        struct hf_digest_blocks to = {0};
        if (job->coulomb[a->atom][b->atom] != NULL) {
            to.D_ab = job->density[a->atom][b->atom] + ab;
            to.D_cd = job->density[c->atom][d->atom] + cd;
            to.J_ab = job->coulomb[a->atom][b->atom] + ab;
            to.J_cd = job->coulomb[c->atom][d->atom] + cd;
        }
        if (job->exchange[a->atom][c->atom] != NULL) {
            to.D_ac = job->density[a->atom][c->atom] + ac;
            to.D_ad = job->density[a->atom][d->atom] + ad;
            to.D_bc = job->density[b->atom][c->atom] + bc;
            to.D_bd = job->density[b->atom][d->atom] + bd;
            to.K_ac = job->exchange[a->atom][c->atom] + ac;
            to.K_ad = job->exchange[a->atom][d->atom] + ad;
            to.K_bc = job->exchange[b->atom][c->atom] + bc;
            to.K_bd = job->exchange[b->atom][d->atom] + bd;
        }
        work->digest->digest(quartet, &to);
    }
}

static void compute_batch(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                          const struct hf_shell_pair *bra, int n,
                          const struct hf_shell_pair *const ket[])
{
    const struct hf_integral_batch batch = hf_engine_two_electron(work->engine, bra, n, ket);
    const struct place a = find_place(work, blocks, bra->a, HF_ATOM_A);
    const struct place b = find_place(work, blocks, bra->b, HF_ATOM_A);
    for (int i = 0; i < n; i++) {
        const struct place c = find_place(work, blocks, ket[i]->a, HF_ATOM_C);
        const struct place d = find_place(work, blocks, ket[i]->b, HF_ATOM_C);
        struct hf_digest_quartet quartet = {.value = batch.value + (size_t)i * batch.stride};
        quartet.degeneracy = (bra->a == bra->b ? 1.0 : 2.0) * (ket[i]->a == ket[i]->b ? 1.0 : 2.0) *
                             (bra == ket[i] ? 1.0 : 2.0);
        const struct place as_computed[2][4] = {{c, d, a, b}, {a, b, c, d}};
        digest_quartet(work, blocks, &quartet, as_computed[batch.fixed_is_row]);
    }
    work->n_computed += n;
}

/** What the screening of one bra pair needs of the densities. */
struct bra_bounds {
    struct place a, b;
    double coulomb;                    /**< largest |D_ab| */
    const double *a_row[2], *b_row[2]; /**< rows of a and b in the bounds with C and D */
};

static struct bra_bounds find_bra_bounds(const struct hf_quartet_work *work,
                                         const struct hf_quartet_blocks *blocks,
                                         const struct hf_shell_pair *bra)
{
    struct bra_bounds bounds = {.a = find_place(work, blocks, bra->a, HF_ATOM_A),
                                .b = find_place(work, blocks, bra->b, HF_ATOM_A)};
    const struct place *a = &bounds.a, *b = &bounds.b;
    if (blocks->coulomb)
        bounds.coulomb =
            blocks->largest[a->atom][b->atom][a->bound * blocks->n_shell[b->atom] + b->bound];
    for (int k = 0; k < 2 && blocks->exchange; k++) {
        const int atom = HF_ATOM_C + k;
        bounds.a_row[k] = blocks->largest[a->atom][atom] + (size_t)a->bound * blocks->n_shell[atom];
        bounds.b_row[k] = blocks->largest[b->atom][atom] + (size_t)b->bound * blocks->n_shell[atom];
    }
    return bounds;
}

/** Largest density element a quartet would meet, for J and for K (book Fig. 8.2's six blocks). */
static double quartet_density(const struct hf_quartet_work *work,
                              const struct hf_quartet_blocks *blocks, const struct bra_bounds *bra,
                              const struct hf_shell_pair *ket)
{
    const struct place c = find_place(work, blocks, ket->a, HF_ATOM_C);
    const struct place d = find_place(work, blocks, ket->b, HF_ATOM_C);
    double largest = 0.0;
    if (blocks->coulomb)
        largest =
            fmax(bra->coulomb,
                 blocks->largest[c.atom][d.atom][c.bound * blocks->n_shell[d.atom] + d.bound]);
    if (blocks->exchange) {
        const int at_c = c.atom - HF_ATOM_C, at_d = d.atom - HF_ATOM_C;
        largest = fmax(largest, fmax(bra->a_row[at_c][c.bound], bra->a_row[at_d][d.bound]));
        largest = fmax(largest, fmax(bra->b_row[at_c][c.bound], bra->b_row[at_d][d.bound]));
    }
    return largest;
}

/** One pair with the pairs first .. last-1, which are in runs of one class with falling bounds. */
static void compute_pairs(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                          const struct hf_shell_pair *bra, int64_t first, int64_t last)
{
    const struct hf_shell_pair *list = work->pairs->pair;
    const struct hf_shell_pair *batch[HF_MAX_BATCH];
    const struct bra_bounds bounds = find_bra_bounds(work, blocks, bra);
    int n = 0;
    for (int64_t k = first; k < last; k++) {
        const struct hf_shell_pair *ket = &list[k];
        if (n == HF_MAX_BATCH || (n > 0 && ket->pair_class != batch[0]->pair_class)) {
            compute_batch(work, blocks, bra, n, batch);
            n = 0;
        }
        const double bound = bra->bound * ket->bound;
        if (bound * work->max_density < work->threshold) continue;
        if (bound * quartet_density(work, blocks, &bounds, ket) < work->threshold) continue;
        batch[n++] = ket;
    }
    if (n > 0) compute_batch(work, blocks, bra, n, batch);
}

void hf_quartets_compute(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                         const struct hf_pair_ranges *ranges)
{
    for (int64_t k = ranges->bra_begin; k < ranges->bra_end; k++) {
        const struct hf_shell_pair *bra = &work->pairs->pair[k];
        if (bra->bound * ranges->ket_bound * work->max_density < work->threshold) continue;
        compute_pairs(work, blocks, bra, ranges->ket_begin,
                      ranges->triangle ? k + 1 : ranges->ket_end);
    }
}
