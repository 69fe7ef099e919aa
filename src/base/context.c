/* The context of a run: communicators of the world and of the node, memory account, timers. */
#include "hf/context.h"

#include "base/simd.h"
#include "hf/interruption.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void hf_split_by_node(MPI_Comm comm, MPI_Comm *node)
{
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node);
}

/** Makes the communicators of the node and of the first ranks of all nodes. */
static void find_node(struct hf_context *made, int ranks_per_node)
{
    hf_split_by_node(made->comm, &made->node);
    MPI_Comm_rank(made->node, &made->node_rank);
    if (ranks_per_node > 0) {
        MPI_Comm whole = made->node;
        MPI_Comm_split(whole, made->node_rank / ranks_per_node, 0, &made->node);
        MPI_Comm_free(&whole);
        MPI_Comm_rank(made->node, &made->node_rank);
    }
    MPI_Comm_size(made->node, &made->n_node_rank);
    MPI_Comm_split(made->comm, made->node_rank == 0 ? 0 : MPI_UNDEFINED, 0, &made->leaders);
}

/** Finds the numbers of the ranks of this node. Collective over the node. */
static hf_status find_neighbours(struct hf_context *made, struct hf_error *error)
{
    made->neighbour = malloc((size_t)made->n_node_rank * sizeof *made->neighbour);
    hf_status status = HF_OK;
    if (made->neighbour == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory at start-up");
    HF_TRY(hf_agree(made->comm, status, error));
    MPI_Allgather(&made->rank, 1, MPI_INT, made->neighbour, 1, MPI_INT, made->node);
cleanup:
    return status;
}

/** The same for a single rank, without communication, because atoms are computed in contexts of one rank. */
static void be_alone(struct hf_context *made)
{
    MPI_Comm_dup(made->comm, &made->node);
    MPI_Comm_dup(made->comm, &made->leaders);
    made->n_node_rank = 1;
}

static hf_status check_processor(struct hf_error *error)
{
    static const char *const needed[] = {HF_KERNELS_BUILT("nothing", "AVX2 and FMA", "AVX-512")};
    if (hf_n_kernels() > 0) return HF_OK;
    return hf_fail(
        error, HF_NO_RESOURCE,
        "this hf was built for processors with %s, which this one does not have; build it "
        "on this machine, or for all processors with -Dkernels=all",
        needed[0]);
}

hf_status hf_context_create_ext(MPI_Comm comm, int ranks_per_node, struct hf_context **context,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *made = calloc(1, sizeof *made);
    if (made != NULL) made->memory = hf_memory_create();
    if (made == NULL || made->memory == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory at start-up");
    else
        status = check_processor(error);
    if (status == HF_OK) status = hf_interruption_create(&made->interruption, error);
    HF_TRY(hf_agree(comm, status, error));
    made->n_thread = 1;
    MPI_Comm_dup(comm, &made->comm);
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->n_rank);
    hf_interruption_connect(made->interruption, made->comm);
    if (made->n_rank > 1)
        find_node(made, ranks_per_node);
    else
        be_alone(made);
    status = find_neighbours(made, error);
    if (status != HF_OK)
        hf_context_destroy(&made);
    else
        *context = made;
    return status;
cleanup:
    if (made != NULL) {
        hf_interruption_destroy(&made->interruption);
        hf_memory_destroy(&made->memory);
    }
    free(made);
    return status;
}

hf_status hf_context_create(MPI_Comm comm, struct hf_context **context, struct hf_error *error)
{
    return hf_context_create_ext(comm, 0, context, error);
}

void hf_context_destroy(struct hf_context **context)
{
    if (context == NULL || *context == NULL) return;
    hf_interruption_destroy(&(*context)->interruption);
    if ((*context)->leaders != MPI_COMM_NULL) MPI_Comm_free(&(*context)->leaders);
    MPI_Comm_free(&(*context)->node);
    MPI_Comm_free(&(*context)->comm);
    hf_memory_destroy(&(*context)->memory);
    free((*context)->neighbour);
    free(*context);
    *context = NULL;
}

void hf_leave_mpi(bool stuck_in_mpi, int exit_code)
{
    enum { LONGEST_SECONDS = 30 };
    int rank;
    fflush(NULL);
    if (!stuck_in_mpi) {
        MPI_Finalize();
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* only rank 0 calls it, so that the exit code is certain */
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
    sleep(LONGEST_SECONDS);
    _exit(exit_code);
}
