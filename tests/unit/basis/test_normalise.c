/* Normalisation of contracted shells, against the self-overlap integrated analytically. */

#include "../test.h"
#include "basis_private.h"

#include <math.h>

/** <x^l | x^l> of a radial part: the integral of x^2l exp(-p x^2) is Gamma(l + 1/2) / p^(l + 1/2),
 *  those over y and z are sqrt(pi / p). */
static double self_overlap(int l, int n, const double exponent[], const double coefficient[])
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double p = exponent[i] + exponent[j];
            sum += coefficient[i] * coefficient[j] * tgamma(l + 0.5) / pow(p, l + 0.5) * pi / p;
        }
    return sum;
}

TEST(the_cartesian_monomial_has_norm_one_in_every_angular_momentum)
{
    const double exponent[] = {3047.5249, 457.36952, 103.94869, 29.210155, 9.286663, 3.163927};
    for (int l = 0; l <= 7; l++) {
        double coefficient[] = {0.0018347, 0.0140373, -0.0688426, 0.2321844, 0.4679413, 0.362312};
        assert_true(hf_shell_normalise(l, 6, exponent, coefficient));
        assert_true(fabs(self_overlap(l, 6, exponent, coefficient) - 1.0) < 1e-13);
    }
}

TEST(a_single_primitive_does_not_depend_on_its_coefficient)
{
    const double exponent[] = {0.8};
    double one[] = {1.0}, other[] = {0.25};
    assert_true(hf_shell_normalise(2, 1, exponent, one));
    assert_true(hf_shell_normalise(2, 1, exponent, other));
    assert_true(fabs(one[0] - other[0]) < 1e-15 * one[0]);
}

TEST(the_sign_of_a_contraction_is_kept)
{
    const double exponent[] = {2.0, 0.5};
    double coefficient[] = {-0.3, -0.8};
    assert_true(hf_shell_normalise(1, 2, exponent, coefficient));
    assert_true(coefficient[0] < 0.0 && coefficient[1] < 0.0);
}

TEST(primitives_that_cancel_are_refused)
{
    const double exponent[] = {1.5, 1.5};
    double coefficient[] = {0.7, -0.7};
    assert_false(hf_shell_normalise(0, 2, exponent, coefficient));
}

TEST(numbers_beyond_range_are_refused)
{
    const double exponent[] = {1e300, 1.0};
    double coefficient[] = {1.0, 1e200};
    assert_false(hf_shell_normalise(5, 2, exponent, coefficient));
}

TEST_MAIN
