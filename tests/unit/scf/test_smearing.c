/* Fractional occupations: argv[1] is the Fock builder. The energies of a calculation at a temperature are
 * held against Psi4's for the same occupations, and against thermodynamics. */
#include "scf_test.h"

#include "hf/units.h"

static const char *builder = "replicated";

TEST(occupations_are_those_of_fermi_and_dirac)
{
    static const double energy[] = {-20.0, -1.0, -0.5, -0.31, -0.29, 0.1, 0.1, 2.0};
    enum { N = sizeof energy / sizeof *energy };
    static const double temperature[] = {1e-6, 1e-3, 0.03, 0.2};
    for (int t = 0; t < 4; t++)
        for (int n = 1; n < N; n++) {
            double f[N], sum = 0.0;
            hf_fermi_occupations(N, energy, n, temperature[t], f);
            for (int i = 0; i < N; i++) {
                assert_true(f[i] >= 0.0 && f[i] <= 1.0);
                sum += f[i];
            }
            assert_true(fabs(sum - n) < 1e-12);
            for (int i = 1; i < N; i++) { /* ln (f / (1 - f)) falls by (e_i - e_j) / kT */
                if (f[i] < 1e-6 || f[i - 1] > 1.0 - 1e-6) continue;
                const double ratio = log(f[i - 1] / (1.0 - f[i - 1])) - log(f[i] / (1.0 - f[i]));
                assert_true(fabs(ratio - (energy[i] - energy[i - 1]) / temperature[t]) < 1e-8);
            }
        }
}

TEST(no_electrons_and_full_shells_have_no_entropy)
{
    static const double energy[] = {-1.0, -1.0, 0.5};
    double f[3];
    for (int n = 0; n <= 3; n += 3) {
        hf_fermi_occupations(3, energy, n, 0.1, f);
        for (int i = 0; i < 3; i++) assert_true(f[i] == (n == 0 ? 0.0 : 1.0));
        assert_true(hf_entropy_term(3, f, 0.1) == 0.0);
    }
    /* an electron in two orbitals of one energy: kT ln 2 twice a half of each */
    hf_fermi_occupations(2, energy, 1, 0.1, f);
    assert_true(fabs(f[0] - 0.5) < 1e-14 && fabs(f[1] - 0.5) < 1e-14);
    assert_true(fabs(hf_entropy_term(2, f, 0.1) + 0.1 * 2.0 * log(2.0)) < 1e-14);
}

static struct hf_scf_settings settings_at(const char *method, double temperature)
{
    struct hf_scf_settings settings = test_settings();
    settings.fock.builder = builder;
    settings.method = method;
    settings.smearing = temperature;
    settings.energy_tolerance = 1e-11;
    settings.commutator_tolerance = 1e-7;
    return settings;
}

static void hydrogen(struct test_molecule *test) /* H2 at 3 angstrom */
{
    test_diatomic(test, 1, 1, 3.0 / HF_BOHR_IN_ANGSTROM);
}

static void oxygen(struct test_molecule *test)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, 8, false, 0.0, 0.0, 0.0);
    test->molecule.multiplicity = 3;
}

static void dioxygen(struct test_molecule *test)
{
    test_diatomic(test, 8, 8, 2.8);
    test->molecule.multiplicity = 3;
}

/** Psi4 1.3.2 with these occupations given by hand (FRAC_OCC), ints_tolerance 1e-14: of H2 those that hf
 *  finds at 0.02 hartree, 0.992609764296 and 0.007390235704; of oxygen a third of an electron of beta in
 *  each 2p orbital, which symmetry tells. */
TEST(energies_are_those_of_another_program_with_the_same_occupations)
{
    static const char *const convergers[] = {"auto", "diis", "damping"};
    struct test_molecule test;
    for (int i = 0; i < 3; i++) {
        struct hf_scf_settings settings = settings_at("uhf", 0.01);
        struct hf_scf_result result;
        settings.converger = convergers[i];
        oxygen(&test);
        if (i < 2) { /* damping leaves the spherical solution for a lower one */
            result = test_converged(&test.molecule, "cc-pVDZ", &settings);
            assert_true(fabs(result.energy + 74.5803004401) < 1e-8);
            assert_true(fabs(result.smearing_entropy_term / 0.01 -
                             (log(1.0 / 3.0) + 2.0 * log(2.0 / 3.0))) < 1e-7);
        }
        settings = settings_at("rhf", 0.02);
        settings.converger = convergers[i];
        hydrogen(&test);
        if (i == 1) continue; /* its commutators vanish by symmetry: see converger_damping.c */
        result = test_converged(&test.molecule, "STO-3G", &settings);
        assert_true(fabs(result.energy + 0.6531319335) < 1e-8);
        assert_true(result.n_iteration <= 14);
    }
}

/** -S = dA/dT: the free energy A = E - T S is stationary, and nothing else in it depends on T. */
TEST(free_energies_fall_by_the_entropy)
{
    static const struct {
        void (*make)(struct test_molecule *test);
        const char *method;
        double temperature;
    } cases[] = {{hydrogen, "rhf", 0.03}, {dioxygen, "uhf", 0.05}};
    struct test_molecule test;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double h = 2e-4, t = cases[i].temperature;
        double entropy = 0.0, free[5];
        cases[i].make(&test);
        for (int k = 0; k < 5; k++) {
            const struct hf_scf_settings settings = settings_at(cases[i].method, t + (k - 2) * h);
            const struct hf_scf_result result = test_converged(&test.molecule, "STO-3G", &settings);
            free[k] = result.energy + result.smearing_entropy_term;
            if (k == 2) entropy = -result.smearing_entropy_term / t;
        }
        const double slope = (8.0 * (free[3] - free[1]) - (free[4] - free[0])) / (12.0 * h);
        assert_true(entropy > 0.05);
        assert_true(fabs(slope + entropy) < 1e-6);
    }
}

/** Water has a gap that room temperature does not see. */
TEST(cold_electrons_are_whole)
{
    struct test_molecule water;
    test_water(&water);
    struct hf_scf_settings settings = settings_at("rhf", 0.0);
    const struct hf_scf_result whole = test_converged(&water.molecule, "6-31G", &settings);
    settings.smearing = 0.001;
    const struct hf_scf_result cold = test_converged(&water.molecule, "6-31G", &settings);
    assert_true(whole.smearing_entropy_term == 0.0);
    assert_true(fabs(cold.smearing_entropy_term) < 1e-12);
    assert_true(fabs(cold.energy - whole.energy) < 1e-9);
}

static double trace(const struct hf_orbitals *orbitals)
{
    double sum = 0.0;
    for (int i = 0; i < orbitals->n_orbital; i++) sum += orbitals->occupation[i];
    return sum;
}

/** The wave function has the occupations, which add up to the electrons of each spin. */
TEST(electrons_of_each_spin_are_kept)
{
    struct test_molecule test;
    TEST_CONTEXT(context);
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction;
    dioxygen(&test);
    const struct hf_scf_settings settings = settings_at("uhf", 0.05);
    struct hf_basis *basis = test_set(context, &test.molecule, "STO-3G");
    assert_ok(hf_scf_run(context, &test.molecule, basis, &settings, NULL, &result, &wavefunction,
                         &error));
    assert_true(fabs(trace(&wavefunction.spin[0]) - 9.0) < 1e-11);
    assert_true(fabs(trace(&wavefunction.spin[1]) - 7.0) < 1e-11);
    assert_true(wavefunction.spin[1].occupation[7] > 1e-3);
    for (int k = 0; k < 2; k++) { /* and they are those of the orbital energies */
        double f[10];
        const struct hf_orbitals *orbitals = &wavefunction.spin[k];
        assert_int_equal(orbitals->n_orbital, 10);
        hf_fermi_occupations(10, orbitals->energy, result.n_occupied[k], 0.05, f);
        for (int i = 0; i < 10; i++) assert_true(fabs(orbitals->occupation[i] - f[i]) < 1e-7);
    }
    hf_wavefunction_done(&wavefunction);
    hf_basis_destroy(&basis);
}

/** S_z (S_z + 1) + N_beta - |Wa^T Wb|^2, of orbitals that alpha and beta share N_beta - sum f^2. */
TEST(spin_is_that_of_the_occupations)
{
    struct test_molecule test;
    const double f[] = {0.992609764296, 0.007390235704};
    hydrogen(&test);
    const struct hf_scf_settings settings = settings_at("uhf", 0.02);
    const struct hf_scf_result result = test_converged(&test.molecule, "STO-3G", &settings);
    assert_true(fabs(result.energy + 0.6531319335) < 1e-8);
    assert_true(fabs(result.spin_squared - (1.0 - f[0] * f[0] - f[1] * f[1])) < 1e-7);
}

static void refuse(const struct hf_scf_settings *settings, const char *what)
{
    struct test_molecule water;
    TEST_CONTEXT(context);
    struct hf_scf_result result;
    test_water(&water);
    assert_failure(test_run(context, &water.molecule, "STO-3G", settings, &result, &error),
                   HF_BAD_INPUT, &error, what);
}

TEST(what_does_not_go_with_them_is_refused)
{
    struct hf_scf_settings settings = settings_at("rohf", 0.01);
    refuse(&settings, "(smearing) are not possible with method rohf");
    settings = settings_at("rhf", 0.01);
    settings.stability = HF_STABILITY_CHECK;
    refuse(&settings, "are not possible with a stability analysis");
    settings = settings_at("rhf", 0.01);
    settings.level_shift = 0.1;
    refuse(&settings, "are not possible with a level shift");
    settings = settings_at("rhf", 0.01);
    settings.converger = "newton";
    refuse(&settings, "are not possible with converger newton or adiis");
    settings.converger = "adiis";
    refuse(&settings, "are not possible with converger newton or adiis");
    settings = settings_at("rhf", -0.01);
    refuse(&settings, "must be 0 to 0.2 hartree, found -0.01");
    settings = settings_at("rhf", 0.3);
    refuse(&settings, "must be 0 to 0.2 hartree, found 0.3");
}

int main(int argc, char **argv)
{
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
