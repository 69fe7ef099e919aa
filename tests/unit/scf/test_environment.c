/* Energies in a field and among point charges; argv[1] names the Fock builder. */
#include "scf_test.h"

static const char *builder = "replicated";
static const char *const SET = "6-31G";

/** Converged far beyond the defaults. */
static struct hf_scf_settings tight(void)
{
    struct hf_scf_settings settings = test_settings();
    settings.fock.builder = builder;
    settings.fock.onesided.transport = "thread";
    settings.energy_tolerance = 1e-12;
    settings.commutator_tolerance = 1e-9;
    settings.screening_threshold = 1e-14;
    return settings;
}

static struct hf_scf_result run(const struct hf_molecule *molecule)
{
    struct hf_context *context = test_context();
    const struct hf_scf_settings settings = tight();
    struct hf_scf_result result;
    assert_ok(test_run(context, molecule, SET, &settings, &result, &error));
    assert_true(result.converged);
    test_context_done(&context);
    return result;
}

/** Water that no axis and no plane of the coordinates fits. */
static void skew_water(struct test_molecule *test)
{
    test_water(test);
    for (int a = 0; a < test->molecule.n_atom; a++) {
        double *r = test->atom[a].position_bohr;
        const double old[3] = {r[0], r[1], r[2]};
        r[0] = 0.6 * old[0] + 0.8 * old[1] + 0.3;
        r[1] = 0.6 * (-0.8 * old[0] + 0.6 * old[1]) + 0.8 * old[2] - 0.2;
        r[2] = -0.8 * (-0.8 * old[0] + 0.6 * old[1]) + 0.6 * old[2] + 0.1;
    }
}

/** (8 (E(h) - E(-h)) - E(2h) + E(-2h)) / 12 h: errors of h^4 and of the energies over h. */
TEST(the_energy_falls_with_the_field_by_the_dipole_moment)
{
    enum { N_DIRECTION = 3 };
    static const double direction[N_DIRECTION][3] = {
        {0.0, 0.0, 1.0}, {2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0}, {-0.6, 0.8, 0.0}};
    static const double base[3] = {0.004, -0.003, 0.002}, h = 2e-3;
    struct hf_point_charge charge = {-0.5, {4.0, -3.0, 2.0}};
    struct test_molecule test;
    skew_water(&test);
    struct hf_environment *environment = &test.molecule.environment;
    for (int charges = 0; charges <= 1; charges++) {
        *environment = (struct hf_environment){.n_charge = charges, .charge = &charge};
        memcpy(environment->field, base, sizeof base);
        const struct hf_scf_result here = run(&test.molecule);
        for (int k = 0; k < (charges ? 1 : N_DIRECTION); k++) {
            static const double step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8, -8, -1, 1};
            double slope = 0.0, moment = 0.0;
            for (int i = 0; i < 4; i++) {
                for (int x = 0; x < 3; x++)
                    environment->field[x] = base[x] + step[i] * h * direction[k][x];
                slope += weight[i] * run(&test.molecule).energy / (12.0 * h);
            }
            for (int x = 0; x < 3; x++) moment += here.dipole[x] * direction[k][x];
            assert_true(fabs(moment) > 0.05);
            assert_true(fabs(slope + moment) < 2e-8);
        }
        *environment = (struct hf_environment){0};
    }
}

TEST(parts_add_up_to_the_total)
{
    struct hf_point_charge charge[] = {{-0.5, {4.0, -3.0, 2.0}}, {0.3, {-5.0, 1.0, 1.0}}};
    struct test_molecule test;
    skew_water(&test);
    const struct hf_scf_result alone = run(&test.molecule);
    test.molecule.environment =
        (struct hf_environment){.n_charge = 2, .charge = charge, .field = {0.0, 0.01, 0.0}};
    const struct hf_scf_result result = run(&test.molecule);
    test.molecule.environment = (struct hf_environment){0};
    double electrons = 0.0, nuclei = 0.0;
    assert_int_equal(result.n_term, 4);
    for (int i = 0; i < result.n_term; i++) {
        electrons += result.term[i].electrons;
        nuclei += result.term[i].nuclei;
    }
    assert_true(fabs(electrons - result.one_electron) < 1e-10);
    assert_true(fabs(nuclei - result.nuclear) < 1e-12);
    assert_true(fabs(nuclei + electrons + result.two_electron - result.energy) < 1e-10);
    assert_true(result.nuclear_repulsion == alone.nuclear_repulsion);
    assert_true(fabs(result.energy - alone.energy) > 1e-3);
}

/** A neutral molecule does not feel where in a uniform field it is, nor where all of space is. */
TEST(moving_everything_changes_nothing)
{
    static const double shift[3] = {3.7, -11.3, 0.6};
    struct hf_point_charge charge = {-0.5, {4.0, -3.0, 2.0}};
    struct test_molecule test;
    skew_water(&test);
    test.molecule.environment =
        (struct hf_environment){.n_charge = 1, .charge = &charge, .field = {0.004, -0.003, 0.002}};
    const double here = run(&test.molecule).energy;
    for (int x = 0; x < 3; x++) {
        for (int a = 0; a < test.molecule.n_atom; a++) test.atom[a].position_bohr[x] += shift[x];
        charge.position_bohr[x] += shift[x];
    }
    const double there = run(&test.molecule).energy;
    test.molecule.environment = (struct hf_environment){0};
    assert_true(fabs(here - there) < 1e-10);
}

TEST(guesses_lead_to_the_same_energy)
{
    TEST_CONTEXT(context);
    struct hf_point_charge charge = {0.8, {0.0, 0.0, 4.0}};
    struct test_molecule test;
    skew_water(&test);
    test.molecule.environment =
        (struct hf_environment){.n_charge = 1, .charge = &charge, .field = {0.0, 0.02, 0.0}};
    const double expected = run(&test.molecule).energy;
    struct hf_scf_settings settings = tight();
    struct hf_scf_result result;
    settings.guess = "core";
    assert_ok(test_run(context, &test.molecule, SET, &settings, &result, NULL));
    assert_true(fabs(result.energy - expected) < 1e-10);
}

int main(int argc, char **argv)
{
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
