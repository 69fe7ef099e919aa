/* First densities from fragments that were computed by themselves: argv[1] is the builder,
 * "replicated" or "distributed", of all. */
#include "../scf/scf_test.h"

static const char *builder = "replicated";

static hf_status compute(struct hf_context *context, struct test_ended *ended, const char *method,
                         const char *set, const struct hf_scf_orbitals *from,
                         struct hf_error *failure)
{
    struct hf_scf_settings settings = test_settings();
    settings.method = method;
    settings.fock.builder = builder;
    settings.energy_tolerance = 1e-9;
    settings.commutator_tolerance = 1e-6;
    settings.orbitals = from;
    ended->basis = test_set(context, &ended->test.molecule, set);
    const hf_status status = hf_scf_run(context, &ended->test.molecule, ended->basis, &settings,
                                        NULL, &ended->result, &ended->wavefunction, failure);
    if (status == HF_OK) assert_true(ended->result.converged);
    return status;
}

static void compute_fragment(struct hf_context *context, struct test_ended *ended,
                             const char *method, const char *set)
{
    assert_ok(compute(context, ended, method, set, NULL, NULL));
    test_take_orbitals(ended);
}

/** The atoms of both, those of the second `shift` bohr from where they are. */
static void put_together(const struct test_molecule *first, const struct test_molecule *second,
                         const double shift[3], struct test_molecule *both)
{
    *both = (struct test_molecule){0};
    for (int a = 0; a < first->molecule.n_atom; a++) {
        const double *r = first->atom[a].position_bohr;
        test_add_atom(both, first->atom[a].atomic_number, false, r[0], r[1], r[2]);
    }
    for (int a = 0; a < second->molecule.n_atom; a++) {
        const double *r = second->atom[a].position_bohr;
        test_add_atom(both, second->atom[a].atomic_number, false, r[0] + shift[0], r[1] + shift[1],
                      r[2] + shift[2]);
    }
}

static hf_status join(const struct hf_molecule *molecule, const struct test_ended *first,
                      const struct test_ended *second, struct hf_scf_fragments **fragments,
                      struct hf_error *failure)
{
    const struct hf_scf_fragment fragment[2] = {{"a.h5", &first->orbitals},
                                                {"b.h5", &second->orbitals}};
    return hf_scf_fragments_join(molecule, 2, fragment, fragments, failure);
}

/** Two fragments, and what they make together from atoms and from them. */
struct dimer {
    struct test_ended first, second, plain, joined;
};

static void compute_dimer(struct hf_context *context, struct dimer *dimer, const char *method,
                          const char *set, const double shift[3])
{
    struct hf_scf_fragments *fragments = NULL;
    put_together(&dimer->first.test, &dimer->second.test, shift, &dimer->plain.test);
    put_together(&dimer->first.test, &dimer->second.test, shift, &dimer->joined.test);
    struct hf_molecule *molecule = &dimer->joined.test.molecule;
    molecule->multiplicity =
        dimer->first.test.molecule.multiplicity + dimer->second.test.molecule.multiplicity - 1;
    dimer->plain.test.molecule.multiplicity = molecule->multiplicity;
    assert_ok(compute(context, &dimer->plain, method, set, NULL, &error));
    assert_ok(join(molecule, &dimer->first, &dimer->second, &fragments, &error));
    assert_ok(compute(context, &dimer->joined, method, set, hf_scf_fragments_orbitals(fragments),
                      &error));
    hf_scf_fragments_destroy(&fragments);
    assert_null(fragments);
    assert_float_equal(dimer->joined.result.energy, dimer->plain.result.energy, 1e-8);
    assert_true(dimer->joined.result.n_iteration <= dimer->plain.result.n_iteration);
}

static void dimer_done(struct hf_context *context, struct dimer *dimer)
{
    test_ended_done(&dimer->first);
    test_ended_done(&dimer->second);
    test_ended_done(&dimer->plain);
    test_ended_done(&dimer->joined);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
}

/** Too far apart to see more of each other than their dipoles: the first density is the last one. */
TEST(far_fragments_keep_their_energies)
{
    TEST_CONTEXT(context);
    struct dimer dimer = {0};
    test_water(&dimer.first.test);
    test_diatomic(&dimer.second.test, 2, 1, 1.5);
    dimer.second.test.molecule.charge = 1;
    compute_fragment(context, &dimer.first, "rhf", "6-31G");
    compute_fragment(context, &dimer.second, "rhf", "6-31G");
    struct hf_scf_fragments *fragments = NULL;
    put_together(&dimer.first.test, &dimer.second.test, (double[3]){0.0, 0.0, 500.0},
                 &dimer.joined.test);
    dimer.joined.test.molecule.charge = 1;
    assert_ok(join(&dimer.joined.test.molecule, &dimer.first, &dimer.second, &fragments, NULL));
    assert_ok(compute(context, &dimer.joined, "rhf", "6-31G", hf_scf_fragments_orbitals(fragments),
                      NULL));
    hf_scf_fragments_destroy(&fragments);
    const double sum = dimer.first.result.energy + dimer.second.result.energy;
    assert_float_equal(dimer.joined.result.guess_energy, sum, 1e-4);
    assert_float_equal(dimer.joined.result.guess_energy, dimer.joined.result.energy, 1e-6);
    dimer_done(context, &dimer);
}

/** Hydrogen-bonded, in the basis of the fragments and in a larger one. */
TEST(two_waters_begin_near_their_end)
{
    static const char *const set[2] = {"6-31G", "cc-pVDZ"};
    static const double most_above[2] = {0.02, 0.2};
    TEST_CONTEXT(context);
    for (int i = rank_count() > 2; i < 2; i++) {
        struct dimer dimer = {0};
        test_water(&dimer.first.test);
        test_water(&dimer.second.test);
        compute_fragment(context, &dimer.first, "rhf", "6-31G");
        compute_fragment(context, &dimer.second, "rhf", "6-31G");
        compute_dimer(context, &dimer, "rhf", set[i], (double[3]){0.0, 0.5, 5.5});
        const double above = dimer.joined.result.guess_energy - dimer.joined.result.energy;
        assert_true(above > 0.0 && above < most_above[i]);
        dimer_done(context, &dimer);
    }
}

/** The radical's orbitals are shared by both spins; its single electron comes behind all pairs. */
TEST(a_radical_and_a_molecule_make_a_doublet)
{
    static const char *const method[2] = {"rohf", "uhf"};
    TEST_CONTEXT(context);
    for (int i = 0; i < 2; i++) {
        struct dimer dimer = {0};
        test_water(&dimer.first.test);
        dimer.first.test.atom[0].atomic_number = 7; /* NH2, whose single electron has one place */
        dimer.first.test.molecule.multiplicity = 2;
        test_water(&dimer.second.test);
        compute_fragment(context, &dimer.first, "rohf", "6-31G");
        compute_fragment(context, &dimer.second, "rhf", "6-31G");
        compute_dimer(context, &dimer, method[i], "6-31G", (double[3]){0.0, 6.5, 0.0});
        const double above = dimer.joined.result.guess_energy - dimer.joined.result.energy;
        assert_true(above > 0.0 && above < 0.03);
        dimer_done(context, &dimer);
    }
}

static void expect_refusal(const struct dimer *dimer, const char *part)
{
    error = (struct hf_error){0};
    struct hf_scf_fragments *fragments = NULL;
    assert_int_equal(
        join(&dimer->joined.test.molecule, &dimer->first, &dimer->second, &fragments, &error),
        HF_BAD_INPUT);
    assert_null(fragments);
    if (strstr(error.message, part) == NULL) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, part));
}

TEST(what_does_not_fit_is_told)
{
    TEST_CONTEXT(context);
    struct dimer dimer = {0};
    test_water(&dimer.first.test);
    test_water(&dimer.second.test);
    compute_fragment(context, &dimer.first, "rhf", "STO-3G");
    compute_fragment(context, &dimer.second, "rhf", "STO-3G");
    struct test_molecule *both = &dimer.joined.test;
    struct hf_molecule *molecule = &both->molecule;
    put_together(&dimer.first.test, &dimer.second.test, (double[3]){0.0, 0.0, 6.0}, both);
    molecule->charge = 2;
    expect_refusal(&dimer, "charges of the fragments add up to +0, that of the molecule is +2");
    molecule->charge = 0;
    molecule->multiplicity = 3;
    expect_refusal(&dimer, "have 0 unpaired electrons, together multiplicity 1");
    molecule->multiplicity = 1;
    both->atom[4].atomic_number = 3;
    expect_refusal(&dimer, "atom 2 of the fragment b.h5 is H, atom 5 of the molecule Li");
    both->atom[4].atomic_number = 1;
    both->atom[4].ghost = true;
    expect_refusal(&dimer, "atom 5 of the molecule a ghost of H");
    both->atom[4].ghost = false;
    both->atom[3].n_core = 2;
    expect_refusal(&dimer, "in its effective core potential, atom 4 of the molecule 2");
    both->atom[3].n_core = 0;
    both->atom[4].position_bohr[1] *= -1.0; /* turned by half a turn */
    both->atom[5].position_bohr[1] *= -1.0;
    expect_refusal(&dimer, "b.h5 is turned or distorted");
    test_add_atom(both, 2, false, 0.0, 0.0, 20.0);
    both->atom[4].position_bohr[1] *= -1.0;
    both->atom[5].position_bohr[1] *= -1.0;
    expect_refusal(&dimer, "the fragments have 6 atoms, the molecule 7");
    molecule->n_atom = 5;
    expect_refusal(&dimer, "up to b.h5 the fragments have 6 atoms, the molecule 5");
    molecule->n_atom = 6;
    dimer.second.orbitals.n_column[0] = 4;
    expect_refusal(&dimer, "b.h5 has 4 orbitals where 5 are occupied");
    dimer_done(context, &dimer);
}

int main(int argc, char **argv)
{
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
