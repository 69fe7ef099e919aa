/* A traced calculation on simulated ranks, with the schedulers, transports and exchanges of hf: rounds of tasks of its Fock
 * builds, then MP2 or local MP2. */
#ifndef HF_SIMULATE_REPLAY_H
#define HF_SIMULATE_REPLAY_H

#include "network.h"
#include "recorded.h"

struct hf_sim_settings {
    const char *scheduler, *transport;
    int n_rank, n_thread;
    int group; /**< ranks of a counter or manager; 0: chosen by the scheduler */
};

/** What a round took; sums are over all threads. */
struct hf_sim_outcome {
    double seconds;    /**< from the first rank's start to the last one's end */
    double work;       /**< in tasks, and in reading stored integrals */
    double tasks_over; /**< when the last task is done, since the start */
    double blocked;    /**< for blocks */
    int64_t n_done;    /**< tasks */
};

/** Where ranks report a failure. */
struct hf_sim_failure {
    hf_status status;
    struct hf_error error;
};

/** Runs run(data) on so many simulated ranks; `failure` is where they report. The outcome of the first of them that
 *  fails; HF_NO_RESOURCE: no memory, or a deadlock. */
hf_status hf_sim_run_ranks(const struct hf_sim_machine *machine, int n_rank,
                           void (*run)(void *data), void *data,
                           const struct hf_sim_failure *failure,
                           struct hf_error *error) HF_MUST_CHECK;

/** Runs all rounds, outcome [n_round], and what follows: step [HF_SIM_MOST_STEPS], of which those that were not run have no
 *  name. HF_BAD_INPUT: no such scheduler; HF_NO_RESOURCE: no memory, or a deadlock. */
hf_status hf_sim_replay(const struct hf_sim_rounds *rounds, const struct hf_sim_machine *machine,
                        const struct hf_sim_settings *settings, struct hf_sim_outcome outcome[],
                        struct hf_sim_step step[], struct hf_error *error) HF_MUST_CHECK;

#endif
