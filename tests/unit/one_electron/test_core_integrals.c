/* Integrals of effective core potentials against a plain quadrature over space: Fejer's rule for the
 * polar angle, equidistant points for the azimuth and for the distance, r = exp(x - exp(-x)). */
#include "../shells.h"
#include "../test.h"

#include "integrals/solid_harmonics.h"
#include "one_electron/core_integrals.h"

#include <math.h>

enum {
    N_POLAR = 48,
    N_AZIMUTH = 88,
    N_DIRECTION = N_POLAR * N_AZIMUTH,
    MAX_L = 4,
    MAX_SHELL_L = 5
};

/** Directions, their weights, and the spherical harmonics of l < MAX_L there. */
struct sphere {
    double direction[N_DIRECTION][3], weight[N_DIRECTION];
    double harmonic[N_DIRECTION][MAX_L * MAX_L];
    struct hf_solid_harmonics of_shell[HF_MAX_L + 1];
};

/** Real spherical harmonics by the recursion of the associated Legendre functions. */
static void find_harmonics(double cosine, double azimuth, double value[])
{
    const double sine = sqrt(1.0 - cosine * cosine), pi = acos(-1.0);
    double legendre[MAX_L][MAX_L] = {{1.0}};
    for (int m = 1; m < MAX_L; m++) legendre[m][m] = (2 * m - 1) * sine * legendre[m - 1][m - 1];
    for (int m = 0; m < MAX_L; m++)
        for (int l = m + 1; l < MAX_L; l++)
            legendre[l][m] = ((2 * l - 1) * cosine * legendre[l - 1][m] -
                              (l > m + 1 ? (l + m - 1) * legendre[l - 2][m] : 0.0)) /
                             (l - m);
    for (int l = 0; l < MAX_L; l++) {
        for (int m = 0; m <= l; m++) {
            double norm = (m > 0 ? 2.0 : 1.0) * (2 * l + 1) / (4.0 * pi);
            for (int k = l - m + 1; k <= l + m; k++) norm /= k;
            value[l * l + l + m] = sqrt(norm) * legendre[l][m] * cos(m * azimuth);
            if (m > 0) value[l * l + l - m] = sqrt(norm) * legendre[l][m] * sin(m * azimuth);
        }
    }
}

static struct sphere *make_sphere(void)
{
    struct sphere *sphere = malloc(sizeof *sphere);
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &sphere->of_shell[l]);
    const double pi = acos(-1.0);
    for (int i = 0, k = 0; i < N_POLAR; i++) {
        const double angle = (i + 0.5) * pi / N_POLAR;
        double weight = 1.0;
        for (int j = 1; j <= N_POLAR / 2; j++)
            weight -= 2.0 * cos(2 * j * angle) / (4.0 * j * j - 1.0);
        for (int j = 0; j < N_AZIMUTH; j++, k++) {
            const double azimuth = 2.0 * pi * (j + 0.3) / N_AZIMUTH;
            sphere->direction[k][0] = sin(angle) * cos(azimuth);
            sphere->direction[k][1] = sin(angle) * sin(azimuth);
            sphere->direction[k][2] = cos(angle);
            sphere->weight[k] = 2.0 / N_POLAR * weight * 2.0 * pi / N_AZIMUTH;
            find_harmonics(cos(angle), azimuth, sphere->harmonic[k]);
        }
    }
    return sphere;
}

/** Values of all functions of the basis at a point. */
static void find_functions(const struct hf_basis *basis,
                           const struct hf_solid_harmonics harmonics[], const double at[3],
                           double value[])
{
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        double from[3], square = 0.0, radial = 0.0,
                        monomial[(MAX_SHELL_L + 1) * (MAX_SHELL_L + 2) / 2];
        for (int d = 0; d < 3; d++) {
            from[d] = at[d] - shell->centre_bohr[d];
            square += from[d] * from[d];
        }
        for (int k = 0; k < shell->n_primitive; k++)
            radial += shell->coefficient[k] * exp(-shell->exponent[k] * square);
        int n = 0;
        for (int x = shell->l; x >= 0; x--)
            for (int y = shell->l - x; y >= 0; y--)
                monomial[n++] =
                    radial * pow(from[0], x) * pow(from[1], y) * pow(from[2], shell->l - x - y);
        double *to = value + shell->first_function;
        if (shell->spherical) {
            hf_solid_harmonics_apply(&harmonics[shell->l], shell->l, 1, monomial, to);
        } else {
            memcpy(to, monomial, (size_t)n * sizeof *to);
        }
    }
}

/** Adds one distance to the lower triangle of the matrix [n][n]. */
static void add_distance(const struct hf_basis *basis, const double centre[3],
                         const struct sphere *sphere, double r, double dr, double *function,
                         double *matrix)
{
    const struct hf_core_potential *potential = &basis->core_potential[0];
    const int n = basis->n_function, n_projector = potential->max_l * potential->max_l;
    double radial[MAX_L + 1] = {0.0};
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        radial[term->l] +=
            term->coefficient * pow(r, term->power) * exp(-term->exponent * r * r) * r * r * dr;
    }
    double *projected = calloc((size_t)(n * n_projector), sizeof *projected);
    for (int k = 0; k < N_DIRECTION; k++) {
        double at[3];
        for (int d = 0; d < 3; d++) at[d] = centre[d] + r * sphere->direction[k][d];
        find_functions(basis, sphere->of_shell, at, function);
        const double local = radial[potential->max_l] * sphere->weight[k];
        for (int i = 0; i < n; i++) {
            const double value = local * function[i];
            for (int j = 0; j <= i; j++) matrix[i * n + j] += value * function[j];
            for (int q = 0; q < n_projector; q++)
                projected[i * n_projector + q] +=
                    sphere->weight[k] * sphere->harmonic[k][q] * function[i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int l = 0; l < potential->max_l; l++)
                for (int q = l * l; q < (l + 1) * (l + 1); q++)
                    matrix[i * n + j] +=
                        radial[l] * projected[i * n_projector + q] * projected[j * n_projector + q];
    free(projected);
}

static double *plain_matrix(const struct hf_basis *basis, const double centre[3])
{
    const size_t n = (size_t)basis->n_function;
    const double step = 0.07;
    struct sphere *sphere = make_sphere();
    double *matrix = calloc(n * n, sizeof *matrix), *function = calloc(n, sizeof *function);
    for (double x = -3.2; x < 2.2; x += step) {
        const double r = exp(x - exp(-x));
        add_distance(basis, centre, sphere, r, r * (1.0 + exp(-x)) * step, function, matrix);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) matrix[j * n + i] = matrix[i * n + j];
    free(sphere);
    free(function);
    return matrix;
}

/** Matrix [n][n] of all blocks. */
static double *matrix_of_blocks(const struct hf_basis *basis, const double centre[3])
{
    const size_t n = (size_t)basis->n_function;
    struct hf_core_integrals *integrals = NULL;
    double *matrix = calloc(n * n, sizeof *matrix), *block = malloc(n * n * sizeof *block);
    assert_ok(hf_core_integrals_create(basis, 0, centre, &integrals, &error));
    for (int i = 0; i < basis->n_atom; i++) {
        for (int j = 0; j < basis->n_atom; j++) {
            const int n_i = hf_atom_n_function(basis, i), n_j = hf_atom_n_function(basis, j);
            memset(block, 0, n * n * sizeof *block);
            assert_ok(hf_core_integrals_add(integrals, i, j, block, &error));
            for (int m = 0; m < n_i; m++)
                for (int l = 0; l < n_j; l++)
                    matrix[(size_t)(hf_atom_first_function(basis, i) + m) * n +
                           (size_t)(hf_atom_first_function(basis, j) + l)] = block[m * n_j + l];
        }
    }
    hf_core_integrals_destroy(&integrals);
    assert_null(integrals);
    free(block);
    return matrix;
}

/** Largest difference of the two ways for shells about three centres, the potential at the first. */
static double compare(const struct hf_core_potential *potential, int n_shell,
                      const struct test_shell shell[])
{
    static const double centre[3][3] = {{0.1, -0.2, 0.3}, {1.3, 0.9, -1.2}, {-0.7, 1.6, 2.0}};
    struct hf_core_potential own = *potential;
    struct hf_basis *basis = test_basis(3, centre, n_shell, shell);
    double most = 0.0;
    basis->n_core_potential = 1;
    basis->core_potential = &own;
    double *made = matrix_of_blocks(basis, centre[0]), *plain = plain_matrix(basis, centre[0]);
    for (int k = 0; k < basis->n_function * basis->n_function; k++)
        most = fmax(most, fabs(made[k] - plain[k]));
    free(made);
    free(plain);
    test_basis_destroy(&basis);
    return most;
}

static const struct test_shell shells[] = {
    {0, 0, 2, false, {9.0, 0.4}, {1.1, 0.4}},
    {0, 1, 1, false, {1.7}, {1.3}},
    {0, 2, 1, true, {0.9}, {0.8}},
    {0, 4, 1, true, {1.2}, {0.7}},
    {1, 0, 2, false, {4.0, 0.3}, {1.9, 0.3}},
    {1, 1, 1, false, {0.6}, {0.9}},
    {1, 2, 1, false, {1.1}, {0.8}},
    {2, 0, 1, false, {2.5}, {1.2}},
    {2, 3, 1, true, {0.7}, {0.6}},
    {2, 5, 1, true, {0.9}, {0.2}},
};
enum { N_SHELL = sizeof shells / sizeof shells[0] };

/** Terms as those of published potentials: the power 0 everywhere, three projectors. */
TEST(potentials_of_the_common_form_agree_with_a_plain_quadrature)
{
    static const struct hf_core_term term[] = {
        {3, 0, 4.8, -3.4}, {3, 0, 1.9, 0.7},   {0, 0, 10.0, 49.0}, {0, 0, 1.2, 6.0},
        {1, 0, 8.9, 14.6}, {1, 0, 0.8, -1.67}, {2, 0, 6.4, 13.0},
    };
    const struct hf_core_potential potential = {
        .n_core = 28, .max_l = 3, .n_term = sizeof term / sizeof term[0], .term = term};
    assert_true(compare(&potential, N_SHELL, shells) < 1e-10);
}

TEST(every_power_agrees_with_a_plain_quadrature)
{
    for (int power = HF_LEAST_CORE_POWER; power <= HF_MOST_CORE_POWER; power++) {
        const struct hf_core_term term[] = {
            {2, power, 2.3, -1.4}, {0, power, 3.1, 2.2}, {1, power, 1.1, 0.9}};
        const struct hf_core_potential potential = {
            .n_core = 10, .max_l = 2, .n_term = 3, .term = term};
        assert_true(compare(&potential, 4, shells) < 1e-10);
    }
}

/** Without projectors: the power 0 at the centre of two s functions is (pi / c)^(3/2). */
TEST(a_local_potential_has_its_closed_form)
{
    const struct test_shell shell = {0, 0, 1, false, {0.8}, {1.0}};
    const double centre[1][3] = {{0.4, 0.0, -1.0}};
    const struct hf_core_term term = {0, 0, 500.0, 3.0};
    struct hf_core_potential potential = {.n_core = 2, .n_term = 1, .term = &term};
    struct hf_basis *basis = test_basis(1, centre, 1, &shell);
    basis->n_core_potential = 1;
    basis->core_potential = &potential;
    double *made = matrix_of_blocks(basis, centre[0]);
    assert_true(fabs(made[0] - 3.0 * pow(acos(-1.0) / 501.6, 1.5)) < 1e-14);
    free(made);
    test_basis_destroy(&basis);
}

/** One projector and s functions that touch or do not: the integral over r in closed terms. A sharp
 *  function far off is where points in equal steps could miss what there is. */
TEST(sharp_functions_far_off_are_not_missed)
{
    const double a = 3000.0, distance = 3.8, g = 0.65, pi = acos(-1.0);
    const double norm = pow(2.0 * a / pi, 0.75);
    const struct test_shell shell[] = {{0, 0, 1, false, {0.3}, {0.5}},
                                       {1, 0, 1, false, {a}, {norm}}};
    const double centre[2][3] = {{0.0, 0.0, 0.0}, {0.0, distance, 0.0}};
    const struct hf_core_term term[] = {{1, 0, 1.0, 0.0}, {0, 0, g, 0.96}};
    struct hf_core_potential potential = {.n_core = 2, .max_l = 1, .n_term = 2, .term = term};
    struct hf_basis *basis = test_basis(2, centre, 2, shell);
    basis->n_core_potential = 1;
    basis->core_potential = &potential;
    double *made = matrix_of_blocks(basis, centre[0]);
    double same = 0.0, cross = 0.0;
    for (int k = 0; k < 40000; k++) { /* midpoints: of functions that are nothing at the ends */
        const double r = distance - 0.4 + (k + 0.5) * 0.8 / 40000.0;
        const double far = norm * sqrt(4.0 * pi) * exp(-a * (r - distance) * (r - distance)) /
                           (4.0 * a * r * distance); /* sinh(x) exp(-x) = 1/2 */
        const double near = 0.5 * sqrt(4.0 * pi) * exp(-0.3 * r * r);
        const double weight = 0.96 * exp(-g * r * r) * r * r * 0.8 / 40000.0;
        same += weight * far * far;
        cross += weight * far * near;
    }
    assert_true(fabs(made[3] - same) < 1e-13 && same > 5e-10);
    assert_true(fabs(made[1] - cross) < 1e-13 && cross > 3e-9);
    free(made);
    test_basis_destroy(&basis);
}

TEST(functions_too_sharp_are_refused)
{
    const struct test_shell shell[] = {{0, 0, 1, false, {1.0}, {1.0}},
                                       {1, 0, 1, false, {1e12}, {1e9}}};
    const double centre[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}};
    const struct hf_core_term term[] = {{1, 0, 1.0, -1.0}, {0, 0, 0.1, 1.0}};
    struct hf_core_potential potential = {.n_core = 2, .max_l = 1, .n_term = 2, .term = term};
    struct hf_basis *basis = test_basis(2, centre, 2, shell);
    struct hf_core_integrals *integrals = NULL;
    basis->n_core_potential = 1;
    basis->core_potential = &potential;
    assert_failure(hf_core_integrals_create(basis, 0, centre[0], &integrals, &error),
                   HF_NO_RESOURCE, &error, "too sharp");
    assert_null(integrals);
    test_basis_destroy(&basis);
}

TEST(far_atoms_are_not_reached)
{
    const struct test_shell shell[] = {{0, 0, 1, false, {1.0}, {1.0}},
                                       {1, 0, 1, false, {0.5}, {1.0}}};
    const double centre[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 20.0}};
    const struct hf_core_term term[] = {{0, 0, 2.0, -1.0}};
    struct hf_core_potential potential = {.n_core = 2, .n_term = 1, .term = term};
    struct hf_basis *basis = test_basis(2, centre, 2, shell);
    struct hf_core_integrals *integrals = NULL;
    double block[1] = {0.0};
    basis->n_core_potential = 1;
    basis->core_potential = &potential;
    assert_ok(hf_core_integrals_create(basis, 0, centre[0], &integrals, &error));
    assert_true(hf_core_integrals_reach(integrals, 0));
    assert_false(hf_core_integrals_reach(integrals, 1));
    assert_ok(hf_core_integrals_add(integrals, 1, 0, block, &error));
    assert_true(block[0] == 0.0);
    hf_core_integrals_destroy(&integrals);
    test_basis_destroy(&basis);
}

TEST_MAIN
