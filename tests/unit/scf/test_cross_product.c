/* Every way to build a Fock matrix gives the same energy: builder x scheduler x transport x
 * accumulate strategy. argv[1]: "all"; "small", where iterations are slow (more ranks than cores
 * whose MPI library waits without yielding): all ways with a smaller molecule; "some" of them; or
 * "one" scheduler with the smaller molecule. */
#include "scf_test.h"

static bool all, small, one;

static const struct hf_scheduler_settings schedules[] = {
    {.name = "static"},
    {.name = "manager"},
    {.name = "counter", .counter = HF_COUNTER_FETCH_AND_OP},
    {.name = "steal"},
    {.name = "counter", .counter = HF_COUNTER_ARRAY},
    {.name = "counter", .counter = HF_COUNTER_FETCH_AND_OP, .progress_thread = true},
    {.name = "counter", .counter = HF_COUNTER_ARRAY, .progress_thread = true},
};
enum { N_SCHEDULE = sizeof schedules / sizeof *schedules };

static double energy_with(const struct hf_molecule *molecule, const char *set,
                          const struct hf_scf_settings *settings)
{
    const struct hf_scf_result result = test_converged(molecule, set, settings);
    if (strcmp(settings->fock.builder, "distributed") == 0) {
        assert_string_equal(result.last_build.transport, settings->fock.onesided.transport);
        assert_true(result.last_build.blocks.n_asked > 0);
    } else {
        assert_null(result.last_build.transport);
    }
    return result.energy;
}

static struct hf_scf_settings sharp_settings(void)
{
    struct hf_scf_settings settings = test_settings();
    settings.energy_tolerance = 1e-10;
    settings.commutator_tolerance = 1e-7;
    return settings;
}

/** Fails with the name of what differs. */
static void compare(const struct hf_scf_settings *settings, double energy, double reference)
{
    const struct hf_fock_settings *fock = &settings->fock;
    if (fabs(energy - reference) < 1e-10) return;
    print_error("%s, %s, %s, accumulate %d: %.12f instead of %.12f\n", fock->builder,
                fock->schedule.name,
                fock->onesided.transport != NULL ? fock->onesided.transport : "-",
                (int)fock->onesided.accumulate, energy, reference);
    fail();
}

static void check_molecule(const struct hf_molecule *molecule, const char *set, int n_schedule)
{
    struct hf_scf_settings settings = sharp_settings();
    const double reference = energy_with(molecule, set, &settings);
    for (int s = 0; s < n_schedule; s++) {
        settings.fock.schedule = schedules[s];
        settings.fock.builder = "replicated";
        compare(&settings, energy_with(molecule, set, &settings), reference);
        settings.fock.builder = "distributed";
        for (int t = 0; hf_transport_list[t] != NULL; t++) {
            settings.fock.onesided.transport = hf_transport_name(hf_transport_list[t]);
            for (int caller = 0; caller <= 1; caller++) {
                settings.fock.onesided.accumulate =
                    caller ? HF_ACCUMULATE_CALLER : HF_ACCUMULATE_OWNER;
                if (!all && caller != t % 2) continue;
                compare(&settings, energy_with(molecule, set, &settings), reference);
            }
        }
        settings.fock.onesided = (struct hf_onesided_settings){0};
    }
}

TEST(water)
{
    if (one) skip();
    struct test_molecule water;
    test_water(&water);
    if (!small) check_molecule(&water.molecule, "6-31G*", 1);
    check_molecule(&water.molecule, "STO-3G", small ? 1 : all ? N_SCHEDULE : 4);
}

/** Trihydrogen cation without symmetry. */
TEST(triangle)
{
    struct test_molecule triangle = {.molecule = {.charge = 1, .multiplicity = 1}};
    triangle.molecule.atom = triangle.atom;
    test_add_atom(&triangle, 1, false, 0.0, 0.0, 0.0);
    test_add_atom(&triangle, 1, false, 0.0, 0.0, 1.6);
    test_add_atom(&triangle, 1, false, 0.0, 1.5, 0.7);
    check_molecule(&triangle.molecule, "STO-3G", all ? N_SCHEDULE : one ? 1 : 4);
}

/** More ranks than blocks, or functions. */
TEST(helium)
{
    if (one) skip();
    struct test_molecule helium = {0};
    test_add_atom(&helium, 2, false, 0.0, 0.0, 0.0);
    check_molecule(&helium.molecule, "STO-3G", all ? 4 : 1);
}

/** Grains other than whole atoms. */
TEST(grains)
{
    if (one) skip();
    struct test_molecule water;
    struct hf_scf_settings settings = sharp_settings();
    test_water(&water);
    const double reference = energy_with(&water.molecule, "STO-3G", &settings);
    settings.fock.builder = "distributed";
    settings.fock.onesided.transport = "rma";
    settings.fock.schedule.name = "steal";
    settings.fock.grain = HF_GRAIN_SHELL_PAIR;
    compare(&settings, energy_with(&water.molecule, "STO-3G", &settings), reference);
    settings.fock.grain = HF_GRAIN_SHELL_QUARTET;
    compare(&settings, energy_with(&water.molecule, "STO-3G", &settings), reference);
}

int main(int argc, char **argv)
{
    small = strcmp(argv[1], "small") == 0;
    one = strcmp(argv[1], "one") == 0;
    all = small || strcmp(argv[1], "all") == 0;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
