/* QCSchema AtomicInput, version 1: a molecule, a model, and keywords that are hf's keys.
 *
 * Everything in the file that would change the results is used or refused. Entries for other programs (identifiers,
 * provenance) are ignored. Fragments have an effect only if an option asks for their interaction.
 * Source   https://molssi-qc-schema.readthedocs.io; QCElemental, models AtomicInput and Molecule. */
#include "draft.h"

#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Keys of the objects, those that are used first; NULL at the end. */
static const char *const input_keys[] = {"schema_name", "schema_version", "molecule",  "driver",
                                         "model",       "keywords",       "protocols", "extras",
                                         "id",          "provenance",     NULL};
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
static const char *const model_keys[] = {"method", "basis", NULL};
static const char *const protocol_keys[] = {"wavefunction", "stdout", "error_correction",
                                            "native_files", NULL};
/** Keys of hf that have their own places in the schema. */
static const char *const placed_keys[] = {"task",  "method", "basis",  "charge", "multiplicity",
                                          "units", "title",  "record", NULL};

/** Keys used here whose value must not be null. */
static const char *const valued_keys[] = {
    "molecular_charge", "molecular_multiplicity", "method", "keywords",
    "protocols",        "wavefunction",           NULL};

static bool is_listed(const char *key, const char *const list[])
{
    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(key, list[i]) == 0) return true;
    return false;
}

/** Whether a string has no control characters and fits in a line. */
static bool is_one_line(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != '\177') text++;
    return *text == '\0';
}

/** Fails if the object `name` has a key twice (JSON does not define which one counts), or if null is given for a key
 *  that needs a value. Compares with the members before, which are known keys and therefore few. */
static hf_status check_member(const struct draft *draft, const cJSON *object, const cJSON *member,
                              const char *name)
{
    for (const cJSON *other = object->child; other != member; other = other->next)
        if (strcmp(other->string, member->string) == 0)
            return hf_draft_fail(draft, 0, "key '%s' in %s was given before", member->string, name);
    if (cJSON_IsNull(member) && is_listed(member->string, valued_keys))
        return hf_draft_fail(draft, 0, "'%s' is null; expected a value, or no such key",
                             member->string);
    return HF_OK;
}

/** Checks that every member of the object `name` is a known key and given once. */
static hf_status check_keys(const struct draft *draft, const cJSON *object, const char *name,
                            const char *const known[])
{
    int n = 0;
    while (known[n] != NULL) n++;
    for (const cJSON *member = object->child; member != NULL; member = member->next) {
        const struct hf_word key = hf_word_of(member->string);
        if (is_listed(member->string, known)) {
            HF_CHECK(check_member(draft, object, member, name));
            continue;
        }
        if (!is_one_line(member->string)) return hf_draft_fail(draft, 0, "unknown key in %s", name);
        const char *nearest = hf_nearest_word(key, n, known);
        return hf_draft_fail(draft, 0, "unknown key '%.*s' in %s%s%s", HF_WORD(key), name,
                             HF_DID_YOU_MEAN(nearest, ""));
    }
    return HF_OK;
}

/** Gets a member that must be a string; NULL if it is missing or null. */
static hf_status get_string(const struct draft *draft, const cJSON *object, const char *key,
                            const char **value)
{
    const cJSON *member = hf_json_find(object, key);
    *value = NULL;
    if (member == NULL || cJSON_IsNull(member)) return HF_OK;
    if (!cJSON_IsString(member) || !is_one_line(member->valuestring))
        return hf_draft_fail(draft, 0, "'%s' is not a string of one line", key);
    *value = member->valuestring;
    return HF_OK;
}

static hf_status add_option(struct draft *draft, const char *key, const char *text)
{
    return hf_draft_option(draft, key, hf_word_of(text), 0);
}

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

/** First line that contains the name `quoted`, for messages; 0: none. */
static int find_line(const struct hf_text *text, const char *quoted)
{
    for (int i = 0; i < text->n_line; i++)
        if (strstr(text->line[i], quoted) != NULL) return i + 1;
    return 0;
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
    const int n = cJSON_GetArraySize(symbols), line = find_line(draft->text, "\"geometry\"");
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
        if (!cJSON_IsString(symbol) || !is_one_line(symbol->valuestring))
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

/** Prints lists of whole numbers: commas between lists, + between the numbers of one; numbers without a list have
 *  commas. `add` is added to each. */
static bool print_numbers(const cJSON *list, const char *separator, int add, FILE *text)
{
    bool good = cJSON_IsArray(list);
    for (const cJSON *item = good ? list->child : NULL; item != NULL && good; item = item->next) {
        const double value = item->valuedouble;
        if (item != list->child) fputs(separator, text);
        if (cJSON_IsArray(item))
            good = print_numbers(item, "+", add, text);
        else if ((good = cJSON_IsNumber(item) && value == floor(value) && fabs(value) < 1e9))
            fprintf(text, "%.0f", value + add);
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
            status =
                hf_draft_fail(draft, 0, "'%s' has no whole numbers for each fragment", keys[i]);
        else
            status = hf_options_add(draft->options, option, hf_word_of(text), HF_OPTION_RESTART,
                                    draft->text->path, draft->error);
        free(text);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

static hf_status read_molecule(struct draft *draft, const cJSON *molecule)
{
    const char *name;
    if (!cJSON_IsObject(molecule))
        return hf_draft_fail(draft, 0, "there is no 'molecule' with symbols and geometry");
    HF_CHECK(check_keys(draft, molecule, "the molecule", molecule_keys));
    HF_CHECK(get_string(draft, molecule, "name", &name));
    if (name != NULL) HF_CHECK(add_option(draft, "title", name));
    HF_CHECK(add_option(draft, "units", "bohr"));
    HF_CHECK(add_whole(draft, molecule, "molecular_charge", "charge"));
    HF_CHECK(add_whole(draft, molecule, "molecular_multiplicity", "multiplicity"));
    HF_CHECK(read_atoms(draft, molecule));
    HF_CHECK(check_numbers(draft, hf_json_find(molecule, "atomic_numbers")));
    HF_CHECK(read_fragments(draft, molecule));
    HF_CHECK(read_masses(draft, hf_json_find(molecule, "mass_numbers"), "mass_numbers"));
    return read_masses(draft, hf_json_find(molecule, "masses"), "masses");
}

static hf_status read_model(struct draft *draft, const cJSON *model)
{
    const char *method, *basis;
    if (!cJSON_IsObject(model))
        return hf_draft_fail(draft, 0, "there is no 'model' with method and basis");
    HF_CHECK(check_keys(draft, model, "the model", model_keys));
    HF_CHECK(get_string(draft, model, "method", &method));
    HF_CHECK(get_string(draft, model, "basis", &basis));
    if (method != NULL) HF_CHECK(add_option(draft, "method", method));
    if (basis != NULL) HF_CHECK(add_option(draft, "basis", basis));
    return HF_OK;
}

/** Writes the value of a keyword as in an input of hf; false: impossible. */
static bool print_value(const cJSON *value, size_t size, char text[])
{
    size_t n = 0;
    if (cJSON_IsBool(value)) return snprintf(text, size, cJSON_IsTrue(value) ? "yes" : "no") > 0;
    if (cJSON_IsString(value))
        return is_one_line(value->valuestring) &&
               (size_t)snprintf(text, size, "%s", value->valuestring) < size;
    if (cJSON_IsNumber(value)) {
        const double number = value->valuedouble;
        const bool whole = number == floor(number) && fabs(number) < 1e15;
        return isfinite(number) && (whole ? snprintf(text, size, "%.0f", number)
                                          : hf_json_print_double(number, size, text)) > 0;
    }
    if (!cJSON_IsArray(value)) return false;
    text[0] = '\0';
    for (const cJSON *entry = value->child; entry != NULL; entry = entry->next) {
        if (!cJSON_IsNumber(entry) || !isfinite(entry->valuedouble) || size - n < 40) return false;
        n += (size_t)hf_json_print_double(entry->valuedouble, size - n, text + n);
        text[n++] = ' ';
        text[n] = '\0';
    }
    return n > 0;
}

static hf_status read_keywords(struct draft *draft, const cJSON *keywords)
{
    const struct hf_options *options = draft->options;
    if (keywords == NULL) return HF_OK;
    if (!cJSON_IsObject(keywords)) return hf_draft_fail(draft, 0, "'keywords' is no object");
    for (const cJSON *member = keywords->child; member != NULL; member = member->next) {
        char text[1100];
        const struct hf_word key = hf_word_of(member->string);
        const struct hf_option *option = hf_option_find(options->table, key);
        const char *nearest = hf_option_nearest(options->table, key);
        if (!is_one_line(member->string))
            return hf_draft_fail(draft, 0, "a keyword has control characters");
        if (option == NULL)
            return hf_draft_fail(draft, 0, "unknown keyword '%.*s'%s%s", HF_WORD(key),
                                 HF_DID_YOU_MEAN(nearest, "; hf --help all lists the keys"));
        if (is_listed(option->key, placed_keys))
            return hf_draft_fail(
                draft, 0, "keyword '%.*s': expected in the molecule, the model or the driver",
                HF_WORD(key));
        HF_CHECK(check_member(draft, keywords, member, "the keywords"));
        if (cJSON_IsNull(member)) continue;
        if (!print_value(member, sizeof text, text))
            return hf_draft_fail(draft, 0,
                                 "keyword '%.*s' has no value that an input of hf could have",
                                 HF_WORD(key));
        HF_CHECK(add_option(draft, option->key, text));
    }
    return HF_OK;
}

/** Reads which results are requested. Orbitals are always written to the JSON file completely; readers of the schema
 *  select what the protocol asks for. */
static hf_status read_protocols(struct draft *draft, const cJSON *protocols)
{
    static const char *const some[] = {"all", "orbitals_and_eigenvalues", "return_results",
                                       "occupations_and_eigenvalues", NULL};
    const char *wavefunction;
    if (protocols == NULL) return HF_OK;
    if (!cJSON_IsObject(protocols)) return hf_draft_fail(draft, 0, "'protocols' is no object");
    HF_CHECK(check_keys(draft, protocols, "the protocols", protocol_keys));
    HF_CHECK(get_string(draft, protocols, "wavefunction", &wavefunction));
    if (wavefunction == NULL || strcmp(wavefunction, "none") == 0) return HF_OK;
    if (!is_listed(wavefunction, some))
        return hf_draft_fail(draft, 0, "unknown protocol '%.60s' of the wavefunction",
                             wavefunction);
    return add_option(draft, "json_orbitals", "yes");
}

static hf_status read_driver(struct draft *draft, const cJSON *root)
{
    const char *driver;
    HF_CHECK(get_string(draft, root, "driver", &driver));
    if (driver == NULL)
        return hf_draft_fail(draft, 0,
                             "there is no 'driver'; expected the task, for example energy");
    return add_option(draft, "task", driver);
}

/** Refuses escapes for NUL (\u0000) in the text, because strings of the parser end there and the rest would be lost.
 *  A backslash escapes the next character, also another backslash. */
static hf_status refuse_nul(const struct draft *draft)
{
    const struct hf_text *text = draft->text;
    for (int i = 0; i < text->n_line; i++)
        for (const char *c = strchr(text->line[i], '\\'); c != NULL && c[1] != '\0';
             c = strchr(c + 2, '\\'))
            if (strncmp(c + 1, "u0000", 5) == 0)
                return hf_draft_fail(draft, i + 1,
                                     "a string has the character NUL (\\u0000); expected text");
    return HF_OK;
}

static hf_status read_root(struct draft *draft, const cJSON *root)
{
    const cJSON *version = hf_json_find(root, "schema_version");
    if (version != NULL && (!cJSON_IsNumber(version) || version->valuedouble != 1.0))
        return hf_draft_fail(draft, 0, "'schema_version' is not 1");
    draft->own_format = true;
    HF_CHECK(refuse_nul(draft));
    HF_CHECK(check_keys(draft, root, "the AtomicInput", input_keys));
    HF_CHECK(read_driver(draft, root));
    HF_CHECK(read_model(draft, hf_json_find(root, "model")));
    HF_CHECK(read_keywords(draft, hf_json_find(root, "keywords")));
    HF_CHECK(read_protocols(draft, hf_json_find(root, "protocols")));
    return read_molecule(draft, hf_json_find(root, "molecule"));
}

bool hf_looks_like_json(const struct hf_text *text)
{
    const int first = hf_text_skip_blank(text, 0);
    if (first == text->n_line) return false;
    const char *line = hf_rest_of_line(text->line[first]).begin;
    if (line[0] != '{') return false;
    const struct hf_word rest = hf_rest_of_line(line + 1); /* a name, the end, or more lines */
    return rest.length == 0 || rest.begin[0] == '"' || rest.begin[0] == '}';
}

/** Whether an object is a result of hf or another program. */
static bool is_result(const cJSON *root)
{
    const cJSON *name = hf_json_find(root, "schema_name");
    return cJSON_IsString(name) && (strcmp(name->valuestring, "qcschema_output") == 0 ||
                                    strcmp(name->valuestring, "qc_schema_output") == 0);
}

/** Reads the molecule of a result, for a new calculation. */
static hf_status read_result(struct draft *draft, const cJSON *root)
{
    draft->own_format = true;
    HF_CHECK(refuse_nul(draft));
    HF_CHECK(read_molecule(draft, hf_json_find(root, "molecule")));
    return hf_input_note(
        draft->input, draft->error,
        "%s: a result: its molecule was read, but not its method, basis set or keywords",
        draft->text->path);
}

/** Whether an object is meant to be an AtomicInput. */
static bool is_atomic_input(const cJSON *root)
{
    const cJSON *name = hf_json_find(root, "schema_name");
    if (cJSON_IsString(name))
        return strcmp(name->valuestring, "qcschema_input") == 0 ||
               strcmp(name->valuestring, "qc_schema_input") == 0;
    return name == NULL && cJSON_HasObjectItem(root, "molecule") &&
           cJSON_HasObjectItem(root, "model");
}

/** Keeps what the sender knows the input by, also of one that is refused. */
static hf_status keep_id(const struct draft *draft, const cJSON *root)
{
    const cJSON *id = hf_json_find(root, "id");
    struct hf_arena *arena = &draft->input->arena;
    if (id == NULL || cJSON_IsNull(id)) return HF_OK;
    char *text = cJSON_PrintUnformatted(id);
    draft->input->id = text != NULL ? hf_copy_string(arena, text) : NULL;
    cJSON_free(text);
    if (draft->input->id != NULL) return HF_OK;
    return hf_fail(draft->error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
}

hf_status hf_read_qcschema(struct draft *draft, bool *is_one)
{
    cJSON *root;
    hf_status status = HF_OK;
    *is_one = true;
    HF_CHECK(hf_json_parse(draft->text, &root, draft->error));
    if (is_result(root) || is_atomic_input(root)) status = keep_id(draft, root);
    if (status != HF_OK)
        *is_one = true;
    else if (is_result(root))
        status = read_result(draft, root);
    else if (is_atomic_input(root))
        status = read_root(draft, root);
    else
        *is_one = false;
    cJSON_Delete(root);
    return status;
}
