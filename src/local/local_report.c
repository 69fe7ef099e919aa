/* Report and JSON part of local MP2. */
#include "local/local_row.h"

#include "checkpoint/checkpoint.h"
#include "hf/units.h"

#include <math.h>

/** Factors of opposite and same spin: S. Grimme, J. Chem. Phys. 118, 9095 (2003). */
static const double SCS_OPPOSITE = 6.0 / 5.0, SCS_SAME = 1.0 / 3.0;

/** What dipoles leave out of distant pairs, over what they give: alkanes lack 1.1 to 1.6 times it at 9 to 14 bohr
 *  (docs/measurements/local_mp2.md). */
static const double DISTANT_ERROR = 1.5;

/** Part of the correlation energy that domains lose: the most that was measured, rounded up (docs/measurements/mp2.md).
 *  Below 0: not known. */
static const double DOMAIN_LOSS[] = {[HF_DOMAINS_PLAIN] = 0.035,
                                     [HF_DOMAINS_DEFAULT] = 0.005,
                                     [HF_DOMAINS_TIGHT] = 0.001,
                                     [HF_DOMAINS_FULL] = 0.0,
                                     [HF_DOMAINS_GIVEN] = -1.0};

/** Error after the correction, measured (docs/measurements/local_mp2.md). The first two: part of the correction, which is of
 *  first order. The last: part of outside_correction, as if each layer of atoms had this part of the energy of the layer
 *  before. */
static const double CORRECTION_ERROR = 0.006, PLAIN_ERROR = 0.01, OUTSIDE_ERROR = 0.08;

static double correction_of(const struct hf_local_result *result)
{
    return result->same_correction + result->opposite_correction;
}

/** What domains are likely to cost, without a correction at most, hartree; NAN: not known, or not of all pairs: functions
 *  of a molecule beyond the distance of the correction matter (docs/measurements/local_mp2.md). */
static double domain_error(const struct hf_local_row *self)
{
    const struct hf_local_result *result = &self->result;
    if (self->settings.correction_bonds > 0 && self->settings.domains != HF_DOMAINS_FULL) {
        const bool plain = result->mean_extended_atoms == result->mean_domain_atoms;
        if (result->n_uncorrected > 0) return NAN;
        return (plain ? PLAIN_ERROR : CORRECTION_ERROR) * fabs(correction_of(result)) +
               OUTSIDE_ERROR * fabs(result->outside_correction);
    }
    const double loss =
        self->settings.completeness > 0.0 ? -1.0 : DOMAIN_LOSS[self->settings.domains];
    return loss < 0.0 ? NAN : loss * fabs(result->correlation);
}

static double distant_error(const struct hf_local_result *result)
{
    const struct hf_local_class_result *distant = &result->of_class[HF_LOCAL_DISTANT];
    return DISTANT_ERROR * fabs(distant->same_spin + distant->opposite_spin);
}

static const char *const class_names[HF_N_LOCAL_CLASS] = {"strong", "weak", "distant"};
static const char *const localisation_names[] = {
    [HF_LOCALISE_NONE] = "none", [HF_LOCALISE_PM] = "pm", [HF_LOCALISE_BOYS] = "boys"};

static double scs_energy(const struct hf_local_result *result)
{
    return SCS_OPPOSITE * result->opposite_spin + SCS_SAME * result->same_spin;
}

static void print_energy(FILE *out, const char *name, double value)
{
    fprintf(out, "  %-23s%20.10f hartree\n", name, value);
}

/** Orbitals and domains. */
static void report_domains(const struct hf_local_row *self, FILE *out)
{
    const struct hf_local_result *result = &self->result;
    int most = 0, n_added = 0, n_with = 0;
    for (int i = 0; i < result->n_orbital; i++) {
        if (result->domain[i].n > most) most = result->domain[i].n;
        n_added += result->n_degenerate[i];
        n_with += result->n_degenerate[i] > 0;
    }
    fprintf(out, "  %-23s %d, localised by %s in %d sweeps and %d second-order steps%s\n",
            "Correlated orbitals", result->n_orbital, localisation_names[self->settings.localise],
            result->localised.n_sweep, result->localised.n_step,
            result->localised.converged ? "" : " (WARNING: they did not converge)");
    fprintf(out, "  %-23s %d core orbitals (--frozen-core)\n", "Frozen orbitals",
            self->settings.n_frozen);
    fprintf(out, "  %-23s %s: %.1f atoms on average, %d at most\n", "Domains", self->domains,
            result->mean_domain_atoms, most);
    if (result->mean_extended_atoms > result->mean_domain_atoms)
        fprintf(out, "  %-23s for %s pairs %.1f atoms on average\n", "",
                result->extends_weak ? "all" : "strong", result->mean_extended_atoms);
    if (n_added > 0)
        fprintf(out,
                "  %-23s %d atoms in domains of %d orbitals, as they have nearly the population "
                "of another\n",
                "", n_added, n_with);
    fprintf(out, "  %-23s %.1f projected orbitals on average, %.1f not redundant\n", "Pairs",
            result->mean_pair_functions, result->mean_pair_kept);
    if (result->mean_outer_functions > result->mean_pair_functions)
        fprintf(out, "  %-23s with those corrected for %.1f\n", "", result->mean_outer_functions);
}

static void report_correction(const struct hf_local_row *self, FILE *out)
{
    const int n_bond = self->settings.correction_bonds;
    fprintf(out, "  %-23s excitations to atoms beyond the domains (--domains), ", "Corrected for");
    if (self->given.has_outer)
        fprintf(out, "those of the given file,\n");
    else
        fprintf(out, "up to %d bond%s away\n  %-23s or nearer than %.1f bohr,\n", n_bond,
                n_bond > 1 ? "s" : "", "", self->settings.correction_bohr);
    fprintf(out, "  %-23s with an energy of %.1e hartree; ", "", correction_of(&self->result));
    if (self->result.n_uncorrected > 0)
        fprintf(out, "pairs without such atoms: %d; error unknown\n", self->result.n_uncorrected);
    else
        fprintf(out, "after it uncertain by about %.1e\n", domain_error(self));
}

/** Neglected parts, and what they are likely to cost. */
static void report_neglected(const struct hf_local_row *self, FILE *out)
{
    const double of_domains = domain_error(self);
    if (self->result.of_class[HF_LOCAL_DISTANT].n_pair > 0)
        fprintf(out,
                "  %-23s farther apart than %.1f bohr (--pair-distance): energies from dipoles,\n"
                "  %-23s uncertain by about %.1e hartree\n",
                "Distant pairs", self->settings.distant_bohr, "", distant_error(&self->result));
    if (self->settings.domains == HF_DOMAINS_FULL) return;
    if (self->settings.correction_bonds > 0) {
        report_correction(self, out);
        return;
    }
    fprintf(out, "  %-23s excitations to other atoms than those of the domains (--domains)\n",
            "Neglected");
    if (!isnan(of_domains))
        fprintf(out, "  %-23s likely to cost %.1e hartree at most\n", "", of_domains);
}

void hf_local_report(const struct hf_quantity *quantity, FILE *out)
{
    const struct hf_local_row *self = quantity->self;
    const struct hf_local_result *result = &self->result;
    const double scf = quantity->of->result->energy;
    fprintf(out, "\nLocal MP2 energies\n");
    report_domains(self, out);
    fprintf(out, "  %-12s %10s %20s %20s\n", "pairs", "number", "opposite spin", "same spin");
    for (int k = 0; k < HF_N_LOCAL_CLASS; k++)
        fprintf(out, "  %-12s %10lld %20.10f %20.10f\n", class_names[k],
                (long long)result->of_class[k].n_pair, result->of_class[k].opposite_spin,
                result->of_class[k].same_spin);
    if (self->settings.correction_bonds > 0)
        fprintf(out, "  %-12s %10s %20.10f %20.10f\n", "correction", "",
                result->opposite_correction, result->same_correction);
    print_energy(out, "Opposite-spin energy", result->opposite_spin);
    print_energy(out, "Same-spin energy", result->same_spin);
    print_energy(out, "Correlation energy", result->correlation);
    print_energy(out, "Local MP2 total energy", scf + result->correlation);
    if (hf_options_flag(quantity->of->options, "scs"))
        print_energy(out, "SCS local MP2 energy", scf + scs_energy(result));
    report_neglected(self, out);
    if (result->resumed)
        fprintf(out, "  %-23s of the checkpoint %s, not transformed again\n", "Integrals",
                quantity->of->restart->path);
    else
        fprintf(out, "  %-23s %.1f MB per rank, %.1f MB sent\n", "Integrals", 1e-6 * result->bytes,
                1e-6 * result->sent_bytes);
    if (result->kept_bytes > 0.0)
        fprintf(out, "  %-23s %.1f MB of integrals in %s\n", "Kept", 1e-6 * result->kept_bytes,
                self->settings.checkpoint);
    if (result->warning[0] != '\0') fprintf(out, "  WARNING: %s\n", result->warning);
    fprintf(out, "  %-23s %d, amplitudes %s, %.1f MB sent\n", "Iterations", result->n_iteration,
            self->settings.replicated ? "on every rank" : "of their owners",
            1e-6 * result->amplitude_bytes);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_settings(struct hf_json to, const struct hf_local_row *self)
{
    const struct hf_local_settings *settings = &self->settings;
    const struct hf_local_result *result = &self->result;
    HF_PUT(to, "localisation", localisation_names[settings->localise], NULL, "`--localise`");
    HF_PUT(to, "domains", self->domains, NULL, "`--domains`");
    HF_PUT(to, "domain_completeness", settings->completeness, NULL, "0: that of `domains`");
    HF_PUT(to, "correction_bonds", settings->correction_bonds, NULL, "0: no correction");
    HF_PUT(to, "correction_distance_bohr", settings->correction_bohr, "bohr",
           "nearer atoms are corrected for");
    HF_PUT(to, "extended_weak_pairs", result->extends_weak, NULL, "extended domains for all pairs");
    HF_PUT(to, "strong_distance_bohr", settings->strong_bohr, "bohr", "nearer pairs are strong");
    HF_PUT(to, "pair_distance_bohr", settings->distant_bohr, "bohr", "farther pairs are distant");
    HF_PUT(to, "redundant_below", settings->redundant, NULL,
           "smaller eigenvalues of a pair's overlap are left out");
    HF_PUT(to, "screening", settings->threshold, "hartree", "threshold of integrals");
    HF_PUT(to, "sparse_below", settings->sparse, NULL, "elements of matrices that count as zero");
    HF_PUT(to, "energy_tolerance", settings->energy_tolerance, "hartree",
           "limit of the change of the energy");
    HF_PUT(to, "amplitude_tolerance", settings->amplitude_tolerance, NULL,
           "limit of the residuals");
    HF_PUT(to, "frozen_core_orbitals", settings->n_frozen, NULL, "occupied, not correlated");
    HF_PUT(to, "replicated_amplitudes", settings->replicated, NULL, "amplitudes on every rank");
    HF_PUT(to, "sweeps", result->localised.n_sweep, NULL, "sweeps of the localisation");
    HF_PUT(to, "rotation_products", result->localised.n_product, NULL,
           "products with second derivatives in it");
    HF_PUT(to, "rotated_pairs", result->localised.n_turn, NULL, "length of their vectors");
    HF_PUT(to, "orbitals_converged", result->localised.converged, NULL,
           "the localisation converged");
    HF_PUT(to, "iterations", result->n_iteration, NULL, "iterations of the amplitudes");
    HF_PUT(to, "stored_bytes", result->bytes, "bytes", "integrals of the rank with the most");
    HF_PUT(to, "sent_bytes", result->sent_bytes, "bytes", "sent by all ranks");
    HF_PUT(to, "amplitude_bytes", result->amplitude_bytes, "bytes", "amplitudes sent by all ranks");
    HF_PUT(to, "quartets_computed", result->n_quartet, NULL, "shell quartets");
    HF_PUT(to, "integrals_of_checkpoint", result->resumed, NULL,
           "integrals were read from a checkpoint");
}

static void put_classes(struct hf_json in, const struct hf_local_result *result)
{
    const struct hf_json classes = hf_json_object(in, "classes", "kinds of pairs");
    for (int k = 0; k < HF_N_LOCAL_CLASS; k++) {
        const struct hf_local_class_result *from = &result->of_class[k];
        const struct hf_json to = hf_json_object(classes, class_names[k], "of these pairs");
        HF_PUT(to, "pairs", from->n_pair, NULL, "number");
        HF_PUT(to, "opposite_spin_energy", from->opposite_spin, "hartree", "opposite spin");
        HF_PUT(to, "same_spin_energy", from->same_spin, "hartree", "same spin");
    }
}

/** Atoms, counted from 1; NULL for a page. */
static void put_atoms(struct hf_json orbital, const char *name, const struct hf_parts *atoms)
{
    const struct hf_json list = hf_json_array(orbital, name, NULL, "atoms, counted from 1");
    for (int k = 0; atoms != NULL && k < atoms->n; k++) HF_APPEND(list, atoms->part[k] + 1);
}

static void put_orbitals(struct hf_json in, const struct hf_local_result *of)
{
    const struct hf_json list = hf_json_array(in, "orbitals", NULL, "correlated orbitals");
    for (int i = 0; i < HF_COUNT(list, of->n_orbital); i++) {
        const struct hf_json to = hf_json_row(list);
        hf_localised_put_json(&of->localised, i, to);
        HF_PUT(to, "incompleteness", of->completeness[i], NULL,
               "squared norm that the domain lacks");
        HF_PUT(to, "atoms_of_equal_population", of->n_degenerate[i], NULL,
               "atoms added for equal population");
        put_atoms(to, "domain", of->domain + i);
        put_atoms(to, "extended_domain", of->extended + i);
        put_atoms(to, "correction_domain", of->outer + i);
    }
}

static void put_pairs(struct hf_json in, const struct hf_local_result *result)
{
    const struct hf_json list = hf_json_array(in, "pairs", NULL, "strong and weak pairs");
    for (int p = 0; p < HF_COUNT(list, result->n_pair); p++) {
        const struct hf_local_pair_result *from = &result->pair[p];
        const struct hf_json to = hf_json_row(list);
        HF_PUT(to, "i", from->i + 1, NULL, "orbital, counted from 1");
        HF_PUT(to, "j", from->j + 1, NULL, "orbital, not above i");
        HF_PUT(to, "class", class_names[from->kind], NULL, "strong or weak");
        HF_PUT(to, "distance_bohr", from->distance_bohr, "bohr", "distance of the domains");
        HF_PUT(to, "functions", from->n_function, NULL, "projected orbitals of its domain");
        HF_PUT(to, "correction_functions", from->n_outer, NULL,
               "the same with those corrected for");
        HF_PUT(to, "work", from->work, NULL, "multiplications of the pair's residual");
        HF_PUT(to, "opposite_spin_energy", from->opposite_spin, "hartree", "opposite spin");
        HF_PUT(to, "same_spin_energy", from->same_spin, "hartree", "same spin");
        HF_PUT(to, "correction", from->same_correction + from->opposite_correction, "hartree",
               "not in these energies");
    }
}

void hf_local_put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct hf_local_row *self = quantity->self;
    const struct hf_local_result *result = &self->result;
    const double scs = scs_energy(result);
    const struct hf_json to = hf_json_object(all->extras, "local_mp2", "method lmp2");
    HF_PUT(to, "same_spin_energy", result->same_spin, "hartree", "same-spin part");
    HF_PUT(to, "opposite_spin_energy", result->opposite_spin, "hartree", "opposite-spin part");
    HF_PUT(to, "correlation_energy", result->correlation, "hartree", "their sum");
    HF_PUT(to, "total_energy", quantity->of->result->energy + result->correlation, "hartree",
           "energy of SCF and correlation");
    HF_PUT(to, "scs_correlation_energy", scs, "hartree", "spin-component scaled");
    HF_PUT(to, "scs_total_energy", quantity->of->result->energy + scs, "hartree",
           "spin-component scaled, with the energy of the SCF");
    const struct hf_json correction =
        hf_json_object(to, "correction", "for what domains leave out; part of the energies above");
    HF_PUT(correction, "opposite_spin_energy", result->opposite_correction, "hartree",
           "opposite spin");
    HF_PUT(correction, "same_spin_energy", result->same_correction, "hartree", "same spin");
    HF_PUT(correction, "energy", correction_of(result), "hartree", "their sum");
    HF_PUT(correction, "outside", result->outside_correction, "hartree",
           "for each pair the part that is functions outside of its larger domain over those "
           "corrected for");
    const struct hf_json errors = hf_json_object(to, "likely_errors", "estimates");
    HF_PUT(errors, "domains", domain_error(self), "hartree",
           "estimated error of the domains; null: not known");
    HF_PUT(errors, "distant_pairs", distant_error(result), "hartree",
           "estimated error of distant pairs");
    put_settings(to, self);
    put_classes(to, result);
    put_orbitals(to, result);
    put_pairs(to, result);
}
