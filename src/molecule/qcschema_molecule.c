/* The molecule of a QCSchema input: versions 2 and 3 have the same keys and units. */
#include "qcschema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const molecule_keys[] = {"schema_name",
                                            "schema_version",
                                            "symbols",
                                            "geometry",
                                            "molecular_charge",
                                            "molecular_multiplicity",
                                            "real",
                                            "name",
                                            "comment",
                                            "masses",
                                            "mass_numbers",
                                            "atomic_numbers",
                                            "atom_labels",
                                            "connectivity",
                                            "fragments",
                                            "fragment_charges",
                                            "fragment_multiplicities",
                                            "fix_com",
                                            "fix_orientation",
                                            "fix_symmetry",
                                            "validated",
                                            "provenance",
                                            "identifiers",
                                            "extras",
                                            "id",
                                            NULL};

/** Stores a whole number of the molecule as the option `key`. */
static hf_status add_whole(struct draft *draft, const cJSON *object, const char *name,
                           const char *key)
{
    const cJSON *member = hf_json_find(object, name);
    if (member == NULL) return HF_OK;
    if (!cJSON_IsNumber(member) || member->valuedouble != floor(member->valuedouble) ||
        fabs(member->valuedouble) > 1e6)
        return hf_draft_fail(draft, 0, "'%s' is not a whole number", name);
    return hf_draft_option_integer(draft, key, (int)member->valuedouble, 0);
}

/** Reads whether atom i is real (not a ghost). */
static hf_status read_real(const struct draft *draft, const cJSON *real, int i, bool *is_real)
{
    const cJSON *entry = cJSON_GetArrayItem(real, i);
    *is_real = true;
    if (real == NULL || cJSON_IsNull(real)) return HF_OK;
    if (!cJSON_IsBool(entry))
        return hf_draft_fail(draft, 0, "'real' has no true or false for atom %d of 'symbols'",
                             i + 1);
    *is_real = cJSON_IsTrue(entry);
    return HF_OK;
}

static hf_status read_atoms(struct draft *draft, const cJSON *molecule)
{
    const cJSON *symbols = hf_json_find(molecule, "symbols");
    const cJSON *geometry = hf_json_find(molecule, "geometry");
    const cJSON *real = hf_json_find(molecule, "real");
    const int n = cJSON_GetArraySize(symbols),
              line = hf_qcschema_find_line(draft->text, "\"geometry\"");
    if (cJSON_IsArray(geometry) && cJSON_IsArray(geometry->child))
        return hf_draft_fail(
            draft, line,
            "'geometry' has a list for each atom; expected one list of %d numbers, "
            "x, y, z of each atom in bohr",
            3 * n);
    if (!cJSON_IsArray(symbols) || !cJSON_IsArray(geometry) ||
        cJSON_GetArraySize(geometry) != 3 * n)
        return hf_draft_fail(draft, 0,
                             "the molecule has %d 'symbols' and %d numbers in 'geometry'; expected "
                             "lists, and three numbers, in bohr, for each symbol",
                             n, cJSON_GetArraySize(geometry));
    const cJSON *symbol = symbols->child, *number = geometry->child;
    for (int i = 0; i < n; i++, symbol = symbol->next) {
        struct draft_atom atom = {.line = line};
        bool is_real = true;
        if (!cJSON_IsString(symbol) || !hf_qcschema_is_one_line(symbol->valuestring))
            return hf_draft_fail(draft, 0, "symbol %d is not a string of one line", i + 1);
        for (int d = 0; d < 3; d++, number = number->next) {
            if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
                return hf_draft_fail(draft, line, "coordinate %d of 'geometry' is not a number",
                                     3 * i + d + 1);
            atom.position[d] = number->valuedouble;
        }
        const struct hf_word name = hf_word_of(symbol->valuestring);
        HF_CHECK(hf_read_atom_name(draft, 0, name, &atom));
        HF_CHECK(read_real(draft, real, i, &is_real));
        atom.ghost = atom.ghost || !is_real;
        HF_CHECK(hf_draft_add_atom(draft, &atom));
    }
    return HF_OK;
}

/** Reads a list of masses or mass numbers (-1: the commonest isotope). null or no list: nothing is set. */
static hf_status read_masses(struct draft *draft, const cJSON *list, const char *name)
{
    const bool numbers = strcmp(name, "mass_numbers") == 0;
    if (list == NULL || cJSON_IsNull(list)) return HF_OK;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != draft->n_atom)
        return hf_draft_fail(draft, 0, "'%s' is not a list with a number for each of %d atoms",
                             name, draft->n_atom);
    const cJSON *entry = list->child;
    for (int i = 0; i < draft->n_atom; i++, entry = entry->next) {
        struct draft_atom *atom = &draft->atom[i];
        const double value = cJSON_IsNumber(entry) ? entry->valuedouble : NAN;
        if (numbers && value == -1.0) continue;
        if (!(value > 0.0 && value <= 1000.0) || (numbers && value != floor(value)))
            return hf_draft_fail(draft, 0, "entry %d of '%s' is not a %s", i + 1, name,
                                 numbers ? "mass number, or -1" : "mass in atomic mass units");
        if (numbers)
            atom->mass_number = (int)value;
        else
            atom->mass = value;
    }
    return HF_OK;
}

/** Checks the list of atomic numbers against the symbols. */
static hf_status check_numbers(const struct draft *draft, const cJSON *list)
{
    if (list == NULL || cJSON_IsNull(list)) return HF_OK;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != draft->n_atom)
        return hf_draft_fail(draft, 0,
                             "'atomic_numbers' is not a list with a number for each of %d atoms",
                             draft->n_atom);
    const cJSON *entry = list->child;
    for (int i = 0; i < draft->n_atom; i++, entry = entry->next) {
        const int expected = draft->atom[i].atomic_number;
        if (cJSON_IsNumber(entry) && entry->valuedouble == expected) continue;
        return hf_draft_fail(
            draft, 0, "entry %d of 'atomic_numbers' is not %d, the number of %s in 'symbols'",
            i + 1, expected, hf_element_symbol(expected));
    }
    return HF_OK;
}

/** A version that is missing is not checked. */
static hf_status check_molecule_version(const struct draft *draft, const cJSON *molecule)
{
    const cJSON *version = hf_json_find(molecule, "schema_version");
    if (version == NULL ||
        (cJSON_IsNumber(version) && (version->valuedouble == 2.0 || version->valuedouble == 3.0)))
        return HF_OK;
    return hf_draft_fail(draft, 0, "'schema_version' of the molecule is not 2 or 3");
}

/** Prints lists of numbers: commas between lists, + between the numbers of one; numbers without a list have
 *  commas. `add` is added to each. */
static bool print_numbers(const cJSON *list, const char *separator, int add, FILE *text)
{
    bool good = cJSON_IsArray(list);
    for (const cJSON *item = good ? list->child : NULL; item != NULL && good; item = item->next) {
        if (item != list->child) fputs(separator, text);
        if (cJSON_IsArray(item))
            good = print_numbers(item, "+", add, text);
        else if ((good = cJSON_IsNumber(item)))
            fprintf(text, "%.12g", item->valuedouble + add);
    }
    return good;
}

/** Stores fragments as the values that count least: alone they have no effect. */
static hf_status read_fragments(struct draft *draft, const cJSON *molecule)
{
    static const char *const keys[] = {"fragments", "fragment_charges", "fragment_multiplicities"};
    for (int i = 0; i < 3; i++) {
        const cJSON *list = hf_json_find(molecule, keys[i]);
        const struct hf_option *option = hf_option_find(draft->options->table, hf_word_of(keys[i]));
        char *text = NULL;
        size_t size;
        if (list == NULL || cJSON_IsNull(list) || option == NULL) continue;
        if (cJSON_IsArray(list) && list->child == NULL) continue;
        FILE *stream = open_memstream(&text, &size);
        const bool good = stream != NULL && print_numbers(list, ",", i == 0, stream);
        hf_status status = HF_OK;
        if (stream == NULL || fclose(stream) != 0)
            status = hf_fail(draft->error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
        else if (!good)
            status = hf_draft_fail(draft, 0, "'%s' has no numbers for each fragment", keys[i]);
        else
            status = hf_options_add(draft->options, option, hf_word_of(text), HF_OPTION_RESTART,
                                    draft->text->path, draft->error);
        free(text);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

hf_status hf_qcschema_read_molecule(struct draft *draft, const cJSON *molecule)
{
    const char *name;
    if (!cJSON_IsObject(molecule))
        return hf_draft_fail(draft, 0, "there is no 'molecule' with symbols and geometry");
    HF_CHECK(hf_qcschema_check_keys(draft, molecule, "the molecule", molecule_keys));
    HF_CHECK(check_molecule_version(draft, molecule));
    HF_CHECK(hf_qcschema_get_string(draft, molecule, "name", &name));
    if (name != NULL) HF_CHECK(hf_qcschema_add_option(draft, "title", name));
    HF_CHECK(hf_qcschema_add_option(draft, "units", "bohr"));
    HF_CHECK(add_whole(draft, molecule, "molecular_charge", "charge"));
    HF_CHECK(add_whole(draft, molecule, "molecular_multiplicity", "multiplicity"));
    HF_CHECK(read_atoms(draft, molecule));
    HF_CHECK(check_numbers(draft, hf_json_find(molecule, "atomic_numbers")));
    HF_CHECK(read_fragments(draft, molecule));
    HF_CHECK(read_masses(draft, hf_json_find(molecule, "mass_numbers"), "mass_numbers"));
    return read_masses(draft, hf_json_find(molecule, "masses"), "masses");
}
