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
    for (int i = 0; i < work->n_worker; i++) {
        if (work->board != NULL) hf_store_board_offer(work->board, i, NULL);
        hf_integral_store_destroy(&work->worker[i].store);
    }
    work->stored = false;
}

hf_status hf_work_close_store(struct hf_work *work, struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < work->n_worker && status == HF_OK; i++)
        status = hf_integral_store_close(work->worker[i].store, error);
    return status;
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
    const double loan = work->loan_bytes > 0 ? (double)(work->loan_bytes + HF_STRIP_ROOM) : 0.0;
    const double memory = fmax(0.0, work->settings.memory_bytes / work->n_worker - loan);
    hf_status status = make_plan(work, work->largest, lasting, &work->plan, error);
    work->plan.least = fmin(work->plan.least, work->threshold);
    for (int i = 0; i < work->n_worker && status == HF_OK; i++)
        status = hf_integral_store_create(work->pairs, memory, &work->worker[i].store, error);
    work->store_use = HF_STORE_FILL;
    return status;
}

/** What is stored is to be read. The ranks have yet to agree that the round begins, so that all find all of it,
 *  and the round before has ended everywhere. */
static void offer_store(struct hf_work *work)
{
    work->store_use = HF_STORE_SKIP;
    for (int i = 0; i < work->n_worker; i++)
        hf_store_board_offer(work->board, i, work->worker[i].store);
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
        offer_store(work);
    else if (begins && !round->passing)
        status = begin_storing(work, round->lasting, error);
    for (int i = 0; i < work->n_worker; i++) work->worker[i].store_failed = false;
    work->least_bound = work->store_use != HF_STORE_NONE ? work->plan.smallest : least;
    return status;
}

bool hf_work_next_stored(struct hf_worker *worker, struct hf_part *part)
{
    struct hf_work *work = worker->work;
    struct hf_taken_segment taken;
    if (work->store_use != HF_STORE_SKIP) return false;
    if (!hf_store_board_take(work->board, worker->number, &taken)) return false;
    hf_work_find_stored_part(worker, taken.segment.task, taken.segment.part, part);
    part->stored = true;
    part->neighbour = taken.neighbour;
    part->worker = taken.worker;
    part->segment = taken.index;
    return true;
}

bool hf_work_open_stored(struct hf_worker *worker, const struct hf_part *part,
                         struct hf_store_chunk *loan, struct hf_store_cursor *cursor)
{
    const struct hf_work *work = worker->work;
    if (!hf_store_board_is_far(work->board, part->neighbour)) {
        const struct hf_integral_store *store = work->worker[part->worker].store;
        const struct hf_store_segment segment = hf_integral_store_segment(store, part->segment);
        *cursor = hf_integral_store_open(store, &segment);
        return true;
    }
    if (worker->loan == NULL)
        worker->loan =
            hf_memory_allocate_unset(work->context->memory, HF_MEMORY_STORED,
                                     "another rank's integrals", work->loan_bytes + HF_STRIP_ROOM);
    return worker->loan != NULL && hf_store_board_read(work->board, part->neighbour, part->worker,
                                                       part->segment, worker->loan, loan, cursor);
}

bool hf_work_needs_tasks(const struct hf_work *work)
{
    return work->store_use != HF_STORE_SKIP || work->plan.cutoff > 0.0 ||
           (work->plan.lasting != NULL && !work->lasts);
}
