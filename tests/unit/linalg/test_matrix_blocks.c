/* Symmetric matrices from and to blocks: argv[1] is "serial" (LAPACK on rank 0) or "parallel". */
#include "../mpi_test.h"

#include "hf/linalg.h"
#include "layout/layout.h"
#include "linalg/matrix_blocks.h"

static bool parallel;
static struct hf_context *context;

/** Element of the matrix that all tests use. */
static double element(int i, int j)
{
    const int high = i > j ? i : j, low = i > j ? j : i;
    return high * 10007.0 + low + 0.5;
}

/** Fills or checks (returning the number of wrong elements) this rank's blocks. */
static int visit_blocks(const struct hf_block_layout *layout, double *blocks, bool fill)
{
    const int n_part = hf_block_layout_n_part(layout);
    const int *first = hf_block_layout_first(layout);
    int n_wrong = 0;
    for (int i = 0; i < n_part; i++) {
        for (int j = 0; j <= i; j++) {
            const struct hf_block_place place = hf_block_layout_find(layout, i, j);
            if (place.rank != context->rank) continue;
            double *value = blocks + place.offset;
            for (int r = first[i]; r < first[i + 1]; r++)
                for (int c = first[j]; c < first[j + 1]; c++, value++) {
                    if (fill) *value = element(r, c);
                    n_wrong += *value != element(r, c);
                }
        }
    }
    return n_wrong;
}

/** hf_find_block_function: block (i,j) made up where it is asked for. */
static const double *make_block(void *data, int i, int j)
{
    static double block[32 * 32];
    const int *first = hf_block_layout_first(data);
    double *value = block;
    for (int r = first[i]; r < first[i + 1]; r++)
        for (int c = first[j]; c < first[j + 1]; c++) *value++ = element(r, c);
    return block;
}

/** What every rank can reach: no rank asks another, and together they have the matrix. */
static void check_reachable(struct hf_matrix *matrix, struct hf_block_layout *layout, double *full)
{
    const int n = hf_matrix_n_row(matrix);
    const size_t size = (size_t)n * (size_t)n;
    memset(full, 0, size * sizeof *full);
    hf_matrix_set_full(matrix, full);
    assert_ok(hf_matrix_set_reachable(matrix, layout, make_block, layout, 1.0, &error));
    hf_matrix_copy_local(matrix, full);
    hf_sum_over_ranks(context->comm, size, full);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            assert_true(full[(size_t)j * (size_t)n + (size_t)i] == element(i, j));
}

static void check_both_ways(int n_part, const int *first, int block_size)
{
    struct hf_linalg *linalg = NULL;
    struct hf_matrix *matrix = NULL;
    struct hf_block_layout *layout = NULL;
    const int n = first[n_part];
    assert_ok(
        hf_linalg_create_ext(context, n, parallel ? 0 : 1 << 30, block_size, &linalg, &error));
    assert_ok(hf_matrix_create(linalg, "test", n, n, &matrix, &error));
    assert_ok(hf_block_layout_create(context, context->n_rank, n_part, first, &layout, &error));
    const size_t size = hf_block_layout_local_size(layout);
    double *blocks = calloc(size + 1, sizeof *blocks);
    double *full = calloc((size_t)n * (size_t)n, sizeof *full);
    visit_blocks(layout, blocks, true);
    assert_ok(hf_matrix_set_blocks(matrix, layout, blocks, 1.0, HF_OK, &error));
    hf_matrix_gather_full(matrix, full);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            assert_true(full[(size_t)j * (size_t)n + (size_t)i] == element(i, j));
    memset(blocks, 0, size * sizeof *blocks);
    assert_ok(hf_matrix_get_blocks(matrix, layout, blocks, &error));
    assert_int_equal(visit_blocks(layout, blocks, false), 0);
    check_reachable(matrix, layout, full);
    free(full);
    free(blocks);
    hf_block_layout_destroy(&layout);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
}

static int set_up(void **state)
{
    context = test_context();
    return 0;
}

static int tear_down(void **state)
{
    test_context_done(&context);
    return 0;
}

TEST_IN(every_element_arrives, set_up, tear_down)
{
    const int one[] = {0, 7}, pairs[] = {0, 14, 19}, with_empty[] = {0, 0, 5, 5, 6, 20, 20, 31, 31};
    for (int block_size = 1; block_size <= 64; block_size = 2 * block_size + 1) {
        check_both_ways(1, one, block_size);
        check_both_ways(2, pairs, block_size);
        check_both_ways(8, with_empty, block_size);
    }
}

/** Parts smaller and larger than the blocks of the grid, so that a rank has something of some parts
 *  only; even and odd numbers of them, which close the circle of rows in different ways. */
TEST_IN(ranks_meet_only_parts_they_have_something_of, set_up, tear_down)
{
    enum { MOST = 41 };
    int first[MOST + 1] = {0};
    for (int n_part = MOST - 1; n_part <= MOST; n_part++) {
        for (int i = 0; i < n_part; i++) first[i + 1] = first[i] + (i * i + 3) % 15;
        check_both_ways(n_part, first, 3);
        check_both_ways(n_part, first, 32);
        for (int i = 0; i < n_part; i++) first[i + 1] = i + 1;
        check_both_ways(n_part, first, 4);
    }
}

/** Large enough to travel in several stages, whose buffers are what bounds the memory. */
TEST_IN(large_matrices_travel_in_stages, set_up, tear_down)
{
    enum { N_PART = 150 };
    int first[N_PART + 1] = {0};
    for (int i = 0; i < N_PART; i++) first[i + 1] = first[i] + (i % 3 == 0 ? 14 : 5);
    check_both_ways(N_PART, first, 64);
    const size_t n = (size_t)first[N_PART];
    const size_t share = n * n * sizeof(double) / (size_t)context->n_rank;
    if (parallel) assert_true(hf_memory_largest_bytes(context->memory) < 2 * share);
}

int main(int argc, char **argv)
{
    parallel = strcmp(argv[1], "parallel") == 0;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
