/* One-electron integrals against closed formulas and against a grid. */
#include "../mpi_test.h"
#include "../shells.h"

#include "hf/boys.h"
#include "hf/integrals.h"
#include "hf/solid_harmonics.h"

#include <math.h>
#include <string.h>

static const double centre[2][3] = {{0.1, -0.2, 0.3}, {0.9, 0.7, -0.5}};

/** Full matrix of an operator over shells on two centres. */
static double *operator_matrix(enum hf_operator which, int n_shell, const struct test_shell shell[],
                               const struct hf_molecule *molecule, int *n)
{
    struct hf_context *context = test_context();
    struct hf_basis *basis = test_basis(2, centre, n_shell, shell);
    struct hf_linalg *linalg = NULL;
    struct hf_matrix *matrix = NULL;
    struct hf_error error;
    *n = basis->n_function;
    double *full = malloc((size_t)(*n * *n) * sizeof *full);
    assert_int_equal(hf_linalg_create(context, *n, &linalg, &error), HF_OK);
    assert_int_equal(hf_matrix_create(linalg, "test", *n, *n, &matrix, &error), HF_OK);
    assert_int_equal(hf_one_electron(context, basis, molecule, which, matrix, &error), HF_OK);
    hf_matrix_gather_full(matrix, full);
    hf_matrix_destroy(&matrix);
    hf_linalg_destroy(&linalg);
    test_basis_destroy(&basis);
    test_context_done(&context);
    return full;
}

static void s_functions_agree_with_closed_formulas(void **state)
{
    (void)state;
    const double a = 0.7, b = 1.3, p = a + b, pi = acos(-1.0);
    const struct test_shell shells[] = {{0, 0, 1, false, {a}, {1.0}}, {1, 0, 1, false, {b}, {1.0}}};
    struct hf_atom atom = {.atomic_number = 3, .position_bohr = {0.5, 0.1, 0.2}};
    struct hf_atom atoms[2] = {atom, {.atomic_number = 8, .ghost = true}};
    const struct hf_molecule molecule = {.n_atom = 2, .atom = atoms};
    double r2 = 0.0, pc2 = 0.0;
    double middle[3];
    for (int d = 0; d < 3; d++) {
        r2 += pow(centre[0][d] - centre[1][d], 2);
        middle[d] = (a * centre[0][d] + b * centre[1][d]) / p;
        pc2 += pow(middle[d] - atom.position_bohr[d], 2);
    }
    const double overlap = pow(pi / p, 1.5) * exp(-a * b / p * r2);
    const double kinetic = a * b / p * (3.0 - 2.0 * a * b / p * r2) * overlap;
    struct hf_boys *boys = hf_boys_create(HF_BOYS_MAX_ORDER);
    double f[1];
    hf_boys_evaluate(boys, 0, p * pc2, f);
    hf_boys_destroy(&boys);
    const double nuclear = -3.0 * 2.0 * pi / p * exp(-a * b / p * r2) * f[0];
    const double expected[] = {
        overlap, kinetic, nuclear, middle[0] * overlap, middle[1] * overlap, middle[2] * overlap};
    for (int which = HF_OVERLAP; which <= HF_DIPOLE_Z; which++) {
        int n;
        double *full = operator_matrix((enum hf_operator)which, 2, shells, &molecule, &n);
        assert_true(fabs(full[1] - expected[which]) < 1e-14);
        assert_true(full[1] == full[2]);
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

/** The trapezoidal rule converges exponentially for Gaussians. */
static double on_grid(enum hf_operator which, const double e[2], const int power[2][3])
{
    const double step = 0.2, reach = 7.0;
    double sum = 0.0, r[3];
    for (r[0] = -reach; r[0] < reach; r[0] += step) {
        for (r[1] = -reach; r[1] < reach; r[1] += step) {
            for (r[2] = -reach; r[2] < reach; r[2] += step) {
                const double left = gaussian(e[0], power[0], centre[0], r);
                double right;
                if (which == HF_KINETIC)
                    right = minus_half_laplacian(e[1], power[1], centre[1], r);
                else
                    right = gaussian(e[1], power[1], centre[1], r) * (which == HF_DIPOLE_X   ? r[0]
                                                                      : which == HF_DIPOLE_Z ? r[2]
                                                                                             : 1.0);
                sum += left * right;
            }
        }
    }
    return sum * step * step * step;
}

static void high_functions_agree_with_a_grid(void **state)
{
    (void)state;
    const double e[2] = {0.8, 1.1};
    const struct test_shell shells[] = {{0, 3, 1, false, {e[0]}, {1.0}},
                                        {1, 2, 1, false, {e[1]}, {1.0}}};
    const int power[2][3] = {{1, 1, 1}, {1, 0, 1}}; /* components 4 of f and 2 of d */
    const enum hf_operator which[] = {HF_OVERLAP, HF_KINETIC, HF_DIPOLE_X, HF_DIPOLE_Z};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        int n;
        double *full = operator_matrix(which[i], 2, shells, NULL, &n);
        assert_true(fabs(full[4 * n + 10 + 2] - on_grid(which[i], e, power)) < 1e-8);
        free(full);
    }
}

static void solid_harmonics_are_orthonormal_and_even_with_one_another(void **state)
{
    (void)state;
    for (int l = 2; l <= HF_MAX_L; l++) {
        struct test_shell shells[] = {{0, l, 1, true, {0.9}, {1.0}}};
        int n;
        double *overlap = operator_matrix(HF_OVERLAP, 1, shells, NULL, &n);
        double *kinetic = operator_matrix(HF_KINETIC, 1, shells, NULL, &n);
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
        double *cartesian = operator_matrix(HF_OVERLAP, 1, shells, NULL, &n);
        assert_true(fabs(cartesian[0] - overlap[0]) < 1e-13 * overlap[0]);
        free(overlap);
        free(kinetic);
        free(cartesian);
    }
}

static void m_runs_from_minus_l_to_l(void **state)
{
    (void)state;
    struct hf_solid_harmonics d;
    hf_solid_harmonics_init(2, &d);
    assert_int_equal(d.n_term[0], 1); /* xy */
    assert_int_equal(d.column[0][0], 1);
    assert_int_equal(d.n_term[2], 3); /* z^2 - (x^2 + y^2)/2 */
    assert_true(fabs(d.coefficient[2][2] - 1.0) < 1e-14 && d.column[2][2] == 5);
    assert_true(fabs(d.coefficient[4][0] - sqrt(0.75)) < 1e-14 && d.column[4][0] == 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s_functions_agree_with_closed_formulas),
        cmocka_unit_test(high_functions_agree_with_a_grid),
        cmocka_unit_test(solid_harmonics_are_orthonormal_and_even_with_one_another),
        cmocka_unit_test(m_runs_from_minus_l_to_l),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
