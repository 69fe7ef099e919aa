/* The Coulomb part of the gradient by the pass against that from quartets. */
#include "gradient_system.h"

#include "../../../src/gradient/coulomb_gradient.h"
#include "gradient/two_electron_gradient.h"

enum { MOST_ATOM = 64, MOST_SHELL = 128 };

/** A random density of shells on atoms. */
struct system {
    struct hf_context *context;
    int n_atom;
    double centre[MOST_ATOM][3];
    struct test_pairs made;
    struct hf_linalg *linalg;
    struct hf_matrix *density;
};

static void system_init(struct system *s, MPI_Comm comm, int n_shell,
                        const struct test_shell shell[])
{
    uint32_t seed = 11;
    assert_ok(hf_context_create(comm, &s->context, &error));
    test_pairs_create(s->context, s->n_atom, (const double(*)[3])s->centre, n_shell, shell,
                      &s->made);
    const int n = s->made.basis->n_function;
    assert_ok(hf_linalg_create(s->context, n, &s->linalg, &error));
    s->density = test_density(s->linalg, n, 0.1, &seed); /* as in a long molecule */
}

static void system_done(struct system *s)
{
    hf_matrix_destroy(&s->density);
    hf_linalg_destroy(&s->linalg);
    test_pairs_destroy(&s->made);
    test_context_done(&s->context);
}

/** The Coulomb part, in the precision and on the threads that are given. */
static void by_pass(const struct system *s, bool multipoles, bool single, int n_thread,
                    double threshold, double gradient[MOST_ATOM][3])
{
    const struct hf_coulomb_settings settings = {.schedule = {.name = "steal"},
                                                 .n_thread = n_thread,
                                                 .multipoles = multipoles,
                                                 .single = single};
    memset(gradient, 0, MOST_ATOM * sizeof *gradient);
    assert_ok(hf_coulomb_gradient(s->made.pairs, &settings, threshold, s->density, s->n_atom,
                                  gradient, &error));
}

/** With exchange. */
static void both_parts(const struct system *s, enum hf_coulomb_choice coulomb, bool distributed,
                       double threshold, double gradient[MOST_ATOM][3])
{
    const struct hf_two_electron_gradient_settings settings = {
        .schedule = {.name = "steal"},
        .n_thread = 1,
        .distributed = distributed,
        .coulomb = coulomb,
        .onesided = {.transport = "thread", .skip_self_test = true},
        .threshold = threshold};
    const struct hf_matrix *const density[] = {s->density};
    memset(gradient, 0, MOST_ATOM * sizeof *gradient);
    assert_ok(hf_two_electron_gradient(s->made.pairs, &settings, 1, density, s->n_atom, gradient,
                                       &error));
}

/** The pass agrees with quartets, wherever densities are. */
static void check(int n_shell, const struct test_shell shell[])
{
    struct system s = {.n_atom = N_PLACE};
    double quartets[MOST_ATOM][3], pass[MOST_ATOM][3];
    memcpy(s.centre, places, sizeof places);
    system_init(&s, MPI_COMM_WORLD, n_shell, shell);
    both_parts(&s, HF_COULOMB_EXACT, false, 1e-15, quartets);
    both_parts(&s, HF_COULOMB_ENGINE, true, 1e-15, pass);
    assert_true(test_largest_difference(s.n_atom, quartets, pass) < 2e-10);
    both_parts(&s, HF_COULOMB_MULTIPOLES, false, 1e-15, pass);
    assert_true(test_largest_difference(s.n_atom, quartets, pass) < 2e-10);
    system_done(&s);
}

TEST(low_shells)
{
    check(sizeof test_low_shells / sizeof *test_low_shells, test_low_shells);
}

TEST(merged_shells)
{
    leave_out_on_many_ranks();
    check(sizeof test_merged_shells / sizeof *test_merged_shells, test_merged_shells);
}

/** Loops of kernels, the highest angular momentum. */
TEST(high_shells)
{
    leave_out_on_many_ranks();
    static const struct test_shell shells[] = {
        {0, 3, 2, true, {2.0, 0.7}, {0.5, 0.4}}, {0, 3, 1, false, {1.0}, {0.5}},
        {1, 4, 1, true, {1.1}, {0.7}},           {2, 5, 1, true, {0.9}, {0.3}},
        {2, 1, 1, false, {0.6}, {0.7}},          {3, 5, 1, true, {0.8}, {0.7}},
    };
    check(sizeof shells / sizeof *shells, shells);
}

/* ---- Far fields ------------------------------------------------------------------------------- */

/** A long chain of atoms with two shells each. */
static void make_chain(struct system *s, MPI_Comm comm)
{
    struct test_shell shells[MOST_SHELL];
    s->n_atom = MOST_ATOM;
    for (int i = 0; i < MOST_ATOM; i++) {
        const struct test_shell pair[2] = {
            {i, 0, 3, false, {5.0, 1.2, 0.4}, {0.4, 0.5, 0.3}},
            {i, i % 3 == 0 ? 2 : 1, 2, true, {1.6, 0.5}, {0.4, 0.6}}};
        memcpy(&shells[2 * i], pair, sizeof pair);
        s->centre[i][0] = 0.9 * (i % 2);
        s->centre[i][1] = 0.1 * (i % 5);
        s->centre[i][2] = 2.4 * i;
    }
    system_init(s, comm, MOST_SHELL, shells);
}

/** Far fields, and single precision, change the gradient by little more than the threshold. */
TEST(far_fields_are_accurate)
{
    leave_out_on_many_ranks();
    leave_out_under_sanitizers();
    struct system s = {.n_atom = 0};
    double exact[MOST_ATOM][3], screened[MOST_ATOM][3];
    make_chain(&s, MPI_COMM_WORLD);
    by_pass(&s, false, false, 1, 1e-15, exact);
    for (double threshold = 1e-6; threshold > 1e-11; threshold *= 0.01) {
        by_pass(&s, true, true, 2, threshold, screened);
        const double difference = test_largest_difference(s.n_atom, exact, screened);
        if (s.context->rank == 0)
            print_message("threshold %.0e: error %.1e\n", threshold, difference);
        assert_true(difference > 0.0 && difference < 20.0 * threshold);
    }
    both_parts(&s, HF_COULOMB_EXACT, false, 1e-12, exact);
    both_parts(&s, HF_COULOMB_MULTIPOLES, true, 1e-12, screened);
    assert_true(test_largest_difference(s.n_atom, exact, screened) < 2e-10);
    system_done(&s);
}

/** The bits are those of one rank with one thread. */
TEST(ranks_and_threads_change_nothing)
{
    struct system all = {.n_atom = 0}, alone = {.n_atom = 0};
    double of_all[MOST_ATOM][3], of_one[MOST_ATOM][3];
    make_chain(&all, MPI_COMM_WORLD);
    make_chain(&alone, MPI_COMM_SELF);
    by_pass(&all, true, true, 2, 1e-10, of_all);
    by_pass(&alone, true, true, 1, 1e-10, of_one);
    assert_memory_equal(of_all, of_one, sizeof of_all);
    system_done(&alone);
    system_done(&all);
}

MPI_TEST_MAIN
