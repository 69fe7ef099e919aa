/* The two-electron part of the gradient against differences of energies from Fock builds of displaced atoms. */
#include "gradient_system.h"

#include "fock/fock.h"
#include "gradient/two_electron_gradient.h"

enum { N_ATOM = N_PLACE, MOST_SHELL = 24 };

static bool distributed; /**< densities are at their owners */

/** A system of which atoms can be moved. */
struct system {
    double centre[N_ATOM][3];
    int n_shell;
    struct test_shell shell[MOST_SHELL];
    struct hf_context *context;
    struct hf_linalg *linalg;
    struct hf_matrix *density[2];
};

static void make_pairs(const struct system *s, struct test_pairs *made)
{
    test_pairs_create(s->context, N_ATOM, (const double(*)[3])s->centre, s->n_shell, s->shell,
                      made);
}

static void system_init(struct system *s, int n_shell, const struct test_shell shell[])
{
    uint32_t seed = 7;
    memset(s, 0, sizeof *s);
    memcpy(s->centre, places, sizeof s->centre);
    memcpy(s->shell, shell, (size_t)n_shell * sizeof *shell);
    s->n_shell = n_shell;
    s->context = test_context();
    struct hf_basis *basis = test_basis(N_ATOM, (const double(*)[3])s->centre, n_shell, shell);
    assert_ok(hf_linalg_create(s->context, basis->n_function, &s->linalg, &error));
    for (int k = 0; k < 2; k++)
        s->density[k] = test_density(s->linalg, basis->n_function, 0.0, &seed);
    test_basis_destroy(&basis);
}

static void system_done(struct system *s)
{
    for (int k = 0; k < 2; k++) hf_matrix_destroy(&s->density[k]);
    hf_linalg_destroy(&s->linalg);
    test_context_done(&s->context);
}

/** E2 where the atoms are, of the first density and of both. */
static void energies(const struct system *s, double energy[2])
{
    const struct hf_fock_settings settings = {.builder = "replicated",
                                              .schedule = {.name = "static"}};
    const int n = hf_matrix_n_row(s->density[0]);
    struct test_pairs made;
    struct hf_fock_builder *builder = NULL;
    struct hf_matrix *coulomb = NULL, *exchange[2] = {NULL};
    double part;
    make_pairs(s, &made);
    assert_ok(hf_fock_create(s->context, made.pairs, &settings, &builder, &error));
    assert_ok(hf_matrix_create(s->linalg, "J", n, n, &coulomb, &error));
    for (int k = 0; k < 2; k++)
        assert_ok(hf_matrix_create(s->linalg, "K", n, n, &exchange[k], &error));
    const struct hf_fock_job job[2] = {{s->density[0], coulomb, exchange[0], false},
                                       {s->density[1], NULL, exchange[1], false}};
    assert_ok(hf_fock_build(builder, 2, job, 1e-17, &error));
    hf_matrix_dot(s->density[0], coulomb, &part);
    energy[1] = 0.5 * part;
    for (int k = 0; k < 2; k++) {
        hf_matrix_dot(s->density[k], exchange[k], &part);
        energy[k] = energy[1] -= 0.25 * part;
    }
    for (int k = 0; k < 2; k++) hf_matrix_destroy(&exchange[k]);
    hf_matrix_destroy(&coulomb);
    hf_fock_destroy(&builder);
    test_pairs_destroy(&made);
}

/** A direction of each atom. */
static const double direction[N_ATOM][3] = {
    {0.3, -0.7, 0.6}, {-0.5, 0.4, 0.7}, {0.9, 0.2, -0.4}, {0.6, 0.6, 0.5}};

/** Derivatives with respect to these, of one density and of both, by differences of four energies each. */
static void numerical_derivatives(struct system *s, double derivative[2][N_ATOM])
{
    const double step = 0.005;
    for (int atom = 0; atom < N_ATOM; atom++) {
        double value[4][2];
        for (int k = 0; k < 4; k++) {
            const double by = step * (k < 2 ? k - 2 : k - 1);
            for (int x = 0; x < 3; x++)
                s->centre[atom][x] = places[atom][x] + by * direction[atom][x];
            energies(s, value[k]);
        }
        memcpy(s->centre[atom], places[atom], sizeof places[atom]);
        for (int i = 0; i < 2; i++)
            derivative[i][atom] =
                (value[0][i] - 8.0 * value[1][i] + 8.0 * value[2][i] - value[3][i]) / (12.0 * step);
    }
}

static void analytic_gradient(const struct system *s, int n_density, int n_thread, double threshold,
                              double gradient[N_ATOM][3])
{
    const struct hf_two_electron_gradient_settings settings = {
        .schedule = {.name = "steal"},
        .n_thread = n_thread,
        .distributed = distributed,
        .onesided = {.transport = "thread", .skip_self_test = true},
        .threshold = threshold};
    const struct hf_matrix *const density[2] = {s->density[0], s->density[1]};
    struct test_pairs made;
    memset(gradient, 0, N_ATOM * sizeof *gradient);
    make_pairs(s, &made);
    assert_ok(hf_two_electron_gradient(made.pairs, &settings, n_density, density, N_ATOM, gradient,
                                       &error));
    test_pairs_destroy(&made);
}

/** Compares derivatives with `first` to two densities, on as many threads. */
static void check(int n_shell, const struct test_shell shell[], int first)
{
    struct system s;
    double numerical[2][N_ATOM], analytic[N_ATOM][3];
    system_init(&s, n_shell, shell);
    numerical_derivatives(&s, numerical);
    for (int n_density = first; n_density <= 2; n_density++) {
        analytic_gradient(&s, n_density, n_density, 1e-14, analytic);
        for (int i = 0; i < N_ATOM; i++) {
            double along = 0.0;
            for (int x = 0; x < 3; x++) along += analytic[i][x] * direction[i][x];
            const double expected = numerical[n_density - 1][i];
            assert_true(fabs(along - expected) < 3e-9 * (1.0 + fabs(expected)));
        }
    }
    system_done(&s);
}

TEST(low_shells)
{
    check(sizeof test_low_shells / sizeof *test_low_shells, test_low_shells, 1);
}

TEST(merged_shells)
{
    leave_out_on_many_ranks();
    check(sizeof test_merged_shells / sizeof *test_merged_shells, test_merged_shells, 1);
}

TEST(high_shells)
{
    leave_out_on_many_ranks();
    static const struct test_shell shells[] = {
        {0, 3, 2, true, {2.0, 0.7}, {0.5, 0.4}}, {0, 3, 1, false, {1.0}, {0.5}},
        {1, 4, 1, true, {1.1}, {0.7}},           {2, 5, 1, true, {0.9}, {0.3}},
        {3, 1, 1, false, {0.6}, {0.7}},          {3, 3, 1, true, {0.8}, {0.7}},
    };
    check(sizeof shells / sizeof *shells, shells, 2);
}

/** Fewer quartets are computed for a larger threshold, and the gradient changes by about as much. */
TEST(screening_leaves_out_what_does_not_matter)
{
    leave_out_on_many_ranks();
    leave_out_under_sanitizers();
    static const struct test_shell shells[] = {
        {0, 0, 3, false, {60.0, 6.0, 0.7}, {2.0, 0.9, 0.5}},
        {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
        {1, 0, 1, false, {0.4}, {0.6}},
        {1, 2, 1, true, {0.9}, {0.8}},
        {2, 1, 2, false, {1.5, 0.3}, {0.4, 0.3}},
        {3, 0, 1, false, {0.5}, {0.6}},
        {3, 1, 1, false, {0.8}, {0.7}},
    };
    struct system s;
    double exact[N_ATOM][3], screened[N_ATOM][3], before = 0.0;
    system_init(&s, sizeof shells / sizeof *shells, shells);
    for (int i = 0; i < N_ATOM; i++)
        for (int x = 0; x < 3; x++) s.centre[i][x] *= 3.0;
    analytic_gradient(&s, 2, 1, 1e-20, exact);
    for (double threshold = 1e-10; threshold < 1e-3; threshold *= 100.0) {
        analytic_gradient(&s, 2, 1, threshold, screened);
        const double difference = test_largest_difference(N_ATOM, exact, screened);
        assert_true(difference > before && difference < 100.0 * threshold);
        before = difference;
    }
    system_done(&s);
}

/** The same bits on any number of threads of this many ranks, with densities here and there. */
TEST(reproducible_runs_give_the_same_bits)
{
    static const struct test_shell shells[] = {
        {0, 0, 3, false, {6.0, 2.0, 0.7}, {0.3, 0.4, 0.5}},
        {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
        {1, 0, 1, false, {0.4}, {0.6}},
        {1, 2, 1, true, {0.9}, {0.8}},
        {2, 1, 2, false, {1.5, 0.3}, {0.4, 0.3}},
        {2, 2, 1, true, {0.7}, {0.9}},
        {3, 0, 1, false, {0.5}, {0.6}},
    };
    const bool before = distributed;
    struct system s;
    double first[N_ATOM][3], other[N_ATOM][3];
    system_init(&s, sizeof shells / sizeof *shells, shells);
    s.context->reproducible = true;
    distributed = false;
    analytic_gradient(&s, 2, 1, 1e-10, first);
    for (int way = 0; way < 4; way++) {
        distributed = way % 2 != 0;
        analytic_gradient(&s, 2, 1 + 2 * (way / 2), 1e-10, other);
        assert_memory_equal(first, other, sizeof first);
    }
    distributed = before;
    system_done(&s);
}

int main(int argc, char **argv)
{
    distributed = argc > 1 && strcmp(argv[1], "distributed") == 0;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
