/* What becomes of a transport that does not work: this program stands in for MPI calls that fail
 * the way libraries have. argv[1]: "wrong" (sums are lost), "hangs" (one rank never comes back),
 * "wrong-long" (sums of long messages are lost),
 * "level" (threads are not granted), "refused" (windows are not made). */
#include "../mpi_test.h"

#include "onesided/block_range.h"

#include <unistd.h>

enum fault { NONE, WRONG, WRONG_LONG, HANGS, LEVEL, REFUSED };
static enum fault fault;
static int n_accumulate, n_sent, n_longest; /* numbers */

int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target,
                   MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op op,
                   MPI_Win window)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (fault == HANGS && rank == 0) sleep(1);
    n_accumulate++;
    n_sent += origin_count;
    if (origin_count > n_longest) n_longest = origin_count;
    if (fault == WRONG && rank == 0) return MPI_SUCCESS;
    if (fault == WRONG_LONG && rank == 0 && origin_count > 4096) return MPI_SUCCESS;
    return PMPI_Accumulate(origin, origin_count, origin_type, target, displacement, target_count,
                           target_type, op, window);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    if (fault == REFUSED) return MPI_ERR_WIN;
    return PMPI_Win_allocate(size, unit, info, comm, base, window);
}

int MPI_Query_thread(int *level)
{
    if (fault != LEVEL) return PMPI_Query_thread(level);
    *level = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

static void check_that_it_works(struct hf_context *context, struct hf_onesided *onesided)
{
    const int first[] = {0, 2, 4, 7};
    struct hf_block_layout *layout = NULL;
    struct hf_window *array = NULL;
    double value[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_ok(hf_block_layout_create(context, context->n_rank, 3, first, &layout, &error));
    assert_ok(
        hf_window_create(onesided, hf_block_layout_local_size(layout), "blocks", &array, &error));
    hf_window_accumulate(array, hf_block_range(layout, 2, 2), value);
    hf_window_fence(array);
    hf_window_get(array, hf_block_range(layout, 2, 2), value);
    for (int k = 0; k < 9; k++) assert_true(value[k] == (k + 1) * context->n_rank);
    hf_window_destroy(&array);
    hf_block_layout_destroy(&layout);
}

/** Asks for the transport that fails and must get the other one, with a note. */
static void expect_fall_back(const char *wanted, const char *other, const char *reason)
{
    TEST_CONTEXT(context);
    struct hf_onesided *onesided = NULL;
    /* a busy machine may take seconds for what does not hang */
    const struct hf_onesided_settings settings = {.transport = wanted,
                                                  .self_test_seconds = fault == HANGS ? 1.0 : 60.0};
    const double start = MPI_Wtime();
    assert_ok(hf_onesided_create(context, &settings, &onesided, &error));
    if (fault == HANGS) /* the seconds that were given count, not the default */
        assert_true(MPI_Wtime() - start < hf_onesided_test_seconds(context->n_rank));
    assert_string_equal(hf_onesided_transport(onesided), other);
    assert_non_null(strstr(hf_onesided_note(onesided), reason));
    assert_int_equal(context->stuck_in_mpi, fault == HANGS);
    check_that_it_works(context, onesided);
    hf_onesided_destroy(&onesided);
}

/** Caller computes needs no MPI_Accumulate. */
TEST(what_works_is_not_given_up)
{
    if (fault == REFUSED) return;
    TEST_CONTEXT(context);
    struct hf_onesided *onesided = NULL;
    const struct hf_onesided_settings settings = {
        .transport = "rma", .accumulate = HF_ACCUMULATE_CALLER, .self_test_seconds = 60.0};
    assert_ok(hf_onesided_create(context, &settings, &onesided, &error));
    assert_string_equal(hf_onesided_note(onesided), "");
    check_that_it_works(context, onesided);
    hf_onesided_destroy(&onesided);
}

TEST(another_transport_takes_over)
{
    if (fault == NONE) return;
    if (fault == LEVEL)
        expect_fall_back("thread", "rma", "MPI_THREAD_MULTIPLE");
    else if (fault == REFUSED)
        expect_fall_back("rma", "thread", "refuses windows here");
    else
        expect_fall_back("rma", "thread", fault == HANGS ? "did not end" : "wrong sum");
}

/** Nor does a rank test more partners where there are more: 10,000 ranks are no slower than ten. */
TEST(what_is_not_wanted_is_not_tested)
{
    if (fault != NONE) return;
    for (int skip = 0; skip < 2; skip++) {
        TEST_CONTEXT(context);
        struct hf_onesided *onesided = NULL;
        const struct hf_onesided_settings settings = {.transport = "rma", .skip_self_test = skip};
        n_accumulate = n_sent = n_longest = 0;
        assert_ok(hf_onesided_create(context, &settings, &onesided, &error));
        assert_int_equal(n_accumulate, skip ? 0 : 66);
        assert_true(8 * n_sent < 2000000); /* 1 MiB to each partner took 20 to 50 ms */
        assert_true(skip || 8 * n_longest > 256 * 1024);
        assert_string_equal(hf_onesided_note(onesided), skip ? "onesided rma was not tested" : "");
        check_that_it_works(context, onesided);
        hf_onesided_destroy(&onesided);
    }
    assert_true(hf_onesided_test_seconds(1) >= 20.0);
    assert_true(hf_onesided_test_seconds(10000) >= 100.0);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"none", "wrong", "wrong-long", "hangs", "level", "refused"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(argv[1], names[i]) == 0) fault = (enum fault)i;
    HF_RUN_MPI_TESTS(argc, argv, fault == HANGS);
}
