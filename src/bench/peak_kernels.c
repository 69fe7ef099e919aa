/* Arithmetic and reading at full speed; compiled once per instruction set and precision, with HF_PEAK_FLOPS
 * and, in double precision, HF_PEAK_READ naming the functions. See peak.h. */
#include "peak.h"

#include "base/lanes.h"

/** A register of the instruction set; compilers keep longer vectors in memory. */
typedef real widest __attribute__((vector_size(HF_PEAK_BYTES)));

/** Chains side by side: enough to hide the latency of an operation, few enough for the registers. */
enum { N_CHAIN = 12, N_LANE = HF_PEAK_BYTES / sizeof(real) };

double HF_PEAK_FLOPS(long n, double start, long *n_flop)
{
    const widest zero = {0}, factor = zero + (real)start, term = zero + (real)(1.0 - start);
    widest chain[N_CHAIN], sum = zero;
#pragma GCC unroll 12
    for (int i = 0; i < N_CHAIN; i++) chain[i] = zero + (real)i;
    for (long k = 0; k < n; k++) {
#pragma GCC unroll 12
        for (int i = 0; i < N_CHAIN; i++) chain[i] = chain[i] * factor + term;
    }
#pragma GCC unroll 12
    for (int i = 0; i < N_CHAIN; i++) sum += chain[i];
    double result = 0.0;
    for (int l = 0; l < N_LANE; l++) result += (double)sum[l];
    *n_flop = n * N_CHAIN * N_LANE * 2;
    return result;
}

#ifdef HF_PEAK_READ
double HF_PEAK_READ(size_t n, const double x[])
{
    enum { N_SUM = 8 };
    const lanes *from = (const lanes *)(const void *)x;
    lanes sum[N_SUM];
    double result = 0.0;
#pragma GCC unroll 8
    for (int i = 0; i < N_SUM; i++) sum[i] = broadcast(0);
    for (size_t k = 0; k < n / HF_WIDTH; k += N_SUM) {
#pragma GCC unroll 8
        for (int i = 0; i < N_SUM; i++) sum[i] += from[k + (size_t)i];
    }
    for (int i = 0; i < N_SUM; i++)
        for (int l = 0; l < HF_WIDTH; l++) result += sum[i][l];
    return result;
}
#endif
