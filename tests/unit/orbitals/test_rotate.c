/* Occupied orbitals by rotation against those of a full diagonalisation, on random matrices. */
#include "../scf/scf_test.h"

static const char *layout; /**< argv[1]: "serial" or "parallel" */

enum { M = 60, O = 14 };

struct bench {
    struct hf_context *context;
    struct hf_linalg *linalg;
    struct hf_matrix *fock, *occupied;
    double full[M * M]; /**< of fock */
};

/** Diagonal elements from -2 to -1 and from 0.2 to 2, all others up to `coupling`. */
static void bench_init(struct bench *bench, double coupling)
{
    uint32_t seed = 11;
    double unit[M * O] = {0.0};
    bench->context = test_context();
    bench->linalg = test_linalg(bench->context, layout, M);
    assert_ok(hf_matrix_create(bench->linalg, "F", M, M, &bench->fock, NULL));
    assert_ok(hf_matrix_create(bench->linalg, "C", M, O, &bench->occupied, NULL));
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < i; j++)
            bench->full[i + M * j] = bench->full[j + M * i] = coupling * test_random(&seed);
        bench->full[i + M * i] = i < O ? -2.0 + (double)i / O : 0.2 + 1.8 * (i - O) / (M - O);
    }
    for (int i = 0; i < O; i++) unit[i + M * i] = 1.0;
    hf_matrix_set_full(bench->fock, bench->full);
    hf_matrix_set_full(bench->occupied, unit);
}

static void bench_done(struct bench *bench)
{
    hf_matrix_destroy(&bench->occupied);
    hf_matrix_destroy(&bench->fock);
    hf_linalg_destroy(&bench->linalg);
    assert_int_equal(hf_memory_current_bytes(bench->context->memory), 0);
    test_context_done(&bench->context);
}

static bool rotate(struct bench *bench, double tolerance, int *n_sweep)
{
    bool found;
    double diagonal[M];
    hf_matrix_set_full(bench->fock, bench->full);
    assert_ok(hf_rotate_orbitals(bench->context, bench->fock, tolerance, diagonal, bench->occupied,
                                 &found, n_sweep, NULL));
    for (int i = 0; i < M; i++) assert_true(diagonal[i] == bench->full[i + M * i]);
    return found;
}

/** C C^T, on the heap. */
static double *density(struct bench *bench, const struct hf_matrix *orbitals)
{
    struct hf_matrix *product = NULL;
    assert_ok(hf_matrix_create(bench->linalg, "D", M, M, &product, NULL));
    hf_matrix_multiply(1.0, false, orbitals, true, orbitals, 0.0, product);
    double *full = test_gather(product);
    hf_matrix_destroy(&product);
    return full;
}

/** The density of the orbitals there are is that of the lowest eigenvectors; these take their place. */
static void compare_with_diagonalisation(struct bench *bench)
{
    double eigenvalue[M];
    double *found = density(bench, bench->occupied);
    hf_matrix_set_full(bench->fock, bench->full);
    assert_ok(hf_matrix_eigen(bench->fock, eigenvalue, bench->occupied, NULL));
    double *expected = density(bench, bench->occupied);
    for (int i = 0; i < M * M; i++) assert_true(fabs(found[i] - expected[i]) < 1e-12);
    free(expected);
    free(found);
}

TEST(rotated_orbitals_have_the_density_of_the_lowest_eigenvectors)
{
    struct bench bench;
    int n_sweep;
    uint32_t seed = 5;
    bench_init(&bench, 0.06);
    assert_true(rotate(&bench, 1e-13, &n_sweep));
    assert_in_range(n_sweep, 3, 16);
    compare_with_diagonalisation(&bench);
    /* another matrix, and orbitals that are mixed among themselves: canonical ones */
    for (int i = 0; i < M; i++)
        for (int j = 0; j <= i; j++) {
            bench.full[i + M * j] += 0.02 * test_random(&seed);
            bench.full[j + M * i] = bench.full[i + M * j];
        }
    assert_true(rotate(&bench, 1e-13, &n_sweep));
    compare_with_diagonalisation(&bench);
    bench_done(&bench);
}

TEST(a_looser_tolerance_takes_fewer_sweeps)
{
    struct bench bench;
    int n_sharp, n_loose;
    bench_init(&bench, 0.06);
    assert_true(rotate(&bench, 1e-4, &n_loose));
    bench_done(&bench);
    bench_init(&bench, 0.06);
    assert_true(rotate(&bench, 1e-10, &n_sharp));
    assert_true(n_loose < n_sharp);
    bench_done(&bench);
}

/** Nothing is found, and the orbitals are what they were. */
static void expect_nothing(struct bench *bench, double tolerance)
{
    int n_sweep;
    double *before = test_gather(bench->occupied);
    assert_false(rotate(bench, tolerance, &n_sweep));
    double *after = test_gather(bench->occupied);
    assert_memory_equal(before, after, M * O * sizeof *before);
    free(after);
    free(before);
}

TEST(rotations_are_given_up_if_levels_are_close_or_change_places)
{
    struct bench bench;
    bench_init(&bench, 0.02);
    bench.full[O + M * O] = bench.full[O - 1 + M * (O - 1)] + 0.05;
    expect_nothing(&bench, 1e-8);
    bench.full[O + M * O] = bench.full[O - 1 + M * (O - 1)] - 0.5;
    expect_nothing(&bench, 1e-8);
    bench_done(&bench);
}

TEST(rotations_are_given_up_if_they_are_large_or_take_too_long)
{
    struct bench bench;
    bench_init(&bench, 1.0);
    expect_nothing(&bench, 1e-8);
    bench_done(&bench);
    bench_init(&bench, 0.06);
    expect_nothing(&bench, 0.0);
    /* orthogonal to the first functions */
    double last[M * O] = {0.0};
    for (int i = 0; i < O; i++) last[M - 1 - i + M * i] = 1.0;
    hf_matrix_set_full(bench.occupied, last);
    expect_nothing(&bench, 1e-8);
    bench_done(&bench);
}

/** Levels of -0.2 and 0.2; one orbital is turned by the angle whose tangent is `x`. */
static void turn_one(struct bench *bench, double x)
{
    double unit[M * O] = {0.0};
    memset(bench->full, 0, sizeof bench->full);
    for (int i = 0; i < M; i++) bench->full[i + M * i] = i < O ? -0.2 : 0.2;
    bench->full[M * O] = bench->full[O] = 0.4 * x / (1.0 - x * x);
    for (int i = 0; i < O; i++) unit[i + M * i] = 1.0;
    hf_matrix_set_full(bench->occupied, unit);
}

TEST(an_orbital_may_turn_by_27_degrees)
{
    struct bench bench;
    int n_sweep;
    bench_init(&bench, 0.0);
    turn_one(&bench, 0.48);
    assert_true(rotate(&bench, 1e-13, &n_sweep));
    compare_with_diagonalisation(&bench);
    turn_one(&bench, 0.52);
    expect_nothing(&bench, 1e-8);
    bench_done(&bench);
}

int main(int argc, char **argv)
{
    layout = argc > 1 ? argv[1] : "serial";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
