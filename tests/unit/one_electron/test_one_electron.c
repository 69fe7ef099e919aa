/* One-electron integrals against closed formulas and against a grid. */
#include "../shells.h"
#include "../test.h"

#include "boys/boys.h"
#include "integrals/solid_harmonics.h"
#include "one_electron/one_electron.h"

#include <math.h>

static const double centre[2][3] = {{0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}};

/** Full matrix of the operator of `one_electron`, which is destroyed, over the basis. */
static double *full_matrix(struct hf_one_electron *one_electron, enum hf_operator which,
                           const struct hf_basis *basis)
{
    const int n = basis->n_function;
    double *full = malloc((size_t)(n * n) * sizeof *full);
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l < basis->n_shell; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const double *integral = hf_one_electron_block(one_electron, which, a, b);
            for (int i = 0; i < a->n_function; i++)
                for (int j = 0; j < b->n_function; j++)
                    full[(a->first_function + i) * n + b->first_function + j] = *integral++;
        }
    }
    hf_one_electron_destroy(&one_electron);
    return full;
}

/** Full matrix of an operator over shells on two centres. */
static double *operator_matrix(enum hf_operator which, int n_shell, const struct test_shell shell[],
                               int n_charge, const struct hf_spread_charge charge[], int *n)
{
    struct hf_basis *basis = test_basis(2, centre, n_shell, shell);
    struct hf_one_electron *one_electron = NULL;
    *n = basis->n_function;
    assert_ok(hf_one_electron_create(basis->max_l, n_charge, charge, &one_electron, &error));
    double *full = full_matrix(one_electron, which, basis);
    test_basis_destroy(&basis);
    return full;
}

TEST(s_functions_agree_with_closed_formulas)
{
    const double a = 0.7, b = 1.3, p = a + b, pi = acos(-1.0);
    const struct test_shell shells[] = {{0, 0, 1, false, {a}, {1.0}}, {1, 0, 1, false, {b}, {1.0}}};
    const struct hf_spread_charge charge[] = {{3.0, INFINITY, {0.5, 0.1, 0.2}},
                                              {0.0, INFINITY, {0.1, -0.2, 0.3}}};
    double r2 = 0.0, pc2 = 0.0, middle_squared = 0.0;
    double middle[3];
    for (int d = 0; d < 3; d++) {
        r2 += pow(centre[0][d] - centre[1][d], 2);
        middle[d] = (a * centre[0][d] + b * centre[1][d]) / p;
        pc2 += pow(middle[d] - charge[0].position_bohr[d], 2);
        middle_squared += middle[d] * middle[d];
    }
    const double overlap = pow(pi / p, 1.5) * exp(-a * b / p * r2);
    const double kinetic = a * b / p * (3.0 - 2.0 * a * b / p * r2) * overlap;
    struct hf_boys *boys = hf_boys_create(HF_BOYS_MAX_ORDER);
    double f[1];
    hf_boys_evaluate(boys, 0, p * pc2, f);
    hf_boys_destroy(&boys);
    const double attraction = -3.0 * 2.0 * pi / p * exp(-a * b / p * r2) * f[0];
    const double expected[] = {[HF_OVERLAP] = overlap,
                               [HF_KINETIC] = kinetic,
                               [HF_DIPOLE_X] = middle[0] * overlap,
                               [HF_DIPOLE_Y] = middle[1] * overlap,
                               [HF_DIPOLE_Z] = middle[2] * overlap,
                               [HF_SQUARE] = (1.5 / p + middle_squared) * overlap,
                               [HF_CHARGES] = attraction};
    for (int which = HF_OVERLAP; which <= HF_CHARGES; which++) {
        int n;
        double *full = operator_matrix((enum hf_operator)which, 2, shells, 2, charge, &n);
        assert_true(fabs(full[1] - expected[which]) < 1e-14);
        assert_true(fabs(full[1] - full[2]) < 1e-15);
        free(full);
    }
}

/** exp(-e r^2) x^i y^j z^k about a centre, and its Laplacian by differences. */
static double gaussian(double e, const int power[3], const double c[3], const double r[3])
{
    double value = 1.0, r2 = 0.0;
    for (int d = 0; d < 3; d++) {
        const double x = r[d] - c[d];
        r2 += x * x;
        for (int k = 0; k < power[d]; k++) value *= x;
    }
    return value * exp(-e * r2);
}

static double minus_half_laplacian(double e, const int power[3], const double c[3],
                                   const double r[3])
{
    const double h = 1e-3, weight[3] = {-1.0 / 12.0, 4.0 / 3.0, -2.5};
    double sum = 0.0;
    for (int d = 0; d < 3; d++) {
        for (int k = -2; k <= 2; k++) {
            double moved[3] = {r[0], r[1], r[2]};
            moved[d] += k * h;
            sum += weight[2 - abs(k)] * gaussian(e, power, c, moved);
        }
    }
    return -0.5 * sum / (h * h);
}

/** What stands between the two functions at a point. */
struct factor {
    enum hf_operator which;
    struct hf_spread_charge charge; /* of HF_CHARGES */
};

static double factor_at(const struct factor *factor, const double r[3])
{
    if (factor->which == HF_DIPOLE_X) return r[0];
    if (factor->which == HF_DIPOLE_Z) return r[2];
    if (factor->which == HF_SQUARE) return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (factor->which != HF_CHARGES) return 1.0;
    double square = 0.0;
    for (int d = 0; d < 3; d++) square += pow(r[d] - factor->charge.position_bohr[d], 2);
    const double distance = sqrt(square);
    return -factor->charge.charge * erf(sqrt(factor->charge.exponent) * distance) / distance;
}

/** The trapezoidal rule converges exponentially for Gaussians. */
static double on_grid(const struct factor *factor, const double e[2], const int power[2][3])
{
    const double step = 0.2, reach = 7.0;
    double sum = 0.0, r[3];
    for (r[0] = -reach; r[0] < reach; r[0] += step) {
        for (r[1] = -reach; r[1] < reach; r[1] += step) {
            for (r[2] = -reach; r[2] < reach; r[2] += step) {
                const double left = gaussian(e[0], power[0], centre[0], r);
                sum += left * (factor->which == HF_KINETIC
                                   ? minus_half_laplacian(e[1], power[1], centre[1], r)
                                   : gaussian(e[1], power[1], centre[1], r) * factor_at(factor, r));
            }
        }
    }
    return sum * step * step * step;
}

TEST(high_functions_agree_with_a_grid)
{
    const double e[2] = {0.8, 1.1};
    const struct test_shell shells[] = {{0, 3, 1, false, {e[0]}, {1.0}},
                                        {1, 2, 1, false, {e[1]}, {1.0}}};
    const int power[2][3] = {{1, 1, 1}, {1, 0, 1}}; /* components 4 of f and 2 of d */
    const enum hf_operator which[] = {HF_OVERLAP, HF_KINETIC, HF_DIPOLE_X, HF_DIPOLE_Z, HF_SQUARE};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        int n;
        double *full = operator_matrix(which[i], 2, shells, 0, NULL, &n);
        const struct factor factor = {.which = which[i]};
        assert_true(fabs(full[4 * n + 10 + 2] - on_grid(&factor, e, power)) < 1e-8);
        free(full);
    }
}

/** Near and so far that the width does not count. */
TEST(charges_with_a_width_agree_with_a_grid)
{
    const double e[2] = {0.8, 1.1};
    const struct test_shell shells[] = {{0, 3, 1, false, {e[0]}, {1.0}},
                                        {1, 2, 1, false, {e[1]}, {1.0}}};
    const int power[2][3] = {{1, 1, 1}, {1, 0, 1}}; /* components 4 of f and 2 of d */
    const struct hf_spread_charge charge[] = {{-1.5, 0.3, {0.53, 0.11, -0.07}},
                                              {2.0, 2.5, {-0.31, 0.47, 0.25}},
                                              {1.0, 1.0, {0.01, 9.03, -0.09}},
                                              {1.0, 1.0, {0.01, 29.03, 31.09}}};
    for (size_t i = 0; i < sizeof charge / sizeof *charge; i++) {
        const struct factor factor = {.which = HF_CHARGES, .charge = charge[i]};
        int n;
        double *full = operator_matrix(HF_CHARGES, 2, shells, 1, &charge[i], &n);
        assert_true(fabs(full[4 * n + 10 + 2] - on_grid(&factor, e, power)) < 1e-9);
        free(full);
    }
}

/** Places with several widths, points among them, some of them far away; zeros between. */
TEST(charges_with_a_width_add_up_and_become_points)
{
    enum { N_PLACE = 11, N_WIDTH = 5, N = N_PLACE * N_WIDTH };
    static const double width[N_WIDTH] = {0.02, 0.7, INFINITY, 30.0, 1e16};
    const struct test_shell shells[] = {{0, 4, 2, true, {0.8, 3.0}, {1.0, 0.4}},
                                        {1, 3, 1, false, {1.1}, {1.0}}};
    struct hf_spread_charge charge[N];
    for (int i = 0; i < N; i++) {
        const int place = i / N_WIDTH;
        charge[i] =
            (struct hf_spread_charge){i % 7 == 3 ? 0.0 : cos(i),
                                      width[i % N_WIDTH],
                                      {2.0 * sin(3.0 * place), 0.1 * place, place * place - 3.0}};
    }
    int n;
    double *left = operator_matrix(HF_CHARGES, 2, shells, N, charge, &n);
    for (int i = 0; i < N; i++) {
        if (charge[i].exponent > 1e15) charge[i].exponent = INFINITY;
        double *one = operator_matrix(HF_CHARGES, 2, shells, 1, &charge[i], &n);
        for (int k = 0; k < n * n; k++) left[k] -= one[k];
        free(one);
    }
    for (int k = 0; k < n * n; k++) assert_true(fabs(left[k]) < 1e-12);
    free(left);
}

TEST(solid_harmonics_are_orthonormal_and_even_with_one_another)
{
    for (int l = 2; l <= HF_MAX_L; l++) {
        struct test_shell shells[] = {{0, l, 1, true, {0.9}, {1.0}}};
        int n;
        double *overlap = operator_matrix(HF_OVERLAP, 1, shells, 0, NULL, &n);
        double *kinetic = operator_matrix(HF_KINETIC, 1, shells, 0, NULL, &n);
        assert_int_equal(n, 2 * l + 1);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const double expected_s = i == j ? overlap[0] : 0.0;
                const double expected_t = i == j ? kinetic[0] : 0.0;
                assert_true(fabs(overlap[i * n + j] - expected_s) < 1e-13 * overlap[0]);
                assert_true(fabs(kinetic[i * n + j] - expected_t) < 1e-12 * kinetic[0]);
            }
        }
        shells[0].spherical = false; /* and have the norm of x^l, the first Cartesian function */
        double *cartesian = operator_matrix(HF_OVERLAP, 1, shells, 0, NULL, &n);
        assert_true(fabs(cartesian[0] - overlap[0]) < 1e-13 * overlap[0]);
        free(overlap);
        free(kinetic);
        free(cartesian);
    }
}

TEST(m_runs_from_minus_l_to_l)
{
    struct hf_solid_harmonics d;
    hf_solid_harmonics_init(2, &d);
    assert_int_equal(d.n_term[0], 1); /* xy */
    assert_int_equal(d.column[0][0], 1);
    assert_int_equal(d.n_term[2], 3); /* z^2 - (x^2 + y^2)/2 */
    assert_true(fabs(d.coefficient[2][2] - 1.0) < 1e-14 && d.column[2][2] == 5);
    assert_true(fabs(d.coefficient[4][0] - sqrt(0.75)) < 1e-14 && d.column[4][0] == 0);
}

/** Eighteen charges in one sum and each by itself: full rows of lanes and a part of one. */
TEST(charges_add_up)
{
    enum { N = 18 };
    const struct test_shell shells[] = {{0, 4, 2, true, {0.8, 3.0}, {1.0, 0.4}},
                                        {1, 3, 1, false, {1.1}, {1.0}}};
    struct hf_spread_charge charge[N];
    for (int i = 0; i < N; i++)
        charge[i] =
            (struct hf_spread_charge){i == 7 ? 0.0 : cos(i),
                                      INFINITY,
                                      {2.0 * sin(3.0 * i), 0.1 * i - 1.0, 40.0 * cos(5.0 * i)}};
    int n;
    double *all = operator_matrix(HF_CHARGES, 2, shells, N, charge, &n);
    double *left = calloc((size_t)(n * n), sizeof *left);
    memcpy(left, all, (size_t)(n * n) * sizeof *left);
    for (int i = 0; i < N; i++) {
        double *one = operator_matrix(HF_CHARGES, 2, shells, 1, &charge[i], &n);
        for (int k = 0; k < n * n; k++) left[k] -= one[k];
        free(one);
    }
    for (int k = 0; k < n * n; k++) assert_true(fabs(left[k]) < 1e-13);
    free(left);
    free(all);
}

/** The potential outside a Gaussian is that of a charge where it is: <s|-q/r|s> of a unit norm. */
TEST(far_charges_see_a_point)
{
    const double pi = acos(-1.0), norm = pow(2.0 * 1.7 / pi, 0.75);
    const struct test_shell shells[] = {{0, 0, 1, false, {1.7}, {norm}}};
    for (double distance = 6.0; distance < 1e4; distance *= 3.0) {
        const struct hf_spread_charge charge = {
            -2.0, INFINITY, {centre[0][0], centre[0][1] + distance, centre[0][2]}};
        int n;
        double *full = operator_matrix(HF_CHARGES, 1, shells, 1, &charge, &n);
        assert_true(fabs(full[0] * distance - 2.0) < 1e-13);
        free(full);
    }
}

TEST_MAIN
