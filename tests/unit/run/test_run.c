/* The front door: energies, outcomes, and a message for every argument that is wrong. */
#include "../mpi_test.h"

#include "hf/hf.h"
#include "hf/interruption.h"
#include "hf/mp2.h"
#include "pairs/common_pairs.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

static const int atomic_number[] = {8, 1, 1};
static const double position_bohr[][3] = {
    {0.0, 0.0, 0.22166487}, {0.0, 1.43090062, -0.88665950}, {0.0, -1.43090062, -0.88665950}};

static struct hf_run_settings water(int n_key, const struct hf_run_key key[])
{
    return (struct hf_run_settings){.n_atom = 3,
                                    .atomic_number = atomic_number,
                                    .position_bohr = position_bohr,
                                    .n_key = n_key,
                                    .key = key};
}

static void assert_says(hf_status status, const char *message)
{
    assert_int_equal(status, HF_BAD_INPUT);
    if (strstr(error.message, message) == NULL)
        fail_msg("'%s', expected '%s'", error.message, message);
}

TEST(atoms_and_a_basis_give_an_energy)
{
    double energy = 0.0;
    assert_ok(
        hf_energy(MPI_COMM_WORLD, 3, atomic_number, position_bohr, 0, 1, "STO-3G", &energy, NULL));
    const struct hf_run_key key[] = {{"basis", " STO-3G\n"}}; /* as it may come from a file */
    const struct hf_run_settings settings = water(1, key);
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_true(outcome.result.converged);
    assert_false(outcome.stuck_in_mpi);
    assert_float_equal(outcome.result.energy, energy, 1e-9);
    hf_run_done(&outcome);
}

TEST(what_is_wrong_with_the_arguments_is_said)
{
    double e;
    const MPI_Comm all = MPI_COMM_WORLD;
    const int odd[] = {8, 1, 119};
    assert_says(hf_energy(all, 0, atomic_number, position_bohr, 0, 1, "STO-3G", &e, &error),
                "0 atoms; expected at least one");
    assert_says(hf_energy(all, 3, NULL, position_bohr, 0, 1, "STO-3G", &e, &error), "nothing");
    assert_says(hf_energy(all, 3, atomic_number, NULL, 0, 1, "STO-3G", &e, &error), "nothing");
    assert_says(hf_energy(all, 3, odd, position_bohr, 0, 1, "STO-3G", &e, &error),
                "list of atoms, line 3: atomic number 119; expected 1 to 118");
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 0, 1, NULL, &e, &error), "NULL");
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 0, 1, "STO-3", &e, &error),
                "STO-3");
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 1, 1, "STO-3G", &e, &error),
                "9 electrons");
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 0, 0, "STO-3G", &e, &error),
                "multiplicity");
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 0, 1, "STO-3G", NULL, &error),
                "no place for the energy");
    assert_says(
        hf_energy(MPI_COMM_NULL, 3, atomic_number, position_bohr, 0, 1, "STO-3G", &e, &error),
        "communicator is null");
}

static void assert_settings_say(const struct hf_run_settings *settings, const char *message)
{
    struct hf_run_outcome outcome;
    assert_says(hf_run(MPI_COMM_WORLD, settings, &outcome, &error), message);
    assert_null(outcome.state);
    hf_run_done(&outcome);
}

TEST(what_is_wrong_with_the_settings_is_said)
{
    const struct hf_run_key unknown[] = {{"basic", "STO-3G"}}, bad[] = {{"charge", "two"}};
    const struct hf_run_key null[] = {{"basis", NULL}}, units[] = {{"units", "angstrom"}};
    const struct hf_run_key fragments[] = {{"fragments", "1,2-3"}},
                            two[] = {{"basis", "cc-pV[DT]Z"}};
    const struct hf_run_key formula[] = {{"extrapolation", "neese"}};
    struct hf_run_settings settings = water(1, unknown);
    assert_settings_say(&settings, "unknown key 'basic'; did you mean basis");
    settings = water(1, bad);
    assert_settings_say(&settings, "charge 'two' is not a whole number");
    settings = water(1, fragments);
    assert_settings_say(&settings, "fragments: the program does that, not the library");
    settings = water(1, formula);
    assert_settings_say(&settings, "extrapolation: the program does that, not the library");
    settings = water(1, two);
    assert_settings_say(&settings, "\"cc-pV[DT]Z\": only the program extrapolates two basis sets");
    settings = water(1, null);
    assert_settings_say(&settings, "NULL");
    settings = water(2, NULL);
    assert_settings_say(&settings, "announce 2 keys");
    settings = water(1, units);
    assert_settings_say(&settings, "units angstrom: the positions of given atoms are in bohr");
    settings = water(0, NULL);
    settings.input_path = "water.mol";
    assert_settings_say(&settings, "an input file and atoms");
    settings = (struct hf_run_settings){.input_path = "no-such-file"};
    assert_settings_say(&settings, "no-such-file: there is no such file");
    assert_settings_say(NULL, "settings are NULL");
    assert_says(hf_run(MPI_COMM_WORLD, &settings, NULL, &error), "no place for the outcome");
}

/** The outcome is of the structure that was found. */
TEST(a_structure_is_found)
{
    const struct hf_run_key key[] = {{"basis", "STO-3G"}, {"task", "optimize"}};
    struct hf_run_settings settings = water(2, key);
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_true(outcome.found && outcome.result.converged && outcome.gradient != NULL);
    assert_true(fabs(outcome.energy + 74.965901) < 2e-6); /* Psi4 */
    assert_true(fabs(outcome.molecule->atom[1].position_bohr[1] - position_bohr[1][1]) > 1e-3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) assert_true(fabs(outcome.gradient[i][k]) < 4.5e-4);
    hf_run_done(&outcome);
}

/** Against Psi4 1.3.2, as in tests/cli/test_polarisability.py. */
TEST(a_polarisability_is_in_the_outcome)
{
    static const double place[][3] = {{0.0, 0.0, 0.2}, {0.0, 1.4, -0.9}, {0.1, -1.5, -0.8}};
    const struct hf_run_key key[] = {{"basis", "cc-pVDZ"}, {"polarisability", "yes"}};
    struct hf_run_settings settings = water(1, key);
    struct hf_run_outcome outcome;
    settings.position_bohr = place;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_null(outcome.polarisability);
    hf_run_done(&outcome);
    settings.n_key = 2;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_non_null(outcome.polarisability);
    assert_true(outcome.polarisability->converged);
    assert_float_equal(outcome.polarisability->tensor[0], 3.049417438, 1e-5);
    assert_float_equal(outcome.polarisability->tensor[8], 4.842304132, 1e-5);
    assert_float_equal(outcome.polarisability->tensor[5], -0.003848631, 1e-5);
    hf_run_done(&outcome);
}

/** The last of several ranks gives another argument than the others, or none. */
TEST(arguments_that_differ_from_rank_to_rank_are_refused)
{
    double e, place[3][3];
    const MPI_Comm all = MPI_COMM_WORLD;
    const bool last = rank_here() == rank_count() - 1;
    const double(*moved)[3] = (const double(*)[3])place;
    const int other[] = {8, 1, last ? 9 : 1};
    struct hf_run_outcome outcome;
    if (rank_count() == 1) return;
    memcpy(place, position_bohr, sizeof place);
    if (last) place[2][0] = 1e-9;
    static const char molecule[] = "the molecule differs from rank to rank";
    assert_says(hf_energy(all, 3, atomic_number, moved, 0, 1, "STO-3G", &e, &error), molecule);
    assert_says(hf_energy(all, 3, other, position_bohr, 0, 1, "STO-3G", &e, &error), molecule);
    assert_says(hf_energy(all, 3 - last, atomic_number, position_bohr, 0, 1, "STO-3G", &e, &error),
                molecule);
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 2 * last, 1, "STO-3G", &e, &error),
                molecule);
    assert_says(hf_energy(all, 3, atomic_number, position_bohr, 0, 1, last ? "6-31G" : "STO-3G", &e,
                          &error),
                "the basis differs from rank to rank");
    assert_says(
        hf_energy(all, 3, atomic_number, position_bohr, 0, 1, "STO-3G", last ? NULL : &e, &error),
        "no place for the energy");
    const struct hf_run_key key[] = {{"basis", "STO-3G"}, {"diis_size", last ? "7" : "8"}};
    struct hf_run_settings settings = water(2, key);
    assert_settings_say(&settings, "a setting differs from rank to rank");
    settings = water(1 + last, key);
    assert_settings_say(&settings, "a setting differs from rank to rank");
    settings = water(1, key);
    settings.wavefunction = last ? HF_WAVEFUNCTION_ENERGIES : HF_WAVEFUNCTION_ALL;
    assert_settings_say(&settings, "a setting differs from rank to rank");
    settings = (struct hf_run_settings){.input_path = last ? "one" : "another"};
    assert_settings_say(&settings, molecule);
    assert_settings_say(last ? NULL : &settings, "settings are NULL");
    settings = water(1, key);
    assert_says(hf_run(all, &settings, last ? NULL : &outcome, &error), "no place for the outcome");
}

/** The same of hf_scf_run. */
TEST(the_driver_refuses_what_differs_from_rank_to_rank)
{
    const bool last = rank_here() == rank_count() - 1;
    struct hf_atom atom = {.atomic_number = 2};
    struct hf_molecule helium = {.n_atom = 1, .atom = &atom, .multiplicity = 1};
    const struct hf_basis_choice choice = {.atom = -1, .name = "STO-3G"};
    TEST_CONTEXT(context);
    struct hf_basis *basis = NULL;
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction = {0};
    struct hf_scf_settings settings = hf_scf_defaults();
    assert_ok(
        hf_basis_create(context, &helium, 1, &choice, HF_CONVENTION_AS_DEFINED, &basis, &error));
    if (rank_count() > 1) {
        helium.multiplicity = last ? 3 : 1;
        assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                    "the molecule differs from rank to rank");
        helium.multiplicity = 1;
        basis->shell[0].l = last;
        assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                    "the basis differs from rank to rank");
        basis->shell[0].l = 0;
        settings.fock.builder = last ? "distributed" : "replicated";
        assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                    "a setting differs from rank to rank");
        settings = hf_scf_defaults();
        settings.fock.onesided.self_test_seconds = last ? 1.0 : 0.0;
        assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                    "a setting differs from rank to rank");
        settings = hf_scf_defaults();
        assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result,
                               last ? &wavefunction : NULL, &error),
                    "a setting differs from rank to rank");
        assert_says(hf_scf_run(context, last ? NULL : &helium, basis, &settings, NULL, &result,
                               NULL, &error),
                    "a molecule, basis and settings");
    }
    hf_basis_destroy(&basis);
}

TEST(nothing_is_freed_without_harm)
{
    hf_basis_destroy(NULL);
    hf_basis_list_done(NULL);
    hf_context_destroy(NULL);
    hf_interruption_destroy(NULL);
    hf_linalg_destroy(NULL);
    hf_matrix_destroy(NULL);
    hf_memory_destroy(NULL);
    hf_memory_release(NULL, NULL);
    hf_molecule_done(NULL);
    hf_properties_done(NULL);
    hf_record_destroy(NULL);
    hf_scf_fragments_destroy(NULL);
    hf_run_done(NULL);
    hf_wavefunction_done(NULL);
}

TEST(an_energy_that_does_not_converge_is_a_field_of_the_outcome)
{
    const struct hf_run_key key[] = {{"basis", "STO-3G"}, {"max_iterations", "2"}};
    const struct hf_run_settings settings = water(2, key);
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_false(outcome.result.converged);
    assert_int_equal(outcome.record->n_iteration, 2);
    hf_run_done(&outcome);
    assert_null(outcome.record);
}

static void count_iteration(void *data, const struct hf_scf_iteration *iteration)
{
    *(int *)data = iteration->number;
}

TEST(the_outcome_has_wave_function_record_and_molecule)
{
    int n_seen = 0;
    const struct hf_run_key key[] = {{"basis", "STO-3G"}};
    struct hf_run_settings settings = water(1, key);
    settings.observer = (struct hf_scf_observer){.iteration = count_iteration, .data = &n_seen};
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    assert_int_equal(n_seen, outcome.result.n_iteration);
    assert_int_equal(outcome.record->n_iteration, n_seen);
    assert_int_equal(outcome.molecule->n_atom, 3);
    assert_true(outcome.molecule->atom[1].position_bohr[1] == position_bohr[1][1]);
    assert_string_equal(outcome.basis->name, "STO-3G");
    const struct hf_orbitals *orbitals = &outcome.wavefunction.spin[0];
    assert_int_equal(orbitals->n_orbital, 7);
    double electrons = 0.0;
    hf_matrix_dot(outcome.wavefunction.density, outcome.wavefunction.overlap, &electrons);
    assert_float_equal(electrons, 10.0, 1e-9);
    assert_string_equal(outcome.record->statistics.phase[0].name, "Total");
    hf_run_done(&outcome);
}

static int stop(void *data, double fraction)
{
    (void)data;
    (void)fraction;
    return SIGTERM;
}

TEST(progress_may_end_a_run)
{
    const struct hf_run_key key[] = {{"basis", "STO-3G"}};
    struct hf_run_settings settings = water(1, key);
    settings.progress = stop;
    struct hf_run_outcome outcome;
    assert_int_equal(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error), HF_INTERRUPTED);
    assert_int_equal(error.signal_number, SIGTERM);
}

/** hf_scf_run by itself: its defaults run, and its arguments are looked at. */
TEST(the_driver_runs_with_its_defaults_and_checks_its_arguments)
{
    struct hf_atom atom[] = {{.atomic_number = 2}, {.atomic_number = 2}};
    const struct hf_molecule helium = {.n_atom = 1, .atom = atom, .multiplicity = 1};
    const struct hf_molecule two = {.n_atom = 2, .atom = atom, .multiplicity = 1};
    const struct hf_basis_choice choice = {.atom = -1, .name = "STO-3G"};
    TEST_CONTEXT(context);
    struct hf_basis *basis = NULL;
    struct hf_scf_result result;
    struct hf_scf_settings settings = hf_scf_defaults();
    assert_ok(
        hf_basis_create(context, &helium, 1, &choice, HF_CONVENTION_AS_DEFINED, &basis, &error));
    assert_ok(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error));
    assert_float_equal(result.energy, -2.8077839566, 1e-6);
    assert_says(hf_scf_run(context, NULL, basis, &settings, NULL, &result, NULL, &error),
                "a molecule, basis and settings");
    assert_says(hf_scf_run(context, &helium, NULL, &settings, NULL, &result, NULL, &error),
                "a molecule, basis and settings");
    assert_says(hf_scf_run(context, &helium, basis, NULL, NULL, &result, NULL, &error),
                "a molecule, basis and settings");
    assert_says(hf_scf_run(context, &two, basis, &settings, NULL, &result, NULL, &error),
                "the basis has 1 atoms, the molecule 2");
    atom[0].n_core = 2;
    assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                "atom 1 has a core of 2 electrons, its basis set one of 0");
    atom[0].n_core = 0;
    settings.guess = NULL;
    assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                "name is NULL");
    settings = hf_scf_defaults();
    settings.fock.builder = NULL;
    assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                "name is NULL");
    settings = hf_scf_defaults();
    settings.fock.builder = "distributed";
    settings.fock.onesided.transport = NULL;
    assert_says(hf_scf_run(context, &helium, basis, &settings, NULL, &result, NULL, &error),
                "name is NULL");
    hf_basis_destroy(&basis);
}

/** SCF and MP2 with lent shell pairs, or with their own: the same energies, to a rounding error. */
TEST(the_driver_and_mp2_take_shell_pairs_that_are_lent)
{
    enum { OWN, LENT, LENT_AGAIN, N_WAY };
    struct hf_atom atom[] = {{.atomic_number = 2},
                             {.atomic_number = 2, .position_bohr = {3, 1, 0}}};
    const struct hf_molecule helium = {.n_atom = 2, .atom = atom, .multiplicity = 1};
    const struct hf_basis_choice choice = {.atom = -1, .name = "6-31G"};
    TEST_CONTEXT(context);
    struct hf_basis *basis = NULL, *other = NULL;
    struct hf_common_pairs *common = NULL;
    struct hf_scf_result result[N_WAY];
    struct hf_mp2_result mp2[N_WAY];
    struct hf_scf_settings settings = hf_scf_defaults();
    struct hf_mp2_settings of_mp2 = {.algorithm = "kets",
                                     .schedule = {.name = "static"},
                                     .onesided = {.transport = "rma"},
                                     .threshold = 1e-12,
                                     .memory_bytes = INFINITY};
    assert_ok(
        hf_basis_create(context, &helium, 1, &choice, HF_CONVENTION_AS_DEFINED, &basis, &error));
    assert_ok(
        hf_basis_create(context, &helium, 1, &choice, HF_CONVENTION_AS_DEFINED, &other, &error));
    assert_ok(hf_common_pairs_create(context, basis, INFINITY, &common, &error));
    for (int way = 0; way < N_WAY; way++) {
        struct hf_wavefunction wave;
        if (way != OWN) settings.pairs = of_mp2.pairs = common;
        assert_ok(
            hf_scf_run(context, &helium, basis, &settings, NULL, &result[way], &wave, &error));
        assert_ok(hf_mp2_compute(context, &wave, &of_mp2, &mp2[way], &error));
        assert_float_equal(result[way].energy, result[OWN].energy, 1e-13);
        assert_float_equal(mp2[way].correlation, mp2[OWN].correlation, 1e-13);
        hf_wavefunction_done(&wave);
    }
    assert_true(mp2[OWN].correlation < -1e-3);
    assert_says(hf_scf_run(context, &helium, other, &settings, NULL, &result[OWN], NULL, &error),
                "the shell pairs of the settings are of another basis");
    hf_common_pairs_destroy(&common);
    hf_basis_destroy(&other);
    hf_basis_destroy(&basis);
}

TEST(a_run_goes_on_from_the_checkpoint_of_another)
{
    char path[] = "/tmp/hf-run-XXXXXX";
    const int file = rank_here() == 0 ? mkstemp(path) : -1;
    MPI_Bcast(path, (int)sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    const struct hf_run_key first[] = {
        {"basis", "STO-3G"}, {"checkpoint", path}, {"max_iterations", "3"}};
    const struct hf_run_key second[] = {
        {"restart", path}, {"fock", "distributed"}, {"max_iterations", "50"}};
    const struct hf_run_settings stopped = water(3, first), rest = {.n_key = 3, .key = second};
    struct hf_run_outcome outcome;
    double energy;
    assert_ok(hf_energy(MPI_COMM_WORLD, 3, atomic_number, position_bohr, 0, 1, "STO-3G", &energy,
                        &error));
    assert_ok(hf_run(MPI_COMM_WORLD, &stopped, &outcome, &error));
    assert_false(outcome.result.converged);
    hf_run_done(&outcome);
    assert_ok(hf_run(MPI_COMM_WORLD, &rest, &outcome, &error));
    assert_true(outcome.result.converged);
    assert_int_equal(outcome.result.n_earlier, 3);
    assert_int_equal(outcome.molecule->n_atom, 3);
    assert_float_equal(outcome.result.energy, energy, 1e-9);
    hf_run_done(&outcome);
    if (file >= 0) assert_int_equal(close(file) + unlink(path), 0);
}

/** MP2 wants better orbitals than the default tolerance, which the checkpoint has, gives; a checkpoint of such
 *  orbitals takes one Fock build. */
TEST(mp2_goes_on_from_a_checkpoint_of_rhf_and_does_not_repeat_the_scf)
{
    char path[] = "/tmp/hf-run-XXXXXX";
    const int file = rank_here() == 0 ? mkstemp(path) : -1;
    MPI_Bcast(path, (int)sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    const struct hf_run_key rhf[] = {{"basis", "6-31G"}, {"checkpoint", path}};
    const struct hf_run_key mp2[] = {{"restart", path}, {"method", "mp2"}, {"checkpoint", path}};
    const struct hf_run_settings first = water(2, rhf), second = {.n_key = 3, .key = mp2};
    const struct hf_run_settings third = {.n_key = 1, .key = mp2};
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &first, &outcome, &error));
    assert_true(outcome.result.converged && outcome.result.commutator > 1e-8);
    hf_run_done(&outcome);
    assert_ok(hf_run(MPI_COMM_WORLD, &second, &outcome, &error));
    assert_true(outcome.result.converged && outcome.result.commutator < 1e-8);
    const int n_iteration = outcome.result.n_iteration;
    const double energy = outcome.result.energy;
    hf_run_done(&outcome);
    assert_ok(hf_run(MPI_COMM_WORLD, &third, &outcome, &error));
    assert_true(outcome.result.converged && outcome.result.commutator < 1e-8);
    assert_int_equal(outcome.result.n_earlier, n_iteration);
    assert_int_equal(outcome.result.n_iteration, n_iteration + 1);
    assert_float_equal(outcome.result.energy, energy, 1e-10);
    hf_run_done(&outcome);
    if (file >= 0) assert_int_equal(close(file) + unlink(path), 0);
}

int main(int argc, char **argv)
{
    /* Before MPI is there, and without a word from MPI itself. */
    double energy;
    const hf_status early =
        hf_energy(MPI_COMM_WORLD, 3, atomic_number, position_bohr, 0, 1, "STO-3G", &energy, &error);
    if (early != HF_BAD_INPUT || strstr(error.message, "MPI is not initialised") == NULL) return 1;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
