/* Atomic densities and the guesses made of them. */
#include "../../../src/guess/atom.h"
#include "../../../src/guess/guess_private.h"
#include "../scf/scf_test.h"

#include "integrals/solid_harmonics.h"

static const char *layout; /**< argv[1]: "serial" or "parallel" */

/** Value at `point` of every function of a one-atom basis. */
static void functions_at(const struct hf_basis *basis, const double point[3], double value[])
{
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const int l = shell->l;
        double r[3], square = 0.0, radial = 0.0, monomial[(HF_MAX_L + 1) * (HF_MAX_L + 2) / 2];
        for (int x = 0; x < 3; x++) {
            r[x] = point[x] - shell->centre_bohr[x];
            square += r[x] * r[x];
        }
        for (int k = 0; k < shell->n_primitive; k++)
            radial += shell->coefficient[k] * exp(-shell->exponent[k] * square);
        int f = 0;
        for (int i = l; i >= 0; i--)
            for (int j = l - i; j >= 0; j--)
                monomial[f++] = radial * pow(r[0], i) * pow(r[1], j) * pow(r[2], l - i - j);
        struct hf_solid_harmonics harmonics;
        hf_solid_harmonics_init(l, &harmonics);
        if (shell->spherical)
            hf_solid_harmonics_apply(&harmonics, l, 1, monomial, value + shell->first_function);
        else
            memcpy(value + shell->first_function, monomial, (size_t)f * sizeof *value);
    }
}

static double density_at(const struct hf_basis *basis, const double *density, double x, double y,
                         double z)
{
    const int n = basis->n_function;
    double *value = calloc((size_t)n, sizeof *value), sum = 0.0;
    const double *centre = basis->shell[0].centre_bohr;
    functions_at(basis, (double[3]){centre[0] + x, centre[1] + y, centre[2] + z}, value);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += density[i + (size_t)n * j] * value[i] * value[j];
    free(value);
    return sum;
}

/** sum_mn D_mn S_mn */
static double electrons(struct hf_context *context, const struct hf_molecule *molecule,
                        const struct hf_basis *basis, const double *density)
{
    const int n = basis->n_function;
    struct hf_matrix *overlap = NULL;
    struct hf_hamiltonian *hamiltonian = NULL;
    double sum = 0.0;
    struct hf_linalg *linalg = test_linalg(context, layout, n);
    assert_ok(hf_hamiltonian_create(context, linalg, basis, molecule, &hamiltonian, NULL));
    assert_ok(hf_matrix_create(linalg, "S", n, n, &overlap, NULL));
    assert_ok(hf_operator_matrix(hamiltonian, HF_OVERLAP, overlap, NULL));
    double *full = test_gather(overlap);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) sum += full[i] * density[i];
    free(full);
    hf_matrix_destroy(&overlap);
    hf_hamiltonian_destroy(&hamiltonian);
    hf_linalg_destroy(&linalg);
    return sum;
}

TEST(configurations_have_the_right_number_of_electrons)
{
    for (int z = 1; z <= 118; z++) {
        int n_electron[HF_ATOM_N_L], sum = 0;
        hf_atom_configuration(z, n_electron);
        for (int l = 0; l < HF_ATOM_N_L; l++) {
            assert_true(n_electron[l] >= 0);
            sum += n_electron[l];
        }
        assert_int_equal(sum, z);
    }
    static const int known[][1 + HF_ATOM_N_L] = {
        {6, 4, 2, 0, 0},     {24, 7, 12, 5, 0},    {29, 7, 12, 10, 0},   {46, 8, 18, 20, 0},
        {57, 12, 24, 21, 0}, {79, 11, 24, 30, 14}, {86, 12, 30, 30, 14}, {92, 14, 30, 31, 17}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int n_electron[HF_ATOM_N_L];
        hf_atom_configuration(known[i][0], n_electron);
        assert_memory_equal(n_electron, &known[i][1], sizeof n_electron);
    }
}

TEST(cores_leave_the_valence_configuration)
{
    /* atomic number, core, then s p d f; the last core is of no kind that there is */
    static const int known[][2 + HF_ATOM_N_L] = {
        {37, 28, 3, 6, 0, 0},  {47, 28, 3, 6, 10, 0}, {53, 28, 4, 11, 10, 0},
        {54, 46, 2, 6, 0, 0},  {57, 46, 4, 6, 1, 0},  {79, 60, 3, 6, 10, 0},
        {82, 60, 4, 8, 10, 0}, {82, 78, 2, 2, 0, 0},  {58, 28, 6, 12, 11, 1},
        {57, 54, 2, 0, 1, 0},  {26, 10, 4, 6, 6, 0},  {26, 20, 2, 0, 4, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int n_electron[HF_ATOM_N_L], sum = 0;
        hf_atom_valence_configuration(known[i][0], known[i][1], n_electron);
        for (int l = 0; l < HF_ATOM_N_L; l++) sum += n_electron[l];
        assert_int_equal(sum, known[i][0] - known[i][1]);
        assert_memory_equal(n_electron, &known[i][2], sizeof n_electron);
    }
}

/** The density of one atom in a Cartesian set: number of electrons, same value in all directions.
 */
static void check_atom(int atomic_number, const char *set)
{
    TEST_CONTEXT(context);
    const struct hf_scf_settings settings = test_settings();
    struct test_molecule test = {0};
    test_add_atom(&test, atomic_number, false, 0.3, -0.2, 0.5);
    struct hf_basis *basis = test_set(context, &test.molecule, set);
    const size_t n = (size_t)basis->n_function;
    double *density = calloc(n * n, sizeof *density);
    const int n_core = basis->n_core_potential > 0 ? basis->core_potential[0].n_core : 0;
    assert_ok(hf_atom_density(basis, 0, atomic_number, settings.linear_dependence_threshold,
                              density, &error));
    assert_true(
        fabs(electrons(context, &test.molecule, basis, density) - (atomic_number - n_core)) < 1e-8);
    static const double radii[] = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        const double r = radii[i];
        const double along_z = density_at(basis, density, 0.0, 0.0, r);
        assert_true(along_z > 0.0);
        const double d = r / sqrt(3.0), tolerance = 1e-10 * (1.0 + along_z);
        assert_true(fabs(density_at(basis, density, r, 0.0, 0.0) - along_z) < tolerance);
        assert_true(fabs(density_at(basis, density, d, d, -d) - along_z) < tolerance);
        assert_true(fabs(density_at(basis, density, 0.0, 0.6 * r, 0.8 * r) - along_z) < tolerance);
    }
    free(density);
    hf_basis_destroy(&basis);
}

TEST(atoms_are_round_and_neutral)
{
    check_atom(1, "6-31G*");
    check_atom(3, "6-31G*");
    check_atom(8, "6-31G*");
    check_atom(17, "STO-3G");
    check_atom(24, "6-31G*");
    check_atom(26, "6-31G*");
    check_atom(53, "STO-3G");
}

TEST(atoms_with_cores_are_round_and_neutral)
{
    check_atom(37, "def2-SVP");
    check_atom(47, "def2-SVP");
    check_atom(57, "def2-SVP");
    check_atom(82, "def2-SVP");
}

/** A ghost oxygen, hydrogen fluoride and a basis with spherical d functions. */
TEST(sad_density_is_the_sum_of_neutral_atoms_without_ghosts)
{
    TEST_CONTEXT(context);
    const struct hf_scf_settings settings = test_settings();
    struct test_molecule test = {0};
    struct hf_matrix *density = NULL;
    test_add_atom(&test, 1, false, 0.0, 0.0, 0.0);
    test_add_atom(&test, 8, true, 0.0, 2.0, 0.0);
    test_add_atom(&test, 9, false, 0.0, 0.0, 1.7);
    test_add_atom(&test, 1, false, 3.0, 0.0, 0.0);
    struct hf_basis *basis = test_set(context, &test.molecule, "cc-pVDZ");
    const int n = basis->n_function;
    struct hf_linalg *linalg = test_linalg(context, layout, n);
    assert_ok(hf_matrix_create(linalg, "D", n, n, &density, NULL));
    const struct hf_guess_input input = {.context = context,
                                         .linalg = linalg,
                                         .molecule = &test.molecule,
                                         .basis = basis,
                                         .linear_dependence_threshold =
                                             settings.linear_dependence_threshold,
                                         .of = {.method = &hf_method_rhf}};
    assert_ok(hf_guess_sad.densities(&input, &density, NULL));
    assert_false(hf_guess_sad.from_orbitals);
    double *full = test_gather(density);
    assert_true(fabs(electrons(context, &test.molecule, basis, full) - 11.0) < 1e-8);
    for (int m = 0; m < n; m++)
        for (int l = 0; l < n; l++) {
            int atom[2] = {0, 0};
            for (int s = 0; s < basis->n_shell; s++) {
                if (basis->shell[s].first_function <= m) atom[0] = basis->shell[s].atom;
                if (basis->shell[s].first_function <= l) atom[1] = basis->shell[s].atom;
            }
            if (atom[0] != atom[1] || atom[0] == 1) assert_true(full[m + (size_t)n * l] == 0.0);
        }
    free(full);
    hf_matrix_destroy(&density);
    hf_linalg_destroy(&linalg);
    hf_basis_destroy(&basis);
}

/** The total density is that of the atoms; there is no spin density. */
TEST(sad_of_open_shells_has_no_spin_density)
{
    TEST_CONTEXT(context);
    const struct hf_scf_settings settings = test_settings();
    struct test_molecule water;
    struct hf_matrix *density[3] = {NULL, NULL, NULL};
    double largest;
    test_water(&water);
    struct hf_basis *basis = test_set(context, &water.molecule, "6-31G*");
    const int n = basis->n_function;
    struct hf_linalg *linalg = test_linalg(context, layout, n);
    for (int s = 0; s < 3; s++) assert_ok(hf_matrix_create(linalg, "D", n, n, &density[s], NULL));
    struct hf_guess_input input = {.context = context,
                                   .linalg = linalg,
                                   .molecule = &water.molecule,
                                   .basis = basis,
                                   .linear_dependence_threshold =
                                       settings.linear_dependence_threshold,
                                   .of = {.method = &hf_method_rhf}};
    assert_ok(hf_guess_sad.densities(&input, &density[2], NULL));
    input.of.method = &hf_method_uhf;
    assert_ok(hf_guess_sad.densities(&input, density, NULL));
    hf_matrix_add(-1.0, density[2], 1.0, density[0]);
    for (int s = 0; s < 2; s++) {
        hf_matrix_max_abs(density[s], &largest);
        assert_true(largest == 0.0);
    }
    for (int s = 0; s < 3; s++) hf_matrix_destroy(&density[s]);
    hf_linalg_destroy(&linalg);
    hf_basis_destroy(&basis);
}

/** Neon: every orbital it has is full. Energies: Hartree-Fock limit -32.7724, -1.9304, -0.8504
 *  hartree (Clementi and Roetti, At. Data Nucl. Data Tables 14, 177 (1974)). */
TEST(orbitals_of_an_atom_make_its_density)
{
    static const double limit[] = {-32.7724, -1.9304, -0.8504, -0.8504, -0.8504};
    TEST_CONTEXT(context);
    const struct hf_scf_settings settings = test_settings();
    struct test_molecule test = {0};
    double energy[5];
    test_add_atom(&test, 10, false, 0.3, -0.2, 0.5);
    struct hf_basis *basis = test_set(context, &test.molecule, "6-31G*"); /* Cartesian d */
    const size_t n = (size_t)basis->n_function;
    double *density = calloc(n * n, sizeof *density), *orbital = calloc(5 * n, sizeof *orbital);
    assert_int_equal(hf_atom_n_orbital(basis, 0, 10), 5);
    assert_int_equal(hf_atom_n_orbital(basis, 0, 5), 5);
    assert_int_equal(hf_atom_n_orbital(basis, 0, 4), 2);
    assert_ok(hf_atom_density(basis, 0, 10, settings.linear_dependence_threshold, density, &error));
    assert_ok(hf_atom_orbitals(basis, 0, 10, settings.linear_dependence_threshold, energy, orbital,
                               &error));
    for (int o = 0; o < 5; o++) {
        assert_true(fabs(energy[o] - limit[o]) < 0.03);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                density[i + n * j] -= 2.0 * orbital[i + n * o] * orbital[j + n * o];
    }
    for (size_t i = 0; i < n * n; i++) assert_true(fabs(density[i]) < 1e-4);
    free(orbital);
    free(density);
    hf_basis_destroy(&basis);
}

/** Orbitals of both spins and the densities they make. */
static void check_orbitals(struct hf_guess_input *input, const struct hf_guess_ops *guess)
{
    const int n = input->basis->n_function, m = hf_matrix_n_col(input->of.x[0]);
    const int o[2] = {input->of.n_electron.alpha, input->of.n_electron.beta};
    struct hf_matrix **occupied = input->of.occupied, *density[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++) {
        assert_ok(hf_matrix_create(input->linalg, "D", n, n, &density[s], NULL));
        if (o[s] > 0) assert_ok(hf_matrix_create(input->linalg, "W", m, o[s], &occupied[s], NULL));
    }
    assert_ok(guess->densities(input, density, &error));
    for (int s = 0; s < 2 && guess->from_orbitals; s++) {
        if (o[s] == 0) continue;
        double *w = test_gather(occupied[s]);
        for (int i = 0; i < o[s]; i++)
            for (int j = 0; j <= i; j++) {
                double dot = i == j ? -1.0 : 0.0;
                for (int k = 0; k < m; k++)
                    dot += w[k + (size_t)m * (size_t)i] * w[k + (size_t)m * (size_t)j];
                assert_true(fabs(dot) < 1e-10);
            }
        free(w);
    }
    for (int s = 0; s < 2 && guess->from_orbitals; s++) {
        double *full = test_gather(density[s]);
        const double expected = s == 0 ? o[0] + o[1] : o[0] - o[1];
        const double found = electrons(input->context, input->molecule, input->basis, full);
        assert_true(fabs(found - expected) < 1e-8);
        free(full);
    }
    for (int s = 0; s < 2; s++) {
        hf_matrix_destroy(&occupied[s]);
        hf_matrix_destroy(&density[s]);
    }
}

static void check_all_guesses(const struct test_molecule *test, struct hf_spin_count n_electron)
{
    TEST_CONTEXT(context);
    const struct hf_scf_settings settings = test_settings();
    struct hf_basis *basis = test_set(context, &test->molecule, "6-31G*");
    const int n = basis->n_function;
    struct hf_linalg *linalg = test_linalg(context, layout, n);
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *overlap = NULL, *core = NULL, *x = NULL;
    struct hf_overlap_spectrum spectrum;
    assert_ok(hf_hamiltonian_create(context, linalg, basis, &test->molecule, &hamiltonian, NULL));
    assert_ok(hf_matrix_create(linalg, "S", n, n, &overlap, NULL));
    assert_ok(hf_matrix_create(linalg, "H", n, n, &core, NULL));
    assert_ok(hf_operator_matrix(hamiltonian, HF_OVERLAP, overlap, NULL));
    assert_ok(hf_hamiltonian_core(hamiltonian, core, NULL));
    assert_ok(hf_orthogonaliser_create(context, overlap, 1e-6, &x, &spectrum, NULL, NULL));
    struct hf_guess_input input = {.context = context,
                                   .linalg = linalg,
                                   .molecule = &test->molecule,
                                   .basis = basis,
                                   .linear_dependence_threshold =
                                       settings.linear_dependence_threshold,
                                   .core_hamiltonian = core,
                                   .of = {&hf_method_uhf, n_electron, .x = {x}}};
    for (int i = 0; hf_guess_list[i] != NULL; i++) check_orbitals(&input, hf_guess_list[i]);
    hf_matrix_destroy(&x);
    hf_matrix_destroy(&core);
    hf_matrix_destroy(&overlap);
    hf_hamiltonian_destroy(&hamiltonian);
    hf_linalg_destroy(&linalg);
    hf_basis_destroy(&basis);
}

/** The last three: more electrons than the free atoms have orbitals, none of them, and no atom. */
TEST(guesses_make_orthonormal_orbitals_for_all_electrons)
{
    struct test_molecule water, helium = {0}, ghosts = {0};
    test_water(&water);
    test_add_atom(&water, 8, true, 0.0, 0.0, -3.0);
    check_all_guesses(&water, (struct hf_spin_count){.alpha = 5, .beta = 5});
    check_all_guesses(&water, (struct hf_spin_count){.alpha = 7, .beta = 3});
    test_add_atom(&helium, 2, false, 0.0, 0.0, 0.0);
    check_all_guesses(&helium, (struct hf_spin_count){.alpha = 2, .beta = 0});
    check_all_guesses(&helium, (struct hf_spin_count){.alpha = 0, .beta = 0});
    test_add_atom(&ghosts, 8, true, 0.0, 0.0, 0.0);
    check_all_guesses(&ghosts, (struct hf_spin_count){.alpha = 1, .beta = 0});
}

TEST(guesses_are_found_by_name)
{
    const struct hf_guess_ops *guess = NULL;
    for (int i = 0; hf_guess_list[i] != NULL; i++) {
        assert_ok(hf_guess_find(hf_guess_name(hf_guess_list[i]), &guess, NULL));
        assert_ptr_equal(guess, hf_guess_list[i]);
        assert_true(strlen(hf_guess_about(guess)) > 0);
    }
    assert_failure(hf_guess_find("hope", &guess, &error), HF_BAD_INPUT, &error, "hope");
    assert_non_null(strstr(error.message, "sad"));
    assert_non_null(strstr(error.message, "core"));
    assert_int_equal(hf_guess_find(NULL, &guess, &error), HF_BAD_INPUT);
}

int main(int argc, char **argv)
{
    layout = argc > 1 ? argv[1] : "serial";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
