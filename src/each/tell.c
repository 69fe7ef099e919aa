/* Prints progress, summary and outlook of a job. */
#include "each_private.h"

#include "hf/timer.h"

#include <inttypes.h>
#include <math.h>

static const double LEAST_SECONDS = 0.5; /* between two lines */

/** "1:02:03" */
static void print_time(FILE *stream, double seconds)
{
    const int64_t all = (int64_t)seconds;
    fprintf(stream, "%" PRId64 ":%02d:%02d", all / 3600, (int)(all / 60 % 60), (int)(all % 60));
}

void hf_each_tell_progress(struct hf_each_progress *progress,
                           const struct hf_results_account *account)
{
    const double now = hf_wall_seconds(), seconds = now - progress->began;
    const int64_t n = account->n_good + account->n_failed;
    if (progress->stream == NULL || now - progress->printed < LEAST_SECONDS) return;
    progress->printed = now;
    fprintf(progress->stream, "\r%" PRId64 " molecules, %" PRId64 " failed, %.1f/s", n,
            account->n_failed, (double)n / seconds);
    if (progress->fraction > 0.0) {
        fprintf(progress->stream, ", about ");
        print_time(progress->stream, seconds * (1.0 - progress->fraction) / progress->fraction);
        fprintf(progress->stream, " left");
    }
    fprintf(progress->stream, "   ");
    fflush(progress->stream);
}

void hf_each_tell_end(FILE *out, const struct hf_each_summary *summary)
{
    const struct hf_results_account *account = summary->account;
    const int64_t n = account->n_good + account->n_failed;
    const int n_rank = summary->n_rank;
    if (out == NULL) return;
    fprintf(out, "Molecules     %" PRId64 " computed: %" PRId64 " good, %" PRId64 " failed\n", n,
            account->n_good, account->n_failed);
    const struct hf_finished *before = summary->before;
    if (before->n > 0)
        fprintf(out, "Earlier runs  %" PRId64 " results, %" PRId64 " of them failed%s\n",
                before->n_taken, before->n_failed,
                before->n_failed > 0 ? "; --retry-failed computes these again" : "");
    if (before->n > before->n_taken)
        fprintf(out, "              %" PRId64 " of other records or settings\n",
                before->n - before->n_taken);
    fprintf(out, "Results       %s\n", summary->json);
    if (n == 0) return;
    fprintf(out, "Time          %.2f s on %d rank%s: %.2f molecules per second\n", summary->seconds,
            n_rank, n_rank > 1 ? "s" : "", (double)n / summary->seconds);
    fprintf(out,
            "Imbalance     %.3f (slowest rank over mean); ranks computed %.1f %% of the time\n",
            summary->busy.max / fmax(summary->busy.mean, 1e-9),
            100.0 * summary->busy.mean / summary->seconds);
    fprintf(out, "Slowest       %.2f s: %s\n", account->slowest_seconds, account->slowest);
    if (account->most_functions > 0)
        fprintf(out, "Largest       %d functions: %s\n", account->most_functions, account->largest);
}

void hf_each_tell_outlook(FILE *out, const struct hf_each_outlook *outlook, int64_t n_before)
{
    if (out == NULL) return;
    fprintf(out, "Molecules     %" PRId64 ", and %" PRId64 " records that cannot be read\n",
            outlook->n, outlook->n_bad);
    if (outlook->n_bad > 0) fprintf(out, "              the first: %s\n", outlook->bad);
    if (n_before > 0)
        fprintf(out, "Earlier runs  %" PRId64 " results, which are not counted here\n", n_before);
    if (outlook->n > 0) {
        fprintf(out, "Largest       %d functions: %s\n", outlook->most_functions, outlook->largest);
        fprintf(out, "Time          about %.3g core hours by the cost model; the longest %.3g s\n",
                outlook->seconds / 3600.0, outlook->longest);
        fprintf(out, "Ranks         up to about %.0f before several have to share a molecule\n",
                fmax(1.0, floor(outlook->seconds / outlook->longest)));
        fprintf(
            out,
            "Memory        up to about %.0f MB on one rank for matrices and MP2, and --memory for "
            "stored integrals\n",
            1e-6 * outlook->most_bytes);
    }
    fprintf(out, "Nothing was computed (--check).\n");
}
