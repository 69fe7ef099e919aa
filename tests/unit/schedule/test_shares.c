/* How lists of tasks are dealt, split and cut: every task goes to one rank, and shares are even. */
#include "../mpi_test.h"

#include "../../../src/schedule/chunks.h"
#include "../../../src/schedule/deal.h"

enum { MOST_TASKS = 20000 };

static unsigned char times[MOST_TASKS];

/** Levels of `n` tasks: in falling number the higher they are, so that few tasks are dear. */
static struct hf_task_levels skewed_levels(int64_t n)
{
    struct hf_task_levels levels = {{0}};
    uint32_t state = 3;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const int r = (int)((state >> 8) % 200);
        levels.count[1 + r * r / 200]++;
    }
    return levels;
}

static double take_all(const struct hf_cost_list *list, struct hf_share *share)
{
    double cost = 0.0, last = HUGE_VAL;
    for (int64_t i; (i = hf_share_take(share)) >= 0;) {
        assert_true(i < list->n_task);
        assert_int_equal(times[i]++, 0);
        assert_true(hf_cost_at(list, i) <= last); /* in falling cost */
        last = hf_cost_at(list, i);
        cost += last;
    }
    return cost;
}

static void all_were_taken(int64_t n)
{
    for (int64_t i = 0; i < n; i++) assert_int_equal(times[i], 1);
    memset(times, 0, sizeof times);
}

TEST(lists_know_costs_and_places)
{
    struct hf_task_levels levels = {{0}};
    struct hf_cost_list list;
    levels.count[0] = 1000; /* not handed out */
    levels.count[8] = 3;    /* of cost 2 */
    levels.count[16] = 2;   /* of cost 4 */
    hf_cost_list_make(&levels, &list);
    assert_int_equal(list.n_task, 5);
    assert_true(list.total == 14.0);
    assert_true(hf_cost_at(&list, 0) == 4.0 && hf_cost_at(&list, 1) == 4.0);
    assert_true(hf_cost_at(&list, 2) == 2.0 && hf_cost_at(&list, 4) == 2.0);
    assert_int_equal(hf_cost_position(&list, 0.0), 0);
    assert_int_equal(hf_cost_position(&list, 4.0), 1);
    assert_int_equal(hf_cost_position(&list, 8.0), 2);
    assert_int_equal(hf_cost_position(&list, 9.5), 3);
    assert_int_equal(hf_cost_position(&list, 14.0), 5);
}

TEST(shares_are_even)
{
    static const int64_t n_task[] = {0, 1, 5, 100, 20000};
    static const int n_rank[] = {1, 2, 3, 7, 64};
    struct hf_share share;
    for (size_t t = 0; t < sizeof n_task / sizeof *n_task; t++) {
        for (size_t r = 0; r < sizeof n_rank / sizeof *n_rank; r++) {
            const struct hf_task_levels levels = skewed_levels(n_task[t]);
            struct hf_cost_list list;
            hf_cost_list_make(&levels, &list);
            const double dearest = list.n_task > 0 ? hf_cost_at(&list, 0) : 0.0;
            for (int rank = 0; rank < n_rank[r]; rank++) {
                assert_ok(hf_deal(&list, n_rank[r], rank, &share, &error));
                /* whoever has most is within one task of the others, as longest first promises */
                assert_true(take_all(&list, &share) <= list.total / n_rank[r] + dearest * 1.0001);
            }
            all_were_taken(n_task[t]);
        }
    }
}

TEST(thieves_get_half)
{
    const struct hf_task_levels levels = skewed_levels(20000);
    struct hf_cost_list list;
    struct hf_share share, stolen = {.begin = 0};
    hf_cost_list_make(&levels, &list);
    assert_ok(hf_deal(&list, 1, 0, &share, &error));
    stolen.end = hf_share_split(&list, &share, HF_MOST_PROGRESSIONS, stolen.part);
    assert_int_equal(share.part[share.begin].first, 0); /* the victim's next task stays */
    assert_int_equal(hf_share_size(&share) + hf_share_size(&stolen), 20000);
    const double kept = take_all(&list, &share), taken = take_all(&list, &stolen);
    all_were_taken(20000);
    assert_true(taken > 0.45 * (kept + taken) && taken < 0.55 * (kept + taken));
}

TEST(the_last_task_is_not_stolen)
{
    const struct hf_task_levels levels = hf_equal_tasks(1);
    struct hf_cost_list list;
    struct hf_share share;
    struct hf_progression part[HF_MOST_PROGRESSIONS];
    hf_cost_list_make(&levels, &list);
    assert_ok(hf_deal(&list, 1, 0, &share, &error));
    assert_int_equal(hf_share_split(&list, &share, HF_MOST_PROGRESSIONS, part), 0);
    assert_int_equal(hf_share_size(&share), 1);
}

static double chunk_cost(const struct hf_chunk_plan *plan, struct hf_chunk chunk)
{
    double cost = 0.0;
    for (int64_t i = chunk.begin; i < chunk.end; i++) {
        assert_int_equal(times[i]++, 0);
        cost += hf_cost_at(&plan->list, i);
    }
    return cost;
}

TEST(chunks_follow_each_other)
{
    static const int64_t n_task[] = {0, 1, 5, 100, 20000};
    static const int n_worker[] = {1, 2, 3, 7, 64};
    for (size_t t = 0; t < sizeof n_task / sizeof *n_task; t++) {
        for (size_t w = 0; w < sizeof n_worker / sizeof *n_worker; w++) {
            const struct hf_task_levels levels = skewed_levels(n_task[t]);
            struct hf_chunk_plan plan;
            int64_t end = 0;
            hf_chunk_plan_make(&levels, n_worker[w], &plan);
            const double dearest = n_task[t] > 0 ? hf_cost_at(&plan.list, 0) : 0.0;
            const double most = 0.5 * plan.list.total / n_worker[w] + dearest;
            for (int64_t round = 0; round < hf_chunks_of_worker(&plan); round++) {
                for (int worker = 0; worker < n_worker[w]; worker++) {
                    const struct hf_chunk chunk = hf_chunk_of(&plan, round, worker);
                    assert_int_equal(chunk.begin, end);
                    assert_true(chunk_cost(&plan, chunk) <= most * 1.0001);
                    end = chunk.end;
                }
            }
            all_were_taken(n_task[t]);
        }
    }
}

TEST_MAIN
