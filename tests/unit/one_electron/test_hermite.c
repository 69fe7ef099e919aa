/* Densities of two shells in Hermite Gaussians: their moments and potentials are those of the matrices of
 * these operators. */
#include "../mpi_test.h"
#include "../shells.h"

#include "one_electron/hermite.h"
#include "one_electron/one_electron.h"

#include <math.h>

enum { N_POINT = 11, N_MAX = 60 };

static const double centre[3][3] = {{0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}, {-1.4, 0.2, 1.1}};
static const struct test_shell shells[] = {
    {0, 0, 3, false, {0.8, 3.0, 40.0}, {1.0, 0.4, 0.7}},
    {0, 2, 1, true, {0.9}, {1.0}},
    {0, 2, 2, false, {0.9, 0.2}, {1.0, 0.1}},
    {1, 1, 2, false, {0.7, 5.0}, {1.0, -0.4}},
    {1, 5, 1, true, {0.6}, {1.0}},
    {2, 3, 1, true, {1.1}, {1.0}},
    {2, 4, 1, false, {0.5}, {1.0}},
};

/** A number for each element of the density, symmetric. */
static double element(int i, int j)
{
    return sin(1.0 + 0.37 * (i + j)) + 0.1 * cos(0.9 * abs(i - j));
}

static double *make_density(int n)
{
    double *density = calloc((size_t)(n * n), sizeof *density);
    assert_non_null(density);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) density[i * n + j] = element(i, j);
    return density;
}

/** sum_ij D_ij <i|operator|j> over all shells; of charges that of the first `n_charge`. */
static double expectation(const struct hf_basis *basis, const double *density,
                          enum hf_operator which, int n_charge,
                          const struct hf_spread_charge charge[])
{
    struct hf_one_electron *one_electron = NULL;
    double sum = 0.0;
    assert_ok(hf_one_electron_create(basis->max_l, n_charge, charge, &one_electron, NULL));
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l < basis->n_shell; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const double *integral = hf_one_electron_block(one_electron, which, a, b);
            for (int i = 0; i < a->n_function; i++)
                for (int j = 0; j < b->n_function; j++)
                    sum += *integral++ * density[(a->first_function + i) * basis->n_function +
                                                 b->first_function + j];
        }
    }
    hf_one_electron_destroy(&one_electron);
    return sum;
}

/** Moments about an origin, and potentials at points, of the whole density. */
static void add_all(const struct hf_basis *basis, const double *density, const double origin[3],
                    double moment[HF_N_MOMENT], const double *const point[3], double potential[])
{
    struct hf_hermite_products *products = NULL;
    const struct hf_hermite_gaussian *list;
    struct hf_hermite_points *points = NULL;
    assert_ok(hf_hermite_products_create(basis, &products, NULL));
    assert_ok(
        hf_hermite_points_create(basis, N_POINT, point[0], point[1], point[2], &points, NULL));
    for (int m = 0; m < basis->n_shell; m++) {
        for (int l = 0; l <= m; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const size_t n = (size_t)basis->n_function;
            const double *block =
                density + (size_t)a->first_function * n + (size_t)b->first_function;
            const int n_list =
                hf_hermite_expand(products, a, b, l < m ? 2.0 : 1.0, block, n, 0.0, &list);
            assert_int_equal(n_list, a->n_primitive * b->n_primitive);
            hf_hermite_add_moments(n_list, list, origin, moment);
            hf_hermite_add_potential(points, n_list, list, potential);
        }
    }
    hf_hermite_points_destroy(&points);
    hf_hermite_products_destroy(&products);
}

TEST(moments_and_potentials_are_those_of_the_operators)
{
    struct hf_basis *basis = test_basis(3, centre, sizeof shells / sizeof *shells, shells);
    double *density = make_density(basis->n_function);
    const double origin[3] = {0.0};
    double moment[HF_N_MOMENT] = {0.0}, potential[N_POINT] = {0.0}, place[3][N_POINT];
    struct hf_spread_charge charge[N_POINT];
    for (int i = 0; i < N_POINT; i++) {
        for (int d = 0; d < 3; d++) /* the last two are at one place */
            place[d][i] = i == N_POINT - 1 ? place[d][i - 1]
                          : i == 0         ? centre[1][d]
                                           : (i - 4.0) * (0.9 + 0.4 * d) + 0.3 * d * d;
        charge[i] =
            (struct hf_spread_charge){1.0, INFINITY, {place[0][i], place[1][i], place[2][i]}};
    }
    add_all(basis, density, origin, moment, (const double *const[]){place[0], place[1], place[2]},
            potential);
    assert_true(fabs(moment[0] - expectation(basis, density, HF_OVERLAP, 0, NULL)) < 1e-9);
    for (int d = 0; d < 3; d++)
        assert_true(
            fabs(moment[1 + d] -
                 expectation(basis, density, (enum hf_operator)(HF_DIPOLE_X + d), 0, NULL)) < 1e-9);
    for (int i = 0; i < N_POINT; i++)
        assert_true(fabs(potential[i] + expectation(basis, density, HF_CHARGES, 1, &charge[i])) <
                    1e-9);
    free(density);
    test_basis_destroy(&basis);
}

/** Second moments follow the origin by the first and the zeroth. */
TEST(moments_follow_their_origin)
{
    static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    struct hf_basis *basis = test_mixed_basis();
    double *density = make_density(basis->n_function);
    const double here[3] = {0.0}, there[3] = {0.3, -1.2, 2.0};
    double at_here[HF_N_MOMENT] = {0.0}, at_there[HF_N_MOMENT] = {0.0}, unused[N_POINT] = {0.0};
    const double zero[N_POINT] = {0.0};
    const double *const point[3] = {zero, zero, zero};
    add_all(basis, density, here, at_here, point, unused);
    add_all(basis, density, there, at_there, point, unused);
    assert_true(fabs(at_here[0] - at_there[0]) < 1e-12);
    for (int m = 0; m < 6; m++) {
        const int x = axis[m][0], y = axis[m][1];
        assert_true(fabs(at_there[4 + m] -
                         (at_here[4 + m] - there[x] * at_here[1 + y] - there[y] * at_here[1 + x] +
                          there[x] * there[y] * at_here[0])) < 1e-10);
    }
    free(density);
    test_basis_destroy(&basis);
}

/** exp(-r^2/2)^2 has the charge (pi)^(3/2) and <xx> of half of that; x^2 between them 3/4 and 1/4. */
TEST(second_moments_are_those_of_a_known_density)
{
    static const double at[1][3] = {{0.0, 0.0, 0.0}};
    static const struct test_shell one[] = {{0, 1, 1, false, {0.5}, {1.0}}};
    struct hf_basis *basis = test_basis(1, at, 1, one);
    const double density[9] = {1.0}, volume = pow(acos(-1.0), 1.5);
    struct hf_hermite_products *products = NULL;
    const struct hf_hermite_gaussian *list;
    double moment[HF_N_MOMENT] = {0.0};
    assert_ok(hf_hermite_products_create(basis, &products, NULL));
    const int n =
        hf_hermite_expand(products, basis->shell, basis->shell, 1.0, density, 3, 0.0, &list);
    hf_hermite_add_moments(n, list, at[0], moment);
    assert_true(fabs(moment[0] - 0.5 * volume) < 1e-13);
    assert_true(fabs(moment[4] - 0.75 * volume) < 1e-13);
    assert_true(fabs(moment[7] - 0.25 * volume) < 1e-13);
    assert_int_equal(
        hf_hermite_expand(products, basis->shell, basis->shell, 1.0, density, 3, 1.1, &list), 0);
    hf_hermite_products_destroy(&products);
    test_basis_destroy(&basis);
}

TEST_MAIN
