/* Naps, locks and threads of simulated ranks; see simulated_mpi.h. */
#include "network.h"

#include "base/threads.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>

static const double YIELD_SECONDS = 0.5e-6, LONGEST_YIELDS_SECONDS = 1.0;
static const double LONGEST_NAPS_SECONDS = 250e-6;
/** When the clock begins: some files take 0 for no time. */
static const double START_SECONDS = 1000.0;

int hf_sim_nothing(void *object)
{
    return 0;
}

int hf_sim_yield(void)
{
    hf_sim_pause(YIELD_SECONDS, LONGEST_YIELDS_SECONDS);
    return 0;
}

int hf_sim_nap(const struct timespec *time)
{
    const struct hf_sim_machine *machine = hf_sim_the_machine();
    hf_sim_pause((double)time->tv_sec + 1e-9 * (double)time->tv_nsec, LONGEST_NAPS_SECONDS);
    if (machine->cores_per_node > 0.0) hf_sim_compute(machine->nap_seconds);
    return 0;
}

int hf_sim_clock(clockid_t clock, struct timespec *now)
{
    const double seconds = START_SECONDS + hf_sim_now();
    now->tv_sec = (time_t)seconds;
    now->tv_nsec = (long)(1e9 * (seconds - (double)now->tv_sec));
    return 0;
}

int hf_sim_mutex_init(struct hf_sim_mutex *mutex)
{
    mutex->locked = 0;
    return 0;
}

int hf_sim_mutex_trylock(struct hf_sim_mutex *mutex)
{
    if (mutex->locked) return 1;
    mutex->locked = 1;
    return 0;
}

int hf_sim_mutex_lock(struct hf_sim_mutex *mutex)
{
    while (hf_sim_mutex_trylock(mutex) != 0) hf_sim_block();
    return 0;
}

int hf_sim_mutex_unlock(struct hf_sim_mutex *mutex)
{
    mutex->locked = 0;
    hf_sim_wake(hf_sim_rank());
    return 0;
}

int hf_sim_condition_wait(struct hf_sim_mutex *mutex)
{
    hf_sim_mutex_unlock(mutex);
    hf_sim_block();
    return hf_sim_mutex_lock(mutex);
}

/** Returns early, as the standard allows. */
int hf_sim_condition_wait_until(struct hf_sim_mutex *mutex, const struct timespec *time)
{
    struct timespec now;
    hf_sim_mutex_unlock(mutex);
    hf_sim_pause(LONGEST_NAPS_SECONDS, LONGEST_NAPS_SECONDS);
    hf_sim_mutex_lock(mutex);
    hf_sim_clock(CLOCK_MONOTONIC, &now);
    return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec > time->tv_nsec)
               ? ETIMEDOUT
               : 0;
}

int hf_sim_condition_signal(void)
{
    hf_sim_wake(hf_sim_rank());
    return 0;
}

/** A function of pthread_create and its argument. */
struct call {
    void *(*run)(void *data);
    void *data;
};

static void run_call(void *data)
{
    const struct call call = *(struct call *)data;
    free(data);
    call.run(call.data);
}

int hf_sim_thread_start(struct hf_sim_thread **thread, void *(*run)(void *), void *data)
{
    struct call *call = hf_sim_memory(1, sizeof *call);
    *call = (struct call){run, data};
    *thread = hf_sim_start(hf_sim_rank(), run_call, call);
    return 0;
}

int hf_sim_thread_join(struct hf_sim_thread *thread)
{
    while (!hf_sim_has_ended(thread)) hf_sim_block();
    return 0;
}

/** A thread of hf_threads_run. */
struct one_of {
    hf_thread_work *work;
    void *data;
    int number, n;
    hf_status status;
    struct hf_error error;
};

static void *run_one(void *data)
{
    struct one_of *self = data;
    self->status = self->work(self->data, self->number, self->n, &self->error);
    return NULL;
}

hf_status hf_threads_run(int n_thread, hf_thread_work *work, void *data, struct hf_error *error)
{
    if (n_thread <= 1) return work(data, 0, 1, error);
    struct one_of *one = hf_sim_memory((size_t)n_thread, sizeof *one), *worst = one;
    pthread_t *thread = hf_sim_memory((size_t)n_thread, sizeof *thread);
    for (int t = 0; t < n_thread; t++)
        one[t] = (struct one_of){.work = work, .data = data, .number = t, .n = n_thread};
    for (int t = 1; t < n_thread; t++) pthread_create(&thread[t], NULL, run_one, &one[t]);
    run_one(one);
    for (int t = 1; t < n_thread; t++) {
        pthread_join(thread[t], NULL);
        if (one[t].status > worst->status) worst = &one[t];
    }
    const hf_status status = worst->status;
    if (status != HF_OK && error != NULL) *error = worst->error;
    free(thread);
    free(one);
    return status;
}
