/* Convergers: the small problem of ADIIS, and calculations that DIIS alone does not converge or brings to
 * a solution that is too high. Energies of molecules: two other programs, or psi4 alone (F2, HF, H2). */
#include "../../../src/orbitals/diis_private.h"
#include "../../../src/scf/converger.h"
#include "scf_test.h"

#include "hf/units.h"

enum { N = 5 };

static double value(const double gradient[], const double hessian[], const double c[])
{
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        sum += c[i] * gradient[i];
        for (int j = 0; j < N; j++) sum += 0.5 * c[i] * hessian[i * N + j] * c[j];
    }
    return sum;
}

/** Convex and other problems: no corner and none of many points is lower than what is found by more than
 *  is due to a descent from the corners alone, which is exact where the problem is convex. */
TEST(the_lowest_point_of_a_simplex_is_found)
{
    leave_out_on_many_ranks();
    uint32_t seed = 3;
    for (int problem = 0; problem < 40; problem++) {
        double root[N * N], gradient[N], hessian[N * N] = {0.0}, c[N], other[N], sum = 0.0;
        const bool convex = problem % 2 == 0;
        for (int i = 0; i < N * N; i++) root[i] = test_random(&seed);
        for (int i = 0; i < N; i++) gradient[i] = 0.3 * test_random(&seed);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    hessian[i * N + j] +=
                        (convex || k % 2 == 0 ? 1.0 : -1.0) * root[i * N + k] * root[j * N + k];
        hf_simplex_minimum(N, gradient, hessian, c);
        for (int i = 0; i < N; i++) {
            assert_true(c[i] >= 0.0);
            sum += c[i];
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
        const double found = value(gradient, hessian, c);
        for (int corner = 0; corner < N; corner++) {
            memset(other, 0, sizeof other);
            other[corner] = 1.0;
            assert_true(found <= value(gradient, hessian, other) + 1e-12);
        }
        for (int trial = 0; trial < 500; trial++) {
            double norm = 0.0;
            for (int i = 0; i < N; i++) norm += other[i] = 0.5 + test_random(&seed);
            /* all over the simplex, or close to what was found, where no point is lower in any case */
            const double far = convex ? 1.0 : 1e-4;
            for (int i = 0; i < N; i++) other[i] = far * other[i] / norm + (1.0 - far) * c[i];
            assert_true(found <= value(gradient, hessian, other) + 1e-10);
        }
    }
}

TEST(a_simplex_of_one_point_is_that_point)
{
    const double gradient = 3.0, hessian = -1.0;
    double c = 0.0;
    hf_simplex_minimum(1, &gradient, &hessian, &c);
    assert_true(c == 1.0);
}

TEST(every_converger_gives_the_same_energy)
{
    struct test_molecule water, radical;
    test_water(&water);
    test_water(&radical);
    radical.molecule.charge = 1;
    radical.molecule.multiplicity = 2;
    struct hf_scf_settings settings = test_settings();
    settings.commutator_tolerance = 1e-6;
    for (int method = 0; hf_method_list[method] != NULL; method++) {
        const struct hf_molecule *molecule = method == 0 ? &water.molecule : &radical.molecule;
        double expected = 0.0;
        settings.method = hf_method_name(hf_method_list[method]);
        for (int i = 0; hf_converger_list[i] != NULL; i++) {
            settings.converger = hf_converger_name(hf_converger_list[i]);
            const double energy = test_converged(molecule, "STO-3G", &settings).energy;
            if (i == 0) expected = energy;
            assert_true(fabs(energy - expected) < 1e-9);
        }
        settings.converger = "auto";
        settings.level_shift = 0.3;
        assert_true(fabs(test_converged(molecule, "STO-3G", &settings).energy - expected) < 1e-9);
        settings.level_shift = 0.0;
    }
}

TEST(ordinary_molecules_take_no_more_iterations_than_with_diis)
{
    struct test_molecule water;
    int with_diis, with_auto;
    test_water(&water);
    struct hf_scf_settings settings = test_settings();
    with_auto = test_converged(&water.molecule, "cc-pVDZ", &settings).n_iteration;
    settings.converger = "diis";
    with_diis = test_converged(&water.molecule, "cc-pVDZ", &settings).n_iteration;
    assert_int_equal(with_auto, with_diis);
    assert_true(with_auto <= 9);
}

TEST(stretched_bonds_converge_to_the_lowest_solution)
{
    leave_out_on_many_ranks();
    leave_out_under_sanitizers();
    static const struct {
        int a, b;
        double angstrom, energy;
    } bonds[] = {{9, 9, 3.5, -198.1912327422},
                 {9, 9, 6.0, -198.1521441707},
                 {1, 9, 2.5, -99.5967845050},
                 {1, 1, 8.0, -0.7404650586}};
    struct test_molecule molecule;
    const struct hf_scf_settings settings = test_settings();
    for (size_t i = 0; i < sizeof bonds / sizeof *bonds; i++) {
        test_diatomic(&molecule, bonds[i].a, bonds[i].b, bonds[i].angstrom / HF_BOHR_IN_ANGSTROM);
        const struct hf_scf_result result =
            test_converged(&molecule.molecule, "def2-SVP", &settings);
        assert_true(fabs(result.energy - bonds[i].energy) < 1e-7);
        assert_true(result.n_iteration <= 15);
    }
}

/** HF at 4 angstrom: DIIS goes round in circles for more than 60 iterations. */
TEST(second_order_steps_take_over_where_nothing_else_gets_on)
{
    leave_out_on_many_ranks();
    struct test_molecule molecule;
    test_diatomic(&molecule, 1, 9, 4.0 / HF_BOHR_IN_ANGSTROM);
    struct hf_scf_settings settings = test_settings();
    settings.max_iteration = 60;
    assert_true(test_converged(&molecule.molecule, "def2-SVP", &settings).energy < -99.5053);
    settings.converger = "diis";
    TEST_CONTEXT(context);
    struct hf_scf_result result;
    assert_ok(test_run(context, &molecule.molecule, "def2-SVP", &settings, &result, &error));
    assert_false(result.converged);
}

/** The nitrogen atom by ROHF, of two other programs: 15 iterations with combinations of Fock matrices whose
 *  shells are taken from the last orbitals alone. */
/** A molecule that DIIS leads to a saddle point 0.010 hartree higher, and one whose energy rises once on an ordinary way.
 *  References: psi4 1.3.2 (and NWChem 7.0.2, NiC from psi4's orbitals). */
TEST(second_order_steps_are_for_saddle_points)
{
    leave_out_on_many_ranks();
    leave_out_under_sanitizers();
    const struct hf_scf_settings settings = test_settings();
    struct test_molecule carbide = {0}, chloride = {0};
    test_add_atom(&carbide, 28, false, 0.0, 0.0, 0.0);
    test_add_atom(&carbide, 6, false, 0.0, 0.0, 3.07458441);
    const struct hf_scf_result left = test_converged(&carbide.molecule, "def2-SVP", &settings);
    assert_true(fabs(left.energy + 1544.0895306291) < 1e-7);
    assert_true(left.n_hessian_product > 0);
    test_add_atom(&chloride, 22, false, 0.0, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        const double r = 2.3675435342, x = i < 2 ? r : -r, y = i % 2 == 0 ? r : -r;
        test_add_atom(&chloride, 17, false, x, y, x * y / r);
    }
    const struct hf_scf_result ordinary = test_converged(&chloride.molecule, "def2-SVP", &settings);
    assert_true(fabs(ordinary.energy + 2685.9490486224) < 1e-7);
    assert_int_equal(ordinary.n_hessian_product, 0);
}

TEST(open_shells_that_share_orbitals_converge)
{
    leave_out_on_many_ranks();
    struct test_molecule molecule = {0};
    test_add_atom(&molecule, 7, false, 0.0, 0.0, 0.0);
    molecule.molecule.multiplicity = 4;
    struct hf_scf_settings settings = test_settings();
    settings.method = "rohf";
    settings.commutator_tolerance = 1e-6;
    const struct hf_scf_result result = test_converged(&molecule.molecule, "cc-pVTZ", &settings);
    assert_true(fabs(result.energy + 54.3973578451) < 1e-8);
    assert_true(result.n_iteration <= 9);
}

TEST(settings_out_of_range_are_refused)
{
    struct test_molecule water;
    TEST_CONTEXT(context);
    struct hf_scf_result result;
    test_water(&water);
    struct hf_scf_settings settings = test_settings();
    settings.level_shift = -0.1;
    assert_failure(test_run(context, &water.molecule, "STO-3G", &settings, &result, &error),
                   HF_BAD_INPUT, &error, "level shift cannot be -0.1 hartree");
    settings = test_settings();
    settings.level_shift = 0.1;
    settings.converger = "newton";
    assert_failure(test_run(context, &water.molecule, "STO-3G", &settings, &result, &error),
                   HF_BAD_INPUT, &error, "level shift is not possible with converger newton");
    settings = test_settings();
    settings.diis_size = HF_MAX_DIIS + 1;
    assert_failure(test_run(context, &water.molecule, "STO-3G", &settings, &result, &error),
                   HF_BAD_INPUT, &error, "history cannot have 101 matrices");
    settings = test_settings();
    settings.converger = "luck";
    assert_failure(test_run(context, &water.molecule, "STO-3G", &settings, &result, &error),
                   HF_BAD_INPUT, &error, "no converger \"luck\"; there are: auto, diis");
}

MPI_TEST_MAIN
