/* Local MP2 of molecules against a dense solution by another program, tests/reference/local_mp2.json (the argument). */
#include "../reference.h"
#include "../solved.h"

#include "local/local_mp2.h"

static const char *path;

enum { MOST_ORBITAL = 20 };

static void solve_case(const cJSON *one, struct hf_context *context, struct test_solved *s)
{
    const cJSON *line;
    test_solved_begin(s, context);
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(one, "geometry_bohr"))
    {
        test_solved_add_atom(s, test_read_atom(line->valuestring));
    }
    test_solve(s, cJSON_GetObjectItem(one, "basis")->valuestring);
    assert_true(fabs(s->scf.energy - test_number_of(one, "scf_total_energy")) < 1e-8);
}

/** Domains and populations of the case. */
static struct hf_local_given domains_of(const cJSON *one, int n_atom)
{
    const cJSON *populations = cJSON_GetObjectItem(one, "populations"),
                *domains = cJSON_GetObjectItem(one, "domains"),
                *extended = cJSON_GetObjectItem(one, "extended_domains"),
                *outer = cJSON_GetObjectItem(one, "correction_domains"), *item;
    struct hf_local_given given = {
        .n_orbital = cJSON_GetArraySize(populations), .n_atom = n_atom, .has_outer = true};
    const size_t n = (size_t)n_atom;
    given.population = calloc((size_t)given.n_orbital * n, sizeof *given.population);
    given.member = calloc((size_t)given.n_orbital * n, sizeof *given.member);
    given.extended = calloc((size_t)given.n_orbital * n, sizeof *given.extended);
    given.outer = calloc((size_t)given.n_orbital * n, sizeof *given.outer);
    for (int i = 0; i < given.n_orbital; i++) {
        int a = 0;
        cJSON_ArrayForEach(item, cJSON_GetArrayItem(populations, i))
            given.population[(size_t)i * n + (size_t)a++] = item->valuedouble;
        assert_int_equal(a, n_atom);
        cJSON_ArrayForEach(item, cJSON_GetArrayItem(domains, i))
            given.member[(size_t)i * n + (size_t)item->valueint] = true;
        cJSON_ArrayForEach(item, cJSON_GetArrayItem(extended, i))
            given.extended[(size_t)i * n + (size_t)item->valueint] = true;
        cJSON_ArrayForEach(item, cJSON_GetArrayItem(outer, i))
            given.outer[(size_t)i * n + (size_t)item->valueint] = true;
    }
    return given;
}

static struct hf_local_settings settings_of(const cJSON *one, const struct hf_local_given *given)
{
    const cJSON *distant = cJSON_GetObjectItem(one, "distant_bohr");
    const bool boys = strcmp(cJSON_GetObjectItem(one, "localise")->valuestring, "boys") == 0;
    struct hf_local_settings settings = hf_local_default_settings();
    settings.localise = boys ? HF_LOCALISE_BOYS : HF_LOCALISE_PM;
    settings.n_frozen = (int)test_number_of(one, "frozen_orbitals");
    settings.domains = HF_DOMAINS_GIVEN;
    settings.given = given;
    settings.strong_bohr = 0.0; /* those that share an atom */
    settings.distant_bohr = cJSON_IsNumber(distant) ? distant->valuedouble : INFINITY;
    settings.threshold = 1e-12;
    settings.sparse = 0.0;
    settings.energy_tolerance = 1e-10;
    settings.amplitude_tolerance = 1e-7;
    settings.n_thread = 2;
    settings.onesided.transport = "rma";
    return settings;
}

/** Strong and weak pairs, distant ones; amplitudes replicated in every second case, otherwise distributed. */
TEST(energies_are_those_of_the_dense_solution)
{
    static const char *const names[HF_N_LOCAL_CLASS] = {
        [HF_LOCAL_STRONG] = "strong", [HF_LOCAL_WEAK] = "weak", [HF_LOCAL_DISTANT] = "distant"};
    cJSON *root = test_read_json(path);
    const cJSON *one;
    int n_case = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(root, "cases"))
    {
        TEST_CONTEXT(context);
        struct test_solved s;
        struct hf_local_result result;
        solve_case(one, context, &s);
        struct hf_local_given given = domains_of(one, s.molecule.n_atom);
        struct hf_local_settings settings = settings_of(one, &given);
        settings.replicated = n_case++ % 2 == 0;
        assert_ok(hf_local_mp2_compute(context, &s.wave, &settings, &result, &error));
        assert_true(result.converged);
        const cJSON *correction = cJSON_GetObjectItem(one, "correction");
        const double same_left = result.same_correction - test_number_of(correction, "same_spin"),
                     opposite_left =
                         result.opposite_correction - test_number_of(correction, "opposite_spin");
        if (context->rank == 0)
            print_message("%s: correction %.2e, off by %.1e and %.1e\n",
                          cJSON_GetObjectItem(one, "name")->valuestring,
                          result.same_correction + result.opposite_correction, same_left,
                          opposite_left);
        assert_true(result.opposite_correction < -1e-7);
        assert_true(fabs(same_left) < 1e-8 && fabs(opposite_left) < 1e-8);
        assert_true(fabs(result.correlation - result.same_correction - result.opposite_correction -
                         test_number_of(one, "correlation_energy")) < 1e-8);
        for (int kind = 0; kind < HF_N_LOCAL_CLASS; kind++) {
            const cJSON *expected =
                cJSON_GetObjectItem(cJSON_GetObjectItem(one, "classes"), names[kind]);
            const double same = result.of_class[kind].same_spin -
                                test_number_of(expected, "same_spin"),
                         opposite = result.of_class[kind].opposite_spin -
                                    test_number_of(expected, "opposite_spin");
            if (context->rank == 0)
                print_message("%s, %s: %d pairs, off by %.1e and %.1e\n",
                              cJSON_GetObjectItem(one, "name")->valuestring, names[kind],
                              (int)result.of_class[kind].n_pair, same, opposite);
            assert_int_equal(result.of_class[kind].n_pair, (int)test_number_of(expected, "pairs"));
            assert_true(fabs(same) < 1e-8 && fabs(opposite) < 1e-8);
        }
        hf_local_result_done(&result);
        free(given.population);
        free(given.member);
        free(given.extended);
        free(given.outer);
        test_solved_end(&s);
    }
    assert_true(n_case >= 6);
    cJSON_Delete(root);
}

int main(int argc, char **argv)
{
    path = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
