/* Matrices around a simulated round: densities go from the process grid to the owners of their blocks and, if they are
 * replicated, on to every node; sums of J and K come back. layout/, fock/node_blocks.c, fock/block_traffic.c and
 * linalg/matrix_blocks.c do it as they are, with fewer functions: messages count as many bytes as those of the run. What
 * ranks of a node copy and add takes the machine's time. */
#ifndef HF_SIMULATE_SUMS_H
#define HF_SIMULATE_SUMS_H

#include "hf/context.h"
#include "rounds.h"

/** The matrices of a rank. */
struct hf_sim_sums;
/** Collective; the rounds are borrowed. */
hf_status hf_sim_sums_create(struct hf_context *context, const struct hf_sim_rounds *rounds,
                             struct hf_sim_sums **sums, struct hf_error *error) HF_MUST_CHECK;
/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_sim_sums_destroy(struct hf_sim_sums **sums);

/** Before a round: densities. Collective. */
hf_status hf_sim_sums_begin(struct hf_sim_sums *sums, const struct hf_sim_round *round,
                            struct hf_error *error) HF_MUST_CHECK;
/** After the round: sums. Collective. */
hf_status hf_sim_sums_finish(struct hf_sim_sums *sums, struct hf_error *error) HF_MUST_CHECK;

#endif
