/* Costs of molecules are corrected by measured times, and decide who computes them. */
#include "../test.h"
#include "each/cost.h"

static void measured_times_correct_the_model(void **state)
{
    struct hf_cost_times times = {.mean_seconds = 0.0};
    assert_true(hf_cost_seconds(&times, 0.5) == 0.5);
    hf_cost_add(&times, 0.5, 1.0);
    hf_cost_add(&times, 40.0, 20.0);
    hf_cost_agree(&times, MPI_COMM_SELF);
    assert_true(hf_cost_seconds(&times, 0.5) == 1.0);
    assert_true(hf_cost_seconds(&times, 40.0) == 20.0);
    assert_true(hf_cost_seconds(&times, 1e5) == 5e4); /* as the nearest that is known */
    assert_true(times.mean_seconds == 10.5);
}

static void ranks_share_a_molecule_only_if_it_is_more_than_the_share_of_one(void **state)
{
    enum { N = 6 };
    const double seconds[N] = {40.0, 12.0, 2.0, 2.0, 2.0, 2.0}, bytes[N] = {1.0};
    int n_rank[N];
    hf_cost_divide(N, seconds, bytes, 6, 1e9, n_rank);
    const int expected[N] = {4, 1, 1, 1, 1, 1};
    assert_memory_equal(n_rank, expected, sizeof expected);
}

static void short_molecules_are_not_shared(void **state)
{
    const double seconds[] = {0.01, 0.02}, bytes[] = {0.0, 0.0};
    int n_rank[2];
    hf_cost_divide(2, seconds, bytes, 100, 1e9, n_rank);
    assert_int_equal(n_rank[0], 1);
    assert_int_equal(n_rank[1], 1);
}

static void memory_asks_for_ranks(void **state)
{
    const double seconds[] = {0.1, 0.1}, bytes[] = {2.5e9, 1e15};
    int n_rank[2];
    hf_cost_divide(2, seconds, bytes, 8, 1e9, n_rank);
    assert_int_equal(n_rank[0], 3);
    assert_int_equal(n_rank[1], 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_times_correct_the_model),
        cmocka_unit_test(ranks_share_a_molecule_only_if_it_is_more_than_the_share_of_one),
        cmocka_unit_test(short_molecules_are_not_shared),
        cmocka_unit_test(memory_asks_for_ranks),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests_name("costs of molecules", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
