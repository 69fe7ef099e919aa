/* The front of the Fock builders: list of builders, checks, agreement, timers. */
#include "fock_private.h"

#include <stdlib.h>
#include <string.h>

const struct hf_fock_ops *const hf_fock_list[] = {&hf_fock_replicated, &hf_fock_distributed, NULL};

const struct hf_phase hf_phase_fock_compute = {.name = "Fock: computing"};
const struct hf_phase hf_phase_fock_wait_blocks = {.name = "Fock: waiting for blocks"};
const struct hf_phase hf_phase_fock_wait_task = {.name = "Fock: waiting for tasks"};
const struct hf_phase hf_phase_fock_wait_ranks = {.name = "Fock: waiting for the last rank"};
const struct hf_phase hf_phase_fock_reduce = {.name = "Fock: moving matrices"};

void hf_fock_declare_phases(struct hf_timers *timers)
{
    hf_timers_declare(timers, &hf_phase_fock_compute);
    hf_timers_declare(timers, &hf_phase_fock_wait_blocks);
    hf_timers_declare(timers, &hf_phase_fock_wait_task);
    hf_timers_declare(timers, &hf_phase_fock_wait_ranks);
    hf_timers_declare(timers, &hf_phase_fock_reduce);
}

static const struct hf_fock_ops *find_builder(const char *name)
{
    for (int i = 0; hf_fock_list[i] != NULL; i++)
        if (strcmp(hf_fock_list[i]->name, name) == 0) return hf_fock_list[i];
    return NULL;
}

bool hf_fock_is_distributed(const char *builder)
{
    const struct hf_fock_ops *ops = find_builder(builder);
    return ops != NULL && ops->distributed;
}

double hf_fock_cache_bytes(const char *builder, int n_function, int n_rank)
{
    const struct hf_fock_ops *ops = find_builder(builder);
    if (ops == NULL || ops->cache_bytes == NULL) return 0.0;
    return ops->cache_bytes(n_function, n_rank);
}

static hf_status create_workers(struct hf_fock_builder *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = self->settings.n_thread > 1 ? self->settings.n_thread : 1;
    int level;
    MPI_Query_thread(&level);
    if (n > 1 && level < MPI_THREAD_SERIALIZED)
        return hf_fail(error, HF_NO_RESOURCE,
                       "%d threads per rank need MPI_THREAD_SERIALIZED, which MPI does not grant",
                       n);
    self->worker = calloc((size_t)n, sizeof *self->worker);
    if (self->worker == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the threads of a Fock build");
    self->n_worker = n;
    for (int i = 0; i < n && status == HF_OK; i++) {
        self->worker[i].number = i;
        status = hf_quartet_work_init(&self->worker[i].work, self->pairs, &self->screening, error);
    }
    return status;
}

static void destroy_workers(struct hf_fock_builder *self)
{
    hf_fock_drop_store(self);
    for (int i = 0; i < self->n_worker; i++) hf_quartet_work_done(&self->worker[i].work);
    free(self->worker);
}

double hf_fock_tasks_wanted(const struct hf_fock_builder *self)
{
    const int asked = self->settings.tasks_for;
    const double n_rank = asked > 0 ? asked : self->context->n_rank;
    return HF_TASKS_PER_THREAD * n_rank * self->n_worker;
}

hf_status hf_fock_create_tasks(struct hf_fock_builder *self, struct hf_task_order order,
                               struct hf_error *error)
{
    self->account.n_shell = self->pairs->basis->n_shell;
    return hf_task_list_create(self->context, self->pairs, &order, &self->tasks, error);
}

hf_status hf_fock_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_fock_settings *settings, struct hf_fock_builder **builder,
                         struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_fock_ops *ops = find_builder(settings->builder);
    struct hf_fock_builder *made = NULL;
    if (ops == NULL) {
        status = hf_fail(error, HF_BAD_INPUT, "unknown Fock builder '%s'", settings->builder);
    } else {
        made = calloc(1, sizeof *made);
        if (made == NULL)
            status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the Fock builder");
    }
    HF_TRY(hf_agree(context->comm, status, error));
    hf_fock_declare_phases(&context->timers);
    *made = (struct hf_fock_builder){
        .ops = ops, .context = context, .pairs = pairs, .settings = *settings};
    pthread_mutex_init(&made->round.lock, NULL);
    HF_TRY(hf_agree(context->comm, create_workers(made, error), error));
    HF_TRY(hf_scheduler_create(context->comm, &settings->schedule, &made->scheduler, error));
    HF_TRY(hf_agree(context->comm, ops->create(made, error), error));
    *builder = made;
    return HF_OK;
cleanup:
    hf_fock_destroy(&made);
    return status;
}

void hf_fock_destroy(struct hf_fock_builder **builder)
{
    struct hf_fock_builder *old = *builder;
    if (old != NULL) {
        old->ops->destroy(old);
        if (old->scheduler != NULL) hf_scheduler_destroy(&old->scheduler);
        hf_task_list_destroy(&old->tasks);
        destroy_workers(old);
        pthread_mutex_destroy(&old->round.lock);
        free(old);
    }
    *builder = NULL;
}

/** Sums the counts of a build over threads and ranks. */
static void reduce_account(struct hf_fock_builder *builder, double busy_seconds)
{
    struct hf_fock_account *account = &builder->account;
    const int64_t n_shell = builder->pairs->basis->n_shell;
    const int64_t n_pair = n_shell * (n_shell + 1) / 2;
    int64_t count[3] = {0};
    for (int i = 0; i < builder->n_worker; i++) {
        const struct hf_fock_worker *worker = &builder->worker[i];
        count[0] += worker->work.n_computed;
        count[1] += worker->work.n_read;
        if (worker->store != NULL) count[2] += (int64_t)hf_integral_store_bytes(worker->store);
    }
    MPI_Allreduce(MPI_IN_PLACE, count, 3, MPI_INT64_T, MPI_SUM, builder->context->comm);
    account->n_quartet_computed = count[0];
    account->n_quartet_read = count[1];
    account->stored_bytes = (double)count[2];
    account->stored_share = builder->stored ? builder->plan.share : 0.0;
    account->n_quartet_total = n_pair * (n_pair + 1) / 2;
    hf_statistics_reduce(builder->context->comm, 1, &busy_seconds, &account->busy_seconds);
}

hf_status hf_fock_build(struct hf_fock_builder *builder, int n_job, const struct hf_fock_job job[],
                        double threshold, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_timers *timers = &builder->context->timers;
    const double before = hf_timer_seconds(timers, &hf_phase_fock_compute);
    builder->screening.threshold = builder->account.threshold = threshold;
    hf_trace_begin_build(builder->context->trace);
    HF_TRY(builder->ops->build(builder, n_job, job, error));
    reduce_account(builder, hf_timer_seconds(timers, &hf_phase_fock_compute) - before);
cleanup:
    hf_trace_end_build(builder->context->trace);
    return status;
}

struct hf_fock_account hf_fock_account(const struct hf_fock_builder *builder)
{
    return builder->account;
}

const char *hf_fock_note(const struct hf_fock_builder *builder)
{
    return builder->note != NULL ? builder->note : "";
}
