/* What the derivatives of MP2 need of its amplitudes: identities, and the same in any number of batches. */
#include "mp2_system.h"

#include "correlation/mp2_derivatives.h"

/** P and Y of a calculation between all orbitals, [q][p] of each spin. */
struct found {
    struct hf_mp2_derivatives of;
    double *density[HF_MAX_SPIN], *lagrangian[HF_MAX_SPIN];
};

static double element(const struct found *found, double *const matrix[], int spin, int p, int q)
{
    return matrix[spin][(size_t)q * (size_t)found->of.n_orbital[spin] + (size_t)p];
}

static double *gather(struct hf_matrix *matrix, size_t m)
{
    double *full = calloc(m * m, sizeof *full);
    assert_non_null(full);
    hf_matrix_gather_full(matrix, full);
    return full;
}

static void compute(struct test_solved *s, const struct hf_mp2_settings *settings,
                    struct found *found, struct hf_mp2_result *result)
{
    struct hf_mp2_settings with = *settings;
    *found = (struct found){.of = {.opposite = 1.0, .same = 1.0}};
    with.derivatives = &found->of;
    const hf_status status = hf_mp2_compute(s->context, &s->wave, &with, result, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
    for (int spin = 0; spin < found->of.n_spin; spin++) {
        const int m = found->of.n_orbital[spin];
        struct hf_matrix *matrix = NULL;
        assert_ok(hf_matrix_create(s->wave.linalg, "P or Y", m, m, &matrix, NULL));
        hf_mp2_get_density(&found->of, spin, matrix);
        found->density[spin] = gather(matrix, (size_t)m);
        assert_ok(hf_mp2_get_lagrangian(&found->of, spin, s->wave.linalg,
                                        s->wave.spin[spin].coefficient, matrix, &error));
        found->lagrangian[spin] = gather(matrix, (size_t)m);
        hf_matrix_destroy(&matrix);
    }
}

static void done(struct found *found)
{
    hf_mp2_derivatives_done(&found->of);
    for (int spin = 0; spin < HF_MAX_SPIN; spin++) {
        free(found->density[spin]);
        free(found->lagrangian[spin]);
    }
}

/** Electrons are neither made nor lost; the energy comes back from its derivatives; orbitals that are occupied alike
 *  may be mixed. */
static void check_identities(const struct test_solved *s, const struct found *found, double energy)
{
    const double n_spin = found->of.n_spin == 1 ? 2.0 : 1.0;
    double electrons = 0.0, occupied = 0.0, virtuals = 0.0;
    for (int spin = 0; spin < found->of.n_spin; spin++)
        for (int p = 0; p < found->of.n_orbital[spin]; p++) {
            const double y = element(found, found->lagrangian, spin, p, p);
            electrons += n_spin * element(found, found->density, spin, p, p);
            *(p < found->of.n_occupied[spin] ? &occupied : &virtuals) += n_spin * y;
        }
    assert_true(fabs(electrons) < 1e-11);
    assert_true(fabs(occupied - 4.0 * energy) < 1e-10);
    assert_true(fabs(virtuals - 4.0 * energy) < 1e-10);
    for (int spin = 0; spin < found->of.n_spin; spin++)
        for (int p = found->of.n_frozen[spin]; p < found->of.n_orbital[spin]; p++)
            for (int q = found->of.n_frozen[spin]; q < p; q++) {
                const double *e = s->wave.spin[spin].energy;
                const double p_qp = element(found, found->density, spin, q, p);
                assert_true(fabs(p_qp - element(found, found->density, spin, p, q)) < 1e-11);
                if ((p < found->of.n_occupied[spin]) != (q < found->of.n_occupied[spin])) continue;
                assert_true(fabs(element(found, found->lagrangian, spin, p, q) + 2.0 * e[p] * p_qp -
                                 element(found, found->lagrangian, spin, q, p) -
                                 2.0 * e[q] * p_qp) < 1e-10);
            }
}

static void assert_alike(const struct found *one, const struct found *other)
{
    for (int spin = 0; spin < one->of.n_spin; spin++)
        for (int p = 0; p < one->of.n_orbital[spin]; p++)
            for (int q = 0; q < one->of.n_orbital[spin]; q++) {
                assert_true(fabs(element(one, one->density, spin, p, q) -
                                 element(other, other->density, spin, p, q)) < 1e-12);
                assert_true(fabs(element(one, one->lagrangian, spin, p, q) -
                                 element(other, other->lagrangian, spin, p, q)) < 1e-11);
            }
    for (int i = 0; i < one->of.n_atom; i++)
        for (int x = 0; x < 3; x++)
            assert_true(fabs(one->of.slope[i][x] - other->of.slope[i][x]) < 1e-10);
}

/** In 1, 2 and as many batches as there are orbitals; on one or three threads. */
static void check(struct test_solved *s, int n_frozen)
{
    struct hf_mp2_settings settings = usual();
    settings.n_frozen = n_frozen;
    const double energy = energies(s, &settings).correlation;
    const size_t before = hf_memory_current_bytes(s->context->memory);
    struct found first;
    static const int batches[] = {1, 2, 1000};
    for (int k = 0; k < 3; k++) {
        struct found found;
        struct hf_mp2_result result;
        settings.n_batch = batches[k];
        settings.n_thread = k == 1 ? 3 : 1;
        settings.schedule.name = k == 1 ? "steal" : "static";
        compute(s, &settings, k == 0 ? &first : &found, &result);
        assert_true(fabs(result.correlation - energy) < 1e-12);
        if (k == 1) assert_int_equal(result.n_batch, 2);
        check_identities(s, k == 0 ? &first : &found, energy);
        if (k > 0) assert_alike(&first, &found);
        if (k > 0) done(&found);
    }
    done(&first);
    assert_int_equal(hf_memory_current_bytes(s->context->memory), before);
}

TEST(closed_shells_in_batches)
{
    struct test_solved s;
    water(&s, "rhf", "cc-pVDZ");
    check(&s, 0);
    check(&s, 1);
    end(&s);
}

TEST(open_shells_in_batches)
{
    struct test_solved s;
    amidogen(&s);
    check(&s, 0);
    check(&s, 1);
    end(&s);
}

/** The memory that is foreseen falls with the batches and with the ranks. */
TEST(memory_is_foreseen)
{
    struct hf_mp2_size size = {.n_function = 300,
                               .n_rank = 4,
                               .n_thread = 1,
                               .most_functions = 36,
                               .most_shell = 6,
                               .n_row = 45000.0,
                               .n_spin = 1,
                               .n_correlated = {40},
                               .n_virtual = {250}};
    const struct hf_mp2_need all = hf_mp2_plan_derivatives(&size, INFINITY);
    assert_int_equal(all.n_batch, 1);
    const struct hf_mp2_need less = hf_mp2_plan_derivatives(&size, 0.5 * (all.rank + all.least));
    assert_true(less.n_batch > 1 && less.rank <= 0.5 * (all.rank + all.least));
    assert_int_equal(hf_mp2_plan_derivatives(&size, 0.9 * all.least).n_batch, 0);
    size.n_rank = 16;
    assert_true(hf_mp2_plan_derivatives(&size, INFINITY).rank < 0.3 * all.rank);
    size.one_batch = true;
    assert_int_equal(hf_mp2_plan_derivatives(&size, 0.5 * all.rank).n_batch, 1);
    size.n_rank = 4;
    assert_int_equal(hf_mp2_plan_derivatives(&size, 0.5 * all.rank).n_batch, 0);
}

MPI_TEST_MAIN
