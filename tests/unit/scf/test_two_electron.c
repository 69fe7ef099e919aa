/* J and K of several densities that follow them through whole builds and changes. */
#include "scf_test.h"

static const char *builder_name; /**< argv[1]: name in hf_fock_list */

enum { N_DENSITY = 2 };

/** A molecule with a builder. */
struct bench {
    struct hf_context *context;
    struct test_molecule test;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_linalg *linalg;
    struct hf_fock_builder *builder;
    struct hf_two_electron two;
    struct hf_matrix *density[N_DENSITY], *coulomb, *exchange;
    int n;
};

static void bench_init(struct bench *b)
{
    struct hf_scf_settings settings = test_settings();
    *b = (struct bench){.context = test_context()};
    settings.fock.builder = builder_name;
    settings.fock.onesided.transport = "thread";
    test_water(&b->test);
    b->basis = test_set(b->context, &b->test.molecule, "STO-3G");
    const int n = b->n = b->basis->n_function;
    b->linalg = test_linalg(b->context, "parallel", n);
    assert_ok(hf_shell_pairs_create(b->context, b->basis, 1e-16, &b->pairs, NULL));
    assert_ok(hf_fock_create(b->context, b->pairs, &settings.fock, &b->builder, NULL));
    assert_ok(hf_two_electron_init(&b->two, b->linalg, b->builder, N_DENSITY, n, NULL));
    for (int s = 0; s < N_DENSITY; s++)
        assert_ok(hf_matrix_create(b->linalg, "D", n, n, &b->density[s], NULL));
    assert_ok(hf_matrix_create(b->linalg, "J", n, n, &b->coulomb, NULL));
    assert_ok(hf_matrix_create(b->linalg, "K", n, n, &b->exchange, NULL));
}

static void bench_done(struct bench *b)
{
    hf_matrix_destroy(&b->exchange);
    hf_matrix_destroy(&b->coulomb);
    for (int s = 0; s < N_DENSITY; s++) hf_matrix_destroy(&b->density[s]);
    hf_fields_destroy(&b->two.fields);
    hf_fock_destroy(&b->builder);
    hf_linalg_destroy(&b->linalg);
    hf_shell_pairs_destroy(&b->pairs);
    hf_basis_destroy(&b->basis);
    test_context_done(&b->context);
}

/** Two different symmetric matrices. */
static void make_densities(struct bench *b, uint32_t seed)
{
    const size_t n = (size_t)b->n;
    double *full = malloc(n * n * sizeof *full);
    for (int s = 0; s < N_DENSITY; s++) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) full[i + n * j] = full[j + n * i] = test_random(&seed);
        hf_matrix_set_full(b->density[s], full);
    }
    free(full);
}

static double difference(const struct hf_matrix *a, struct hf_matrix *b)
{
    double largest;
    hf_matrix_add(-1.0, a, 1.0, b);
    hf_matrix_max_abs(b, &largest);
    return largest;
}

/** Moves on and checks J, K and the change of the energy against builds of each density alone;
 *  returns the energy. */
static double move_on(struct bench *b, uint32_t seed, double threshold, double before)
{
    make_densities(b, seed);
    assert_ok(hf_two_electron_update(&b->two, b->density, threshold, NULL));
    make_densities(b, seed); /* the update destroyed them */
    for (int s = 0; s < N_DENSITY; s++) {
        const struct hf_fock_job job = {b->density[s], b->coulomb, b->exchange, false};
        assert_ok(hf_fock_build(b->builder, 1, &job, 1e-14, NULL));
        if (s == 0) assert_true(difference(b->two.fields.coulomb, b->coulomb) < 1e-9);
        assert_true(difference(b->two.fields.exchange[s], b->exchange) < 1e-9);
        assert_true(difference(b->two.fields.density[s], b->density[s]) < 1e-12);
    }
    const struct hf_interaction energy = hf_interaction_here(b->two.fields.density, &b->two.fields);
    double sum[] = {energy.coulomb + energy.exchange, b->two.change_here};
    hf_linalg_reduce(b->linalg, 2, 0, sum);
    assert_true(fabs(sum[1] - (sum[0] - before)) < 1e-8);
    return sum[0];
}

TEST(each_density_has_its_own_matrices_and_one_energy_change)
{
    struct bench b;
    bench_init(&b);
    double energy = move_on(&b, 1, 1e-12, 0.0);
    assert_int_equal(b.two.n_change, 0);
    energy = move_on(&b, 2, 1e-12, energy); /* the change alone */
    assert_int_equal(b.two.n_change, 1);
    energy = move_on(&b, 3, 1e-13, energy); /* sharper: anew */
    assert_int_equal(b.two.n_change, 0);
    bench_done(&b);
}

int main(int argc, char **argv)
{
    builder_name = argc > 1 ? argv[1] : "replicated";
    HF_RUN_MPI_TESTS(argc, argv, false);
}
