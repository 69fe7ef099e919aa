/* The self-test: computes energies of installed reference cases on the present ranks. */
#include "cli/cli.h"

#include "base/arena.h"
#include "fock/fock.h"
#include "hf/run.h"
#include "onesided/onesided.h"
#include "schedule/schedule.h"
#include "text/data_folders.h"
#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/** Files of reference cases. A quick test uses the small cases of some files. */
static const struct {
    const char *name;
    bool quick;
} files[] = {{"energies", true}, {"ecp", true}, {"open_shells", false}, {"basis_sets", false}};

enum { N_FILE = sizeof files / sizeof *files, MOST_FUNCTIONS_OF_QUICK = 50, MAX_WORD = 8 };

/** Largest accepted difference between an energy and its reference (hartree). It is larger for open shells, because
 *  the last SCF steps change their energies more. */
static const double TOLERANCE = 5e-9, OPEN_SHELL_TOLERANCE = 1e-7;

/** Builder, scheduler and transport of one calculation. */
struct way {
    const char *fock, *schedule, *onesided;
};

/** A case in a file. Texts are borrowed from its JSON. */
struct reference {
    const char *name, *method, *basis;
    int n_atom;
    int *atomic_number;         /**< [n_atom] */
    double (*position_bohr)[3]; /**< [n_atom] */
    int charge, multiplicity;
    double energy;
    struct hf_arena arena; /**< owns the arrays */
};

struct self_test {
    struct hf_context *context;
    bool quick;
    int n_run, n_failed;
    double largest_difference; /**< of energies (hartree) */
};

/** Builder, scheduler and transport of calculation i. Each occurs in the first few calculations, each combination in
 *  the first n_fock n_schedule n_onesided. */
static struct way choose_way(int i)
{
    int n_fock = 0, n_schedule = 0, n_onesided = 0;
    while (hf_fock_list[n_fock] != NULL) n_fock++;
    while (hf_scheduler_list[n_schedule] != NULL) n_schedule++;
    while (hf_transport_list[n_onesided] != NULL) n_onesided++;
    const int fock = i + i / n_schedule, onesided = i / n_fock + i / (n_fock * n_schedule);
    return (struct way){hf_fock_list[fock % n_fock]->name, hf_scheduler_list[i % n_schedule]->name,
                        hf_transport_name(hf_transport_list[onesided % n_onesided])};
}

/** Reads "He 0.0 0.0 1.0"; false: it is not an atom. */
static bool read_atom(const char *line, int *atomic_number, double position_bohr[3])
{
    struct hf_word word;
    char symbol[MAX_WORD];
    if (line == NULL || !hf_next_word(&line, &word)) return false;
    snprintf(symbol, sizeof symbol, "%.*s", word.length, word.begin);
    *atomic_number = hf_element_number(symbol);
    for (int k = 0; k < 3; k++)
        if (!hf_next_word(&line, &word) || hf_word_real(word, &position_bohr[k]) != HF_NUMBER_OK)
            return false;
    return *atomic_number > 0;
}

static bool read_number(const cJSON *object, const char *name, double *value)
{
    const cJSON *member = hf_json_find(object, name);
    if (cJSON_IsNumber(member)) *value = member->valuedouble;
    return cJSON_IsNumber(member);
}

static const char *read_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(hf_json_find(object, name));
}

/** Reads a case. False: it is not a case, or there is no memory. The arena must be released in both cases. */
static bool read_reference(const cJSON *object, struct reference *reference)
{
    const cJSON *lines = hf_json_find(object, "geometry_bohr");
    double charge = 0.0, multiplicity = 1.0;
    *reference = (struct reference){
        .name = read_text(object, "name"),
        .method = read_text(object, "method"),
        .basis = read_text(object, "basis"),
        .n_atom = cJSON_GetArraySize(lines),
    };
    const size_t n_atom = (size_t)reference->n_atom;
    HF_TAKE(&reference->arena, reference->atomic_number, n_atom);
    HF_TAKE(&reference->arena, reference->position_bohr, n_atom);
    bool good = reference->name != NULL && reference->method != NULL && reference->basis != NULL &&
                reference->n_atom > 0 && reference->atomic_number != NULL &&
                reference->position_bohr != NULL && read_number(object, "charge", &charge) &&
                read_number(object, "multiplicity", &multiplicity) &&
                read_number(object, "total_energy", &reference->energy);
    for (int i = 0; good && i < reference->n_atom; i++)
        good = read_atom(cJSON_GetStringValue(cJSON_GetArrayItem(lines, i)),
                         &reference->atomic_number[i], reference->position_bohr[i]);
    reference->charge = (int)charge;
    reference->multiplicity = (int)multiplicity;
    return good;
}

/** Whether a case is used: small enough, one known solution, no field. */
static bool is_taken(const struct self_test *test, const cJSON *object)
{
    double n_function = 0.0;
    if (cJSON_HasObjectItem(object, "other_solutions")) return false;
    if (cJSON_HasObjectItem(object, "electric_field")) return false;
    return !test->quick || (read_number(object, "basis_functions", &n_function) &&
                            n_function <= MOST_FUNCTIONS_OF_QUICK);
}

/** Runs a calculation; missing convergence is also a failure. Collective. */
static hf_status compute(struct self_test *test, const struct reference *reference,
                         const struct way *way, struct hf_run_outcome *outcome,
                         struct hf_error *error)
{
    char charge[16], multiplicity[16];
    snprintf(charge, sizeof charge, "%d", reference->charge);
    snprintf(multiplicity, sizeof multiplicity, "%d", reference->multiplicity);
    const struct hf_run_key key[] = {
        {"method", reference->method},  {"basis", reference->basis}, {"charge", charge},
        {"multiplicity", multiplicity}, {"fock", way->fock},         {"schedule", way->schedule},
        {"onesided", way->onesided}}; /* only distributed matrices use the last key */
    const int n_key = (int)(sizeof key / sizeof *key);
    const struct hf_run_settings settings = {
        .n_atom = reference->n_atom,
        .atomic_number = reference->atomic_number,
        .position_bohr = (const double(*)[3])reference->position_bohr,
        .n_key = hf_fock_is_distributed(way->fock) ? n_key : n_key - 1,
        .key = key,
        .wavefunction = HF_WAVEFUNCTION_ENERGIES,
        .progress = hf_signals_asked,
    };
    const hf_status status = hf_run(test->context->comm, &settings, outcome, error);
    test->context->stuck_in_mpi |= outcome->stuck_in_mpi;
    if (status != HF_OK || outcome->result.converged) return status;
    return hf_fail(error, HF_NOT_CONVERGED, "no convergence after %d iterations",
                   outcome->result.n_iteration);
}

/** Computes a case, compares its energy and prints a line. HF_INTERRUPTED ends the test; other failures are counted.
 *  Collective. */
static hf_status run_case(struct self_test *test, const struct reference *reference,
                          struct hf_error *error)
{
    char what[80], how[60];
    struct hf_run_outcome outcome;
    const struct way way = choose_way(test->n_run);
    const double begin = hf_wall_seconds();
    const double tolerance = reference->multiplicity == 1 ? TOLERANCE : OPEN_SHELL_TOLERANCE;
    const hf_status status = compute(test, reference, &way, &outcome, error);
    if (status == HF_INTERRUPTED) return status;
    const double seconds = hf_wall_seconds() - begin;
    const double difference = outcome.result.energy - reference->energy;
    const bool failed = status != HF_OK || !(fabs(difference) <= tolerance);
    test->n_run++;
    test->n_failed += failed;
    if (status == HF_OK)
        test->largest_difference = fmax(test->largest_difference, fabs(difference));
    if (test->context->rank == 0) {
        snprintf(what, sizeof what, "%s %s/%s", reference->name, reference->method,
                 reference->basis);
        snprintf(how, sizeof how, "%s, %s, %s", way.fock, way.schedule, way.onesided);
        printf("  %-39s %-29s ", what, how);
        if (status == HF_OK)
            printf("%16.10f %16.10f %10.1e %8.2f%s\n", outcome.result.energy, reference->energy,
                   difference, seconds, failed ? "  FAILED" : "");
        else
            printf("FAILED: %s\n", error->message);
        if (status == HF_OK && outcome.record->note[0] != '\0')
            printf("    %s\n", outcome.record->note);
        fflush(stdout);
    }
    hf_run_done(&outcome);
    return HF_OK;
}

/** Finds the path of a file of references; only rank 0 calls it. HF_NO_RESOURCE: there is none. */
static hf_status find_file(const char *name, char path[HF_MAX_PATH], struct hf_error *error)
{
    bool found = false;
    struct hf_data_folders *folders =
        hf_data_folders_find("HF_REFERENCE_PATH", "tests/reference", "reference");
    for (int i = 0; folders != NULL && !found && i < folders->n; i++) {
        const int length = snprintf(path, HF_MAX_PATH, "%s/%s.json", folders->path[i], name);
        found = length < HF_MAX_PATH && access(path, R_OK) == 0;
    }
    free(folders);
    if (found) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "no reference energies were found (%s.json); set HF_REFERENCE_PATH to their "
                   "directory",
                   name);
}

/** Reads the JSON of a file of references; the caller deletes it. Collective. HF_NO_RESOURCE. */
static hf_status read_file(struct hf_context *context, const char *name, cJSON **root,
                           struct hf_error *error)
{
    hf_status status = HF_OK;
    char path[HF_MAX_PATH] = "";
    struct hf_text text = {0};
    if (context->rank == 0) status = find_file(name, path, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_text_read(context, path, &text, error));
    HF_TRY(hf_agree(context->comm, hf_json_parse(&text, root, error), error));
    if (context->rank == 0) printf("  References: %s\n", path);
cleanup:
    hf_text_done(&text);
    return status == HF_BAD_INPUT ? HF_NO_RESOURCE : status; /* it is not the user's file */
}

/** Runs the cases of a file. Collective. */
static hf_status run_file(struct self_test *test, const char *name, struct hf_error *error)
{
    hf_status status = HF_OK;
    cJSON *root = NULL;
    const cJSON *object;
    struct reference reference = {0};
    HF_TRY(read_file(test->context, name, &root, error));
    cJSON_ArrayForEach(object, hf_json_find(root, "cases"))
    {
        if (!is_taken(test, object)) continue;
        if (!read_reference(object, &reference))
            status = hf_fail(error, HF_NO_RESOURCE, "%s.json: a case cannot be read", name);
        HF_TRY(hf_agree(test->context->comm, status, error));
        HF_TRY(run_case(test, &reference, error));
        hf_arena_done(&reference.arena);
    }
cleanup:
    hf_arena_done(&reference.arena);
    cJSON_Delete(root);
    return status;
}

hf_status hf_self_test(struct hf_context *context, bool quick, bool *passed, struct hf_error *error)
{
    struct self_test test = {.context = context, .quick = quick};
    const double begin = hf_wall_seconds();
    if (context->rank == 0)
        printf("hf %s: self-test (%s), ranks: %d. Energies in hartree.\n\n"
               "  %-39s %-29s %16s %16s %10s %8s\n",
               hf_version(), quick ? "quick" : "full", context->n_rank, "Calculation",
               "Builder, scheduler, transport", "Energy", "Reference", "Difference", "Seconds");
    for (int i = 0; i < N_FILE; i++)
        if (!quick || files[i].quick) HF_CHECK(run_file(&test, files[i].name, error));
    *passed = test.n_run > 0 && test.n_failed == 0;
    if (context->rank == 0)
        printf("\nSelf-test %s: %d of %d energies agree with their references; largest difference "
               "%.1e hartree; %.1f s\n",
               *passed ? "passed" : "FAILED", test.n_run - test.n_failed, test.n_run,
               test.largest_difference, hf_wall_seconds() - begin);
    return HF_OK;
}
