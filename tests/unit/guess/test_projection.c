/* First densities from the orbitals of another calculation: argv[1] is the builder, "replicated" or
 * "distributed", of both. */
#include "../scf/scf_test.h"

static const char *builder = "replicated";

static void sharpen(struct hf_scf_settings *settings)
{
    *settings = test_settings();
    settings->fock.builder = builder;
    settings->energy_tolerance = 1e-9;
    settings->commutator_tolerance = 1e-6;
}

/** Computes the molecule that stands in `ended`, from the orbitals of another one if there are any. */
static hf_status compute(struct hf_context *context, struct test_ended *ended, const char *set,
                         const struct hf_scf_orbitals *from, struct hf_error *failure)
{
    struct hf_scf_settings settings;
    sharpen(&settings);
    settings.orbitals = from;
    ended->basis = test_set(context, &ended->test.molecule, set);
    const hf_status status = hf_scf_run(context, &ended->test.molecule, ended->basis, &settings,
                                        NULL, &ended->result, &ended->wavefunction, failure);
    if (status != HF_OK) return status;
    assert_true(ended->result.converged);
    test_take_orbitals(ended);
    return HF_OK;
}

/** Water in one set, then from its orbitals in another one; both what `change` makes of it. */
struct pair {
    struct test_ended first, plain, second;
};

static void compute_pair(struct hf_context *context, struct pair *pair, const char *set,
                         const char *next_set, void (*change)(struct test_molecule *test))
{
    *pair = (struct pair){0};
    test_water(&pair->first.test);
    test_water(&pair->plain.test);
    test_water(&pair->second.test);
    if (change != NULL) {
        change(&pair->plain.test);
        change(&pair->second.test);
    }
    /* pointers into the structs are set by test_water; they must not be copied */
    assert_ok(compute(context, &pair->first, set, NULL, &error));
    assert_ok(compute(context, &pair->plain, next_set, NULL, &error));
    assert_ok(compute(context, &pair->second, next_set, &pair->first.orbitals, &error));
    assert_float_equal(pair->second.result.energy, pair->plain.result.energy, 1e-8);
}

static void pair_done(struct hf_context *context, struct pair *pair)
{
    test_ended_done(&pair->first);
    test_ended_done(&pair->plain);
    test_ended_done(&pair->second);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

TEST(same_basis_and_geometry_give_the_density_back)
{
    TEST_CONTEXT(context);
    struct pair pair;
    compute_pair(context, &pair, "6-31G", "6-31G", NULL);
    assert_float_equal(pair.second.result.guess_energy, pair.first.result.energy, 1e-9);
    assert_true(pair.second.result.n_iteration <= 2);
    pair_done(context, &pair);
}

/** The energy of the first density is that of the small basis, or better where the large one contains
 *  it, and the end is nearer than from atoms. */
TEST(orbitals_of_a_smaller_basis_are_a_good_start)
{
    TEST_CONTEXT(context);
    struct pair pair;
    compute_pair(context, &pair, "6-31G", "6-31G*", NULL);
    assert_float_equal(pair.second.result.guess_energy, pair.first.result.energy, 1e-8);
    assert_true(pair.second.result.n_iteration <= pair.plain.result.n_iteration);
    pair_done(context, &pair);
    compute_pair(context, &pair, "STO-3G", "cc-pVDZ", NULL);
    /* even STO-3G puts more into a bond than atoms that do not see each other */
    assert_true(pair.second.result.guess_energy > pair.second.result.energy);
    assert_true(pair.second.result.guess_energy < pair.second.result.energy + 2.0);
    pair_done(context, &pair);
}

static void move(struct test_molecule *test)
{
    test->atom[0].position_bohr[0] += 5.0;
    test->atom[1].position_bohr[0] += 5.0;
    test->atom[2].position_bohr[0] += 5.0;
    test->atom[2].position_bohr[1] -= 0.05;
}

/** Had the functions stayed where they were, nothing would be left of them five bohr away. */
TEST(orbitals_move_with_their_atoms)
{
    TEST_CONTEXT(context);
    struct pair pair;
    compute_pair(context, &pair, "6-31G", "6-31G", move);
    assert_true(fabs(pair.second.result.guess_energy - pair.second.result.energy) < 0.01);
    pair_done(context, &pair);
}

static void ionise(struct test_molecule *test)
{
    test->molecule.charge = 2;
}

static void attach(struct test_molecule *test)
{
    test->molecule.charge = -2;
}

/** A molecule with other atoms: the orbitals stay at their place. */
static void add_helium(struct test_molecule *test)
{
    test_add_atom(test, 2, false, 0.0, 0.0, 6.0);
}

TEST(charge_and_atoms_may_change)
{
    TEST_CONTEXT(context);
    struct pair pair;
    compute_pair(context, &pair, "6-31G", "cc-pVDZ", ionise);
    pair_done(context, &pair);
    compute_pair(context, &pair, "6-31G", "6-31G", attach);
    pair_done(context, &pair);
    compute_pair(context, &pair, "6-31G", "6-31G*", add_helium);
    pair_done(context, &pair);
}

TEST(what_cannot_be_a_start_is_told)
{
    TEST_CONTEXT(context);
    struct test_ended first = {0}, second = {0};
    test_water(&first.test);
    test_water(&second.test);
    assert_ok(compute(context, &first, "6-31G", NULL, &error));

    struct hf_scf_orbitals few = first.orbitals;
    few.n_column[0] = 4;
    assert_failure(compute(context, &second, "6-31G", &few, &error), HF_BAD_INPUT, &error,
                   "4 initial orbitals, but 5");
    test_ended_done(&second);

    few.n_column[0] = 0;
    assert_failure(compute(context, &second, "6-31G", &few, &error), HF_BAD_INPUT, &error,
                   "ended in its first iteration");
    test_ended_done(&second);

    test_add_atom(&second.test, 2, true, 0.0, 0.0, 3.0); /* other atoms, far away */
    for (int a = 0; a < second.test.molecule.n_atom; a++)
        second.test.atom[a].position_bohr[0] += 40.0;
    assert_failure(compute(context, &second, "6-31G", &first.orbitals, &error), HF_BAD_INPUT,
                   &error, "same place");
    test_ended_done(&second);
    test_ended_done(&first);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

/** Water with an electron pair in its LUMO instead of its HOMO, from the orbitals of the ground state. */
static double excite(struct hf_context *context, struct test_ended *ground, bool max_overlap)
{
    struct hf_scf_settings settings;
    struct hf_scf_result result;
    sharpen(&settings);
    settings.orbitals = &ground->orbitals;
    settings.max_overlap = max_overlap;
    assert_ok(hf_scf_run(context, &ground->test.molecule, ground->basis, &settings, NULL, &result,
                         NULL, NULL));
    assert_true(result.converged);
    return result.energy;
}

TEST(maximum_overlap_keeps_what_is_not_the_lowest)
{
    TEST_CONTEXT(context);
    struct test_ended ground = {.coefficient = NULL};
    test_water(&ground.test);
    assert_ok(compute(context, &ground, "STO-3G", NULL, NULL));
    const size_t n = (size_t)ground.basis->n_function;
    double *homo = ground.coefficient + 4 * n, *lumo = homo + n;
    for (size_t i = 0; i < n; i++) {
        const double kept = homo[i];
        homo[i] = lumo[i];
        lumo[i] = kept;
    }
    assert_true(fabs(excite(context, &ground, false) - ground.result.energy) < 1e-8);
    const double excited = excite(context, &ground, true);
    assert_true(excited > ground.result.energy + 0.3 && excited < ground.result.energy + 3.0);
    test_ended_done(&ground);
}

int main(int argc, char **argv)
{
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
