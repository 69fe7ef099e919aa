/* Wall-clock timers per phase and their statistics over the ranks. */
#include "hf/timer.h"

#include <time.h>

const struct hf_phase hf_phase_total = {.name = "Total"};
const struct hf_phase hf_phase_setup = {.name = "Set-up"};

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double hf_wall_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double hf_thread_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double hf_process_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

int hf_timers_find(const struct hf_timers *timers, const struct hf_phase *phase)
{
    for (int i = 0; i < timers->n_phase; i++)
        if (timers->timer[i].phase == phase) return i;
    return -1;
}

void hf_timers_declare(struct hf_timers *timers, const struct hf_phase *phase)
{
    if (timers->n_phase == HF_MAX_PHASE || hf_timers_find(timers, phase) >= 0) return;
    timers->timer[timers->n_phase++] = (struct hf_timer){.phase = phase};
}

void hf_timer_start(struct hf_timers *timers, const struct hf_phase *phase)
{
    const int place = hf_timers_find(timers, phase);
    if (place >= 0) timers->timer[place].started = hf_wall_seconds();
}

void hf_timer_stop(struct hf_timers *timers, const struct hf_phase *phase)
{
    const int place = hf_timers_find(timers, phase);
    if (place < 0 || !(timers->timer[place].started > 0.0)) return;
    struct hf_timer *timer = &timers->timer[place];
    const double start = timer->started, seconds = hf_wall_seconds() - start;
    timer->started = 0.0;
    timer->seconds += seconds;
    timer->n_call++;
    if (timers->listener != NULL) timers->listener(timers->listener_data, place, start, seconds);
}

void hf_timer_add(struct hf_timers *timers, const struct hf_phase *phase, double seconds)
{
    const int place = hf_timers_find(timers, phase);
    if (place < 0) return;
    timers->timer[place].seconds += seconds;
    timers->timer[place].n_call++;
}

void hf_timers_merge(struct hf_timers *timers, const struct hf_timers *from)
{
    for (int i = 0; i < from->n_phase; i++) {
        const int place = hf_timers_find(timers, from->timer[i].phase);
        if (place < 0) continue;
        timers->timer[place].seconds += from->timer[i].seconds;
        timers->timer[place].n_call += from->timer[i].n_call;
    }
}

double hf_timer_seconds(const struct hf_timers *timers, const struct hf_phase *phase)
{
    const int place = hf_timers_find(timers, phase);
    if (place < 0) return 0.0;
    const struct hf_timer *timer = &timers->timer[place];
    return timer->seconds + (timer->started > 0.0 ? hf_wall_seconds() - timer->started : 0.0);
}

enum { STATISTICS_AT_ONCE = 32 };

/** hf_statistics_reduce for at most STATISTICS_AT_ONCE values, with two reductions. */
static void reduce_some(MPI_Comm comm, int n, const double value[], struct hf_statistic result[])
{
    struct {
        double value;
        int rank;
    } least[2 * STATISTICS_AT_ONCE]; /* each value, and its negative */
    double sum[STATISTICS_AT_ONCE];
    int rank, n_rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_rank);
    for (int i = 0; i < n; i++) {
        least[2 * i].value = sum[i] = value[i];
        least[2 * i + 1].value = -value[i];
        least[2 * i].rank = least[2 * i + 1].rank = rank;
    }
    MPI_Allreduce(MPI_IN_PLACE, least, 2 * n, MPI_DOUBLE_INT, MPI_MINLOC, comm);
    MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
        result[i] = (struct hf_statistic){
            .min = least[2 * i].value,
            .mean = sum[i] / n_rank,
            .max = -least[2 * i + 1].value,
            .min_rank = least[2 * i].rank,
            .max_rank = least[2 * i + 1].rank,
        };
}

void hf_statistics_reduce(MPI_Comm comm, int n, const double value[], struct hf_statistic result[])
{
    for (int i = 0; i < n; i += STATISTICS_AT_ONCE)
        reduce_some(comm, n - i < STATISTICS_AT_ONCE ? n - i : STATISTICS_AT_ONCE, value + i,
                    result + i);
}
