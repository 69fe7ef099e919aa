/* The report of second-order steps and of the stability of the solution. */
#include "output_private.h"

#include <math.h>

/* Hartree. Measured at solutions with a lower one of their own kind or of UHF's: C2 0.352, H2 far apart
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
static void print_advice(FILE *out, const struct hf_run_description *run,
                         const struct hf_stability_result *stability)
{
    const bool followed = run->settings->stability == HF_STABILITY_FOLLOW;
    if (stability->internal.analysed && !stability->internal.stable)
        fprintf(out,
                followed ? "  Advice: still not a minimum after %d others; try another --guess.\n"
                         : "  Advice: not a minimum; --stability follow goes down from it.\n",
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

void hf_report_stability(FILE *out, const struct hf_run_description *run,
                         const struct hf_scf_result *result,
                         const struct hf_wavefunction *wavefunction)
{
    const struct hf_stability_result *stability = &result->stability;
    const char *method = run->settings->method;
    char name[64];
    if (result->n_hessian_product > 0)
        fprintf(out,
                "  Second order           %d trial densities and %d energies beside the table\n",
                result->n_hessian_product, result->n_trial_build);
    if (!stability->internal.analysed && stability->n_follow == 0) {
        if (result->converged && run->settings->smearing == 0.0 &&
            smallest_gap(result, wavefunction) < SMALL_GAP)
            fprintf(out, "  Advice: the gap between occupied and virtual orbitals is small; "
                         "--stability check tells whether this is a minimum.\n");
        return;
    }
    fprintf(out, "\nStability (real orbitals)\n");
    for (int i = 0; i < stability->n_follow; i++)
        fprintf(out, "  Left as unstable       %.10f hartree\n", stability->energy[i]);
    snprintf(name, sizeof name, "Within %s", method);
    if (!stability->internal.analysed)
        fprintf(out, "  %-22s not analysed: the way down did not converge\n", name);
    print_roots(out, name, &stability->internal);
    print_roots(out, "From rhf to uhf", &stability->external);
    print_advice(out, run, stability);
}
