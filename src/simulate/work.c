/* Quartet work without integrals: tasks are the recorded ones, and have no quartets. work/round.c and work/pass.c run them
 * as they are. */
#include "recorded.h"

#include "clock.h"
#include "work/work_private.h"

#include <stdlib.h>

/** The order of the recorded tasks. */
struct hf_task_costs {
    const struct hf_trace *trace;
};

hf_status hf_work_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_work_settings *settings, struct hf_work **work,
                         struct hf_error *error)
{
    hf_status status;
    struct hf_work *made = *work = HF_NEW(made, context->memory, "the work on quartets");
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
    made->context = context;
    made->pairs = pairs;
    made->settings = *settings;
    made->n_worker = settings->n_thread > 1 ? settings->n_thread : 1;
    pthread_mutex_init(&made->round.lock, NULL);
    HF_TAKE(&made->arena, made->tasks, 1); /* round.c reads their number alone */
    HF_TAKE(&made->arena, made->worker, (size_t)made->n_worker);
    HF_TAKE(&made->arena, made->costs, 1);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&made->arena, error), error));
    for (int i = 0; i < made->n_worker; i++) {
        made->worker[i].work = made;
        made->worker[i].number = i;
    }
    made->costs->trace = context->trace;
    made->settings.schedule.context = context;
    made->settings.schedule.interruption = context->interruption;
    HF_TRY(hf_scheduler_create(context->comm, &made->settings.schedule, &made->scheduler, error));
    return HF_OK;
cleanup:
    hf_work_destroy(work);
    return status;
}

void hf_work_destroy(struct hf_work **work)
{
    if (*work != NULL && (*work)->scheduler != NULL) hf_scheduler_destroy(&(*work)->scheduler);
    hf_arena_free(work);
}

struct hf_work_account hf_work_account(const struct hf_work *work)
{
    return (struct hf_work_account){0};
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

void hf_task_costs_find(struct hf_task_costs *costs, double least, struct hf_task_levels *levels)
{
    *levels = costs->trace->now->levels;
}

int64_t hf_task_costs_task(const struct hf_task_costs *costs, int64_t position)
{
    return costs->trace->now->order[position];
}

/** A task has one part without kets, whose bra is the pair of its number; of two shells it is the first pair of all. */
bool hf_work_find_part(const struct hf_worker *worker, int64_t task, int32_t index,
                       struct hf_part *part)
{
    const bool of_shells = worker->work->settings.order.quartets == HF_QUARTETS_OF_SHELLS;
    const int64_t bra = of_shells ? 0 : task;
    *part = (struct hf_part){.task = task, .index = index, .bra_begin = bra, .bra_end = bra + 1};
    return index == 0;
}

void hf_work_shells_of_task(const struct hf_worker *worker, int64_t task, int *m, int *n)
{
    *m = worker->work->pairs->pair[task].a;
    *n = worker->work->pairs->pair[task].b;
}

/** The first pair of all, which is that bra. */
const int64_t *hf_work_pairs_of_shell(const struct hf_worker *worker, int shell, int64_t *n_pair)
{
    static const int64_t first = 0;
    *n_pair = 1;
    return &first;
}

bool hf_work_needs_tasks(const struct hf_work *work)
{
    return true;
}
