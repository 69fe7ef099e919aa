/* The report's last part: where time and memory went, over all ranks. */
#include "output/output.h"

#include "output_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_cautions(const struct hf_report *report, const struct hf_record *record)
{
    FILE *out = report->stream;
    const struct hf_run_statistics *statistics = &record->statistics;
    if (record->build_remark != NULL)
        fprintf(out, "Caution: this hf was %s; its times say nothing about speed.\n",
                record->build_remark);
    if (report->n_core > 0 && statistics->n_rank_on_node > report->n_core)
        fprintf(out,
                "Caution: %d ranks shared %d cores; times and waiting are not those of a proper "
                "launch.\n",
                statistics->n_rank_on_node, report->n_core);
}

static void print_phase(FILE *out, const char *name, const struct hf_statistic *seconds)
{
    fprintf(out, "  %-32s %11.3f %11.3f %11.3f %13d\n", name, seconds->min, seconds->mean,
            seconds->max, seconds->max_rank);
}

/** The phases below "Total" add up to it on every rank. */
static void print_phases(FILE *out, const struct hf_run_statistics *statistics)
{
    fprintf(out, "  %-32s %11s %11s %11s %13s\n", "Seconds over the ranks", "min", "mean", "max",
            "slowest rank");
    for (int i = 0; i < statistics->n_phase; i++)
        print_phase(out, statistics->phase[i].name, &statistics->phase[i].seconds);
    print_phase(out, "Outside of the phases", &statistics->outside);
}

/** How often a density block was at hand when a step needed it. */
static void print_blocks(FILE *out, const struct hf_block_counts *blocks)
{
    const double n = blocks->n_asked > 0 ? (double)blocks->n_asked : 1.0;
    const int64_t n_fetched = blocks->n_asked - blocks->n_cached - blocks->n_own;
    fprintf(out,
            "  %-32s %" PRId64 ": %.1f %% cached, %.1f %% own, %.1f %% fetched; %" PRId64
            " sums sent\n",
            "Density blocks requested", blocks->n_asked, 100.0 * (double)blocks->n_cached / n,
            100.0 * (double)blocks->n_own / n, 100.0 * (double)n_fetched / n, blocks->n_sent);
}

/** Seconds of a phase on the rank where it was longest. */
static double longest(const struct hf_run_statistics *statistics, const struct hf_phase *phase)
{
    for (int i = 0; i < statistics->n_phase; i++)
        if (strcmp(statistics->phase[i].name, phase->name) == 0)
            return statistics->phase[i].seconds.max;
    return 0.0;
}

/** The cost of --reproducible, as far as the run can measure it. */
static void print_cost_of_exact_sums(FILE *out, const struct hf_run_statistics *statistics)
{
    const double total = longest(statistics, &hf_phase_total);
    const double matrices =
        longest(statistics, &hf_phase_diagonalise) + longest(statistics, &hf_phase_linear_algebra);
    fprintf(out,
            "  %-32s %.2f s (%.0f %%) with the matrices on one rank; no integrals stored or in "
            "single precision\n",
            "Cost of the same bits", matrices, total > 0.0 ? 100.0 * matrices / total : 0.0);
}

/** Why so many integrals are stored. */
static void print_outlook(FILE *out, const struct hf_store_outlook *outlook)
{
    fprintf(out, "  %-32s ", "Choice of stored integrals");
    if (outlook->bytes > 0.0)
        fprintf(out, "%.1f MB: %.2g s to store, %.2g s saved in %d builds (estimates)\n",
                1e-6 * outlook->bytes, outlook->store_seconds, outlook->saved_seconds,
                outlook->n_build);
    else
        fprintf(out, "none: nothing would be saved in %d builds (estimate)\n", outlook->n_build);
}

static void print_fock(FILE *out, const struct hf_scf_result *result)
{
    const struct hf_fock_account *account = &result->last_build;
    const int64_t n_screened =
        account->n_quartet_total - account->n_quartet_computed - account->n_quartet_read;
    fprintf(out, "\n  %-32s %.3f\n", "Load imbalance (slowest/mean)", result->imbalance);
    fprintf(out,
            "  %-32s %" PRId64 " unique, %" PRId64 " computed (%" PRId64
            " in single precision), %" PRId64 " screened\n",
            "Shell quartets, last build", account->n_quartet_total, account->n_quartet_computed,
            account->n_quartet_single, n_screened);
    if (account->coulomb_apart && account->exchange_share > 0.0)
        fprintf(out, "  %-32s separate from exchange, which needs about %.0f %% of the quartets\n",
                "Coulomb matrices", 100.0 * account->exchange_share);
    if (account->coulomb_apart)
        fprintf(out, "  %-32s %" PRId64 " computed (%" PRId64 " in single precision)\n",
                "Product pairs, last build", account->n_product_pair, account->n_product_single);
    if (account->outlook.n_build > 0) print_outlook(out, &account->outlook);
    if (account->stored_bytes > 0.0)
        fprintf(out, "  %-32s %" PRId64 " read back; %.1f MB on all ranks\n",
                "Stored quartets, last build", account->n_quartet_read,
                1e-6 * account->stored_bytes);
    if (account->exact_range > 0.0)
        fprintf(out, "  %-32s below %g hartree, in steps of %.1e\n", "Exact sums, last build",
                account->exact_range, ldexp(account->exact_range, -51));
    fprintf(out, "  %-32s %" PRId64 "\n", "Tasks, last build", account->n_task);
    if (result->n_rotation + result->n_given_up > 0)
        fprintf(out, "  %-32s %d times in %d sweeps, given up %d times\n", "Orbitals by rotation",
                result->n_rotation, result->n_sweep, result->n_given_up);
    if (account->transport != NULL) print_blocks(out, &account->blocks);
}

static void print_bytes(FILE *out, const char *name, const struct hf_statistic *bytes)
{
    fprintf(out, "  %-32s %11.2f %11.2f %11.2f %13d\n", name, 1e-6 * bytes->min, 1e-6 * bytes->mean,
            1e-6 * bytes->max, bytes->max_rank);
}

static void print_memory(FILE *out, const struct hf_run_statistics *statistics)
{
    char largest[96];
    snprintf(largest, sizeof largest, "Largest block (%s)", statistics->largest_label);
    fprintf(out, "\n  %-32s %11s %11s %11s %13s\n", "Memory per rank, 10^6 bytes", "min", "mean",
            "max", "largest rank");
    print_bytes(out, "Peak of hf's own arrays", &statistics->tracked_bytes);
    print_bytes(out, "Peak of its matrices", &statistics->matrix_bytes);
    print_bytes(out, "Peak of its shell pairs", &statistics->pair_bytes);
    print_bytes(out, largest, &statistics->largest_bytes);
    print_bytes(out, "Peak of the process (resident)", &statistics->resident_bytes);
}

void hf_report_timings(struct hf_report *report, const struct hf_run_description *run,
                       const struct hf_record *record, const struct hf_scf_result *result)
{
    if (report->stream == NULL) return;
    fprintf(report->stream, "\nTimings and memory\n");
    print_cautions(report, record);
    print_phases(report->stream, &record->statistics);
    print_fock(report->stream, result);
    if (result->last_build.exact_range > 0.0)
        print_cost_of_exact_sums(report->stream, &record->statistics);
    print_memory(report->stream, &record->statistics);
    /* The energy again, where the eye lands when the run has ended. */
    fprintf(report->stream, "\nTotal energy %.10f hartree, %s %d iterations\n",
            hf_output_energy(run, result),
            result->converged ? "converged after" : "NOT CONVERGED after", result->n_iteration);
    hf_report_flush(report);
}
