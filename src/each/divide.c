/* Divides ranks among molecules; see divide.h. */
#include "each/divide.h"

#include "hf/context.h"

#include <math.h>
#include <stdlib.h>

/** A molecule that takes more than this part of a rank's share of all is shared. Less than 1, since a molecule may take
 *  longer than was foreseen. */
static const double LONG_PART = 0.7;
/** Groups do not pay for molecules that take less. */
static const double WORTHWHILE_SECONDS = 0.1;
/** Step of the search for the time of the longest group. */
static const double STEP = 1.02;

static int compare(const void *a, const void *b)
{
    const struct hf_shared_molecule *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? 1 : -1;
    return x->molecule - y->molecule;
}

/** Sets the ranks of each molecule so that none takes longer than `most` seconds; their sum. */
static double set_ranks(int n, struct hf_shared_molecule shared[], const double bytes[],
                        double rank_bytes, int all_ranks, double most)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double wanted =
            fmax(ceil(shared[i].seconds / most), ceil(bytes[shared[i].molecule] / rank_bytes));
        shared[i].n_rank = (int)fmin(wanted, all_ranks);
        if (shared[i].n_rank > 1) sum += shared[i].n_rank;
    }
    return sum;
}

int hf_molecules_share(int n, const double seconds[], const double bytes[], int all_ranks,
                       double rank_bytes, struct hf_shared_molecule shared[])
{
    double sum = 0.0;
    int n_long = 0, n_shared = 0;
    for (int i = 0; i < n; i++) sum += seconds[i];
    double most = fmax(LONG_PART * sum / all_ranks, WORTHWHILE_SECONDS);
    for (int i = 0; i < n && all_ranks > 1; i++)
        if (seconds[i] > most || bytes[i] > rank_bytes)
            shared[n_long++] = (struct hf_shared_molecule){i, 1, seconds[i]};
    qsort(shared, (size_t)n_long, sizeof *shared, compare);
    while (set_ranks(n_long, shared, bytes, rank_bytes, all_ranks, most) > all_ranks &&
           most < shared[0].seconds)
        most *= STEP;
    for (int i = 0; i < n_long; i++)
        if (shared[i].n_rank > 1) shared[n_shared++] = shared[i];
    return n_shared;
}

int hf_molecules_assign(int *n_shared, struct hf_shared_molecule shared[], int all_ranks, int rank,
                        int *n_ready)
{
    int mine = -1, end = all_ranks, n_left = 0;
    for (int i = 0; i < *n_shared; i++) {
        const int begin = end - shared[i].n_rank;
        if (begin < 0) {
            shared[n_left++] = shared[i];
            continue;
        }
        if (rank >= begin && rank < end) mine = shared[i].molecule;
        end = begin;
    }
    *n_shared = n_left;
    *n_ready = end;
    return mine;
}

hf_status hf_molecules_round(struct hf_molecule_work *work, struct hf_error *error)
{
    const struct hf_context *context = work->context;
    struct hf_scheduler *scheduler = work->scheduler;
    MPI_Comm comm = MPI_COMM_NULL;
    int n_ready;
    int64_t i;
    hf_status status;
    const int n_small = work->n_small,
              mine = hf_molecules_assign(&work->n_shared, work->shared, context->n_rank,
                                         context->rank, &n_ready);
    work->n_small = 0;
    MPI_Comm_split(context->comm, mine >= 0 ? mine : MPI_UNDEFINED, context->rank, &comm);
    hf_scheduler_set_ready(scheduler, n_ready);
    HF_TRY(hf_scheduler_start_by_cost(scheduler, n_small, work->small, error));
    if (mine >= 0) status = work->together(work->data, comm, mine, error);
    while (status == HF_OK && (i = hf_scheduler_next(scheduler)) >= 0)
        status = work->alone(work->data, (int)i, error);
    if (status != HF_OK) hf_scheduler_abandon(scheduler);
    hf_scheduler_finish(scheduler);
cleanup:
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    return status;
}
