/* The terms of the Hamiltonian: their matrices on any number of ranks, and their energies. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hamiltonian/hamiltonian.h"

#include <math.h>

static const char *grid = "serial";

static const double centre[3][3] = {{0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}, {-1.4, 0.2, 1.1}};
static const struct test_shell shells[] = {
    {0, 0, 2, false, {0.8, 3.0}, {1.0, 0.4}},
    {0, 2, 1, true, {0.9}, {1.0}},
    {1, 1, 1, false, {0.7}, {1.0}},
    {1, 0, 1, false, {0.5}, {1.0}},
    {2, 3, 1, true, {1.1}, {1.0}},
    {2, 1, 2, false, {0.3, 2.0}, {0.5, 0.2}},
};

/** Carbon, hydrogen and a ghost, and what is needed to ask for matrices. */
struct system {
    struct hf_context *context;
    struct hf_atom atom[3];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_linalg *linalg;
    struct hf_hamiltonian *hamiltonian;
    struct hf_matrix *matrix;
    int n;
};

static void set_up(struct system *system)
{
    *system = (struct system){.context = test_context()};
    const int number[3] = {6, 1, 8};
    for (int a = 0; a < 3; a++) {
        system->atom[a] = (struct hf_atom){.atomic_number = number[a], .ghost = a == 2};
        memcpy(system->atom[a].position_bohr, centre[a], sizeof centre[a]);
    }
    system->molecule = (struct hf_molecule){.n_atom = 3, .atom = system->atom, .multiplicity = 1};
    system->basis = test_basis(3, centre, sizeof shells / sizeof *shells, shells);
    const int n = system->n = system->basis->n_function;
    const int smallest_parallel = strcmp(grid, "parallel") == 0 ? 0 : n + 1;
    assert_ok(
        hf_linalg_create_ext(system->context, n, smallest_parallel, 3, &system->linalg, NULL));
    assert_ok(hf_matrix_create(system->linalg, "test", n, n, &system->matrix, NULL));
    assert_ok(hf_hamiltonian_create(system->context, system->linalg, system->basis,
                                    &system->molecule, &system->hamiltonian, NULL));
}

static void tear_down(struct system *system)
{
    hf_hamiltonian_destroy(&system->hamiltonian);
    hf_matrix_destroy(&system->matrix);
    hf_linalg_destroy(&system->linalg);
    test_basis_destroy(&system->basis);
    test_context_done(&system->context);
}

/** Full copy of system->matrix; free with free. */
static double energy_of_nuclei(const struct system *system, const struct hf_term_ops *term)
{
    return hf_nuclear_energy_of(system->context, &system->molecule, term);
}

static double nuclear_energy(const struct system *system)
{
    return hf_nuclear_energy(system->context, &system->molecule);
}

static double *gather(const struct system *system)
{
    double *full = calloc((size_t)system->n * (size_t)system->n, sizeof *full);
    assert_non_null(full);
    hf_matrix_gather_full(system->matrix, full);
    return full;
}

static double *term_matrix(struct system *system, const struct hf_term_ops *term)
{
    assert_true(term->present(&system->molecule));
    assert_ok(hf_hamiltonian_term(system->hamiltonian, term, system->matrix, NULL));
    return gather(system);
}

static double *operator_matrix(struct system *system, enum hf_operator which)
{
    assert_ok(hf_operator_matrix(system->hamiltonian, which, system->matrix, NULL));
    return gather(system);
}

static double *core_matrix(struct system *system)
{
    assert_ok(hf_hamiltonian_core(system->hamiltonian, system->matrix, NULL));
    return gather(system);
}

/** Largest difference of a and factor times b. */
static double difference(const struct system *system, const double *a, double factor,
                         const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < system->n * system->n; k++)
        largest = fmax(largest, fabs(a[k] - factor * b[k]));
    return largest;
}

TEST(matrices_hold_the_integrals_of_their_shells)
{
    struct system system;
    struct hf_one_electron *one_electron = NULL;
    set_up(&system);
    assert_ok(hf_one_electron_create(system.basis->max_l, 0, NULL, &one_electron, NULL));
    for (int which = HF_OVERLAP; which <= HF_DIPOLE_Z; which++) {
        double *full = operator_matrix(&system, (enum hf_operator)which);
        for (int m = 0; m < system.basis->n_shell; m++) {
            for (int l = 0; l < system.basis->n_shell; l++) {
                const struct hf_shell *a = &system.basis->shell[m], *b = &system.basis->shell[l];
                const double *integral =
                    hf_one_electron_block(one_electron, (enum hf_operator)which, a, b);
                for (int i = 0; i < a->n_function; i++)
                    for (int j = 0; j < b->n_function; j++)
                        assert_true(
                            fabs(full[a->first_function + i + system.n * (b->first_function + j)] -
                                 *integral++) < 1e-13);
            }
        }
        free(full);
    }
    hf_one_electron_destroy(&one_electron);
    tear_down(&system);
}

TEST(the_core_is_the_sum_of_the_terms_that_are_present)
{
    struct hf_point_charge charge[] = {{0.4, {0.0, 3.0, 1.0}}, {-1.2, {-4.0, 0.5, 2.0}}};
    struct system system;
    set_up(&system);
    for (int all = 0; all <= 1; all++) {
        if (all)
            system.molecule.environment = (struct hf_environment){
                .n_charge = 2, .charge = charge, .field = {0.01, 0.0, -0.02}};
        double *core = core_matrix(&system);
        int n_present = 0;
        for (int i = 0; hf_term_list[i] != NULL; i++) {
            if (!hf_term_list[i]->present(&system.molecule)) continue;
            double *term = term_matrix(&system, hf_term_list[i]);
            for (int k = 0; k < system.n * system.n; k++) core[k] -= term[k];
            free(term);
            n_present++;
        }
        assert_int_equal(n_present, all ? 4 : 2);
        assert_true(difference(&system, core, 0.0, core) < 1e-13);
        free(core);
    }
    tear_down(&system);
}

/** A charge where a ghost is does to electrons and nuclei what a nucleus there would do. */
TEST(a_charge_acts_like_a_nucleus)
{
    struct system system;
    set_up(&system);
    const double without = nuclear_energy(&system);
    double *attraction = term_matrix(&system, &hf_term_nuclei);
    struct hf_point_charge charge = {8.0, {centre[2][0], centre[2][1], centre[2][2]}};
    system.molecule.environment = (struct hf_environment){.n_charge = 1, .charge = &charge};
    const double with_charge = nuclear_energy(&system);
    double *of_charge = term_matrix(&system, &hf_term_point_charges);
    double *core_with_charge = core_matrix(&system);

    system.molecule.environment.n_charge = 0;
    system.atom[2].ghost = false;
    double *of_all = term_matrix(&system, &hf_term_nuclei);
    double *core_with_nucleus = core_matrix(&system);
    for (int k = 0; k < system.n * system.n; k++) attraction[k] += of_charge[k];
    assert_true(difference(&system, attraction, 1.0, of_all) < 1e-13);
    assert_true(difference(&system, core_with_charge, 1.0, core_with_nucleus) < 1e-13);
    assert_true(fabs(nuclear_energy(&system) - with_charge) < 1e-13);
    assert_true(with_charge > without + 1.0);
    free(core_with_nucleus);
    free(core_with_charge);
    free(of_all);
    free(of_charge);
    free(attraction);
    tear_down(&system);
}

TEST(charges_that_are_zero_do_nothing)
{
    struct system system;
    set_up(&system);
    struct hf_point_charge charge[2] = {{0.0, {centre[0][0], centre[0][1], centre[0][2]}},
                                        {0.0, {5.0, 0.0, 0.0}}};
    const double energy = nuclear_energy(&system);
    double *without = core_matrix(&system);
    system.molecule.environment = (struct hf_environment){.n_charge = 2, .charge = charge};
    double *with = core_matrix(&system);
    assert_true(difference(&system, without, 1.0, with) == 0.0);
    assert_true(nuclear_energy(&system) == energy);
    free(with);
    free(without);
    tear_down(&system);
}

/** Charges Q far away on either side of the molecule make the field 2 Q / R^2. */
TEST(far_charges_make_a_uniform_field)
{
    const double distance = 1e4, strength = 0.01, charge_far = 0.5 * strength * 1e8;
    struct system system;
    set_up(&system);
    system.molecule.environment.field[2] = strength;
    double *field = term_matrix(&system, &hf_term_field);
    const double energy = energy_of_nuclei(&system, &hf_term_field);
    struct hf_point_charge charge[2] = {{charge_far, {0.0, 0.0, -distance}},
                                        {-charge_far, {0.0, 0.0, distance}}};
    system.molecule.environment = (struct hf_environment){.n_charge = 2, .charge = charge};
    double *far = term_matrix(&system, &hf_term_point_charges);
    assert_true(difference(&system, field, 1.0, far) < 1e-7);
    assert_true(difference(&system, field, 0.0, far) > 1e-3);
    assert_true(fabs(energy - energy_of_nuclei(&system, &hf_term_point_charges)) < 1e-7);
    free(far);
    free(field);
    tear_down(&system);
}

TEST(the_field_acts_on_the_dipole_moment)
{
    struct system system;
    set_up(&system);
    const double field[3] = {0.01, -0.02, 0.03};
    memcpy(system.molecule.environment.field, field, sizeof field);
    double *density = calloc((size_t)system.n * (size_t)system.n, sizeof *density);
    for (int i = 0; i < system.n; i++)
        for (int j = 0; j < system.n; j++)
            density[i + system.n * j] = 0.1 * cos(1.0 + i + j) + (i == j);
    struct hf_matrix *d = NULL;
    assert_ok(hf_matrix_create(system.linalg, "D", system.n, system.n, &d, NULL));
    hf_matrix_set_full(d, density);
    assert_ok(hf_hamiltonian_core(system.hamiltonian, system.matrix, NULL));
    double one_electron, dipole[3], kinetic;
    hf_matrix_dot(d, system.matrix, &one_electron);
    struct hf_energy_term term[HF_MAX_TERM];
    int n_term = 0;
    assert_ok(hf_hamiltonian_energies(system.hamiltonian, d, one_electron, &n_term, term, NULL));
    assert_ok(hf_hamiltonian_dipole(system.hamiltonian, d, dipole, NULL));
    assert_int_equal(n_term, 3);
    assert_string_equal(term[2].name, "field");
    double expected = 0.0, sum = 0.0, nuclei = 0.0;
    for (int x = 0; x < 3; x++) expected -= field[x] * dipole[x];
    assert_true(fabs(term[2].electrons + term[2].nuclei - expected) < 1e-13);
    for (int i = 0; i < n_term; i++) sum += term[i].electrons;
    for (int i = 0; i < n_term; i++) nuclei += term[i].nuclei;
    assert_true(fabs(sum - one_electron) < 1e-11);
    assert_true(fabs(nuclei - nuclear_energy(&system)) < 1e-13);
    assert_true(term[0].nuclei == 0.0 &&
                term[1].nuclei == hf_molecule_nuclear_repulsion(&system.molecule));
    assert_ok(hf_operator_matrix(system.hamiltonian, HF_KINETIC, system.matrix, NULL));
    hf_matrix_dot(d, system.matrix, &kinetic);
    assert_true(fabs(term[0].electrons - kinetic) < 1e-12);
    hf_matrix_destroy(&d);
    free(density);
    tear_down(&system);
}

TEST(threads_change_no_bit)
{
    struct system system;
    struct hf_spread_charge charge[11];
    double *core[5], *spread[5];
    set_up(&system);
    for (int c = 0; c < 11; c++)
        charge[c] = (struct hf_spread_charge){.charge = 0.3 * c - 1.0,
                                              .exponent = c % 3 == 0 ? INFINITY : 0.4 * c,
                                              .position_bohr = {0.9 * c - 3.0, 0.2 * c, -0.5}};
    for (int t = 1; t <= 4; t++) {
        system.context->n_thread = t;
        core[t] = core_matrix(&system);
        assert_ok(hf_hamiltonian_charges(system.hamiltonian, 11, charge, system.matrix, NULL));
        spread[t] = gather(&system);
    }
    const size_t bytes = (size_t)system.n * (size_t)system.n * sizeof(double);
    for (int t = 1; t <= 4; t++) {
        assert_memory_equal(core[t], core[1], bytes);
        assert_memory_equal(spread[t], spread[1], bytes);
    }
    for (int t = 1; t <= 4; t++) {
        free(core[t]);
        free(spread[t]);
    }
    tear_down(&system);
}

/** Nuclei and charges in no order, and ghosts in the places of atoms: on any number of ranks the same bits as
 *  in a plain sum by nuclei. */
TEST(ranks_change_no_bit_of_the_energy_of_nuclei)
{
    enum { N_ATOM = 101, N_CHARGE = 7 };
    struct system system;
    struct hf_atom atom[N_ATOM] = {0};
    struct hf_point_charge charge[N_CHARGE];
    set_up(&system);
    for (int i = 0; i < N_ATOM; i++) {
        atom[i].atomic_number = 1 + i % 9;
        atom[i].ghost = i % 10 == 9;
        for (int x = 0; x < 3; x++) atom[i].position_bohr[x] = 20.0 * sin(1.0 + (3 * i + x) * 1.7);
        if (atom[i].ghost) atom[i] = (struct hf_atom){.atomic_number = 8, .ghost = true};
    }
    for (int c = 0; c < N_CHARGE; c++)
        charge[c] = (struct hf_point_charge){0.3 * c - 0.7, {c + 0.1, 25.0, -0.3 * c}};
    struct hf_molecule *molecule = &system.molecule;
    *molecule = (struct hf_molecule){.n_atom = N_ATOM, .atom = atom, .multiplicity = 1};
    molecule->environment = (struct hf_environment){
        .n_charge = N_CHARGE, .charge = charge, .field = {0.01, -0.02, 0.03}};
    const double repulsion = hf_molecule_nuclear_repulsion(molecule);
    assert_true(repulsion > 1.0 && isfinite(repulsion));
    assert_true(energy_of_nuclei(&system, &hf_term_nuclei) == repulsion);
    double all = 0.0;
    for (int k = 0; hf_term_list[k] != NULL; k++) {
        double sum = 0.0;
        if (hf_term_list[k]->nuclear_energy == NULL) continue;
        for (int i = 0; i < N_ATOM; i++) sum += hf_term_list[k]->nuclear_energy(molecule, i);
        assert_true(energy_of_nuclei(&system, hf_term_list[k]) == sum && sum != 0.0);
        all += sum;
    }
    assert_true(nuclear_energy(&system) == all);
    assert_true(energy_of_nuclei(&system, &hf_term_kinetic) == 0.0);
    tear_down(&system);
}

TEST(every_term_says_what_it_is)
{
    int n = 0;
    for (; hf_term_list[n] != NULL; n++) {
        const struct hf_term_ops *term = hf_term_list[n];
        assert_true(term->name[0] != '\0' && term->about[0] != '\0' && term->cite[0] != '\0');
        for (int i = 0; i < n; i++) assert_string_not_equal(term->name, hf_term_list[i]->name);
    }
    assert_true(n >= 4 && n <= HF_MAX_TERM);
}

int main(int argc, char **argv)
{
    if (argc > 1) grid = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
