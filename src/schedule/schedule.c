/* The front of the schedulers: list, checks, account. */
#include "schedule_private.h"

#include "hf/context.h"

#include "text/text.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

const struct hf_scheduler_ops *const hf_scheduler_list[] = {
    &hf_schedule_static, &hf_schedule_manager, &hf_schedule_counter, &hf_schedule_steal, NULL};

static const struct hf_scheduler_ops *find(const char *name)
{
    for (int i = 0; hf_scheduler_list[i] != NULL; i++)
        if (strcmp(hf_scheduler_list[i]->name, name) == 0) return hf_scheduler_list[i];
    return NULL;
}

/** The message for a name that is not in the list. */
static hf_status unknown(const char *name, struct hf_error *error)
{
    const char *known[8];
    int n = 0;
    while (n < 8 && hf_scheduler_list[n] != NULL) {
        known[n] = hf_scheduler_list[n]->name;
        n++;
    }
    const char *nearest =
        hf_nearest_word((struct hf_word){.begin = name, .length = (int)strlen(name)}, n, known);
    if (nearest == NULL) return hf_fail(error, HF_BAD_INPUT, "unknown scheduler '%s'", name);
    return hf_fail(error, HF_BAD_INPUT, "unknown scheduler '%s', did you mean '%s'?", name,
                   nearest);
}

/** Creates a scheduler of the list; `ops` NULL: the name in the settings is unknown. Collective. */
static hf_status create(MPI_Comm comm, const struct hf_scheduler_ops *ops,
                        const struct hf_scheduler_settings *settings,
                        struct hf_scheduler **scheduler, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_scheduler *made = NULL;
    if (ops == NULL) {
        status = unknown(settings->name, error);
    } else {
        if (HF_NEW(made, NULL, "the scheduler") != NULL)
            made->data = hf_arena_take(&made->arena, 1, ops->data_bytes);
    }
    if (status == HF_OK) status = hf_arena_check_new(made, error);
    status = hf_agree(comm, status, error);
    if (status != HF_OK) {
        hf_arena_free(&made);
        return status;
    }
    made->ops = ops;
    made->settings = *settings;
    MPI_Comm_dup(comm, &made->comm);
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->n_rank);
    made->n_ready = made->n_rank;
    if (ops->create != NULL) status = ops->create(made, error);
    status = hf_agree(made->comm, status, error);
    if (status == HF_OK)
        *scheduler = made;
    else
        hf_scheduler_destroy(&made);
    return status;
}

hf_status hf_scheduler_create(MPI_Comm comm, const struct hf_scheduler_settings *settings,
                              struct hf_scheduler **scheduler, struct hf_error *error)
{
    const struct hf_scheduler_ops *wanted = find(settings->name);
    struct hf_error why = {0};
    hf_status status = create(comm, wanted, settings, scheduler, &why);
    if (status == HF_NO_RESOURCE && wanted->instead != NULL) {
        status = create(comm, wanted->instead, settings, scheduler, error);
        if (status == HF_OK)
            snprintf((*scheduler)->note, sizeof(*scheduler)->note,
                     "using schedule %s, since %s: %.400s", wanted->instead->name, wanted->name,
                     why.message);
        return status;
    }
    if (status != HF_OK && error != NULL) *error = why;
    return status;
}

const char *hf_scheduler_name(const struct hf_scheduler *scheduler)
{
    return scheduler->ops->name;
}

const char *hf_scheduler_note(const struct hf_scheduler *scheduler)
{
    return scheduler->note;
}

void hf_scheduler_destroy(struct hf_scheduler **scheduler)
{
    struct hf_scheduler *old = *scheduler;
    if (old != NULL) {
        if (old->ops->destroy != NULL) old->ops->destroy(old);
        MPI_Comm_free(&old->comm);
    }
    hf_arena_free(scheduler);
}

/** Opens a round; `status` is that of this rank's preparations. Collective. */
static hf_status start_round(struct hf_scheduler *self, hf_status status, struct hf_error *error)
{
    self->n_task = 0;
    for (int level = 1; level < HF_N_TASK_LEVEL; level++) self->n_task += self->levels.count[level];
    self->account = (struct hf_schedule_account){0};
    if (status == HF_OK) status = self->ops->start(self, error);
    return hf_agree(self->comm, status, error);
}

hf_status hf_scheduler_start(struct hf_scheduler *scheduler, const struct hf_task_levels *levels,
                             struct hf_error *error)
{
    hf_arena_release(&scheduler->arena, scheduler->order);
    scheduler->order = NULL;
    scheduler->levels = *levels;
    return start_round(scheduler, HF_OK, error);
}

/** Finds the levels of the tasks and their order; tasks of one level stay in order. Local. */
static hf_status sort_by_cost(struct hf_scheduler *self, int64_t n_task, const double cost[],
                              struct hf_error *error)
{
    int64_t first[HF_N_TASK_LEVEL], n = 0;
    double largest = 0.0;
    hf_arena_release(&self->arena, self->order);
    self->levels = hf_equal_tasks(0);
    if (HF_TAKE_UNSET(&self->arena, self->order, (size_t)n_task) == NULL)
        return hf_arena_check(&self->arena, error);
    for (int64_t i = 0; i < n_task; i++) largest = fmax(largest, cost[i]);
    for (int64_t i = 0; i < n_task; i++) self->levels.count[hf_cost_level(cost[i], largest)]++;
    for (int level = HF_N_TASK_LEVEL - 1; level > 0; level--) {
        first[level] = n;
        n += self->levels.count[level];
    }
    for (int64_t i = 0; i < n_task; i++) {
        const int level = hf_cost_level(cost[i], largest);
        if (level > 0) self->order[first[level]++] = i;
    }
    return HF_OK;
}

hf_status hf_scheduler_start_by_cost(struct hf_scheduler *scheduler, int64_t n_task,
                                     const double cost[], struct hf_error *error)
{
    const hf_status status = sort_by_cost(scheduler, n_task, cost, error);
    return start_round(scheduler, status, error);
}

hf_status hf_scheduler_start_again(struct hf_scheduler *scheduler, struct hf_error *error)
{
    const hf_status status =
        scheduler->order != NULL ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "no list of tasks");
    return start_round(scheduler, status, error);
}

int hf_schedule_n_group(const struct hf_scheduler *self, int alone, int least)
{
    const int n_rank = self->n_rank;
    int size = self->settings.group;
    if (size < 1) {
        if (n_rank <= alone) return 1;
        size = (int)sqrt((double)n_rank);
        if (size < least) size = least;
    }
    return (n_rank + size - 1) / size;
}

void hf_scheduler_set_ready(struct hf_scheduler *scheduler, int n_ready)
{
    scheduler->n_ready = n_ready;
}

int64_t hf_scheduler_next(struct hf_scheduler *scheduler)
{
    const int64_t task = scheduler->ops->next(scheduler);
    if (task < 0) return -1;
    scheduler->account.n_task++;
    return scheduler->order != NULL ? scheduler->order[task] : task;
}

int64_t hf_scheduler_next_beside(struct hf_scheduler *scheduler)
{
    if (scheduler->ops->next_beside == NULL) return HF_TASK_BY_TURNS;
    return scheduler->ops->next_beside(scheduler);
}

void hf_scheduler_abandon(struct hf_scheduler *scheduler)
{
    scheduler->ops->abandon(scheduler);
}

void hf_schedule_barrier(const struct hf_scheduler *self)
{
    MPI_Request barrier;
    int all_here = 0;
    MPI_Ibarrier(self->comm, &barrier);
    for (;;) {
        MPI_Test(&barrier, &all_here, MPI_STATUS_IGNORE);
        if (all_here) return;
        (void)hf_schedule_is_interrupted(self); /* tells other ranks of an interruption */
        if (self->idle.work != NULL) self->idle.work(self->idle.data);
        sched_yield();
    }
}

void hf_scheduler_set_idle(struct hf_scheduler *scheduler, const struct hf_idle_work *idle)
{
    scheduler->idle = *idle;
}

void hf_scheduler_finish(struct hf_scheduler *scheduler)
{
    const double start = hf_wall_seconds();
    if (scheduler->ops->finish != NULL) scheduler->ops->finish(scheduler);
    hf_schedule_barrier(scheduler);
    scheduler->account.finish_seconds = hf_wall_seconds() - start;
}

struct hf_schedule_account hf_scheduler_account(const struct hf_scheduler *scheduler)
{
    return scheduler->account;
}
