/* One interface for windows over both transports and for MPI_Accumulate in a window of MPI.
 */
#include "accumulate_target.h"

#include <string.h>

bool hf_bench_way_get(int i, struct hf_bench_way *way)
{
    int n_transport = 0;
    while (hf_transport_list[n_transport] != NULL) n_transport++;
    if (i > 2 * n_transport) return false;
    if (i == 2 * n_transport) {
        *way = (struct hf_bench_way){.method = "MPI_Accumulate",
                                     .transport = "window",
                                     .accumulate = HF_ACCUMULATE_OWNER,
                                     .is_window = true};
        return true;
    }
    const enum hf_accumulate accumulate = i % 2 == 0 ? HF_ACCUMULATE_OWNER : HF_ACCUMULATE_CALLER;
    *way = (struct hf_bench_way){.method = accumulate == HF_ACCUMULATE_OWNER ? "owner-computes"
                                                                             : "caller-computes",
                                 .transport = hf_transport_name(hf_transport_list[i / 2]),
                                 .accumulate = accumulate};
    return true;
}

void hf_bench_target_open(struct hf_bench_target *target, struct hf_bench *bench,
                          const struct hf_bench_way *way, size_t size, char problem[])
{
    struct hf_error error;
    const struct hf_onesided_settings settings = {.transport = way->transport,
                                                  .accumulate = way->accumulate};
    *target = (struct hf_bench_target){.bench = bench, .way = *way, .plain = MPI_WIN_NULL};
    problem[0] = '\0';
    if (way->is_window) return;
    if (hf_onesided_create(bench->context, &settings, &target->onesided, &error) != HF_OK) {
        snprintf(problem, size, "%s", error.message);
        return;
    }
    if (strcmp(hf_onesided_transport(target->onesided), way->transport) != 0)
        snprintf(problem, size, "%s", hf_onesided_note(target->onesided));
}

void hf_bench_target_close(struct hf_bench_target *target)
{
    hf_bench_target_destroy_block(target);
    hf_onesided_destroy(&target->onesided);
}

/** Creates a window that every rank may add to. MPI allocates it, since MPI knows which memory it reaches
 *  fastest; a failure there is fatal. Sizes are whole cache lines: MPICH 4.0.2 misplaces the parts of windows
 *  whose sizes are not multiples of 16 bytes. */
static void create_window(struct hf_bench_target *target)
{
    enum { LINE = 64 };
    const struct hf_context *context = target->bench->context;
    const size_t n = context->rank == target->rank ? target->n_double : 0;
    const MPI_Aint bytes = (MPI_Aint)((n * sizeof(double) + LINE - 1) / LINE * LINE);
    MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, context->comm, &target->plain_base,
                     &target->plain);
    MPI_Win_lock_all(0, target->plain);
    for (size_t i = 0; i < n; i++) target->plain_base[i] = 0.0;
    MPI_Win_sync(target->plain);
}

hf_status hf_bench_target_create_block(struct hf_bench_target *target, int order,
                                       struct hf_error *error)
{
    const struct hf_context *context = target->bench->context;
    target->n_double = (size_t)order * (size_t)order;
    target->rank = 0;
    if (target->way.is_window)
        create_window(target);
    else
        HF_CHECK(hf_window_create(target->onesided, context->rank == 0 ? target->n_double : 0,
                                  "accumulate", &target->window, error));
    hf_bench_target_fence(target);
    return HF_OK;
}

void hf_bench_target_destroy_block(struct hf_bench_target *target)
{
    if (target->plain != MPI_WIN_NULL) {
        MPI_Win_unlock_all(target->plain);
        MPI_Win_free(&target->plain);
        target->plain_base = NULL;
    }
    hf_window_destroy(&target->window);
}

void hf_bench_target_add(struct hf_bench_target *target, const double from[])
{
    const int n = (int)target->n_double;
    if (!target->way.is_window) {
        const struct hf_window_range all = {.rank = target->rank, .n = target->n_double};
        hf_window_accumulate(target->window, all, from);
        return;
    }
    MPI_Accumulate(from, n, MPI_DOUBLE, target->rank, 0, n, MPI_DOUBLE, MPI_SUM, target->plain);
    MPI_Win_flush_local(target->rank, target->plain); /* `from` may be changed then, as above */
}

void hf_bench_target_fence(struct hf_bench_target *target)
{
    if (!target->way.is_window) {
        hf_window_fence(target->window);
        return;
    }
    MPI_Win_flush_all(target->plain);
    hf_bench_wait(target->bench->context->comm, true);
    MPI_Win_sync(target->plain);
}

bool hf_bench_target_is_multiple(struct hf_bench_target *target, double n, const double from[])
{
    struct hf_context *context = target->bench->context;
    int equal = 1;
    if (context->rank == target->rank) {
        const double *block =
            target->way.is_window ? target->plain_base : hf_window_local(target->window);
        for (size_t i = 0; i < target->n_double; i++)
            if (block[i] != n * from[i]) equal = 0;
    }
    MPI_Bcast(&equal, 1, MPI_INT, target->rank, context->comm);
    return equal == 1;
}
