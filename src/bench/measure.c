/* Medians, waiting without disturbing other ranks, and the straight line through the times of messages.
 */
#include "bench.h"

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double hf_bench_median(int n, double value[])
{
    assert(n > 0);
    qsort(value, (size_t)n, sizeof *value, ascending);
    return n % 2 == 1 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

double hf_bench_load_average(void)
{
    double load = -1.0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file == NULL) return load;
    if (fscanf(file, "%lf", &load) != 1) load = -1.0;
    fclose(file);
    return load;
}

void hf_bench_wait(MPI_Comm comm, bool awake)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        if (awake)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
}

/** Finds the residuals of the line. */
static void find_residuals(int n, const double n_bytes[], const double seconds[],
                           struct hf_bench_line *line)
{
    double squares = 0.0;
    line->largest_residual = 0.0;
    for (int i = 0; i < n; i++) {
        const double at = line->latency_seconds + line->seconds_per_byte * n_bytes[i];
        const double residual = fabs(at / seconds[i] - 1.0);
        squares += residual * residual;
        line->largest_residual = fmax(line->largest_residual, residual);
    }
    line->rms_residual = sqrt(squares / n);
}

const char *hf_bench_line_doubt(const struct hf_bench_line *line)
{
    static const double most_residual = 0.5;
    if (!(line->latency_seconds > 0.0) || !(line->seconds_per_byte > 0.0))
        return "no network has a latency or a time per byte of zero or less; other programs or "
               "too few cores disturbed the measurement";
    if (line->rms_residual > most_residual)
        return "the times are far from a straight line; other programs, too few cores or several "
               "protocols of the library";
    return NULL;
}

struct hf_bench_line hf_bench_line_through_ends(int n, const double n_bytes[],
                                                const double seconds[])
{
    struct hf_bench_line line = {0};
    assert(n > 1 && n_bytes[n - 1] > n_bytes[0]);
    line.seconds_per_byte = (seconds[n - 1] - seconds[0]) / (n_bytes[n - 1] - n_bytes[0]);
    line.latency_seconds = seconds[0] - line.seconds_per_byte * n_bytes[0];
    find_residuals(n, n_bytes, seconds, &line);
    return line;
}

struct hf_bench_line hf_bench_fit_line(int n, const double n_bytes[], const double seconds[])
{
    struct hf_bench_line line = {0};
    double w = 0.0, wx = 0.0, wy = 0.0, wxx = 0.0, wxy = 0.0;
    for (int i = 0; i < n; i++) { /* for means: the centred sums below keep their digits */
        const double weight = 1.0 / (seconds[i] * seconds[i]);
        w += weight;
        wx += weight * n_bytes[i];
        wy += weight * seconds[i];
    }
    const double mean_bytes = wx / w, mean_seconds = wy / w;
    for (int i = 0; i < n; i++) {
        const double weight = 1.0 / (seconds[i] * seconds[i]), x = n_bytes[i] - mean_bytes;
        wxx += weight * x * x;
        wxy += weight * x * (seconds[i] - mean_seconds);
    }
    line.seconds_per_byte = wxy / wxx;
    line.latency_seconds = mean_seconds - line.seconds_per_byte * mean_bytes;
    find_residuals(n, n_bytes, seconds, &line);
    return line;
}
