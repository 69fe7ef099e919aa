/* Agreement on failures, sums, broadcasts and statistics over the ranks. */
#include "../mpi_test.h"

#include "base/gather.h"
#include "hf/timer.h"

#include <stdio.h>
#include <stdlib.h>

TEST(when_all_is_well_nobody_fails)
{
    error = (struct hf_error){.message = "untouched"};
    assert_ok(hf_agree(MPI_COMM_WORLD, HF_OK, &error));
    assert_string_equal(error.message, "untouched");
}

TEST(one_failing_rank_fails_all_with_its_message)
{
    TEST_CONTEXT(context);
    for (int bad = 0; bad < context->n_rank; bad++) {
        error = (struct hf_error){{0}, 0};
        hf_status status = HF_OK;
        if (context->rank == bad) {
            status = hf_fail(&error, HF_INTERRUPTED, "rank %d was stopped", bad);
            error.signal_number = 15;
        }
        char expected[64];
        snprintf(expected, sizeof expected, "rank %d was stopped", bad);
        assert_int_equal(hf_agree(context->comm, status, &error), HF_INTERRUPTED);
        assert_string_equal(error.message, expected);
        assert_int_equal(error.signal_number, 15);
    }
}

TEST(the_worst_failure_of_the_lowest_rank_wins)
{
    TEST_CONTEXT(context);
    const bool bad_input = context->rank == 0, no_resource = context->rank > 0;
    hf_status status = HF_OK;
    if (bad_input) status = hf_fail(&error, HF_BAD_INPUT, "input of rank 0");
    if (no_resource) status = hf_fail(&error, HF_NO_RESOURCE, "memory of rank %d", context->rank);
    status = hf_agree(context->comm, status, &error);
    assert_int_equal(status, context->n_rank > 1 ? HF_NO_RESOURCE : HF_BAD_INPUT);
    assert_string_equal(error.message,
                        context->n_rank > 1 ? "memory of rank 1" : "input of rank 0");
    assert_int_equal(hf_agree(context->comm, status, NULL), status);
}

TEST(sums_and_broadcasts_reach_every_rank)
{
    TEST_CONTEXT(context);
    double value[3] = {1.0, context->rank, -2.0};
    hf_sum_over_ranks(context->comm, 3, value);
    const int n = context->n_rank;
    assert_true(value[0] == n && value[1] == n * (n - 1) / 2 && value[2] == -2.0 * n);
    char text[16] = "";
    if (context->rank == n - 1) strcpy(text, "from the last");
    hf_broadcast_bytes(context->comm, n - 1, sizeof text, text);
    assert_string_equal(text, "from the last");
    hf_broadcast_bytes(context->comm, 0, 0, NULL);
}

TEST(statistics_name_the_ranks_of_the_extremes)
{
    TEST_CONTEXT(context);
    const int n = context->n_rank;
    const double value[2] = {context->rank + 1.0, -context->rank};
    struct hf_statistic result[2];
    hf_statistics_reduce(context->comm, 2, value, result);
    assert_true(result[0].min == 1.0 && result[0].max == n);
    assert_true(result[0].mean == (n + 1) / 2.0);
    assert_int_equal(result[0].min_rank, 0);
    assert_int_equal(result[0].max_rank, n - 1);
    assert_int_equal(result[1].min_rank, n - 1);
    assert_int_equal(result[1].max_rank, 0);
}

static const struct hf_phase reading = {.name = "Reading"}, writing = {.name = "Writing"};

TEST(timers_add_up_in_the_order_of_declaration)
{
    struct hf_timers timers = {0};
    hf_timers_declare(&timers, &writing);
    hf_timers_declare(&timers, &reading);
    hf_timers_declare(&timers, &writing);
    assert_int_equal(timers.n_phase, 2);
    assert_ptr_equal(timers.timer[0].phase, &writing);
    assert_int_equal(hf_timers_find(&timers, &reading), 1);
    hf_timer_add(&timers, &reading, 1.5);
    hf_timer_add(&timers, &reading, 0.5);
    assert_true(hf_timer_seconds(&timers, &reading) == 2.0);
    assert_int_equal(timers.timer[1].n_call, 2);
    hf_timer_start(&timers, &writing);
    while (!(hf_timer_seconds(&timers, &writing) > 0.0)) continue; /* it counts while it runs */
    hf_timer_stop(&timers, &writing);
    const double seconds = hf_timer_seconds(&timers, &writing);
    assert_true(seconds > 0.0);
    assert_true(hf_timer_seconds(&timers, &writing) == seconds);
}

TEST(what_was_not_declared_is_not_timed)
{
    struct hf_timers timers = {0};
    hf_timer_start(&timers, &reading);
    hf_timer_stop(&timers, &reading);
    hf_timer_add(&timers, &reading, 1.0);
    assert_true(hf_timer_seconds(&timers, &reading) == 0.0);
    static const struct hf_phase many[HF_MAX_PHASE + 1];
    for (int i = 0; i <= HF_MAX_PHASE; i++) hf_timers_declare(&timers, &many[i]);
    assert_int_equal(timers.n_phase, HF_MAX_PHASE);
    assert_int_equal(hf_timers_find(&timers, &many[HF_MAX_PHASE]), -1);
}

struct heard {
    int n, place;
    double start, seconds;
};

static void hear(void *data, int place, double start, double seconds)
{
    struct heard *heard = data;
    *heard = (struct heard){heard->n + 1, place, start, seconds};
}

TEST(a_listener_is_told_of_every_span)
{
    struct heard heard = {0};
    struct hf_timers timers = {.listener = hear, .listener_data = &heard};
    hf_timers_declare(&timers, &reading);
    hf_timers_declare(&timers, &writing);
    const double before = hf_wall_seconds();
    hf_timer_start(&timers, &writing);
    hf_timer_stop(&timers, &writing);
    hf_timer_stop(&timers, &writing); /* none runs */
    hf_timer_add(&timers, &reading, 1.0);
    assert_int_equal(heard.n, 1);
    assert_int_equal(heard.place, 1);
    assert_true(heard.start >= before);
    assert_true(heard.seconds == hf_timer_seconds(&timers, &writing));
}

/** hf_part_begin: rank r has r elements. */
static int64_t begin_of_part(const void *self, int rank)
{
    return rank * (rank - 1) / 2;
}

TEST(parts_and_lists_reach_every_rank)
{
    TEST_CONTEXT(context);
    const int rank = context->rank, n_rank = context->n_rank;
    struct element {
        double value;
        int rank;
    } mine[8] = {{0}}, *list = NULL;
    double part[64] = {0.0};
    int scratch[32], n = 0;
    for (int k = 0; k < rank; k++) {
        part[begin_of_part(NULL, rank) + k] = 100.0 * rank + k;
        mine[k] = (struct element){0.5 * k, rank};
    }
    hf_gather_parts(context->comm, begin_of_part, NULL, scratch, sizeof *part, part);
    assert_ok(hf_gather_lists(context->comm, rank, mine, sizeof *mine, "elements", &n, &list, HF_OK,
                              NULL));
    assert_int_equal(n, begin_of_part(NULL, n_rank));
    for (int r = 0, at = 0; r < n_rank; r++)
        for (int k = 0; k < r; k++, at++) {
            assert_true(part[at] == 100.0 * r + k);
            assert_true(list[at].value == 0.5 * k && list[at].rank == r);
        }
    free(list);
}

MPI_TEST_MAIN
