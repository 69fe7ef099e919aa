/* Blocks of distributed matrices in a simulated round: densities are fetched from their owners, sums of J and K sent to
 * them, over the transports of onesided/. The numbers are all zero. Each rank keeps the blocks that it has met last,
 * as many as a cache of fock/ has room for. */
#ifndef HF_SIMULATE_BLOCKS_H
#define HF_SIMULATE_BLOCKS_H

#include "hf/context.h"
#include "rounds.h"

/** The blocks of a rank. */
struct hf_sim_blocks;
/** Collective; the rounds are borrowed. */
hf_status hf_sim_blocks_create(struct hf_context *context, const char *transport,
                               const struct hf_sim_rounds *rounds, struct hf_sim_blocks **blocks,
                               struct hf_error *error) HF_MUST_CHECK;
/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_sim_blocks_destroy(struct hf_sim_blocks **blocks);

/** Blocks on their way to a task. Any thread of the rank may call both. */
struct hf_sim_fetch;
struct hf_sim_fetch *hf_sim_blocks_begin(struct hf_sim_blocks *blocks,
                                         const struct hf_sim_round *round, int64_t task);
/** Waits for them. */
void hf_sim_blocks_end(struct hf_sim_blocks *blocks, struct hf_sim_fetch *fetch);

/** Serves other ranks. */
void hf_sim_blocks_serve(struct hf_sim_blocks *blocks);
/** After a round: sends all sums that are here to their owners, forgets the densities, and waits until all sums have
 *  arrived. Collective. */
void hf_sim_blocks_collect(struct hf_sim_blocks *blocks);

#endif
