/* Latency and bandwidth: messages of growing length to a partner and back (book Fig. 5.2). */
#include "bench.h"

#include "base/arena.h"

#include <math.h>
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

/** Number of round trips that takes long enough to time; the first rank decides. The first trial is a warm-up.
 *  The fastest trial counts; others may include an interruption. */
static int choose_round_trips(const struct hf_bench *bench, bool first, int partner, int n_bytes,
                              char *message)
{
    enum { N_LOOK = 4, TRIPS_OF_LOOK = 3, MOST_TRIPS = 10000 };
    MPI_Comm comm = bench->context->comm;
    const double wanted = bench->quick ? measure_seconds_quick : measure_seconds;
    double fastest = HUGE_VAL;
    for (int i = 0; i < N_LOOK; i++)
        fastest = fmin(fastest, exchange(comm, first, partner, n_bytes, message, TRIPS_OF_LOOK));
    int n = (int)fmax(1.0, fmin(MOST_TRIPS, wanted / (2.0 * fastest)));
    if (first)
        MPI_Send(&n, 1, MPI_INT, partner, TAG, comm);
    else
        MPI_Recv(&n, 1, MPI_INT, partner, TAG, comm, MPI_STATUS_IGNORE);
    return n;
}

/** One row of the table and one object of the file. */
static void report_point(struct hf_bench *bench, struct hf_json points, const struct point *point,
                         const double seconds[])
{
    char length[32];
    hf_bench_bytes_text(point->n_bytes, sizeof length, length);
    hf_bench_print(bench, "  %10s  %12d  %14.3f", length, point->n_round_trip,
                   1e6 * point->seconds);
    if (point->n_bytes > 0)
        hf_bench_print(bench, "  %14.5g", 1e-6 * point->n_bytes / point->seconds);
    hf_bench_print(bench, "\n");
    const struct hf_json row = hf_json_row(points);
    HF_ADD(row, "message_bytes", point->n_bytes);
    HF_ADD(row, "round_trips", point->n_round_trip);
    HF_ADD(row, "one_way_seconds", point->seconds);
    hf_json_put_reals(row, "one_way_seconds_of_repetitions", bench->n_repeat, seconds);
}

/** All repetitions of one length. */
static struct point measure_length(const struct hf_bench *bench, bool first, int partner,
                                   int n_bytes, char *message, double seconds[])
{
    MPI_Comm comm = bench->context->comm;
    const int n_trip = choose_round_trips(bench, first, partner, n_bytes, message);
    for (int i = 0; i < bench->n_repeat; i++)
        seconds[i] = exchange(comm, first, partner, n_bytes, message, n_trip);
    return (struct point){n_bytes, n_trip, hf_bench_median(bench->n_repeat, seconds)};
}

/** Measures all lengths between rank 0 and `partner`; returns the number of points. The empty message is measured once more beforehand: a system may take a tenth
 *  of a second to give two communicating ranks a core each. */
static int sweep(struct hf_bench *bench, int partner, char *message, double seconds[],
                 struct point point[], struct hf_json points)
{
    const bool first = bench->context->rank == 0;
    const int largest = bench->quick ? LARGEST_BYTES_QUICK : LARGEST_BYTES;
    const int other = first ? partner : 0;
    int n = 0;
    measure_length(bench, first, other, 0, message, seconds);
    for (int n_bytes = 0; n_bytes <= largest; n_bytes = n_bytes == 0 ? 1 : 2 * n_bytes, n++) {
        point[n] = measure_length(bench, first, other, n_bytes, message, seconds);
        if (first) report_point(bench, points, &point[n], seconds);
    }
    return n;
}

/** One estimate as lines of the table and an object of the file. */
static void report_line(struct hf_bench *bench, struct hf_json partner, const char *name,
                        const char *title, const struct hf_bench_line *line)
{
    hf_bench_print(bench,
                   "\n  %s\n"
                   "    Latency alpha          %12.3f us\n"
                   "    Inverse bandwidth beta %12.6f ns/B  (bandwidth %.5g MB/s)\n"
                   "    Relative residuals     %12.0f %%     (rms; largest %.0f %%)\n",
                   title, 1e6 * line->latency_seconds, 1e9 * line->seconds_per_byte,
                   1e-6 / line->seconds_per_byte, 100.0 * line->rms_residual,
                   100.0 * line->largest_residual);
    const char *doubt = hf_bench_line_doubt(line);
    if (doubt != NULL) hf_bench_print(bench, "    Doubtful: %s\n", doubt);
    const struct hf_json to = hf_json_object(partner, name, "");
    HF_ADD(to, "alpha_seconds", line->latency_seconds);
    HF_ADD(to, "beta_seconds_per_byte", line->seconds_per_byte);
    HF_ADD(to, "bandwidth_megabytes_per_second", 1e-6 / line->seconds_per_byte);
    HF_ADD(to, "rms_relative_residual", line->rms_residual);
    HF_ADD(to, "largest_relative_residual", line->largest_residual);
    HF_ADD(to, "doubt", doubt);
}

/** Reports the book's estimate and one from all lengths; rank 0. */
static void report_lines(struct hf_bench *bench, struct hf_json partner, int n,
                         const struct point point[])
{
    double n_bytes[MAX_POINT], seconds[MAX_POINT];
    for (int i = 0; i < n; i++) n_bytes[i] = point[i].n_bytes, seconds[i] = point[i].seconds;
    const struct hf_bench_line ends = hf_bench_line_through_ends(n, n_bytes, seconds);
    const struct hf_bench_line fit = hf_bench_fit_line(n, n_bytes, seconds);
    report_line(bench, partner, "through_ends",
                "time = alpha + beta * bytes through the empty and the longest message", &ends);
    report_line(bench, partner, "fitted",
                "The same fitted to all messages by least relative residuals", &fit);
}

/** Measures rank 0 with one partner while all other ranks sleep. The message starts as ones on rank 0 and as
 *  zeros elsewhere, so it must be ones in the end. Collective. */
static void measure_partner(struct hf_bench *bench, struct hf_json partners, int partner,
                            char *message, double seconds[])
{
    const int rank = bench->context->rank;
    const bool takes_part = rank == 0 || rank == partner;
    const int largest = bench->quick ? LARGEST_BYTES_QUICK : LARGEST_BYTES;
    int damaged = 0;
    struct point point[MAX_POINT];
    const struct hf_json to = hf_json_row(partners);
    const struct hf_json points = hf_json_array(to, "points", NULL, "");
    HF_ADD(to, "partner_rank", partner);
    hf_bench_print(bench, "  Between rank 0 and rank %d\n\n  %10s  %12s  %14s  %14s\n", partner,
                   "message", "round trips", "one way/us", "bandwidth/MB/s");
    memset(message, rank == 0, (size_t)largest); /* untouched pages cost nothing to send */
    if (takes_part) {
        const int n = sweep(bench, partner, message, seconds, point, points);
        if (rank == 0) report_lines(bench, to, n, point);
        for (int i = 0; i < largest; i++) damaged += message[i] != 1;
    }
    hf_bench_wait(bench->context->comm, takes_part);
    MPI_Allreduce(MPI_IN_PLACE, &damaged, 1, MPI_INT, MPI_MAX, bench->context->comm);
    if (damaged > 0) {
        hf_bench_print(bench, "\n  WRONG: %d bytes of the longest message arrived changed\n",
                       damaged);
        bench->found_wrong = true;
    }
    HF_ADD(to, "damaged_bytes", damaged);
    hf_bench_print(bench, "\n");
}

static hf_status run(struct hf_bench *bench, struct hf_error *error)
{
    struct hf_context *context = bench->context;
    hf_status status;
    struct hf_arena arena = {.label = "messages"};
    char *message = HF_TAKE(&arena, message, LARGEST_BYTES);
    double *seconds = HF_TAKE(&arena, seconds, (size_t)bench->n_repeat);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    const struct hf_json partners = hf_json_array(bench->results, "partners", NULL, "");
    /* the nearest rank and the farthest, which is on another node if there are several */
    measure_partner(bench, partners, 1, message, seconds);
    if (context->n_rank > 2)
        measure_partner(bench, partners, context->n_rank - 1, message, seconds);
cleanup:
    hf_arena_done(&arena);
    return status;
}

const struct hf_bench_kernel hf_bench_pingpong = {
    .name = "pingpong",
    .about = "latency and bandwidth of messages between two ranks",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 5.2",
    .least_ranks = 2,
    .n_repeat = 9,
    .n_repeat_quick = 3,
    .run = run,
};
