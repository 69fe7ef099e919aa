/* Passes of threads; see pass.h. */
#include "work/pass.h"

#include "base/threads.h"
#include "hf/interruption.h"
#include "work_private.h"

#include <stdatomic.h>

/** Creates the state of a thread; NULL: no memory. */
static hf_status begin(const struct hf_pass *pass, struct hf_pass_thread *thread, void *data,
                       void **own, struct hf_error *error)
{
    hf_status status = HF_OK;
    thread->data = data;
    *own = hf_arena_take(&thread->arena, 1, pass->own_bytes);
    if (*own != NULL && pass->begin != NULL) status = pass->begin(*own, thread, data, error);
    return status == HF_OK ? hf_arena_check(&thread->arena, error) : status;
}

static void end(const struct hf_pass *pass, struct hf_pass_thread *thread, void *own, void *data,
                pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    if (own != NULL && pass->end != NULL) pass->end(own, data);
    pthread_mutex_unlock(lock);
    hf_arena_done(&thread->arena);
}

hf_status hf_work_do_pass(struct hf_worker *worker, const struct hf_pass *pass, void *data,
                          struct hf_error *error)
{
    struct hf_work *work = worker->work;
    struct hf_pass_thread thread = {
        .number = worker->number,
        .worker = worker,
        .arena = {.memory = work->context->memory, .kind = HF_MEMORY_MATRIX, .label = pass->label}};
    void *own;
    int64_t task = 0;
    hf_status status = begin(pass, &thread, data, &own, error);
    if (status == HF_OK && pass->run != NULL) status = pass->run(own, &thread, error);
    while (status == HF_OK && task >= 0 && pass->run == NULL) {
        status = hf_work_next_task(worker, &task, error);
        if (status == HF_OK && task >= 0) status = pass->item(own, &thread, task, error);
    }
    end(pass, &thread, own, data, &work->round.lock);
    return status;
}

hf_status hf_run_pass(void *data, struct hf_worker *worker, struct hf_error *error)
{
    const struct hf_pass_data *self = data;
    return hf_work_do_pass(worker, self->pass, self->data, error);
}

/** A loop over items. */
struct loop {
    struct hf_context *context;
    const struct hf_pass *pass;
    void *data;
    int64_t n;
    atomic_llong next;
    atomic_int reason; /**< of an interruption; 0: none */
    pthread_mutex_t lock;
};

/** hf_thread_work */
static hf_status run(void *data, int number, int n_thread, struct hf_error *error)
{
    struct loop *loop = data;
    struct hf_pass_thread thread = {.number = number,
                                    .arena = {.memory = loop->context->memory,
                                              .kind = HF_MEMORY_MATRIX,
                                              .label = loop->pass->label}};
    void *own;
    hf_status status = begin(loop->pass, &thread, loop->data, &own, error);
    while (status == HF_OK && atomic_load(&loop->reason) == 0) {
        const int64_t item = atomic_fetch_add(&loop->next, 1);
        if (item >= loop->n) break;
        status = loop->pass->item(own, &thread, item, error);
        const int reason = hf_interruption_look(loop->context->interruption, n_thread == 1);
        if (reason != 0) atomic_store(&loop->reason, reason);
    }
    end(loop->pass, &thread, own, loop->data, &loop->lock);
    return status;
}

hf_status hf_pass_items(struct hf_context *context, int n_thread, int64_t n,
                        const struct hf_pass *pass, void *data, struct hf_error *error)
{
    struct loop loop = {.context = context, .pass = pass, .data = data, .n = n};
    pthread_mutex_init(&loop.lock, NULL);
    const hf_status status = hf_threads_run(n_thread, run, &loop, error);
    pthread_mutex_destroy(&loop.lock);
    return status;
}
