/* The shell quartets of two lists of shell pairs; see quartets.h. */
#include "quartets.h"

#include <stdlib.h>

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

hf_status hf_quartet_work_init(struct hf_quartet_work *work, const struct hf_shell_pairs *pairs,
                               struct hf_error *error)
{
    *work = (struct hf_quartet_work){.pairs = pairs, .digest = hf_digest_kernels_best()};
    work->queue = calloc((size_t)pairs->n_class + 1, sizeof *work->queue);
    if (work->queue == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the batches of quartets");
    return hf_engine_create(pairs, &work->engine, error);
}

void hf_quartet_work_done(struct hf_quartet_work *work)
{
    hf_engine_destroy(&work->engine);
    free(work->queue);
    work->queue = NULL;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
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

/** Computes and digests the quartets that wait for a bra. */
static void flush(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                  struct hf_quartet_queue *queue)
{
    const int n = queue->n;
    if (n == 0) return;
    const struct hf_integral_batch batch = hf_engine_two_electron(work->engine, bra, n, queue->ket);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *ket = queue->ket[i];
        const struct hf_quartet_blocks *blocks = queue->blocks[i];
        const struct place a = find_place(work, blocks, bra->a, HF_ATOM_A);
        const struct place b = find_place(work, blocks, bra->b, HF_ATOM_A);
        const struct place c = find_place(work, blocks, ket->a, HF_ATOM_C);
        const struct place d = find_place(work, blocks, ket->b, HF_ATOM_C);
        struct hf_digest_quartet quartet = {.value = batch.value + (size_t)i * batch.stride};
        quartet.degeneracy = (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) *
                             (bra == ket ? 1.0 : 2.0);
        const struct place as_computed[2][4] = {{c, d, a, b}, {a, b, c, d}};
        digest_quartet(work, blocks, &quartet, as_computed[batch.fixed_is_row]);
    }
    work->n_computed += n;
    queue->n = 0;
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
            larger(bra->coulomb,
                   blocks->largest[c.atom][d.atom][c.bound * blocks->n_shell[d.atom] + d.bound]);
    if (blocks->exchange) {
        const int at_c = c.atom - HF_ATOM_C, at_d = d.atom - HF_ATOM_C;
        largest = larger(largest, larger(bra->a_row[at_c][c.bound], bra->a_row[at_d][d.bound]));
        largest = larger(largest, larger(bra->b_row[at_c][c.bound], bra->b_row[at_d][d.bound]));
    }
    return largest;
}

/** Puts the kets of a range that pass the screening into the queues of their classes. */
static void queue_kets(struct hf_quartet_work *work, const struct hf_shell_pair *bra, int64_t begin,
                       int64_t end, const struct hf_quartet_blocks *blocks)
{
    const struct bra_bounds bounds = find_bra_bounds(work, blocks, bra);
    for (int64_t k = begin; k < end; k++) {
        const struct hf_shell_pair *ket = &work->pairs->pair[k];
        const double bound = bra->bound * ket->bound;
        if (bound * work->max_density < work->threshold) continue;
        if (bound * quartet_density(work, blocks, &bounds, ket) < work->threshold) continue;
        struct hf_quartet_queue *queue = &work->queue[ket->pair_class];
        queue->ket[queue->n] = ket;
        queue->blocks[queue->n++] = blocks;
        if (queue->n == HF_MAX_BATCH) flush(work, bra, queue);
    }
}

void hf_quartets_compute(struct hf_quartet_work *work, int64_t bra_begin, int64_t bra_end, int n,
                         const struct hf_ket_range range[])
{
    for (int64_t k = bra_begin; k < bra_end; k++) {
        const struct hf_shell_pair *bra = &work->pairs->pair[k];
        const double bound = bra->bound * work->max_density;
        for (int i = 0; i < n; i++) {
            const struct hf_ket_range *kets = &range[i];
            if (bound * kets->bound < work->threshold) continue;
            const int64_t end = kets->triangle && kets->end > k + 1 ? k + 1 : kets->end;
            queue_kets(work, bra, kets->begin, end, kets->blocks);
        }
        for (int c = 0; c < work->pairs->n_class; c++) flush(work, bra, &work->queue[c]);
    }
}
