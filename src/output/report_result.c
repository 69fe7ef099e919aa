/* The report of the results: convergence, stability, energies, spin, orbital energies, dipole moment. */
#include "output_private.h"

#include "base/arithmetic.h"

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
    fprintf(out, "  Advice: continue with more iterations (%s--max-iterations N, now %d)%s.\n",
            settings->keeper != NULL ? "--restart FILE " : "", settings->max_iteration,
            newton ? "" : ", or with steps that always lower the energy (--converger newton)");
    fprintf(out,
            "  Advice: check geometry, units, charge and multiplicity; start with another density "
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
            "The results below are not those of a Hartree-Fock solution.\n",
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

static void print_dipole(FILE *out, const struct hf_scf_result *result)
{
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = hf_without_noise(result->dipole[i], 5e-9);
    const double norm = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    fprintf(out, "\nDipole moment about the origin\n");
    fprintf(out, "  %8s %14s %14s %14s %14s\n", "", "x", "y", "z", "norm");
    fprintf(out, "  %8s %14.8f %14.8f %14.8f %14.8f\n", "e bohr", d[0], d[1], d[2], norm);
    fprintf(out, "  %8s %14.8f %14.8f %14.8f %14.8f\n", "debye", d[0] * HF_DIPOLE_IN_DEBYE,
            d[1] * HF_DIPOLE_IN_DEBYE, d[2] * HF_DIPOLE_IN_DEBYE, norm * HF_DIPOLE_IN_DEBYE);
}

/* Hartree. Measured at solutions above a lower one of RHF or UHF (hf did not look for it then): C2 0.352, H2 far apart
 * 0.327, NiC 0.323, FeO 0.313, twisted ethylene 0.306; at minima 0.54 (NO2), 0.64 (CH3), 0.68 (water). */
static const double SMALL_GAP = 0.36;

static void print_roots(FILE *out, const char *name, const struct hf_stability_roots *roots)
{
    if (!roots->analysed) return;
    fprintf(out, "  %-22s %s", name,
            roots->n == 0      ? "stable: there is nothing to rotate"
            : !roots->stable   ? "UNSTABLE"
            : roots->converged ? "stable"
                               : "not certain");
    for (int i = 0; i < roots->n; i++)
        fprintf(out, "%s%.6f", i == 0 ? "; lowest eigenvalues " : " ", roots->eigenvalue[i] + 0.0);
    fprintf(out, "\n");
    if (roots->n_zero > 0)
        fprintf(out,
                "  %-22s %d of them zero: rotations that do not change the energy, of a symmetry "
                "that the density breaks\n",
                "", roots->n_zero);
    if (roots->n > 0 && !roots->converged)
        fprintf(out, "  %-22s the eigenvalues did not converge, these are upper bounds\n", "");
}

/** What to do about a solution that is not stable. */
static void print_stability_advice(FILE *out, const struct hf_run_description *run,
                                   const struct hf_stability_result *stability)
{
    const bool followed = run->settings->stability == HF_STABILITY_FOLLOW;
    if (stability->internal.analysed && !stability->internal.stable)
        fprintf(out,
                followed ? "  Advice: not a minimum after leaving %d others; try another --guess.\n"
                         : "  Advice: not a minimum; --stability follow searches for one.\n",
                stability->n_follow);
    if (stability->external.analysed && !stability->external.stable)
        fprintf(out, "  Advice: unstable towards UHF; run --method uhf --stability follow.\n");
}

/** The smallest difference of energy between a virtual and an occupied orbital of one set. That of ROHF
 *  depends on how its orbital energies are defined. */
static double smallest_gap(const struct hf_scf_result *result,
                           const struct hf_wavefunction *wavefunction)
{
    double smallest = INFINITY;
    if (wavefunction->n_spin == 1 && result->n_occupied[0] != result->n_occupied[1])
        return smallest;
    for (int s = 0; s < wavefunction->n_spin; s++) {
        const struct hf_orbitals *orbitals = &wavefunction->spin[s];
        const int o = orbitals->n_occupied;
        if (o > 0 && o < orbitals->n_orbital)
            smallest = fmin(smallest, orbitals->energy[o] - orbitals->energy[o - 1]);
    }
    return smallest;
}

static void print_stability(FILE *out, const struct hf_run_description *run,
                            const struct hf_scf_result *result,
                            const struct hf_wavefunction *wavefunction)
{
    const struct hf_stability_result *stability = &result->stability;
    const char *method = run->settings->method;
    char name[64];
    if (result->n_hessian_product > 0)
        fprintf(out,
                "  Second order           %d trial densities and %d energies, not in the table\n",
                result->n_hessian_product, result->n_trial_build);
    if (!stability->internal.analysed && stability->n_follow == 0) {
        if (result->converged && run->settings->smearing == 0.0 &&
            smallest_gap(result, wavefunction) < SMALL_GAP)
            fprintf(out, "  Advice: the gap between occupied and virtual orbitals is small; "
                         "--stability check shows whether this is a minimum.\n");
        return;
    }
    fprintf(out, "\nStability (real orbitals)\n");
    for (int i = 0; i < stability->n_follow; i++)
        fprintf(out, "  Left as unstable       %.10f hartree\n", stability->energy[i]);
    snprintf(name, sizeof name, "Within %s", method);
    if (!stability->internal.analysed)
        fprintf(out, "  %-22s not analysed: the search for a lower solution did not converge\n",
                name);
    print_roots(out, name, &stability->internal);
    print_roots(out, "From rhf to uhf", &stability->external);
    print_stability_advice(out, run, stability);
}

/** Orbitals shown on either side of the gap; singly occupied ones between them all. */
enum { N_SHOWN_BESIDE_GAP = 4 };

/** Below this spin contamination alpha and beta electrons occupy the same space: it is the square of
 *  the angles between them, of which convergence leaves about 1e-10. */
static const double SAME_SPACE = 1e-7;

static void print_spin(FILE *out, const struct hf_scf_result *result,
                       const struct hf_wavefunction *wavefunction)
{
    const double ideal = result->ideal_spin_squared, found = result->spin_squared - ideal;
    const double more = hf_without_noise(found, 5e-11);
    const bool singlet = result->n_occupied[0] == result->n_occupied[1];
    if (wavefunction->n_spin == 1 && singlet) return;
    fprintf(out, "\nSpin\n");
    fprintf(out, "  %-23s%20.10f\n", "<S^2>", ideal + more);
    fprintf(out, "  %-23s%20.10f\n", "S(S+1) of a pure spin", ideal);
    if (wavefunction->n_spin == 1) return;
    fprintf(out, "  %-23s%20.10f\n", "Contamination", more);
    if (singlet && more < SAME_SPACE)
        fprintf(out, "  Alpha and beta electrons have the same orbitals: the same as RHF.\n");
}

/** "HOMO-2", "SOMO", "LUMO+1": doubly, singly occupied, and virtual ones. */
static void name_orbital(int orbital, int n_lower, int n_occupied, size_t size, char name[])
{
    const bool single = orbital >= n_lower && orbital < n_occupied;
    const int below = (single ? n_occupied : n_lower) - 1 - orbital;
    if (orbital >= n_occupied)
        snprintf(name, size, orbital > n_occupied ? "LUMO+%d" : "LUMO", orbital - n_occupied);
    else
        snprintf(name, size, below > 0 ? "%s-%d" : "%s", single ? "SOMO" : "HOMO", below);
}

/** Whether there are occupations between 0, 1 and 2. */
static bool is_fractional(const struct hf_orbitals *orbitals)
{
    for (int i = 0; i < orbitals->n_orbital; i++)
        if (orbitals->occupation[i] != floor(orbitals->occupation[i])) return true;
    return false;
}

/** Energies of all orbitals with their occupations, or of those beside the gap; between the first
 *  `n_lower` and the first n_occupied are those with a single electron. */
static void print_table(FILE *out, const struct hf_orbitals *orbitals, int n_lower, bool all)
{
    const int n_occupied = orbitals->n_occupied;
    const int n_digit = is_fractional(orbitals) ? 6 : 1;
    int first = n_lower - N_SHOWN_BESIDE_GAP, last = n_occupied + N_SHOWN_BESIDE_GAP;
    if (all || first < 0) first = 0;
    if (all || last > orbitals->n_orbital) last = orbitals->n_orbital;
    fprintf(out, "  %8s %-8s %16s %16s%s\n", "Orbital", "", "hartree", "eV",
            all ? "  occupation" : "");
    for (int i = first; i < last; i++) {
        char name[24];
        name_orbital(i, n_lower, n_occupied, sizeof name, name);
        fprintf(out, "  %8d %-8s %16.8f %16.6f", i + 1, name, orbitals->energy[i],
                orbitals->energy[i] * HF_HARTREE_IN_EV);
        if (all) fprintf(out, " %11.*f", n_digit, orbitals->occupation[i]);
        fprintf(out, "\n");
    }
    if (n_occupied > 0 && n_occupied < orbitals->n_orbital) {
        const double gap = orbitals->energy[n_occupied] - orbitals->energy[n_occupied - 1];
        fprintf(out, "  %8s %-8s %16.8f %16.6f\n", "", "gap", gap, gap * HF_HARTREE_IN_EV);
    }
}

static void print_orbitals(FILE *out, const struct hf_scf_result *result,
                           const struct hf_wavefunction *wavefunction, bool all)
{
    const int n_alpha = result->n_occupied[0], n_beta = result->n_occupied[1];
    for (int k = 0; k < wavefunction->n_spin; k++) {
        const struct hf_orbitals *orbitals = &wavefunction->spin[k];
        const bool shared = wavefunction->n_spin == 1;
        if (!shared)
            fprintf(out, "\nOrbital energies of %s electrons (%d %s of %d)\n",
                    k == 0 ? "alpha" : "beta", orbitals->n_occupied,
                    is_fractional(orbitals) ? "electrons in fractions" : "occupied",
                    orbitals->n_orbital);
        else if (is_fractional(orbitals))
            fprintf(out, "\nOrbital energies (%d electrons in fractions of %d)\n", n_alpha + n_beta,
                    orbitals->n_orbital);
        else if (n_alpha > n_beta)
            fprintf(out, "\nOrbital energies (%d doubly and %d singly occupied of %d)\n", n_beta,
                    n_alpha - n_beta, orbitals->n_orbital);
        else
            fprintf(out, "\nOrbital energies (%d doubly occupied of %d)\n", n_alpha,
                    orbitals->n_orbital);
        print_table(out, orbitals, shared ? n_beta : orbitals->n_occupied, all);
    }
}

void hf_report_result(struct hf_report *report, const struct hf_run_description *run,
                      const struct hf_scf_result *result,
                      const struct hf_wavefunction *wavefunction)
{
    FILE *out = report->stream;
    if (out == NULL) return;
    print_outcome(out, run, result);
    print_stability(out, run, result, wavefunction);
    print_energies(out, run->settings, result);
    print_spin(out, result, wavefunction);
    print_orbitals(out, result, wavefunction, run->all_orbitals);
    print_dipole(out, result);
    hf_report_flush(report);
}
