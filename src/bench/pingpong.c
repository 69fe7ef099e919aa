/* Latency and bandwidth: messages of growing length to a partner and back (book Fig. 5.2). */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINT = 32, LARGEST_BYTES = 8 << 20, LARGEST_BYTES_QUICK = 1 << 20, TAG = 7 };

/** Seconds that one measurement should last, so that the clock's resolution does not matter. */
static const double measure_seconds = 0.02, measure_seconds_quick = 0.001;

/** All measurements of one message length. */
struct point {
    int n_bytes;
    int n_round_trip; /**< of one measurement */
    double seconds;   /**< one way, the median */
};

/** Seconds of one way; local to the two ranks. */
static double exchange(MPI_Comm comm, bool first, int partner, int n_bytes, char *message,
                       int n_round_trip)
{
    const double begin = hf_wall_seconds();
    for (int i = 0; i < n_round_trip; i++) {
        if (first) {
            MPI_Send(message, n_bytes, MPI_BYTE, partner, TAG, comm);
            MPI_Recv(message, n_bytes, MPI_BYTE, partner, TAG, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(message, n_bytes, MPI_BYTE, partner, TAG, comm, MPI_STATUS_IGNORE);
            MPI_Send(message, n_bytes, MPI_BYTE, partner, TAG, comm);
        }
    }
    return 0.5 * (hf_wall_seconds() - begin) / n_round_trip;
}

/** How many round trips last long enough; the first rank decides. Two round trips before it bring
 *  memory and connections to life. */
static int choose_round_trips(const struct hf_bench *bench, bool first, int partner, int n_bytes,
                              char *message)
{
    MPI_Comm comm = bench->context->comm;
    const double wanted = bench->quick ? measure_seconds_quick : measure_seconds;
    exchange(comm, first, partner, n_bytes, message, 2);
    const double seconds = exchange(comm, first, partner, n_bytes, message, 3);
    int n = (int)fmax(1.0, fmin(10000.0, wanted / (2.0 * seconds)));
    if (first)
        MPI_Send(&n, 1, MPI_INT, partner, TAG, comm);
    else
        MPI_Recv(&n, 1, MPI_INT, partner, TAG, comm, MPI_STATUS_IGNORE);
    return n;
}

/** One row of the table and one object of the file. False: no memory. */
static bool report_point(const struct hf_bench *bench, cJSON *points, const struct point *point,
                         const double seconds[])
{
    char length[32];
    hf_bench_bytes_text(point->n_bytes, sizeof length, length);
    hf_bench_print(bench, "  %10s  %12d  %14.3f", length, point->n_round_trip,
                   1e6 * point->seconds);
    if (point->n_bytes > 0)
        hf_bench_print(bench, "  %14.3f", 1e-6 * point->n_bytes / point->seconds);
    hf_bench_print(bench, "\n");
    cJSON *object = hf_bench_json_append_object(points);
    return object != NULL && hf_bench_json_number(object, "message_bytes", point->n_bytes) &&
           hf_bench_json_number(object, "round_trips", point->n_round_trip) &&
           hf_bench_json_number(object, "one_way_seconds", point->seconds) &&
           hf_bench_json_numbers(object, "one_way_seconds_of_repetitions", bench->n_repeat,
                                 seconds);
}

/** The sweep between rank 0 and `partner`; returns the number of points. *built becomes false
 *  without memory for the file. */
static int sweep(const struct hf_bench *bench, int partner, char *message, double seconds[],
                 struct point point[], cJSON *points, bool *built)
{
    const bool first = bench->context->rank == 0;
    const int largest = bench->quick ? LARGEST_BYTES_QUICK : LARGEST_BYTES;
    const int other = first ? partner : 0;
    int n = 0;
    for (int n_bytes = 0; n_bytes <= largest; n_bytes = n_bytes == 0 ? 1 : 2 * n_bytes, n++) {
        const int n_trip = choose_round_trips(bench, first, other, n_bytes, message);
        for (int i = 0; i < bench->n_repeat; i++)
            seconds[i] = exchange(bench->context->comm, first, other, n_bytes, message, n_trip);
        point[n] = (struct point){n_bytes, n_trip, hf_bench_median(bench->n_repeat, seconds)};
        if (first) *built = report_point(bench, points, &point[n], seconds) && *built;
    }
    return n;
}

/** Fits and reports; rank 0. */
static bool report_line(const struct hf_bench *bench, cJSON *object, int n,
                        const struct point point[])
{
    double n_bytes[MAX_POINT], seconds[MAX_POINT];
    for (int i = 0; i < n; i++) n_bytes[i] = point[i].n_bytes, seconds[i] = point[i].seconds;
    const struct hf_bench_line line = hf_bench_fit_line(n, n_bytes, seconds);
    hf_bench_print(bench,
                   "\n  Fitted to time = alpha + bytes * beta (relative residuals: rms %.0f %%, "
                   "largest %.0f %%)\n"
                   "  Latency alpha          %14.3f us\n"
                   "  Inverse bandwidth beta %14.6f ns/B\n"
                   "  Bandwidth 1/beta       %14.3f MB/s\n\n",
                   100.0 * line.rms_residual, 100.0 * line.largest_residual,
                   1e6 * line.latency_seconds, 1e9 * line.seconds_per_byte,
                   1e-6 / line.seconds_per_byte);
    return hf_bench_json_number(object, "alpha_seconds", line.latency_seconds) &&
           hf_bench_json_number(object, "beta_seconds_per_byte", line.seconds_per_byte) &&
           hf_bench_json_number(object, "bandwidth_megabytes_per_second",
                                1e-6 / line.seconds_per_byte) &&
           hf_bench_json_number(object, "rms_relative_residual", line.rms_residual) &&
           hf_bench_json_number(object, "largest_relative_residual", line.largest_residual);
}

/** Rank 0 and one partner at work, all others asleep. Collective. */
static bool measure_partner(const struct hf_bench *bench, cJSON *partners, int partner,
                            char *message, double seconds[])
{
    const int rank = bench->context->rank;
    struct point point[MAX_POINT];
    bool built = true;
    cJSON *object = NULL, *points = NULL;
    if (rank == 0) {
        object = hf_bench_json_append_object(partners);
        points = cJSON_AddArrayToObject(object, "points");
        built = points != NULL && hf_bench_json_number(object, "partner_rank", partner);
        hf_bench_print(bench, "Between rank 0 and rank %d\n\n  %10s  %12s  %14s  %14s\n", partner,
                       "message", "round trips", "one way/us", "bandwidth/MB/s");
    }
    if (rank == 0 || rank == partner) {
        const int n = sweep(bench, partner, message, seconds, point, points, &built);
        if (rank == 0) built = report_line(bench, object, n, point) && built;
    }
    hf_bench_wait(bench->context->comm, rank == 0 || rank == partner);
    return built;
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    struct hf_context *context = bench->context;
    hf_status status = HF_OK;
    bool built = true;
    cJSON *partners = NULL;
    char *message = malloc(LARGEST_BYTES);
    double *seconds = calloc((size_t)bench->n_repeat, sizeof *seconds);
    if (message == NULL || seconds == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory");
    HF_TRY(hf_agree(context->comm, status, error));
    memset(message, 1, LARGEST_BYTES); /* untouched pages cost nothing to send */

    if (context->rank == 0) partners = cJSON_AddArrayToObject(bench->results, "partners");
    /* the nearest rank and the furthest, which on several nodes is one of another node */
    built = measure_partner(bench, partners, 1, message, seconds);
    if (context->n_rank > 2)
        built = measure_partner(bench, partners, context->n_rank - 1, message, seconds) && built;
    HF_TRY(hf_agree(context->comm, hf_bench_json_outcome(built, error), error));
cleanup:
    free(seconds);
    free(message);
    return status;
}

const struct hf_bench_kernel hf_bench_pingpong = {
    .name = "pingpong",
    .about = "latency and bandwidth of messages between two ranks",
    .cite = "book Fig. 5.2",
    .least_ranks = 2,
    .n_repeat = 9,
    .n_repeat_quick = 3,
    .run = run,
};
