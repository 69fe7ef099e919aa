/* Every way of adding to another rank's block: right sums are told from wrong ones. */
#include "mpi_test.h"

#include "accumulate_target.h"

enum { ORDER = 30 };

static bool stuck_in_mpi;

/** Opens way `i` with a block of zeros; false when there is no such way, or it does not work here.
 */
static bool open_target(struct hf_bench *bench, int i, struct hf_bench_target *target)
{
    struct hf_bench_way way;
    char problem[300];
    if (!hf_bench_way_get(i, &way)) return false;
    hf_bench_target_open(target, bench, &way, sizeof problem, problem);
    assert_string_equal(problem, "");
    assert_ok(hf_bench_target_create_block(target, ORDER, &error));
    return true;
}

/** Different numbers everywhere, so that a shifted block is no multiple of them. */
static void fill(double from[ORDER * ORDER])
{
    for (int i = 0; i < ORDER * ORDER; i++) from[i] = i + 1;
}

TEST(all_additions_are_in_the_sum)
{
    double from[ORDER * ORDER];
    struct hf_bench bench = {.context = test_context()};
    struct hf_bench_target target;
    fill(from);
    for (int i = 0; open_target(&bench, i, &target); i++) {
        assert_true(hf_bench_target_is_multiple(&target, 0.0, from));
        for (int k = 0; k < 5; k++) hf_bench_target_add(&target, from);
        hf_bench_target_fence(&target);
        assert_true(hf_bench_target_is_multiple(&target, 5.0 * bench.context->n_rank, from));
        hf_bench_target_close(&target);
    }
    stuck_in_mpi = stuck_in_mpi || bench.context->stuck_in_mpi;
    test_context_done(&bench.context);
}

TEST(a_wrong_sum_is_found)
{
    double from[ORDER * ORDER], other[ORDER * ORDER];
    struct hf_bench bench = {.context = test_context()};
    struct hf_bench_target target;
    fill(from);
    fill(other);
    other[ORDER * ORDER - 1] += 1.0;
    for (int i = 0; open_target(&bench, i, &target); i++) {
        const int n_rank = bench.context->n_rank;
        const bool is_last = bench.context->rank == n_rank - 1;
        hf_bench_target_add(&target, is_last ? other : from);
        hf_bench_target_fence(&target);
        assert_false(hf_bench_target_is_multiple(&target, n_rank, from)); /* one number differs */
        hf_bench_target_add(&target, from);
        hf_bench_target_fence(&target);
        assert_false(hf_bench_target_is_multiple(&target, n_rank, from)); /* added twice */
        hf_bench_target_close(&target);
    }
    stuck_in_mpi = stuck_in_mpi || bench.context->stuck_in_mpi;
    test_context_done(&bench.context);
}

int main(int argc, char **argv)
{
    HF_RUN_MPI_TESTS(argc, argv, stuck_in_mpi);
}
