/* Rounds of tasks on simulated ranks, with the schedulers and transports of hf. */
#ifndef HF_SIMULATE_REPLAY_H
#define HF_SIMULATE_REPLAY_H

#include "network.h"
#include "rounds.h"

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
    double first_wait; /**< of rank 0: for tasks */
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

/** Runs all rounds; outcome [n_round]. HF_BAD_INPUT: no such scheduler; HF_NO_RESOURCE: no memory, or a deadlock. */
hf_status hf_sim_replay(const struct hf_sim_rounds *rounds, const struct hf_sim_machine *machine,
                        const struct hf_sim_settings *settings, struct hf_sim_outcome outcome[],
                        struct hf_error *error) HF_MUST_CHECK;

#endif
