/* Wall-clock timers per phase and their statistics over the ranks. */
#include "hf/timer.h"

#include "hf/trace.h"

#include <time.h>

double hf_wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void hf_timer_start(struct hf_timers *timers, enum hf_phase phase)
{
    timers->started[phase] = hf_wall_seconds();
}

void hf_timer_stop(struct hf_timers *timers, enum hf_phase phase)
{
    const double start = timers->started[phase], seconds = hf_wall_seconds() - start;
    hf_timer_add(timers, phase, seconds);
    hf_trace_add(timers->trace, 0, (int)phase, -1, start, seconds);
}

void hf_timer_add(struct hf_timers *timers, enum hf_phase phase, double seconds)
{
    timers->seconds[phase] += seconds;
    timers->n_call[phase]++;
}

const char *hf_phase_name(enum hf_phase phase)
{
    switch (phase) {
    case HF_PHASE_TOTAL: return "Total";
    case HF_PHASE_SETUP: return "Set-up";
    case HF_PHASE_ONE_ELECTRON: return "One-electron integrals";
    case HF_PHASE_GUESS: return "Initial guess";
    case HF_PHASE_FOCK_COMPUTE: return "Fock: computing";
    case HF_PHASE_FOCK_WAIT_BLOCKS: return "Fock: waiting for blocks";
    case HF_PHASE_FOCK_WAIT_TASK: return "Fock: waiting for tasks";
    case HF_PHASE_FOCK_WAIT_RANKS: return "Fock: waiting for the last rank";
    case HF_PHASE_FOCK_REDUCE: return "Fock: moving matrices";
    case HF_PHASE_DIAGONALISE: return "Diagonalisation";
    case HF_PHASE_LINEAR_ALGEBRA: return "Other linear algebra";
    case HF_PHASE_OUTPUT: return "Output";
    case HF_N_PHASE: break;
    }
    return "?";
}

void hf_statistics_reduce(MPI_Comm comm, int n, const double value[], struct hf_statistic result[])
{
    int rank, n_rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_rank);
    for (int i = 0; i < n; i++) {
        struct {
            double value;
            int rank;
        } here = {value[i], rank}, least, most;
        double sum;
        MPI_Allreduce(&here, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
        MPI_Allreduce(&here, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
        MPI_Allreduce(&here.value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        result[i] = (struct hf_statistic){
            .min = least.value,
            .mean = sum / n_rank,
            .max = most.value,
            .min_rank = least.rank,
            .max_rank = most.rank,
        };
    }
}
