/* The context of a run: communicator, memory account, timers. */
#include "hf/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

hf_status hf_context_create(MPI_Comm comm, struct hf_context **context, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *made = calloc(1, sizeof *made);
    if (made != NULL) made->memory = hf_memory_create();
    if (made == NULL || made->memory == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory at start-up");
    HF_TRY(hf_agree(comm, status, error));
    MPI_Comm_dup(comm, &made->comm);
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->n_rank);
    *context = made;
    return HF_OK;
cleanup:
    if (made != NULL) hf_memory_destroy(&made->memory);
    free(made);
    return status;
}

void hf_context_destroy(struct hf_context **context)
{
    if (*context == NULL) return;
    MPI_Comm_free(&(*context)->comm);
    hf_memory_destroy(&(*context)->memory);
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
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, exit_code); /* one voice: which exit code is clear */
    sleep(LONGEST_SECONDS);
    _exit(exit_code);
}
