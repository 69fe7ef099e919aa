/* Canonical orthogonalisation, with and without linear dependence. */
#include "../scf/scf_test.h"

static const char *layout; /**< argv[1]: "serial" or "parallel" */

enum { N = 11 };

/** S = A^T A / N with the last `n_dependent` columns of A close to the first ones. */
static struct hf_matrix *make_overlap(struct hf_linalg *linalg, int n_dependent)
{
    double a[N * N], s[N * N];
    uint32_t seed = 5;
    struct hf_matrix *overlap = NULL;
    for (int i = 0; i < N * N; i++) a[i] = test_random(&seed);
    for (int j = 0; j < n_dependent; j++)
        for (int i = 0; i < N; i++)
            a[i + N * (N - 1 - j)] = a[i + N * j] + 1e-5 * test_random(&seed);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            s[i + N * j] = i == j ? 1e-12 : 0.0;
            for (int k = 0; k < N; k++) s[i + N * j] += a[k + N * i] * a[k + N * j];
        }
    assert_ok(hf_matrix_create(linalg, "S", N, N, &overlap, NULL));
    hf_matrix_set_full(overlap, s);
    return overlap;
}

/** Largest element of X^T S X - 1. */
static double deviation(struct hf_linalg *linalg, const struct hf_matrix *x,
                        const struct hf_matrix *overlap)
{
    const int m = hf_matrix_n_col(x);
    struct hf_matrix *product = NULL;
    double largest = 0.0;
    assert_ok(hf_matrix_create(linalg, "XSX", m, m, &product, NULL));
    assert_ok(hf_to_orthonormal(x, overlap, product, NULL));
    double *full = test_gather(product);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            largest = fmax(largest, fabs(full[i + m * j] - (i == j ? 1.0 : 0.0)));
    free(full);
    hf_matrix_destroy(&product);
    return largest;
}

static void removes(int n_dependent)
{
    TEST_CONTEXT(context);
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *x = NULL;
    struct hf_linalg *linalg = test_linalg(context, layout, N);
    struct hf_matrix *overlap = make_overlap(linalg, n_dependent);
    struct hf_matrix *destroyed = make_overlap(linalg, n_dependent);
    assert_ok(hf_orthogonaliser_create(context, destroyed, 1e-6, &x, &spectrum, NULL, NULL));
    assert_int_equal(spectrum.n_removed, n_dependent);
    assert_int_equal(hf_matrix_n_row(x), N);
    assert_int_equal(hf_matrix_n_col(x), N - n_dependent);
    assert_true((spectrum.smallest < 1e-6) == (n_dependent > 0));
    assert_true(deviation(linalg, x, overlap) < 1e-10);
    hf_matrix_destroy(&x);
    hf_matrix_destroy(&destroyed);
    hf_matrix_destroy(&overlap);
    hf_linalg_destroy(&linalg);
}

TEST(an_independent_basis_keeps_all_functions)
{
    removes(0);
}

TEST(each_dependent_function_removes_one_orbital)
{
    removes(1);
    removes(3);
}

TEST(nothing_above_the_threshold_is_an_error)
{
    TEST_CONTEXT(context);
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *x = NULL;
    struct hf_linalg *linalg = test_linalg(context, layout, N);
    struct hf_matrix *overlap = make_overlap(linalg, 0);
    assert_failure(hf_orthogonaliser_create(context, overlap, 1e3, &x, &spectrum, NULL, &error),
                   HF_BAD_INPUT, &error, "linear dependence threshold");
    assert_null(x);
    hf_matrix_destroy(&overlap);
    hf_linalg_destroy(&linalg);
}

int main(int argc, char **argv)
{
    layout = argc > 1 ? argv[1] : "serial";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
