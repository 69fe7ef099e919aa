/* The text report: the writer itself, the iteration table as it happens, the progress line. */
#include "output/output.h"

#include "output_private.h"

#include "hf/interruption.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

const struct hf_phase hf_phase_output = {.name = "Output"};

/** A Fock build shorter than this shows no progress line, and a line is redrawn no sooner. */
static const double PROGRESS_DELAY_SECONDS = 2.0, PROGRESS_PERIOD_SECONDS = 0.25;

hf_status hf_report_create(struct hf_context *context, FILE *stream, struct hf_report **report,
                           struct hf_error *error)
{
    struct hf_report *made = calloc(1, sizeof *made);
    if (made == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the report");
    made->context = context;
    if (context->rank == 0 && stream != NULL) {
        made->stream = stream;
        made->terminal = isatty(fileno(stream)) == 1;
    }
    *report = made;
    return HF_OK;
}

void hf_report_destroy(struct hf_report **report)
{
    if (*report == NULL) return;
    free(*report);
    *report = NULL;
}

void hf_report_flush(struct hf_report *report)
{
    const bool failed = fflush(report->stream) != 0 || ferror(report->stream);
    if (report->lost == 0 && failed) report->lost = errno != 0 ? errno : EIO;
}

int hf_report_lost(const struct hf_report *report)
{
    return report->lost;
}

void hf_report_erase_progress(struct hf_report *report)
{
    if (report->progress_width > 0) fprintf(report->stream, "\r%*s\r", report->progress_width, "");
    report->progress_width = 0;
}

static void print_duration(double seconds, size_t size, char text[])
{
    if (seconds < 100.0)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(text, size, "%.0f min", seconds / 60.0);
    else
        snprintf(text, size, "%.1f h", seconds / 3600.0);
}

/** "  Vibrations: displacement 8 of 18, 40 s, about 50 s left " if pieces are counted, else "  Fock build  50 %, 3 s ". */
static void describe_progress(const struct hf_report *report, double fraction, double seconds,
                              size_t size, char line[])
{
    const struct hf_count count = hf_interruption_counted(report->context->interruption);
    const char *what = report->progress_of[0] != '\0' ? report->progress_of : "Fock build";
    char of[24] = "", left[48] = "", duration[24];
    if (count.unit == NULL) {
        snprintf(line, size, "  %s %3.0f %%, %.0f s ", what, 100.0 * fraction, seconds);
        return;
    }
    if (count.n > 0) snprintf(of, sizeof of, " of %d", count.n);
    if (count.seconds_left >= 0.0) {
        print_duration(count.seconds_left, sizeof duration, duration);
        snprintf(left, sizeof left, ", about %s left", duration);
    }
    print_duration(seconds, sizeof duration, duration);
    snprintf(line, size, "  %s: %s %d%s, %s%s ", what, count.unit, count.number, of, duration,
             left);
}

int hf_report_progress(void *data, double fraction)
{
    struct hf_report *report = data;
    char line[240];
    if (!report->terminal) return 0;
    const double now = hf_wall_seconds();
    if (report->build_started <= 0.0) report->build_started = now;
    if (now - report->build_started < PROGRESS_DELAY_SECONDS ||
        now - report->progress_printed < PROGRESS_PERIOD_SECONDS)
        return 0;
    report->progress_printed = now;
    describe_progress(report, fraction, now - report->build_started, sizeof line, line);
    report->progress_width = fprintf(report->stream, "\r%-*s", report->progress_width, line) -
                             1; /* covers the last line */
    hf_report_flush(report);
    return 0;
}

static void observe_start(void *data, const struct hf_scf_start *start)
{
    struct hf_report *report = data;
    report->build_started = 0.0;
    if (report->stream == NULL) return;
    hf_report_erase_progress(report);
    fprintf(report->stream, "\nSelf-consistent field\n");
    fprintf(report->stream, "  %-22s %s\n", "Linear algebra", start->linalg);
    if (start->transport != NULL)
        fprintf(report->stream, "  %-22s %s\n", "One-sided transport", start->transport);
    fprintf(report->stream, "  %-22s %d from %d functions (%d removed as linearly dependent)\n",
            "Orbitals", start->n_orbital, start->n_function, start->n_function - start->n_orbital);
    if (start->note != NULL && start->note[0] != '\0')
        fprintf(report->stream, "Warning: %s\n", start->note);
    fprintf(report->stream, "\n  %4s %20s %14s %12s %9s %11s  %s\n", "Iter", "Energy/hartree",
            "Change", "Commutator", "Seconds", "Quartets/%", "Step");
    hf_report_flush(report);
}

static void observe_iteration(void *data, const struct hf_scf_iteration *iteration)
{
    struct hf_report *report = data;
    report->build_started = 0.0;
    if (report->stream == NULL) return;
    hf_report_erase_progress(report);
    fprintf(report->stream, "  %4d %20.10f %14.3e %12.3e %9.3f %11.1f", iteration->number,
            iteration->energy, iteration->energy_change, iteration->commutator, iteration->seconds,
            iteration->percent_computed);
    fprintf(report->stream, iteration->step[0] != '\0' ? "  %s\n" : "%s\n", iteration->step);
    hf_report_flush(report);
}

void hf_report_begin(struct hf_report *report, const char *what)
{
    snprintf(report->progress_of, sizeof report->progress_of, "%s", what);
    report->build_started = 0.0;
}

void hf_report_quantity(struct hf_report *report, const struct hf_quantity *quantity)
{
    if (report->stream == NULL || quantity->ops->report == NULL) return;
    hf_report_erase_progress(report);
    quantity->ops->report(quantity, report->stream);
    hf_report_flush(report);
}

/** Writes `before`, the text and `after` where the progress line was. */
static void print(struct hf_report *report, const char *before, const char *format,
                  va_list arguments, const char *after)
{
    if (report->stream == NULL) return;
    hf_report_erase_progress(report);
    fputs(before, report->stream);
    vfprintf(report->stream, format, arguments);
    fputs(after, report->stream);
    hf_report_flush(report);
}

void hf_report_interrupted(struct hf_report *report, const char *message)
{
    hf_report_text(report, "\nENDED EARLY: %s\n", message);
}

void hf_report_warning(struct hf_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(report, "Warning: ", format, arguments, "\n");
    va_end(arguments);
}

void hf_report_text(struct hf_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(report, "", format, arguments, "");
    va_end(arguments);
}

void hf_report_checkpoint(struct hf_report *report, const char *path, int n_written, double seconds)
{
    if (report->stream == NULL) return;
    fprintf(report->stream, "\nCheckpoint %s, written %d time%s in %.3f s\n", path, n_written,
            n_written == 1 ? "" : "s", seconds);
    hf_report_flush(report);
}

struct hf_scf_observer hf_report_observer(struct hf_report *report)
{
    return (struct hf_scf_observer){
        .started = observe_start, .iteration = observe_iteration, .data = report};
}
