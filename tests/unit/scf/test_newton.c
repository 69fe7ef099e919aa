/* The second-order converger. argv[1]: name in hf_fock_list. */
#include "scf_test.h"

/** Energies of psi4 1.3.2 and NWChem 7.0.2, which agree to 1e-10 hartree. */
static const double OXYGEN_ROHF = -149.608287082, CYANO_UHF = -92.2128921525;

static const char *builder_name; /**< argv[1] */

static struct hf_scf_result run(const struct hf_molecule *molecule, const char *set,
                                const char *method, const char *converger)
{
    struct hf_scf_settings settings = test_settings();
    struct hf_scf_result result;
    struct hf_error error;
    struct hf_context *context = test_context();
    settings.method = method;
    settings.converger = converger;
    settings.guess = "sad";
    settings.fock.builder = builder_name;
    settings.fock.onesided.transport = "thread";
    const hf_status status = test_run(context, molecule, set, &settings, &result, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_int_equal(status, HF_OK);
    assert_true(result.converged);
    test_context_done(&context);
    return result;
}

static void diatomic(struct test_molecule *test, int first, int second, double distance_bohr)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, first, false, 0.0, 0.0, 0.0);
    test_add_atom(test, second, false, 0.0, 0.0, distance_bohr);
}

static void closed_shells_converge_quadratically_to_the_energy_of_diis(void **state)
{
    struct test_molecule test;
    (void)state;
    test_water(&test);
    const struct hf_scf_result diis = run(&test.molecule, "cc-pVDZ", "rhf", "diis");
    const struct hf_scf_result newton = run(&test.molecule, "cc-pVDZ", "rhf", "newton");
    assert_true(fabs(diis.energy - newton.energy) < 1e-9);
    assert_true(newton.n_iteration <= 6);
    assert_true(newton.n_hessian_product > 0);
    assert_int_equal(diis.n_hessian_product, 0);
}

static void open_shells_converge(void **state)
{
    struct test_molecule test;
    (void)state;
    diatomic(&test, 6, 7, 2.21438107);
    test.molecule.multiplicity = 2;
    const struct hf_scf_result result = run(&test.molecule, "cc-pVDZ", "uhf", "newton");
    assert_true(fabs(result.energy - CYANO_UHF) < 1e-8);
    assert_true(result.n_iteration <= 12);
}

/** The symmetric solution, where DIIS ends, is a saddle point. */
static void a_saddle_point_is_left(void **state)
{
    struct test_molecule test;
    (void)state;
    diatomic(&test, 8, 8, 2.28165532);
    test.molecule.multiplicity = 3;
    const struct hf_scf_result diis = run(&test.molecule, "cc-pVDZ", "rohf", "diis");
    const struct hf_scf_result newton = run(&test.molecule, "cc-pVDZ", "rohf", "newton");
    assert_true(diis.energy > OXYGEN_ROHF + 1e-4);
    assert_true(fabs(newton.energy - OXYGEN_ROHF) < 1e-8);
}

static void nothing_that_can_rotate_is_no_trouble(void **state)
{
    struct test_molecule test = {0};
    (void)state;
    test_add_atom(&test, 1, false, 0.0, 0.0, 0.0);
    test.molecule.multiplicity = 2;
    const struct hf_scf_result atom = run(&test.molecule, "STO-3G", "uhf", "newton");
    assert_true(fabs(atom.energy + 0.46658185) < 1e-7);
    test_add_atom(&test, 1, false, 0.0, 0.0, 1.4);
    test.molecule.multiplicity = 3;
    const struct hf_scf_result filled = run(&test.molecule, "STO-3G", "rohf", "newton");
    assert_int_equal(filled.n_hessian_product, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_shells_converge_quadratically_to_the_energy_of_diis),
        cmocka_unit_test(open_shells_converge),
        cmocka_unit_test(a_saddle_point_is_left),
        cmocka_unit_test(nothing_that_can_rotate_is_no_trouble),
    };
    builder_name = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
