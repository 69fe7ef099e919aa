/* Places of chunks; see chunks.h. */
#include "chunks.h"

#include <math.h>

enum {
    /** A chunk of the last stage has a thousandth of an even share, or a few tasks. */
    MOST_HALVINGS = 8,
    LAST_CHUNKS = 4,
};

void hf_chunk_plan_make(const struct hf_task_levels *levels, int n_worker,
                        struct hf_chunk_plan *plan)
{
    const int64_t n = n_worker;
    int64_t left;
    plan->n_worker = n_worker;
    plan->n_halving = 0;
    hf_cost_list_make(levels, &plan->list);
    left = plan->list.n_task;
    while (plan->n_halving < MOST_HALVINGS) {
        const double before = plan->list.total * (1.0 - ldexp(1.0, -(plan->n_halving + 1)));
        const int64_t then = plan->list.n_task - hf_cost_position(&plan->list, before);
        if (then < LAST_CHUNKS * n) break;
        left = then;
        plan->n_halving++;
    }
    plan->one_by_one = left < LAST_CHUNKS * n;
    plan->n_last = plan->one_by_one ? (int)((left + n - 1) / n) : LAST_CHUNKS;
}

/** Where chunk `number` of a stage begins, counted over all workers. */
static int64_t begin_of(const struct hf_chunk_plan *plan, int stage, int64_t number)
{
    if (plan->one_by_one) return number < plan->list.n_task ? number : plan->list.n_task;
    const double left = ldexp(plan->list.total, -stage);
    const double chunk = stage < plan->n_halving ? 0.5 * left / plan->n_worker
                                                 : left / ((double)plan->n_worker * plan->n_last);
    return hf_cost_position(&plan->list, plan->list.total - left + chunk * (double)number);
}

struct hf_chunk hf_chunk_of(const struct hf_chunk_plan *plan, int64_t round, int worker)
{
    const int stage = round < plan->n_halving ? (int)round : plan->n_halving;
    const int64_t number = (round - stage) * plan->n_worker + worker;
    const bool last_stage = stage == plan->n_halving;
    const bool last = number + 1 == (int64_t)plan->n_worker * (last_stage ? plan->n_last : 1);
    struct hf_chunk chunk = {.begin = begin_of(plan, stage, number)};
    if (!last)
        chunk.end = begin_of(plan, stage, number + 1);
    else
        chunk.end = last_stage ? plan->list.n_task : begin_of(plan, stage + 1, 0);
    return chunk;
}

void hf_chunk_taker_start(struct hf_chunk_taker *taker, const struct hf_task_levels *levels,
                          int n_worker, bool own_first)
{
    hf_chunk_plan_make(levels, n_worker, &taker->plan);
    taker->asked = taker->own;
    taker->chunk = (struct hf_chunk){0, 0};
    taker->begun = !own_first;
    taker->finished = false;
}

void hf_chunk_taker_fill(struct hf_chunk_taker *taker, int worker,
                         struct hf_chunk_number (*ask)(void *data), void *data)
{
    while (hf_chunk_is_empty(&taker->chunk) && !taker->finished) {
        struct hf_chunk_number number = {0, worker};
        if (taker->begun) number = ask(data);
        taker->begun = true;
        if (number.round < 0)
            taker->finished = !hf_next_group(&taker->own, &taker->asked);
        else
            taker->chunk = hf_chunk_of(&taker->plan, number.round, (int)number.worker);
    }
}
