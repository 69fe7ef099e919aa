/* Times for computing and for fresh memory in this run, which decide what is stored. */
#include "store/touch.h"
#include "work_private.h"

#include <math.h>

/** Most memory that is probed, in bytes and as a share of what a rank may store. */
static const double PROBE_BYTES = 1 << 24, PROBE_SHARE = 0.0625;

/** Time of double precision over that of single precision, used if too few calls of one were measured. */
static const double DOUBLE_PER_SINGLE = 1.7;

/** Share of the cost that calls of one precision must have, so that its time is known. */
static const double KNOWN_SHARE = 0.02;

void hf_work_learn_prices(struct hf_work *work)
{
    enum { N = HF_PRECISION_SINGLE + 1 };
    double sum[2 * N] = {0.0};
    for (int i = 0; i < work->n_worker; i++) {
        for (int k = 0; k < N; k++) {
            sum[k] += work->worker[i].sampled[k].seconds;
            sum[N + k] += work->worker[i].sampled[k].cost;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2 * N, MPI_DOUBLE, MPI_SUM, work->context->comm);
    const double *seconds = sum, *cost = sum + N;
    const double all = cost[HF_PRECISION_DOUBLE] + cost[HF_PRECISION_SINGLE];
    if (!(all > 0.0)) return;
    const bool has_double = cost[HF_PRECISION_DOUBLE] >= KNOWN_SHARE * all;
    const bool has_single = cost[HF_PRECISION_SINGLE] >= KNOWN_SHARE * all;
    struct hf_store_prices *prices = &work->prices;
    if (has_double) prices->compute = seconds[HF_PRECISION_DOUBLE] / cost[HF_PRECISION_DOUBLE];
    if (has_single) prices->single = seconds[HF_PRECISION_SINGLE] / cost[HF_PRECISION_SINGLE];
    if (!has_double) prices->compute = DOUBLE_PER_SINGLE * prices->single;
    if (!work->settings.single || !has_single) prices->single = prices->compute;
}

void hf_work_probe_memory(struct hf_work *work)
{
    const double of_rank = work->plan.choice.bytes / (double)work->context->n_rank;
    const size_t n = (size_t)fmax(1.0, fmin(PROBE_BYTES, PROBE_SHARE * of_rank));
    double price = 0.0;
    void *memory =
        hf_memory_allocate_unset(work->context->memory, HF_MEMORY_STORED, "probe of memory", n);
    if (memory != NULL) price = hf_touch_seconds(memory, n) / (double)n;
    hf_memory_release(work->context->memory, memory);
    const double kept = (double)hf_memory_kept_bytes(work->context->memory);
    price *= fmax(0.0, 1.0 - kept / fmax(1.0, of_rank));
    MPI_Allreduce(MPI_IN_PLACE, &price, 1, MPI_DOUBLE, MPI_MAX, work->context->comm);
    work->prices.touch = fmax(price, work->prices.least_touch);
}
