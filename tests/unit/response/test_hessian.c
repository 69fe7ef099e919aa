/* Gradient and Hessian of orbital rotations against the energies of rotated orbitals. argv[1]: name in
 * hf_fock_list. Nothing here is at a stationary point: the formulas hold anywhere. */
#include "../scf/scf_test.h"

#include "response/hessian.h"

/** A determinant of a molecule: the lowest orbitals of the core Hamiltonian. */
struct bench {
    struct hf_context *context;
    struct test_molecule test;
    const struct hf_method_ops *method;
    struct hf_spin_count n_electron;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_linalg *linalg;
    struct hf_hamiltonian *hamiltonian;
    struct hf_fock_builder *builder;
    struct hf_matrix *core, *x;
    struct hf_matrix *occupied[HF_MAX_SPIN], *fock[HF_MAX_SPIN];
    struct hf_orbital_hessian hessian;
    double energy;
};

static const char *builder_name; /**< argv[1] */

static struct hf_matrix *new_matrix(struct bench *b, int n_row, int n_col)
{
    struct hf_matrix *matrix = NULL;
    assert_ok(hf_matrix_create(b->linalg, "test", n_row, n_col, &matrix, NULL));
    return matrix;
}

/** Energy of orbitals; their Fock matrices are made when `fock` is not NULL. */
static double energy_of(struct bench *b, struct hf_matrix *const occupied[],
                        struct hf_matrix *fock[])
{
    const struct hf_determinant of = {.method = b->method,
                                      .n_electron = b->n_electron,
                                      .x = {b->x},
                                      .occupied = {occupied[0], occupied[1]}};
    struct hf_fields fields = {.coulomb = NULL};
    struct hf_fock_job job[HF_MAX_SPIN];
    assert_ok(hf_fields_create(b->linalg, "test", b->method->n_density, hf_matrix_n_row(b->x),
                               &fields, NULL));
    const int n_job = hf_fields_jobs(&fields, job);
    assert_ok(hf_method_densities(&of, fields.density, NULL));
    assert_ok(hf_fock_build(b->builder, n_job, job, 1e-15, NULL));
    const struct hf_interaction two = hf_interaction_here(fields.density, &fields);
    double energy = hf_matrix_dot_here(fields.density[0], b->core) + two.coulomb + two.exchange;
    hf_linalg_reduce(b->linalg, 1, 0, &energy);
    if (fock != NULL) assert_ok(hf_method_fock(&of, b->core, &fields, fock, NULL));
    hf_fields_destroy(&fields);
    return energy;
}

static void make_orthogonaliser(struct bench *b)
{
    const int n = b->basis->n_function;
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *overlap = new_matrix(b, n, n);
    assert_ok(hf_operator_matrix(b->hamiltonian, HF_OVERLAP, overlap, NULL));
    assert_ok(hf_orthogonaliser_create(b->context, overlap, 1e-6, &b->x, &spectrum, NULL, NULL));
    hf_matrix_destroy(&overlap);
}

static void make_orbitals(struct bench *b)
{
    const int m = hf_matrix_n_col(b->x);
    double *energy = calloc((size_t)m, sizeof *energy);
    struct hf_matrix *orthonormal = new_matrix(b, m, m);
    for (int k = 0; k < b->method->n_set; k++) {
        if (hf_set_size(b->n_electron, k) == 0) continue;
        b->occupied[k] = new_matrix(b, m, hf_set_size(b->n_electron, k));
        assert_ok(hf_to_orthonormal(b->x, b->core, orthonormal, NULL));
        assert_ok(hf_lowest_orbitals(b->context, orthonormal, energy, b->occupied[k], NULL));
    }
    for (int s = 0; s < b->method->n_fock; s++) b->fock[s] = new_matrix(b, m, m);
    hf_matrix_destroy(&orthonormal);
    free(energy);
}

static void bench_init(struct bench *b, const struct hf_method_ops *method,
                       const struct test_molecule *test, const char *set)
{
    struct hf_scf_settings settings = test_settings();
    *b = (struct bench){.context = test_context(), .method = method, .test = *test};
    b->test.molecule.atom = b->test.atom;
    settings.fock.builder = builder_name;
    settings.fock.onesided.transport = "thread";
    assert_ok(hf_spin_count_of(&b->test.molecule, &b->n_electron, NULL));
    b->basis = test_set(b->context, &b->test.molecule, set);
    const int n = b->basis->n_function;
    b->linalg = test_linalg(b->context, "parallel", n);
    assert_ok(hf_hamiltonian_create(b->context, b->linalg, b->basis, &b->test.molecule,
                                    &b->hamiltonian, NULL));
    assert_ok(hf_shell_pairs_create(b->context, b->basis, 1e-16, &b->pairs, NULL));
    assert_ok(hf_fock_create(b->context, b->pairs, &settings.fock, &b->builder, NULL));
    b->core = new_matrix(b, n, n);
    assert_ok(hf_hamiltonian_core(b->hamiltonian, b->core, NULL));
    make_orthogonaliser(b);
    make_orbitals(b);
    b->energy = energy_of(b, b->occupied, b->fock);
    const struct hf_hessian_input input = {
        .context = b->context,
        .builder = b->builder,
        .of = {method, b->n_electron, {b->x}, {b->occupied[0], b->occupied[1]}},
        .fock = b->fock,
        .threshold = 1e-14,
    };
    assert_ok(hf_hessian_init(&b->hessian, &input, NULL));
}

static void bench_done(struct bench *b)
{
    hf_hessian_done(&b->hessian);
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        hf_matrix_destroy(&b->occupied[k]);
        hf_matrix_destroy(&b->fock[k]);
    }
    hf_matrix_destroy(&b->x);
    hf_matrix_destroy(&b->core);
    hf_fock_destroy(&b->builder);
    hf_hamiltonian_destroy(&b->hamiltonian);
    hf_linalg_destroy(&b->linalg);
    hf_shell_pairs_destroy(&b->pairs);
    hf_basis_destroy(&b->basis);
    test_context_done(&b->context);
}

static struct hf_rotation new_rotation(struct bench *b, unsigned seed)
{
    struct hf_rotation rotation;
    assert_ok(hf_rotation_create(&b->hessian.space, &rotation, NULL));
    if (seed > 0) {
        hf_rotation_scatter(&b->hessian.space, seed, &rotation);
        const double norm = sqrt(hf_rotation_dot(&rotation, &rotation));
        hf_rotation_add(0.0, &rotation, 1.0 / norm, &rotation);
    }
    return rotation;
}

/** Energy of the orbitals rotated by `length` times a vector. */
static double energy_along(struct bench *b, const struct hf_rotation *direction, double length)
{
    struct hf_matrix *turned[HF_MAX_SPIN] = {NULL};
    struct hf_rotation rotation = new_rotation(b, 0);
    hf_rotation_add(length, direction, 0.0, &rotation);
    for (int k = 0; k < b->method->n_set; k++)
        if (b->occupied[k] != NULL)
            turned[k] =
                new_matrix(b, hf_matrix_n_row(b->occupied[k]), hf_matrix_n_col(b->occupied[k]));
    for (int k = 0; k < b->method->n_set; k++)
        if (turned[k] != NULL) hf_matrix_copy(b->occupied[k], turned[k]);
    assert_ok(hf_rotation_turn(&b->hessian.space, &rotation, turned, NULL));
    const double energy = energy_of(b, turned, NULL);
    for (int k = 0; k < HF_MAX_SPIN; k++) hf_matrix_destroy(&turned[k]);
    hf_rotation_destroy(&rotation);
    return energy;
}

/** 2 g y and y H y against differences of energies, by the formulas of fourth order. */
static void check_direction(struct bench *b, const struct hf_rotation *gradient,
                            const struct hf_rotation *y, const struct hf_rotation *product)
{
    static const double STEP = 0.02;
    const double up = energy_along(b, y, STEP), down = energy_along(b, y, -STEP);
    const double up2 = energy_along(b, y, 2.0 * STEP), down2 = energy_along(b, y, -2.0 * STEP);
    const double slope = (8.0 * (up - down) - (up2 - down2)) / (12.0 * STEP);
    const double curvature =
        (16.0 * (up + down) - (up2 + down2) - 30.0 * b->energy) / (12.0 * STEP * STEP);
    assert_true(fabs(slope - 2.0 * hf_rotation_dot(gradient, y)) < 2e-5 * (1.0 + fabs(slope)));
    assert_true(fabs(curvature - 2.0 * hf_rotation_dot(y, product)) <
                2e-4 * (1.0 + fabs(curvature)));
}

/** Products with the Hessian of imaginary rotations: symmetric; the others are as they are alone. */
static void check_imaginary(struct bench *b, int n, const struct hf_rotation vector[],
                            const struct hf_rotation alone[])
{
    enum { MOST = 5 };
    struct hf_rotation real[MOST], imaginary[MOST];
    for (int i = 0; i < n; i++) {
        real[i] = new_rotation(b, 0);
        imaginary[i] = new_rotation(b, 0);
    }
    assert_ok(hf_hessian_multiply(&b->hessian, HF_ROTATION_INTERNAL, n, vector,
                                  (struct hf_hessian_products){real, imaginary}, NULL));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            assert_true(fabs(hf_rotation_dot(&vector[i], &imaginary[k]) -
                             hf_rotation_dot(&vector[k], &imaginary[i])) < 1e-9);
    for (int i = 0; i < n; i++) {
        hf_rotation_add(-1.0, &alone[i], 1.0, &real[i]);
        assert_true(hf_rotation_dot(&real[i], &real[i]) < 1e-20);
        hf_rotation_destroy(&real[i]);
        hf_rotation_destroy(&imaginary[i]);
    }
}

static void check_derivatives(const struct hf_method_ops *method, const struct test_molecule *test,
                              const char *set)
{
    enum { N = 5 }; /* more than go into one pass */
    struct bench b;
    struct hf_rotation vector[N], product[N];
    bench_init(&b, method, test, set);
    struct hf_rotation gradient = new_rotation(&b, 0);
    for (unsigned i = 0; i < N; i++) {
        vector[i] = new_rotation(&b, i + 1);
        product[i] = new_rotation(&b, 0);
    }
    assert_ok(hf_hessian_gradient(&b.hessian, &gradient, NULL));
    assert_ok(hf_hessian_multiply(&b.hessian, HF_ROTATION_INTERNAL, N, vector,
                                  (struct hf_hessian_products){product, NULL}, NULL));
    assert_int_equal(b.hessian.n_product, N);
    for (int i = 0; i < 2; i++) check_direction(&b, &gradient, &vector[i], &product[i]);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            assert_true(fabs(hf_rotation_dot(&vector[i], &product[k]) -
                             hf_rotation_dot(&vector[k], &product[i])) < 1e-9);
    if (method != &hf_method_rohf) check_imaginary(&b, N, vector, product);
    for (int i = 0; i < N; i++) {
        hf_rotation_destroy(&vector[i]);
        hf_rotation_destroy(&product[i]);
    }
    hf_rotation_destroy(&gradient);
    bench_done(&b);
}

/** Water without symmetry. */
static void bent_water(struct test_molecule *test, int charge, int multiplicity)
{
    test_water(test);
    test->atom[1].position_bohr[0] = 0.2;
    test->atom[2].position_bohr[1] = -1.7;
    test->molecule.charge = charge;
    test->molecule.multiplicity = multiplicity;
}

TEST(closed_shells)
{
    struct test_molecule test;
    bent_water(&test, 0, 1);
    check_derivatives(&hf_method_rhf, &test, "3-21G");
}

TEST(open_shells)
{
    struct test_molecule test;
    bent_water(&test, 0, 3);
    check_derivatives(&hf_method_uhf, &test, "STO-3G");
    check_derivatives(&hf_method_rohf, &test, "3-21G");
    bent_water(&test, 1, 2);
    check_derivatives(&hf_method_uhf, &test, "3-21G");
    check_derivatives(&hf_method_rohf, &test, "STO-3G");
}

TEST(one_spin_alone)
{
    struct test_molecule test = {0};
    test_add_atom(&test, 1, false, 0.0, 0.0, 0.0);
    test_add_atom(&test, 1, false, 0.3, 0.9, 1.1);
    test.molecule.multiplicity = 3;
    check_derivatives(&hf_method_uhf, &test, "6-31G**");
    check_derivatives(&hf_method_rohf, &test, "6-31G**");
}

/** Closed shells are a case of open ones: both spins the same way, and against each other. */
TEST(both_kinds_of_closed_shells_are_those_of_uhf)
{
    struct bench r, u;
    struct test_molecule test;
    bent_water(&test, 0, 1);
    bench_init(&r, &hf_method_rhf, &test, "STO-3G");
    bench_init(&u, &hf_method_uhf, &test, "STO-3G");
    for (int kind = 0; kind < 2; kind++) {
        const double sign = kind == 0 ? 1.0 : -1.0;
        struct hf_rotation y = new_rotation(&r, 7), product = new_rotation(&r, 0);
        struct hf_rotation both = new_rotation(&u, 0), of_both = new_rotation(&u, 0);
        double *full = test_gather(y.block[0]);
        for (int s = 0; s < 2; s++) {
            hf_matrix_set_full(both.block[s], full);
            hf_matrix_add(0.0, both.block[s], (s == 0 ? 1.0 : sign) / sqrt(2.0), both.block[s]);
        }
        assert_ok(hf_hessian_multiply(&r.hessian,
                                      kind == 0 ? HF_ROTATION_INTERNAL : HF_ROTATION_TRIPLET, 1, &y,
                                      (struct hf_hessian_products){&product, NULL}, NULL));
        assert_ok(hf_hessian_multiply(&u.hessian, HF_ROTATION_INTERNAL, 1, &both,
                                      (struct hf_hessian_products){&of_both, NULL}, NULL));
        double *restricted = test_gather(product.block[0]);
        double *unrestricted = test_gather(of_both.block[0]);
        const int n = hf_matrix_n_row(y.block[0]) * hf_matrix_n_col(y.block[0]);
        for (int i = 0; i < n; i++)
            assert_true(fabs(restricted[i] - sqrt(2.0) * unrestricted[i]) < 1e-9);
        free(full);
        free(restricted);
        free(unrestricted);
        hf_rotation_destroy(&y);
        hf_rotation_destroy(&product);
        hf_rotation_destroy(&both);
        hf_rotation_destroy(&of_both);
    }
    bench_done(&u);
    bench_done(&r);
}

int main(int argc, char **argv)
{
    builder_name = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
