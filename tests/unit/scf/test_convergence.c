/* When a calculation ends: its energy is converged by then, and no build has only confirmed it. */
#include "scf_test.h"

#include "hf/units.h"

static void dioxygen(struct test_molecule *test)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, 8, false, 0.0, 0.0, 0.0);
    test_add_atom(test, 8, false, 0.0, 0.0, 2.28165532);
    test->molecule.multiplicity = 3;
}

static void ammonia(struct test_molecule *test)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, 7, false, 0.0, 0.0, 0.2);
    test_add_atom(test, 1, false, 0.0, 1.77, -0.5);
    test_add_atom(test, 1, false, 1.53, -0.88, -0.5);
    test_add_atom(test, 1, false, -1.53, -0.88, -0.5);
}

static struct hf_scf_result result_of(const struct test_molecule *test, const char *set,
                                      const struct hf_scf_settings *settings)
{
    struct hf_context *context = test_context();
    struct hf_scf_result result;
    assert_ok(test_run(context, &test->molecule, set, settings, &result, &error));
    assert_true(result.converged);
    test_context_done(&context);
    return result;
}

/** The energy when a calculation may end by the energy alone is within the tolerance of the energy when it
 *  may not; at the end the last change is often larger than that. */
TEST(the_energy_is_right_though_its_change_is_larger)
{
    static const struct {
        void (*make)(struct test_molecule *test);
        const char *method, *set, *converger;
        double level_shift;
    } cases[] = {
        {test_water, "rhf", "6-31G*", "auto", 0.0}, {ammonia, "rhf", "6-31G", "auto", 0.0},
        {test_water, "rhf", "6-31G", "diis", 0.5},  {test_water, "rhf", "STO-3G", "damping", 0.0},
        {test_water, "rhf", "6-31G", "adiis", 0.0}, {dioxygen, "uhf", "6-31G", "auto", 0.0},
        {dioxygen, "rohf", "6-31G", "auto", 0.0},   {test_water, "rhf", "6-31G", "newton", 0.0},
    };
    int n_saved = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_molecule test;
        struct hf_scf_settings settings = test_settings();
        cases[i].make(&test);
        settings.method = cases[i].method;
        settings.converger = cases[i].converger;
        settings.level_shift = cases[i].level_shift;
        settings.energy_tolerance = 2e-7;
        settings.commutator_tolerance = 1.0;
        const struct hf_scf_result loose = result_of(&test, cases[i].set, &settings);
        settings.energy_tolerance = 1e-11;
        settings.commutator_tolerance = 1e-7;
        const struct hf_scf_result tight = result_of(&test, cases[i].set, &settings);
        const double deviation = loose.energy - tight.energy;
        assert_true(deviation > -1e-9 && deviation < 2e-7);
        assert_true(loose.energy_error > deviation);
        n_saved += fabs(loose.energy_change) > 2e-7;
    }
    assert_true(n_saved >= 4);
}

/** Unrestricted orbitals of a triple bond, from mixed ones: the gradient has become small, but a slow mode is left
 *  over, far softer than the gap. */
TEST(a_slow_mode_is_in_the_estimate)
{
    struct test_molecule test = {0};
    struct hf_scf_settings settings = test_settings();
    test_add_atom(&test, 7, false, 0.0, 0.0, 0.0);
    test_add_atom(&test, 7, false, 0.0, 0.0, 1.1 / HF_BOHR_IN_ANGSTROM);
    settings.method = "uhf";
    settings.guess_mix = true;
    const struct hf_scf_result usual = result_of(&test, "6-31G", &settings);
    settings.energy_tolerance = 1e-11;
    settings.commutator_tolerance = 1e-8;
    const struct hf_scf_result tight = result_of(&test, "6-31G", &settings);
    assert_true(usual.energy_error < 1e-8);
    assert_true(usual.energy - tight.energy < usual.energy_error);
}

/** Where energies do not tell how soft the softest rotation is, two energies must agree. */
TEST(without_an_estimate_the_change_decides)
{
    struct test_molecule test;
    for (int i = 0; i < 3; i++) {
        struct hf_scf_settings settings = test_settings();
        test_water(&test);
        if (i == 0) settings.max_overlap = true;
        if (i == 1) settings.smearing = 0.001;
        if (i == 2) { /* hydrogen, the atoms so far apart that the gap vanishes */
            test = (struct test_molecule){0};
            test_add_atom(&test, 1, false, 0.0, 0.0, 0.0);
            test_add_atom(&test, 1, false, 0.0, 0.0, 15.0);
        }
        const struct hf_scf_result result = result_of(&test, "STO-3G", &settings);
        assert_true(isinf(result.energy_error));
        assert_true(fabs(result.energy_change) < settings.energy_tolerance);
    }
}

MPI_TEST_MAIN
