/* Groups of ranks: each number goes to one group, groups end together, and the whole's end is theirs. */
#include "../mpi_test.h"

#include "hf/interruption.h"
#include "schedule/rank_groups.h"

enum { N_TASK = 25 };

TEST(every_task_is_taken_by_one_group)
{
    struct hf_context *whole = test_context();
    for (int n_group = 1; n_group <= rank_count(); n_group++) {
        struct hf_rank_groups groups = {0};
        int times[N_TASK] = {0};
        int64_t k;
        whole->n_thread = 3;
        assert_ok(hf_rank_groups_create(whole, n_group, &groups, &error));
        assert_true(groups.group >= 0 && groups.group < n_group);
        assert_int_equal(groups.own->n_thread, 3);
        assert_true(groups.own->n_rank == rank_count() / n_group ||
                    groups.own->n_rank == rank_count() / n_group + 1);
        while ((k = hf_rank_groups_take(&groups)) < N_TASK)
            if (groups.own->rank == 0) times[k]++;
        MPI_Allreduce(MPI_IN_PLACE, times, N_TASK, MPI_INT, MPI_SUM, whole->comm);
        for (int i = 0; i < N_TASK; i++) assert_int_equal(times[i], 1);
        hf_rank_groups_done(&groups);
    }
    test_context_done(&whole);
}

TEST(nobody_gets_a_task_after_the_stop)
{
    struct hf_context *whole = test_context();
    struct hf_rank_groups groups = {0};
    assert_ok(hf_rank_groups_create(whole, rank_count(), &groups, &error));
    if (whole->rank == 0) hf_rank_groups_stop(&groups);
    MPI_Barrier(whole->comm);
    assert_true(hf_rank_groups_take(&groups) >= INT64_C(1) << 40);
    hf_rank_groups_done(&groups);
    test_context_done(&whole);
}

TEST(more_groups_than_ranks_are_refused)
{
    struct hf_context *whole = test_context();
    struct hf_rank_groups groups = {0};
    assert_failure(hf_rank_groups_create(whole, rank_count() + 1, &groups, &error), HF_BAD_INPUT,
                   &error, "groups of");
    hf_rank_groups_done(&groups);
    test_context_done(&whole);
}

static int asked_to_end(void *data, double fraction)
{
    return 15;
}

TEST(a_signal_of_the_whole_ends_groups)
{
    struct hf_context *whole = test_context();
    struct hf_rank_groups groups = {0};
    assert_ok(hf_rank_groups_create(whole, rank_count(), &groups, &error));
    hf_interruption_watch(whole->interruption, asked_to_end, NULL);
    assert_int_equal(hf_agree_to_go_on(groups.own, HF_OK, &error), HF_INTERRUPTED);
    assert_int_equal(hf_agree_to_go_on(whole, HF_OK, &error), HF_INTERRUPTED);
    hf_rank_groups_done(&groups);
    test_context_done(&whole);
}

MPI_TEST_MAIN
