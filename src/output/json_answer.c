/* Answers to QCSchema inputs: the document that json.c writes, an AtomicResult of version 1 or a FailedOperation, becomes
 * what the input asked for.
 *
 *     version 1   AtomicResult as it is               OptimizationResult {what the input had, final_molecule,
 *                                                     trajectory, energies}
 *     version 2   AtomicResult {input_data = the      OptimizationResult {input_data, final_molecule,
 *                 whole input, no driver, model ...}  trajectory_results, trajectory_properties, properties}
 *
 * Source   QCElemental, models AtomicResult, OptimizationResult and FailedOperation, versions 1 and 2. */
#include "output/output.h"

#include <string.h>

/** The version of the molecule in results of version 2. */
enum { MOLECULE_VERSION_2 = 3 };

static cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool is_text(const cJSON *item, const char *text)
{
    return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

/** Replaces a member of an object, or adds it. */
static void set(struct hf_json in, const char *key, cJSON *item)
{
    cJSON_DeleteItemFromObjectCaseSensitive(in.at, key);
    (void)hf_json_add(in, key, item);
}

/** Copies members of `from` that it has and that are not null. */
static void copy(struct hf_json to, const cJSON *from, const char *const keys[])
{
    for (int i = 0; keys[i] != NULL; i++) {
        const cJSON *item = get(from, keys[i]);
        if (item != NULL && !cJSON_IsNull(item)) set(to, keys[i], cJSON_Duplicate(item, true));
    }
}

/** Removes the matrices of a wave function that the protocol does not ask for. */
static void filter_wavefunction(cJSON *wavefunction, const cJSON *protocol)
{
    static const char *const all[] = {"orbitals", "occupations"};
    const bool some[] = {is_text(protocol, "occupations_and_eigenvalues"),
                         is_text(protocol, "orbitals_and_eigenvalues")};
    for (int i = 0; i < 2; i++) {
        const char *const unwanted[] = {"density", all[i]};
        for (int k = 0; some[i] && k < 4; k++) {
            char name[32];
            snprintf(name, sizeof name, "scf_%s_%c", unwanted[k / 2], "ab"[k % 2]);
            cJSON_DeleteItemFromObjectCaseSensitive(wavefunction, name);
            cJSON_DeleteItemFromObjectCaseSensitive(wavefunction, name + strlen("scf_"));
        }
    }
}

/** A string with an object in it. */
static cJSON *print_text(const cJSON *object)
{
    char *text = cJSON_PrintUnformatted(object);
    cJSON *made = text != NULL ? cJSON_CreateString(text) : NULL;
    cJSON_free(text);
    return made;
}

/** Follows the protocols of an AtomicInput; the input file is the only native one. */
static void follow_protocols(struct hf_json result, const cJSON *protocols, const cJSON *input)
{
    const cJSON *files = get(protocols, "native_files");
    filter_wavefunction(get(result.at, "wavefunction"), get(protocols, "wavefunction"));
    if (cJSON_IsFalse(get(protocols, "stdout")))
        cJSON_DeleteItemFromObjectCaseSensitive(result.at, "stdout");
    if (is_text(files, "input") || is_text(files, "all"))
        set(hf_json_object(result, "native_files", ""), "input", print_text(input));
}

/** Extras of the input stay with the result: programs recognise their calculations by them. */
static void keep_extras(struct hf_json to, const cJSON *extras)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, extras)
    {
        if (item->string != NULL && get(to.at, item->string) == NULL)
            (void)hf_json_add(to, item->string, cJSON_Duplicate(item, true));
    }
}

/** An AtomicResult of version 1 becomes one of version 2; takes `input`, its AtomicInput, over. */
static void convert_atomic(struct hf_json result, cJSON *input)
{
    static const char *const gone[] = {"driver", "model", "keywords", "protocols", "error", NULL};
    const struct hf_json molecule = {.of = result.of, .at = get(result.at, "molecule")};
    const struct hf_json basis = {.of = result.of,
                                  .at = get(get(result.at, "wavefunction"), "basis")};
    for (int i = 0; gone[i] != NULL; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(result.at, gone[i]);
    set(result, "schema_name", hf_json_text("qcschema_atomic_result"));
    set(result, "schema_version", hf_json_integer(2));
    set(molecule, "schema_version", hf_json_integer(MOLECULE_VERSION_2));
    set(result, "input_data", input);
    if (!cJSON_HasObjectItem(result.at, "native_files"))
        (void)hf_json_object(result, "native_files", "");
    if (basis.at == NULL) return;
    set(basis, "schema_name", hf_json_text("qcschema_basis_set"));
    set(basis, "schema_version", hf_json_integer(2));
}

/** An optimisation while its answer is made. */
struct search {
    const struct hf_request *request;
    const cJSON *input;         /**< the request */
    const cJSON *specification; /**< of the gradients */
    cJSON *last;                /**< AtomicResult of the final structure, version 1 */
    const cJSON *steps;
};

/** The AtomicInput of version 2 for the gradients of an optimisation. */
static cJSON *make_input(struct hf_json_document *document, const struct search *search)
{
    const struct hf_json input = {.of = document, .at = cJSON_CreateObject()};
    HF_ADD(input, "schema_name", "qcschema_atomic_input");
    HF_ADD(input, "schema_version", 2);
    set(input, "molecule", cJSON_Duplicate(get(search->input, "initial_molecule"), true));
    set(input, "specification", cJSON_Duplicate(search->specification, true));
    return input.at;
}

/** Adds the AtomicResult of a step. Steps of a run before a restart have no gradient and are left out. */
static void add_result(struct hf_json list, const struct search *search, const cJSON *step)
{
    static const char *const common[] = {
        "schema_name", "schema_version", "molecule", "driver",     "model",
        "keywords",    "success",        "error",    "provenance", NULL};
    const cJSON *gradient = get(step, "gradient");
    if (gradient == NULL) return;
    struct hf_json item = {.of = list.of, .at = cJSON_CreateObject()};
    copy(item, search->last, common);
    if (step->next != NULL) {
        const struct hf_json molecule = {.of = list.of, .at = get(item.at, "molecule")};
        const struct hf_json properties = hf_json_object(item, "properties", "");
        set(molecule, "geometry", cJSON_Duplicate(get(step, "geometry"), true));
        set(properties, "return_energy", cJSON_Duplicate(get(step, "energy"), true));
        set(item, "return_result", cJSON_Duplicate(gradient, true));
    } else {
        static const char *const rest[] = {"properties", "return_result", "wavefunction", NULL};
        copy(item, search->last, rest);
    }
    if (search->request->version == 2) convert_atomic(item, make_input(list.of, search));
    (void)hf_json_add(list, NULL, item.at);
}

/** Puts the results of the steps that the protocol asks for. */
static void put_trajectory(struct hf_json answer, const struct search *search)
{
    const bool second = search->request->version == 2;
    const cJSON *of = second ? get(search->input, "specification") : search->input;
    const cJSON *protocol = get(get(of, "protocols"), second ? "trajectory_results" : "trajectory");
    const struct hf_json list =
        hf_json_array(answer, second ? "trajectory_results" : "trajectory", NULL, "");
    const bool all = is_text(protocol, "all") || (protocol == NULL && !second);
    const bool final = all || is_text(protocol, "final") || is_text(protocol, "initial_and_final");
    const bool first = all || is_text(protocol, "initial_and_final");
    const cJSON *step = search->steps != NULL ? search->steps->child : NULL;
    for (const cJSON *it = step; it != NULL; it = it->next)
        if (it->next == NULL ? final : it == step ? first : all) add_result(list, search, it);
}

/** Puts energies, or properties, of all steps and of the whole. */
static void put_steps(struct hf_json answer, const struct search *search)
{
    static const char *const forces[] = {"max_force", "rms_force", "max_displacement",
                                         "rms_displacement", NULL};
    static const char *const kept[] = {"nuclear_repulsion_energy", "return_energy", NULL};
    const bool second = search->request->version == 2;
    const cJSON *properties = get(search->last, "properties"), *step;
    const struct hf_json list =
        hf_json_array(answer, second ? "trajectory_properties" : "energies", NULL, "");
    int n = 0;
    cJSON_ArrayForEach(step, search->steps)
    {
        const cJSON *energy = get(step, "energy"), *gradient = get(step, "gradient");
        n++;
        if (!second) {
            (void)hf_json_add(list, NULL, cJSON_Duplicate(energy, true));
        } else if (step->next == NULL) {
            const struct hf_json row = hf_json_add(list, NULL, cJSON_Duplicate(properties, true));
            set(row, "return_gradient", cJSON_Duplicate(get(search->last, "return_result"), true));
        } else {
            const struct hf_json row = hf_json_row(list);
            set(row, "calcinfo_natom", cJSON_Duplicate(get(properties, "calcinfo_natom"), true));
            set(row, "return_energy", cJSON_Duplicate(energy, true));
            if (gradient != NULL) set(row, "return_gradient", cJSON_Duplicate(gradient, true));
        }
    }
    if (!second) return;
    const struct hf_json whole = hf_json_object(answer, "properties", "");
    const cJSON *final = cJSON_GetArrayItem(search->steps, n - 1);
    copy(whole, properties, kept);
    set(whole, "return_gradient", cJSON_Duplicate(get(search->last, "return_result"), true));
    HF_ADD(whole, "optimization_iterations", n);
    for (int i = 0; forces[i] != NULL; i++) {
        char name[32];
        snprintf(name, sizeof name, "final_%s", forces[i]);
        if (get(final, forces[i]) != NULL)
            set(whole, name, cJSON_Duplicate(get(final, forces[i]), true));
    }
}

/** The result of an optimisation, of which `root` is the AtomicResult at its end. */
static void convert_optimisation(struct hf_json root, const struct search *from)
{
    static const char *const first[] = {"initial_molecule", "input_specification", "keywords",
                                        "protocols",        "hash_index",          NULL};
    static const char *const kept[] = {"provenance", "success", "stdout", "extras", NULL};
    const bool second = from->request->version == 2;
    struct search search = *from;
    search.last = cJSON_Duplicate(root.at, true);
    while (root.at->child != NULL)
        cJSON_Delete(cJSON_DetachItemViaPointer(root.at, root.at->child));
    HF_ADD(root, "schema_name",
           second ? "qcschema_optimization_result" : "qcschema_optimization_output");
    HF_ADD(root, "schema_version", search.request->version);
    if (second)
        set(root, "input_data", cJSON_Duplicate(search.input, true));
    else
        copy(root, search.input, first);
    copy(root, search.last, kept);
    search.steps = get(get(get(get(root.at, "extras"), "hf"), "optimisation"), "steps");
    if (!second) HF_ADD(root, "error", (char *)NULL);
    const struct hf_json molecule =
        hf_json_add(root, "final_molecule", cJSON_DetachItemFromObject(search.last, "molecule"));
    if (second) set(molecule, "schema_version", hf_json_integer(MOLECULE_VERSION_2));
    (void)hf_json_add((struct hf_json){.of = root.of, .at = search.last}, "molecule",
                      cJSON_Duplicate(molecule.at, true));
    put_trajectory(root, &search);
    put_steps(root, &search);
    cJSON_Delete(search.last);
}

/** A failure repeats the input where the AtomicInput of version 1 would not be the one that was sent. */
static void convert_failure(struct hf_json root, const struct search *search)
{
    if (search->request->version == 2 || search->request->optimisation)
        set(root, "input_data", cJSON_Duplicate(search->input, true));
    if (search->request->version != 2) return;
    HF_ADD(root, "schema_name", "qcschema_failed_operation");
    HF_ADD(root, "schema_version", 2);
}

/** The AtomicSpecification of a request, or the AtomicInput of version 1. */
static const cJSON *specification_of(const struct hf_request *request)
{
    const cJSON *found = request->all;
    if (request->optimisation && request->version == 1) return get(found, "input_specification");
    for (int i = 0; request->version == 2 && i < (request->optimisation ? 2 : 1); i++)
        found = get(found, "specification");
    return found;
}

bool hf_request_wants_report(const struct hf_request *request)
{
    return request->all == NULL ||
           !cJSON_IsFalse(get(get(specification_of(request), "protocols"), "stdout"));
}

void hf_json_answer(struct hf_json root, const struct hf_request *request)
{
    if (request == NULL || request->all == NULL) return;
    const cJSON *input = request->all;
    const struct search search = {
        .request = request, .input = input, .specification = specification_of(request)};
    const cJSON *protocols = get(search.specification, "protocols"), *id = get(input, "id");
    if (!cJSON_IsTrue(get(root.at, "success"))) {
        convert_failure(root, &search);
    } else {
        follow_protocols(root, protocols, input);
        if (request->version == 1) /* version 2 has input_data */
            keep_extras((struct hf_json){.of = root.of, .at = get(root.at, "extras")},
                        get(input, "extras"));
        if (request->optimisation)
            convert_optimisation(root, &search);
        else if (request->version == 2)
            convert_atomic(root, cJSON_Duplicate(input, true));
        else if (is_text(get(protocols, "native_files"), "input") ||
                 is_text(get(protocols, "native_files"), "all")) /* or readers drop the files */
            set((struct hf_json){.of = root.of, .at = get(root.at, "protocols")}, "native_files",
                cJSON_Duplicate(get(protocols, "native_files"), true));
    }
    if (id != NULL && !cJSON_IsNull(id)) set(root, "id", cJSON_Duplicate(id, true));
}
