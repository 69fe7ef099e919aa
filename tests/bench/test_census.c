/* The census of what quartets cost: every quartet counts once, in its class, on any number of ranks. */
#include "census.h"

#include "mpi_test.h"
#include "pairs/shell_pairs.h"
#include "shells.h"

#include <math.h>

/** Quartets of each class above the threshold, counted one by one. */
static void count(const struct hf_shell_pairs *pairs, double threshold, double n[])
{
    for (int64_t i = 0; i < pairs->n_pair; i++)
        for (int64_t k = 0; k <= i; k++)
            if (pairs->pair[i].bound * pairs->pair[k].bound >= threshold)
                n[hf_census_index(pairs->pair[i].pair_class, pairs->pair[k].pair_class)] += 1.0;
}

static void check(struct hf_context *context, const struct hf_shell_pairs *pairs, double threshold,
                  bool batched)
{
    struct hf_census census;
    assert_ok(hf_census_init(&census, pairs, threshold, &error));
    assert_ok(hf_census_take(&census, context, batched, &error));
    double *n = calloc((size_t)census.n_entry, sizeof *n), of_classes = 0.0, of_pairs = 0.0;
    count(pairs, threshold, n);
    for (int i = 0; i < census.n_entry; i++) {
        const struct hf_census_entry *entry = &census.entry[i];
        assert_true(entry->n_quartet == n[i]);
        assert_true(n[i] > 0.0 ? entry->seconds > 0.0 : entry->seconds == 0.0);
        /* the mean of squares is not below the square of the mean */
        assert_true(entry->squares * n[i] >= entry->seconds * entry->seconds * (1.0 - 1e-12));
        of_classes += entry->seconds;
    }
    for (int64_t i = 0; i < pairs->n_pair; i++) of_pairs += census.pair_seconds[i];
    assert_true(fabs(of_classes - of_pairs) <= 1e-12 * of_classes);
    free(n);
    hf_arena_done(&census.arena);
}

TEST(every_quartet_counts_once_in_its_class)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_mixed_basis();
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    static const double thresholds[] = {1e-30, 1e-3};
    for (int i = 0; i < 2; i++) {
        check(context, pairs, thresholds[i], false);
        check(context, pairs, thresholds[i], true);
    }
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

TEST(mean_and_deviation_are_those_of_the_times)
{
    const struct hf_census_statistic found = hf_census_statistic(4.0, 10.0, 30.0); /* 1 2 3 4 */
    assert_true(fabs(found.mean_seconds - 2.5) < 1e-14);
    assert_true(fabs(found.relative_deviation - sqrt(1.25) / 2.5) < 1e-14);
    assert_true(hf_census_statistic(0.0, 0.0, 0.0).mean_seconds == 0.0);
    assert_true(hf_census_statistic(1.0, 2.0, 4.0).relative_deviation == 0.0);
}

MPI_TEST_MAIN
