/* J and K of the replicated builder: what the ranks add up each for itself, and the sum over the ranks,
 * block by block to the owners.
 *
 *     rank, node 0   J K ---+
 *     rank, node 0   J K ---+--> each member adds up its portions, straight from the others' memory
 *     rank, node 1   J K ---+--> likewise
 *                                then from one member of each node towards the owner of the block
 *                                (node_blocks.h)
 *
 * The blocks of atoms i >= j alone are there: what goes to (j,i) is transposed and added to (i,j). They lie
 * in memory that the ranks of a node share, in the order of the owners. A block that nobody added to costs
 * nothing: flags by pairs of atoms say which are not zero, and go with the numbers. Sums are made in the
 * order of ranks and nodes, whichever is done first. */
#ifndef HF_RANK_SUMS_H
#define HF_RANK_SUMS_H

#include "block_traffic.h"
#include "hf/digest.h"
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
    unsigned char *flag;           /**< [pairs of atoms] of this rank */
    double *value;                 /**< this rank's sums; J of the jobs, then K */
    int64_t round;                 /**< builds so far in this memory */
    bool ended, moving;            /**< this rank adds no more; its portions are on their way */
    uint32_t *n_add; /**< [pairs of atoms][2] parts that added to J, and to K; NULL: nobody asks */
    int n_lock;
    pthread_mutex_t *lock; /**< [n_lock] of the blocks of each higher atom */
};

/** Layout and merged basis are borrowed. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_rank_sums_init(struct hf_rank_sums *sums, struct hf_context *context,
                            const struct hf_basis *merged, const struct hf_block_layout *layout,
                            struct hf_error *error) HF_MUST_CHECK;

/** Collective; also of what init left half made. */
void hf_rank_sums_done(struct hf_rank_sums *sums);

/** All zero, for the jobs of a build. Collective. HF_NO_RESOURCE: memory, on every rank. */
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

/** This rank has added all it will: its sums may be fetched. Then, as far as others have, too, moves sums
 *  to their owners, without waiting. To be called again and again by one thread. Not collective. */
void hf_rank_sums_progress(struct hf_rank_sums *sums);

/** The same to the end; the blocks of this rank are sums over all ranks, with the mirror images, J times
 *  1/4 and K times 1/8, of published functions. Collective, after begin, whatever happened. */
void hf_rank_sums_finish(struct hf_rank_sums *sums);

/** J of job number k of those that have it or, `exchange`, K, to the matrix of the caller; after finish.
 *  Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_rank_sums_hand_over(struct hf_rank_sums *sums, bool exchange, int k,
                                 struct hf_matrix *matrix, struct hf_error *error) HF_MUST_CHECK;

/** The build is over. A lone rank lets its memory go: it costs nothing to make, and diagonalisation has
 *  it then. Collective. */
void hf_rank_sums_close(struct hf_rank_sums *sums);

/** Bytes of a rank for so many matrices. */
double hf_rank_sums_bytes(double n_function, double n_atom, int n_matrix);

#endif
