/* The Boys function against a sum in quadruple precision. */
#include "../test.h"
#include "boys/boys_single.h"

#include <math.h>

#include <quadmath.h>

/** F_m(T) for any T: ascending series in 113 bits; below exp(-T) of 1e-30 the asymptote is exact.
 */
static double reference(int m, double T)
{
    const __float128 t = T;
    if (T > 200.0) {
        __float128 value = sqrtq(acosq(-1) / t) / 2;
        for (int k = 0; k < m; k++) value *= (2 * k + 1) / (2 * t);
        return (double)value;
    }
    __float128 term = (__float128)1 / (2 * m + 1), sum = term;
    for (int i = 1; term > sum * (__float128)1e-32; i++) {
        term *= 2 * t / (2 * m + 2 * i + 1);
        sum += term;
    }
    return (double)(expq(-t) * sum);
}

static double worst_error(const struct hf_boys *boys, double T)
{
    double worst = 0.0, exact[HF_BOYS_MAX_ORDER + 1];
    for (int m = 0; m <= HF_BOYS_MAX_ORDER; m++) exact[m] = reference(m, T);
    for (int order = 0; order <= HF_BOYS_MAX_ORDER; order++) {
        double value[HF_BOYS_MAX_ORDER + 1];
        hf_boys_evaluate(boys, order, T, value);
        for (int m = 0; m <= order; m++) worst = fmax(worst, fabs(value[m] - exact[m]) / exact[m]);
    }
    return worst;
}

TEST(relative_error_is_below_1e_14_for_all_orders)
{
    struct hf_boys *boys = hf_boys_create(HF_BOYS_MAX_ORDER);
    assert_non_null(boys);
    double worst = 0.0;
    for (double T = 0.0; T < 130.0; T += 0.0937) worst = fmax(worst, worst_error(boys, T));
    for (double T = 1e-12; T < 1e8; T *= 7.3) worst = fmax(worst, worst_error(boys, T));
    for (int order = 0; order <= HF_BOYS_MAX_ORDER; order++) {
        worst = fmax(worst, worst_error(boys, boys->limit[order]));
        worst = fmax(worst, worst_error(boys, nextafter(boys->limit[order], 0.0)));
    }
    for (int grid = 0; grid < 50; grid++) /* interval ends, where the series err most */
        worst = fmax(worst, worst_error(boys, (grid + 0.5) / HF_BOYS_PER_UNIT));
    print_message("largest relative error %.2e\n", worst);
    assert_true(worst < 1e-14);
    hf_boys_destroy(&boys);
    assert_null(boys);
}

/** Error of one order and of exp(-T) from the tables of single precision, by sums in double precision. */
static double error_of_tables(const struct hf_boys_single_order *table, int m, double T)
{
    const double x = T * (double)table->per_unit, d = x - rint(x);
    const int g = (int)rint(x);
    double value = 0.0, series = 0.0;
    assert_true(g < HF_BOYS_SINGLE_INTERVALS);
    for (int k = hf_boys_single_terms(m) - 1; k >= 0; k--) {
        value = value * d + (double)table->coefficient[k][g];
        series = series * d + (double)table->series[k];
    }
    return fmax(fabs(value / reference(m, T) - 1.0),
                fabs(series * (double)table->exponential[g] * exp(T) - 1.0));
}

TEST(tables_of_single_precision_err_by_their_rounding)
{
    struct hf_boys *boys = hf_boys_create(HF_BOYS_MAX_ORDER);
    struct hf_boys_single *single = hf_boys_single_create(boys);
    assert_non_null(single);
    double worst = 0.0;
    for (int m = 0; m <= HF_BOYS_SINGLE_MAX_ORDER; m++) {
        const double limit = (double)single->of[m].limit;
        for (double T = 0.0; T <= limit; T += 0.0137)
            worst = fmax(worst, error_of_tables(&single->of[m], m, T));
        const double asymptote =
            tgamma(m + 0.5) / 2.0 * pow(limit, -m - 0.5); /* (2m-1)!! sqrt(pi) / 2^m */
        worst = fmax(worst, fabs(asymptote / reference(m, limit) - 1.0));
    }
    print_message("largest relative error in single precision %.2e\n", worst);
    assert_true(worst < 0x1p-22);
    hf_boys_single_destroy(&single);
    hf_boys_destroy(&boys);
}

TEST_MAIN
