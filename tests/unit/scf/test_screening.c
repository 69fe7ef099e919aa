/* The screening threshold of each build. */
#include "scf_test.h"

static const double SHARP = 1e-12; /* the default of hf_scf_defaults */

static double threshold(int iteration, double commutator, double last)
{
    const struct hf_scf_settings settings = hf_scf_defaults();
    const struct hf_scf_result result = {
        .n_iteration = iteration, .commutator = commutator, .smallest_overlap_eigenvalue = 0.01};
    return hf_next_threshold(&settings, &result, last);
}

TEST(it_gets_sharper_in_two_steps)
{
    const double first = threshold(1, 0.0, INFINITY);
    const double second = threshold(2, 1.0, first);
    const double middle = threshold(3, 1e-3, second);
    const double last = threshold(4, 5e-5, middle);
    assert_true(first == 1e-7);
    assert_true(second == first);
    assert_true(middle < 0.5 * first && middle > 1e3 * SHARP);
    assert_true(last == SHARP);
}

TEST(it_never_gets_looser)
{
    assert_true(threshold(5, 1.0, 1e-8) == 1e-8);
    assert_true(threshold(5, 1.0, SHARP) == SHARP);
}

TEST(a_long_calculation_gets_sharp_builds)
{
    assert_true(threshold(11, 1.0, 1e-7) < 1e-7);
    assert_true(threshold(21, 1.0, 1e-8) == SHARP);
}

TEST(small_eigenvalues_of_the_overlap_sharpen_all_stages)
{
    const struct hf_scf_settings settings = hf_scf_defaults();
    struct hf_scf_result result = {.n_iteration = 1, .smallest_overlap_eigenvalue = 1e-5};
    const double first = hf_next_threshold(&settings, &result, INFINITY);
    assert_true(first < 1e-8 && first > SHARP);
    result.n_iteration = 3;
    result.commutator = 1e-3;
    assert_true(hf_next_threshold(&settings, &result, first) < 0.5 * first);
}

TEST(the_commutator_asked_for_decides_when_the_end_is_near)
{
    struct hf_scf_settings settings = hf_scf_defaults();
    const struct hf_scf_result result = {
        .n_iteration = 5, .commutator = 5e-3, .smallest_overlap_eigenvalue = 0.01};
    settings.commutator_tolerance = 1e-3;
    assert_true(hf_next_threshold(&settings, &result, 1e-7) == SHARP);
    settings.commutator_tolerance = 1e-9;
    assert_true(hf_next_threshold(&settings, &result, 1e-7) > SHARP);
}

TEST(it_is_never_sharper_than_asked_for)
{
    struct hf_scf_settings settings = hf_scf_defaults();
    const struct hf_scf_result result = {.n_iteration = 1, .smallest_overlap_eigenvalue = 0.01};
    settings.screening_threshold = 1e-5;
    assert_true(hf_next_threshold(&settings, &result, INFINITY) == 1e-5);
}

MPI_TEST_MAIN
