/* Collective helpers for all rooms: agreement on failures, long sums, long broadcasts. */
#include "hf/context.h"
#include "hf/interruption.h"

#include <assert.h>

/** Elements per MPI call: far below INT_MAX, so that byte counts inside MPI libraries fit as well.
 */
enum { PIECE = 1 << 26 };

hf_status hf_agree(MPI_Comm comm, hf_status status, struct hf_error *error)
{
    struct {
        int status, rank;
    } here = {(int)status, 0}, worst;
    MPI_Comm_rank(comm, &here.rank);
    MPI_Allreduce(&here, &worst, 1, MPI_2INT, MPI_MAXLOC, comm);
    if (worst.status != (int)HF_OK) {
        struct hf_error none = {0};
        struct hf_error *text = error != NULL ? error : &none;
        MPI_Bcast(text->message, (int)sizeof text->message, MPI_CHAR, worst.rank, comm);
        MPI_Bcast(&text->signal_number, 1, MPI_INT, worst.rank, comm);
    }
    return (hf_status)worst.status;
}

hf_status hf_agree_on_same(MPI_Comm comm, int n, const char *const name[],
                           const uint64_t checksum[], struct hf_error *error)
{
    uint64_t least[2 * HF_MOST_CHECKSUMS]; /* of the checksums, and of their complements */
    assert(n <= HF_MOST_CHECKSUMS);
    for (int i = 0; i < n; i++) {
        least[i] = checksum[i];
        least[n + i] = ~checksum[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, least, 2 * n, MPI_UINT64_T, MPI_MIN, comm);
    for (int i = 0; i < n; i++)
        if (least[i] != ~least[n + i])
            return hf_fail(error, HF_BAD_INPUT,
                           "%s differs from rank to rank; expected the same on all ranks", name[i]);
    return HF_OK;
}

hf_status hf_agree_to_go_on(struct hf_context *context, hf_status status, struct hf_error *error)
{
    const int reason = hf_interruption_ask(context->interruption);
    if (status == HF_OK && reason != 0) status = hf_interrupted(error, reason);
    status = hf_agree(context->comm, status, error);
    if (status == HF_INTERRUPTED) hf_interruption_settle(context->interruption);
    return status;
}

void hf_sum_over_ranks(MPI_Comm comm, size_t n, double values[])
{
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        MPI_Allreduce(MPI_IN_PLACE, values + first, (int)count, MPI_DOUBLE, MPI_SUM, comm);
    }
}

void hf_broadcast_bytes(MPI_Comm comm, int root, size_t n_bytes, void *data)
{
    unsigned char *bytes = data;
    for (size_t first = 0; first < n_bytes; first += PIECE) {
        const size_t count = n_bytes - first < PIECE ? n_bytes - first : PIECE;
        MPI_Bcast(bytes + first, (int)count, MPI_BYTE, root, comm);
    }
}
