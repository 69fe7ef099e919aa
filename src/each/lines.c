/* Results as JSON, extended XYZ and CSV; see each_private.h. */
#include "each_private.h"

#include "hf/units.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** A number that was read, or one of a document that is built, which is text; NAN: no number. */
static double value_of(const cJSON *item)
{
    double value = NAN;
    if (cJSON_IsNumber(item)) return item->valuedouble;
    if (!cJSON_IsRaw(item) ||
        hf_word_real(hf_rest_of_line(item->valuestring), &value) != HF_NUMBER_OK)
        return NAN;
    return value;
}

static double number_of(const cJSON *object, const char *key)
{
    return value_of(hf_json_find(object, key));
}

static const cJSON *extras_of(const cJSON *root)
{
    return hf_json_find(hf_json_find(root, "extras"), "hf");
}

void hf_lines_identify(struct hf_json root, const struct hf_molecule_record *record, uint64_t hash,
                       const struct hf_molecule_result *result)
{
    char digits[20];
    const struct hf_json extras = {
        root.of,
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root.at, "extras"), "hf"),
        ""};
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    HF_ADD(extras, "record", record->name);
    HF_ADD(extras, "record_hash", digits);
    HF_ADD(extras, "ranks", result->n_rank);
    HF_ADD(extras, "seconds", result->seconds);
}

/** The first member that is there; NULL: none. */
static const cJSON *first_of(const cJSON *object, const char *key, const char *other)
{
    const cJSON *found = hf_json_find(object, key);
    return found != NULL ? found : hf_json_find(object, other);
}

/** The molecule of a result, or of the input of a failure; NULL: unknown. */
static const cJSON *molecule_of(const cJSON *root)
{
    const cJSON *molecule = first_of(root, "molecule", "final_molecule");
    return molecule != NULL
               ? molecule
               : first_of(hf_json_find(root, "input_data"), "molecule", "initial_molecule");
}

/** The object with model and driver: result, input, or its specification. */
static const cJSON *specification_of(const cJSON *root)
{
    const cJSON *of = root, *in = hf_json_find(root, "input_data");
    for (int i = 0; i < 4 && of != NULL && hf_json_find(of, "model") == NULL; i++) {
        const cJSON *inner = first_of(of, "specification", "input_specification");
        of = inner != NULL ? inner : of == root ? in : NULL;
    }
    return of;
}

/** The properties of a result, in an optimisation of the last step; NULL: unknown. */
static const cJSON *properties_of(const cJSON *root)
{
    const cJSON *list = first_of(root, "trajectory_properties", "trajectory");
    const cJSON *last = cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);
    const cJSON *properties = hf_json_find(last, "properties");
    return list == NULL ? hf_json_find(root, "properties") : properties != NULL ? properties : last;
}

/** The energy, which is all that an optimisation without a trajectory has in version 1. */
static double energy_of(const cJSON *root)
{
    const cJSON *energies = hf_json_find(root, "energies");
    if (energies == NULL) return number_of(properties_of(root), "return_energy");
    return value_of(cJSON_GetArrayItem(energies, cJSON_GetArraySize(energies) - 1));
}

/** A text in quotes; `quote` replaces quotes in it. */
static void print_quoted(FILE *stream, const char *text, const char *quote)
{
    fputc('"', stream);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"')
            fputs(quote, stream);
        else
            fputc((unsigned char)*c < ' ' ? ' ' : *c, stream);
    }
    fputc('"', stream);
}

const char hf_csv_head[] =
    "record,title,success,method,basis,atoms,charge,multiplicity,functions,energy_hartree,"
    "dipole_debye,scf_iterations,seconds,error\n";

/** A number and a comma; nothing for one that is not known. */
static void print_cell(FILE *csv, const char *format, double value)
{
    if (isfinite(value)) fprintf(csv, format, value);
    fputc(',', csv);
}

static void print_text_cell(FILE *csv, const char *text)
{
    if (text[0] != '\0') print_quoted(csv, text, "\"\"");
    fputc(',', csv);
}

static double dipole_debye(const cJSON *properties)
{
    const cJSON *dipole = hf_json_find(properties, "scf_dipole_moment"), *entry;
    double square = 0.0;
    if (cJSON_GetArraySize(dipole) != 3) return NAN;
    cJSON_ArrayForEach(entry, dipole) square += value_of(entry) * value_of(entry);
    return HF_DIPOLE_IN_DEBYE * sqrt(square);
}

void hf_csv_print(FILE *csv, const cJSON *root)
{
    const cJSON *properties = properties_of(root), *molecule = molecule_of(root);
    const cJSON *model = hf_json_find(specification_of(root), "model");
    const int n_atom = cJSON_GetArraySize(hf_json_find(molecule, "symbols"));
    print_text_cell(csv, hf_json_find_text(extras_of(root), "record"));
    print_text_cell(csv, hf_json_find_text(molecule, "name"));
    fprintf(csv, "%s,", cJSON_IsTrue(hf_json_find(root, "success")) ? "true" : "false");
    print_text_cell(csv, hf_json_find_text(model, "method"));
    const bool named = hf_json_find(hf_json_find(model, "basis"), "name") !=
                       NULL; /* a set that stands in the input */
    print_text_cell(csv, named ? hf_json_find_text(hf_json_find(model, "basis"), "name")
                               : hf_json_find_text(model, "basis"));
    print_cell(csv, "%.0f", n_atom > 0 ? (double)n_atom : (double)NAN);
    print_cell(csv, "%.0f", number_of(molecule, "molecular_charge"));
    print_cell(csv, "%.0f", number_of(molecule, "molecular_multiplicity"));
    print_cell(csv, "%.0f", number_of(properties, "calcinfo_nbasis"));
    print_cell(csv, "%.12f", energy_of(root));
    print_cell(csv, "%.8f", dipole_debye(properties));
    print_cell(csv, "%.0f", number_of(properties, "scf_iterations"));
    print_cell(csv, "%.4f", number_of(extras_of(root), "seconds"));
    const char *message = hf_json_find_text(hf_json_find(root, "error"), "error_message");
    if (message[0] != '\0') print_quoted(csv, message, "\"\"");
    fputc('\n', csv);
}

/** The gradient of a result, in an optimisation of the last step; NULL: unknown. */
static const cJSON *gradient_of(const cJSON *root)
{
    const cJSON *steps = hf_json_find(root, "trajectory");
    if (hf_json_find(root, "trajectory_properties") != NULL)
        return hf_json_find(hf_json_find(root, "properties"), "return_gradient");
    if (steps == NULL) return hf_json_find(root, "return_result");
    return hf_json_find(cJSON_GetArrayItem(steps, cJSON_GetArraySize(steps) - 1), "return_result");
}

void hf_xyz_print(FILE *xyz, const cJSON *root, bool hartree)
{
    const cJSON *molecule = molecule_of(root);
    const double energy = energy_of(root);
    if (!cJSON_IsTrue(hf_json_find(root, "success")) || !isfinite(energy)) return;
    const cJSON *symbol = hf_json_find(molecule, "symbols"), *gradient = gradient_of(root);
    const int n = cJSON_GetArraySize(symbol);
    const bool has_forces =
        strcmp(hf_json_find_text(specification_of(root), "driver"), "gradient") == 0 &&
        cJSON_GetArraySize(gradient) == 3 * n;
    const double of_energy = hartree ? 1.0 : HF_HARTREE_IN_EV;
    const double of_force = hartree ? 1.0 : HF_HARTREE_IN_EV / HF_BOHR_IN_ANGSTROM;
    fprintf(xyz, "%d\nProperties=species:S:1:pos:R:3%s energy=%.12f energy_unit=%s", n,
            has_forces ? ":forces:R:3" : "", of_energy * energy, hartree ? "hartree" : "eV");
    if (has_forces) fprintf(xyz, " forces_unit=%s", hartree ? "hartree/bohr" : "eV/angstrom");
    fprintf(xyz, " charge=%.0f multiplicity=%.0f", number_of(molecule, "molecular_charge"),
            number_of(molecule, "molecular_multiplicity"));
    fprintf(xyz, " pbc=\"F F F\" record=");
    print_quoted(xyz, hf_json_find_text(extras_of(root), "record"), "'");
    fputc('\n', xyz);
    symbol = symbol != NULL ? symbol->child : NULL;
    const cJSON *place = hf_json_find(molecule, "geometry"),
                *force = has_forces ? gradient->child : NULL;
    place = place != NULL ? place->child : NULL;
    for (; symbol != NULL; symbol = symbol->next) {
        fprintf(xyz, "%-2s", symbol->valuestring);
        for (int k = 0; k < 3 && place != NULL; k++, place = place->next)
            fprintf(xyz, " %17.10f", HF_BOHR_IN_ANGSTROM * value_of(place));
        for (int k = 0; k < 3 && force != NULL; k++, force = force->next)
            fprintf(xyz, " %17.10f", -of_force * value_of(force));
        fputc('\n', xyz);
    }
}
