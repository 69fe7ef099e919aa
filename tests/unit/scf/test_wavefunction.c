/* The wave function is what its header says, with every layout of its matrices. */
#include "scf_test.h"

static const char *builder; /**< argv[1]: name in hf_fock_list */

static const double TIGHT = 1e-9; /* commutator asked for */

/** A calculation that is over: molecule, basis and what it left. */
struct finished {
    struct hf_context *context;
    struct test_molecule test;
    struct hf_basis *basis;
    struct hf_scf_result result;
    struct hf_wavefunction w;
};

static struct hf_scf_settings settings_of_layout(void)
{
    struct hf_scf_settings settings = test_settings();
    settings.fock.builder = builder;
    settings.fock.onesided.transport = "thread";
    settings.energy_tolerance = 1e-11;
    settings.commutator_tolerance = TIGHT;
    return settings;
}

static void finish(struct finished *f, const char *set, const struct hf_scf_settings *settings)
{
    f->context = test_context();
    f->basis = test_set(f->context, &f->test.molecule, set);
    assert_ok(hf_scf_run(f->context, &f->test.molecule, f->basis, settings, NULL, &f->result, &f->w,
                         &error));
}

static void finished_done(struct finished *f)
{
    hf_wavefunction_done(&f->w);
    assert_int_equal(hf_memory_current_bytes(f->context->memory), 0);
    hf_wavefunction_done(&f->w); /* accepts a cleared one */
    hf_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

static struct hf_matrix *new_matrix(const struct finished *f, int n_row, int n_col)
{
    struct hf_matrix *matrix = NULL;
    assert_ok(hf_matrix_create(f->w.linalg, "test", n_row, n_col, &matrix, NULL));
    return matrix;
}

/** max | C^T M C - diagonal | */
static double off_diagonal(const struct finished *f, const struct hf_matrix *matrix,
                           const double diagonal[])
{
    const struct hf_matrix *c = f->w.spin[0].coefficient;
    const int n = hf_matrix_n_row(c), m = hf_matrix_n_col(c);
    struct hf_matrix *half = new_matrix(f, n, m), *product = new_matrix(f, m, m);
    double deviation = 0.0;
    hf_matrix_multiply(1.0, false, matrix, false, c, 0.0, half);
    hf_matrix_multiply(1.0, true, c, false, half, 0.0, product);
    double *full = test_gather(product);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            deviation =
                fmax(deviation, fabs(full[i + (size_t)m * j] - (i == j ? diagonal[i] : 0.0)));
    free(full);
    hf_matrix_destroy(&product);
    hf_matrix_destroy(&half);
    return deviation;
}

static void orbitals_are_orthonormal(const struct finished *f)
{
    const int m = f->w.spin[0].n_orbital;
    double *one = malloc((size_t)m * sizeof *one);
    for (int i = 0; i < m; i++) one[i] = 1.0;
    assert_true(off_diagonal(f, f->w.overlap, one) < 1e-10);
    free(one);
}

/** D against sum_i n_i C_i C_i^T. */
static void density_is_that_of_the_orbitals(const struct finished *f)
{
    const struct hf_orbitals *orbitals = &f->w.spin[0];
    const int n = hf_matrix_n_row(orbitals->coefficient), m = orbitals->n_orbital;
    struct hf_matrix *scaled = new_matrix(f, n, m), *density = new_matrix(f, n, n);
    double deviation;
    hf_matrix_copy_columns(orbitals->coefficient, 0, m, orbitals->occupation, scaled, 0);
    hf_matrix_multiply(1.0, false, scaled, true, orbitals->coefficient, 0.0, density);
    hf_matrix_add(-1.0, f->w.density, 1.0, density);
    hf_matrix_max_abs(density, &deviation);
    assert_true(deviation < 10.0 * TIGHT);
    hf_matrix_destroy(&density);
    hf_matrix_destroy(&scaled);
}

/** F of the density, built anew over the published functions, has these orbitals and energies. */
static void fock_matrix_has_these_orbitals(const struct finished *f, double tolerance)
{
    const struct hf_orbitals *orbitals = &f->w.spin[0];
    const int n = f->basis->n_function;
    const struct hf_scf_settings settings = settings_of_layout();
    struct hf_matrix *fock = new_matrix(f, n, n);
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *coulomb = new_matrix(f, n, n), *exchange = new_matrix(f, n, n);
    struct hf_shell_pairs *pairs = NULL;
    struct hf_fock_builder *fock_builder = NULL;
    struct hf_context *context = f->context;
    const struct hf_fock_job job = {f->w.density, coulomb, exchange, false};
    assert_ok(
        hf_hamiltonian_create(context, f->w.linalg, f->basis, f->w.molecule, &hamiltonian, NULL));
    assert_ok(hf_hamiltonian_core(hamiltonian, fock, NULL));
    assert_ok(hf_shell_pairs_create(context, f->w.basis, 1e-14, &pairs, NULL));
    assert_ok(hf_fock_create(context, pairs, &settings.fock, &fock_builder, NULL));
    assert_ok(hf_fock_build(fock_builder, 1, &job, 1e-12, NULL));
    hf_matrix_add(1.0, coulomb, 1.0, fock);
    hf_matrix_add(-0.5, exchange, 1.0, fock);
    assert_true(off_diagonal(f, fock, orbitals->energy) < tolerance);
    hf_fock_destroy(&fock_builder);
    hf_shell_pairs_destroy(&pairs);
    hf_matrix_destroy(&exchange);
    hf_matrix_destroy(&coulomb);
    hf_hamiltonian_destroy(&hamiltonian);
    hf_matrix_destroy(&fock);
}

static void electrons_are_all_there(const struct finished *f)
{
    double in_density, in_orbitals = 0.0;
    hf_matrix_dot(f->w.density, f->w.overlap, &in_density);
    for (int i = 0; i < f->w.spin[0].n_orbital; i++) in_orbitals += f->w.spin[0].occupation[i];
    assert_true(fabs(in_density - hf_molecule_n_electron(f->w.molecule)) < 1e-9);
    assert_true(in_orbitals == (double)hf_molecule_n_electron(f->w.molecule));
}

static void check(struct finished *f, const char *set)
{
    const struct hf_scf_settings settings = settings_of_layout();
    finish(f, set, &settings);
    const struct hf_orbitals *orbitals = &f->w.spin[0];
    assert_true(f->result.converged);
    assert_string_equal(f->w.method, "rhf");
    assert_int_equal(f->w.n_spin, 1);
    assert_null(f->w.spin[1].coefficient);
    assert_ptr_equal(f->w.basis, f->basis);
    assert_ptr_equal(f->w.molecule, &f->test.molecule);
    assert_int_equal(orbitals->n_orbital, f->result.n_orbital);
    assert_int_equal(orbitals->n_occupied, f->result.n_occupied[0]);
    for (int i = 1; i < orbitals->n_orbital; i++)
        assert_true(orbitals->energy[i] >= orbitals->energy[i - 1]);
    orbitals_are_orthonormal(f);
    electrons_are_all_there(f);
    density_is_that_of_the_orbitals(f);
    fock_matrix_has_these_orbitals(f, 1e-8);
    finished_done(f);
}

TEST(water_has_the_wave_function_of_its_fock_matrix)
{
    struct finished f = {0};
    test_water(&f.test);
    check(&f, "cc-pVDZ");
}

TEST(removed_functions_leave_fewer_orbitals)
{
    struct finished f = {0};
    test_add_atom(&f.test, 2, false, 0.0, 0.0, 0.0);
    test_add_atom(&f.test, 2, true, 0.0, 0.0, 0.0);
    check(&f, "cc-pVDZ");
    assert_int_equal(f.result.n_orbital, 5);
}

TEST(without_electrons_all_orbitals_are_empty)
{
    struct finished f = {0};
    const struct hf_scf_settings settings = settings_of_layout();
    test_add_atom(&f.test, 1, false, 0.0, 0.0, 0.0);
    test_add_atom(&f.test, 1, false, 0.0, 0.0, 2.0);
    f.test.molecule.charge = 2;
    finish(&f, "STO-3G", &settings);
    double largest;
    hf_matrix_max_abs(f.w.density, &largest);
    assert_true(largest == 0.0);
    assert_true(f.w.spin[0].occupation[0] == 0.0 && f.w.spin[0].energy[0] < 0.0);
    orbitals_are_orthonormal(&f);
    finished_done(&f);
}

/** Also of a calculation that did not converge: the orbitals are those of the last Fock matrix. */
TEST(energies_can_be_had_without_matrices)
{
    struct finished all = {0}, energies = {0};
    struct hf_scf_settings settings = settings_of_layout();
    test_water(&all.test);
    test_water(&energies.test);
    settings.max_iteration = 3;
    finish(&all, "6-31G*", &settings);
    settings.wavefunction = HF_WAVEFUNCTION_ENERGIES;
    finish(&energies, "6-31G*", &settings);
    assert_false(all.result.converged);
    assert_null(energies.w.linalg);
    assert_null(energies.w.overlap);
    assert_null(energies.w.spin[0].coefficient);
    assert_null(energies.w.density);
    for (int i = 0; i < all.w.spin[0].n_orbital; i++) {
        assert_true(fabs(all.w.spin[0].energy[i] - energies.w.spin[0].energy[i]) < 1e-9);
        assert_true(energies.w.spin[0].occupation[i] == (i < 5 ? 2.0 : 0.0));
    }
    fock_matrix_has_these_orbitals(&all, 1e-5); /* early builds are screened loosely */
    finished_done(&energies);
    finished_done(&all);
}

TEST(a_failure_leaves_a_cleared_one)
{
    TEST_CONTEXT(context);
    struct hf_scf_settings settings = settings_of_layout();
    struct test_molecule water;
    struct hf_scf_result result;
    struct hf_wavefunction w = {.n_spin = 1};
    test_water(&water);
    struct hf_basis *basis = test_set(context, &water.molecule, "STO-3G");
    settings.guess = "hope";
    assert_int_equal(
        hf_scf_run(context, &water.molecule, basis, &settings, NULL, &result, &w, NULL),
        HF_BAD_INPUT);
    assert_int_equal(w.n_spin, 0);
    assert_null(w.linalg);
    hf_wavefunction_done(&w);
    hf_basis_destroy(&basis);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

TEST(methods_are_found_by_name)
{
    const struct hf_method_ops *method = NULL;
    for (int i = 0; hf_method_list[i] != NULL; i++) {
        assert_ok(hf_method_find(hf_method_name(hf_method_list[i]), &method, NULL));
        assert_ptr_equal(method, hf_method_list[i]);
        assert_true(strlen(hf_method_about(method)) > 0);
        assert_in_range(method->n_density, 1, HF_MAX_DENSITY);
        assert_in_range(method->n_fock, 1, method->n_density);
    }
    assert_failure(hf_method_find("ccsd", &method, &error), HF_BAD_INPUT, &error,
                   "no method \"ccsd\"; there are: rhf, uhf, rohf");
}

int main(int argc, char **argv)
{
    builder = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
