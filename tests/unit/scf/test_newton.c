/* The second-order converger. argv[1]: name in hf_fock_list. */
#include "scf_test.h"

#include "hf/interruption.h"

/** Energies of psi4 1.3.2 and NWChem 7.0.2, which agree to 1e-10 hartree. */
static const double OXYGEN_ROHF = -149.608287082, CYANO_UHF = -92.2128921525;

static const char *builder_name; /**< argv[1] */

static struct hf_scf_result run(const struct hf_molecule *molecule, const char *set,
                                const char *method, const char *converger)
{
    struct hf_scf_settings settings = test_settings();
    settings.method = method;
    settings.converger = converger;
    settings.guess = "sad";
    settings.fock.builder = builder_name;
    settings.fock.onesided.transport = "thread";
    return test_converged(molecule, set, &settings);
}

/** Oxygen, whose ROHF solution of the molecule's symmetry is a saddle point. */
static void oxygen(struct test_molecule *test)
{
    test_diatomic(test, 8, 8, 2.28165532);
    test->molecule.multiplicity = 3;
}

TEST(closed_shells_converge_quadratically_to_the_energy_of_diis)
{
    struct test_molecule test;
    test_water(&test);
    const struct hf_scf_result diis = run(&test.molecule, "cc-pVDZ", "rhf", "diis");
    const struct hf_scf_result newton = run(&test.molecule, "cc-pVDZ", "rhf", "newton");
    assert_true(fabs(diis.energy - newton.energy) < 1e-9);
    assert_true(newton.n_iteration <= 6);
    assert_true(newton.n_hessian_product > 0);
    assert_int_equal(diis.n_hessian_product, 0);
}

TEST(open_shells_converge)
{
    struct test_molecule test;
    test_diatomic(&test, 6, 7, 2.21438107);
    test.molecule.multiplicity = 2;
    const struct hf_scf_result result = run(&test.molecule, "cc-pVDZ", "uhf", "newton");
    assert_true(fabs(result.energy - CYANO_UHF) < 1e-8);
    assert_true(result.n_iteration <= 12);
}

/** The symmetric solution, where DIIS ends, is a saddle point. */
TEST(a_saddle_point_is_left)
{
    leave_out_on_many_ranks();
    leave_out_under_sanitizers();
    struct test_molecule test;
    oxygen(&test);
    const struct hf_scf_result diis = run(&test.molecule, "cc-pVDZ", "rohf", "diis");
    const struct hf_scf_result newton = run(&test.molecule, "cc-pVDZ", "rohf", "newton");
    assert_true(diis.energy > OXYGEN_ROHF + 1e-4);
    assert_true(fabs(newton.energy - OXYGEN_ROHF) < 1e-8);
}

TEST(nothing_that_can_rotate_is_no_trouble)
{
    struct test_molecule test = {0};
    test_add_atom(&test, 1, false, 0.0, 0.0, 0.0);
    test.molecule.multiplicity = 2;
    const struct hf_scf_result atom = run(&test.molecule, "STO-3G", "uhf", "newton");
    assert_true(fabs(atom.energy + 0.46658185) < 1e-7);
    test_add_atom(&test, 1, false, 0.0, 0.0, 1.4);
    test.molecule.multiplicity = 3;
    const struct hf_scf_result filled = run(&test.molecule, "STO-3G", "rohf", "newton");
    assert_int_equal(filled.n_hessian_product, 0);
}

/** Interrupts what follows an iteration: products of the Hessian. */
struct alarm {
    double most_commutator; /**< the iteration is the first one with less */
    int iteration, n_kept;
    bool rings;
};

static void look(void *data, const struct hf_scf_iteration *iteration)
{
    struct alarm *alarm = data;
    if (iteration->number < 3 || iteration->commutator > alarm->most_commutator) return;
    const double begin = hf_wall_seconds();
    while (hf_wall_seconds() - begin < 1.2 * HF_LOOK_SECONDS) continue; /* the next look asks */
    alarm->iteration = iteration->number;
    alarm->rings = true;
}

static int ring(void *data, double fraction)
{
    const struct alarm *alarm = data;
    (void)fraction;
    return alarm->rings ? 15 : 0;
}

static bool is_wanted(void *data, enum hf_keep_reason reason)
{
    (void)data;
    return reason == HF_KEEP_INTERRUPTED;
}

/** The state is that of the iteration before: its orbitals, which have its energy. */
static hf_status keep(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *failure)
{
    struct alarm *alarm = data;
    (void)reason;
    (void)failure;
    alarm->n_kept++;
    assert_int_equal(state->n_iteration, alarm->iteration);
    assert_false(state->converged);
    assert_non_null(state->density[0]);
    assert_non_null(state->spin[0].coefficient);
    return HF_OK;
}

TEST(an_interruption_among_products_keeps_the_state)
{
    struct test_molecule test;
    struct hf_scf_result result;
    error = (struct hf_error){0};
    oxygen(&test);
    for (int analysis = 0; analysis < 2; analysis++) {
        struct alarm alarm = {.most_commutator = analysis ? 1e-5 : 1.0};
        const struct hf_scf_keeper keeper = {.wanted = is_wanted, .keep = keep, .data = &alarm};
        const struct hf_scf_observer observer = {.iteration = look, .data = &alarm};
        TEST_CONTEXT(context);
        struct hf_scf_settings settings = test_settings();
        settings.method = analysis ? "uhf" : "rohf";
        settings.converger = analysis ? "diis" : "newton";
        settings.stability = HF_STABILITY_CHECK;
        settings.energy_tolerance = 1.0; /* the commutator alone tells */
        settings.fock.builder = builder_name;
        settings.keeper = &keeper;
        struct hf_basis *basis = test_set(context, &test.molecule, "STO-3G");
        hf_interruption_watch(context->interruption, ring, &alarm);
        assert_int_equal(
            hf_scf_run(context, &test.molecule, basis, &settings, &observer, &result, NULL, &error),
            HF_INTERRUPTED);
        assert_int_equal(error.signal_number, 15);
        assert_int_equal(alarm.n_kept, 1);
        hf_interruption_watch(context->interruption, NULL, NULL);
        assert_ok(
            hf_scf_run(context, &test.molecule, basis, &settings, NULL, &result, NULL, &error));
        assert_true(result.converged && result.stability.internal.analysed);
        hf_basis_destroy(&basis);
        assert_int_equal(hf_memory_current_bytes(context->memory), 0);
    }
}

/** What an interruption of the second search must leave: the solution of the first. */
struct first_solution {
    double energy, *density; /**< of the last iteration before the second search */
    bool ended, is_kept;
};

static void wait_for_second(void *data, const struct hf_scf_iteration *iteration)
{
    struct first_solution *first = data;
    if (strcmp(iteration->step, "anew") == 0) first->ended = true;
    if (!first->ended) first->energy = iteration->energy;
    const double begin = hf_wall_seconds();
    while (first->ended && hf_wall_seconds() - begin < 1.2 * HF_LOOK_SECONDS) continue;
}

static int stop_second(void *data, double fraction)
{
    const struct first_solution *first = data;
    (void)fraction;
    return first->ended ? 15 : 0;
}

static bool is_always_wanted(void *data, enum hf_keep_reason reason)
{
    (void)data;
    (void)reason;
    return true;
}

static hf_status compare_with_first(void *data, const struct hf_scf_state *state,
                                    enum hf_keep_reason reason, struct hf_error *failure)
{
    struct first_solution *first = data;
    (void)failure;
    double *density = test_gather(state->density[0]);
    const int n = rank_here() == 0 ? state->n_function * state->n_function : 0;
    if (reason == HF_KEEP_INTERRUPTED) {
        first->is_kept = true;
        assert_true(state->energy == first->energy);
        for (int i = 0; i < n; i++) assert_true(fabs(density[i] - first->density[i]) < 1e-10);
    }
    if (first->ended) {
        free(density);
        return HF_OK;
    }
    free(first->density);
    first->density = density;
    return HF_OK;
}

TEST(an_interrupted_second_search_leaves_the_first_solution)
{
    struct test_molecule cyanide;
    struct hf_scf_result result;
    struct first_solution first = {.density = NULL};
    const struct hf_scf_keeper keeper = {
        .wanted = is_always_wanted, .keep = compare_with_first, .data = &first};
    const struct hf_scf_observer observer = {.iteration = wait_for_second, .data = &first};
    TEST_CONTEXT(context);
    struct hf_scf_settings settings = test_settings();
    test_diatomic(&cyanide, 6, 7, 1.4 / HF_BOHR_IN_ANGSTROM);
    cyanide.molecule.multiplicity = 2;
    settings.method = "uhf";
    settings.fock.builder = builder_name;
    settings.keeper = &keeper;
    struct hf_basis *basis = test_set(context, &cyanide.molecule, "STO-3G");
    hf_interruption_watch(context->interruption, stop_second, &first);
    assert_int_equal(
        hf_scf_run(context, &cyanide.molecule, basis, &settings, &observer, &result, NULL, &error),
        HF_INTERRUPTED);
    assert_true(first.ended && first.is_kept);
    hf_interruption_watch(context->interruption, NULL, NULL);
    free(first.density);
    hf_basis_destroy(&basis);
}

/** The way down from a saddle point that ends too soon: nothing is said of where it ended. The orbitals of
 *  the saddle point are there from the first iteration on, so that its own are few. */
TEST(a_way_down_that_does_not_converge_is_not_analysed)
{
    struct test_ended saddle = {.coefficient = NULL};
    struct hf_scf_result result;
    oxygen(&saddle.test);
    TEST_CONTEXT(context);
    struct hf_scf_settings settings = test_settings();
    settings.method = "rohf";
    settings.converger = "diis";
    settings.fock.builder = builder_name;
    settings.commutator_tolerance = 1e-7;
    saddle.basis = test_set(context, &saddle.test.molecule, "STO-3G");
    assert_ok(hf_scf_run(context, &saddle.test.molecule, saddle.basis, &settings, NULL,
                         &saddle.result, &saddle.wavefunction, NULL));
    assert_true(saddle.result.converged);
    test_take_orbitals(&saddle);
    settings.stability = HF_STABILITY_FOLLOW;
    settings.orbitals = &saddle.orbitals;
    settings.commutator_tolerance = 1e-6; /* second-order steps may be at 4e-5 after three */
    settings.max_iteration = 3;
    assert_ok(hf_scf_run(context, &saddle.test.molecule, saddle.basis, &settings, NULL, &result,
                         NULL, NULL));
    assert_int_equal(result.stability.n_follow, 1);
    assert_true(result.energy < result.stability.energy[0] - 1e-4);
    assert_false(result.converged);
    assert_false(result.stability.internal.analysed);
    test_ended_done(&saddle);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

int main(int argc, char **argv)
{
    builder_name = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
