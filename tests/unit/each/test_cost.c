/* Costs of molecules are corrected by measured times, and decide who computes them. */
#include "../test.h"
#include "each/cost.h"
#include "each/divide.h"

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

static void long_molecules_are_shared_so_that_all_end_together(void **state)
{
    enum { N = 6 };
    const double seconds[N] = {2.0, 12.0, 2.0, 40.0, 2.0, 2.0}, bytes[N] = {1.0};
    struct hf_shared_molecule shared[N];
    assert_int_equal(hf_molecules_share(N, seconds, bytes, 6, 1e9, shared), 2);
    assert_int_equal(shared[0].molecule, 3);
    assert_int_equal(shared[0].n_rank, 4);
    assert_int_equal(shared[1].molecule, 1);
    assert_int_equal(shared[1].n_rank, 2);
    assert_int_equal(hf_molecules_share(N, seconds, bytes, 1, 1e9, shared), 0);
}

static void short_molecules_are_not_shared(void **state)
{
    const double seconds[] = {0.01, 0.02}, bytes[] = {0.0, 0.0};
    struct hf_shared_molecule shared[2];
    assert_int_equal(hf_molecules_share(2, seconds, bytes, 100, 1e9, shared), 0);
}

static void memory_asks_for_ranks(void **state)
{
    const double seconds[] = {0.1, 0.2}, bytes[] = {2.5e9, 1e15};
    struct hf_shared_molecule shared[2];
    int n_ready, n_shared = hf_molecules_share(2, seconds, bytes, 8, 1e9, shared);
    assert_int_equal(n_shared, 2);
    assert_int_equal(shared[0].n_rank, 8);
    assert_int_equal(shared[1].n_rank, 3);
    assert_int_equal(hf_molecules_assign(&n_shared, shared, 8, 0, &n_ready),
                     1); /* the other one waits */
    assert_int_equal(n_shared, 1);
    assert_int_equal(hf_molecules_assign(&n_shared, shared, 8, 7, &n_ready), 0);
}

static void each_rank_has_one_molecule_and_each_molecule_its_ranks(void **state)
{
    enum { N_RANK = 9 };
    int n_found[3] = {0};
    for (int rank = 0; rank < N_RANK; rank++) {
        struct hf_shared_molecule shared[] = {{0, 5, 9.0}, {1, 6, 8.0}, {2, 3, 7.0}};
        int n_shared = 3, n_ready;
        const int mine = hf_molecules_assign(&n_shared, shared, N_RANK, rank, &n_ready);
        assert_int_equal(n_ready, 1);
        if (mine >= 0) n_found[mine]++;
        assert_int_equal(n_shared, 1);
        assert_int_equal(shared[0].molecule, 1);
        assert_true(mine >= 0 || rank == 0);
    }
    const int expected[] = {5, 0, 3};
    assert_memory_equal(n_found, expected, sizeof expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_times_correct_the_model),
        cmocka_unit_test(long_molecules_are_shared_so_that_all_end_together),
        cmocka_unit_test(short_molecules_are_not_shared),
        cmocka_unit_test(memory_asks_for_ranks),
        cmocka_unit_test(each_rank_has_one_molecule_and_each_molecule_its_ranks),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests_name("costs of molecules", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
