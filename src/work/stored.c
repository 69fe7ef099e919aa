/* Stored integrals in a round. The first round stores the quartets of the plan, with the accuracy that the last
 * rounds need. Later rounds read them back and compute the rest. If the plan depends on measured times, the
 * first round measures and the second one stores. Stored parts stay with their rank; only the remaining tasks
 * are scheduled. */
#include "work_private.h"

#include <math.h>

/** Factors of later rounds may be larger by this ratio; beyond it integrals are stored again. */
static const double FACTOR_MARGIN = 4.0;

/** Bytes stored by a thread after which the time for memory is known. */
static const double LEARNT_BYTES = 1 << 25;

/** Share of the memory that is planned, since the stores of threads are unequal. Strips that do not fit are
 *  computed again. */
static const double FILL = 0.9;

/** Most memory that is probed, in bytes and as a share of what a rank may store. */
static const double PROBE_BYTES = 1 << 24, PROBE_SHARE = 0.0625;

/** Time of double precision over that of single precision, used if too few calls of one were measured. */
static const double DOUBLE_PER_SINGLE = 1.7;

/** Share of the cost that calls of one precision must have, so that its time is known. */
static const double KNOWN_SHARE = 0.02;

void hf_work_drop_store(struct hf_work *work)
{
    for (int i = 0; i < work->n_worker; i++) hf_integral_store_destroy(&work->worker[i].store);
    work->stored = false;
}

/** Least product of bounds that is stored if factors are at most `largest`. */
static double smallest_stored(const struct hf_work *work, double largest)
{
    return work->settings.store_threshold / (FACTOR_MARGIN * fmax(1.0, largest));
}

/** Plans what is stored of the quartets that matter for factors up to work->largest and for those of `lasting`. */
static hf_status make_plan(struct hf_work *work, const struct hf_lasting *lasting,
                           const struct hf_store_prices *prices, struct hf_error *error)
{
    const double bytes = FILL * work->settings.memory_bytes * (double)work->context->n_rank;
    const double sharp = smallest_stored(work, work->largest);
    work->plan =
        (struct hf_store_plan){.sharp = sharp,
                               .smallest = sharp,
                               .lasting = lasting,
                               .least = fmin(work->settings.store_threshold, work->threshold)};
    const hf_status status = hf_store_plan_make(work->pairs, bytes, prices, &work->plan, error);
    work->plan.part_smallest = fmin(work->plan.smallest, work->threshold / work->largest);
    work->plan.part_least = fmin(work->plan.least, work->threshold);
    return status;
}

bool hf_work_begins_storing(const struct hf_work *work, double threshold, double largest)
{
    if (work->settings.memory_bytes <= 0.0) return false;
    if (work->stored && threshold / largest >= work->plan.sharp) return false;
    return !work->settings.store_weighed ||
           (work->prices.compute > 0.0 &&
            !(work->outlook.n_build > 0 && work->outlook.bytes == 0.0));
}

void hf_work_learn_prices(struct hf_work *work)
{
    enum { N = HF_PRECISION_SINGLE + 1 };
    double sum[2 * N] = {0.0};
    for (int i = 0; i < work->n_worker; i++) {
        for (int k = 0; k < N; k++) {
            sum[k] += work->worker[i].sampled[k].seconds;
            sum[N + k] += work->worker[i].sampled[k].cost;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2 * N, MPI_DOUBLE, MPI_SUM, work->context->comm);
    const double *seconds = sum, *cost = sum + N;
    const double all = cost[HF_PRECISION_DOUBLE] + cost[HF_PRECISION_SINGLE];
    if (!(all > 0.0)) return;
    const bool has_double = cost[HF_PRECISION_DOUBLE] >= KNOWN_SHARE * all;
    const bool has_single = cost[HF_PRECISION_SINGLE] >= KNOWN_SHARE * all;
    struct hf_store_prices *prices = &work->prices;
    if (has_double) prices->compute = seconds[HF_PRECISION_DOUBLE] / cost[HF_PRECISION_DOUBLE];
    if (has_single) prices->single = seconds[HF_PRECISION_SINGLE] / cost[HF_PRECISION_SINGLE];
    if (!has_double) prices->compute = DOUBLE_PER_SINGLE * prices->single;
    if (!work->settings.single || !has_single) prices->single = prices->compute;
}

/** Finds prices.touch, of the slowest rank. Collective. */
static void probe_memory(struct hf_work *work)
{
    const double of_rank = work->plan.choice.bytes / (double)work->context->n_rank;
    const size_t n = (size_t)fmax(1.0, fmin(PROBE_BYTES, PROBE_SHARE * of_rank));
    double price = 0.0;
    void *memory =
        hf_memory_allocate_unset(work->context->memory, HF_MEMORY_STORED, "probe of memory", n);
    if (memory != NULL) price = hf_touch_seconds(memory, n) / (double)n;
    hf_memory_release(work->context->memory, memory);
    const double kept = (double)hf_memory_kept_bytes(work->context->memory);
    price *= fmax(0.0, 1.0 - kept / fmax(1.0, of_rank));
    MPI_Allreduce(MPI_IN_PLACE, &price, 1, MPI_DOUBLE, MPI_MAX, work->context->comm);
    work->prices.touch = fmax(price, work->prices.least_touch);
}

/** Decides whether storing is worthwhile: first as if fresh memory took no time, then with its measured time.
 *  Collective; equal on every rank. */
static hf_status weigh(struct hf_work *work, const struct hf_lasting *lasting,
                       struct hf_error *error)
{
    hf_status status;
    struct hf_store_prices *prices = &work->prices;
    const struct hf_store_choice *choice = &work->plan.choice;
    prices->touch = 0.0;
    prices->stage = fmax(1.0, work->threshold / work->settings.store_threshold);
    HF_TRY(hf_agree(work->context->comm, make_plan(work, lasting, prices, error), error));
    if (choice->bytes > 0.0) {
        probe_memory(work);
        status = make_plan(work, lasting, prices, error);
        work->most_touch = hf_store_most_touch(choice, prices->touch);
    }
    work->outlook = (struct hf_store_outlook){
        .n_build = hf_store_n_build(prices->stage),
        .bytes = choice->bytes,
        .store_seconds = choice->store_seconds / work->context->n_rank / work->n_worker,
        .saved_seconds = choice->saved_seconds / work->context->n_rank / work->n_worker};
cleanup:
    return status;
}

/** Collective. */
static hf_status begin_storing(struct hf_work *work, const struct hf_lasting *lasting,
                               struct hf_error *error)
{
    const double memory = work->settings.memory_bytes / work->n_worker;
    const bool weighed = work->settings.store_weighed;
    const hf_status status =
        weighed ? weigh(work, lasting, error) : make_plan(work, lasting, NULL, error);
    if (status != HF_OK || (weighed && work->plan.choice.bytes == 0.0)) return status;
    work->store_use = HF_STORE_FILL;
    for (int i = 0; i < work->n_worker; i++) {
        const hf_status made =
            hf_integral_store_create(work->pairs, memory, &work->worker[i].store, error);
        if (made != HF_OK) return made;
    }
    return HF_OK;
}

/** Threshold of primitive quartets. All primitives left out of a quartet may together be as large as a quartet
 *  that screening leaves out: threshold / largest factor. Stored quartets also serve later rounds and are
 *  computed with the accuracy of the plan. */
double hf_work_primitive_threshold(const struct hf_work *work, enum hf_store_use use)
{
    const double share = 0.1;
    if (use == HF_STORE_FILL) return share * work->plan.sharp;
    return share * work->threshold / work->largest;
}

void hf_work_look_at_store(struct hf_worker *worker)
{
    const struct hf_work *work = worker->work;
    if (!work->settings.store_weighed || worker->store_dropped ||
        (double)hf_integral_store_bytes(worker->store) < LEARNT_BYTES ||
        hf_integral_store_touch(worker->store) <= work->most_touch)
        return;
    worker->store_dropped = true;
    hf_engine_set_threshold(worker->engine, hf_work_primitive_threshold(work, HF_STORE_NONE));
}

void hf_work_keep_store(struct hf_work *work)
{
    double touch = 0.0;
    for (int i = 0; i < work->n_worker; i++)
        if (work->worker[i].store_dropped)
            touch = fmax(touch, hf_integral_store_touch(work->worker[i].store));
    MPI_Allreduce(MPI_IN_PLACE, &touch, 1, MPI_DOUBLE, MPI_MAX, work->context->comm);
    work->stored = true;
    if (touch == 0.0) return;
    work->prices.least_touch = touch;
    hf_work_drop_store(work);
}

hf_status hf_work_prepare_store(struct hf_work *work, const struct hf_round *round,
                                struct hf_error *error)
{
    const double least = work->threshold / work->largest;
    const bool begins = hf_work_begins_storing(work, work->threshold, work->largest);
    work->store_use = HF_STORE_NONE;
    work->lasts = round->lasts;
    work->prices_wanted = work->settings.store_weighed && work->settings.memory_bytes > 0.0 &&
                          work->prices.compute == 0.0;
    if (work->stored && least < work->plan.sharp) hf_work_drop_store(work);
    if (work->stored)
        work->store_use = HF_STORE_SKIP;
    else if (begins && !round->passing)
        HF_CHECK(hf_agree(work->context->comm, begin_storing(work, round->lasting, error), error));
    for (int i = 0; i < work->n_worker; i++) {
        struct hf_worker *worker = &work->worker[i];
        worker->store_failed = worker->store_dropped = false;
        worker->next_segment = 0;
    }
    work->least_bound = work->store_use == HF_STORE_FILL ? fmin(work->plan.smallest, least) : least;
    return HF_OK;
}

bool hf_work_next_stored(struct hf_worker *worker, struct hf_part *part)
{
    struct hf_work *work = worker->work;
    if (work->store_use != HF_STORE_SKIP) return false;
    for (int i = 0; i < work->n_worker; i++) { /* its own store first */
        const int number = (worker->number + i) % work->n_worker;
        struct hf_worker *owner = &work->worker[number];
        const int64_t index = atomic_fetch_add(&owner->next_segment, 1);
        if (index >= hf_integral_store_n_segment(owner->store)) continue;
        const struct hf_store_segment segment = hf_integral_store_segment(owner->store, index);
        hf_work_find_stored_part(worker, segment.task, segment.part, part);
        part->stored = true;
        part->worker = number;
        part->segment = index;
        return true;
    }
    return false;
}

bool hf_work_needs_tasks(const struct hf_work *work)
{
    const struct hf_store_plan *plan = &work->plan;
    if (work->store_use != HF_STORE_SKIP || plan->cutoff > 0.0) return true;
    if (plan->lasting != NULL) return !work->lasts || work->threshold < plan->least;
    return work->threshold / work->largest < plan->smallest;
}
