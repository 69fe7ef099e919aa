/* QCSchema inputs, versions 1 and 2: a molecule, a model, and keywords that are hf's keys.
 *
 *     version 1   AtomicInput {molecule, driver, model, keywords, protocols, extras}
 *                 OptimizationInput {initial_molecule, keywords, protocols, input_specification {model, keywords}}
 *     version 2   AtomicInput {molecule, specification {program, driver, model, keywords, protocols, extras}}
 *                 OptimizationInput {initial_molecule, specification {program, keywords, protocols, specification}},
 *                 where the inner specification is that of an AtomicInput
 *
 * Everything in the file that would change the results is used or refused. Entries for other programs (identifiers,
 * provenance) are ignored. Fragments have an effect only if an option asks for their interaction.
 * Source   https://molssi-qc-schema.readthedocs.io; QCElemental, models AtomicInput, OptimizationInput and Molecule,
 *          versions 1 and 2. */
#include "qcschema.h"

#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Keys of the objects, those that are used first; NULL at the end. */
static const char *const input_keys[] = {"schema_name", "schema_version", "molecule",  "driver",
                                         "model",       "keywords",       "protocols", "extras",
                                         "id",          "provenance",     NULL};
static const char *const input_2_keys[] = {
    "schema_name", "schema_version", "molecule", "specification", "id", "provenance", NULL};
static const char *const optimization_keys[] = {"schema_name",
                                                "schema_version",
                                                "initial_molecule",
                                                "input_specification",
                                                "keywords",
                                                "protocols",
                                                "extras",
                                                "id",
                                                "hash_index",
                                                "provenance",
                                                NULL};
static const char *const optimization_2_keys[] = {
    "schema_name", "schema_version", "initial_molecule", "specification", "id", "provenance", NULL};
static const char *const optimization_specification_keys[] = {
    "schema_name", "specification", "program", "keywords", "protocols", "extras", NULL};
static const char *const model_keys[] = {"method", "basis", "schema_name", NULL};
static const char *const protocol_keys[] = {"wavefunction",     "stdout",      "native_files",
                                            "error_correction", "schema_name", NULL};
static const char *const trajectory_keys[] = {"trajectory", "trajectory_results", "schema_name",
                                              NULL};
/** Keys of hf that have their own places in the schema. */
static const char *const placed_keys[] = {"task",  "method", "basis",  "charge", "multiplicity",
                                          "units", "title",  "record", NULL};

/** A kind of input. */
struct form {
    const char *name;        /**< schema_name */
    int version;             /**< schema_version */
    const char *molecule;    /**< key of the molecule */
    const char *rest;        /**< another key that the input has and other kinds lack */
    const char *const *keys; /**< of the input */
    bool optimisation;
};
static const struct form forms[] = {
    {"qcschema_input", 1, "molecule", "model", input_keys, false},
    {"qcschema_atomic_input", 2, "molecule", "specification", input_2_keys, false},
    {"qcschema_optimization_input", 1, "initial_molecule", "input_specification", optimization_keys,
     true},
    {"qcschema_optimization_input", 2, "initial_molecule", "specification", optimization_2_keys,
     true},
};
enum { N_FORM = sizeof forms / sizeof *forms };

/** Checks the schema_name of an object that has one. */
static hf_status check_schema_name(const struct draft *draft, const cJSON *object,
                                   const char *expected)
{
    const char *name;
    HF_CHECK(hf_qcschema_get_string(draft, object, "schema_name", &name));
    if (name == NULL || strcmp(name, expected) == 0) return HF_OK;
    return hf_draft_fail(draft, 0, "'schema_name' is '%.60s'; expected %s", name, expected);
}

static hf_status read_model(struct draft *draft, const cJSON *model)
{
    const char *method, *basis = NULL;
    if (!cJSON_IsObject(model))
        return hf_draft_fail(draft, 0, "there is no 'model' with method and basis");
    HF_CHECK(hf_qcschema_check_keys(draft, model, "the model", model_keys));
    HF_CHECK(hf_qcschema_get_string(draft, model, "method", &method));
    if (cJSON_IsObject(hf_json_find(model, "basis")))
        HF_CHECK(hf_read_basis_set(draft, hf_json_find(model, "basis")));
    else
        HF_CHECK(hf_qcschema_get_string(draft, model, "basis", &basis));
    if (method != NULL) HF_CHECK(hf_qcschema_add_option(draft, "method", method));
    if (basis != NULL) HF_CHECK(hf_qcschema_add_option(draft, "basis", basis));
    return HF_OK;
}

/** Writes the value of a keyword as in an input of hf; false: impossible. */
static bool print_value(const cJSON *value, size_t size, char text[])
{
    size_t n = 0;
    if (cJSON_IsBool(value)) return snprintf(text, size, cJSON_IsTrue(value) ? "yes" : "no") > 0;
    if (cJSON_IsString(value))
        return hf_qcschema_is_one_line(value->valuestring) &&
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

/** `known`: a keyword that was read elsewhere, or NULL. */
static hf_status read_keywords(struct draft *draft, const cJSON *keywords, const char *known)
{
    const struct hf_options *options = draft->options;
    if (keywords == NULL) return HF_OK;
    if (!cJSON_IsObject(keywords)) return hf_draft_fail(draft, 0, "'keywords' is no object");
    for (const cJSON *member = keywords->child; member != NULL; member = member->next) {
        char text[1100];
        const struct hf_word key = hf_word_of(member->string);
        const struct hf_option *option = hf_option_find(options->table, key);
        const char *nearest = hf_option_nearest(options->table, key);
        if (known != NULL && strcmp(member->string, known) == 0) continue;
        if (!hf_qcschema_is_one_line(member->string))
            return hf_draft_fail(draft, 0, "a keyword has control characters");
        if (option == NULL)
            return hf_draft_fail(draft, 0, "unknown keyword '%.*s'%s%s", HF_WORD(key),
                                 HF_DID_YOU_MEAN(nearest, "; hf --help all lists the keys"));
        if (hf_qcschema_is_listed(option->key, placed_keys))
            return hf_draft_fail(
                draft, 0, "keyword '%.*s': expected in the molecule, the model or the driver",
                HF_WORD(key));
        HF_CHECK(hf_qcschema_check_member(draft, keywords, member, "the keywords"));
        if (cJSON_IsNull(member)) continue;
        if (!print_value(member, sizeof text, text))
            return hf_draft_fail(draft, 0,
                                 "keyword '%.*s' has no value that an input of hf could have",
                                 HF_WORD(key));
        HF_CHECK(hf_qcschema_add_option(draft, option->key, text));
    }
    return HF_OK;
}

/** Checks that a member, if there is one, is one of some words. */
static hf_status check_choice(const struct draft *draft, const cJSON *object, const char *key,
                              const char *const choices[], const char *expected)
{
    const char *value;
    HF_CHECK(hf_qcschema_get_string(draft, object, key, &value));
    if (value == NULL || hf_qcschema_is_listed(value, choices)) return HF_OK;
    return hf_draft_fail(draft, 0, "unknown protocol '%.60s' of '%s'; expected %s", value, key,
                         expected);
}

/** Reads which results are requested. The answer leaves out the others (output/json_answer.c). */
static hf_status read_protocols(struct draft *draft, const cJSON *protocols)
{
    static const char *const some[] = {
        "none", "all", "orbitals_and_eigenvalues", "return_results", "occupations_and_eigenvalues",
        NULL};
    static const char *const files[] = {"none", "input", "all", NULL};
    const char *wavefunction;
    if (protocols == NULL) return HF_OK;
    if (!cJSON_IsObject(protocols)) return hf_draft_fail(draft, 0, "'protocols' is no object");
    HF_CHECK(hf_qcschema_check_keys(draft, protocols, "the protocols", protocol_keys));
    HF_CHECK(check_choice(draft, protocols, "native_files", files, "none, input or all"));
    HF_CHECK(check_choice(draft, protocols, "wavefunction", some,
                          "none, all, return_results, orbitals_and_eigenvalues or "
                          "occupations_and_eigenvalues"));
    const cJSON *report = hf_json_find(protocols, "stdout");
    if (report != NULL && !cJSON_IsBool(report))
        return hf_draft_fail(draft, 0, "'stdout' of the protocols is not true or false");
    HF_CHECK(hf_qcschema_get_string(draft, protocols, "wavefunction", &wavefunction));
    if (wavefunction == NULL || strcmp(wavefunction, "none") == 0) return HF_OK;
    return hf_qcschema_add_option(draft, "json_orbitals", "yes");
}

/** Reads the point charges of the extras, in the form of Psi4's external_potentials: rows [q, x, y, z] or
 *  [q, [x, y, z]], e and bohr. */
static hf_status read_charges(struct draft *draft, const cJSON *extras)
{
    const cJSON *list = hf_json_find(extras, "external_potentials"), *row;
    if (list == NULL || cJSON_IsNull(list)) return HF_OK;
    const int line = hf_qcschema_find_line(draft->text, "\"external_potentials\"");
    draft->charges_line = line > 0 ? line : 1;
    for (row = cJSON_IsArray(list) ? list->child : list; row != NULL; row = row->next) {
        const cJSON *entry = row != list && cJSON_IsArray(row) ? row->child : NULL;
        struct draft_charge charge = {.line = line};
        double *const value[] = {&charge.charge, &charge.position[0], &charge.position[1],
                                 &charge.position[2]};
        int n = 0;
        for (; entry != NULL && n < 4; entry = entry->next) {
            if (n == 1 && cJSON_IsArray(entry) && entry->next == NULL) entry = entry->child;
            if (!cJSON_IsNumber(entry) || !isfinite(entry->valuedouble)) break;
            *value[n++] = entry->valuedouble;
        }
        if (n != 4 || entry != NULL)
            return hf_draft_fail(
                draft, line, "'external_potentials' is not a list of point charges [q, x, y, z]");
        HF_CHECK(hf_draft_add_charge(draft, &charge));
    }
    return HF_OK;
}

/** The task; in an optimisation it is that of each step. */
static hf_status read_driver(struct draft *draft, const cJSON *object)
{
    const char *driver;
    HF_CHECK(hf_qcschema_get_string(draft, object, "driver", &driver));
    if (draft->input->request.optimisation) {
        if (driver == NULL || strcmp(driver, "gradient") == 0)
            return hf_qcschema_add_option(draft, "task", "optimise");
        return hf_draft_fail(draft, 0, "driver '%.60s' of an optimisation; expected gradient",
                             driver);
    }
    if (driver == NULL)
        return hf_draft_fail(draft, 0,
                             "there is no 'driver'; expected the task, for example energy");
    return hf_qcschema_add_option(draft, "task", driver);
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

/** A specification for another program has other keywords. */
static hf_status check_program(const struct draft *draft, const cJSON *object)
{
    const char *program;
    HF_CHECK(hf_qcschema_get_string(draft, object, "program", &program));
    if (program == NULL || program[0] == '\0' || hf_word_is(hf_word_of(program), "hf"))
        return HF_OK;
    return hf_draft_fail(draft, 0, "'program' is '%.60s'; expected hf", program);
}

/** Reads an AtomicInput of version 1, or the specification of one. */
static hf_status read_specification(struct draft *draft, const cJSON *object)
{
    HF_CHECK(check_program(draft, object));
    HF_CHECK(read_driver(draft, object));
    HF_CHECK(read_model(draft, hf_json_find(object, "model")));
    HF_CHECK(read_keywords(draft, hf_json_find(object, "keywords"), NULL));
    HF_CHECK(read_protocols(draft, hf_json_find(object, "protocols")));
    return read_charges(draft, hf_json_find(object, "extras"));
}

/** Reads the member `key`, a specification with a schema_name. */
static hf_status read_inner(struct draft *draft, const cJSON *object, const char *key,
                            const char *schema_name)
{
    const cJSON *inner = hf_json_find(object, key);
    if (!cJSON_IsObject(inner))
        return hf_draft_fail(draft, 0, "there is no '%s' with driver, model and keywords", key);
    HF_CHECK(
        hf_qcschema_check_keys(draft, inner, "the specification", hf_qcschema_specification_keys));
    HF_CHECK(check_schema_name(draft, inner, schema_name));
    return read_specification(draft, inner);
}

/** Reads what an optimisation has beside the specification of its gradients. */
static hf_status read_search(struct draft *draft, const cJSON *object, int version)
{
    static const char *const some[] = {"all", "initial_and_final", "final", "none", NULL};
    const cJSON *keywords = hf_json_find(object, "keywords");
    const cJSON *protocols = hf_json_find(object, "protocols");
    HF_CHECK(check_program(draft, version == 1 ? keywords : object));
    HF_CHECK(read_keywords(draft, keywords, version == 1 ? "program" : NULL));
    if (protocols == NULL) return HF_OK;
    if (!cJSON_IsObject(protocols)) return hf_draft_fail(draft, 0, "'protocols' is no object");
    HF_CHECK(hf_qcschema_check_keys(draft, protocols, "the protocols", trajectory_keys));
    return check_choice(draft, protocols, version == 1 ? "trajectory" : "trajectory_results", some,
                        "all, initial_and_final, final or none");
}

static hf_status read_root(struct draft *draft, const cJSON *root, const struct form *form)
{
    const char *what = form->optimisation ? "the OptimizationInput" : "the AtomicInput";
    const cJSON *outer = root;
    draft->own_format = true;
    HF_CHECK(refuse_nul(draft));
    HF_CHECK(hf_qcschema_check_keys(draft, root, what, form->keys));
    if (form->optimisation && form->version == 2) {
        outer = hf_json_find(root, "specification");
        if (!cJSON_IsObject(outer)) return hf_draft_fail(draft, 0, "there is no 'specification'");
        HF_CHECK(hf_qcschema_check_keys(draft, outer, "the specification of the optimisation",
                                        optimization_specification_keys));
        HF_CHECK(check_schema_name(draft, outer, "qcschema_optimization_specification"));
    }
    if (form->optimisation) HF_CHECK(read_search(draft, outer, form->version));
    HF_CHECK(hf_qcschema_read_molecule(draft, hf_json_find(root, form->molecule)));
    if (form->version == 2)
        return read_inner(draft, outer, "specification", "qcschema_atomic_specification");
    if (form->optimisation) return read_inner(draft, root, form->rest, "qcschema_input");
    return read_specification(draft, root);
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

/** The molecule of a result of hf or another program; NULL: the object is none. */
static const cJSON *molecule_of_result(const cJSON *root)
{
    static const char *const atomic[] = {"qcschema_output", "qc_schema_output",
                                         "qcschema_atomic_result", NULL};
    static const char *const optimised[] = {"qcschema_optimization_output",
                                            "qcschema_optimization_result", NULL};
    const cJSON *name = hf_json_find(root, "schema_name");
    if (!cJSON_IsString(name)) return NULL;
    if (hf_qcschema_is_listed(name->valuestring, optimised))
        return hf_json_find(root, "final_molecule");
    return hf_qcschema_is_listed(name->valuestring, atomic) ? hf_json_find(root, "molecule") : NULL;
}

/** Reads the molecule of a result, for a new calculation. */
static hf_status read_result(struct draft *draft, const cJSON *molecule)
{
    draft->own_format = true;
    HF_CHECK(refuse_nul(draft));
    HF_CHECK(hf_qcschema_read_molecule(draft, molecule));
    return hf_input_note(
        draft->input, draft->error,
        "%s: a result: its molecule was read, but not its method, basis set or keywords",
        draft->text->path);
}

/** The kind of an input; NULL: it is none. An input without a name is known by its keys; of two kinds with one name
 *  the version counts, and if there is none the keys. */
static const struct form *find_form(const cJSON *root)
{
    const cJSON *name = hf_json_find(root, "schema_name");
    const cJSON *version = hf_json_find(root, "schema_version");
    const struct form *found = NULL;
    for (int i = 0; i < N_FORM; i++) {
        const struct form *form = &forms[i];
        const bool has_keys =
            cJSON_HasObjectItem(root, form->molecule) && cJSON_HasObjectItem(root, form->rest);
        if (name == NULL && has_keys) return form;
        if (!cJSON_IsString(name)) continue;
        const char *text = name->valuestring;
        if (strcmp(text, "qc_schema_input") == 0) text = forms[0].name;
        if (strcmp(text, form->name) != 0) continue;
        const bool same =
            cJSON_IsNumber(version) ? version->valuedouble == form->version : has_keys;
        if (found == NULL || same) found = form;
    }
    return found;
}

static hf_status check_version(const struct draft *draft, const cJSON *root,
                               const struct form *form)
{
    const cJSON *version = hf_json_find(root, "schema_version");
    if (version == NULL || (cJSON_IsNumber(version) && version->valuedouble == form->version))
        return HF_OK;
    return hf_draft_fail(draft, 0,
                         "'schema_version' is not %d, that of %s; expected version 1 "
                         "(qcschema_input) or 2 (qcschema_atomic_input), or an optimisation",
                         form->version, form->name);
}

/** Keeps what the answer repeats, also of an input that is refused. */
static hf_status keep_request(const struct draft *draft, const cJSON *root, const struct form *form)
{
    struct hf_request *request = &draft->input->request;
    const cJSON *version = hf_json_find(root, "schema_version");
    const bool second = cJSON_IsNumber(version) && version->valuedouble == 2.0;
    request->version = second ? 2 : form->version;
    request->optimisation = form->optimisation;
    request->all = hf_json_copy_exactly(root);
    if (request->all != NULL) return HF_OK;
    return hf_fail(draft->error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
}

hf_status hf_read_qcschema(struct draft *draft, bool *is_one)
{
    cJSON *root;
    hf_status status;
    HF_CHECK(hf_json_parse(draft->text, &root, draft->error));
    const cJSON *molecule = molecule_of_result(root);
    const struct form *form = find_form(root);
    *is_one = molecule != NULL || form != NULL;
    status = form != NULL ? keep_request(draft, root, form) : HF_OK;
    if (molecule != NULL) status = read_result(draft, molecule);
    if (status == HF_OK && form != NULL) status = check_version(draft, root, form);
    if (status == HF_OK && form != NULL) status = read_root(draft, root, form);
    cJSON_Delete(root);
    return status;
}
