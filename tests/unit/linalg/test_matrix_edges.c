/* Matrices where things go wrong: empty shapes, values that must not be read, equal bits on all
 * ranks, grids made and freed many times. argv[1] is "serial" or "parallel" as in test_matrix. */
#include "../mpi_test.h"

#include "hf/linalg.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static bool parallel;

static struct hf_linalg *new_linalg(struct hf_context *context, int n, int block)
{
    struct hf_linalg *linalg = NULL;
    assert_ok(hf_linalg_create_ext(context, n, parallel ? 0 : 1 << 30, block, &linalg, &error));
    return linalg;
}

/** Matrix with the elements value(i, j). */
static struct hf_matrix *new_matrix(struct hf_linalg *linalg, int n_row, int n_col,
                                    double (*value)(int i, int j))
{
    struct hf_matrix *matrix = NULL;
    double *full = malloc(((size_t)n_row * (size_t)n_col + 1) * sizeof *full);
    for (int j = 0; j < n_col; j++)
        for (int i = 0; i < n_row; i++) full[j * n_row + i] = value(i, j);
    assert_ok(hf_matrix_create(linalg, "test", n_row, n_col, &matrix, &error));
    hf_matrix_set_full(matrix, full);
    free(full);
    return matrix;
}

static double *to_full(const struct hf_matrix *matrix)
{
    const size_t n = (size_t)hf_matrix_n_row(matrix) * (size_t)hf_matrix_n_col(matrix);
    double *full = malloc((n + 1) * sizeof *full);
    hf_matrix_gather_full(matrix, full);
    return full;
}

static double smooth(int i, int j)
{
    return sin(1.0 + i * 0.7 + j * 1.3) + sin(1.0 + j * 0.7 + i * 1.3);
}

static double not_a_number(int i, int j)
{
    (void)i;
    (void)j;
    return NAN;
}

/** Symmetric as far as it is read. */
static double poisoned_above(int i, int j)
{
    return i >= j ? smooth(i, j) : NAN;
}

static double poisoned_below(int i, int j)
{
    return i == 6 && j == 1 ? INFINITY : smooth(i, j);
}

/** Second differences: eigenvalues 2 - 2 cos(k pi / (n + 1)). */
static double chain(int i, int j)
{
    return i == j ? 2.0 : (i - j == 1 || j - i == 1) ? -1.0 : 0.0;
}

static double become_one(void *data, int row, int column, double value)
{
    (void)data;
    (void)row;
    (void)column;
    return value + 1.0;
}

static void assert_equal_bits_on_all_ranks(const double value[], int n)
{
    double *first = malloc((size_t)n * sizeof *first);
    memcpy(first, value, (size_t)n * sizeof *first);
    MPI_Bcast(first, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    assert_memory_equal(first, value, (size_t)n * sizeof *first);
    free(first);
}

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
/** Bytes of address space that this process has. */
static size_t address_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}
#endif

/** Rank 0 has room for one more only if what was kept goes, of which all ranks have their part. The sanitizer for
 *  addresses cannot live with a limit. This is the first test: the others leave free memory. */
TEST(kept_matrices_make_room)
{
#if defined __SANITIZE_ADDRESS__ || !defined __GLIBC__
    skip();
#else
    enum { N = 350 };
    mallopt(M_MMAP_THRESHOLD, 1 << 16); /* no free memory of the process is found for matrices */
    struct hf_context *context = test_context();
    struct hf_linalg *linalg = new_linalg(context, N, 50);
    struct hf_matrix *matrix = NULL;
    struct rlimit before, limit;
    assert_ok(hf_matrix_create(linalg, "test", N, N, &matrix, &error));
    const size_t n_bytes = hf_memory_current_bytes(context->memory);
    hf_matrix_destroy(&matrix);
    assert_int_equal(hf_memory_current_bytes(context->memory), n_bytes);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = address_bytes() + n_bytes / 2;
    if (context->rank == 0) assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_ok(hf_matrix_create(linalg, "test", N, N - 1, &matrix, &error));
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(hf_memory_current_bytes(context->memory) <= n_bytes);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
    test_context_done(&context);
#endif
}

TEST(scalars_and_gathered_matrices_have_equal_bits_on_all_ranks)
{
    enum { N = 23 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N, 4);
    struct hf_matrix *a = new_matrix(linalg, N, N, smooth), *z = new_matrix(linalg, N, N, smooth);
    double scalar[2], e[N];
    hf_matrix_dot(a, z, &scalar[0]);
    hf_matrix_max_abs(a, &scalar[1]);
    assert_equal_bits_on_all_ranks(scalar, 2);
    assert_ok(hf_matrix_eigen(a, e, z, &error));
    assert_equal_bits_on_all_ranks(e, N);
    double *full = to_full(z);
    assert_equal_bits_on_all_ranks(full, N * N);
    free(full);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&linalg);
}

TEST(a_factor_of_zero_does_not_read_the_target)
{
    enum { N = 9 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N, 4);
    struct hf_matrix *a = new_matrix(linalg, N, N, smooth), *c[4];
    for (int k = 0; k < 4; k++) c[k] = new_matrix(linalg, N, N, not_a_number);
    hf_matrix_add(1.0, a, 0.0, c[0]);
    hf_matrix_add_transposed(1.0, a, 0.0, c[1]);
    hf_matrix_multiply(1.0, false, a, false, a, 0.0, c[2]);
    hf_matrix_copy_columns(a, 0, N, NULL, c[3], 0);
    for (int k = 0; k < 4; k++) {
        double largest;
        hf_matrix_max_abs(c[k], &largest);
        assert_true(isfinite(largest));
        hf_matrix_destroy(&c[k]);
    }
    hf_matrix_destroy(&a);
    hf_linalg_destroy(&linalg);
}

TEST(empty_shapes_are_fine)
{
    enum { N = 9 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N, 4);
    struct hf_matrix *none = new_matrix(linalg, N, 0, smooth),
                     *c = new_matrix(linalg, N, N, smooth);
    struct hf_matrix *none_too = new_matrix(linalg, N, 0, smooth);
    struct hf_matrix *nothing = new_matrix(linalg, 0, 0, smooth);
    struct hf_matrix *nowhere = new_matrix(linalg, 0, 0, smooth);
    double dot = 1.0;
    hf_matrix_multiply(2.0, false, none, true, none, 3.0, c);
    double *full = to_full(c);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) assert_true(fabs(full[j * N + i] - 3.0 * smooth(i, j)) < 1e-14);
    free(full);
    hf_matrix_multiply(1.0, true, c, false, none, 0.0, none_too);
    hf_matrix_copy_columns(c, 3, 0, NULL, none, 0);
    hf_matrix_dot(none, none, &dot);
    assert_true(dot == 0.0);
    assert_ok(hf_matrix_eigen(nothing, NULL, nowhere, &error));
    hf_matrix_destroy(&none);
    hf_matrix_destroy(&none_too);
    hf_matrix_destroy(&c);
    hf_matrix_destroy(&nothing);
    hf_matrix_destroy(&nowhere);
    hf_linalg_destroy(&linalg);
}

TEST(only_the_lower_triangle_is_read)
{
    enum { N = 14 };
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N, 4);
    struct hf_matrix *whole = new_matrix(linalg, N, N, smooth);
    struct hf_matrix *half = new_matrix(linalg, N, N, poisoned_above);
    struct hf_matrix *bad = new_matrix(linalg, N, N, poisoned_below);
    struct hf_matrix *z = new_matrix(linalg, N, N, smooth);
    double e[N], e_half[N];
    assert_ok(hf_matrix_eigen(whole, e, z, &error));
    assert_ok(hf_matrix_eigen(half, e_half, z, &error));
    for (int k = 0; k < N; k++) assert_true(fabs(e[k] - e_half[k]) < 1e-12);
    assert_failure(hf_matrix_eigen(bad, e, z, &error), HF_NO_RESOURCE, &error, "not finite");
    hf_matrix_destroy(&whole);
    hf_matrix_destroy(&half);
    hf_matrix_destroy(&bad);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&linalg);
}

/** Large enough for several divisions of the divide-and-conquer algorithm. */
TEST(eigenvalues_of_a_chain_are_those_of_the_formula)
{
    enum { N = 130 };
    const double pi = 3.14159265358979323846;
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, N, 16);
    struct hf_matrix *a = new_matrix(linalg, N, N, chain), *z = new_matrix(linalg, N, N, chain);
    double e[N];
    assert_ok(hf_matrix_eigen(a, e, z, &error));
    for (int k = 0; k < N; k++)
        assert_true(fabs(e[k] - (2.0 - 2.0 * cos((k + 1) * pi / (N + 1)))) < 1e-12);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&linalg);
}

/** On two ranks more often than MPICH has communicators at a time; on more, where busy waiting
 * makes it slow, only a few times. */
TEST(grids_leave_nothing_behind)
{
    TEST_CONTEXT(context);
    const int n_time = context->n_rank == 2 ? 1000 : 10;
    for (int k = 0; k < n_time; k++) {
        struct hf_linalg *linalg = new_linalg(context, 6 + k % 9, 4);
        hf_linalg_destroy(&linalg);
        assert_null(linalg);
    }
}

static int n_agreement;

/** Open MPI's and MPICH's calls go through this one. Only agreements (hf_agree) have this operation. */
int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    n_agreement += op == MPI_MAXLOC;
    return PMPI_Allreduce(from, to, n, type, op, comm);
}

TEST(a_matrix_of_a_shape_there_was_needs_no_agreement)
{
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, 10, 3);
    for (int k = 0; k < 2; k++) {
        struct hf_matrix *matrix = NULL;
        double largest;
        n_agreement = 0;
        assert_ok(hf_matrix_create(linalg, "test", 10, 7, &matrix, &error));
        assert_int_equal(n_agreement, k == 0 ? 1 : 0);
        hf_matrix_max_abs(matrix, &largest);
        assert_true(largest == 0.0);
        hf_matrix_map(matrix, become_one, NULL);
        hf_matrix_destroy(&matrix);
    }
    hf_linalg_destroy(&linalg);
}

/** On room, if several ranks do it; the outcome goes with the eigenvalues. */
TEST(a_diagonalisation_agrees_once)
{
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, 12, 3);
    double e[12];
    for (int k = 0; k < 2; k++) {
        struct hf_matrix *a = new_matrix(linalg, 12, 12, chain);
        struct hf_matrix *z = new_matrix(linalg, 12, 12, smooth);
        n_agreement = 0;
        assert_ok(hf_matrix_eigen(a, e, z, &error));
        hf_matrix_destroy(&a);
        hf_matrix_destroy(&z);
    }
    const bool one = strcmp(hf_linalg_description(linalg), "LAPACK on rank 0") == 0;
    assert_int_equal(n_agreement, one ? 0 : 1);
    hf_linalg_destroy(&linalg);
}

TEST(large_matrices_and_many_are_not_kept)
{
    enum { LARGE = 3000, MANY = 100 }; /* 72 MB; far more than are kept */
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = new_linalg(context, LARGE, 64);
    struct hf_matrix *matrix = NULL;
    assert_ok(hf_matrix_create(linalg, "test", LARGE, LARGE, &matrix, &error));
    hf_matrix_destroy(&matrix);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
    for (int n = 1; n <= MANY; n++) {
        assert_ok(hf_matrix_create(linalg, "test", n, 200, &matrix, &error));
        hf_matrix_destroy(&matrix);
    }
    assert_true(hf_memory_current_bytes(context->memory) < (size_t)1 << 21);
    n_agreement = 0;
    assert_ok(hf_matrix_create(linalg, "test", 1, 200, &matrix, &error));
    assert_int_equal(n_agreement, 1);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
}

TEST(two_grids_live_side_by_side)
{
    TEST_CONTEXT(context);
    struct hf_linalg *small = new_linalg(context, 6, 4), *large = new_linalg(context, 40, 4);
    struct hf_matrix *a = new_matrix(small, 6, 6, chain), *b = new_matrix(large, 40, 40, chain);
    struct hf_matrix *y = new_matrix(small, 6, 6, chain), *z = new_matrix(large, 40, 40, chain);
    double e[40];
    assert_ok(hf_matrix_eigen(b, e, z, &error));
    assert_ok(hf_matrix_eigen(a, e, y, &error));
    hf_matrix_destroy(&b);
    hf_matrix_destroy(&z);
    hf_linalg_destroy(&large);
    hf_matrix_multiply(1.0, false, y, true, y, 0.0, a);
    double *unit = to_full(a);
    for (int k = 0; k < 36; k++) assert_true(fabs(unit[k] - (k % 7 == 0 ? 1.0 : 0.0)) < 1e-14);
    free(unit);
    hf_matrix_destroy(&a);
    hf_matrix_destroy(&y);
    hf_linalg_destroy(&small);
}

TEST(a_small_order_stays_on_one_rank)
{
    TEST_CONTEXT(context);
    struct hf_linalg *linalg = NULL;
    assert_ok(hf_linalg_create(context, 100, &linalg, &error));
    assert_string_equal(hf_linalg_description(linalg), "LAPACK on rank 0");
    hf_linalg_destroy(&linalg);
    assert_ok(hf_linalg_create(context, 5000, &linalg, &error));
    assert_int_equal(strstr(hf_linalg_description(linalg), "ScaLAPACK") != NULL,
                     context->n_rank > 1);
    hf_linalg_destroy(&linalg);
}

/** One rank computes; some are faster; of very many a part does it, in the same time. */
TEST(the_model_knows_grids_without_making_them)
{
    enum { N = 764 };
    const double product = hf_linalg_product_seconds(N, 1, false);
    assert_true(fabs(product - 2.0 * N * N * N / 4e10) < 1e-12);
    for (int k = 0; k < 2; k++) {
        const bool spread = k == 1;
        assert_true(hf_linalg_product_seconds(N, 16, spread) < 0.25 * product);
        assert_true(hf_linalg_eigen_seconds(N, 16, spread) <
                    0.5 * hf_linalg_eigen_seconds(N, 1, spread));
    }
    assert_true(hf_linalg_product_seconds(100, 16, false) ==
                hf_linalg_product_seconds(100, 1, false)); /* too small for several */
    assert_true(hf_linalg_eigen_seconds(N, 10000, false) ==
                hf_linalg_eigen_seconds(N, 1000, false));
}

/** Libraries of two MPI implementations in one process crash or, worse, run alone each. */
TEST(one_mpi_library_is_loaded)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL) skip();
    char line[4096];
    bool openmpi = false, mpich = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "/libmpi.so") != NULL || strstr(line, "-openmpi.so") != NULL)
            openmpi = true;
        if (strstr(line, "/libmpich.so") != NULL || strstr(line, "-mpich.so") != NULL) mpich = true;
    }
    fclose(maps);
    assert_false(openmpi && mpich);
}

int main(int argc, char **argv)
{
    parallel = strcmp(argv[1], "parallel") == 0;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
