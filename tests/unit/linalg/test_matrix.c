/* Matrices against plain loops: argv[1] is "serial" (LAPACK on rank 0) or "parallel" (ScaLAPACK in
 * small blocks, whatever the order). */
#include "../mpi_test.h"

#include "linalg/new_matrix.h"

#include <math.h>

static bool parallel;
static const char *eigensolver; /* NULL: hf's choice */
static bool on_fewer; /* four ranks begin diagonalisations, where there are so many in the grid */

static struct hf_linalg *new_linalg(struct hf_context *context, int n)
{
    struct hf_linalg *linalg = NULL;
    assert_ok(hf_linalg_create_ext(context, n, parallel ? 0 : 1 << 30, 3, &linalg, &error));
    assert_non_null(strstr(hf_linalg_description(linalg), "LAPACK"));
    if (on_fewer && parallel && context->n_rank >= 4 && n >= 6)
        assert_ok(hf_linalg_diagonalise_on(linalg, 2, &error));
    if (eigensolver != NULL) assert_true(hf_linalg_set_eigensolver(linalg, eigensolver));
    return linalg;
}

static struct hf_matrix *new_matrix(struct hf_linalg *linalg, int n_row, int n_col)
{
    struct hf_matrix *matrix = NULL;
    assert_ok(hf_matrix_create(linalg, "test", n_row, n_col, &matrix, &error));
    assert_int_equal(hf_matrix_n_row(matrix), n_row);
    assert_int_equal(hf_matrix_n_col(matrix), n_col);
    return matrix;
}

/** Numbers equal on all ranks. */
static double *random_full(int n_row, int n_col, uint32_t seed)
{
    const size_t n = (size_t)n_row * (size_t)n_col;
    double *full = malloc(n * sizeof *full);
    for (size_t i = 0; i < n; i++) full[i] = test_random(&seed);
    return full;
}

static struct hf_matrix *from_full(struct hf_linalg *linalg, int n_row, int n_col,
                                   const double *full)
{
    struct hf_matrix *matrix = new_matrix(linalg, n_row, n_col);
    hf_matrix_set_full(matrix, full);
    return matrix;
}

static double *to_full(const struct hf_matrix *matrix)
{
    const size_t n = (size_t)hf_matrix_n_row(matrix) * (size_t)hf_matrix_n_col(matrix);
    double *full = malloc(n * sizeof *full);
    hf_matrix_gather_full(matrix, full);
    return full;
}

TEST(a_full_array_survives_the_way_there_and_back)
{
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, 11);
    double *full = random_full(11, 5, 1);
    struct hf_matrix *a = from_full(linalg, 11, 5, full);
    double *back = to_full(a);
    assert_memory_equal(full, back, 55 * sizeof *full);
    hf_matrix_destroy(&a);
    hf_linalg_destroy(&linalg);
    free(full);
    free(back);
}

TEST(rank_zero_gets_rows_as_they_stand)
{
    enum { N = 11, M = 5, STRIP = 4 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N);
    double *full = random_full(N, M, 9), rows[STRIP * M];
    struct hf_matrix *a = from_full(linalg, N, M, full);
    for (int first = 0; first < N; first += STRIP) {
        const int n = N - first < STRIP ? N - first : STRIP;
        hf_matrix_gather_rows(a, first, n, rows);
        for (int i = 0; i < n && context->rank == 0; i++)
            for (int j = 0; j < M; j++) assert_true(rows[i * M + j] == full[j * N + first + i]);
    }
    hf_matrix_destroy(&a);
    hf_linalg_destroy(&linalg);
    free(full);
}

TEST(elements_are_divided_by_differences_of_a_diagonal)
{
    enum { M = 11, N = 4, FIRST = 4 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, M);
    double *full = random_full(M, N, 6), diagonal[M];
    struct hf_matrix *a = from_full(linalg, M, N, full);
    for (int i = 0; i < M; i++) diagonal[i] = i * i + 0.5 * (i >= FIRST);
    hf_matrix_divide_differences(a, FIRST, diagonal);
    double *found = to_full(a);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            assert_true(found[i + M * j] ==
                        (i < FIRST ? 0.0 : full[i + M * j] / (diagonal[i] - diagonal[j])));
    free(full);
    free(found);
    hf_matrix_destroy(&a);
    hf_linalg_destroy(&linalg);
}

static double not_a_number(void *data, int row, int column, double value)
{
    (void)data;
    (void)row;
    (void)column;
    (void)value;
    return NAN;
}

TEST(rows_of_a_unit_matrix_are_not_multiplied)
{
    enum { M = 10, N = 8, K = 13 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, K);
    double *left = random_full(M, K, 3), *right = random_full(K, N, 4);
    for (int n = 0; n <= N; n++) {
        for (int j = 0; j < N; j++)
            for (int i = 0; i < n; i++) right[i + K * j] = i == j;
        struct hf_matrix *a = from_full(linalg, M, K, left), *b = from_full(linalg, K, N, right);
        struct hf_matrix *expected = new_matrix(linalg, M, N), *found = new_matrix(linalg, M, N);
        double largest;
        hf_matrix_map(found, not_a_number, NULL);
        hf_matrix_multiply_unit(a, b, n, found);
        hf_matrix_multiply(1.0, false, a, false, b, 0.0, expected);
        double *sum = to_full(found);
        for (int i = 0; i < M * N; i++) assert_true(isfinite(sum[i]));
        free(sum);
        hf_matrix_add(-1.0, expected, 1.0, found);
        hf_matrix_max_abs(found, &largest);
        assert_true(largest < 1e-14);
        hf_matrix_destroy(&a);
        hf_matrix_destroy(&b);
        hf_matrix_destroy(&expected);
        hf_matrix_destroy(&found);
    }
    free(left);
    free(right);
    hf_linalg_destroy(&linalg);
}

TEST(products_agree_with_loops_for_all_transposes)
{
    enum { M = 10, N = 7, K = 13 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, K);
    for (int flags = 0; flags < 4; flags++) {
        const bool ta = flags & 1, tb = flags & 2;
        double *fa = random_full(ta ? K : M, ta ? M : K, 2),
               *fb = random_full(tb ? N : K, tb ? K : N, 3);
        double *fc = random_full(M, N, 4);
        struct hf_matrix *a = from_full(linalg, ta ? K : M, ta ? M : K, fa);
        struct hf_matrix *b = from_full(linalg, tb ? N : K, tb ? K : N, fb);
        struct hf_matrix *c = from_full(linalg, M, N, fc);
        hf_matrix_multiply(2.0, ta, a, tb, b, -0.5, c);
        double *result = to_full(c);
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                double sum = 0.0;
                for (int k = 0; k < K; k++)
                    sum +=
                        (ta ? fa[i * K + k] : fa[k * M + i]) * (tb ? fb[k * N + j] : fb[j * K + k]);
                assert_true(fabs(result[j * M + i] - (2.0 * sum - 0.5 * fc[j * M + i])) < 1e-13);
            }
        }
        free(fa);
        free(fb);
        free(fc);
        free(result);
        hf_matrix_destroy(&a);
        hf_matrix_destroy(&b);
        hf_matrix_destroy(&c);
    }
    hf_linalg_destroy(&linalg);
}

TEST(sums_copies_and_scalars_agree_with_loops)
{
    enum { N = 9, M = 6 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N);
    double *fa = random_full(N, M, 5), *fb = random_full(N, M, 6), dot, largest;
    struct hf_matrix *a = from_full(linalg, N, M, fa), *b = from_full(linalg, N, M, fb);
    struct hf_matrix *t = new_matrix(linalg, M, N), *c = new_matrix(linalg, N, M);
    hf_matrix_dot(a, b, &dot);
    hf_matrix_max_abs(a, &largest);
    double sum = 0.0, most = 0.0;
    for (int i = 0; i < N * M; i++) {
        sum += fa[i] * fb[i];
        most = fmax(most, fabs(fa[i]));
    }
    assert_true(fabs(dot - sum) < 1e-13);
    assert_true(largest == most);

    hf_matrix_copy(a, c);
    hf_matrix_add(3.0, b, -1.0, c);
    hf_matrix_add_transposed(1.0, a, 0.0, t);
    double *fc = to_full(c), *ft = to_full(t);
    for (int j = 0; j < M; j++) {
        for (int i = 0; i < N; i++) {
            assert_true(fabs(fc[j * N + i] - (3.0 * fb[j * N + i] - fa[j * N + i])) < 1e-14);
            assert_true(ft[i * M + j] == fa[j * N + i]);
        }
    }
    free(fc);

    const double factor[3] = {2.0, -1.0, 0.5};
    hf_matrix_copy_columns(a, 2, 3, factor, c, 1);
    fc = to_full(c);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < N; i++)
            assert_true(fc[(j + 1) * N + i] == factor[j] * fa[(j + 2) * N + i]);
    assert_true(fabs(fc[0] - (3.0 * fb[0] - fa[0])) < 1e-14); /* other columns are untouched */
    free(fa);
    free(fb);
    free(fc);
    free(ft);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&b);
    hf_matrix_destroy(&c);
    hf_matrix_destroy(&t);
    hf_linalg_destroy(&linalg);
}

TEST(every_rank_gets_the_squares_of_rows_and_columns)
{
    enum { ROWS = 70, COLUMNS = 5 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, ROWS);
    double *full = random_full(ROWS, COLUMNS, 6), row[ROWS], column[COLUMNS];
    struct hf_matrix *matrix = from_full(linalg, ROWS, COLUMNS, full);
    hf_matrix_row_squares(matrix, row);
    hf_matrix_column_squares(matrix, column);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double square = full[i + ROWS * j] * full[i + ROWS * j];
            row[i] -= square;
            column[j] -= square;
        }
    for (int i = 0; i < ROWS; i++) assert_true(fabs(row[i]) < 1e-13);
    for (int j = 0; j < COLUMNS; j++) assert_true(fabs(column[j]) < 1e-12);
    free(full);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
}

/** A = Q diag(e) Q^T checked through its own eigenvectors; the lower triangle alone is given. */
TEST(every_rank_gets_the_diagonal)
{
    enum { N = 11 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N);
    double *full = random_full(N, N, 5), diagonal[N];
    struct hf_matrix *matrix = from_full(linalg, N, N, full);
    hf_matrix_diagonal(matrix, diagonal);
    for (int i = 0; i < N; i++) assert_true(diagonal[i] == full[i + N * i]);
    free(full);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
}

static void check_eigen(struct hf_context *context, int n, bool degenerate)
{
    struct hf_linalg *linalg = new_linalg(context, n);
    double *full = random_full(n, n, 8), *e = malloc((size_t)n * sizeof *e);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) full[i * n + j] = full[j * n + i];
    if (degenerate)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) full[j * n + i] = i == j ? 2.0 : 1.0;
    double *lower = malloc((size_t)(n * n) * sizeof *lower);
    memcpy(lower, full, (size_t)(n * n) * sizeof *lower);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) lower[j * n + i] = 99.0;
    struct hf_matrix *a = from_full(linalg, n, n, lower), *z = new_matrix(linalg, n, n);
    assert_ok(hf_matrix_eigen(a, e, z, &error));
    double *v = to_full(z);
    for (int k = 0; k < n; k++) {
        if (k > 0) assert_true(e[k] >= e[k - 1]);
        double largest = 0.0, deciding = 0.0;
        for (int i = 0; i < n; i++) {
            double row = 0.0;
            for (int j = 0; j < n; j++) row += full[j * n + i] * v[k * n + j];
            assert_true(fabs(row - e[k] * v[k * n + i]) < 1e-12 * n);
            if (fabs(v[k * n + i]) > largest * (1.0 + 1e-6)) {
                largest = fabs(v[k * n + i]);
                deciding = v[k * n + i];
            }
        }
        assert_true(deciding > 0.0);
        for (int l = 0; l <= k; l++) {
            double overlap = 0.0;
            for (int i = 0; i < n; i++) overlap += v[k * n + i] * v[l * n + i];
            assert_true(fabs(overlap - (k == l ? 1.0 : 0.0)) < 1e-12);
        }
    }
    free(full);
    free(lower);
    free(e);
    free(v);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&linalg);
}

TEST(eigenvectors_are_right_for_all_orders)
{
    const int orders[] = {1, 2, 3, 4, 7, 20, 31};
    TEST_CONTEXT(context);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (context->n_rank > 4 && i % 2 != 0) continue; /* busy waiting makes them slow */
        check_eigen(context, orders[i], false);
        check_eigen(context, orders[i], true);
    }
}

TEST(symmetric_products_are_those_of_the_general_routine)
{
    const int orders[] = {1, 31, 70, 140}, inner = 17;
    TEST_CONTEXT(context);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int n = orders[i];
        struct hf_linalg *linalg = new_linalg(context, n);
        double *tall = random_full(n, inner, 3), *wide = random_full(inner, n, 4);
        struct hf_matrix *a = from_full(linalg, n, inner, tall);
        struct hf_matrix *b = from_full(linalg, inner, n, wide);
        for (int t = 0; t < 2; t++) { /* A A^T, B^T B */
            const struct hf_matrix *factor = t == 0 ? a : b;
            struct hf_matrix *c = new_matrix(linalg, n, n), *d = new_matrix(linalg, n, n);
            hf_matrix_multiply_to_symmetric(2.0, t == 1, factor, t == 0, factor, c);
            hf_matrix_multiply(2.0, t == 1, factor, t == 0, factor, 0.0, d);
            double *got = to_full(c), *expected = to_full(d);
            for (int k = 0; k < n * n; k++) assert_true(fabs(got[k] - expected[k]) < 1e-13);
            free(got);
            free(expected);
            hf_matrix_destroy(&c);
            hf_matrix_destroy(&d);
        }
        free(tall);
        free(wide);
        hf_matrix_destroy(&a);
        hf_matrix_destroy(&b);
        hf_linalg_destroy(&linalg);
    }
}

/** The lowest eigenvectors are those of the full set, and so are all eigenvalues. */
static void check_lowest(struct hf_context *context, int n, int n_vector)
{
    struct hf_linalg *linalg = new_linalg(context, n);
    double *full = random_full(n, n, 8), *e = malloc(2 * (size_t)n * sizeof *e);
    struct hf_matrix *a = from_full(linalg, n, n, full), *b = from_full(linalg, n, n, full);
    struct hf_matrix *z = new_matrix(linalg, n, n), *low = new_matrix(linalg, n, n_vector);
    assert_ok(hf_matrix_eigen(a, e, z, &error));
    assert_ok(hf_matrix_eigen(b, e + n, n_vector > 0 ? low : NULL, &error));
    double *v = to_full(z), *w = to_full(low);
    for (int k = 0; k < n; k++) assert_true(fabs(e[k] - e[n + k]) < 1e-13 * n);
    for (int i = 0; i < n * n_vector; i++) assert_true(fabs(v[i] - w[i]) < 1e-11 * n);
    free(full);
    free(e);
    free(v);
    free(w);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&b);
    hf_matrix_destroy(&z);
    hf_matrix_destroy(&low);
    hf_linalg_destroy(&linalg);
}

TEST(as_many_of_the_lowest_eigenvectors_are_made_as_asked_for)
{
    const int orders[] = {1, 2, 7, 31, 70};
    TEST_CONTEXT(context);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (context->n_rank > 4 && i % 2 != 0) continue;
        check_lowest(context, orders[i], 0);
        check_lowest(context, orders[i], (orders[i] + 2) / 3);
    }
}

TEST(every_eigensolver_there_is_is_right)
{
    const char *const names[] = {"LAPACK", "ScaLAPACK", "ELPA"};
    const int orders[] = {9, 31, 70, 131};
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, 9);
    assert_false(hf_linalg_set_eigensolver(linalg, "none"));
    for (int k = 0; k < 3; k++) {
        if (!hf_linalg_set_eigensolver(linalg, names[k])) continue; /* not in this build */
        eigensolver = names[k];
        for (size_t i = 0; i < sizeof orders / sizeof *orders && context->n_rank <= 4; i++) {
            check_eigen(context, orders[i], false);
            check_eigen(context, orders[i], true);
            check_lowest(context, orders[i], (orders[i] + 2) / 3);
        }
    }
    eigensolver = NULL;
    hf_linalg_destroy(&linalg);
}

TEST(a_part_of_the_ranks_diagonalises_as_all_do)
{
    const int orders[] = {6, 7, 31, 70};
    TEST_CONTEXT(context);
    on_fewer = true;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        check_eigen(context, orders[i], false);
        check_lowest(context, orders[i], 0);
        check_lowest(context, orders[i], (orders[i] + 2) / 3);
    }
    on_fewer = false;
}

TEST(new_matrices_have_the_shape_and_values_of_their_origins)
{
    enum { N = 11, M = 5, O = 3 };
    const double factor[O] = {2.0, -1.0, 0.5};
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N);
    struct hf_matrix *like = NULL, *copy = NULL, *columns = NULL, *product = NULL;
    struct hf_matrix *zeros = NULL, *small = NULL;
    double *full = random_full(N, M, 1);
    struct hf_matrix *a = from_full(linalg, N, M, full);
    assert_ok(hf_matrix_create_like("test", a, &like, NULL));
    assert_ok(hf_matrix_create_copy("test", a, &copy, NULL));
    assert_ok(hf_matrix_create_columns("test", a, 1, O, factor, &columns, NULL));
    assert_ok(hf_matrix_create_product("test", true, a, false, columns, &product, NULL));
    assert_ok(HF_CREATE_MATRICES(linalg, "test", NULL, {&zeros, N, M}, {&small, O, M}));
    assert_ptr_equal(hf_matrix_grid(product), linalg);
    assert_int_equal(hf_matrix_n_row(small), O);
    double *of_like = to_full(like), *of_copy = to_full(copy), *of_zeros = to_full(zeros);
    double *of_columns = to_full(columns), *of_product = to_full(product);
    assert_memory_equal(of_copy, full, sizeof *full * N * M);
    assert_memory_equal(of_like, of_zeros, sizeof *full * N * M);
    for (int j = 0; j < O; j++) {
        for (int i = 0; i < N; i++)
            assert_true(of_columns[i + N * j] == factor[j] * full[i + N * (j + 1)]);
        for (int i = 0; i < M; i++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += full[k + N * i] * of_columns[k + N * j];
            assert_true(fabs(of_product[i + M * j] - sum) < 1e-13);
        }
    }
    double *const list[] = {full, of_like, of_copy, of_zeros, of_columns, of_product};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) free(list[i]);
    HF_DESTROY_MATRICES(&a, &like, &copy, &columns, &product, &zeros, &small);
    assert_null(product);
    hf_linalg_destroy(&linalg);
}

TEST(a_matrix_that_is_not_finite_is_refused_by_all_ranks)
{
    enum { N = 8 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N);
    double *full = random_full(N, N, 9), e[N];
    full[N * N - 1] = NAN;
    struct hf_matrix *a = from_full(linalg, N, N, full), *z = new_matrix(linalg, N, N);
    assert_failure(hf_matrix_eigen(a, e, z, &error), HF_NO_RESOURCE, &error, "not finite");
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&linalg);
    free(full);
}

TEST(a_small_symmetric_system_is_solved_and_a_singular_one_refused)
{
    double a[4] = {0.0, 1.0, 1.0, 3.0}, b[2] = {2.0, 7.0};
    assert_ok(hf_solve_symmetric(2, a, b, &error));
    assert_true(fabs(b[0] - 1.0) < 1e-14 && fabs(b[1] - 2.0) < 1e-14);
    double zero[4] = {0.0, 0.0, 0.0, 0.0};
    assert_int_equal(hf_solve_symmetric(2, zero, b, &error), HF_NO_RESOURCE);
}

int main(int argc, char **argv)
{
    parallel = strcmp(argv[1], "parallel") == 0;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
