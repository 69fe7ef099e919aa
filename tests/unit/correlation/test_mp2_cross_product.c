/* Every way to compute MP2 energies gives those of other programs: algorithm x scheduler x transport x batches. argv[1]:
 * tests/reference/mp2.json; argv[2]: "all" cases, the small ones in all ways; or "some". */
#include "../mpi_test.h"

#include "hf/mp2.h"
#include "hf/scf.h"
#include "localise/frozen_core.h"
#include "onesided/onesided.h"
#include "schedule/schedule.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20, LARGEST_IN_ALL_WAYS = 29 };

/** Hartree; the references carry ten decimals, and their orbitals are converged like ours. */
static const double REFERENCE_TOLERANCE = 1e-8, OWN_TOLERANCE = 1e-10;

static const char *const some_cases[] = {"amino", "hydrogen_chain"};
static const char *path;
static bool all;

/** A calculation that has ended. */
struct system {
    const char *name;
    struct hf_context *context;
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_scf_result scf;
    struct hf_wavefunction wave;
    int n_way;
};

static const char *text_of(const cJSON *one, const char *key)
{
    return cJSON_GetObjectItem(one, key)->valuestring;
}

static double number_of(const cJSON *one, const char *key)
{
    return cJSON_GetObjectItem(one, key)->valuedouble;
}

/** A line of the geometry, as "Gh(H) 0 0 1.4". */
static void read_atom(const char *line, struct hf_atom *atom)
{
    char name[16];
    double *at = atom->position_bohr;
    assert_int_equal(sscanf(line, "%15s %lf %lf %lf", name, &at[0], &at[1], &at[2]), 4);
    atom->ghost = strncmp(name, "Gh(", 3) == 0;
    if (atom->ghost) name[strlen(name) - 1] = '\0';
    atom->atomic_number = hf_element_number(atom->ghost ? name + 3 : name);
}

static void begin(struct system *s, const cJSON *one)
{
    const cJSON *geometry = cJSON_GetObjectItem(one, "geometry_bohr");
    const struct hf_basis_choice choice = {.atom = -1, .name = text_of(one, "basis")};
    struct hf_scf_settings settings = hf_scf_defaults();
    struct hf_error error = {0};
    *s = (struct system){.name = text_of(one, "name"), .context = test_context()};
    s->molecule = (struct hf_molecule){.n_atom = cJSON_GetArraySize(geometry),
                                       .charge = (int)number_of(one, "charge"),
                                       .multiplicity = (int)number_of(one, "multiplicity")};
    s->molecule.atom = calloc((size_t)s->molecule.n_atom, sizeof *s->molecule.atom);
    assert_non_null(s->molecule.atom);
    for (int i = 0; i < s->molecule.n_atom; i++)
        read_atom(cJSON_GetArrayItem(geometry, i)->valuestring, &s->molecule.atom[i]);
    settings.method = strcmp(text_of(one, "method"), "mp2") == 0 ? "rhf" : "uhf";
    settings.energy_tolerance = 1e-10;
    settings.commutator_tolerance = 1e-8;
    settings.wavefunction = HF_WAVEFUNCTION_ALL;
    hf_status status = hf_basis_create(s->context, &s->molecule, 1, &choice,
                                       HF_CONVENTION_AS_DEFINED, &s->basis, &error);
    if (status == HF_OK) hf_basis_set_cores(s->basis, &s->molecule);
    if (status == HF_OK)
        status = hf_scf_run(s->context, &s->molecule, s->basis, &settings, NULL, &s->scf, &s->wave,
                            &error);
    if (status != HF_OK) print_error("%s: %s\n", s->name, error.message);
    assert_ok(status);
    assert_true(s->scf.converged);
}

static void end(struct system *s)
{
    hf_wavefunction_done(&s->wave);
    hf_basis_destroy(&s->basis);
    hf_molecule_done(&s->molecule);
    test_context_done(&s->context);
}

/** Fails with the name of what differs. */
static void compare(const struct system *s, const struct hf_mp2_settings *settings,
                    const struct hf_mp2_result *found, const struct hf_mp2_result *expected,
                    double tolerance)
{
    const double off = fmax(fabs(found->same_spin - expected->same_spin),
                            fabs(found->opposite_spin - expected->opposite_spin));
    if (off <= tolerance && fabs(found->correlation - expected->correlation) <= tolerance) return;
    print_error("%s, %d frozen, %s, %s, %s, %d batches, %d threads: %.12f instead of %.12f\n",
                s->name, settings->n_frozen, settings->algorithm, settings->schedule.name,
                settings->onesided.transport, found->n_batch, settings->n_thread,
                found->correlation, expected->correlation);
    fail();
}

static struct hf_mp2_result energies(struct system *s, const struct hf_mp2_settings *settings)
{
    struct hf_mp2_result result;
    struct hf_error error = {0};
    const hf_status status = hf_mp2_compute(s->context, &s->wave, settings, &result, &error);
    if (status != HF_OK) print_error("%s: %s\n", s->name, error.message);
    assert_ok(status);
    s->n_way++;
    return result;
}

/** One algorithm in all ways, or in one way for each number of batches. */
static void check_algorithm(struct system *s, const struct hf_mp2_algorithm *algorithm, bool every,
                            struct hf_mp2_settings settings, const struct hf_mp2_result *reference,
                            const struct hf_mp2_result *first)
{
    int way = rank_count() + s->n_way;
    settings.algorithm = hf_mp2_algorithm_name(algorithm);
    const bool sends = strcmp(settings.algorithm, "p2") == 0;
    int n_schedule = 0, n_transport = 0;
    while (hf_scheduler_list[n_schedule] != NULL) n_schedule++;
    while (hf_transport_list[n_transport] != NULL) n_transport++;
    for (settings.n_batch = 1; settings.n_batch <= 3; settings.n_batch += 2)
        for (int k = 0; k < (every ? n_schedule : 1); k++)
            for (int t = 0; t < (every && sends ? n_transport : 1); t++, way++) {
                const int schedule = every ? k : way % n_schedule;
                const int transport = every && sends ? t : way % n_transport;
                settings.schedule.name = hf_scheduler_list[schedule]->name;
                settings.onesided.transport = hf_transport_name(hf_transport_list[transport]);
                settings.n_thread = way % 3 == 0 ? 2 : 1;
                const struct hf_mp2_result found = energies(s, &settings);
                compare(s, &settings, &found, reference, REFERENCE_TOLERANCE);
                compare(s, &settings, &found, first, OWN_TOLERANCE);
            }
}

static void check_case(const cJSON *one)
{
    struct system s;
    const cJSON *core;
    begin(&s, one);
    const bool every = all && s.basis->n_function <= LARGEST_IN_ALL_WAYS;
    cJSON_ArrayForEach(core, cJSON_GetObjectItem(one, "mp2"))
    {
        const struct hf_mp2_result reference = {.same_spin = number_of(core, "same_spin"),
                                                .opposite_spin = number_of(core, "opposite_spin"),
                                                .correlation =
                                                    number_of(core, "correlation_energy")};
        struct hf_mp2_settings settings = {.algorithm = "kets",
                                           .schedule = {.name = "static"},
                                           .threshold = 1e-12,
                                           .n_frozen = (int)number_of(core, "frozen_orbitals"),
                                           .memory_bytes = INFINITY};
        if (strcmp(core->string, "frozen_core") == 0)
            assert_int_equal(hf_default_core(&s.molecule), settings.n_frozen);
        const struct hf_mp2_result first = energies(&s, &settings);
        for (int k = 0; hf_mp2_algorithm_list[k] != NULL; k++)
            check_algorithm(&s, hf_mp2_algorithm_list[k], every, settings, &reference, &first);
    }
    if (rank_here() == 0) print_message("%s: %d ways\n", s.name, s.n_way);
    end(&s);
}

static bool is_wanted(const cJSON *one)
{
    if (cJSON_GetObjectItem(one, "point_charges") != NULL) return false;
    for (size_t i = 0; i < sizeof some_cases / sizeof *some_cases; i++)
        if (strcmp(text_of(one, "name"), some_cases[i]) == 0) return true;
    return all;
}

static void every_way_gives_the_energies_of_other_programs(void **state)
{
    FILE *file = fopen(path, "r");
    char *content = calloc(1, MOST_TEXT);
    const cJSON *one;
    int n_case = 0;
    assert_non_null(file);
    assert_non_null(content);
    assert_true(fread(content, 1, MOST_TEXT - 1, file) > 0);
    fclose(file);
    cJSON *root = cJSON_Parse(content);
    free(content);
    assert_non_null(root);
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(root, "cases"))
    {
        if (!is_wanted(one)) continue;
        check_case(one);
        n_case++;
    }
    assert_true(n_case >= (all ? 27 : 2));
    cJSON_Delete(root);
}

int main(int argc, char **argv)
{
    path = argv[1];
    all = strcmp(argv[2], "all") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_gives_the_energies_of_other_programs),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
