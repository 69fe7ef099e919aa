/* What a round does about stored integrals. The first round at the final threshold stores what the
 * plan has; later rounds read that back and compute the rest. Stored parts stay with the rank that
 * holds them; only the rest is shared out. */
#include "work_private.h"

#include <math.h>

/** Later rounds may have larger factors than the first by this much before everything is stored
 *  anew. */
static const double FACTOR_MARGIN = 4.0;

/** Ranks and threads do not store quite the same; what does not fit is computed again. */
static const double FILL = 0.9;

void hf_work_drop_store(struct hf_work *work)
{
    for (int i = 0; i < work->n_worker; i++) hf_integral_store_destroy(&work->worker[i].store);
    work->stored = false;
}

/** Least product of bounds that is stored where factors go up to `largest`. */
static double smallest_stored(const struct hf_work *work, double largest)
{
    return work->settings.store_threshold / (FACTOR_MARGIN * fmax(1.0, largest));
}

/** What can be stored of the quartets that matter where factors go up to `largest`, and of those that
 *  last. */
static hf_status make_plan(const struct hf_work *work, double largest,
                           const struct hf_lasting *lasting, struct hf_store_plan *plan,
                           struct hf_error *error)
{
    const double bytes = FILL * work->settings.memory_bytes * (double)work->context->n_rank;
    *plan = (struct hf_store_plan){.smallest = smallest_stored(work, largest),
                                   .lasting = lasting,
                                   .least = work->settings.store_threshold};
    return hf_store_plan_make(work->pairs, bytes, plan, error);
}

hf_status hf_work_expect_store(struct hf_work *work, struct hf_error *error)
{
    return work->settings.store_lasting ? HF_OK : hf_work_expect_lasting(work, NULL, error);
}

hf_status hf_work_expect_lasting(struct hf_work *work, const struct hf_lasting *lasting,
                                 struct hf_error *error)
{
    struct hf_store_plan plan;
    if (work->settings.memory_bytes <= 0.0) return HF_OK;
    const hf_status status = make_plan(work, 1.0, lasting, &plan, error);
    if (status == HF_OK) work->expected_share = plan.share;
    return status;
}

bool hf_work_begins_storing(const struct hf_work *work, double threshold, double largest)
{
    if (work->settings.memory_bytes <= 0.0) return false;
    if (work->stored && threshold / largest >= work->plan.smallest) return false;
    return threshold <= work->settings.store_threshold;
}

double hf_work_stored_share(const struct hf_work *work)
{
    return work->expected_share;
}

static hf_status begin_storing(struct hf_work *work, const struct hf_lasting *lasting,
                               struct hf_error *error)
{
    const double memory = work->settings.memory_bytes;
    hf_status status = make_plan(work, work->largest, lasting, &work->plan, error);
    work->plan.least = fmin(work->plan.least, work->threshold);
    for (int i = 0; i < work->n_worker && status == HF_OK; i++)
        status = hf_integral_store_create(work->pairs, memory / work->n_worker,
                                          &work->worker[i].store, error);
    work->store_use = HF_STORE_FILL;
    return status;
}

hf_status hf_work_prepare_store(struct hf_work *work, const struct hf_round *round,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    const double least = work->threshold / work->largest;
    const bool begins = hf_work_begins_storing(work, work->threshold, work->largest);
    work->store_use = HF_STORE_NONE;
    work->lasts = round->lasts;
    if (work->stored && least < work->plan.smallest) hf_work_drop_store(work);
    if (work->stored)
        work->store_use = HF_STORE_SKIP;
    else if (begins && !round->passing)
        status = begin_storing(work, round->lasting, error);
    for (int i = 0; i < work->n_worker; i++) work->worker[i].store_failed = false;
    work->least_bound = work->store_use != HF_STORE_NONE ? work->plan.smallest : least;
    return status;
}

bool hf_work_next_stored(struct hf_worker *worker, struct hf_part *part)
{
    struct hf_work *work = worker->work;
    struct hf_round_state *round = &work->round;
    const struct hf_integral_store *store = NULL;
    int64_t index = 0;
    int reader = 0;
    if (work->store_use != HF_STORE_SKIP) return false;
    pthread_mutex_lock(&round->store_lock);
    for (; round->reader < work->n_worker; round->reader++, round->segment = 0) {
        store = work->worker[round->reader].store;
        if (round->segment < hf_integral_store_n_segment(store)) break;
        store = NULL;
    }
    if (store != NULL) {
        reader = round->reader;
        index = round->segment++;
    }
    pthread_mutex_unlock(&round->store_lock);
    if (store == NULL) return false;
    const struct hf_store_segment segment = hf_integral_store_segment(store, index);
    hf_work_find_stored_part(worker, segment.task, segment.part, part);
    part->stored = true;
    part->worker = reader;
    part->segment = index;
    return true;
}

bool hf_work_needs_tasks(const struct hf_work *work)
{
    return work->store_use != HF_STORE_SKIP || work->plan.cutoff > 0.0 ||
           (work->plan.lasting != NULL && !work->lasts);
}
