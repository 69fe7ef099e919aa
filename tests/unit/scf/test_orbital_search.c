/* Whole calculations with orbitals by rotation and by diagonalisation. */
#include "scf_test.h"

static const char *builder; /**< argv[1]: "replicated" or "distributed" */

static struct hf_scf_result run(const struct hf_molecule *molecule, const char *method,
                                enum hf_orbital_search search)
{
    struct hf_scf_settings settings = test_settings();
    settings.fock.builder = builder;
    settings.method = method;
    settings.orbital_search = search;
    return test_converged(molecule, "6-31G", &settings);
}

/** Energies, spins and numbers of iterations of both ways; the result by rotation. */
static struct hf_scf_result compare(const struct hf_molecule *molecule, const char *method)
{
    const struct hf_scf_result one = run(molecule, method, HF_ORBITALS_DIAGONALISE);
    const struct hf_scf_result other = run(molecule, method, HF_ORBITALS_ROTATE);
    assert_int_equal(one.n_rotation, 0);
    assert_true(fabs(other.energy - one.energy) < 1e-10);
    assert_true(fabs(other.spin_squared - one.spin_squared) < 1e-7);
    assert_in_range(other.n_iteration, one.n_iteration - 2, one.n_iteration + 2);
    return other;
}

TEST(rotated_orbitals_give_the_same_energy_in_as_many_iterations)
{
    struct test_molecule water, amino;
    test_water(&water);
    struct hf_scf_result result = compare(&water.molecule, "rhf");
    assert_int_equal(result.n_given_up, 0);
    assert_in_range(result.n_rotation, result.n_iteration - 3, result.n_iteration - 2);
    assert_true(result.n_sweep > result.n_rotation);
    /* NH2: each spin has a basis of its own */
    test_water(&amino);
    amino.atom[0].atomic_number = 7;
    amino.molecule.multiplicity = 2;
    result = compare(&amino.molecule, "uhf");
    assert_true(result.n_rotation > result.n_iteration - 2); /* more than one spin can have */
}

TEST(a_molecule_with_close_levels_is_diagonalised)
{
    struct test_molecule stretched;
    test_diatomic(&stretched, 3, 3, 12.0);
    const struct hf_scf_result result = compare(&stretched.molecule, "rhf");
    assert_true(result.n_given_up > 0);
}

TEST(small_molecules_and_other_kinds_of_steps_are_diagonalised)
{
    struct test_molecule water;
    test_water(&water);
    struct hf_scf_settings settings = test_settings();
    assert_int_equal(test_converged(&water.molecule, "6-31G", &settings).n_rotation, 0);
    settings.orbital_search = HF_ORBITALS_ROTATE;
    settings.converger = "damping";
    assert_int_equal(test_converged(&water.molecule, "6-31G", &settings).n_rotation, 0);
    settings.converger = "diis";
    settings.level_shift = 0.2;
    assert_int_equal(test_converged(&water.molecule, "6-31G", &settings).n_rotation, 0);
    settings.level_shift = 0.0;
    settings.max_overlap = true;
    assert_int_equal(test_converged(&water.molecule, "6-31G", &settings).n_rotation, 0);
}

/** X^T X of canonical orthogonalisation is diagonal: Loewdin's populations are computed from its columns. */
TEST(the_wave_function_has_the_canonical_orthogonaliser)
{
    struct test_molecule water;
    test_water(&water);
    struct hf_scf_settings settings = test_settings();
    settings.fock.builder = builder;
    settings.orbital_search = HF_ORBITALS_ROTATE;
    settings.wavefunction = HF_WAVEFUNCTION_DENSITIES;
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_set(context, &water.molecule, "6-31G");
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction;
    struct hf_matrix *product = NULL;
    double trace = 0.0, square, diagonal[32];
    assert_ok(
        hf_scf_run(context, &water.molecule, basis, &settings, NULL, &result, &wavefunction, NULL));
    assert_true(result.n_rotation > 0);
    const int m = hf_matrix_n_col(wavefunction.orthogonaliser);
    assert_ok(hf_matrix_create(wavefunction.linalg, "X^T X", m, m, &product, NULL));
    hf_matrix_multiply(1.0, true, wavefunction.orthogonaliser, false, wavefunction.orthogonaliser,
                       0.0, product);
    hf_matrix_diagonal(product, diagonal);
    hf_matrix_dot(product, product, &square);
    for (int i = 0; i < m; i++) trace += diagonal[i] * diagonal[i];
    assert_true(fabs(square - trace) < 1e-10 * square);
    hf_matrix_destroy(&product);
    hf_wavefunction_done(&wavefunction);
    hf_basis_destroy(&basis);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

int main(int argc, char **argv)
{
    builder = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
