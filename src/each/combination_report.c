/* Tables and JSON file of a combination; see combination_private.h. */
#include "combination_private.h"

#include "hf/units.h"
#include "hf/version.h"

#include <inttypes.h>
#include <string.h>

/** CODATA 2018, and the thermochemical calorie. */
static const double IN_KJ_PER_MOL = 2625.499639, KJ_IN_KCAL = 1.0 / 4.184;

/** Prints the atoms of a fragment as ranges, "1-3, 7". */
static void print_atoms(FILE *out, const struct hf_combination *self, int fragment)
{
    const int n = self->molecule->n_atom, *of = self->fragments.of_atom;
    const char *comma = "";
    for (int i = 0; i < n; i++) {
        const int first = i;
        if (of[i] != fragment) continue;
        while (i + 1 < n && of[i + 1] == fragment) i++;
        fprintf(out, i > first ? "%s%d-%d" : "%s%d", comma, first + 1, i + 1);
        comma = ", ";
    }
}

static void print_fragments(FILE *out, const struct hf_combination *self)
{
    fprintf(out, "\nFragments\n  %4s  %6s  %12s  %s\n", "", "charge", "multiplicity", "atoms");
    for (int i = 0; i < self->fragments.n; i++) {
        fprintf(out, "  %4d  %6d  %12d  ", i + 1, self->fragments.charge[i],
                self->fragments.multiplicity[i]);
        print_atoms(out, self, i);
        fprintf(out, "\n");
    }
}

static void print_limit(FILE *out, const struct hf_basis_limit *limit)
{
    const struct hf_limit_formula *formula = limit->formula;
    fprintf(out,
            "\nLimit of the basis sets %s (X = %d) and %s (X = %d)\n"
            "  SCF          E(X) = E + A exp(-%g %s)\n"
            "  correlation  E(X) = E + B X^-%g\n"
            "  source       %s\n",
            limit->name[0], formula->cardinal, limit->name[1], formula->cardinal + 1,
            formula->alpha, formula->root ? "sqrt(X)" : "X", formula->beta, formula->source);
}

/** Energies of the whole molecule in each set, if it is computed. */
static void print_sets(FILE *out, const struct hf_combination *self)
{
    double scf = 0.0, correlation = 0.0;
    const char *format = "  %-22s %18.10f %18.10f %18.10f\n";
    fprintf(out, "\n  %-22s %18s %18s %18s\n", "Energies/hartree", "SCF", "correlation", "sum");
    for (int64_t i = 0; i < self->n_part; i++) {
        const struct hf_part *part = &self->part[i];
        if (part->scf_only) continue;
        fprintf(out, format, self->limit.name[part->set], part->scf, part->total - part->scf,
                part->total);
        scf += self->limit.scf[part->set] * part->scf;
        correlation += self->limit.correlation[part->set] * (part->total - part->scf);
    }
    fprintf(out, format, "limit", scf, correlation, scf + correlation);
}

static void print_energy(FILE *out, const char *name, double hartree)
{
    const double kj = hartree * IN_KJ_PER_MOL;
    fprintf(out, "  %-36s %16.10f %12.4f %12.4f\n", name, hartree, kj, kj * KJ_IN_KCAL);
}

static void print_head(FILE *out, const char *name)
{
    fprintf(out, "\n%-38s %16s %12s %12s\n", name, "hartree", "kJ/mol", "kcal/mol");
}

/** What is published of a complex. */
static void print_interaction(FILE *out, const struct hf_combination *self)
{
    static const char *const kinds[] = {"uncorrected", "corrected"};
    const struct hf_interaction *sums = self->interaction;
    const int last = (int)self->last;
    char name[64];
    print_head(out, "Energy of interaction");
    print_energy(out, kinds[0], sums[0].energy_of_interaction);
    if (last > 0) {
        print_energy(out, "corrected (counterpoise)", sums[1].energy_of_interaction);
        print_energy(out, "superposition error",
                     sums[0].energy_of_interaction - sums[1].energy_of_interaction);
    }
    for (int f = 0; f <= last && self->correlated; f++) {
        snprintf(name, sizeof name, "SCF part, %s", kinds[f]);
        print_energy(out, name, sums[f].scf_of_interaction);
    }
    for (int n = 2; n <= self->most && n <= self->fragments.n; n++)
        for (int f = 0; f <= last; f++) {
            snprintf(name, sizeof name, "%d-body part, %s", n, kinds[f]);
            print_energy(out, name, sums[f].of_bodies[n]);
        }
    fprintf(out, "  Fragments have the structure that they have here: no energy of deformation.\n");
}

/** A row for each pair and triple. */
static void print_clusters(FILE *out, const struct hf_combination *self)
{
    const bool corrected = self->last == HF_ALL_FUNCTIONS;
    const struct hf_interaction *sums = &self->interaction[self->last];
    char name[40], text[80];
    snprintf(name, sizeof name, "Contributions%s", corrected ? ", corrected" : "");
    print_head(out, name);
    for (int c = 0; c < self->clusters.n; c++) {
        const struct hf_cluster *cluster = &self->clusters.cluster[c];
        if (cluster->n < 2) continue;
        hf_cluster_name(&self->fragments, cluster, sizeof text, text);
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " (%.2f angstrom)",
                 cluster->distance * HF_BOHR_IN_ANGSTROM);
        print_energy(out, text, sums->contribution[c]);
    }
    for (int n = 2; n <= HF_MOST_BODIES; n++) {
        const int64_t n_out = self->clusters.n_left_out[n];
        if (n_out > 0)
            fprintf(out,
                    "  %" PRId64 " %s%s left out: farther apart than %g angstrom "
                    "(--fragment-distance)\n",
                    n_out, n == 2 ? "pair" : "triple", n_out > 1 ? "s" : "",
                    self->distance * HF_BOHR_IN_ANGSTROM);
    }
}

static void print_gradient(FILE *out, const struct hf_combination *self)
{
    const double *value = self->interaction[self->last].gradient;
    fprintf(out, "\nDerivatives of the energy by the places of the atoms/(hartree/bohr)\n");
    for (int i = 0; i < self->molecule->n_atom; i++, value += 3)
        fprintf(out, "  %5d  %-2s %18.10f %18.10f %18.10f\n", i + 1,
                hf_element_symbol(self->molecule->atom[i].atomic_number), value[0], value[1],
                value[2]);
}

/** Where to find what was requested beside energies: every calculation has its own. */
static void print_others(FILE *out, const struct hf_combination *self,
                         const struct hf_calculation *calculation)
{
    const char *before = "Requested     ";
    for (int i = 0; i < calculation->n_quantity; i++) {
        const struct hf_quantity_ops *ops = calculation->quantity[i].ops;
        if (ops->option == NULL || hf_options_given(self->settings->options, ops->option) == NULL)
            continue;
        fprintf(out, "%s%s", before, ops->name);
        before = ", ";
    }
    if (before[0] == ',') fprintf(out, " of each calculation: lines of %s\n", self->path);
}

void hf_combination_report(FILE *out, const struct hf_combination *self,
                           const struct hf_calculation *calculation)
{
    const struct hf_run_description *run = &calculation->description;
    fprintf(out, "\nCalculation   %s/%s of %s\n", run->method,
            self->limit.n > 1 ? self->limit.requested : run->basis_requested, run->input_path);
    for (int i = 0; i < run->n_note; i++) fprintf(out, "Note          %s\n", run->note[i]);
    for (int i = 0; i < run->n_warning; i++) fprintf(out, "Warning       %s\n", run->warning[i]);
    if (self->fragments.n > 1) print_fragments(out, self);
    if (self->limit.n > 1) print_limit(out, &self->limit);
    if (self->fragments.n == 1)
        print_sets(out, self);
    else
        print_interaction(out, self);
    if (self->most > 0) print_clusters(out, self);
    if (self->gradient) print_gradient(out, self);
    fprintf(out, "\nEnergy%s     %.10f hartree\n",
            self->last == HF_ALL_FUNCTIONS ? ", corrected" : "           ",
            self->interaction[self->last].total);
    print_others(out, self, calculation);
}

static void put_limit(struct hf_json extras, const struct hf_basis_limit *limit)
{
    const struct hf_limit_formula *formula = limit->formula;
    const struct hf_json to =
        hf_json_object(extras, "basis_limit", "with two basis sets in brackets");
    HF_PUT(to, "smaller_set", limit->name[0], NULL, "basis set");
    HF_PUT(to, "larger_set", limit->name[1], NULL, "basis set");
    HF_PUT(to, "cardinal", formula->cardinal, NULL, "X of the smaller set");
    HF_PUT(to, "scf_formula", formula->root ? "exp(-alpha sqrt(X))" : "exp(-alpha X)", NULL,
           "what the error of the SCF energy is proportional to");
    HF_PUT(to, "alpha", formula->alpha, NULL, "exponent of the SCF");
    HF_PUT(to, "beta", formula->beta, NULL,
           "the error of the correlation energy is proportional to X^-beta");
    HF_PUT(to, "source", formula->source, NULL, "literature of the formulas");
}

/** Fragments of a cluster, counted from 1. */
static void put_members(struct hf_json to, const struct hf_combination *self,
                        const struct hf_cluster *cluster)
{
    const struct hf_json list = hf_json_array(to, "fragments", NULL, "fragments, from 1");
    for (int i = 0; i < HF_COUNT(list, self->fragments.n); i++)
        if (HF_ANY(list, hf_cluster_has(&self->fragments, cluster, i))) HF_APPEND(list, i + 1);
}

static void put_fragments(struct hf_json extras, const struct hf_combination *self)
{
    const struct hf_json list = hf_json_array(extras, "fragments", NULL, "with `--fragments`");
    for (int i = 0; i < HF_COUNT(list, self->fragments.n); i++) {
        const struct hf_json row = hf_json_row(list);
        const struct hf_json atoms = hf_json_array(row, "atoms", NULL, "atoms, from 1");
        for (int a = 0; a < HF_COUNT(atoms, self->molecule->n_atom); a++)
            if (HF_ANY(atoms, self->fragments.of_atom[a] == i)) HF_APPEND(atoms, a + 1);
        HF_PUT(row, "charge", self->fragments.charge[i], "e", "charge");
        HF_PUT(row, "multiplicity", self->fragments.multiplicity[i], NULL, "2S+1");
    }
}

static void put_sums(struct hf_json to, const struct hf_combination *self,
                     const struct hf_interaction *sums)
{
    const int n = 3 * self->molecule->n_atom;
    HF_PUT(to, "energy_of_interaction", sums->energy_of_interaction, "hartree",
           "sum of all contributions");
    HF_PUT(to, "scf_energy_of_interaction", sums->scf_of_interaction, "hartree",
           "part of the SCF in it");
    HF_PUT(to, "total_energy", sums->total, "hartree",
           "with the energies of the fragments in their own functions");
    HF_PUT_ALL(to, "of_bodies", HF_MOST_BODIES + 1, sums->of_bodies, "hartree",
               "contributions of 0, 1, 2, 3 fragments; 0 beyond the expansion");
    if (HF_ANY(to, sums->gradient != NULL)) {
        HF_PUT_ALL(to, "gradient", n, sums->gradient, "hartree/bohr", "of the total energy");
        HF_PUT_ALL(to, "gradient_of_interaction", n, sums->gradient_of_interaction, "hartree/bohr",
                   "of the energy of interaction");
    }
}

static void put_clusters(struct hf_json extras, const struct hf_combination *self)
{
    const struct hf_json list =
        hf_json_array(extras, "clusters", NULL, "fragments, pairs, triples, all fragments");
    for (int c = 0; c < HF_COUNT(list, self->clusters.n); c++) {
        const struct hf_cluster *cluster = &self->clusters.cluster[c];
        const struct hf_json row = hf_json_row(list);
        put_members(row, self, cluster);
        HF_PUT(row, "distance", cluster->distance * HF_BOHR_IN_ANGSTROM, "angstrom",
               "between the nearest nuclei of two fragments, the largest one of several pairs");
        for (int f = 0; f < HF_COUNT(list, (int)self->last + 1) + (list.of->page != NULL); f++) {
            const struct hf_interaction *sums = &self->interaction[f];
            HF_PUT(row, f == 0 ? "energy" : "energy_in_all_functions", sums->energy[c], "hartree",
                   f == 0 ? "energy in its own functions" : "energy with ghost atoms");
            HF_PUT(row, f == 0 ? "contribution" : "contribution_corrected", sums->contribution[c],
                   "hartree", "energy without the contributions of fewer fragments");
        }
    }
}

static void put_parts(struct hf_json extras, const struct hf_combination *self)
{
    const struct hf_json list = hf_json_array(extras, "parts", NULL, "the calculations");
    for (int64_t i = 0; i < HF_COUNT(list, self->n_part); i++) {
        const struct hf_part *part = &self->part[i];
        const struct hf_json row = hf_json_row(list);
        put_members(row, self, &self->clusters.cluster[part->cluster]);
        HF_PUT(row, "all_functions", (bool)(part->functions == HF_ALL_FUNCTIONS), NULL,
               "with ghost atoms for the other fragments");
        if (HF_ANY(row, self->limit.n > 1))
            HF_PUT(row, "basis", self->limit.name[part->set], NULL, "of two basis sets");
        HF_PUT(row, "scf_energy", part->scf, "hartree", "energy of the SCF");
        HF_PUT(row, "energy", part->total, "hartree", "energy of the method");
    }
}

static void put_extras(struct hf_json extras, const struct hf_combination *self)
{
    if (HF_ANY(extras, self->limit.n > 1)) put_limit(extras, &self->limit);
    if (HF_ANY(extras, self->fragments.n > 1)) {
        put_fragments(extras, self);
        HF_PUT(extras, "many_body", self->most, NULL,
               "fragments of a cluster at most; 0: all fragments were computed together");
        HF_PUT(extras, "pairs_left_out", self->clusters.n_left_out[2], NULL,
               "pairs that are too far apart");
        HF_PUT(extras, "triples_left_out", self->clusters.n_left_out[3], NULL,
               "triples that are too far apart");
        put_sums(hf_json_object(extras, "uncorrected", "own functions of each cluster"), self,
                 &self->interaction[HF_OWN_FUNCTIONS]);
        if (HF_ANY(extras, self->last == HF_ALL_FUNCTIONS)) {
            put_sums(hf_json_object(extras, "corrected", "with `--counterpoise`"), self,
                     &self->interaction[HF_ALL_FUNCTIONS]);
            HF_PUT(extras, "superposition_error",
                   self->interaction[HF_OWN_FUNCTIONS].energy_of_interaction -
                       self->interaction[HF_ALL_FUNCTIONS].energy_of_interaction,
                   "hartree", "uncorrected minus corrected energy of interaction");
        }
        put_clusters(extras, self);
    }
    put_parts(extras, self);
}

hf_status hf_combination_save(const struct hf_combination *self,
                              const struct hf_calculation *calculation, const char *path,
                              struct hf_error *error)
{
    struct hf_json_document document = {0};
    const struct hf_json root = hf_json_begin(&document);
    const struct hf_interaction *sums = &self->interaction[self->last];
    struct hf_run_description run = calculation->description;
    struct hf_basis basis = *run.basis;
    char requested[sizeof self->limit.requested];
    memcpy(requested, self->limit.requested, sizeof requested);
    if (self->limit.n > 1) basis.name = requested;
    run.basis = &basis;
    run.of_many = true; /* without defaults */
    hf_json_put_identity(root, "qcschema_output");
    hf_json_put_input(root, &run);
    HF_ADD(root, "success", (bool)true);
    HF_ADD(root, "error", (char *)NULL);
    const struct hf_json properties = hf_json_object(root, "properties", "");
    HF_ADD(properties, "calcinfo_natom", self->molecule->n_atom);
    HF_ADD(properties, "return_energy", sums->total);
    if (self->gradient)
        hf_json_put_reals(root, "return_result", 3 * self->molecule->n_atom, sums->gradient);
    else
        HF_ADD(root, "return_result", sums->total);
    const struct hf_json extras = hf_json_object(root, "extras", "");
    const struct hf_json hf = hf_json_object(extras, "hf", "");
    put_extras(hf, self);
    const struct hf_json warnings = hf_json_array(hf, "warnings", NULL, "");
    for (int i = 0; i < run.n_warning; i++) HF_APPEND(warnings, run.warning[i]);
    hf_json_answer(root, run.request);
    const hf_status status = hf_json_save(path, root, error);
    cJSON_Delete(root.at);
    return status;
}

void hf_combination_describe_json(FILE *page)
{
    struct hf_json_document document = {.page = page};
    const struct hf_json extras = {.of = &document, .path = "extras.hf."};
    static const struct hf_limit_formula formula;
    static int one;
    static struct hf_cluster cluster;
    static struct hf_part part;
    static struct hf_molecule molecule;
    static double energy, gradient[3];
    const struct hf_interaction sums = {.energy = &energy,
                                        .contribution = &energy,
                                        .gradient = gradient,
                                        .gradient_of_interaction = gradient};
    const struct hf_combination self = {.molecule = &molecule,
                                        .fragments = {.charge = &one, .multiplicity = &one},
                                        .clusters = {.cluster = &cluster},
                                        .limit = {.formula = &formula},
                                        .part = &part,
                                        .interaction = {sums, sums}};
    fprintf(page, "\n## Fragments and limits of basis sets\n\n"
                  "With `--fragments` or two basis sets in brackets the file has these keys under "
                  "`extras.hf`, and of `properties`\nthe energy.\n\n"
                  "| key | unit | meaning |\n|---|---|---|\n");
    put_extras(extras, &self);
}
