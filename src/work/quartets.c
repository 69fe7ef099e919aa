/* The quartets of a part: screened, put into queues, computed or read back, handed to a consumer. */
#include "work_private.h"

#include <stdlib.h>

hf_status hf_worker_init(struct hf_worker *worker, struct hf_work *work, int number,
                         struct hf_error *error)
{
    *worker = (struct hf_worker){.work = work, .number = number};
    worker->queue = calloc((size_t)work->pairs->n_class * HF_N_QUEUE + 1, sizeof *worker->queue);
    size_t largest = 1; /* functions of a pair */
    for (int i = 0; i < work->pairs->n_class; i++)
        if ((size_t)work->pairs->class_of[i].n_function > largest)
            largest = (size_t)work->pairs->class_of[i].n_function;
    worker->single = hf_memory_allocate(work->context->memory, "rounded integrals",
                                        HF_LANES * largest * largest, sizeof *worker->single);
    if (worker->queue == NULL || worker->single == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the batches of quartets");
    return hf_engine_create(work->pairs, &worker->engine, error);
}

void hf_worker_done(struct hf_worker *worker)
{
    hf_engine_destroy(&worker->engine);
    free(worker->queue);
    worker->queue = NULL;
    if (worker->work != NULL) hf_memory_release(worker->work->context->memory, worker->single);
    worker->single = NULL;
}

/** Stores a batch just computed. */
static void keep(struct hf_worker *worker, const struct hf_quartet_batch *batch)
{
    const struct hf_shell_pair *list = worker->work->pairs->pair;
    struct hf_stored_batch stored = {.bra = (int32_t)(batch->bra - list),
                                     .n = (int32_t)batch->n_value,
                                     .n_quartet = (int16_t)batch->n,
                                     .bra_is_row = batch->bra_is_row,
                                     .side_by_side = batch->side_by_side ? HF_LANES : 1};
    for (int l = 0; l < batch->n; l++) {
        stored.ket[l] = (int32_t)(batch->ket[l].pair - list);
        stored.place[l] = batch->ket[l].place;
    }
    if (!hf_integral_store_append(worker->store, stored, batch->value, batch->single))
        worker->store_failed = true;
}

/** Rounds a batch to single precision. */
static void round_batch(struct hf_worker *worker, struct hf_quartet_batch *batch)
{
    const size_t n = (size_t)batch->n_value * (batch->side_by_side ? HF_LANES : 1);
    for (size_t i = 0; i < n; i++) worker->single[i] = (float)batch->value[i];
    batch->value = NULL;
    batch->single = worker->single;
}

/** Hands over what the engine made of a queue, batch by batch. */
static void hand_over(struct hf_worker *worker, const struct hf_shell_pair *bra, int kind,
                      const struct hf_quartet_queue *queue, const struct hf_integral_batch *made,
                      double seconds)
{
    const int group = made->order != NULL ? HF_LANES : 1;
    struct hf_quartet_batch batch = {.bra = bra,
                                     .side_by_side = made->order != NULL,
                                     .bra_is_row = made->fixed_is_row,
                                     .n_value = (int)made->stride};
    for (int first = 0; first < queue->n; first += batch.n) {
        const int left = queue->n - first;
        batch.n = left < group ? left : group;
        batch.value = made->value + (size_t)first * made->stride;
        batch.seconds = seconds * batch.n / queue->n;
        for (int l = 0; l < batch.n; l++)
            batch.ket[l] = queue->ket[made->order != NULL ? made->order[first + l] : first + l];
        batch.single = NULL;
        if (kind == HF_QUEUE_NARROW) round_batch(worker, &batch);
        worker->consumer->take(worker->self, &batch);
        if (kind != HF_QUEUE_PLAIN && worker->work->store_use == HF_STORE_FILL)
            keep(worker, &batch);
    }
}

/** Counts numbers computed or read, and looks now and then whether the round is to end. */
static void count_towards_look(struct hf_worker *worker, size_t n_number)
{
    /* A number of high shells takes a nanosecond, a call of the engine for contracted shells up to
     * milliseconds: looks are a few milliseconds apart, and reading the clock costs 25 nanoseconds. */
    enum { PER_CALL = 1 << 12, PER_LOOK = 1 << 16 };
    worker->since_look += n_number + PER_CALL;
    if (worker->since_look < PER_LOOK) return;
    worker->since_look = 0;
    worker->interrupted = hf_work_is_interrupted(worker->work);
}

/** Computes and hands over the quartets that wait for a bra in a queue of that kind; forgets them when
 *  the round is to end. */
static void flush(struct hf_worker *worker, const struct hf_shell_pair *bra, int kind,
                  struct hf_quartet_queue *queue)
{
    if (worker->interrupted) queue->n = 0;
    if (queue->n == 0) return;
    const bool timed = worker->work->settings.timed;
    const double start = timed ? hf_wall_seconds() : 0.0;
    const struct hf_integral_batch made =
        hf_engine_two_electron_lanes(worker->engine, bra, queue->n, queue->pair);
    hand_over(worker, bra, kind, queue, &made, timed ? hf_wall_seconds() - start : 0.0);
    worker->n_computed += queue->n;
    count_towards_look(worker, (size_t)queue->n * made.stride);
    queue->n = 0;
}

static void flush_all(struct hf_worker *worker, const struct hf_shell_pair *bra)
{
    for (int q = 0; q < worker->work->pairs->n_class * HF_N_QUEUE; q++)
        flush(worker, bra, q % HF_N_QUEUE, &worker->queue[q]);
}

static void add_to_queue(struct hf_worker *worker, const struct hf_shell_pair *bra,
                         const struct hf_waiting_ket *ket)
{
    struct hf_quartet_queue *queue =
        &worker->queue[ket->pair->pair_class * HF_N_QUEUE + ket->queue];
    queue->pair[queue->n] = ket->pair;
    queue->ket[queue->n++] = *ket;
    if (queue->n == worker->work->settings.largest_queue) flush(worker, bra, ket->queue, queue);
}

/** Asks the consumer about the block of kets, and queues those it wants and those to be stored. */
static void queue_block(struct hf_worker *worker, const struct hf_shell_pair *bra)
{
    if (worker->n_block == 0) return;
    worker->consumer->bound(worker->self, bra, worker->n_block, worker->block);
    for (int i = 0; i < worker->n_block; i++) {
        const struct hf_waiting_ket *ket = &worker->block[i];
        if (ket->wanted || ket->queue != HF_QUEUE_PLAIN) add_to_queue(worker, bra, ket);
    }
    worker->n_block = 0;
}

/** The queue of a quartet that the plan has: its own bounds alone decide. */
static uint8_t queue_of(const struct hf_store_plan *plan, const struct hf_shell_pair *bra,
                        const struct hf_shell_pair *ket)
{
    return bra->bound * ket->bound < plan->narrow ? HF_QUEUE_NARROW : HF_QUEUE_STORED;
}

/** The kets of one pair of atoms that matter, into the block. */
static void find_kets(struct hf_worker *worker, const struct hf_shell_pair *bra,
                      const struct hf_part_ket *kets, int place)
{
    const struct hf_work *work = worker->work;
    const struct hf_store_plan *plan = &work->plan;
    const enum hf_store_use use = work->store_use;
    const double least = work->threshold / work->largest;
    const int64_t last = bra - work->pairs->pair; /* of a triangle */
    const int64_t end = kets->triangle && kets->end > last + 1 ? last + 1 : kets->end;
    for (int64_t k = kets->begin; k < end; k++) {
        const struct hf_shell_pair *ket = &work->pairs->pair[k];
        const double bound = bra->bound * ket->bound;
        uint8_t queue = HF_QUEUE_PLAIN;
        if (use != HF_STORE_NONE && hf_store_plan_has(plan, bra, ket)) {
            if (use == HF_STORE_SKIP) continue;
            queue = queue_of(plan, bra, ket);
        } else if (bound < least) {
            continue;
        }
        worker->block[worker->n_block++] =
            (struct hf_waiting_ket){.pair = ket, .place = (int16_t)place, .queue = queue};
        if (worker->n_block == HF_KET_BLOCK) queue_block(worker, bra);
    }
}

void hf_worker_compute(struct hf_worker *worker, const struct hf_part *part)
{
    const struct hf_work *work = worker->work;
    for (int64_t k = part->bra_begin; k < part->bra_end && !worker->interrupted; k++) {
        const struct hf_shell_pair *bra = &work->pairs->pair[k];
        for (int i = 0; i < part->n_ket; i++)
            if (bra->bound * part->ket[i].atoms->bound >= work->least_bound)
                find_kets(worker, bra, &part->ket[i], i);
        queue_block(worker, bra);
        flush_all(worker, bra);
    }
}

/** A stored batch as the consumer wants it; false: it wants nothing of it. */
static bool open_batch(const struct hf_worker *worker, const struct hf_stored_batch *stored,
                       struct hf_quartet_batch *batch)
{
    const struct hf_shell_pair *list = worker->work->pairs->pair;
    bool any = false;
    batch->bra = &list[stored->bra];
    batch->n = stored->n_quartet;
    batch->side_by_side = stored->side_by_side > 1;
    batch->bra_is_row = stored->bra_is_row;
    batch->n_value = stored->n;
    for (int l = 0; l < HF_LANES && l < batch->n; l++)
        batch->ket[l] =
            (struct hf_waiting_ket){.pair = &list[stored->ket[l]], .place = stored->place[l]};
    worker->consumer->bound(worker->self, batch->bra, batch->n, batch->ket);
    for (int l = 0; l < HF_LANES && l < batch->n; l++) any = any || batch->ket[l].wanted;
    return any;
}

void hf_worker_read(struct hf_worker *worker, const struct hf_part *part)
{
    const struct hf_integral_store *store = worker->work->worker[part->worker].store;
    const struct hf_store_segment segment = hf_integral_store_segment(store, part->segment);
    struct hf_store_cursor cursor = hf_integral_store_open(&segment);
    const struct hf_shell_pair *bra_before = NULL;
    const struct hf_stored_batch *stored;
    struct hf_quartet_batch batch = {0};
    while (!worker->interrupted &&
           (stored = hf_integral_store_next(store, &cursor, &batch.value, &batch.single)) != NULL) {
        const bool wanted = open_batch(worker, stored, &batch);
        if (bra_before != NULL && batch.bra != bra_before) flush_all(worker, bra_before);
        bra_before = batch.bra;
        if (!wanted) continue;
        if (stored->kind == HF_STORED_NOTHING) { /* there was no room for the numbers */
            for (int l = 0; l < batch.n; l++) {
                batch.ket[l].queue = queue_of(&worker->work->plan, batch.bra, batch.ket[l].pair);
                add_to_queue(worker, batch.bra, &batch.ket[l]);
            }
            continue;
        }
        worker->consumer->take(worker->self, &batch);
        worker->n_read += batch.n;
        count_towards_look(worker, (size_t)batch.n_value * (size_t)stored->side_by_side);
    }
    if (bra_before != NULL) flush_all(worker, bra_before);
}
