/* The report of spin and orbitals: of closed shells, of alpha's and beta's, of doubly and singly
 * occupied ones. */
#include "output_private.h"

#include <math.h>

/** Orbitals shown on either side of the gap; singly occupied ones between them all. */
enum { N_SHOWN_BESIDE_GAP = 4 };

/** Below this spin contamination alpha and beta electrons occupy the same space: it is the square of
 *  the angles between them, of which convergence leaves about 1e-10. */
static const double SAME_SPACE = 1e-7;

void hf_report_spin(FILE *out, const struct hf_scf_result *result,
                    const struct hf_wavefunction *wavefunction)
{
    const double ideal = result->ideal_spin_squared, found = result->spin_squared - ideal;
    const double more = fabs(found) < 5e-11 ? 0.0 : found; /* not -0.0000000000 */
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

void hf_report_orbitals(FILE *out, const struct hf_scf_result *result,
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
