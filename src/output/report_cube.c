/* The report of a cube file. */
#include "output_private.h"

void hf_report_begin_cube(struct hf_report *report)
{
    report->progress_of = "Cube file";
    report->build_started = 0.0;
}

void hf_report_cube(struct hf_report *report, const char *path, enum hf_spatial_kind kind,
                    const struct hf_grid *grid, const struct hf_cube_account *account)
{
    FILE *out = report->stream;
    if (out == NULL) return;
    hf_report_erase_progress(report);
    fprintf(out, "\nCube file %s\n", path);
    fprintf(out, "  %-23s%d x %d x %d, %g bohr apart\n", "Points", grid->n[0], grid->n[1],
            grid->n[2], grid->spacing);
    fprintf(out, "  %-23s%.5e to %.5e\n", "Values", account->least, account->most);
    if (kind == HF_SPATIAL_DENSITY || kind == HF_SPATIAL_SPIN_DENSITY)
        fprintf(out, "  %-23s%.6f electrons\n", "Integral", account->integral);
    fprintf(out, "  %-23s%.1f\n", "Seconds", account->seconds);
    hf_report_flush(report);
}
