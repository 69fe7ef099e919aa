/* What is worth storing: from prices and samples to a choice. */
#include "../mpi_test.h"

#include "../../../src/store/store_choice.h"

#include <math.h>

enum { N = 2000 };

/** Quartets of all sizes, of three classes: contracted s shells, p, d. */
static void make_samples(struct hf_store_sample sample[N])
{
    static const double numbers[] = {1.0, 81.0, 625.0}, cost[] = {400.0, 400.0, 900.0};
    for (int i = 0; i < N; i++) {
        const int class = i % 3;
        const double bound = pow(10.0, 12.0 * i / N);
        const bool wide = bound > 1.7e7;
        sample[i] = (struct hf_store_sample){.bound = bound,
                                             .value = cost[class] / numbers[class],
                                             .cost = cost[class],
                                             .bytes = 48.0 + (wide ? 8.0 : 4.0) * numbers[class],
                                             .wide = wide};
    }
}

/** Prices of a processor, with memory of this price, in the first stage of a calculation. */
static struct hf_store_prices prices_with(double touch)
{
    return (struct hf_store_prices){
        .compute = 1.5e-9, .single = 1e-9, .touch = touch, .stage = 1e5};
}

static struct hf_store_choice choose(double bytes, const struct hf_store_prices *prices)
{
    static struct hf_store_sample sample[N];
    struct hf_store_choice choice;
    make_samples(sample);
    hf_store_choose(N, sample, 1e3, bytes, prices, &choice);
    return choice;
}

TEST(the_more_memory_costs_the_less_is_stored)
{
    static const double touch[] = {0.0, 2.5e-9, 1e-8};
    double bytes = HUGE_VAL;
    for (size_t i = 0; i < sizeof touch / sizeof *touch; i++) {
        const struct hf_store_prices prices = prices_with(touch[i]);
        const struct hf_store_choice choice = choose(1e12, &prices);
        assert_true(choice.bytes > 0.0 && choice.bytes < bytes);
        assert_true(choice.saved_seconds > choice.store_seconds);
        bytes = choice.bytes;
    }
    const struct hf_store_prices absurd = prices_with(1e-4);
    const struct hf_store_choice none = choose(1e12, &absurd);
    assert_true(none.bytes == 0.0 && isinf(none.cutoff));
}

TEST(what_one_sharp_build_needs_is_not_stored)
{
    const struct hf_store_prices prices = prices_with(3e-10);
    assert_true(choose(1e12, &prices).smallest > 1e4);
    const struct hf_store_sample small = {.bound = 1e3, .cost = 400.0, .bytes = 52.0};
    const struct hf_store_sample large = {.bound = 1e10, .cost = 400.0, .bytes = 56.0};
    assert_true(hf_store_weigh(&small, &prices).saved < hf_store_weigh(&large, &prices).saved);
    assert_true(hf_store_weigh(&small, &prices).cost > hf_store_weigh(&large, &prices).cost);
}

TEST(cheap_classes_are_computed_where_memory_is_expensive)
{
    const struct hf_store_prices prices = prices_with(2.5e-9);
    assert_true(choose(1e12, &prices).cutoff > 900.0 / 625.0);
}

TEST(the_room_there_is_is_never_exceeded)
{
    const struct hf_store_prices prices = prices_with(3e-10);
    const double all = choose(1e12, &prices).bytes;
    for (double bytes = 0.0; bytes < all; bytes += 0.1 * all) {
        assert_true(choose(bytes, &prices).bytes <= bytes);
        assert_true(choose(bytes, NULL).bytes <= bytes);
    }
}

TEST(without_prices_as_much_as_fits_is_stored)
{
    const struct hf_store_choice all = choose(1e12, NULL), half = choose(3e8, NULL);
    assert_true(all.cutoff == 0.0 && all.smallest == 1.0);
    assert_true(half.cutoff > 0.0 && half.smallest == 1.0 && half.bytes > 2.9e8);
    assert_true(half.cost < all.cost);
}

TEST(at_the_highest_price_of_memory_nothing_is_gained)
{
    static const double touch = 3e-10;
    const struct hf_store_prices prices = prices_with(touch);
    const struct hf_store_choice choice = choose(1e12, &prices);
    const double most = hf_store_most_touch(&choice, touch);
    const double cost = choice.store_seconds + (most - touch) * choice.bytes;
    assert_true(most > touch && choice.saved_seconds > cost);
    assert_true(
        fabs(hf_store_most_touch(&(struct hf_store_choice){.bytes = choice.bytes,
                                                           .store_seconds = cost,
                                                           .saved_seconds = choice.saved_seconds},
                                 most) -
             most) < 1e-12 * most + 1e-20);
}

TEST(late_stages_have_fewer_builds_to_come)
{
    assert_true(hf_store_n_build(1e5) > hf_store_n_build(10.0));
    assert_true(hf_store_n_build(10.0) > hf_store_n_build(1.0));
    assert_true(hf_store_n_build(1.0) > 0);
}

MPI_TEST_MAIN
