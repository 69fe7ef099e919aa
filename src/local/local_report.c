/* Report and JSON part of local MP2. */
#include "local_row.h"

#include "checkpoint/checkpoint.h"
#include "hf/units.h"

#include <math.h>

/** Factors of opposite and same spin: S. Grimme, J. Chem. Phys. 118, 9095 (2003). */
static const double SCS_OPPOSITE = 6.0 / 5.0, SCS_SAME = 1.0 / 3.0;

/** Energies of distant pairs from dipoles are wrong by this part of them at most, as a rule. */
static const double DISTANT_ERROR = 0.15;

/** Part of the correlation energy that domains lose: the most that was measured, rounded up (docs/measurements/mp2.md).
 *  Below 0: not known. */
static const double DOMAIN_LOSS[] = {[HF_DOMAINS_PLAIN] = 0.035,
                                     [HF_DOMAINS_DEFAULT] = 0.005,
                                     [HF_DOMAINS_TIGHT] = 0.001,
                                     [HF_DOMAINS_FULL] = 0.0,
                                     [HF_DOMAINS_GIVEN] = -1.0};

/** What domains are likely to cost at most, hartree; NAN: not known. */
static double domain_error(const struct hf_local_row *self)
{
    const double loss =
        self->settings.completeness > 0.0 ? -1.0 : DOMAIN_LOSS[self->settings.domains];
    return loss < 0.0 ? NAN : loss * fabs(self->result.correlation);
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

static bool add_settings(cJSON *object, const struct hf_local_row *self)
{
    const struct hf_local_settings *settings = &self->settings;
    const struct hf_local_result *result = &self->result;
    return cJSON_AddStringToObject(object, "localisation",
                                   localisation_names[settings->localise]) != NULL &&
           hf_json_add_text(object, "domains", self->domains) &&
           hf_json_add_double(object, "domain_completeness", settings->completeness) &&
           cJSON_AddBoolToObject(object, "extended_weak_pairs", result->extends_weak) != NULL &&
           hf_json_add_double(object, "strong_distance_bohr", settings->strong_bohr) &&
           hf_json_add_double(object, "pair_distance_bohr", settings->distant_bohr) &&
           hf_json_add_double(object, "redundant_below", settings->redundant) &&
           hf_json_add_double(object, "screening", settings->threshold) &&
           hf_json_add_double(object, "sparse_below", settings->sparse) &&
           hf_json_add_double(object, "energy_tolerance", settings->energy_tolerance) &&
           hf_json_add_double(object, "amplitude_tolerance", settings->amplitude_tolerance) &&
           hf_json_add_integer(object, "frozen_core_orbitals", settings->n_frozen) &&
           cJSON_AddBoolToObject(object, "replicated_amplitudes", settings->replicated) != NULL &&
           hf_json_add_integer(object, "sweeps", result->localised.n_sweep) &&
           cJSON_AddBoolToObject(object, "orbitals_converged", result->localised.converged) !=
               NULL &&
           hf_json_add_integer(object, "iterations", result->n_iteration) &&
           hf_json_add_double(object, "stored_bytes", result->bytes) &&
           hf_json_add_double(object, "sent_bytes", result->sent_bytes) &&
           hf_json_add_double(object, "amplitude_bytes", result->amplitude_bytes) &&
           hf_json_add_double(object, "quartets_computed", result->n_quartet) &&
           cJSON_AddBoolToObject(object, "integrals_of_checkpoint", result->resumed) != NULL;
}

static bool add_classes(cJSON *object, const struct hf_local_result *result)
{
    cJSON *classes = cJSON_AddObjectToObject(object, "classes");
    bool done = classes != NULL;
    for (int k = 0; done && k < HF_N_LOCAL_CLASS; k++) {
        const struct hf_local_class_result *from = &result->of_class[k];
        cJSON *to = cJSON_AddObjectToObject(classes, class_names[k]);
        done = to != NULL && hf_json_add_integer(to, "pairs", from->n_pair) &&
               hf_json_add_double(to, "opposite_spin_energy", from->opposite_spin) &&
               hf_json_add_double(to, "same_spin_energy", from->same_spin);
    }
    return done;
}

/** Atoms, counted from 1. */
static bool add_atoms(cJSON *object, const char *name, struct hf_parts atoms)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    bool done = list != NULL;
    for (int k = 0; done && k < atoms.n; k++) done = hf_json_append_double(list, atoms.part[k] + 1);
    return done;
}

static bool add_orbitals(cJSON *object, const struct hf_local_result *result)
{
    cJSON *list = cJSON_AddArrayToObject(object, "orbitals");
    bool done = list != NULL;
    for (int i = 0; done && i < result->n_orbital; i++) {
        cJSON *orbital = hf_json_append_object(list);
        done = orbital != NULL && hf_localised_add_json(&result->localised, i, orbital) &&
               hf_json_add_double(orbital, "incompleteness", result->completeness[i]) &&
               hf_json_add_integer(orbital, "atoms_of_equal_population", result->n_degenerate[i]);
        done = done && add_atoms(orbital, "domain", result->domain[i]) &&
               add_atoms(orbital, "extended_domain", result->extended[i]);
    }
    return done;
}

static bool add_pairs(cJSON *object, const struct hf_local_result *result)
{
    cJSON *list = cJSON_AddArrayToObject(object, "pairs");
    bool done = list != NULL;
    for (int p = 0; done && p < result->n_pair; p++) {
        const struct hf_local_pair_result *from = &result->pair[p];
        cJSON *to = hf_json_append_object(list);
        done = to != NULL && hf_json_add_integer(to, "i", from->i + 1) &&
               hf_json_add_integer(to, "j", from->j + 1) &&
               cJSON_AddStringToObject(to, "class", class_names[from->kind]) != NULL &&
               hf_json_add_double(to, "distance_bohr", from->distance_bohr) &&
               hf_json_add_integer(to, "functions", from->n_function) &&
               hf_json_add_double(to, "work", from->work) &&
               hf_json_add_double(to, "opposite_spin_energy", from->opposite_spin) &&
               hf_json_add_double(to, "same_spin_energy", from->same_spin);
    }
    return done;
}

/** Numbers of the report. */
static bool add_neglected(cJSON *object, const struct hf_local_row *self)
{
    cJSON *to = cJSON_AddObjectToObject(object, "likely_errors");
    return to != NULL && hf_json_add_double(to, "domains", domain_error(self)) &&
           hf_json_add_double(to, "distant_pairs", distant_error(&self->result));
}

bool hf_local_add_json(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    const struct hf_local_row *self = quantity->self;
    const struct hf_local_result *result = &self->result;
    const double scf = quantity->of->result->energy;
    cJSON *object = cJSON_AddObjectToObject(to->extras, "local_mp2");
    return object != NULL && hf_json_add_double(object, "same_spin_energy", result->same_spin) &&
           hf_json_add_double(object, "opposite_spin_energy", result->opposite_spin) &&
           hf_json_add_double(object, "correlation_energy", result->correlation) &&
           hf_json_add_double(object, "total_energy", scf + result->correlation) &&
           hf_json_add_double(object, "scs_correlation_energy", scs_energy(result)) &&
           hf_json_add_double(object, "scs_total_energy", scf + scs_energy(result)) &&
           add_neglected(object, self) && add_settings(object, self) &&
           add_classes(object, result) && add_orbitals(object, result) && add_pairs(object, result);
}
