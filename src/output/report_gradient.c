/* The report of the gradient. */
#include "output_private.h"

#include <math.h>

void hf_report_begin_gradient(struct hf_report *report, int n_done, int n)
{
    snprintf(report->progress_text, sizeof report->progress_text,
             "Gradient, %d of %d elements done; Fock build", n_done, n);
    report->progress_of = report->progress_text;
    report->build_started = 0.0;
}

void hf_report_gradient(struct hf_report *report, const struct hf_run_description *run)
{
    FILE *out = report->stream;
    const struct hf_gradient *gradient = run->gradient;
    if (out == NULL) return;
    hf_report_erase_progress(report);
    fprintf(out, "\nGradient (numerical), hartree/bohr\n  %5s %4s %14s %14s %14s\n", "Atom", "",
            "x", "y", "z");
    for (int i = 0; i < gradient->n_atom; i++) {
        const struct hf_atom *atom = &run->molecule->atom[i];
        fprintf(out, "  %5d  %c%-2s", i + 1, atom->ghost ? '@' : ' ',
                hf_element_symbol(atom->atomic_number));
        for (int k = 0; k < 3; k++) {
            const double value = gradient->atom[i][k];
            fprintf(out, " %14.7f", fabs(value) < 5e-8 ? 0.0 : value); /* no -0.0000000 */
        }
        fprintf(out, "\n");
    }
    fprintf(out, "  %-10s", "Sum");
    for (int k = 0; k < 3; k++) fprintf(out, " %14.1e", gradient->sum[k]);
    fprintf(out, "\n  Central differences of %d energies, %g bohr to either side\n",
            6 * gradient->n_atom, gradient->step_bohr);
    hf_report_flush(report);
}
