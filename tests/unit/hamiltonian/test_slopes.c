/* Derivatives of every term's energy at a fixed density, and of the overlap's, against central differences. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hamiltonian/hamiltonian.h"

#include <math.h>

static const char *grid = "serial";

enum { N_ATOM = 4, N_CHARGE = 3, N_PLACE = N_ATOM + N_CHARGE };

static const struct test_shell shells[] = {
    {0, 0, 2, false, {0.8, 3.0}, {1.0, 0.4}},
    {0, 2, 1, true, {0.9}, {1.0}},
    {0, 4, 1, true, {0.9}, {1.0}},
    {1, 1, 1, false, {0.7}, {1.0}},
    {1, 0, 1, false, {0.5}, {1.0}},
    {2, 3, 1, true, {1.1}, {1.0}},
    {2, 1, 2, false, {0.3, 2.0}, {0.5, 0.2}},
    {3, 2, 1, false, {0.6}, {0.8}},
    {3, 5, 1, true, {1.2}, {1.0}},
};

/** Three atoms, the second with a core potential, a ghost, charges of which two share a place. */
struct system {
    struct hf_context *context;
    struct hf_linalg *linalg;
    struct hf_atom atom[N_ATOM];
    struct hf_point_charge charge[N_CHARGE];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_core_potential potential;
    struct hf_core_term core_term[4];
    struct hf_matrix *density, *weighted, *matrix;
};

/** A symmetric matrix without pattern. */
static struct hf_matrix *scatter(struct system *system, double phase)
{
    const int n = system->basis->n_function;
    struct hf_matrix *matrix = NULL;
    double *full = calloc((size_t)n * (size_t)n, sizeof *full);
    assert_ok(hf_matrix_create(system->linalg, "test", n, n, &matrix, NULL));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            full[i + n * j] = full[j + n * i] = cos(phase + 1.7 * i * i + 0.6 * j);
    hf_matrix_set_full(matrix, full);
    free(full);
    return matrix;
}

static void set_up(struct system *system)
{
    static const double centre[N_ATOM][3] = {
        {0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}, {-1.4, 0.2, 1.1}, {0.4, 1.9, 0.8}};
    const int number[N_ATOM] = {6, 11, 8, 1};
    *system = (struct system){.context = test_context()};
    for (int a = 0; a < N_ATOM; a++) {
        system->atom[a] = (struct hf_atom){
            .atomic_number = number[a], .ghost = a == 2, .n_core = a == 1 ? 10 : 0};
        memcpy(system->atom[a].position_bohr, centre[a], sizeof centre[a]);
    }
    system->charge[0] = (struct hf_point_charge){0.4, {0.0, 3.0, 1.0}};
    system->charge[1] = (struct hf_point_charge){-1.2, {-4.0, 0.5, 2.0}};
    system->charge[2] = (struct hf_point_charge){0.7, {-4.0, 0.5, 2.0}};
    system->molecule = (struct hf_molecule){
        .n_atom = N_ATOM,
        .atom = system->atom,
        .multiplicity = 1,
        .environment = {N_CHARGE, system->charge, {0.03, -0.02, 0.05}},
    };
    system->basis = test_basis(N_ATOM, centre, sizeof shells / sizeof *shells, shells);
    const struct hf_core_term terms[4] = {
        {2, 0, 1.3, -2.0}, {2, -1, 2.1, -10.0}, {0, 0, 1.8, 20.0}, {1, 0, 1.1, 9.0}};
    memcpy(system->core_term, terms, sizeof terms);
    system->potential = (struct hf_core_potential){1, 10, 2, 4, system->core_term};
    system->basis->n_core_potential = 1;
    system->basis->core_potential = &system->potential;
    const int n = system->basis->n_function;
    const int smallest_parallel = strcmp(grid, "parallel") == 0 ? 0 : n + 1;
    assert_ok(
        hf_linalg_create_ext(system->context, n, smallest_parallel, 3, &system->linalg, NULL));
    assert_ok(hf_matrix_create(system->linalg, "test", n, n, &system->matrix, NULL));
    system->density = scatter(system, 0.3);
    system->weighted = scatter(system, 1.1);
}

static void tear_down(struct system *system)
{
    hf_matrix_destroy(&system->density);
    hf_matrix_destroy(&system->weighted);
    hf_matrix_destroy(&system->matrix);
    hf_linalg_destroy(&system->linalg);
    system->basis->core_potential = NULL;
    test_basis_destroy(&system->basis);
    test_context_done(&system->context);
}

/** The energy whose derivatives are asked for. */
static double energy_of(struct system *system)
{
    double of_density, of_weighted, nuclei;
    struct hf_hamiltonian *hamiltonian = NULL;
    assert_ok(hf_hamiltonian_create(system->context, system->linalg, system->basis,
                                    &system->molecule, &hamiltonian, NULL));
    assert_ok(hf_hamiltonian_core(hamiltonian, system->matrix, NULL));
    hf_matrix_dot(system->density, system->matrix, &of_density);
    assert_ok(hf_operator_matrix(hamiltonian, HF_OVERLAP, system->matrix, NULL));
    hf_matrix_dot(system->weighted, system->matrix, &of_weighted);
    nuclei = hf_nuclear_energy(system->context, &system->molecule);
    hf_hamiltonian_destroy(&hamiltonian);
    return of_density - of_weighted + nuclei;
}

/** The energy with a coordinate of an atom or, behind them, of a charge changed. */
static double displaced(struct system *system, int place, int x, double step)
{
    double *coordinate = place < N_ATOM ? &system->atom[place].position_bohr[x]
                                        : &system->charge[place - N_ATOM].position_bohr[x];
    const double where = *coordinate;
    *coordinate += step;
    for (int s = 0; s < system->basis->n_shell; s++)
        if (system->basis->shell[s].atom == place) system->basis->shell[s].centre_bohr[x] += step;
    const double energy = energy_of(system);
    *coordinate = where;
    for (int s = 0; s < system->basis->n_shell; s++)
        if (system->basis->shell[s].atom == place)
            system->basis->shell[s].centre_bohr[x] = system->atom[place].position_bohr[x];
    return energy;
}

static void find_slopes(struct system *system, double slope[N_PLACE][3])
{
    memset(slope, 0, N_PLACE * sizeof *slope);
    assert_ok(hf_hamiltonian_gradient(system->context, system->basis, &system->molecule,
                                      system->density, system->weighted, slope, slope + N_ATOM,
                                      NULL));
}

static void compare(struct system *system)
{
    const double h = 4e-3;
    double slope[N_PLACE][3];
    find_slopes(system, slope);
    for (int place = 0; place < N_ATOM + system->molecule.environment.n_charge; place++)
        for (int x = 0; x < 3; x++) {
            double expected = 0.0;
            for (int k = 1; k <= 2; k++) { /* with an error of fourth order */
                const double weight = k == 1 ? 8.0 : -1.0;
                expected += weight * (displaced(system, place, x, k * h) -
                                      displaced(system, place, x, -k * h));
            }
            expected /= 12.0 * h;
            if (!(fabs(slope[place][x] - expected) < 2e-8 * (1.0 + fabs(expected))))
                fail_msg("place %d, axis %d: %.12g, differences say %.12g", place, x,
                         slope[place][x], expected);
        }
}

TEST(overlap_kinetic_energy_and_nuclei)
{
    struct system system;
    set_up(&system);
    system.molecule.environment = (struct hf_environment){.n_charge = 0};
    system.atom[1].n_core = 0;
    compare(&system);
    tear_down(&system);
}

TEST(charges_and_a_field)
{
    struct system system;
    set_up(&system);
    system.atom[1].n_core = 0;
    compare(&system);
    tear_down(&system);
}

TEST(core_potentials)
{
    struct system system;
    set_up(&system);
    system.molecule.environment = (struct hf_environment){.n_charge = 0};
    compare(&system);
    tear_down(&system);
}

/** Nothing from outside: no force on the whole, and none that turns it. */
TEST(the_whole_feels_no_force)
{
    struct system system;
    double slope[N_PLACE][3], sum[3] = {0.0};
    set_up(&system);
    system.molecule.environment.field[0] = system.molecule.environment.field[1] =
        system.molecule.environment.field[2] = 0.0;
    find_slopes(&system, slope);
    for (int i = 0; i < N_PLACE; i++)
        for (int x = 0; x < 3; x++) sum[x] += slope[i][x];
    for (int x = 0; x < 3; x++) assert_true(fabs(sum[x]) < 1e-10);
    tear_down(&system);
}

int main(int argc, char **argv)
{
    if (argc > 1) grid = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
