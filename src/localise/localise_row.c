/* The row of localised orbitals in the list of quantities: option, report, part of the JSON file. */
#include "base/growing.h"
#include "localise/frozen_core.h"
#include "localise/localise.h"
#include "orbitals/orbitals.h"
#include "scf/quantity.h"

#include <stdlib.h>
#include <string.h>

/** Populations below this are not in the report; at most so many of an orbital are. */
static const double REPORTED = 0.05;
enum { MOST_REPORTED = 4 };

struct row {
    struct hf_localise_settings settings;
    struct hf_localised found;
};

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    struct row *self = quantity->self;
    struct hf_spin_count n;
    if (strcmp(of->settings->method, "rhf") != 0 || of->settings->smearing > 0.0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of closed shells alone are localised; expected method rhf, without "
            "smearing");
    HF_CHECK(hf_spin_count_of(of->molecule, &n, error));
    self->settings.n_thread = of->settings->fock.n_thread;
    return hf_frozen_core_read(of->options, of->molecule, n.alpha, &self->settings.n_frozen, error);
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    struct row *self = quantity->self;
    self->settings.threshold = 1e-8;
    return hf_localise(quantity->of->context, quantity->of->wavefunction, &self->settings,
                       &self->found, error);
}

static const struct hf_localised *localised(const struct hf_quantity *quantity)
{
    const struct row *self = quantity->self;
    return &self->found;
}

/** The largest populations, "C1 0.512  H3 0.489". */
static void report_populations(const struct hf_localised *found, int i,
                               const struct hf_molecule *molecule, FILE *out)
{
    const struct hf_sparse_matrix *population = found->population;
    const int n = population->begin[i + 1] - population->begin[i];
    struct hf_ranked *share = calloc((size_t)n + 1, sizeof *share);
    for (int k = 0; share != NULL && k < n; k++) {
        const int block = population->begin[i] + k;
        share[k] = (struct hf_ranked){population->value[population->offset[block]],
                                      population->row[block]};
    }
    if (share != NULL) hf_sort_falling(n, share);
    for (int k = 0; share != NULL && k < n && k < MOST_REPORTED; k++)
        if (share[k].value >= REPORTED)
            fprintf(out, "  %s%d %.3f",
                    hf_element_symbol(molecule->atom[share[k].number].atomic_number),
                    (int)share[k].number + 1, share[k].value);
    free(share);
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct row *self = quantity->self;
    const struct hf_localised *found = &self->found;
    fprintf(out, "\nLocalised orbitals (%s), %d core orbitals left out\n",
            hf_options_choice(quantity->of->options, "localise"), self->settings.n_frozen);
    fprintf(out, "  %d sweeps, %d second-order steps, %d saddles left%s\n", found->n_sweep,
            found->n_step, found->n_saddle,
            found->converged ? "" : ": NOT CONVERGED, orbitals are not at a maximum");
    fprintf(out, "  orbital      energy      spread  populations of atoms\n");
    fprintf(out, "             (hartree)      (bohr)\n");
    for (int i = 0; i < found->n; i++) {
        fprintf(out, "  %7d %11.5f %11.4f", i + 1 + self->settings.n_frozen,
                found->orbital[i].energy, found->orbital[i].spread);
        report_populations(found, i, quantity->of->molecule, out);
        fprintf(out, "\n");
    }
}

void hf_localised_put_json(const struct hf_localised *found, int i, struct hf_json to)
{
    const struct hf_localised_orbital *orbital = &found->orbital[i];
    const struct hf_sparse_matrix *population = found->population;
    const struct hf_json atoms =
        hf_json_array(to, "population_atoms", NULL, "atoms with a population, counted from 1");
    const struct hf_json values =
        hf_json_array(to, "populations", NULL, "populations of these atoms, with sum 1");
    HF_PUT(to, "energy", orbital->energy, "hartree", "energy of the orbital");
    HF_PUT(to, "spread_bohr", orbital->spread, "bohr", "root of <r^2> - <r>^2");
    HF_PUT_ALL(to, "centre_bohr", 3, orbital->centre, "bohr", "x, y, z");
    if (population == NULL) return; /* a page */
    for (int k = population->begin[i]; k < population->begin[i + 1]; k++) {
        HF_APPEND(atoms, population->row[k] + 1);
        HF_APPEND(values, population->value[population->offset[k]]);
    }
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct row *self = quantity->self;
    const struct hf_localised *found = &self->found;
    const struct hf_json to = hf_json_object(all->extras, "localised_orbitals", "`--localise`");
    const struct hf_json list = hf_json_array(to, "orbitals", NULL, "correlated orbitals");
    HF_PUT(to, "method", hf_options_choice(quantity->of->options, "localise"), NULL, "as given");
    HF_PUT(to, "frozen_core_orbitals", self->settings.n_frozen, NULL,
           "orbitals that were not localised");
    HF_PUT(to, "sweeps", found->n_sweep, NULL, "sweeps of rotations");
    HF_PUT(to, "second_order_steps", found->n_step, NULL, "second-order steps after the sweeps");
    HF_PUT(to, "converged", found->converged, NULL, "a maximum was found");
    HF_PUT(to, "maximised_sum", found->value, NULL, "sum that the method maximises");
    for (int i = 0; i < HF_COUNT(list, found->n); i++)
        hf_localised_put_json(found, i, hf_json_row(list));
}

static void done(struct hf_quantity *quantity)
{
    struct row *self = quantity->self;
    hf_localised_done(&self->found);
}

static const struct hf_phase *const phases[] = {&hf_phase_localise, NULL};

static const struct hf_option_choice localisations[] = {
    {"pm", "Pipek-Mezey, with Mulliken populations", HF_LOCALISE_PM},
    {"boys", "Foster-Boys: small spreads", HF_LOCALISE_BOYS},
    {"none", "canonical orbitals", HF_LOCALISE_NONE},
    {0}};

#define IN_SELF(NAME) .member = HF_MEMBER(struct row, NAME)
const struct hf_option hf_options_localised[] = {
    HF_ROW_TEXT(
        "frozen_core", "WHICH", "orbitals frozen in MP2: none, default, N", .everyday = true,
        .default_value = "default",
        .more =
            "N: so many. default: for each atom the orbitals of the noble gas before it. Na, Mg "
            "and the alkali and alkaline earth metals below keep their outer core correlated. "
            "FCIDUMP files leave them out, too.",
        .only_with = {{"method", "mp2"},
                      {"method", "lmp2"},
                      {"method", "ump2"},
                      {"localise", NULL},
                      {"fcidump", NULL}}),
    HF_ROW_CHOICE("localise", "HOW", "pm", "localise the occupied orbitals",
                  .more = "If it is given, spreads and populations of the localised orbitals are "
                          "in the report and the JSON file, and Molden and cube files have them. "
                          "Local MP2 localises anyway. Frozen core orbitals stay as they are.",
                  .choice = localisations, HF_NOT_SERVED, IN_SELF(settings.kind)),
    {0}};

const struct hf_quantity_ops hf_quantity_localised = {
    .name = "localised orbitals",
    .options = hf_options_localised,
    .option = "localise",
    .needs = HF_WAVEFUNCTION_ALL,
    .of_converged = true,
    .phases = phases,
    .size = sizeof(struct row),
    .doing = "localisation",
    .plan = plan,
    .compute = compute,
    .localised = localised,
    .report = report,
    .json = put_json,
    .done = done,
};
