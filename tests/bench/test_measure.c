/* Medians, the straight lines through times of messages, and lengths as people write them. */
#include "../unit/test.h"
#include "bench.h"

#include <math.h>

enum { N_POINT = 25 };
static const double ALPHA = 2.5e-6, BETA = 1.25e-10;

/** Lengths 0, 1, 2, 4 ... 8 MiB, and times on the line ALPHA + BETA * bytes times 1 +- `scatter`.
 */
static void make_times(double scatter, double n_bytes[N_POINT], double seconds[N_POINT])
{
    for (int i = 0; i < N_POINT; i++) {
        n_bytes[i] = i == 0 ? 0.0 : ldexp(1.0, i - 1);
        seconds[i] = (ALPHA + BETA * n_bytes[i]) * (i % 2 == 0 ? 1.0 + scatter : 1.0 - scatter);
    }
}

static void check_line(struct hf_bench_line line, double tolerance)
{
    assert_true(fabs(line.latency_seconds / ALPHA - 1.0) <= tolerance);
    assert_true(fabs(line.seconds_per_byte / BETA - 1.0) <= tolerance);
}

TEST(times_on_a_line_give_that_line)
{
    double n_bytes[N_POINT], seconds[N_POINT];
    make_times(0.0, n_bytes, seconds);
    const struct hf_bench_line fit = hf_bench_fit_line(N_POINT, n_bytes, seconds);
    const struct hf_bench_line ends = hf_bench_line_through_ends(N_POINT, n_bytes, seconds);
    check_line(fit, 1e-10);
    check_line(ends, 1e-10);
    assert_true(fit.rms_residual < 1e-10 && fit.largest_residual < 1e-10);
    assert_true(ends.rms_residual < 1e-10 && ends.largest_residual < 1e-10);
}

TEST(scatter_stays_out_of_the_fit_and_in_its_residuals)
{
    double n_bytes[N_POINT], seconds[N_POINT];
    make_times(0.05, n_bytes, seconds);
    const struct hf_bench_line fit = hf_bench_fit_line(N_POINT, n_bytes, seconds);
    check_line(fit, 0.05);
    assert_true(fit.rms_residual > 0.03 && fit.rms_residual < 0.07);
    assert_true(fit.largest_residual >= fit.rms_residual && fit.largest_residual < 0.12);
}

TEST(no_other_line_has_smaller_relative_residuals)
{
    double n_bytes[N_POINT], seconds[N_POINT];
    make_times(0.2, n_bytes, seconds);
    const struct hf_bench_line fit = hf_bench_fit_line(N_POINT, n_bytes, seconds);
    for (int k = 0; k < 4; k++) {
        const double alpha = fit.latency_seconds * (k == 0 ? 1.01 : k == 1 ? 0.99 : 1.0);
        const double beta = fit.seconds_per_byte * (k == 2 ? 1.01 : k == 3 ? 0.99 : 1.0);
        double squares = 0.0;
        for (int i = 0; i < N_POINT; i++) {
            const double residual = (alpha + beta * n_bytes[i]) / seconds[i] - 1.0;
            squares += residual * residual;
        }
        assert_true(sqrt(squares / N_POINT) > fit.rms_residual);
    }
}

TEST(lines_that_cannot_be_are_doubted)
{
    const struct hf_bench_line good = {ALPHA, BETA, 0.1, 0.4};
    struct hf_bench_line line = good;
    assert_null(hf_bench_line_doubt(&good));
    line.latency_seconds = -9.27e-6;
    assert_non_null(strstr(hf_bench_line_doubt(&line), "no network has a latency"));
    line = good;
    line.seconds_per_byte = 0.0;
    assert_non_null(strstr(hf_bench_line_doubt(&line), "no network has a latency"));
    line.seconds_per_byte = NAN;
    assert_non_null(strstr(hf_bench_line_doubt(&line), "no network has a latency"));
    line = good;
    line.rms_residual = 0.7;
    assert_non_null(strstr(hf_bench_line_doubt(&line), "far from a straight line"));
}

TEST(the_load_is_known_or_negative)
{
    const double load = hf_bench_load_average();
    assert_true(load == -1.0 || (load >= 0.0 && load < 1e6));
}

TEST(the_median_is_the_middle_whatever_the_order)
{
    double odd[] = {5.0, -1.0, 3.0}, even[] = {4.0, 1.0, 100.0, 2.0}, one[] = {7.0};
    assert_true(hf_bench_median(3, odd) == 3.0);
    assert_true(hf_bench_median(4, even) == 3.0);
    assert_true(hf_bench_median(1, one) == 7.0);
}

TEST(lengths_have_the_unit_that_fits)
{
    const struct {
        double n_bytes;
        const char *text;
    } length[] = {{0.0, "0 B"},        {8.0, "8 B"},          {1023.0, "1023 B"},
                  {1024.0, "1 KiB"},   {524288.0, "512 KiB"}, {1048576.0, "1 MiB"},
                  {8388608.0, "8 MiB"}};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        char text[32];
        hf_bench_bytes_text(length[i].n_bytes, sizeof text, text);
        assert_string_equal(text, length[i].text);
    }
}

TEST_MAIN
