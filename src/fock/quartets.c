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

/** Functions of the largest pair of shells. */
static size_t largest_pair(const struct hf_shell_pairs *pairs)
{
    size_t largest = 1;
    for (int i = 0; i < pairs->n_class; i++)
        if ((size_t)pairs->class_of[i].n_function > largest)
            largest = (size_t)pairs->class_of[i].n_function;
    return largest;
}

hf_status hf_quartet_work_init(struct hf_quartet_work *work, const struct hf_shell_pairs *pairs,
                               const struct hf_screening *screening, struct hf_error *error)
{
    *work = (struct hf_quartet_work){
        .pairs = pairs, .screening = screening, .digest = hf_digest_kernels_best()};
    const size_t n = largest_pair(pairs);
    work->queue = calloc((size_t)pairs->n_class + 1, sizeof *work->queue);
    work->scratch = calloc(n * n, sizeof *work->scratch);
    if (work->queue == NULL || work->scratch == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the batches of quartets");
    return hf_engine_create(pairs, &work->engine, error);
}

void hf_quartet_work_done(struct hf_quartet_work *work)
{
    hf_engine_destroy(&work->engine);
    free(work->queue);
    free(work->scratch);
    work->queue = NULL;
    work->scratch = NULL;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/** A shell and where it is in the blocks. */
struct place {
    int atom;             /**< its position in the atom quartet */
    int density_row, row; /**< of its first function, in densities and in sums */
    int bound;            /**< of the shell in hf_quartet_blocks.largest */
    int n;                /**< functions */
};

/** `first` is the position of the pair that the shell belongs to: A or C. */
static struct place find_place(const struct hf_quartet_work *work,
                               const struct hf_quartet_blocks *blocks, int shell, int first)
{
    const struct hf_shell *s = &work->pairs->basis->shell[shell];
    const int atom = s->atom == blocks->atom[first] ? first : first + 1;
    return (struct place){.atom = atom,
                          .density_row = s->first_function - blocks->density.first[atom],
                          .row = s->first_function - blocks->sum.first[atom],
                          .bound = shell - blocks->first_shell[atom],
                          .n = s->n_function};
}

/** From the start of a block of sums to that of two shells. */
static size_t offset(const struct hf_quartet_blocks *blocks, const struct place *row,
                     const struct place *column)
{
    return (size_t)row->row * (size_t)blocks->sum.columns[column->atom] + (size_t)column->row;
}

/** The same in a density. */
static const double *density(const struct hf_quartet_blocks *blocks,
                             const struct hf_job_blocks *job, const struct place *row,
                             const struct place *column)
{
    return job->density[row->atom][column->atom] +
           (size_t)row->density_row * (size_t)blocks->density.columns[column->atom] +
           (size_t)column->density_row;
}

/** Adds one computed quartet to the sums of every density. */
static void digest_quartet(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                           const struct hf_waiting_ket *wanted, struct hf_digest_quartet *quartet,
                           const struct place p[4])
{
    const struct place *a = &p[0], *b = &p[1], *c = &p[2], *d = &p[3];
    if (d->n == 1) { /* [c][1] is [1][c]: keep the loop over d the long one */
        c = &p[3];
        d = &p[2];
    }
    const struct place *ordered[4] = {a, b, c, d};
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
        work->digest->digest(quartet, &to);
    }
}

/** Where a bra is, in the blocks it was last looked up in. */
struct bra_place {
    const struct hf_quartet_blocks *blocks;
    const struct hf_shell_pair *bra;
    struct place a, b;
};

static void find_bra(const struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                     const struct hf_shell_pair *bra, struct bra_place *place)
{
    if (place->blocks == blocks && place->bra == bra) return;
    *place = (struct bra_place){.blocks = blocks,
                                .bra = bra,
                                .a = find_place(work, blocks, bra->a, HF_ATOM_A),
                                .b = find_place(work, blocks, bra->b, HF_ATOM_A)};
}

/** Adds a quartet to the sums; bra and ket as the engine knows them. */
static void digest_pairs(struct hf_quartet_work *work, const struct bra_place *place,
                         const struct hf_shell_pair *ket, const struct hf_waiting_ket *wanted,
                         bool bra_is_row, const double *value)
{
    if (!wanted->coulomb && !wanted->exchange) return;
    const struct hf_quartet_blocks *blocks = place->blocks;
    const struct hf_shell_pair *bra = place->bra;
    const struct place a = place->a, b = place->b;
    const struct place c = find_place(work, blocks, ket->a, HF_ATOM_C);
    const struct place d = find_place(work, blocks, ket->b, HF_ATOM_C);
    struct hf_digest_quartet quartet = {.value = value};
    quartet.degeneracy =
        (bra->a == bra->b ? 1.0 : 2.0) * (ket->a == ket->b ? 1.0 : 2.0) * (bra == ket ? 1.0 : 2.0);
    const struct place as_computed[2][4] = {{c, d, a, b}, {a, b, c, d}};
    digest_quartet(work, blocks, wanted, &quartet, as_computed[bra_is_row]);
}

/** Stores a quartet if the plan has it. */
static void record(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                   const struct hf_shell_pair *ket, int range, bool bra_is_row, size_t n,
                   const double *value)
{
    if (!hf_store_plan_has(work->plan, bra, ket)) return;
    const struct hf_shell_pair *list = work->pairs->pair;
    const struct hf_stored_quartet quartet = {.bra = (int32_t)(bra - list),
                                              .ket = (int32_t)(ket - list),
                                              .range = (int16_t)range,
                                              .fixed_is_row = bra_is_row,
                                              .n = (int32_t)n};
    const bool narrow = bra->bound * ket->bound < work->plan->narrow;
    if (!hf_integral_store_append(work->store, quartet, narrow, value)) work->store_failed = true;
}

/** Computes and digests the quartets that wait for a bra. */
static void flush(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                  struct hf_quartet_queue *queue)
{
    struct bra_place place = {0};
    const int n = queue->n;
    if (n == 0) return;
    const struct hf_integral_batch batch = hf_engine_two_electron(work->engine, bra, n, queue->ket);
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *ket = queue->ket[i];
        const double *value = batch.value + (size_t)i * batch.stride;
        const struct hf_waiting_ket *waiting = &queue->waiting[i];
        find_bra(work, work->range[waiting->range].blocks, bra, &place);
        digest_pairs(work, &place, ket, waiting, batch.fixed_is_row, value);
        if (work->store_use == HF_STORE_RECORD)
            record(work, bra, ket, waiting->range, batch.fixed_is_row, batch.stride, value);
    }
    work->n_computed += n;
    queue->n = 0;
}

static void flush_all(struct hf_quartet_work *work, const struct hf_shell_pair *bra)
{
    for (int c = 0; c < work->pairs->n_class; c++) flush(work, bra, &work->queue[c]);
}

static void add_to_queue(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                         const struct hf_shell_pair *ket, struct hf_waiting_ket waiting)
{
    struct hf_quartet_queue *queue = &work->queue[ket->pair_class];
    queue->ket[queue->n] = ket;
    queue->waiting[queue->n++] = waiting;
    if (queue->n == HF_MAX_BATCH) flush(work, bra, queue);
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

/** Whether a quartet, whose bound is given, adds to J and to K: by the largest density elements it
 *  would meet there (book Fig. 8.2's six blocks). */
static struct hf_waiting_ket screen(const struct hf_quartet_work *work,
                                    const struct hf_quartet_blocks *blocks,
                                    const struct bra_bounds *bra, const struct hf_shell_pair *ket,
                                    double bound, int range)
{
    const struct place c = find_place(work, blocks, ket->a, HF_ATOM_C);
    const struct place d = find_place(work, blocks, ket->b, HF_ATOM_C);
    const double threshold = work->screening->threshold;
    struct hf_waiting_ket result = {.range = range};
    if (blocks->coulomb) {
        const double *row = blocks->largest[c.atom][d.atom] + c.bound * blocks->n_shell[d.atom];
        result.coulomb = bound * larger(bra->coulomb, row[d.bound]) >= threshold;
    }
    if (blocks->exchange) {
        const int at_c = c.atom - HF_ATOM_C, at_d = d.atom - HF_ATOM_C;
        const double largest = larger(larger(bra->a_row[at_c][c.bound], bra->a_row[at_d][d.bound]),
                                      larger(bra->b_row[at_c][c.bound], bra->b_row[at_d][d.bound]));
        result.exchange = bound * largest >= threshold;
    }
    return result;
}

/** Puts the kets of a range that pass the screening into the queues of their classes. */
static void queue_kets(struct hf_quartet_work *work, const struct hf_shell_pair *bra, int64_t begin,
                       int64_t end, int range)
{
    const struct hf_quartet_blocks *blocks = work->range[range].blocks;
    const struct bra_bounds bounds = find_bra_bounds(work, blocks, bra);
    const double threshold = work->screening->threshold;
    const double max_density = work->screening->max_density;
    for (int64_t k = begin; k < end; k++) {
        const struct hf_shell_pair *ket = &work->pairs->pair[k];
        const double bound = bra->bound * ket->bound;
        const bool stored =
            work->store_use != HF_STORE_NONE && hf_store_plan_has(work->plan, bra, ket);
        if (stored && work->store_use == HF_STORE_SKIP) continue;
        if (!stored && bound * max_density < threshold) continue;
        const struct hf_waiting_ket waiting = screen(work, blocks, &bounds, ket, bound, range);
        if (stored || waiting.coulomb || waiting.exchange) add_to_queue(work, bra, ket, waiting);
    }
}

/** Products of bounds below which nothing is to be done. */
static double least_bound(const struct hf_quartet_work *work)
{
    const double least = work->screening->threshold / work->screening->max_density;
    return work->store_use == HF_STORE_RECORD && work->plan->smallest < least ? work->plan->smallest
                                                                              : least;
}

void hf_quartets_compute(struct hf_quartet_work *work, int64_t bra_begin, int64_t bra_end, int n,
                         const struct hf_ket_range range[])
{
    const double least = least_bound(work);
    work->range = range;
    for (int64_t k = bra_begin; k < bra_end; k++) {
        const struct hf_shell_pair *bra = &work->pairs->pair[k];
        for (int i = 0; i < n; i++) {
            if (bra->bound * range[i].bound < least) continue;
            const bool cut = range[i].triangle && range[i].end > k + 1;
            queue_kets(work, bra, range[i].begin, cut ? k + 1 : range[i].end, i);
        }
        flush_all(work, bra);
    }
}

void hf_quartets_read(struct hf_quartet_work *work, const struct hf_integral_store *store,
                      const struct hf_store_segment *segment, const struct hf_ket_range range[])
{
    const struct hf_shell_pair *list = work->pairs->pair, *bra_before = NULL;
    struct hf_store_cursor cursor = hf_integral_store_open(segment);
    const struct hf_stored_quartet *quartet;
    struct bra_place place = {0};
    const double *value;
    const enum hf_store_use use = work->store_use;
    work->store_use = HF_STORE_NONE; /* of what is computed again */
    work->range = range;
    while ((quartet = hf_integral_store_next(store, &cursor, work->scratch, &value)) != NULL) {
        const struct hf_shell_pair *bra = &list[quartet->bra], *ket = &list[quartet->ket];
        const struct hf_quartet_blocks *blocks = range[quartet->range].blocks;
        if (bra_before != NULL && bra != bra_before) flush_all(work, bra_before);
        bra_before = bra;
        const struct bra_bounds bounds = find_bra_bounds(work, blocks, bra);
        const struct hf_waiting_ket waiting =
            screen(work, blocks, &bounds, ket, bra->bound * ket->bound, quartet->range);
        if (!waiting.coulomb && !waiting.exchange) continue;
        if (quartet->kind == HF_STORED_NOTHING) {
            add_to_queue(work, bra, ket, waiting);
        } else {
            find_bra(work, blocks, bra, &place);
            digest_pairs(work, &place, ket, &waiting, quartet->fixed_is_row, value);
            work->n_read++;
        }
    }
    if (bra_before != NULL) flush_all(work, bra_before);
    work->store_use = use;
}
