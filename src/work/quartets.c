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
                               const struct hf_screening *screening, struct hf_error *error)
{
    *work = (struct hf_quartet_work){.pairs = pairs, .screening = screening};
    work->queue = calloc((size_t)pairs->n_class * HF_N_QUEUE + 1, sizeof *work->queue);
    if (work->queue == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the batches of quartets");
    const hf_status status = hf_digestion_init(&work->digestion, pairs, error);
    return status == HF_OK ? hf_engine_create(pairs, &work->engine, error) : status;
}

void hf_quartet_work_done(struct hf_quartet_work *work)
{
    hf_engine_destroy(&work->engine);
    hf_digestion_done(&work->digestion);
    free(work->queue);
    work->queue = NULL;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/** Quartet of a waiting ket as digestion wants it. */
static struct hf_quartet_to_add to_add(const struct hf_quartet_work *work,
                                       const struct hf_shell_pair *ket,
                                       const struct hf_waiting_ket *waiting)
{
    return (struct hf_quartet_to_add){.ket = ket,
                                      .blocks = work->range[waiting->range].blocks,
                                      .coulomb = waiting->coulomb,
                                      .exchange = waiting->exchange};
}

/** Stores quartets `which` [n] of a batch: one, or some side by side. */
static void record(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                   const struct hf_quartet_queue *queue, bool narrow, int n, const int which[],
                   const struct hf_integral_batch *batch, const double *value)
{
    const struct hf_shell_pair *list = work->pairs->pair;
    struct hf_stored_quartets quartets = {.bra = (int32_t)(bra - list),
                                          .n = (int32_t)batch->stride,
                                          .n_quartet = (int16_t)n,
                                          .fixed_is_row = batch->fixed_is_row,
                                          .side_by_side = batch->order != NULL ? HF_LANES : 1};
    for (int l = 0; l < n; l++) {
        quartets.ket[l] = (int32_t)(queue->ket[which[l]] - list);
        quartets.range[l] = (int16_t)queue->waiting[which[l]].range;
    }
    if (!hf_integral_store_append(work->store, quartets, narrow, value)) work->store_failed = true;
}

/** Adds group `first` .. of a batch, or its quartet `first`, to the sums; quartets done. */
static int add_group(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                     const struct hf_quartet_queue *queue, int kind, int first,
                     const struct hf_integral_batch *batch)
{
    const int left = queue->n - first, group = batch->order != NULL ? HF_LANES : 1;
    const int n = left < group ? left : group;
    const int *which = batch->order != NULL ? batch->order + first : &first;
    const struct hf_quartet_values values = {.value = batch->value + (size_t)first * batch->stride,
                                             .n = (int)batch->stride};
    struct hf_quartet_to_add quartet[HF_LANES];
    for (int l = 0; l < n; l++)
        quartet[l] = to_add(work, queue->ket[which[l]], &queue->waiting[which[l]]);
    if (batch->order != NULL)
        hf_add_quartets(&work->digestion, bra, n, quartet, &values);
    else
        hf_add_quartet(&work->digestion, bra, quartet, batch->fixed_is_row, &values);
    if (kind != HF_QUEUE_PLAIN)
        record(work, bra, queue, kind == HF_QUEUE_NARROW, n, which, batch, values.value);
    return n;
}

/** Computes and digests the quartets that wait for a bra in a queue of that kind. */
static void flush(struct hf_quartet_work *work, const struct hf_shell_pair *bra, int kind,
                  struct hf_quartet_queue *queue)
{
    if (queue->n == 0) return;
    const struct hf_integral_batch batch =
        hf_engine_two_electron_lanes(work->engine, bra, queue->n, queue->ket);
    for (int first = 0; first < queue->n;)
        first += add_group(work, bra, queue, kind, first, &batch);
    work->n_computed += queue->n;
    queue->n = 0;
}

static void flush_all(struct hf_quartet_work *work, const struct hf_shell_pair *bra)
{
    for (int q = 0; q < work->pairs->n_class * HF_N_QUEUE; q++)
        flush(work, bra, q % HF_N_QUEUE, &work->queue[q]);
}

static void add_to_queue(struct hf_quartet_work *work, const struct hf_shell_pair *bra,
                         const struct hf_shell_pair *ket, int kind, struct hf_waiting_ket waiting)
{
    struct hf_quartet_queue *queue = &work->queue[ket->pair_class * HF_N_QUEUE + kind];
    queue->ket[queue->n] = ket;
    queue->waiting[queue->n++] = waiting;
    if (queue->n == HF_MAX_BATCH) flush(work, bra, kind, queue);
}

/** What the screening of one bra pair needs of the densities. */
struct bra_bounds {
    struct hf_place a, b;
    double coulomb;                    /**< largest |D_ab| */
    const double *a_row[2], *b_row[2]; /**< rows of a and b in the bounds with C and D */
};

static struct bra_bounds find_bra_bounds(const struct hf_quartet_work *work,
                                         const struct hf_quartet_blocks *blocks,
                                         const struct hf_shell_pair *bra)
{
    struct bra_bounds bounds = {.a = hf_find_place(work->pairs->basis, blocks, bra->a, HF_ATOM_A),
                                .b = hf_find_place(work->pairs->basis, blocks, bra->b, HF_ATOM_A)};
    const struct hf_place *a = &bounds.a, *b = &bounds.b;
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
    const struct hf_place c = hf_find_place(work->pairs->basis, blocks, ket->a, HF_ATOM_C);
    const struct hf_place d = hf_find_place(work->pairs->basis, blocks, ket->b, HF_ATOM_C);
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
        const int kind = !stored                      ? HF_QUEUE_PLAIN
                         : bound < work->plan->narrow ? HF_QUEUE_NARROW
                                                      : HF_QUEUE_STORED;
        if (stored || waiting.coulomb || waiting.exchange)
            add_to_queue(work, bra, ket, kind, waiting);
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

/** Screens the quartets of a record; whether any adds anything. */
static bool screen_record(const struct hf_quartet_work *work,
                          const struct hf_stored_quartets *record,
                          struct hf_waiting_ket waiting[HF_LANES])
{
    const struct hf_shell_pair *list = work->pairs->pair, *bra = &list[record->bra];
    struct bra_bounds bounds = {0};
    bool any = false;
    for (int l = 0; l < HF_LANES && l < record->n_quartet; l++) {
        const int range = record->range[l];
        const struct hf_quartet_blocks *blocks = work->range[range].blocks;
        const struct hf_shell_pair *ket = &list[record->ket[l]];
        if (l == 0 || range != record->range[l - 1]) bounds = find_bra_bounds(work, blocks, bra);
        waiting[l] = screen(work, blocks, &bounds, ket, bra->bound * ket->bound, range);
        any = any || waiting[l].coulomb || waiting[l].exchange;
    }
    return any;
}

/** Adds the quartets of a record, or lets those that had no room be computed again. */
static void read_record(struct hf_quartet_work *work, const struct hf_stored_quartets *record,
                        const struct hf_quartet_values *values)
{
    const struct hf_shell_pair *list = work->pairs->pair, *bra = &list[record->bra];
    struct hf_waiting_ket waiting[HF_LANES];
    struct hf_quartet_to_add quartet[HF_LANES];
    if (!screen_record(work, record, waiting)) return;
    for (int l = 0; l < HF_LANES && l < record->n_quartet; l++) {
        const struct hf_shell_pair *ket = &list[record->ket[l]];
        quartet[l] = to_add(work, ket, &waiting[l]);
        if (record->kind == HF_STORED_NOTHING)
            add_to_queue(work, bra, ket, HF_QUEUE_PLAIN, waiting[l]);
    }
    if (record->kind == HF_STORED_NOTHING) return;
    if (record->side_by_side > 1)
        hf_add_quartets(&work->digestion, bra, record->n_quartet, quartet, values);
    else
        hf_add_quartet(&work->digestion, bra, quartet, record->fixed_is_row, values);
    work->n_read += record->n_quartet;
}

void hf_quartets_read(struct hf_quartet_work *work, const struct hf_integral_store *store,
                      const struct hf_store_segment *segment, const struct hf_ket_range range[])
{
    const struct hf_shell_pair *list = work->pairs->pair, *bra_before = NULL;
    struct hf_store_cursor cursor = hf_integral_store_open(segment);
    const struct hf_stored_quartets *record;
    struct hf_quartet_values values;
    work->range = range;
    while ((record = hf_integral_store_next(store, &cursor, &values.value, &values.single)) !=
           NULL) {
        const struct hf_shell_pair *bra = &list[record->bra];
        if (bra_before != NULL && bra != bra_before) flush_all(work, bra_before);
        bra_before = bra;
        values.n = record->n;
        read_record(work, record, &values);
    }
    if (bra_before != NULL) flush_all(work, bra_before);
}
