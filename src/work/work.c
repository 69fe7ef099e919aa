/* The handle of quartet work: its threads, tasks and scheduler. */
#include "work_private.h"

#include "base/simd.h"
#include "base/threads.h"

#include <stdlib.h>

static const struct hf_strip_kernels *choose_kernels(void)
{
    static const struct hf_strip_kernels *const kernels[] = {
        HF_KERNELS_BUILT(&hf_strip_portable, &hf_strip_avx2, &hf_strip_avx512)};
    return HF_BEST_KERNELS(kernels);
}

/** Every thread creates its worker, so that its memory is near its core. One thread at a time: a library's
 *  engine may not be created by two threads at once. */
static hf_status create_worker(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct hf_work *work = data;
    (void)n_thread;
    pthread_mutex_lock(&work->round.lock);
    const hf_status status = hf_worker_init(&work->worker[thread], work, thread, error);
    pthread_mutex_unlock(&work->round.lock);
    return status;
}

static hf_status create_workers(struct hf_work *work, struct hf_error *error)
{
    const int n = work->settings.n_thread > 1 ? work->settings.n_thread : 1;
    int level;
    MPI_Query_thread(&level);
    if (n > 1 && level < MPI_THREAD_SERIALIZED)
        return hf_fail(error, HF_NO_RESOURCE,
                       "%d threads per rank need MPI_THREAD_SERIALIZED, which MPI does not grant",
                       n);
    HF_TAKE(&work->arena, work->worker, (size_t)n);
    work->place = hf_shell_places(work->pairs->basis);
    if (work->worker == NULL || work->place == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the threads");
    work->n_worker = n;
    return hf_threads_run(n, create_worker, work, error);
}

static int between(int least, int value, int most)
{
    return value < least ? least : value > most ? most : value;
}

double hf_work_cost_bytes(const struct hf_task_order *order, double n_thread, double n_pair,
                          double n_atom_pair)
{
    enum { TASKS_OVER_WANTED = 2 };
    const double n = order->grain == HF_GRAIN_ATOM_QUARTET ? n_atom_pair : n_pair;
    const double side = order->largest_side;
    const double area = order->largest_side > 0 ? side * side : order->largest_row;
    const double wanted = TASKS_OVER_WANTED * HF_TASKS_PER_THREAD * n_thread;
    const double n_task = 0.5 * n * (n + 1.0) / area + wanted;
    return hf_task_costs_bytes(order->grain == HF_GRAIN_SHELL_PAIR ? n : n_task, n_atom_pair);
}

/** Creates tasks for tasks_for ranks; parts must have room for all kets. Local. */
static hf_status create_tasks(struct hf_work *work, struct hf_error *error)
{
    struct hf_task_order *order = &work->settings.order;
    const int asked = work->settings.tasks_for;
    const double n_rank = asked > 0 ? asked : work->context->n_rank;
    const bool atoms = order->grain == HF_GRAIN_ATOM_QUARTET; /* a single pair has no slices */
    order->n_wanted = HF_TASKS_PER_THREAD * n_rank * work->n_worker;
    order->largest_row = between(1, order->largest_row, HF_MOST_PART_KETS);
    order->largest_side = between(0, order->largest_side, HF_MOST_PART_KETS);
    order->most_slices = between(1, order->most_slices, atoms ? HF_MOST_SLICES : 1);
    return hf_task_list_create(work->context, work->pairs, &work->settings.order, &work->tasks,
                               error);
}

hf_status hf_work_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_work_settings *settings, struct hf_work **work,
                         struct hf_error *error)
{
    hf_status status;
    /* drops chunks kept from an earlier calculation if they exceed the stores of this one */
    if ((double)hf_memory_kept_bytes(context->memory) > settings->memory_bytes)
        hf_memory_drop_kept(context->memory);
    struct hf_work *made = HF_NEW(made, context->memory, "the work on quartets");
    status = hf_arena_check_new(made, error);
    if (made != NULL) {
        made->context = context;
        made->pairs = pairs;
        made->settings = *settings;
        made->kernels = choose_kernels();
        if (made->settings.largest_queue < 1 || made->settings.largest_queue > HF_MAX_BATCH)
            made->settings.largest_queue = HF_MAX_BATCH;
        pthread_mutex_init(&made->round.lock, NULL);
        status = create_workers(made, error);
        if (status == HF_OK) status = create_tasks(made, error);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_task_costs_create(context, pairs, made->tasks, made->n_worker,
                                made->settings.tasks_for > 1, &made->costs, error));
    made->settings.schedule.context = context;
    made->settings.schedule.interruption = context->interruption;
    HF_TRY(hf_scheduler_create(context->comm, &made->settings.schedule, &made->scheduler, error));
    *work = made;
    return HF_OK;
cleanup:
    hf_work_destroy(&made);
    return status;
}

void hf_work_destroy(struct hf_work **work)
{
    struct hf_work *old = *work;
    if (old != NULL) {
        if (old->scheduler != NULL) hf_scheduler_destroy(&old->scheduler);
        hf_task_costs_destroy(&old->costs);
        hf_arena_free(&old->tasks);
        hf_work_drop_store(old);
        for (int i = 0; i < old->n_worker; i++) hf_worker_done(&old->worker[i]);
        free(old->place);
        pthread_mutex_destroy(&old->round.lock);
    }
    hf_arena_free(work);
}

int hf_work_n_thread(const struct hf_work *work)
{
    return work->n_worker;
}

const char *hf_work_scheduler(const struct hf_work *work)
{
    return hf_scheduler_name(work->scheduler);
}

const char *hf_work_note(const struct hf_work *work)
{
    return hf_scheduler_note(work->scheduler);
}

struct hf_work_account hf_work_account(const struct hf_work *work)
{
    struct hf_work_account account = {.n_task = work->n_task,
                                      .n_listed = work->n_listed,
                                      .stored_share = work->stored ? work->plan.share : 0.0,
                                      .outlook = work->outlook};
    for (int i = 0; i < work->n_worker; i++) {
        const struct hf_worker *worker = &work->worker[i];
        account.n_computed += worker->n_computed;
        account.n_single += worker->n_single;
        account.n_read += worker->n_read;
        if (worker->store != NULL)
            account.stored_bytes += (double)hf_integral_store_bytes(worker->store);
    }
    return account;
}
