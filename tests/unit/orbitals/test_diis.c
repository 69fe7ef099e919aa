/* DIIS on a model in which Fock matrix and commutator are linear in a few parameters. */
#include "../scf/scf_test.h"

static const char *layout; /**< argv[1]: "serial" or "parallel" */

enum { M = 9, N_PARAMETER = 3 };

/** F(t) = F_0 + sum_k t_k F_k and e(t) = e_0 + sum_k t_k e_k with e(solution) = 0. */
struct model {
    double fock[N_PARAMETER + 1][M * M], commutator[N_PARAMETER + 1][M * M];
    double solution[N_PARAMETER];
};

static void make_model(struct model *model)
{
    uint32_t seed = 7;
    memset(model->commutator[0], 0, sizeof model->commutator[0]);
    for (int k = 0; k <= N_PARAMETER; k++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j <= i; j++) {
                const double s = test_random(&seed), a = i == j ? 0.0 : test_random(&seed);
                model->fock[k][i + M * j] = model->fock[k][j + M * i] = 20.0 * s;
                if (k == 0) continue;
                model->commutator[k][i + M * j] = a;
                model->commutator[k][j + M * i] = -a;
            }
    for (int k = 0; k < N_PARAMETER; k++) {
        model->solution[k] = test_random(&seed);
        for (int i = 0; i < M * M; i++)
            model->commutator[0][i] -= model->solution[k] * model->commutator[k + 1][i];
    }
}

/** The matrices at parameters t, the commutator scaled down by `scale`. */
static void evaluate(const struct model *model, const double t[], double scale,
                     struct hf_matrix *fock, struct hf_matrix *commutator)
{
    double f[M * M], e[M * M];
    for (int i = 0; i < M * M; i++) {
        f[i] = model->fock[0][i];
        e[i] = model->commutator[0][i];
        for (int k = 0; k < N_PARAMETER; k++) {
            f[i] += t[k] * model->fock[k + 1][i];
            e[i] += t[k] * model->commutator[k + 1][i];
        }
        e[i] *= scale;
    }
    hf_matrix_set_full(fock, f);
    hf_matrix_set_full(commutator, e);
}

struct bench {
    struct hf_context *context;
    struct hf_linalg *linalg;
    struct hf_matrix *fock, *commutator;
    struct hf_diis *diis;
    struct model model;
};

static void bench_init(struct bench *bench, int size)
{
    bench->context = test_context();
    bench->linalg = test_linalg(bench->context, layout, M);
    assert_ok(hf_matrix_create(bench->linalg, "F", M, M, &bench->fock, NULL));
    assert_ok(hf_matrix_create(bench->linalg, "e", M, M, &bench->commutator, NULL));
    assert_ok(hf_diis_create(bench->context, 1, size, &bench->diis, NULL));
    make_model(&bench->model);
}

static void bench_done(struct bench *bench)
{
    hf_diis_destroy(&bench->diis);
    assert_null(bench->diis);
    hf_diis_destroy(&bench->diis);
    hf_matrix_destroy(&bench->commutator);
    hf_matrix_destroy(&bench->fock);
    hf_linalg_destroy(&bench->linalg);
    test_context_done(&bench->context);
}

/** Adds `n` pairs at random parameters; returns the largest deviation of the last combination from
 *  F at the solution. */
static double add_pairs(struct bench *bench, int n, double scale, uint32_t seed)
{
    for (int i = 0; i < n; i++) {
        const double t[N_PARAMETER] = {test_random(&seed), test_random(&seed), test_random(&seed)};
        evaluate(&bench->model, t, scale, bench->fock, bench->commutator);
        assert_ok(hf_diis_extrapolate(bench->diis, &bench->fock, &bench->commutator, NULL));
    }
    double *mixed = test_gather(bench->fock), deviation = 0.0;
    evaluate(&bench->model, bench->model.solution, 1.0, bench->fock, bench->commutator);
    double *exact = test_gather(bench->fock);
    for (int i = 0; i < M * M; i++) deviation = fmax(deviation, fabs(mixed[i] - exact[i]));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < i; j++) assert_true(fabs(mixed[i + M * j] - mixed[j + M * i]) < 1e-12);
    free(mixed);
    free(exact);
    return deviation;
}

TEST(as_many_pairs_as_unknowns_give_the_exact_solution)
{
    struct bench bench;
    bench_init(&bench, 8);
    assert_true(add_pairs(&bench, N_PARAMETER, 1.0, 3) > 1e-3);
    bench_done(&bench);
    bench_init(&bench, 8);
    assert_true(add_pairs(&bench, N_PARAMETER + 1, 1.0, 3) < 1e-9);
    bench_done(&bench);
}

TEST(small_commutators_beside_large_fock_matrices_do_as_well)
{
    struct bench bench;
    bench_init(&bench, 8);
    assert_true(add_pairs(&bench, N_PARAMETER + 1, 1e-6, 3) < 1e-5);
    bench_done(&bench);
}

TEST(the_oldest_pair_leaves_a_full_history)
{
    struct bench bench;
    bench_init(&bench, N_PARAMETER + 1);
    add_pairs(&bench, 2, 1000.0, 11); /* pairs of another model: wrong by a factor */
    assert_int_equal(hf_diis_n_stored(bench.diis), 2);
    assert_true(add_pairs(&bench, N_PARAMETER + 1, 1.0, 5) < 1e-9);
    assert_int_equal(hf_diis_n_stored(bench.diis), N_PARAMETER + 1);
    assert_true(add_pairs(&bench, 3 * N_PARAMETER + 1, 1.0, 6) < 1e-9);
    assert_int_equal(hf_diis_n_stored(bench.diis), N_PARAMETER + 1);
    bench_done(&bench);
}

TEST(linearly_dependent_pairs_are_dropped_from_the_oldest_on)
{
    struct bench bench;
    bench_init(&bench, 8);
    const double t[N_PARAMETER] = {0.3, -0.2, 0.1};
    for (int i = 0; i < 3; i++) {
        evaluate(&bench.model, t, 1.0, bench.fock, bench.commutator);
        assert_ok(hf_diis_extrapolate(bench.diis, &bench.fock, &bench.commutator, NULL));
    }
    double largest;
    hf_matrix_max_abs(bench.fock, &largest);
    assert_true(largest < 40.0);
    assert_true(add_pairs(&bench, N_PARAMETER + 1, 1.0, 3) < 1e-7);
    bench_done(&bench);
}

TEST(a_vanishing_commutator_is_taken_as_it_is)
{
    struct bench bench;
    bench_init(&bench, 8);
    add_pairs(&bench, 2, 1.0, 3);
    evaluate(&bench.model, bench.model.solution, 0.0, bench.fock, bench.commutator);
    double *before = test_gather(bench.fock);
    assert_ok(hf_diis_extrapolate(bench.diis, &bench.fock, &bench.commutator, NULL));
    double *after = test_gather(bench.fock);
    assert_int_equal(hf_diis_n_stored(bench.diis), 1);
    assert_memory_equal(before, after, sizeof(double[M * M]));
    free(before);
    free(after);
    bench_done(&bench);
}

TEST(without_history_nothing_changes)
{
    struct bench bench;
    for (int size = 0; size < 2; size++) {
        bench_init(&bench, size);
        const double t[N_PARAMETER] = {0.3, -0.2, 0.1};
        for (int i = 0; i < 3; i++) {
            evaluate(&bench.model, t, 1.0, bench.fock, bench.commutator);
            double *before = test_gather(bench.fock);
            assert_ok(hf_diis_extrapolate(bench.diis, &bench.fock, &bench.commutator, NULL));
            double *after = test_gather(bench.fock);
            assert_memory_equal(before, after, sizeof(double[M * M]));
            free(before);
            free(after);
        }
        bench_done(&bench);
    }
}

/** Two Fock matrices F(t) and F(t)/2; the elements of e(t) are dealt to their commutators, so that
 *  neither of the two determines the solution as the two together do. */
static void evaluate_two(const struct model *model, const double t[], struct hf_matrix *fock[2],
                         struct hf_matrix *commutator[2])
{
    double f[M * M], e[2][M * M];
    evaluate(model, t, 1.0, fock[0], commutator[0]);
    hf_matrix_add(0.5, fock[0], 0.0, fock[1]);
    hf_matrix_gather_full(commutator[0], f);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            const int which = i + j < 2 ? 0 : 1; /* one element and its mirror image, the rest */
            e[which][i + M * j] = f[i + M * j];
            e[1 - which][i + M * j] = 0.0;
        }
    for (int k = 0; k < 2; k++) hf_matrix_set_full(commutator[k], e[k]);
}

TEST(several_fock_matrices_share_the_coefficients_of_their_stacked_commutators)
{
    struct bench bench;
    struct hf_diis *diis = NULL;
    uint32_t seed = 3;
    bench_init(&bench, 8);
    struct hf_matrix *fock[2] = {bench.fock, NULL}, *commutator[2] = {bench.commutator, NULL};
    assert_ok(hf_matrix_create(bench.linalg, "F", M, M, &fock[1], NULL));
    assert_ok(hf_matrix_create(bench.linalg, "e", M, M, &commutator[1], NULL));
    assert_ok(hf_diis_create(bench.context, 2, 8, &diis, NULL));
    for (int i = 0; i <= N_PARAMETER; i++) {
        const double t[N_PARAMETER] = {test_random(&seed), test_random(&seed), test_random(&seed)};
        evaluate_two(&bench.model, t, fock, commutator);
        assert_ok(hf_diis_extrapolate(diis, fock, commutator, NULL));
    }
    double *mixed[2] = {test_gather(fock[0]), test_gather(fock[1])};
    evaluate_two(&bench.model, bench.model.solution, fock, commutator);
    for (int k = 0; k < 2; k++) {
        double *exact = test_gather(fock[k]);
        for (int i = 0; i < M * M; i++) assert_true(fabs(mixed[k][i] - exact[i]) < 1e-9);
        free(exact);
        free(mixed[k]);
    }
    hf_diis_destroy(&diis);
    hf_matrix_destroy(&commutator[1]);
    hf_matrix_destroy(&fock[1]);
    bench_done(&bench);
}

int main(int argc, char **argv)
{
    layout = argc > 1 ? argv[1] : "serial";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
