/* What all rooms share in a run: communicators, memory account, timers. */
#ifndef HF_CONTEXT_H
#define HF_CONTEXT_H

#include "hf/memory.h"
#include "hf/status.h"
#include "hf/timer.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

struct hf_trace;
struct hf_interruption;
struct hf_held_fifo;
struct hf_basis_sets;

/** Given to every room, which borrows it; owned by the caller of hf_context_create. */
struct hf_context {
    MPI_Comm comm; /**< duplicate of the given communicator; freed with the context */
    int rank, n_rank;
    MPI_Comm node; /**< ranks that share memory with this rank, in the order of `comm` */
    int node_rank, n_node_rank;
    /** [n_node_rank] numbers in `comm` of the ranks of this node, ascending; owned */
    int *neighbour;
    /** other ranks of this node that compute at the same time and share its memory, but are not in `comm` */
    int n_beside;
    MPI_Comm leaders; /**< first rank of every node; MPI_COMM_NULL on other ranks */
    /** compute threads per rank, the same on all ranks; 1 until a calculation sets it */
    int n_thread;
    /** the order of sums does not depend on the number of ranks or threads; the same on all ranks,
     *  false until a calculation sets it */
    bool reproducible;
    struct hf_memory *memory;
    struct hf_timers timers;
    struct hf_trace *trace;               /**< records of threads; borrowed; NULL: no trace */
    struct hf_interruption *interruption; /**< requests to end the run; owned */
    struct hf_basis_sets *basis_sets; /**< kept between calculations; borrowed; NULL: none are */
    struct hf_held_fifo *held_fifos;  /**< output files; closed by hf_output_files_let_go */
    /** a thread of some rank did not return from MPI, so MPI_Finalize may hang */
    bool stuck_in_mpi;
};

/** New context over `comm` (duplicated). Collective over `comm`. */
hf_status hf_context_create(MPI_Comm comm, struct hf_context **context,
                            struct hf_error *error) HF_MUST_CHECK;

/** The same with nodes of at most `ranks_per_node` ranks (0: real nodes). Ranks of different nodes do
 *  not share memory even if they could. For tests of several nodes. */
hf_status hf_context_create_ext(MPI_Comm comm, int ranks_per_node, struct hf_context **context,
                                struct hf_error *error) HF_MUST_CHECK;

/** Collective. Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_context_destroy(struct hf_context **context);

/** MPI_Finalize. If a thread is stuck in MPI, MPI_Finalize would hang. The job then ends with `exit_code` without it;
 *  mpiexec may report an abort. `stuck_in_mpi` must be the same on every rank. Collective over MPI_COMM_WORLD.
 *  Flushes stdout and stderr. */
void hf_leave_mpi(bool stuck_in_mpi, int exit_code);

/** The ranks of `comm` on this rank's node, in the same order; the caller frees it. Collective. */
void hf_split_by_node(MPI_Comm comm, MPI_Comm *node);

/** Agrees on the outcome of local work: every rank gets the worst status of all, and the message of the lowest rank
 *  with that status. Collective; one small reduction if no rank failed. */
hf_status hf_agree(MPI_Comm comm, hf_status status, struct hf_error *error) HF_MUST_CHECK;

enum { HF_MOST_CHECKSUMS = 8 };

/** Checks that each checksum [n] is the same on all ranks, for arguments of collective calls. Otherwise HF_BAD_INPUT
 *  on every rank; the message contains the first name [n] whose checksums differ. n is at most HF_MOST_CHECKSUMS.
 *  Collective; one small reduction. */
hf_status hf_agree_on_same(MPI_Comm comm, int n, const char *const name[],
                           const uint64_t checksum[], struct hf_error *error) HF_MUST_CHECK;

/** hf_agree, after a check for interruptions. HF_INTERRUPTED if any rank was asked to stop; the interruption is then
 *  cleared, and the context can be used again. Collective. */
hf_status hf_agree_to_go_on(struct hf_context *context, hf_status status,
                            struct hf_error *error) HF_MUST_CHECK;

/** MPI_Allreduce(sum, in place) of any number of doubles, in pieces that fit MPI's int counts. Collective. */
void hf_sum_over_ranks(MPI_Comm comm, size_t n, double values[]);

/** MPI_Bcast of any number of bytes, in pieces. Collective. */
void hf_broadcast_bytes(MPI_Comm comm, int root, size_t n_bytes, void *data);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
