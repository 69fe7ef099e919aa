/* J and K of the replicated builder: the sums of each rank, and the sum over the ranks, block by block, at the
 * owners.
 *
 *     rank, node 0   J K ---+
 *     rank, node 0   J K ---+--> each member adds up its portions, directly from the others' memory
 *     rank, node 1   J K ---+--> the same on node 1
 *                                then one member of each node sends them to the owner of the block
 *                                (node_blocks.h)
 *
 * Only blocks of atoms i >= j are stored: a contribution to (j,i) is transposed and added to (i,j), or
 * subtracted if K is antisymmetric. The ranks
 * of a node share the memory. A member of the node has in it:
 *
 *     | its last build | flags of atom pairs | portion of owner 0: J, J, K, K | of owner 1: J, J, K, K | ...
 *                                                                ^ a plane: the owner's blocks of one matrix
 *
 * Flags say which blocks are not zero. They are sent in front of the numbers; zero blocks are not sent. Sums
 * are made in the order of ranks and nodes, whatever finishes first. */
#ifndef HF_RANK_SUMS_H
#define HF_RANK_SUMS_H

#include "block_traffic.h"
#include "digest/digest.h"
#include "fock/fock.h"
#include "hf/linalg.h"

#include <pthread.h>
#include <stdint.h>

/** Which sums a block has: flags. */
enum { HF_HAS_COULOMB = 1, HF_HAS_EXCHANGE = 2 };

struct hf_rank_sums {
    struct hf_context *context;           /**< borrowed */
    const struct hf_basis *basis;         /**< merged, borrowed */
    const struct hf_block_layout *layout; /**< borrowed */
    struct hf_block_traffic traffic;
    struct hf_node_memory *shared; /**< sums of all members; NULL: none yet */
    struct hf_node_blocks *blocks; /**< of those who share it */
    size_t member_bytes;           /**< of one of them */
    int n_room;                    /**< matrices that there is room for */
    int n_coulomb, n_exchange;     /**< matrices of this build */
    int n_antisymmetric;           /**< of the first K */
    unsigned char *flag;           /**< [pairs of atoms] of this rank */
    double *value;                 /**< this rank's sums; J of the jobs, then K */
    int64_t round;                 /**< builds so far in this memory */
    bool ended, moving;            /**< this rank adds no more; its portions are being sent */
    uint32_t *n_add; /**< [pairs of atoms][2] parts that added to J, and to K; NULL: no trace */
    pthread_mutex_t *lock; /**< [n_atom] of the blocks of each higher atom */
    struct hf_arena arena; /**< has the previous two */
};

/** Layout and merged basis are borrowed. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_rank_sums_init(struct hf_rank_sums *sums, struct hf_context *context,
                            const struct hf_basis *merged, const struct hf_block_layout *layout,
                            struct hf_error *error) HF_MUST_CHECK;

/** Collective. Also after a failed init. */
void hf_rank_sums_done(struct hf_rank_sums *sums);

/** Zeroes the sums for the jobs of a build. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_rank_sums_begin(struct hf_rank_sums *sums, const struct hf_job_shape *jobs,
                             struct hf_error *error) HF_MUST_CHECK;

/** Adds a block, rows and columns the functions of two atoms in any order, a plane for each job, to J
 *  or to K. Threads may call it at the same time. Not collective. */
void hf_rank_sums_add(struct hf_rank_sums *sums, bool exchange, int row, int column,
                      const double *value);

/** Adds a block to J of job number k of those that have it. Threads may call it at the same time. Not
 *  collective. */
void hf_rank_sums_add_coulomb(struct hf_rank_sums *sums, int k, int row, int column,
                              const double *value);

/** To be called repeatedly, by one thread, when this rank adds no more: its sums may then be fetched. Moves
 *  sums to their owners as soon as the other ranks of the node are done, without waiting. Not collective. */
void hf_rank_sums_progress(struct hf_rank_sums *sums);

/** The same to the end. The blocks of this rank are then sums over all ranks, with the mirror images, J times
 *  1/4 and K times 1/8, of published functions. Collective, after begin, also if the round failed. */
void hf_rank_sums_finish(struct hf_rank_sums *sums);

/** Copies J and K to the caller's matrices. Call it after finish. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_rank_sums_hand_over(struct hf_rank_sums *sums, int n_job,
                                 const struct hf_fock_job job[],
                                 struct hf_error *error) HF_MUST_CHECK;

/** Ends the build. A single rank frees the memory: it is cheap to create again, and diagonalisation can use
 *  it. Collective. */
void hf_rank_sums_close(struct hf_rank_sums *sums);

/** Bytes of a rank for so many matrices. */
double hf_rank_sums_bytes(double n_function, double n_atom, int n_matrix);

#endif
