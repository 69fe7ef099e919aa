/* Windows: numbers of any rank, by rank and offset. argv[1] is the transport, argv[2] who adds:
 * "owner" or "caller"; argv[3] ranks of a node, 0: as the machine has them. */
#include "../mpi_test.h"

#include "onesided/onesided.h"

static struct hf_onesided_settings settings;
static int ranks_per_node; /* 0: as the machine has them */

struct fixture {
    struct hf_context *context;
    struct hf_onesided *onesided;
    struct hf_window *window;
};

/** Ranks have parts of different sizes, the second none. */
static size_t size_of(int rank)
{
    return rank == 1 ? 0 : (size_t)(100 + 37 * rank);
}

static struct fixture open_fixture(void)
{
    struct fixture f;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, ranks_per_node, &f.context, &error));
    assert_ok(hf_onesided_create(f.context, &settings, &f.onesided, &error));
    assert_string_equal(hf_onesided_transport(f.onesided), settings.transport);
    assert_ok(
        hf_window_create(f.onesided, size_of(f.context->rank), "test window", &f.window, &error));
    return f;
}

static void close_fixture(struct fixture *f)
{
    hf_window_destroy(&f->window);
    assert_null(f->window);
    hf_onesided_destroy(&f->onesided);
    test_context_done(&f->context);
}

static double element(int rank, size_t k)
{
    return 1000.0 * rank + (double)k;
}

static void fill(struct fixture *f)
{
    const int rank = f->context->rank;
    double *local = hf_window_local(f->window);
    for (size_t k = 0; k < size_of(rank); k++) local[k] = element(rank, k);
}

/** Number of wrong elements of all ranks, got in pieces of `n`. */
static int count_wrong(struct fixture *f, size_t n, double (*right)(int rank, size_t k))
{
    int n_wrong = 0;
    double *value = malloc((n + 1) * sizeof *value);
    for (int rank = 0; rank < f->context->n_rank; rank++) {
        const size_t size = size_of(rank);
        for (size_t first = 0; first < size; first += n) {
            const struct hf_window_range range = {
                .rank = rank, .offset = first, .n = first + n < size ? n : size - first};
            value[range.n] = -7.0;
            hf_window_get(f->window, range, value);
            for (size_t k = 0; k < range.n; k++) n_wrong += value[k] != right(rank, first + k);
            n_wrong += value[range.n] != -7.0;
        }
    }
    free(value);
    return n_wrong;
}

static double zero(int rank, size_t k)
{
    (void)rank;
    (void)k;
    return 0.0;
}

TEST(a_window_begins_as_zeros)
{
    struct fixture f = open_fixture();
    assert_int_equal(count_wrong(&f, 64, zero), 0);
    close_fixture(&f);
}

TEST(any_piece_of_any_rank_is_got)
{
    struct fixture f = open_fixture();
    hf_window_fence(f.window);
    fill(&f);
    hf_window_fence(f.window);
    assert_int_equal(count_wrong(&f, 1, element), 0);
    assert_int_equal(count_wrong(&f, 17, element), 0);
    assert_int_equal(count_wrong(&f, 1000, element), 0);
    hf_window_get(f.window, (struct hf_window_range){.rank = 0, .offset = 5, .n = 0}, NULL);
    close_fixture(&f);
}

/** Ranges of all lengths that overlap, added to by all ranks at once: whole numbers, so that sums
 *  are exact in any order. */
TEST(overlapping_sums_are_exact_under_contention)
{
    enum { LARGEST = 100 };
    struct fixture f = open_fixture();
    const int rank = f.context->rank, n_rank = f.context->n_rank;
    const int n_round = n_rank <= 2 ? 8 : 2; /* locks are slow on more ranks than cores */
    double value[LARGEST], expected[LARGEST] = {0};
    for (int round = 0; round < n_round; round++) {
        for (int k = 0; k < 24; k++) {
            const size_t offset = (size_t)(7 * k % 60), n = (size_t)(1 + 11 * k % 40);
            for (size_t e = 0; e < n; e++) {
                value[e] = (double)(rank + 1) * (double)(k + 1);
                expected[offset + e] += 0.5 * n_rank * (n_rank + 1) * (k + 1);
            }
            for (int to = 0; to < n_rank; to++) {
                const struct hf_window_range range = {.rank = to, .offset = offset, .n = n};
                if (size_of(to) > 0) hf_window_accumulate(f.window, range, value);
            }
            memset(value, 0xff, sizeof value); /* ours again */
        }
    }
    hf_window_fence(f.window);
    for (int from = 0; from < n_rank; from++) {
        if (size_of(from) == 0) continue;
        hf_window_get(f.window, (struct hf_window_range){.rank = from, .n = LARGEST}, value);
        assert_memory_equal(value, expected, sizeof value);
    }
    close_fixture(&f);
}

/** Used, put to rest, cleared and used again: as a builder does with windows that outlive a build.
 */
TEST(a_cleared_window_is_as_new)
{
    struct fixture f = open_fixture();
    struct hf_window *other = NULL;
    for (int round = 0; round < 4; round++) {
        fill(&f);
        hf_window_fence(f.window);
        assert_int_equal(count_wrong(&f, 50, element), 0);
        hf_window_fence(f.window);
        hf_onesided_rest(f.onesided);
        if (round == 1) /* another one comes meanwhile */
            assert_ok(hf_window_create(f.onesided, 10, "other", &other, &error));
        hf_window_clear(f.window);
        assert_int_equal(count_wrong(&f, 50, zero), 0);
        const double one = 1.0;
        const struct hf_window_range first = {.rank = 0, .offset = 3, .n = 1};
        hf_window_fence(f.window);
        hf_window_accumulate(f.window, first, &one);
        hf_window_fence(f.window);
        double sum;
        hf_window_get(f.window, first, &sum);
        assert_true(sum == f.context->n_rank);
        hf_window_fence(f.window);
    }
    hf_window_destroy(&other);
    close_fixture(&f);
}

int main(int argc, char **argv)
{
    ranks_per_node = argc > 3 ? atoi(argv[3]) : 0;
    settings = (struct hf_onesided_settings){
        .transport = argv[1],
        .accumulate = strcmp(argv[2], "caller") == 0 ? HF_ACCUMULATE_CALLER : HF_ACCUMULATE_OWNER};
    HF_RUN_MPI_TESTS(argc, argv, false);
}
