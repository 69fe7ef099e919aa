/* What stands for integrals, products of matrices and the trace when rooms of hf run on simulated ranks. Where hf would
 * record a task, the time passes that the trace has of it; where it would compute, nothing is done. Deals of work,
 * rounds, exchanges and sums are those of the rooms themselves.
 *
 *     hf                                     here
 *     hf_trace_add, hf_work_trace_step       the recorded seconds of that task pass
 *     hf_work_create, hf_work_run            a round of the recorded tasks; work/round.c runs it
 *     bases and lists of shell pairs         shells of one function or none, all pairs of them, without integrals
 *     hf_pack, the kernels of products       nothing */
#ifndef HF_SIMULATE_RECORDED_H
#define HF_SIMULATE_RECORDED_H

#include "hf/context.h"
#include "rounds.h"

/** The trace of a simulated rank: read, not written. */
struct hf_trace {
    const struct hf_sim_rounds *rounds; /**< borrowed */
    struct hf_context *context;         /**< borrowed */
    const struct hf_sim_round *now;     /**< build or batch that runs; NULL: none */
    int n_build, n_batch;               /**< that have begun */
    double share[HF_TRACE_FIRST_PHASE]; /**< of the recorded seconds of a kind that pass here */
    int last_batch;    /**< local MP2 converges when so many batches have begun: then */
    double *tolerance; /**< becomes infinite; NULL: of no interest */
    double ended;      /**< when hf recorded a phase, or a task, the last time */
};

/** Begins to read; the context gets the trace. */
void hf_sim_trace_init(struct hf_trace *trace, const struct hf_sim_rounds *rounds,
                       struct hf_context *context);

/** So many shells, of which the first ones have one function each, and the first n_pair pairs of them, of one product each:
 *  what hf_common_pairs lends. */
struct hf_common_pairs;
struct hf_common_pairs *hf_sim_pairs_make(int n_shell, int n_function, int64_t n_pair);
void hf_sim_pairs_free(struct hf_common_pairs **pairs);

/** What a step of a method took: means over the ranks. */
struct hf_sim_step {
    const char *name;
    double seconds, start;
    int n_phase;
    const struct hf_phase *phase[HF_MAX_PHASE];
    double phase_seconds[HF_MAX_PHASE];
};

/** Times what follows, in the phases given, and adds it to the step, which all ranks share. Collective. */
void hf_sim_step_begin(struct hf_context *context, const char *name, int n,
                       const struct hf_phase *const phase[], struct hf_sim_step *step);
void hf_sim_step_end(struct hf_context *context, struct hf_sim_step *step);

/** MP2, local MP2: see mp2.c, local.c. `step` has room for HF_SIM_MOST_STEPS. Collective. */
enum { HF_SIM_MOST_STEPS = 4 };
struct hf_sim_settings;
struct hf_common_pairs *hf_sim_mp2_pairs(const struct hf_sim_rounds *rounds);
hf_status hf_sim_mp2(struct hf_context *context, const struct hf_sim_rounds *rounds,
                     const struct hf_sim_settings *settings, struct hf_common_pairs *pairs,
                     struct hf_sim_step *step, struct hf_error *error) HF_MUST_CHECK;
hf_status hf_sim_local_mp2(struct hf_context *context, const struct hf_sim_rounds *rounds,
                           const struct hf_sim_settings *settings, struct hf_common_pairs *pairs,
                           struct hf_sim_step step[], struct hf_error *error) HF_MUST_CHECK;

#endif
