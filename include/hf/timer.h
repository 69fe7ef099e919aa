/* Wall-clock timers of a run, one per phase, and what they look like over all ranks. */
#ifndef HF_TIMER_H
#define HF_TIMER_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_trace;

/** The phases a run is timed by. They do not overlap, except that HF_PHASE_TOTAL covers them all.
 */
enum hf_phase {
    HF_PHASE_TOTAL,
    HF_PHASE_SETUP,            /**< reading input and basis set, shell pairs, Schwarz bounds */
    HF_PHASE_ONE_ELECTRON,     /**< overlap, kinetic, nuclear attraction, dipole */
    HF_PHASE_GUESS,            /**< first density */
    HF_PHASE_FOCK_COMPUTE,     /**< two-electron integrals and their digestion */
    HF_PHASE_FOCK_WAIT_BLOCKS, /**< waiting for blocks of other ranks, sending sums to them */
    HF_PHASE_FOCK_WAIT_TASK,   /**< waiting for the scheduler */
    HF_PHASE_FOCK_WAIT_RANKS,  /**< waiting for the last rank at the end of a build */
    HF_PHASE_FOCK_REDUCE,      /**< summing J and K over the ranks, distributing the density */
    HF_PHASE_DIAGONALISE,
    HF_PHASE_LINEAR_ALGEBRA, /**< transformations, DIIS, energies */
    HF_PHASE_OUTPUT,
    HF_N_PHASE
};

/** Seconds and calls per phase on this rank. Initialise with `= {0}`. One thread at a time. */
struct hf_timers {
    double seconds[HF_N_PHASE];
    double started[HF_N_PHASE];
    int64_t n_call[HF_N_PHASE];
    struct hf_trace *trace; /**< told of every span between start and stop; borrowed, may be NULL */
};

/** One number seen over all ranks. */
struct hf_statistic {
    double min, mean, max;
    int min_rank, max_rank;
};

/** Seconds since some fixed moment, monotonic. */
double hf_wall_seconds(void);

void hf_timer_start(struct hf_timers *timers, enum hf_phase phase);
void hf_timer_stop(struct hf_timers *timers, enum hf_phase phase);

/** Adds time measured elsewhere. */
void hf_timer_add(struct hf_timers *timers, enum hf_phase phase, double seconds);

/** Name of a phase for people, e.g. "Fock: waiting for tasks". */
const char *hf_phase_name(enum hf_phase phase);

/** Statistics of `n` local values over the ranks of `comm`; result on every rank. Collective. */
void hf_statistics_reduce(MPI_Comm comm, int n, const double value[], struct hf_statistic result[]);

#ifdef __cplusplus
}
#endif
#endif
