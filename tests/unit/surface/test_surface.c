/* Points of an energy surface: argv[1] is the Fock builder. */
#include "../solved.h"

#include "schedule/rank_groups.h"
#include "surface/surface.h"

static const char *builder = "replicated";

/** A calculation that has ended, as quantities see it. */
struct ended {
    struct test_solved solved;
    struct hf_scf_settings settings;
    struct hf_quantity_source source;
};

/** A molecule of three atoms, bent, of the method. */
static void begin(struct ended *e, struct hf_context *context, const int number[3],
                  const char *method, int multiplicity)
{
    static const double place[3][3] = {{0.1, 0.0, 0.2}, {0.2, 1.5, -0.9}, {0.0, -1.4, -0.9}};
    const struct hf_basis_choice choice = {.atom = -1, .name = "3-21G"};
    struct test_solved *s = &e->solved;
    test_solved_begin(s, context);
    for (int i = 0; i < 3; i++)
        test_solved_add(s, number[i], place[i][0], place[i][1], place[i][2]);
    s->molecule.multiplicity = multiplicity;
    e->settings = hf_scf_defaults();
    e->settings.method = method;
    e->settings.commutator_tolerance = 1e-8;
    e->settings.fock.builder = builder;
    assert_ok(hf_basis_create(context, &s->molecule, 1, &choice, HF_CONVENTION_AS_DEFINED,
                              &s->basis, &error));
    assert_ok(
        hf_scf_run(context, &s->molecule, s->basis, &e->settings, NULL, &s->scf, &s->wave, &error));
    assert_true(s->scf.converged);
    e->source = (struct hf_quantity_source){.context = context,
                                            .molecule = &s->molecule,
                                            .basis = s->basis,
                                            .settings = &e->settings,
                                            .result = &s->scf,
                                            .wavefunction = &s->wave};
}

static void places(const struct ended *e, double position[3][3])
{
    for (int i = 0; i < 3; i++)
        memcpy(position[i], e->solved.molecule.atom[i].position_bohr, sizeof position[i]);
}

static void compute(struct hf_surface *surface, double position[3][3],
                    struct hf_surface_point *point)
{
    assert_ok(hf_surface_compute(surface, (const double(*)[3])position, point, &error));
}

static double energy_at(struct hf_surface *surface, double position[3][3])
{
    struct hf_surface_point point = {0};
    compute(surface, position, &point);
    assert_true(point.converged);
    return point.energy;
}

/** The gradient is that of the energies, and a new calculation finds the same energy. */
static void check_surface(const int number[3], const char *method, int multiplicity)
{
    TEST_CONTEXT(context);
    struct ended e;
    struct hf_surface *surface = NULL;
    double position[3][3], gradient[3][3];
    struct hf_surface_point point = {.gradient = gradient};
    begin(&e, context, number, method, multiplicity);
    assert_ok(hf_surface_create(&e.source, &surface, &error));
    places(&e, position);
    compute(surface, position, &point);
    assert_true(point.converged && !point.from_guess);
    assert_float_equal(point.energy, e.solved.scf.energy, 1e-9);
    assert_true(point.n_build <= 2);
    for (int i = 0; i < 3; i++) {
        const double h = 1e-3;
        const int axis = i > 0 ? 1 : 2;
        position[i][axis] += h;
        const double above = energy_at(surface, position);
        position[i][axis] -= 2.0 * h;
        const double below = energy_at(surface, position);
        position[i][axis] += h;
        assert_true(fabs(gradient[i][axis] - (above - below) / (2.0 * h)) < 3e-6);
    }
    hf_surface_destroy(&surface);
    test_solved_end(&e.solved);
}

TEST(a_gradient_is_that_of_the_energies)
{
    check_surface((const int[]){8, 1, 1}, "rhf", 1);
    check_surface((const int[]){7, 1, 1}, "uhf", 2);
    if (rank_count() <= 2)
        check_surface((const int[]){7, 1, 1}, "rohf", 2); /* shared as those of UHF */
}

/** Builds of the last of some equal steps along a way. */
TEST(orbitals_are_extrapolated)
{
    TEST_CONTEXT(context);
    struct ended e;
    struct hf_surface *surface = NULL;
    double position[3][3], gradient[3][3];
    struct hf_surface_point point = {.gradient = gradient};
    begin(&e, context, (const int[]){8, 1, 1}, "rhf", 1);
    assert_ok(hf_surface_create(&e.source, &surface, &error));
    hf_surface_set_tolerance(surface, 1e-6);
    places(&e, position);
    for (int step = 0; step < 6; step++) {
        position[1][1] += 0.03;
        position[2][2] -= 0.02;
        compute(surface, position, &point);
        assert_true(point.converged && !point.from_guess);
        assert_true(point.n_build <= (step < 1 ? 7 : 6)); /* 11 from the guess */
    }
    test_solved_end(&e.solved);
    for (int i = 0; i < 3; i++)
        memcpy(e.solved.atom[i].position_bohr, position[i], sizeof position[i]);
    test_solve(&e.solved, "3-21G");
    assert_float_equal(e.solved.scf.energy, point.energy, 1e-8);
    hf_surface_destroy(&surface);
    test_solved_end(&e.solved);
}

/** Each rank alone, and two groups: at the last point of all ranks nothing is left to iterate. */
static void check_groups(const int number[3], const char *method, int multiplicity, int n_group)
{
    TEST_CONTEXT(context);
    struct ended e;
    struct hf_surface *whole = NULL, *own = NULL;
    struct hf_rank_groups groups = {0};
    const struct hf_scf_result none = {.converged = false};
    double position[3][3], gradient[3][3];
    struct hf_surface_point there = {.gradient = gradient}, again = there;
    begin(&e, context, number, method, multiplicity);
    assert_ok(hf_surface_create(&e.source, &whole, &error));
    places(&e, position);
    position[1][1] += 0.03;
    compute(whole, position, &there);
    assert_ok(hf_rank_groups_create(context, n_group, &groups, &error));
    e.source.context = groups.own;
    e.source.result = &none;
    assert_ok(hf_surface_create(&e.source, &own, &error));
    assert_ok(hf_surface_start_from(own, whole, &error));
    compute(own, position, &again);
    assert_true(again.converged && !again.from_guess && again.n_build <= 2);
    assert_float_equal(again.energy, there.energy, 1e-10);
    hf_surface_destroy(&own);
    hf_surface_destroy(&whole);
    hf_rank_groups_done(&groups);
    test_solved_end(&e.solved);
}

TEST(groups_start_from_orbitals_of_all_ranks)
{
    check_groups((const int[]){8, 1, 1}, "rhf", 1, rank_count());
    check_groups((const int[]){7, 1, 1}, "uhf", 2, rank_count() > 1 ? 2 : 1);
}

TEST(it_goes_on_after_a_failure)
{
    TEST_CONTEXT(context);
    struct ended e;
    struct hf_surface *surface = NULL;
    double position[3][3];
    struct hf_surface_point point = {0};
    begin(&e, context, (const int[]){8, 1, 1}, "rhf", 1);
    assert_ok(hf_surface_create(&e.source, &surface, &error));
    places(&e, position);
    const double y = position[1][1];
    position[1][1] = NAN;
    assert_int_equal(hf_surface_compute(surface, (const double(*)[3])position, &point, &error),
                     HF_BAD_INPUT);
    memcpy(position[1], position[2], sizeof position[1]);
    assert_int_not_equal(hf_surface_compute(surface, (const double(*)[3])position, &point, &error),
                         HF_OK);
    places(&e, position);
    position[1][1] = y + 0.01;
    compute(surface, position, &point);
    position[1][1] = y;
    compute(surface, position, &point);
    assert_true(point.converged);
    assert_float_equal(point.energy, e.solved.scf.energy, 1e-8);
    hf_surface_destroy(&surface);
    test_solved_end(&e.solved);
}

int main(int argc, char **argv)
{
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
