/* Molecules of a job (hf --each) on simulated ranks: each/divide.c divides the ranks, and a scheduler deals the rest. */
#ifndef HF_SIMULATE_SET_H
#define HF_SIMULATE_SET_H

#include "replay.h"

/** Molecules of one window. */
struct hf_sim_set {
    int n;
    double *foreseen, *seconds; /**< [n] on one rank */
    double serial;              /**< part of a molecule's time that several ranks do not divide */
    bool grouped;               /**< long molecules are shared by groups of ranks */
};

/** What it took. */
struct hf_sim_set_outcome {
    double seconds, work; /**< until the last rank has ended; of all molecules on one rank each */
    int n_shared, n_done; /**< molecules; dealt to single ranks */
};

/** Reads lines with two numbers: seconds as foreseen, and as they were. HF_BAD_INPUT; HF_NO_RESOURCE. */
hf_status hf_sim_set_read(const char *path, struct hf_sim_set *set,
                          struct hf_error *error) HF_MUST_CHECK;
void hf_sim_set_free(struct hf_sim_set *set);

/** HF_BAD_INPUT: no such scheduler; HF_NO_RESOURCE: no memory, or a deadlock. */
hf_status hf_sim_set_run(const struct hf_sim_set *set, const struct hf_sim_machine *machine,
                         const struct hf_sim_settings *settings, struct hf_sim_set_outcome *outcome,
                         struct hf_error *error) HF_MUST_CHECK;

#endif
