/* Properties of a made-up wave function, compared with plain sums over whole matrices on any number of
 * ranks. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hamiltonian/hamiltonian.h"
#include "hf/properties.h"
#include "orbitals/orbitals.h"

#include <math.h>

static const char *grid = "serial";

static const double centre[4][3] = {
    {0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}, {-1.4, 0.2, 1.1}, {2.0, -2.0, 0.4}};
static const struct test_shell shells[] = {
    {0, 0, 2, false, {0.8, 3.0}, {1.0, 0.4}}, {0, 2, 1, true, {0.9}, {1.0}},
    {1, 1, 1, false, {0.7}, {1.0}},           {1, 0, 1, false, {0.5}, {1.0}},
    {3, 2, 1, false, {1.1}, {1.0}},           {3, 1, 2, false, {0.3, 2.0}, {0.5, 0.2}},
};
enum { N_ATOM = 4, N = 1 + 5 + 3 + 1 + 6 + 3 };

/** Atoms of which the third has no functions, and a wave function with densities that are nobody's. */
struct system {
    struct hf_context *context;
    struct hf_atom atom[N_ATOM];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_wavefunction wave;
    struct hf_hamiltonian *hamiltonian;
    double density[N][N], spin[N][N], overlap[N][N]; /* on every rank */
};

static void make_matrix(struct system *s, struct hf_matrix **matrix)
{
    assert_ok(hf_matrix_create(s->wave.linalg, "test", N, N, matrix, NULL));
}

static void set_up(struct system *s, bool open)
{
    *s = (struct system){.context = test_context()};
    const int number[N_ATOM] = {6, 1, 2, 8};
    for (int a = 0; a < N_ATOM; a++) {
        s->atom[a] = (struct hf_atom){.atomic_number = number[a], .ghost = a == 1};
        memcpy(s->atom[a].position_bohr, centre[a], sizeof centre[a]);
    }
    s->molecule = (struct hf_molecule){.n_atom = N_ATOM, .atom = s->atom, .multiplicity = 1};
    s->basis = test_basis(N_ATOM, centre, sizeof shells / sizeof *shells, shells);
    assert_int_equal(s->basis->n_function, N);
    s->wave = (struct hf_wavefunction){.basis = s->basis, .molecule = &s->molecule};
    const int smallest_parallel = strcmp(grid, "parallel") == 0 ? 0 : N + 1;
    assert_ok(hf_linalg_create_ext(s->context, N, smallest_parallel, 3, &s->wave.linalg, NULL));
    make_matrix(s, &s->wave.density);
    make_matrix(s, &s->wave.overlap);
    if (open) make_matrix(s, &s->wave.spin_density);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            s->density[i][j] = 0.3 * cos(1.0 + i + j) + (i == j ? 1.2 : 0.0);
            s->spin[i][j] = 0.1 * sin(0.4 * (i + j));
        }
    hf_matrix_set_full(s->wave.density, s->density[0]);
    if (open) hf_matrix_set_full(s->wave.spin_density, s->spin[0]);
    assert_ok(hf_hamiltonian_create(s->context, s->wave.linalg, s->basis, &s->molecule,
                                    &s->hamiltonian, NULL));
    assert_ok(hf_operator_matrix(s->hamiltonian, HF_OVERLAP, s->wave.overlap, NULL));
    hf_matrix_gather_full(s->wave.overlap, s->overlap[0]);
    hf_timers_declare(&s->context->timers, &hf_phase_properties);
}

static void tear_down(struct system *s)
{
    hf_hamiltonian_destroy(&s->hamiltonian);
    hf_wavefunction_done(&s->wave);
    test_basis_destroy(&s->basis);
    test_context_done(&s->context);
}

static int atom_of(const struct system *s, int function)
{
    int shell = s->basis->n_shell - 1;
    while (s->basis->shell[shell].first_function > function) shell--;
    return s->basis->shell[shell].atom;
}

static void multiply(double a[N][N], double b[N][N], double c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
        }
}

/** Mayer's bond order by the formula, of one density. */
static double plain_mayer(const struct system *s, double product[N][N], int a, int b)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (atom_of(s, i) == a && atom_of(s, j) == b) sum += product[i][j] * product[j][i];
    return sum;
}

static const struct hf_bond *find_bond(const struct hf_properties *p, int a, int b)
{
    static const struct hf_bond none = {0};
    for (int i = 0; i < p->n_bond; i++)
        if (p->bond[i].atom == b && p->bond[i].other == a) return &p->bond[i];
    return &none;
}

TEST(populations_and_bonds_are_the_plain_sums)
{
    for (int open = 0; open <= 1; open++) {
        struct system s;
        struct hf_properties p;
        double product[N][N], of_spin[N][N], charge[N_ATOM], spin[N_ATOM] = {0.0};
        set_up(&s, open);
        assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
        multiply(s.density, s.overlap, product);
        multiply(s.spin, s.overlap, of_spin);
        for (int a = 0; a < N_ATOM; a++) charge[a] = hf_molecule_nuclear_charge(&s.molecule, a);
        for (int i = 0; i < N; i++) {
            charge[atom_of(&s, i)] -= product[i][i];
            spin[atom_of(&s, i)] += of_spin[i][i];
        }
        assert_true(p.complete);
        assert_int_equal(p.mulliken_spin != NULL, open);
        for (int a = 0; a < N_ATOM; a++) {
            assert_true(fabs(p.mulliken_charge[a] - charge[a]) < 1e-11);
            if (open) assert_true(fabs(p.mulliken_spin[a] - spin[a]) < 1e-11);
            for (int b = a + 1; b < N_ATOM; b++) {
                const double mayer =
                    plain_mayer(&s, product, a, b) + (open ? plain_mayer(&s, of_spin, a, b) : 0.0);
                assert_true(fabs(find_bond(&p, a, b)->mayer - mayer) < 1e-11 ||
                            fabs(mayer) < HF_LEAST_BOND_ORDER);
            }
        }
        hf_properties_done(&p);
        tear_down(&s);
    }
}

/** Both ways share the electrons among the atoms; an atom without functions has none. */
TEST(loewdin_charges_add_up_to_what_mulliken_charges_do)
{
    struct system s;
    struct hf_properties p;
    double mulliken = 0.0, loewdin = 0.0, squares = 0.0, product[N][N];
    set_up(&s, false);
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    for (int a = 0; a < N_ATOM; a++) {
        mulliken += p.mulliken_charge[a];
        loewdin += p.loewdin_charge[a];
    }
    assert_true(fabs(mulliken - loewdin) < 1e-11);
    assert_true(fabs(mulliken - (16.0 - p.n_electron)) < 1e-11);
    assert_true(fabs(p.loewdin_charge[2] - 2.0) < 1e-14);
    /* sum of D'_mn^2 over all m, n is tr DSDS, whatever the root of S */
    multiply(s.density, s.overlap, product);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) squares += product[i][j] * product[j][i];
    double between = 0.0;
    for (int i = 0; i < p.n_bond; i++) {
        assert_true(p.bond[i].wiberg >= 0.0);
        between += 2.0 * p.bond[i].wiberg;
        assert_true(p.bond[i].atom > p.bond[i].other);
        if (i > 0)
            assert_true(p.bond[i].atom > p.bond[i - 1].atom ||
                        p.bond[i].other > p.bond[i - 1].other);
    }
    assert_true(between < squares);
    hf_properties_done(&p);
    tear_down(&s);
}

/** Its eigenvectors are those that S would be diagonalised for. */
TEST(an_orthogonaliser_gives_the_same_charges)
{
    struct system s;
    struct hf_properties p, q;
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *copy = NULL;
    set_up(&s, false);
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    make_matrix(&s, &copy);
    hf_matrix_copy(s.wave.overlap, copy);
    assert_ok(hf_orthogonaliser_create(s.context, copy, 1e-10, &s.wave.orthogonaliser, &spectrum,
                                       NULL, NULL));
    assert_int_equal(spectrum.n_removed, 0);
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &q, NULL));
    for (int a = 0; a < N_ATOM; a++)
        assert_true(fabs(p.loewdin_charge[a] - q.loewdin_charge[a]) < 1e-12);
    hf_matrix_destroy(&copy);
    hf_properties_done(&p);
    hf_properties_done(&q);
    tear_down(&s);
}

TEST(the_dipole_moment_is_that_of_the_hamiltonian)
{
    struct system s;
    struct hf_properties p;
    double dipole[3];
    set_up(&s, true);
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    assert_ok(hf_hamiltonian_dipole(s.hamiltonian, s.wave.density, dipole, NULL));
    for (int d = 0; d < 3; d++) assert_true(fabs(p.dipole[d] - dipole[d]) < 1e-11);
    assert_true(fabs(p.quadrupole[0] + p.quadrupole[3] + p.quadrupole[5]) < 1e-11);
    hf_properties_done(&p);
    tear_down(&s);
}

TEST(a_density_of_other_electrons_is_noticed)
{
    struct system s;
    struct hf_properties p;
    double trace = 0.0;
    set_up(&s, false);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) trace += s.density[i][j] * s.overlap[i][j];
    assert_ok(hf_properties_compute(s.context, &s.wave, false, &p, NULL));
    assert_false(p.complete);
    assert_null(p.mulliken_charge);
    assert_true(fabs(p.n_electron - trace) < 1e-11);
    assert_true(p.n_electron_expected == 16.0);
    assert_false(hf_properties_electrons_agree(&p));
    p.n_electron = 16.0 + 1e-6;
    assert_true(hf_properties_electrons_agree(&p));
    p.n_electron = 16.0 + 2e-6;
    assert_false(hf_properties_electrons_agree(&p));
    hf_properties_done(&p);
    tear_down(&s);
}

/** Water and others as in tests/reference/properties.json, with what Psi4 1.3.2 prints for them; a line
 *  of atoms has two constants, an atom none. */
TEST(rotational_constants_are_those_of_another_program)
{
    static const double water[3][3] = {
        {0.0, 0.0, 0.22166487}, {0.0, 1.43090062, -0.88665950}, {0.0, -1.43090062, -0.88665950}};
    static const double expected[3] = {820.75102723, 437.30138550, 285.29460118};
    struct system s;
    struct hf_properties p;
    set_up(&s, false);
    s.molecule.n_atom = 3;
    for (int a = 0; a < 3; a++) {
        s.atom[a] = (struct hf_atom){.atomic_number = a == 0 ? 8 : 1};
        memcpy(s.atom[a].position_bohr, water[a], sizeof water[a]);
    }
    s.atom[3].ghost = true;
    s.molecule.n_atom = N_ATOM;
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    for (int i = 0; i < 3; i++) assert_true(fabs(p.rotational_ghz[i] - expected[i]) < 2e-5);
    assert_true(fabs(p.mass - 18.01056468403) < 1e-9);
    hf_properties_done(&p);
    s.atom[2].ghost = true;
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    assert_true(isinf(p.rotational_ghz[0]));
    assert_true(fabs(p.rotational_ghz[1] / p.rotational_ghz[2] - 1.0) < 1e-12);
    hf_properties_done(&p);
    s.atom[1].ghost = true;
    assert_ok(hf_properties_compute(s.context, &s.wave, true, &p, NULL));
    assert_true(isinf(p.rotational_ghz[0]) && isinf(p.rotational_ghz[2]));
    hf_properties_done(&p);
    tear_down(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1) grid = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
