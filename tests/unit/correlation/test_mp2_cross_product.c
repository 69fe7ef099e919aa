/* Every way to compute MP2 energies gives those of other programs: algorithm x scheduler x transport x batches. argv[1]:
 * tests/reference/mp2.json; argv[2]: "all" cases, the small ones in all ways; or "some". */
#include "../reference.h"
#include "../solved.h"

#include "hf/mp2.h"
#include "localise/frozen_core.h"
#include "onesided/onesided.h"
#include "schedule/schedule.h"

enum { LARGEST_IN_ALL_WAYS = 29 };

/** Hartree; the references carry ten decimals, and their orbitals are converged like ours. */
static const double REFERENCE_TOLERANCE = 1e-8, OWN_TOLERANCE = 1e-10;

static const char *const some_cases[] = {"amino", "hydrogen_chain"};
static const char *path;
static bool all;

/** A case whose SCF has ended. */
struct system {
    const char *name;
    struct test_solved solved;
    int n_way;
};

static void begin(struct system *s, const cJSON *one)
{
    const cJSON *line;
    *s = (struct system){.name = test_text_of(one, "name")};
    test_solved_begin(&s->solved, test_context());
    s->solved.molecule.charge = (int)test_number_of(one, "charge");
    s->solved.molecule.multiplicity = (int)test_number_of(one, "multiplicity");
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(one, "geometry_bohr"))
        test_solved_add_atom(&s->solved, test_read_atom(line->valuestring));
    test_solve_by(&s->solved, strcmp(test_text_of(one, "method"), "mp2") == 0 ? "rhf" : "uhf",
                  test_text_of(one, "basis"));
}

static void end(struct system *s)
{
    test_solved_end(&s->solved);
    test_context_done(&s->solved.context);
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
    error = (struct hf_error){0};
    const hf_status status =
        hf_mp2_compute(s->solved.context, &s->solved.wave, settings, &result, &error);
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
    const bool every = all && s.solved.basis->n_function <= LARGEST_IN_ALL_WAYS;
    cJSON_ArrayForEach(core, cJSON_GetObjectItem(one, "mp2"))
    {
        const struct hf_mp2_result reference = {
            .same_spin = test_number_of(core, "same_spin"),
            .opposite_spin = test_number_of(core, "opposite_spin"),
            .correlation = test_number_of(core, "correlation_energy")};
        struct hf_mp2_settings settings = {.algorithm = "kets",
                                           .schedule = {.name = "static"},
                                           .threshold = 1e-12,
                                           .n_frozen = (int)test_number_of(core, "frozen_orbitals"),
                                           .memory_bytes = INFINITY};
        if (strcmp(core->string, "frozen_core") == 0)
            assert_int_equal(hf_default_core(&s.solved.molecule), settings.n_frozen);
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
        if (strcmp(test_text_of(one, "name"), some_cases[i]) == 0) return true;
    return all;
}

TEST(every_way_gives_the_energies_of_other_programs)
{
    cJSON *root = test_read_json(path);
    const cJSON *one;
    int n_case = 0;
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
    HF_RUN_MPI_TESTS(argc, argv, false);
}
