/* The report of what came out: energies, spin, orbital energies, dipole moment. */
#include "hf/output.h"

#include "output_private.h"

#include <math.h>
#include <string.h>

/** Two lines that say what to try, of what was not tried; a restart where checkpoints are written. */
static void print_advice(FILE *out, const struct hf_scf_settings *settings,
                         const struct hf_scf_result *result)
{
    const bool smeared = settings->smearing > 0.0; /* neither of these then */
    const bool newton =
        smeared || strcmp(settings->converger, "newton") == 0 ||
        (settings->stability == HF_STABILITY_FOLLOW && result->n_hessian_product > 0);
    const bool shifted = settings->level_shift > 0.0 || smeared;
    fprintf(out, "  Advice: go on with more iterations (%s--max-iterations N, now %d)%s.\n",
            settings->keeper != NULL ? "--restart FILE " : "", settings->max_iteration,
            newton ? "" : ", or with steps that only go down (--converger newton)");
    fprintf(out,
            "  Advice: check geometry, units, charge and multiplicity; begin with another density "
            "(--guess, now %s)%s.\n",
            settings->guess, newton || shifted ? "" : " or smaller steps (--level-shift 0.5)");
}

static void print_outcome(FILE *out, const struct hf_run_description *run,
                          const struct hf_scf_result *result)
{
    if (result->converged) {
        fprintf(out, "\nConverged after %d iterations", result->n_iteration);
        if (isfinite(result->energy_error))
            fprintf(out, "; estimated error of the energy %.1e hartree", result->energy_error);
        fprintf(out, ".\n");
        return;
    }
    fprintf(out,
            "\nNOT CONVERGED after %d iterations: last change %.1e hartree, commutator %.1e.\n"
            "What follows is not a Hartree-Fock energy.\n",
            result->n_iteration, result->energy_change, result->commutator);
    print_advice(out, run->settings, result);
}

static void print_energy(FILE *out, const char *name, double energy)
{
    fprintf(out, "  %-23s%20.10f hartree\n", name, energy);
}

/** What a term is called in the report. */
static const char *term_label(const struct hf_energy_term *term, size_t size, char label[])
{
    const bool nuclei = strcmp(term->name, hf_term_nuclei.name) == 0;
    snprintf(label, size, "  %s", nuclei ? "nuclear attraction" : term->name);
    return label;
}

static void print_energies(FILE *out, const struct hf_scf_settings *settings,
                           const struct hf_scf_result *result)
{
    char label[64];
    fprintf(out, "\nEnergies\n");
    print_energy(out, "Total energy", result->energy);
    if (settings->smearing > 0.0) {
        print_energy(out, "-TS of the occupations", result->smearing_entropy_term);
        print_energy(out, "Free energy E - TS", result->energy + result->smearing_entropy_term);
    }
    print_energy(out, "Nuclear repulsion", result->nuclear_repulsion);
    for (int i = 0; i < result->n_term; i++) {
        const struct hf_energy_term *term = &result->term[i];
        if (term->nuclei == 0.0 || strcmp(term->name, hf_term_nuclei.name) == 0) continue;
        snprintf(label, sizeof label, "Nuclei in %s", term->name);
        print_energy(out, label, term->nuclei);
    }
    print_energy(out, "One-electron energy", result->one_electron);
    for (int i = 0; i < result->n_term; i++)
        print_energy(out, term_label(&result->term[i], sizeof label, label),
                     result->term[i].electrons);
    print_energy(out, "Two-electron energy", result->two_electron);
    print_energy(out, "  Coulomb", result->coulomb);
    print_energy(out, "  exchange", result->exchange);
    const double virial = hf_output_virial_ratio(result);
    if (isfinite(virial)) fprintf(out, "  %-22s %20.10f\n", "Virial ratio -V/T", virial);
}

/** What would print as -0.00000000 is zero. */
static double without_noise(double value)
{
    return fabs(value) < 5e-9 ? 0.0 : value;
}

static void print_dipole(FILE *out, const struct hf_scf_result *result)
{
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = without_noise(result->dipole[i]);
    const double norm = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    fprintf(out, "\nDipole moment about the origin\n");
    fprintf(out, "  %8s %14s %14s %14s %14s\n", "", "x", "y", "z", "norm");
    fprintf(out, "  %8s %14.8f %14.8f %14.8f %14.8f\n", "e bohr", d[0], d[1], d[2], norm);
    fprintf(out, "  %8s %14.8f %14.8f %14.8f %14.8f\n", "debye", d[0] * HF_DIPOLE_IN_DEBYE,
            d[1] * HF_DIPOLE_IN_DEBYE, d[2] * HF_DIPOLE_IN_DEBYE, norm * HF_DIPOLE_IN_DEBYE);
}

void hf_report_result(struct hf_report *report, const struct hf_run_description *run,
                      const struct hf_scf_result *result,
                      const struct hf_wavefunction *wavefunction)
{
    FILE *out = report->stream;
    if (out == NULL) return;
    print_outcome(out, run, result);
    hf_report_stability(out, run, result, wavefunction);
    print_energies(out, run->settings, result);
    hf_report_spin(out, result, wavefunction);
    hf_report_orbitals(out, result, wavefunction, run->all_orbitals);
    print_dipole(out, result);
    hf_report_flush(report);
}
