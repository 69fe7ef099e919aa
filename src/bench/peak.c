/* Peak rates of the processor; see peak.h. */
#include "peak.h"

#include "bench.h"

#include "base/simd.h"
#include "hf/timer.h"

struct peak_functions {
    const char *name;
    hf_peak_function *of_double, *of_single;
    hf_peak_read_function *read;
};

static struct peak_functions choose(void)
{
    static const char *const name[] = {HF_KERNELS_BUILT("portable", "AVX2", "AVX-512")};
    static hf_peak_function *const of_double[] = {
        HF_KERNELS_BUILT(hf_peak_double_portable, hf_peak_double_avx2, hf_peak_double_avx512)};
    static hf_peak_function *const of_single[] = {
        HF_KERNELS_BUILT(hf_peak_single_portable, hf_peak_single_avx2, hf_peak_single_avx512)};
    static hf_peak_read_function *const read[] = {
        HF_KERNELS_BUILT(hf_peak_read_portable, hf_peak_read_avx2, hf_peak_read_avx512)};
    return (struct peak_functions){HF_BEST_KERNELS(name), HF_BEST_KERNELS(of_double),
                                   HF_BEST_KERNELS(of_single), HF_BEST_KERNELS(read)};
}

/** The best rate of this rank. */
static double best_flops(hf_peak_function *run, bool quick)
{
    const int n_try = quick ? 3 : 20;
    const long n = quick ? 100000 : 1000000;
    volatile double start = 0.999, sink;
    double best = 0.0;
    for (int i = 0; i < n_try; i++) {
        long n_flop;
        const double begin = hf_thread_seconds();
        sink = run(n, start, &n_flop);
        const double seconds = hf_thread_seconds() - begin;
        if (seconds > 0.0 && (double)n_flop / seconds > best) best = (double)n_flop / seconds;
    }
    (void)sink;
    return best;
}

static double best_read(hf_peak_read_function *read, bool quick, size_t n_bytes,
                        const double buffer[])
{
    const int n_try = quick ? 2 : 8;
    volatile double sink;
    double best = 0.0;
    for (int i = 0; i < n_try; i++) {
        const double begin = hf_thread_seconds();
        sink = read(n_bytes / sizeof *buffer / 64 * 64, buffer);
        const double seconds = hf_thread_seconds() - begin;
        if (seconds > 0.0 && (double)n_bytes / seconds > best) best = (double)n_bytes / seconds;
    }
    (void)sink;
    return best;
}

void hf_peak_measure(struct hf_context *context, bool quick, size_t n_bytes, const double buffer[],
                     struct hf_peak *peak)
{
    const struct peak_functions functions = choose();
    double found[3];
    MPI_Barrier(context->comm);
    found[0] = best_flops(functions.of_double, quick);
    found[1] = best_flops(functions.of_single, quick);
    MPI_Barrier(context->comm);
    found[2] = best_read(functions.read, quick, n_bytes, buffer);
    hf_sum_over_ranks(context->comm, 3, found);
    *peak = (struct hf_peak){.instruction_set = functions.name,
                             .double_flops = found[0] / context->n_rank,
                             .single_flops = found[1] / context->n_rank,
                             .read_bytes = found[2] / context->n_rank};
}
